"""The graph's state: ids and small values only, since every checkpoint writes it again."""

import operator
from typing import Annotated, Literal, TypedDict


class SpokenTurn(TypedDict):
    """An `AgentResponse` in the state: its words lie in our tables under `utterance_id`."""

    agent_name: str
    utterance_id: str
    next_agent: str
    done: bool
    used_rag: int


class AgentState(TypedDict, total=False):
    """What the nodes hand on; a node returns only what it changes."""

    requirement: str
    """The id of the stored brief."""
    messages: Annotated[list[SpokenTurn], operator.add]
    rewritten_query: str
    expansion_terms: list[str]
    intent: str
    intent_score: float
    intent_margin: float
    route: Literal["team", "assistant"]
    next_agent: str
    iteration: int
    max_iterations: int
    done: bool
    ended_by: str
    """Why the graph ends although nobody closed it (an `EndReason`); empty where it goes on."""
    user_memory: str
    """The id of the stored memory version; empty where there is none."""
    owner: str
    session_id: str
