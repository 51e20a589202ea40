"""Folds the older part of a discussion into its rolling summary, on the event loop."""

import asyncio
import logging
import uuid
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

from langchain_core.messages import HumanMessage, SystemMessage
from psycopg_pool import ConnectionPool

from meetmind import faults
from meetmind.agents.citations import CITATION
from meetmind.agents.situation import LANGUAGE_NAMES
from meetmind.clean_text import clean_bad_chars
from meetmind.database import session_summaries
from meetmind.database.messages import PERSON
from meetmind.database.session_summaries import MadeBy, StoredTalk, TalkMessage, TurnOutcomeRow
from meetmind.errors import ModelError
from meetmind.events import TalkCompacted
from meetmind.llm.client import CallListener, ModelClient
from meetmind.llm.offline.compaction import (
    CallOutcome,
    FoldedTalk,
    extractive_summary,
    facts_left_out,
)
from meetmind.llm.offline.sentences import opening_of
from meetmind.llm.offline.talk_sentences import SaidWords, shortened
from meetmind.prompts.loader import harmless, load_prompt, section
from meetmind.redaction import redact_text
from meetmind.server.compaction import CompactionOutcome
from meetmind.server.stream import in_thread
from meetmind.server.talk_limits import (
    LEAST_FOLDED_TOKENS,
    SUMMARY_OF_FOLDED,
    TalkCounter,
    TalkLimits,
    folded_part,
    in_chunks,
)

SUMMARY_SECONDS = 120.0
"""A model that takes longer for a summary is not waited for; the program makes one."""
FACTS_SHARE = 0.25
"""Of a summary's length: sentences with facts that the model's words lost."""
TOO_LONG = 1.5
SHORTEST_SUMMARY = 20
SHORTEST_LENGTH = 200
"""Tokens that a summary may always have: its headings need some."""
PROGRAM = "program"
SYSTEM = (
    "You keep the minutes of a discussion that others go on with. Answer with the summary alone."
    "\n<language>{language}</language>"
)
NOT_DONE = ("failed", "refused", "rejected", "unsure")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class FoldingRun:
    """In whose log a compaction stands; `epoch` is None for what a person does."""

    run_id: str
    language: str
    epoch: int | None


@dataclass(frozen=True, kw_only=True)
class _Summary:
    text: str
    by_program: bool = False
    """Whether a part of it was made without the model."""


class TalkFolder:
    """Compaction of one discussion with one model."""

    def __init__(
        self,
        pool: ConnectionPool,
        *,
        owner_id: str,
        session_id: str,
        client: ModelClient,
        limits: TalkLimits,
        counter: TalkCounter,
    ) -> None:
        self._pool = pool
        self._owner_id = owner_id
        self._session_id = session_id
        self._client = client
        self._limits = limits
        self._counter = counter

    async def stored_talk(self) -> StoredTalk:
        """What models see of the discussion now."""
        return await in_thread(
            session_summaries.stored_talk,
            self._pool,
            owner_id=self._owner_id,
            session_id=self._session_id,
        )

    def within(self, limits: TalkLimits) -> "TalkFolder":
        """The same with other limits."""
        narrowed = copy(self)
        narrowed._limits = limits
        return narrowed

    async def fold(
        self,
        talk: StoredTalk,
        run: FoldingRun,
        *,
        by: MadeBy,
        listener: CallListener,
        round_from: str = "",
    ) -> CompactionOutcome:
        """Fold the older part of the talk; raises `LostTheRun`, never a fault of the model.

        By a person all but the last turns is folded, by the limit what does not fit beside them.
        """
        tokens_before = await asyncio.to_thread(self._counter.talk, talk)
        most_kept = self._limits.kept if by == "limit" else 0
        folded = folded_part(talk.messages, self._counter, most_kept, round_from)
        if self._counter.messages(folded) < LEAST_FOLDED_TOKENS:
            return CompactionOutcome(
                compacted=False, tokens_before=tokens_before, tokens_after=tokens_before
            )
        summary = await self._rolled(talk, folded, run.language, listener)
        kept = talk.messages[len(folded) :]
        tokens_after = self._counter.text(summary.text) + self._counter.messages(kept)
        so_far = 0 if talk.summary is None else talk.summary.messages
        event = TalkCompacted(
            summary_id=str(uuid.uuid4()),
            through_message_id=folded[-1].id,
            messages=so_far + len(folded),
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            by=by,
            extractive=summary.by_program,
        )
        is_stored = await self._store(event, summary, run)
        return CompactionOutcome(
            compacted=is_stored,
            summary_id=event.summary_id if is_stored else "",
            messages=event.messages,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            extractive=event.extractive,
        )

    async def _store(self, event: TalkCompacted, summary: _Summary, run: FoldingRun) -> bool:
        model_name = PROGRAM if summary.by_program else self._client.name
        is_stored = await in_thread(
            session_summaries.store_summary,
            self._pool,
            owner_id=self._owner_id,
            session_id=self._session_id,
            summary=summary.text,
            model_name=model_name,
            event=event,
            run_id=run.run_id,
            epoch=run.epoch,
        )
        if is_stored:
            faults.reach("talk.compacted")
        return is_stored

    async def _rolled(
        self,
        talk: StoredTalk,
        folded: Sequence[TalkMessage],
        language: str,
        listener: CallListener,
    ) -> _Summary:
        """The summary before and the messages, folded chunk by chunk."""
        earlier = "" if talk.summary is None else talk.summary.summary
        summary = _Summary(text=earlier)
        brief = next((m.content for m in reversed(talk.messages) if m.author == PERSON), "")
        for chunk in self._chunks(folded):
            outcomes = await in_thread(
                session_summaries.outcomes_of_turns,
                self._pool,
                owner_id=self._owner_id,
                session_id=self._session_id,
                utterance_ids=[message.id for message in chunk],
            )
            material = folded_talk(summary.text, chunk, outcomes, language)
            step = await self._summarised(material, brief, chunk, listener)
            by_program = summary.by_program or step.by_program
            summary = replace(step, by_program=by_program)
        return summary

    def _chunks(self, folded: Sequence[TalkMessage]) -> list[tuple[TalkMessage, ...]]:
        """What is folded at once; the offline model reads any length."""
        if self._client.offline:
            return [tuple(folded)]
        return in_chunks(folded, self._counter, self._limits.chunk)

    async def _summarised(
        self,
        material: FoldedTalk,
        brief: str,
        chunk: Sequence[TalkMessage],
        listener: CallListener,
    ) -> _Summary:
        """What the model makes of it, or the program where the model fails."""
        earlier = self._counter.text(material.earlier_summary)
        share = earlier + round(SUMMARY_OF_FOLDED * self._counter.messages(chunk))
        most_tokens = max(SHORTEST_LENGTH, min(self._limits.summary, share))
        written = await self._written(material, brief, most_tokens, listener)
        if not self._is_usable(written, most_tokens):
            extracted = await asyncio.to_thread(extractive_summary, material, most_tokens)
            return _Summary(text=safe_summary(extracted, material), by_program=True)
        summary = safe_summary(written, material)
        if not self._client.offline:
            facts_tokens = round(FACTS_SHARE * most_tokens)
            kept = await asyncio.to_thread(facts_left_out, material, summary, facts_tokens)
            summary = f"{summary}\n\n{safe_summary(kept, material)}".strip()
        return _Summary(text=summary)

    async def _written(
        self, material: FoldedTalk, brief: str, most_tokens: int, listener: CallListener
    ) -> str:
        """The model's summary; empty when it fails or takes too long."""
        share = 1.0 if self._client.offline else 1.0 - FACTS_SHARE
        prompt = compaction_prompt(material, brief, round(share * most_tokens))
        system = SYSTEM.format(language=material.language)
        try:
            async with asyncio.timeout(SUMMARY_SECONDS):
                answer = await self._client.stream_text(
                    [SystemMessage(content=system), HumanMessage(content=prompt)],
                    listener=listener,
                )
        except (ModelError, TimeoutError) as error:
            logger.warning("The talk was summarised without the model: %s", type(error).__name__)
            return ""
        return answer.text

    def _is_usable(self, written: str, most_tokens: int) -> bool:
        """An empty answer is no summary, and neither is one that goes on and on."""
        is_long_enough = len(written.strip()) >= SHORTEST_SUMMARY
        return is_long_enough and self._counter.text(written) <= TOO_LONG * most_tokens


