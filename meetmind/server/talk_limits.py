"""How much of a talk a model may be shown, and what of it is folded into a summary."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from meetmind.config.settings import Settings
from meetmind.database.messages import PERSON
from meetmind.database.session_summaries import StoredTalk, TalkMessage
from meetmind.llm.token_counts import TOKENS_A_MESSAGE, count_tokens

KEPT_SHARE = 0.3
"""Of the room that a talk has: what stays in full when it is folded by itself."""
LEAST_TALK_SHARE = 0.4
"""Of the room that a talk has alone: what is left to it whatever stands beside it."""
SUMMARY_SHARE = 0.2
MOST_SUMMARY_TOKENS = 6_000
SUMMARY_OF_FOLDED = 0.6
"""A summary has at most this share of what it stands for."""
CHUNK_SHARE = 0.9
"""Of the model's context: what a request for a summary and its answer may fill."""
PROMPT_TOKENS = 700
"""Of that request without the talk."""
SMALLEST_CHUNK = 300
EVEN_SHARE = 1.1
"""How much larger than an even part a chunk may be."""
KEPT_TURNS = 2
LEAST_FOLDED_TOKENS = 60


class Counted(Protocol):
    """Anything that has words."""

    @property
    def content(self) -> str:
        """The words."""


@dataclass(frozen=True, kw_only=True)
class TalkLimits:
    """All in tokens."""

    context: int
    """What the model can read at once."""
    talk: int
    """Above this the talk is summarised by itself."""

    def beside(self, tokens: int) -> "TalkLimits":
        """The limits where so many tokens of the context are taken by the rest of the prompt."""
        room = self.context - tokens
        least = round(LEAST_TALK_SHARE * self.talk)
        return replace(self, talk=max(least, min(self.talk, room)))

    @property
    def kept(self) -> int:
        """What stays in full."""
        return round(KEPT_SHARE * self.talk)

    @property
    def summary(self) -> int:
        """How long a summary may be."""
        return min(MOST_SUMMARY_TOKENS, round(SUMMARY_SHARE * self.talk))

    @property
    def chunk(self) -> int:
        """What is folded at once, beside the summary before and the one that is written."""
        room = round(CHUNK_SHARE * self.context) - PROMPT_TOKENS - 2 * self.summary
        return max(SMALLEST_CHUNK, room)


def limits_of(settings: Settings) -> TalkLimits:
    """The limits that the settings name."""
    context = settings.model_context_tokens
    return TalkLimits(context=context, talk=round(settings.compact_at_share * context))


class TalkCounter:
    """Counts tokens for one model; the first count may read its tokenizer from the disk."""

    def __init__(self, model_name: str, model_folder: Path) -> None:
        self._model_name = model_name
        self._model_folder = model_folder

    def text(self, text: str) -> int:
        """The tokens of a text."""
        return count_tokens(text, self._model_name, self._model_folder)

    def message(self, message: TalkMessage) -> int:
        """The tokens of a message with the marks around it."""
        return self.text(message.content) + TOKENS_A_MESSAGE

    def messages(self, messages: Sequence[TalkMessage]) -> int:
        """The tokens of several messages."""
        return sum(self.message(message) for message in messages)

    def talk(self, talk: StoredTalk) -> int:
        """The tokens of all that a model is shown of a talk."""
        summary = 0 if talk.summary is None else self.text(talk.summary.summary)
        return summary + self.messages(talk.messages)


def folded_part(
    messages: Sequence[TalkMessage], counter: TalkCounter, most_kept: int, round_from: str = ""
) -> tuple[TalkMessage, ...]:
    """The oldest messages, up to which a talk is folded; empty where all of it is recent.

    The last two turns stay, with the person's words right before them; of the rest as much of the
    newest as `most_kept` tokens hold. A message is the unit: a turn's calls are never split. A
    round of first opinions that is under way since the message `round_from` stays whole.
    """
    first_kept = _first_of_the_last_turns(messages)
    asked_in = [place for place, message in enumerate(messages) if message.id == round_from]
    first_kept = min([first_kept, *asked_in])
    kept = counter.messages(messages[first_kept:])
    while first_kept > 0:
        kept += counter.message(messages[first_kept - 1])
        if kept > most_kept:
            break
        first_kept -= 1
    return tuple(messages[:first_kept])


def in_chunks(
    messages: Sequence[TalkMessage], counter: TalkCounter, most_tokens: int
) -> list[tuple[TalkMessage, ...]]:
    """The messages in their order, so many at once as a model can read; each at least one."""
    total = counter.messages(messages)
    # Even parts: a last one of two messages would be folded with a whole call of its own.
    parts = max(1, math.ceil(total / most_tokens))
    most_at_once = min(most_tokens, EVEN_SHARE * total / parts)
    chunks: list[tuple[TalkMessage, ...]] = []
    chunk: list[TalkMessage] = []
    tokens = 0
    for message in messages:
        cost = counter.message(message)
        if chunk and tokens + cost > most_at_once:
            chunks.append(tuple(chunk))
            chunk, tokens = [], 0
        chunk.append(message)
        tokens += cost
    if chunk:
        chunks.append(tuple(chunk))
    return chunks


def _first_of_the_last_turns(messages: Sequence[TalkMessage]) -> int:
    """Where the last two turns begin, the words of the person right before them included."""
    turns = 0
    place = len(messages)
    while place > 0 and turns < KEPT_TURNS:
        place -= 1
        turns += messages[place].author != PERSON
    while place > 0 and messages[place - 1].author == PERSON:
        place -= 1
    return place
