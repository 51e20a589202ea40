"""Folding a discussion: one summary a boundary, told once, and nothing of the talk lost."""

import asyncio
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings, load_settings
from meetmind.database import runs, session_summaries, tool_executions
from meetmind.database.messages import get_context_messages, get_messages
from meetmind.database.run_events import events_after, store_utterance
from meetmind.database.tool_executions import CallFacts
from meetmind.errors import LostTheRun
from meetmind.events import TalkCompacted, ToolFinished, ToolRequested, UtteranceEnded
from meetmind.llm.client import ModelClient, SilentListener
from meetmind.llm.offline.model import OfflineChatModel
from meetmind.llm.scripted import ScriptedChatModel, ScriptedStep, fails, says
from meetmind.server.accounts import Accounts
from meetmind.server.compaction import Compaction
from meetmind.server.discussions import Discussions
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.models import Models
from meetmind.server.talk_folding import FoldingRun, TalkFolder
from meetmind.server.talk_limits import TalkCounter, limits_of
from tests.support.long_talk import (
    BRIEFS,
    StoredDiscussion,
    facts_within,
    store_talk,
    talk_with_facts,
)
from tests.support.room import scripted_client

GOOD = "## Goal\n- Guests can order.\n\n## Decisions\n- The outbox table stays."


@pytest.fixture
def owner_id(pool: ConnectionPool) -> str:
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    return accounts.sign_in("admin", "admin").id


@pytest.fixture
def loop() -> Iterator[EventLoopThread]:
    thread = EventLoopThread()
    yield thread
    thread.stop()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"MEETMIND_HOME": str(tmp_path)})


def discussion(
    pool: ConnectionPool,
    owner_id: str,
    utterances: list[str],
    language: str = "en",
    *,
    is_over: bool = True,
) -> StoredDiscussion:
    session_id = Discussions(pool, lambda owner, session: None).create_session(owner_id, "Talk")
    return store_talk(
        pool,
        owner_id,
        session_id,
        utterances,
        brief=BRIEFS[language],
        language=language,
        is_over=is_over,
    )


def compaction(
    pool: ConnectionPool,
    settings: Settings,
    loop: EventLoopThread,
    *steps: ScriptedStep,
    client: ModelClient | None = None,
) -> Compaction:
    model = ScriptedChatModel(steps)
    models = Models(settings, client or scripted_client(model))
    return Compaction(pool, settings, models, lambda: loop)


def offline_client() -> ModelClient:
    client = scripted_client(ScriptedChatModel())
    client.model = OfflineChatModel(chunk_delay_seconds=0)
    client.offline = True
    return client


def compacted_events(pool: ConnectionPool, owner_id: str, run_id: str) -> list[TalkCompacted]:
    logged = events_after(pool, owner_id=owner_id, run_id=run_id, seq=0)
    return [entry.event for entry in logged if isinstance(entry.event, TalkCompacted)]


def test_models_see_the_summary_and_what_follows_and_the_page_sees_everything(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("en", 4_000, 300))
    service = compaction(pool, settings, loop, says(GOOD, task="compact"))
    assert service.boundary(owner_id, talk.session_id) is None

    outcome = service.compact_session(owner_id, talk.session_id)

    boundary = service.boundary(owner_id, talk.session_id)
    assert outcome.compacted
    assert boundary is not None
    assert boundary.through_message_id == talk.utterance_ids[-3]
    assert boundary.summary.startswith(GOOD)
    assert len(facts_within("en", boundary.summary)) >= 3  # word for word, what the model lost
    seen = service.what_the_model_sees(owner_id, talk.session_id)
    assert [message.id for message in seen.messages] == list(talk.utterance_ids[-2:])
    assert seen.summarised_messages == len(talk.utterance_ids) - 1
    assert seen.tokens == outcome.tokens_after < outcome.tokens_before
    row = {"owner_id": owner_id, "session_id": talk.session_id}
    assert [message.id for message in get_context_messages(pool, **row)] == [
        message.id for message in seen.messages
    ]
    assert len(get_messages(pool, **row)) == len(talk.utterance_ids) + 1
    (event,) = compacted_events(pool, owner_id, talk.run_id)
    assert (event.by, event.messages, event.extractive) == ("person", boundary.messages, False)
    assert event.through_message_id == boundary.through_message_id


def test_the_next_summary_folds_the_one_before(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("en", 6_000, 300))
    service = compaction(pool, settings, loop, client=offline_client())
    service.compact_session(owner_id, talk.session_id)
    first = service.boundary(owner_id, talk.session_id)
    more = [f"Part {number}: " + "we look at the cart once more. " * 20 for number in range(5)]
    later = store_talk(
        pool, owner_id, talk.session_id, more, brief="And the invoices?", language="en"
    )
    service.compact_session(owner_id, talk.session_id)
    second = service.boundary(owner_id, talk.session_id)
    assert first is not None
    assert second is not None
    assert second.messages == first.messages + 2 + 1 + 3
    assert second.through_message_id == later.utterance_ids[-3]
    assert len(facts_within("en", second.summary)) >= 9
    assert BRIEFS["en"] in second.summary
    assert "And the invoices?" in second.summary
    assert len(compacted_events(pool, owner_id, later.run_id)) == 1


