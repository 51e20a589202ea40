"""How much of what a model can read each part of a prompt may fill.

The talk is folded into a summary when it grows; evidence and results are shown up to a share, so
that a prompt stays readable however long a discussion gets.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from langchain_core.messages import AnyMessage, ToolMessage

from meetmind.events import PassageEvidence
from meetmind.llm.token_counts import TOKENS_A_MESSAGE, estimate_tokens
from meetmind.tools.envelope import read_envelope_json

EARLIER_EVIDENCE_SHARE = 0.1
SOURCES_SHARE = 0.04
PASSAGES_SHARE = 0.24
RESULTS_SHARE = 0.08
RECALLED_SHARE = 0.04
ANSWER_SHARE = 0.06
"""All of the model's context."""
LOOK_UP_SHARE = 0.9
"""Of the context: what a request of the tool loop may fill beside the schemas of its tools."""
MOST_OF_A_SHARE = 0.5
"""What one piece may fill of its share: a long file leaves room for what else was found."""
LEFT_OUT = "This result was read earlier in this turn and is left out here; ask again if needed."

Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class PromptRoom:
    """The shares of one model's context; all in tokens."""

    context: int = 32_768
    count: Callable[[str], int] = estimate_tokens

    @property
    def beside_the_talk(self) -> int:
        """What a turn brings home, what is recalled, and the answer itself."""
        return self.share(PASSAGES_SHARE + RESULTS_SHARE + RECALLED_SHARE + ANSWER_SHARE)

    def share(self, share: float) -> int:
        """A share of the context."""
        return round(share * self.context)

    def fitting(
        self, items: Iterable[Item], share: float, text_of: Callable[[Item], str]
    ) -> list[Item]:
        """As many of the items as the share has room for, the first ones before the others."""
        left = self.share(share)
        kept = []
        for item in items:
            cost = self.count(text_of(item)) + TOKENS_A_MESSAGE
            if cost <= left:
                kept.append(item)
                left -= cost
        return kept

    def fitting_passages(
        self, passages: Iterable[PassageEvidence], share: float
    ) -> list[PassageEvidence]:
        """As many passages as the share has room for, a very long one up to a part of it."""
        most_tokens = round(MOST_OF_A_SHARE * self.share(share))
        shortened = [self._shortened(passage, most_tokens) for passage in passages]
        return self.fitting(shortened, share, lambda one: f"{one.title} {one.source} {one.content}")

    def _shortened(self, passage: PassageEvidence, most_tokens: int) -> PassageEvidence:
        tokens = self.count(passage.content)
        if tokens <= most_tokens:
            return passage
        characters = len(passage.content) * most_tokens // tokens
        return replace(passage, content=f"{passage.content[:characters].rstrip()} …")

    def within(self, messages: Sequence[AnyMessage], system: str) -> list[AnyMessage]:
        """The messages of a tool loop, the oldest results only named where all do not fit.

        Calls and results stay together: a result keeps its message, and loses what it brought.
        """
        costs = [self.count(str(message.content)) + TOKENS_A_MESSAGE for message in messages]
        over = self.count(system) + sum(costs) - self.share(LOOK_UP_SHARE)
        kept = list(messages)
        # The newest result stays: a model that never sees what it asked for asks for ever.
        for place, message in enumerate(messages[:-1]):
            if over <= 0:
                break
            if isinstance(message, ToolMessage):
                kept[place] = _named_only(message)
                over -= costs[place] - self.count(str(kept[place].content))
        return kept


def _named_only(message: ToolMessage) -> ToolMessage:
    envelope = read_envelope_json(message.text)
    if envelope is None:
        return message.model_copy(update={"content": LEFT_OUT})
    told = {"data": None, "evidence": (), "diagnostics": {"summary": LEFT_OUT}}
    named = envelope.model_copy(update=told)
    return message.model_copy(update={"content": named.to_json()})
