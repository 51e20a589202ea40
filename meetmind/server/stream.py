"""Turns what the graph tells into rows: the log of one run."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import psycopg
from psycopg_pool import ConnectionPool

from meetmind import faults
from meetmind.database import messages, run_events
from meetmind.database.messages import MessageRow
from meetmind.errors import LostTheRun
from meetmind.events import (
    DiscussionEvent,
    HandedOver,
    UtteranceEnded,
    WordsArrived,
    WordsWithdrawn,
    event_from_payload,
)

logger = logging.getLogger(__name__)

WORDS_SECONDS = 0.2
"""At most one row of words in this time."""
CALL_SECONDS = 30.0
"""The deadline of one database call; a server that hangs is caught by nothing else."""

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking database call off the loop, with a deadline."""
    async with asyncio.timeout(CALL_SECONDS):
        return await asyncio.to_thread(work, *args, **kwargs)


@dataclass(frozen=True, kw_only=True)
class RunIdentity:
    """Which run is written to, and as which executor."""

    run_id: str
    session_id: str
    owner_id: str
    epoch: int


class RunLog:
    """The `EventLog` of a run in PostgreSQL; words are joined, the rest is written at once.

    Words that could not be written wait for the next try.
    """

    def __init__(self, pool: ConnectionPool, identity: RunIdentity) -> None:
        self._pool = pool
        self._run = identity
        self._waiting_words: dict[str, str] = {}
        self._outdated: set[str] = set()
        self._utterances: list[UtteranceEnded] | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._order = asyncio.Lock()

    async def append(self, event: DiscussionEvent) -> None:
        """Append one event after the words that wait."""
        async with self._order:
            await self._write_words()
            await self._append(event)

    async def words(self, utterance_id: str, text: str) -> None:
        """Keep words for the next row of words."""
        so_far = self._waiting_words.get(utterance_id, "")
        self._waiting_words[utterance_id] = so_far + text
        faults.reach("words.waiting")
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush_soon())

    async def withdraw_words(self, utterance_id: str) -> None:
        """Drop the words that wait and say that those before them do not count."""
        async with self._order:
            self._waiting_words.pop(utterance_id, None)
            await self._append(WordsWithdrawn(utterance_id=utterance_id))

    async def begin_again(self, utterance_id: str) -> None:
        """A turn that was broken off speaks anew: its words so far hold until new ones come."""
        if await self._payloads("words_arrived", utterance_id):
            self._outdated.add(utterance_id)

    async def store_utterance(self, event: UtteranceEnded) -> None:
        """Commit a finished utterance; its deltas are dropped."""
        async with self._order:
            self._waiting_words.pop(event.utterance_id, None)
            await in_thread(
                run_events.store_utterance,
                self._pool,
                run_id=self._run.run_id,
                epoch=self._run.epoch,
                event=event,
            )
            if self._utterances is not None:
                self._utterances.append(event)

    async def stored_utterance(self, utterance_id: str) -> UtteranceEnded | None:
        """The utterance of this id if it was committed before a crash."""
        for utterance in await self.utterances():
            if utterance.utterance_id == utterance_id:
                return utterance
        return None

    async def utterances(self) -> list[UtteranceEnded]:
        """The committed utterances of this run, in order.

        They are read once: nobody but the holder of the epoch can add one.
        """
        if self._utterances is None:
            self._utterances = await in_thread(
                run_events.utterances_of, self._pool, self._run.run_id
            )
        return list(self._utterances)

    async def has_started(self) -> bool:
        """Whether the run's first event is there, perhaps since before a crash."""
        return bool(await self._payloads("run_started", None))

    async def has_floor(self, utterance_id: str) -> bool:
        """Whether the turn of this utterance has begun, perhaps before a crash."""
        return bool(await self._payloads("floor_taken", utterance_id))

    async def stored_handover(self, utterance_id: str) -> HandedOver | None:
        """Whom the floor was handed to after this utterance, if that was told before a crash."""
        for payload in await self._payloads("handed_over", utterance_id):
            event = event_from_payload(payload)
            if isinstance(event, HandedOver):
                return event
        return None

    async def messages(self) -> list[MessageRow]:
        """Everything said in the discussion so far."""
        return await in_thread(
            messages.get_messages,
            self._pool,
            owner_id=self._run.owner_id,
            session_id=self._run.session_id,
        )

    async def flush(self) -> None:
        """Write the words that wait."""
        async with self._order:
            await self._write_words()

    async def _flush_soon(self) -> None:
        await asyncio.sleep(WORDS_SECONDS)
        try:
            await self.flush()
        except (LostTheRun, psycopg.OperationalError, TimeoutError) as error:
            # The next event meets the same fault, where somebody acts on it.
            logger.info("Some words were not written: %s", type(error).__name__)

    async def _write_words(self) -> None:
        waiting = self._waiting_words
        self._waiting_words = {}
        for utterance_id, text in waiting.items():
            try:
                await self._append_words(utterance_id, text)
            except psycopg.OperationalError:
                later = self._waiting_words.get(utterance_id, "")
                self._waiting_words[utterance_id] = text + later
                raise

    async def _append_words(self, utterance_id: str, text: str) -> None:
        if utterance_id in self._outdated:
            await self._append(WordsWithdrawn(utterance_id=utterance_id))
            self._outdated.discard(utterance_id)
        await self._append(WordsArrived(utterance_id=utterance_id, text=text))

    async def _append(self, event: DiscussionEvent) -> None:
        await in_thread(
            run_events.append_event,
            self._pool,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            event=event,
        )

    async def _payloads(self, kind: str, utterance_id: str | None) -> list[Mapping[str, Any]]:
        return await in_thread(
            run_events.payloads_of_kind,
            self._pool,
            run_id=self._run.run_id,
            kind=kind,
            utterance_id=utterance_id,
        )
