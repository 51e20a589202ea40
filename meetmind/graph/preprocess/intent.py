"""`intent_node`: what kind of message the brief is."""

import asyncio

from meetmind.agents.run_context import RunContext
from meetmind.events import IntentRecognised
from meetmind.graph.state import AgentState


async def recognise_intent(context: RunContext, state: AgentState) -> AgentState:
    """Ask the local classifier; the original words decide, not the rewritten ones."""
    intent = await asyncio.to_thread(context.classify, context.brief)
    await context.log.append(
        IntentRecognised(
            intent=intent.label, score=intent.score, margin=intent.margin, rung=intent.rung
        )
    )
    return {
        "intent": intent.label,
        "intent_score": intent.score,
        "intent_margin": intent.margin,
    }
