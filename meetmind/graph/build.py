"""Builds the graph of one run: preprocessing, then the assistant or the team."""

from collections.abc import Awaitable, Callable
from functools import partial

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from meetmind.agents.run_context import RunContext
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.graph.nodes import assistant_node, role_node
from meetmind.graph.preprocess.intent import recognise_intent
from meetmind.graph.preprocess.rewrite import rewrite_brief
from meetmind.graph.preprocess.route import choose_route
from meetmind.graph.routing import (
    route_after_assistant,
    route_after_preprocess,
    route_to_which_agent,
)
from meetmind.graph.state import AgentState

Step = Callable[[RunContext, AgentState], Awaitable[AgentState]]
RunGraph = CompiledStateGraph[AgentState, None, AgentState, AgentState]

STEPS_A_PASS = 500
"""More than 100 turns, the most that anybody may allow, with every way round there can be."""


def build_graph(context: RunContext, saver: BaseCheckpointSaver[str]) -> RunGraph:
    """The compiled graph of one run; its nodes close over the run's context."""
    graph = StateGraph(AgentState)
    graph.add_node("rewrite_node", partial(rewrite_brief, context))
    graph.add_node("intent_node", partial(recognise_intent, context))
    graph.add_node("route_node", partial(choose_route, context))
    graph.add_node("assistant_node", assistant_node(context))
    for name in AGENT_NAMES:
        graph.add_node(f"{name}_node", role_node(context, name))
    graph.add_edge(START, "rewrite_node")
    graph.add_edge("rewrite_node", "intent_node")
    graph.add_edge("intent_node", "route_node")
    graph.add_conditional_edges(
        "route_node", route_after_preprocess, ["architect_node", "assistant_node"]
    )
    role_nodes = [f"{name}_node" for name in AGENT_NAMES]
    graph.add_conditional_edges(
        "assistant_node", route_after_assistant, ["assistant_node", *role_nodes, END]
    )
    for node in role_nodes:
        graph.add_conditional_edges(node, route_to_which_agent, [*role_nodes, END])
    return graph.compile(checkpointer=saver)


def first_state(context: RunContext, *, brief_id: str, memory_id: str) -> AgentState:
    """The state that a run begins with."""
    return {
        "requirement": brief_id,
        "messages": [],
        "iteration": 0,
        "max_iterations": context.max_iterations,
        "next_agent": "",
        "done": False,
        "ended_by": "",
        "user_memory": memory_id,
        "owner": context.owner_id,
        "session_id": context.session_id,
    }
