"""The person's hand on one run, as the graph reads it."""

import time
from dataclasses import dataclass

from psycopg_pool import ConnectionPool

from meetmind.agents.run_context import PersonWords, RunNow
from meetmind.config.settings import Settings
from meetmind.database import questions, steering
from meetmind.events import QuestionAsked
from meetmind.llm.streaming import Usage
from meetmind.server.stream import RunIdentity, in_thread

TOKENS_A_PRICE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What a million tokens cost; 0 where nobody said."""

    input: float = 0.0
    output: float = 0.0

    def cost_of(self, usage: Usage) -> float:
        """The cost of one call."""
        spent = self.input * usage.input_tokens + self.output * usage.output_tokens
        return spent / TOKENS_A_PRICE


def prices_of(settings: Settings) -> Prices:
    """The prices of the settings."""
    return Prices(input=settings.price_input or 0.0, output=settings.price_output or 0.0)


class RunSteering:
    """The `Steering` of a run in PostgreSQL; work is counted from its making on."""

    def __init__(self, pool: ConnectionPool, identity: RunIdentity, prices: Prices) -> None:
        self._pool = pool
        self._run = identity
        self._prices = prices
        self._counted_at = time.monotonic()

    async def now(self) -> RunNow:
        """Limits and use at this moment, the work up to now included."""
        row = await in_thread(
            steering.run_now,
            self._pool,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            work_seconds=self._worked(),
        )
        return RunNow(**vars(row))

    async def count_work(self) -> None:
        """Add the seconds since the last time to the run."""
        await self._add(work_seconds=self._worked())

    def _worked(self) -> float:
        """Seconds since the last time."""
        now = time.monotonic()
        worked, self._counted_at = now - self._counted_at, now
        return worked

    async def unanswered(self, utterance_id: str = "") -> tuple[PersonWords, ...]:
        """What was said and no floor was taken for since, oldest first."""
        rows = await in_thread(
            steering.unanswered_words,
            self._pool,
            run_id=self._run.run_id,
            utterance_id=utterance_id,
        )
        return tuple(PersonWords(**vars(row)) for row in rows)

    async def count_usage(self, usage: Usage) -> None:
        """Add the tokens of one model call, and what they cost, to the run."""
        if usage.input_tokens or usage.output_tokens:
            await self._add(
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cost=self._prices.cost_of(usage),
            )

    async def ask(self, question: QuestionAsked) -> None:
        """Put a question before the person, once."""
        await in_thread(
            questions.ask_question,
            self._pool,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            question=question,
        )

    async def answer_to(self, call_id: str) -> str | None:
        """The person's answer; empty when it was left open, None while it waits."""
        return await in_thread(
            questions.answer_to, self._pool, run_id=self._run.run_id, call_id=call_id
        )

    async def _add(
        self,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        cost: float = 0.0,
        work_seconds: float = 0.0,
    ) -> None:
        await in_thread(
            steering.add_use,
            self._pool,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost=cost,
            work_seconds=work_seconds,
        )
