"""A claim without a look-up is found out, but for what the role was told or read."""

from meetmind.events import FloorTaken, GuardActed
from meetmind.llm.scripted import ScriptedStep, answers, calls, says
from tests.support.room import Room, wait_until
from tests.support.scripted_talks import cites, point, turn

CLAIM = "With 4321 orders the page holds, and no store is left out."


def steps(*looking: ScriptedStep) -> list[ScriptedStep]:
    """The architect asks, the backend claims without a search, the tester cites."""
    settled = turn("Settled.", done=True, points=[point("settled", "both agree")])
    return [
        answers(turn("How long?", "backend", points=[point()]), role="architect", task="speak"),
        *(looking or [says("Nothing to look up.", role="backend", task="look_up")]),
        answers(turn(CLAIM, "tester"), role="backend", task="speak"),
        answers(turn(f"Yes {cites('tester')}.", "backend"), role="tester", task="speak"),
        says("Nothing to look up.", role="backend", task="look_up"),
        answers(turn("Then I have nothing more.", "architect"), role="backend", task="speak"),
        answers(settled, role="architect", task="speak"),
    ]


def guards_of(room: Room, run_id: str) -> list[str]:
    return [event.guard for event in room.events(run_id) if isinstance(event, GuardActed)]


def notes_for_the_backend(room: Room) -> str:
    texts = []
    for request in room.models[-1].requests:
        you = request.sections.you
        if you is not None and you.name == "backend":
            texts.append("\n".join(str(message.content) for message in request.messages))
    return "\n".join(texts)


def test_a_number_from_nowhere_is_a_claim(room: Room) -> None:
    executor = room.open(steps())
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build the page", "team")
    room.wait_for_end(run_id)
    assert "never_looked_up" in guards_of(room, run_id)
    assert "without having looked anything up" in notes_for_the_backend(room)


def test_a_number_that_the_person_said_meanwhile_is_no_claim(room: Room) -> None:
    executor = room.open(steps(), piece_seconds=0.05)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build the page", "team")
    wait_until(lambda: any(isinstance(event, FloorTaken) for event in room.events(run_id)))
    executor.say_into_run(room.owner_id, run_id, "We have 4321 orders a day.")
    room.wait_for_end(run_id)
    assert guards_of(room, run_id) == []


def test_a_number_of_the_run_before_is_no_claim(room: Room) -> None:
    session_id = room.new_session()
    executor = room.open(steps())
    first = executor.start_run(room.owner_id, session_id, "We have 4321 orders a day", "team")
    room.wait_for_end(first)
    again = room.open(steps())
    run_id = again.start_run(room.owner_id, session_id, "And now the page", "team")
    room.wait_for_end(run_id)
    assert guards_of(room, run_id) == []


def test_whoever_read_a_file_has_looked_something_up(room: Room) -> None:
    reads = calls(("Read", {"path": "orders.md"}), role="backend", task="look_up")
    enough = says("That is enough.", role="backend", task="look_up")
    executor = room.open(steps(reads, enough))
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build the page", "team")
    room.wait_for_end(run_id)
    assert guards_of(room, run_id) == []
    assert "without having looked anything up" not in notes_for_the_backend(room)
