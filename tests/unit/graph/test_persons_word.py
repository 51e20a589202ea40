"""The person's word about who speaks next goes before everybody else's."""

from meetmind.agents.run_context import PersonWords
from meetmind.graph.persons_word import heard, role_to_go_to, words_for
from meetmind.graph.routing import Handover

TO_ALL = PersonWords(message_id="a", text="faster", to_agent="")
TO_TESTER = PersonWords(message_id="b", text="risks?", to_agent="tester")
TO_BACKEND = PersonWords(message_id="c", text="cost?", to_agent="backend")
TO_FRONTEND = Handover(next_agent="frontend", done=False)
CLOSING = Handover(next_agent="", done=True)


def after(handover: Handover, **details: object) -> Handover:
    values: dict[str, object] = {
        "speaker": "architect",
        "turns": 3,
        "words": (),
        "asked_agent": "",
        "is_nearly_used": False,
        **details,
    }
    return heard(handover, **values)  # type: ignore[arg-type]


def test_a_role_that_was_asked_is_next() -> None:
    handover = after(TO_FRONTEND, words=(TO_ALL, TO_TESTER, TO_BACKEND))
    assert (handover.next_agent, handover.by) == ("tester", "person")


def test_words_for_everybody_leave_the_next_speaker_as_it_is() -> None:
    assert after(TO_FRONTEND, words=(TO_ALL,)) == TO_FRONTEND


def test_nobody_closes_over_words_that_wait() -> None:
    handover = after(CLOSING, words=(TO_ALL,))
    assert (handover.next_agent, handover.done) == ("architect", False)
    assert after(CLOSING) == CLOSING


def test_a_rule_does_not_end_the_run_over_words_that_wait() -> None:
    ended = Handover(next_agent="", done=False, ended_by="going_in_circles")
    assert after(ended, words=(TO_ALL,)).ended_by == ""
    assert after(ended) == ended


def test_the_role_of_the_brief_comes_right_after_the_opening() -> None:
    assert after(CLOSING, turns=1, asked_agent="tester").next_agent == "tester"
    assert after(TO_FRONTEND, turns=2, asked_agent="tester") == TO_FRONTEND


def test_in_sight_of_the_end_the_architect_is_next() -> None:
    handover = after(TO_FRONTEND, speaker="backend", is_nearly_used=True)
    assert (handover.next_agent, handover.guard) == ("architect", "budget_nearly_used")
    assert after(TO_FRONTEND, is_nearly_used=True) == TO_FRONTEND


def test_a_turn_gives_way_only_to_a_role_that_was_asked() -> None:
    assert role_to_go_to((TO_ALL, TO_TESTER), "backend") == "tester"
    assert role_to_go_to((TO_TESTER, TO_BACKEND), "backend") == ""
    assert role_to_go_to((TO_ALL,), "backend") == ""
    assert words_for((TO_ALL, TO_TESTER), "backend") == (TO_ALL,)
