"""A discussion that grows beyond what the model can read goes on behind a summary."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from meetmind.config.settings import load_settings
from meetmind.database.session_summaries import stored_talk
from meetmind.events import FloorTaken, TalkCompacted, UtteranceEnded
from meetmind.llm.scripted import ScriptedRequest, ScriptedStep, answers, fails, says
from meetmind.server.compaction import Compaction
from meetmind.server.memory import Memory
from meetmind.server.models import Models
from tests.support.long_talk import store_talk
from tests.support.room import Room, passage, scripted_client, wait_until

MARK = "the quiet marmalade walks home"
SUMMARY = "## Goal\n- SUMMARISED: guests can order without an account."
SMALL = {"MODEL_CONTEXT_TOKENS": "2400", "COMPACT_AT_SHARE": "0.75"}
FILLING = "and so the cart goes on being looked at from every side "


def spoken(
    role: str, next_agent: str, words: str = "", times: int = 55, **fields: object
) -> ScriptedStep:
    """About 660 tokens."""
    value = {"content": words + FILLING * times, "next_agent": next_agent, "done": False, **fields}
    return answers(value, task="speak", role=role)


def opening() -> ScriptedStep:
    words = f"{MARK} [{passage('architect').passage_id}] "
    points = [{"id": "P1", "question": "What about guests?", "state": "open"}]
    return spoken("architect", "backend", words, points=points)


def compactions(room: Room, run_id: str) -> list[TalkCompacted]:
    return [event for event in room.events(run_id) if isinstance(event, TalkCompacted)]


def spoke(room: Room, task: str, role: str) -> list[ScriptedRequest]:
    found = []
    for model in room.models:
        for request in model.requests:
            you = request.sections.you
            if request.sections.task == task and you is not None and you.name == role:
                found.append(request)
    return found


def whole_text(request: ScriptedRequest) -> str:
    return "\n".join(str(message.content) for message in request.messages)


def a_long_run(*compacting: ScriptedStep) -> Sequence[ScriptedStep]:
    return [
        opening(),
        spoken("backend", "frontend"),
        spoken("frontend", "tester"),
        *compacting,
        spoken("tester", "product_manager"),
    ]


def test_a_talk_near_the_limit_is_summarised_in_the_middle_of_a_run(
    room: Room, memory: Memory
) -> None:
    memory.save_memory(room.owner_id, "Our currency is the crown.")
    room.settings.update(SMALL)
    executor = room.open(a_long_run(says(SUMMARY, task="compact")))
    run_id = executor.start_run(room.owner_id, room.new_session(), "Guests may order.", "team")
    assert room.wait_for_end(run_id).status == "done"

    first = compactions(room, run_id)[0]
    assert (first.by, first.extractive) == ("limit", False)
    assert first.tokens_after < first.tokens_before
    (speaking,) = spoke(room, "speak", "tester")
    text = whole_text(speaking)
    assert "SUMMARISED" in speaking.sections.summary
    assert MARK not in text
    assert str(speaking.messages[0].content).startswith("<memory>")
    asked = str(speaking.messages[-1].content)
    assert asked.index("<summary>") < asked.index("<talk>")
    assert speaking.sections.talk[-1].by == "frontend"
    (before,) = spoke(room, "speak", "frontend")
    assert MARK in whole_text(before)
    assert "<summary>" not in str(before.messages[-1].content)


def test_what_stands_behind_the_boundary_still_counts(room: Room) -> None:
    room.settings.update(SMALL)
    executor = room.open(a_long_run(says(SUMMARY, task="compact")))
    run_id = executor.start_run(room.owner_id, room.new_session(), "Guests may order.", "team")
    room.wait_for_end(run_id)
    (speaking,) = spoke(room, "speak", "tester")
    cited = passage("architect").passage_id
    assert [point.id for point in speaking.sections.points] == ["P1"]
    assert cited in [source.passage_id for source in speaking.sections.sources]
    assert cited in [piece.passage_id for piece in speaking.sections.earlier_evidence]
    (looking, *_) = spoke(room, "look_up", "tester")
    assert set(looking.sections.heard) == {"architect", "backend", "frontend"}
    utterances = [event for event in room.events(run_id) if isinstance(event, UtteranceEnded)]
    assert len({utterance.utterance_id for utterance in utterances}) == len(utterances)


def test_a_model_that_cannot_summarise_ends_no_run(room: Room) -> None:
    room.settings.update(SMALL)
    failing = [fails("not_found", task="compact")] * 3
    executor = room.open(a_long_run(*failing))
    run_id = executor.start_run(room.owner_id, room.new_session(), "Guests may order.", "team")
    assert room.wait_for_end(run_id).status == "done"
    assert compactions(room, run_id)[0].extractive
    (speaking,) = spoke(room, "speak", "tester")
    assert "Put together by the program" in speaking.sections.summary


def test_a_run_cut_off_while_it_summarises_does_so_once_and_goes_on(room: Room) -> None:
    room.settings.update(SMALL)
    slow = says(SUMMARY, task="compact", delay_seconds=60)
    executor = room.open(a_long_run(slow))
    run_id = executor.start_run(room.owner_id, room.new_session(), "Guests may order.", "team")
    asked = room.models[0].requests
    wait_until(lambda: any(request.sections.task == "compact" for request in asked))
    executor.close()
    assert compactions(room, run_id) == []

    again = room.open([says(SUMMARY, task="compact"), spoken("tester", "product_manager")])
    again.resume_execution(room.owner_id, run_id)
    assert room.wait_for_end(run_id).status == "done"
    boundaries = [event.through_message_id for event in compactions(room, run_id)]
    assert len(boundaries) == len(set(boundaries)) >= 1
    floors = [event for event in room.events(run_id) if isinstance(event, FloorTaken)]
    assert len({floor.utterance_id for floor in floors}) == len(floors)


def test_a_person_summarises_while_the_team_speaks(room: Room) -> None:
    session_id = room.new_session()
    earlier = [f"{MARK} {number} " + FILLING * 20 for number in range(4)]
    store_talk(room.pool, room.owner_id, session_id, earlier, brief="Carts.", language="en")
    held = answers(
        {"content": "I begin.", "next_agent": "backend", "done": False},
        task="speak",
        role="architect",
        delay_seconds=1.0,
    )
    executor = room.open([says(SUMMARY, task="compact"), held])
    run_id = executor.start_run(room.owner_id, session_id, "Guests may order.", "team")
    room.wait_for(run_id, FloorTaken)
    compaction = compaction_of(room)
    with ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(compaction.compact_session, room.owner_id, session_id).result(30)
    assert outcome.compacted
    assert room.wait_for_end(run_id).status == "done"
    (event,) = compactions(room, run_id)
    assert event.by == "person"
    (speaking,) = spoke(room, "speak", "backend")
    assert "SUMMARISED" in speaking.sections.summary
    assert f"{MARK} 0" not in whole_text(speaking)
    talk = stored_talk(room.pool, owner_id=room.owner_id, session_id=session_id)
    assert talk.summary is not None


def test_the_rewrite_of_a_follow_up_sees_the_summary(room: Room) -> None:
    room.settings.update(SMALL)
    session_id = room.new_session()
    earlier = [f"{MARK} {number} " + FILLING * 30 for number in range(6)]
    store_talk(room.pool, room.owner_id, session_id, earlier, brief="Carts.", language="en")
    executor = room.open([says(SUMMARY, task="compact")])
    run_id = executor.start_run(room.owner_id, session_id, "And with coupons?", "team")
    room.wait_for_end(run_id)
    rewriting = [
        request for request in room.models[0].requests if request.sections.task == "rewrite"
    ]
    assert "SUMMARISED" in rewriting[0].sections.summary
    assert f"{MARK} 0" not in whole_text(rewriting[0])
    assert rewriting[0].sections.brief == "And with coupons?"


def compaction_of(room: Room) -> Compaction:
    """The service as it is put together for the executor that was opened last."""
    settings = load_settings({"MEETMIND_HOME": str(room.home), **room.settings})
    models = Models(settings, scripted_client(room.models[-1]))
    return Compaction(room.pool, settings, models, lambda: room.opened[-1]._loop)
