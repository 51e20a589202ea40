"""Guards at work in real runs: what steps in, how the run ends, and whom they leave alone."""

from collections.abc import Iterator

import pytest

from meetmind.agents.situation import current_points
from meetmind.events import GuardActed
from tests.support.circling_talks import (
    CIRCLING_TALKS,
    CLAIMS,
    CLOSING_WITH_OPEN,
    THANKS,
)
from tests.support.honest_talks import HONEST_TALKS
from tests.support.room import Room
from tests.support.scripted_talks import Talk, TalkRoom, guards_off, play


@pytest.fixture
def talk_room(room: Room) -> Iterator[TalkRoom]:
    opened = TalkRoom(
        pool=room.pool, database_url=room.database_url, home=room.home, owner_id=room.owner_id
    )
    yield opened
    opened.close()


@pytest.mark.parametrize("talk", CIRCLING_TALKS, ids=lambda talk: talk.name)
def test_a_circle_is_found_and_ended(talk_room: TalkRoom, talk: Talk) -> None:
    played = play(talk_room, talk)
    story = [(u.agent_name, u.content[:60], u.next_agent) for u in played.utterances]
    assert played.is_right, (played.reason, played.guards, story)


@pytest.mark.parametrize("talk", HONEST_TALKS, ids=lambda talk: talk.name)
def test_an_honest_discussion_is_left_alone(talk_room: TalkRoom, talk: Talk) -> None:
    played = play(talk_room, talk)
    story = [(u.agent_name, u.content[:60], u.next_agent) for u in played.utterances]
    assert played.is_right, (played.reason, played.guards, story)


def test_a_guard_tells_the_next_speaker_in_its_prompt(talk_room: TalkRoom) -> None:
    play(talk_room, CLAIMS)
    told = [r.sections.guard for r in talk_room.models[0].requests if r.sections.guard]
    searching = [r.sections for r in talk_room.models[0].requests if r.sections.task == "look_up"]
    assert any("Search your knowledge now" in text for text in told)
    assert any(one.guard for one in searching if one.you is not None and one.you.name == "tester")


def test_the_architect_is_told_why_its_closing_was_refused(talk_room: TalkRoom) -> None:
    played = play(talk_room, CLOSING_WITH_OPEN)
    told = [r.sections.guard for r in talk_room.models[0].requests if "refused" in r.sections.guard]
    assert any("point P1 is still open" in text for text in told)
    (recorded,) = current_points(played.utterances)
    assert (recorded.state, recorded.reason) == (
        "recorded_open",
        "Not settled: the architect insisted on closing",
    )


def test_every_finding_is_an_event_of_its_own_and_told_once(talk_room: TalkRoom) -> None:
    played = play(talk_room, THANKS)
    acted = [event for event in played.events if isinstance(event, GuardActed)]
    assert {event.guard for event in acted} >= {"thanks_loop", "nothing_moves"}
    assert len({(event.utterance_id, event.guard) for event in acted}) == len(acted)


def test_without_guards_the_same_circle_ends_wrongly(talk_room: TalkRoom) -> None:
    with guards_off():
        assert not play(talk_room, CLOSING_WITH_OPEN).is_right