@pytest.mark.parametrize(
    "step",
    [
        fails("not_found", task="compact"),
        says(" ", task="compact"),
        says("And then, and then, and then. " * 3_000, task="compact"),
    ],
    ids=["model fails", "empty", "far too long"],
)
def test_what_is_no_summary_is_made_by_the_program_which_says_so(
    pool: ConnectionPool,
    owner_id: str,
    loop: EventLoopThread,
    settings: Settings,
    step: ScriptedStep,
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("zh", 5_000, 300), "zh")
    steps = [step] * 20  # an empty answer is asked for again
    service = compaction(pool, settings, loop, *steps)
    outcome = service.compact_session(owner_id, talk.session_id)
    assert outcome.compacted
    assert outcome.extractive
    row = session_summaries.latest_summary(pool, owner_id=owner_id, session_id=talk.session_id)
    assert row is not None
    assert row.model_name == "program"
    assert "由程序摘自讨论原文" in row.summary
    assert len(facts_within("zh", row.summary)) >= 9
    (event,) = compacted_events(pool, owner_id, talk.run_id)
    assert event.extractive


def test_many_compactions_at_once_leave_one_summary_and_one_event(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("en", 3_000, 300))
    service = compaction(pool, settings, loop)
    with ThreadPoolExecutor(6) as threads:
        work = [
            threads.submit(service.compact_session, owner_id, talk.session_id) for _ in range(6)
        ]
        outcomes = [future.result() for future in work]
    assert sum(outcome.compacted for outcome in outcomes) == 1
    assert len(compacted_events(pool, owner_id, talk.run_id)) == 1


def test_a_summary_that_reaches_less_far_comes_too_late(
    pool: ConnectionPool, owner_id: str
) -> None:
    talk = discussion(pool, owner_id, ["one", "two", "three", "four"])
    assert store(pool, owner_id, talk, talk.utterance_ids[2])
    assert not store(pool, owner_id, talk, talk.utterance_ids[0])
    assert not store(pool, owner_id, talk, talk.utterance_ids[2])
    assert store(pool, owner_id, talk, talk.utterance_ids[3])
    assert len(compacted_events(pool, owner_id, talk.run_id)) == 2


def test_an_executor_that_lost_its_run_stores_no_summary(
    pool: ConnectionPool, owner_id: str
) -> None:
    talk = discussion(pool, owner_id, ["one", "two", "three"])
    with pytest.raises(LostTheRun):
        store(pool, owner_id, talk, talk.utterance_ids[0], epoch=99)
    row = session_summaries.latest_summary(pool, owner_id=owner_id, session_id=talk.session_id)
    assert row is None


def test_nobody_folds_or_sees_the_discussion_of_another(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("en", 3_000, 300))
    stranger = "00000000-0000-0000-0000-000000000001"
    service = compaction(pool, settings, loop)
    assert not service.compact_session(stranger, talk.session_id).compacted
    service.compact_session(owner_id, talk.session_id)
    assert service.boundary(stranger, talk.session_id) is None
    assert service.what_the_model_sees(stranger, talk.session_id).messages == ()


def test_a_short_discussion_is_left_alone(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, ["one", "two", "three"])
    outcome = compaction(pool, settings, loop).compact_session(owner_id, talk.session_id)
    assert not outcome.compacted
    assert compacted_events(pool, owner_id, talk.run_id) == []


def test_a_model_is_told_which_calls_failed_and_invents_no_citation(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("en", 3_000, 300), is_over=False)
    fail_a_call(pool, talk)
    invented = GOOD + " [backend_0123456789ab] my key is sk-abcdefghijklmnopqrstuvwx123456"
    model = ScriptedChatModel([says(invented, task="compact")])
    service = compaction(pool, settings, loop, client=scripted_client(model))
    service.compact_session(owner_id, talk.session_id)
    boundary = service.boundary(owner_id, talk.session_id)
    assert boundary is not None
    (request,) = model.requests
    (result,) = request.sections.tool_results
    assert (result.tool, result.status) == ("web_fetch", "failed")
    assert "The certificate has expired (2 days ago)." in result.text
    assert "The certificate has expired (2 days ago)." in boundary.summary
    assert "backend_0123456789ab" not in boundary.summary
    assert "sk-abcdefghijklmnopqrstuvwx123456" not in boundary.summary


