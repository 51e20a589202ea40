"""`route_node`: the team or the assistant; the person's word comes first."""

from typing import Literal

from meetmind.agents.run_context import RunContext
from meetmind.events import Route, RouteChosen
from meetmind.graph.state import AgentState

TEAM_INTENTS = ("development_requirement", "task_instruction")


async def choose_route(context: RunContext, state: AgentState) -> AgentState:
    """Trust a label whose margin is wide enough; an untrusted one goes to the assistant."""
    by: Literal["intent", "person"] = "intent"
    route: Route = "assistant"
    if context.mode == "auto":
        trusted = state["intent_margin"] >= context.intent_route_margin
        if trusted and state["intent"] in TEAM_INTENTS:
            route = "team"
    else:
        by = "person"
        route = context.mode
    await context.log.append(RouteChosen(route=route, by=by))
    return {"route": route}