def compaction_prompt(material: FoldedTalk, brief: str, most_tokens: int) -> str:
    """What a model is asked for a summary with."""
    talk = []
    for number, said in enumerate(material.talk, start=1):
        talk.append(section("utterance", said.text, by=said.by, turn=str(number)))
    outcomes = []
    for outcome in material.outcomes:
        text = f"{outcome.message}\n{outcome.next_step}".strip("\n")
        outcomes.append(
            section("result", text, tool=outcome.tool, status=outcome.outcome, call=outcome.target)
        )
    return load_prompt(
        "compact",
        tokens=str(most_tokens),
        brief=harmless(brief),
        earlier=harmless(material.earlier_summary),
        talk="\n".join(talk),
        outcomes="\n".join(outcomes),
        language_name=LANGUAGE_NAMES.get(material.language, "English"),
    )


def folded_talk(
    earlier: str, chunk: Sequence[TalkMessage], outcomes: Sequence[TurnOutcomeRow], language: str
) -> FoldedTalk:
    """The messages of a chunk with what the calls of their turns changed or failed at."""
    # Before anything is shortened: of a secret that is cut in two, neither half looks like one.
    text_by_id = {message.id: redact_text(message.content).text for message in chunk}
    listed = []
    for place, row in enumerate(outcomes):
        following = outcomes[place + 1] if place + 1 < len(outcomes) else None
        listed.append(_outcome(row, following, text_by_id.get(row.utterance_id, "")))
    return FoldedTalk(
        language=language,
        earlier_summary=earlier,
        talk=tuple(SaidWords(by=message.author, text=text_by_id[message.id]) for message in chunk),
        outcomes=tuple(listed),
    )


def safe_summary(summary: str, material: FoldedTalk) -> str:
    """Without secrets, without bad characters, and with only those citations that were there."""
    texts = [material.earlier_summary, *(said.text for said in material.talk)]
    known_ids = {match[1] for text in texts for match in CITATION.finditer(text)}
    cited = CITATION.sub(lambda match: match[0] if match[1] in known_ids else "", summary)
    return redact_text(clean_bad_chars(cited)).text.strip()


def _outcome(row: TurnOutcomeRow, following: TurnOutcomeRow | None, said: str) -> CallOutcome:
    """A failure is told with what came next: the next call of the turn, or what was said then."""
    if row.is_undone:
        outcome = "undone"
    elif row.status in NOT_DONE:
        outcome = row.status
    else:
        outcome = "failed" if row.error else "written"
    next_step = ""
    is_failure = outcome not in ("written", "undone")
    if is_failure:
        if following is not None and following.utterance_id == row.utterance_id:
            next_step = f"{following.tool} {following.target}".strip()
        else:
            next_step = opening_of(shortened(" ".join(said.split()), 160))
    return CallOutcome(
        tool=row.tool,
        target=row.target,
        outcome=outcome,
        message=redact_text(" ".join(row.error.split())).text if is_failure else "",
        next_step=next_step,
    )
