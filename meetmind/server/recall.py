"""Recall: what was said is embedded after the answer, and found again behind the summary."""

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from meetmind.clean_text import clean_bad_chars
from meetmind.database import message_vectors
from meetmind.database.message_vectors import RecalledRow, UnreadMessage
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder
from meetmind.knowledge.words import detect_language
from meetmind.redaction import redact_text

if TYPE_CHECKING:
    from meetmind.agents.run_context import RecalledMessage

MOST_RECALLED = 4
MOST_LOOKED_AT = 24
# Measured with multilingual-e5-small on questions about the seed documents and on talk: what
# answers a question begins here, the best of what does not mostly ends here. Texts of one language
# are nearer to each other, Chinese ones most of all.
LEAST_SCORE = {("en", "en"): 0.83, ("zh", "zh"): 0.875}
LEAST_SCORE_ACROSS = 0.785
QUESTION_SECONDS = 0.6
"""An encoder that is not ready for the question by then is not waited for."""
MOST_CHARACTERS = 1_200
"""Of one recalled message; the rest stands in the discussion itself."""
MESSAGES_AT_ONCE = 50
LOOK_SECONDS = 60.0
"""How long a message waits at most for a model that is loaded late."""
CLOSING_SECONDS = 5.0
ENCODER_FAULTS = (EmbeddingUnavailable, OSError, RuntimeError, ValueError)
"""What an encoder may raise; the last three come from inside of it."""

logger = logging.getLogger(__name__)


class Recall:
    """Keeps vectors of messages and finds the near ones; safe to use from several threads.

    What is still to be embedded stands in the database, so that nothing is lost with the process
    and nothing piles up in it. No model is ever loaded for this: `embedder` gives the one that
    reads both languages and is ready, or None.
    """

    def __init__(self, pool: ConnectionPool, embedder: Callable[[], Embedder | None]) -> None:
        self._pool = pool
        self._embedder = embedder
        self._wanted = threading.Event()
        self._idle = threading.Event()
        self._is_closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def start(self) -> None:
        """Catch up with what is missing, then go on with what is said, in the background."""
        with self._starting:
            if self._thread is None and not self._is_closing.is_set():
                self._wanted.set()
                self._thread = threading.Thread(
                    target=self._work, name="meetmind-recall", daemon=True
                )
                self._thread.start()

    def wake(self) -> None:
        """Something was said; returns at once."""
        self._idle.clear()
        self._wanted.set()

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until everything is embedded that can be; for tests."""
        return self._idle.wait(seconds)

    def close(self) -> None:
        """Stop behind the message in hand; the rest follows at the next start."""
        self._is_closing.set()
        self._wanted.set()
        with self._starting:
            if self._thread is not None:
                self._thread.join(CLOSING_SECONDS)

    async def recalled(
        self, *, owner_id: str, session_id: str, question: str, through_seq: int
    ) -> "tuple[RecalledMessage, ...]":
        """The messages up to a place in the talk that fit the question, the best first.

        Nothing where no model is ready at once or the database is away: a turn goes on without.
        """
        work = asyncio.to_thread(
            self.find,
            owner_id=owner_id,
            session_id=session_id,
            question=question,
            through_seq=through_seq,
        )
        try:
            async with asyncio.timeout(QUESTION_SECONDS):
                return await work
        except (TimeoutError, *ENCODER_FAULTS, psycopg.Error, PoolTimeout) as error:
            logger.info("Nothing was recalled: %s", type(error).__name__)
            return ()

    def find(
        self, *, owner_id: str, session_id: str, question: str, through_seq: int
    ) -> "tuple[RecalledMessage, ...]":
        """As `recalled`, without a deadline; raises `EmbeddingUnavailable`."""
        embedder = self._embedder()
        if embedder is None or not question.strip():
            return ()
        vector = embedder.encode_query(question).vector
        rows = message_vectors.nearest_messages(
            self._pool,
            owner_id=owner_id,
            session_id=session_id,
            model=embedder.key,
            vector=vector.tolist(),
            through_seq=through_seq,
            limit=MOST_LOOKED_AT,
        )
        language = detect_language(question)
        fitting = [row for row in rows if _margin(language, row) >= 0]
        fitting.sort(key=lambda row: -_margin(language, row))
        return tuple(_recalled_message(row) for row in fitting[:MOST_RECALLED])

    def _work(self) -> None:
        while not self._is_closing.is_set():
            self._wanted.wait(LOOK_SECONDS)
            self._wanted.clear()
            try:
                self._catch_up()
            except (psycopg.Error, PoolTimeout) as error:
                logger.warning("What was said is not embedded for now: %s", error)
            if not self._wanted.is_set():
                self._idle.set()

    def _catch_up(self) -> None:
        """Embed what has no vector yet, one message at a time: questions go before it."""
        embedder = self._embedder()
        while embedder is not None and not self._is_closing.is_set():
            unread = message_vectors.unread_messages(
                self._pool, model=embedder.key, limit=MESSAGES_AT_ONCE
            )
            embedded = 0
            for message in unread:
                if self._is_closing.is_set():
                    return
                try:
                    self._embed(embedder, message)
                except EmbeddingUnavailable as error:
                    logger.info("What was said is not embedded for now: %s", error)
                    return
                except ENCODER_FAULTS as error:
                    logger.warning("Message %s is not embedded: %s", message.id, error)
                else:
                    embedded += 1
            if not embedded or len(unread) < MESSAGES_AT_ONCE:
                return

    def _embed(self, embedder: Embedder, message: UnreadMessage) -> None:
        content = redact_text(clean_bad_chars(message.content)).text
        encoded = embedder.encode_passages([content])[0]
        message_vectors.upsert_vector(
            self._pool,
            message_id=message.id,
            model=embedder.key,
            content=content,
            vector=encoded.vector.tolist(),
        )


def _margin(language: str, row: RecalledRow) -> float:
    """By how much a message is nearer to the question than it has to be."""
    languages = (language, detect_language(row.content))
    return row.score - LEAST_SCORE.get(languages, LEAST_SCORE_ACROSS)


def _recalled_message(row: RecalledRow) -> "RecalledMessage":
    from meetmind.agents.run_context import RecalledMessage

    content = row.content
    if len(content) > MOST_CHARACTERS:
        content = content[:MOST_CHARACTERS].rstrip() + " …"
    return RecalledMessage(
        message_id=row.message_id, author=row.author, content=content, score=row.score
    )
