"""Summaries of long discussions: made by hand, looked at, and what the models see of a talk."""

import concurrent.futures
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.database import run_events, session_summaries
from meetmind.database.messages import MessageRow
from meetmind.database.session_summaries import StoredTalk
from meetmind.errors import RunIsBusy
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.models import Models
from meetmind.server.talk_limits import TalkCounter, limits_of

WAIT_SECONDS = 180.0


@dataclass(frozen=True, kw_only=True)
class CompactionOutcome:
    """How a compaction ended; all numbers in tokens but `messages`."""

    compacted: bool
    """False when there was too little to fold, or somebody else was faster."""
    summary_id: str = ""
    messages: int = 0
    """How many messages the summary stands for."""
    tokens_before: int = 0
    tokens_after: int = 0
    extractive: bool = False
    """Whether the program made it from the talk's own sentences since the model failed."""


@dataclass(frozen=True, kw_only=True)
class Boundary:
    """Up to where a discussion is summarised, and the summary."""

    summary: str
    through_message_id: str
    messages: int
    """How many messages the summary stands for."""
    tokens: int
    """Of the summary."""


@dataclass(frozen=True, kw_only=True)
class SeenTalk:
    """What a model is shown of a discussion; recall comes with the question and is left out."""

    summary: str
    """Empty before the first compaction."""
    summarised_messages: int
    messages: tuple[MessageRow, ...]
    """What follows the boundary, in full."""
    tokens: int
    limit_tokens: int
    """Above this the talk is summarised by itself, earlier where much stands beside it."""
    context_tokens: int


class Compaction:
    """Every method may be called from any thread but the event loop's."""

    def __init__(
        self,
        pool: ConnectionPool,
        settings: Settings,
        models: Models,
        loop: Callable[[], EventLoopThread],
    ) -> None:
        self._pool = pool
        self._settings = settings
        self._models = models
        self._loop = loop

    def compact_session(
        self, owner_id: str, session_id: str, by: Literal["person", "limit"] = "person"
    ) -> CompactionOutcome:
        """Fold all but the last turns into the summary, now; a run may be going on meanwhile.

        Waits for the model. A discussion that is not the owner's has nothing to fold. Raises
        `RunIsBusy` when it takes too long; what is made by then still comes into force.
        """
        work = self._compact(owner_id, session_id, by)
        future = self._loop().submit(work)
        try:
            return future.result(timeout=WAIT_SECONDS)
        except concurrent.futures.TimeoutError:
            raise RunIsBusy("The summary takes long; look again in a minute.") from None

    def boundary(self, owner_id: str, session_id: str) -> Boundary | None:
        """The summary that is in force, or None before the first one."""
        row = session_summaries.latest_summary(self._pool, owner_id=owner_id, session_id=session_id)
        if row is None:
            return None
        return Boundary(
            summary=row.summary,
            through_message_id=row.through_message_id,
            messages=row.messages,
            tokens=self._counter().text(row.summary),
        )

    def what_the_model_sees(self, owner_id: str, session_id: str) -> SeenTalk:
        """The talk as the next prompt would hold it."""
        talk = session_summaries.stored_talk(self._pool, owner_id=owner_id, session_id=session_id)
        limits = limits_of(self._settings)
        return SeenTalk(
            summary="" if talk.summary is None else talk.summary.summary,
            summarised_messages=0 if talk.summary is None else talk.summary.messages,
            messages=talk.messages,
            tokens=self._counter().talk(talk),
            limit_tokens=limits.talk,
            context_tokens=limits.context,
        )

    def tokens_of(self, words: str) -> int:
        """How many tokens a text has for the model in use."""
        return self._counter().text(words)

    async def _compact(
        self, owner_id: str, session_id: str, by: Literal["person", "limit"]
    ) -> CompactionOutcome:
        from meetmind.llm.client import SilentListener
        from meetmind.server.stream import in_thread
        from meetmind.server.talk_folding import FoldingRun, TalkFolder

        newest = await in_thread(
            session_summaries.newest_run, self._pool, owner_id=owner_id, session_id=session_id
        )
        if newest is None:
            return CompactionOutcome(compacted=False)
        run_id, language = newest
        folder = TalkFolder(
            self._pool,
            owner_id=owner_id,
            session_id=session_id,
            client=self._models.client(),
            limits=limits_of(self._settings),
            counter=self._counter(),
        )
        talk: StoredTalk = await folder.stored_talk()
        run = FoldingRun(run_id=run_id, language=language, epoch=None)
        asked_in = await in_thread(_round_from, self._pool, run_id)
        return await folder.fold(talk, run, by=by, listener=SilentListener(), round_from=asked_in)

    def _counter(self) -> TalkCounter:
        return TalkCounter(self._models.status().name, self._settings.embedding_cache_dir)


def _round_from(pool: ConnectionPool, run_id: str) -> str:
    """Where a round of first opinions began that goes on in this run; empty without one."""
    from meetmind.graph.first_opinions import round_from

    return round_from(run_events.utterances_of(pool, run_id))
