"""Who speaks next: the model proposes, fixed rules decide."""

import pytest
from langgraph.graph import END

from meetmind.events import Point, UtteranceEnded
from meetmind.graph.guards.finding import RunTerms
from meetmind.graph.guards.review import review
from meetmind.graph.routing import (
    Handover,
    decide_handover,
    route_after_preprocess,
    route_to_which_agent,
)
from meetmind.graph.state import AgentState, SpokenTurn


def state(**changes: object) -> AgentState:
    base: AgentState = {"iteration": 1, "max_iterations": 15, "done": False, "next_agent": ""}
    base.update(changes)  # type: ignore[typeddict-item]
    return base


def spoken_by(name: str) -> list[SpokenTurn]:
    return [SpokenTurn(agent_name=name, utterance_id="u", next_agent="", done=False, used_rag=0)]


def decide(
    speaker: str, proposed: str, spoken: list[str], *, max_iterations: int = 15, **changes: object
) -> Handover:
    """The hand-over after a turn; everybody before has said the same few words."""
    utterances = [utterance(name, place) for place, name in enumerate(spoken)]
    utterances.append(utterance(speaker, len(spoken), next_agent=proposed, **changes))
    reviewed = review(utterances, RunTerms(brief="A brief", max_iterations=max_iterations))
    return decide_handover(utterances, reviewed, max_iterations=max_iterations)


def utterance(name: str, iteration: int, **changes: object) -> UtteranceEnded:
    values: dict[str, object] = {
        "utterance_id": f"run.{iteration}.{name}",
        "agent_name": name,
        "iteration": iteration,
        "content": f"Word number {iteration}.",
        "next_agent": "",
        "done": False,
        "used_rag": 1,
    }
    values.update(changes)
    return UtteranceEnded(**values)  # type: ignore[arg-type]


SETTLED = (Point(id="P1", question="How long?", state="settled"),)


def test_the_budget_ends_before_anything_else() -> None:
    spent = state(iteration=15, done=True, next_agent="backend")
    assert route_to_which_agent(spent) == END


def test_done_ends_only_from_the_architect() -> None:
    assert route_to_which_agent(state(done=True, messages=spoken_by("architect"))) == END
    other = state(done=True, messages=spoken_by("tester"))
    assert route_to_which_agent(other) == "architect_node"


@pytest.mark.parametrize("name", ["", "nobody", "Backend", "assistant", "architect_node"])
def test_a_bad_name_goes_to_the_architect(name: str) -> None:
    assert route_to_which_agent(state(next_agent=name)) == "architect_node"


def test_a_valid_name_goes_there() -> None:
    assert route_to_which_agent(state(next_agent="tester")) == "tester_node"


def test_the_route_chooses_between_team_and_assistant() -> None:
    assert route_after_preprocess(state(route="team")) == "architect_node"
    assert route_after_preprocess(state(route="assistant")) == "assistant_node"
    assert route_after_preprocess(state()) == "assistant_node"


def test_a_fitting_proposal_is_followed() -> None:
    assert decide("architect", "tester", []) == Handover(next_agent="tester", done=False)


def test_the_architect_may_not_close_before_others_were_heard() -> None:
    handover = decide("architect", "", [], done=True)
    assert not handover.done
    assert handover.guard == "closing_too_early"
    assert handover.next_agent == "backend"


def test_the_architect_may_close_at_once_when_nothing_is_known() -> None:
    assert decide("architect", "", [], done=True, knows_something=False).done


def test_the_architect_closes_after_two_others() -> None:
    spoken = ["architect", "backend", "tester"]
    assert decide("architect", "", spoken, done=True, points=SETTLED).done


def test_a_rule_that_ends_the_run_goes_before_done_and_name() -> None:
    ended = state(ended_by="going_in_circles", next_agent="tester")
    assert route_to_which_agent(ended) == END


def test_another_roles_done_goes_back_to_the_architect() -> None:
    handover = decide("tester", "", ["architect"], done=True)
    assert (handover.next_agent, handover.guard) == ("architect", "only_architect_closes")


def test_nobody_hands_over_to_themselves() -> None:
    assert decide("backend", "backend", ["architect"]).next_agent == "architect"
    handover = decide("architect", "architect", ["architect", "backend"])
    assert (handover.next_agent, handover.guard) == ("frontend", "same_speaker")


def test_an_invalid_name_is_replaced_and_said() -> None:
    handover = decide("architect", "ceo", ["architect", "backend", "frontend"])
    assert (handover.next_agent, handover.guard) == ("tester", "no_valid_name")


def test_two_roles_in_circles_are_interrupted() -> None:
    spoken = ["architect", "backend", "architect"]
    handover = decide("backend", "architect", spoken)
    assert handover.guard == "going_in_circles"
    assert handover.next_agent not in ("architect", "backend")


def test_a_reply_between_two_roles_is_no_circle() -> None:
    assert decide("tester", "backend", ["architect", "backend"]).by == "role"


def test_the_last_turn_belongs_to_the_architect() -> None:
    handover = decide("tester", "backend", ["architect", "backend"], max_iterations=4)
    assert (handover.next_agent, handover.guard) == ("architect", "last_turn")