def test_a_talk_longer_than_the_model_reads_is_folded_step_by_step(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    small = settings.model_copy(update={"model_context_tokens": 2_500})
    talk = discussion(pool, owner_id, talk_with_facts("en", 8_000, 300))
    model = ScriptedChatModel()
    service = compaction(pool, small, loop, client=scripted_client(model))
    assert service.compact_session(owner_id, talk.session_id).compacted
    counter = TalkCounter("unknown", Path("/nonexistent"))
    assert len(model.requests) > 3
    for request in model.requests:
        assert sum(counter.text(str(message.content)) for message in request.messages) < 2_500
    folded = [said.text for request in model.requests for said in request.sections.talk]
    row = {"owner_id": owner_id, "session_id": talk.session_id}
    stored = [message.content for message in get_messages(pool, **row)]
    assert folded == stored[:-2]
    assert all(request.sections.summary for request in model.requests[1:])


def test_a_compaction_in_a_run_keeps_a_share_of_the_newest_in_full(
    pool: ConnectionPool, owner_id: str, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("en", 8_000, 300))
    small = limits_of(settings.model_copy(update={"model_context_tokens": 8_000}))
    folder = TalkFolder(
        pool,
        owner_id=owner_id,
        session_id=talk.session_id,
        client=offline_client(),
        limits=small,
        counter=TalkCounter("unknown", Path("/nonexistent")),
    )

    async def fold() -> None:
        run = FoldingRun(run_id=talk.run_id, language="en", epoch=None)
        await folder.fold(await folder.stored_talk(), run, by="limit", listener=SilentListener())

    asyncio.run(fold())
    stored = session_summaries.stored_talk(pool, owner_id=owner_id, session_id=talk.session_id)
    counter = TalkCounter("unknown", Path("/nonexistent"))
    assert len(stored.messages) > 2
    assert 0.5 * small.kept < counter.messages(stored.messages) <= small.kept
    assert counter.talk(stored) < small.talk


def store(
    pool: ConnectionPool,
    owner_id: str,
    talk: StoredDiscussion,
    through: str,
    epoch: int | None = None,
) -> bool:
    event = TalkCompacted(
        summary_id=str(uuid.uuid4()),
        through_message_id=through,
        messages=1,
        tokens_before=10,
        tokens_after=5,
        by="person",
    )
    return session_summaries.store_summary(
        pool,
        owner_id=owner_id,
        session_id=talk.session_id,
        summary="what was said",
        model_name="scripted",
        event=event,
        run_id=talk.run_id,
        epoch=epoch,
    )


def fail_a_call(pool: ConnectionPool, talk: StoredDiscussion) -> None:
    epoch = runs.claim_run(pool, talk.run_id)
    assert epoch is not None
    utterance_id = talk.utterance_ids[1]
    call_id = f"{utterance_id}.0.0"
    request = ToolRequested(
        utterance_id=utterance_id,
        agent_name="backend",
        call_id=call_id,
        tool="web_fetch",
        risk="medium",
        arguments={"url": "https://example.org/tariffs"},
        verdict="asked",
    )
    tool_executions.record_request(
        pool,
        run_id=talk.run_id,
        epoch=epoch,
        request=request,
        status="approved",
        facts=CallFacts(arguments_sha256="0", target="https://example.org/tariffs"),
    )
    tool_executions.claim_call(
        pool, run_id=talk.run_id, call_id=call_id, epoch=epoch, arguments_sha256="0"
    )
    finished = ToolFinished(
        utterance_id=utterance_id, call_id=call_id, tool="web_fetch", status="error", summary="no"
    )
    tool_executions.finish_call(
        pool,
        run_id=talk.run_id,
        epoch=epoch,
        status="failed",
        event=finished,
        result={"status": "error", "error": "The certificate has expired (2 days ago)."},
    )


def test_no_piece_of_a_secret_stands_in_a_summary(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    secret = "ghp_" + "a1B2c3" * 6
    opening = f"We keep the key of the build server here for all of us to see {secret}"
    words = [f"{opening} and {n} other things were said on Monday" for n in range(40, 70)]
    talk = discussion(pool, owner_id, [*words, *talk_with_facts("en", 600, 300)])
    service = compaction(pool, settings, loop, client=offline_client())
    assert service.compact_session(owner_id, talk.session_id).compacted
    boundary = service.boundary(owner_id, talk.session_id)
    assert boundary is not None
    assert "key of the build server" in boundary.summary
    assert secret[:10] not in boundary.summary


def test_a_person_folds_no_first_opinions_while_the_round_goes_on(
    pool: ConnectionPool, owner_id: str, loop: EventLoopThread, settings: Settings
) -> None:
    talk = discussion(pool, owner_id, talk_with_facts("en", 2_000, 300), is_over=False)
    epoch = runs.claim_run(pool, talk.run_id)
    assert epoch is not None
    for number, name in enumerate(["architect", "backend", "frontend", "tester"], start=50):
        ended = UtteranceEnded(
            utterance_id=f"{talk.run_id}.{number}.{name}",
            agent_name=name,
            iteration=number,
            content=f"What the {name} thinks. " + "It is said at length. " * 40,
            next_agent="",
            done=False,
            used_rag=0,
            asks_first_opinions=name == "architect",
        )
        store_utterance(pool, run_id=talk.run_id, epoch=epoch, event=ended)
    service = compaction(pool, settings, loop, client=offline_client())
    assert service.compact_session(owner_id, talk.session_id).compacted
    seen = service.what_the_model_sees(owner_id, talk.session_id)
    authors = [message.author for message in seen.messages]
    assert authors == ["architect", "backend", "frontend", "tester"]
