"""`rewrite_node`: the brief as a sentence that stands alone, and extra search words."""

import asyncio
import logging

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import ValidationError

from meetmind.agents.listening import LogListener
from meetmind.agents.run_context import RunContext
from meetmind.agents.schemas import REWRITE_OUTPUT_SCHEMA, RewriteOutput
from meetmind.agents.situation import rewrite_situation
from meetmind.errors import ModelError
from meetmind.events import BriefRewritten
from meetmind.graph.state import AgentState
from meetmind.prompts.loader import load_prompt

MAX_TERMS = 8
REWRITE_SECONDS = 60.0
"""A model that takes longer for one sentence is not waited for; the original goes on."""
MAX_TERM_CHARACTERS = 40
SYSTEM = (
    "You prepare a brief for a discussion. Answer in JSON only.\n<language>{language}</language>"
)

logger = logging.getLogger(__name__)


async def rewrite_brief(context: RunContext, state: AgentState) -> AgentState:
    """Rewrite the brief; if the model cannot do it, the original goes on unchanged."""
    rewritten = await _rewritten(context)
    fell_back = rewritten is None
    if rewritten is None:
        rewritten = RewriteOutput(rewritten_query=context.brief)
    query = rewritten.rewritten_query.strip() or context.brief
    terms = _short_terms(rewritten.expansion_terms)
    await context.log.append(
        BriefRewritten(rewritten_query=query, expansion_terms=tuple(terms), fell_back=fell_back)
    )
    return {"rewritten_query": query, "expansion_terms": terms}


async def _rewritten(context: RunContext) -> RewriteOutput | None:
    shown = await context.talk.shown(context.brief)
    human = load_prompt("rewrite", situation=rewrite_situation(context, shown))
    system = SYSTEM.format(language=context.language)
    try:
        async with asyncio.timeout(REWRITE_SECONDS):
            answer = await context.client.stream_structured(
                [SystemMessage(content=system), HumanMessage(content=human)],
                REWRITE_OUTPUT_SCHEMA,
                listener=LogListener(context.log, "", context.steering),
                streamed_field="",
            )
        return RewriteOutput.model_validate(answer.value)
    except (ModelError, ValidationError, TimeoutError) as error:
        logger.warning("The brief was not rewritten: %s", type(error).__name__)
        return None


def _short_terms(terms: list[str]) -> list[str]:
    short = []
    for term in terms:
        trimmed = term.strip()
        if trimmed and len(trimmed) <= MAX_TERM_CHARACTERS and trimmed not in short:
            short.append(trimmed)
    return short[:MAX_TERMS]
