"""What of a talk is folded into a summary, and what stays in full."""

from pathlib import Path

from meetmind.config.settings import load_settings
from meetmind.database.session_summaries import TalkMessage
from meetmind.server.talk_limits import TalkCounter, folded_part, in_chunks, limits_of

WORDS = "some words that stand here "


def said(seq: int, author: str = "backend", times: int = 10) -> TalkMessage:
    return TalkMessage(id=f"m{seq}", run_id="r", author=author, content=WORDS * times, seq=seq)


def counter() -> TalkCounter:
    return TalkCounter("unknown", Path("/nonexistent"))


def ids(messages: tuple[TalkMessage, ...]) -> list[str]:
    return [message.id for message in messages]


def test_the_last_two_turns_stay_whatever_they_weigh() -> None:
    talk = [said(0, "person"), said(1), said(2), said(3, times=5000), said(4, times=5000)]
    assert ids(folded_part(talk, counter(), 0)) == ["m0", "m1", "m2"]


def test_the_persons_words_before_the_last_turns_stay_with_them() -> None:
    talk = [said(0, "person"), said(1), said(2, "person"), said(3), said(4)]
    assert ids(folded_part(talk, counter(), 0)) == ["m0", "m1"]


def test_a_new_brief_without_an_answer_stays_with_the_turns_before_it() -> None:
    talk = [said(0, "person"), said(1), said(2), said(3), said(4, "person")]
    assert ids(folded_part(talk, counter(), 0)) == ["m0", "m1"]


def test_as_much_of_the_newest_stays_as_there_is_room_for() -> None:
    talk = [said(number) for number in range(10)]
    room = counter().messages(talk[6:])
    assert ids(folded_part(talk, counter(), room)) == [f"m{number}" for number in range(6)]
    assert folded_part(talk, counter(), 100_000) == ()


def test_two_turns_have_nothing_to_fold() -> None:
    assert folded_part([said(0, "person"), said(1), said(2)], counter(), 0) == ()
    assert folded_part([], counter(), 0) == ()


def test_chunks_hold_everything_once_and_fit() -> None:
    talk = [said(number) for number in range(23)]
    count = counter()
    chunks = in_chunks(talk, count, 5 * count.message(talk[0]))
    assert [message.id for chunk in chunks for message in chunk] == [m.id for m in talk]
    assert all(count.messages(chunk) <= 5 * count.message(talk[0]) for chunk in chunks)
    assert len(in_chunks([said(0, times=9999)], count, 10)) == 1


def test_a_request_for_a_summary_fits_into_the_smallest_context() -> None:
    for context in ("2000", "8192", "131072"):
        limits = limits_of(load_settings({"MODEL_CONTEXT_TOKENS": context}))
        assert limits.kept + limits.summary < limits.talk
        assert limits.chunk + 2 * limits.summary < limits.context
