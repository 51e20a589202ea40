"""Quotes as they stand in an utterance: written with citation, and read back from the talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from meetmind.llm.offline.conditions import has_date, tells_what_happened
from meetmind.llm.offline.quantities import quantities_in
from meetmind.llm.offline.table_rows import is_row
from meetmind.llm.offline.words import is_chinese
from meetmind.llm.prompt_sections import SpokenUtterance
from meetmind.llm.tool_envelopes import PromptPassage

SentenceKind = Literal["rule", "number", "dated", "plain"]

_RULE = re.compile(
    r"\b(?:must|must not|may not|never|always|at most|at least|no more than|only|required|forbidden"
    r"|not allowed)\b|必须|不得|禁止|不允许|一律|最多|至少|不超过|只能|严禁|不能|应当"
)
_SAID_QUOTE = re.compile(
    r"(?:“(?P<curly>[^“”]+)”|「(?P<corner>[^「」]+)」) ?(?:\([^()]*\)|（[^（）]*）)? ?"
    r"\[(?P<id>(?P<agent>[a-z_]+)_[0-9a-f]{12})\]"
)
_LABEL = re.compile(r"^- (?:Point |议题 )(\d)")


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A sentence of a passage, chosen for the point with this place in the list (from 0)."""

    sentence: str
    passage: PromptPassage
    point_index: int
    score: float

    @property
    def kind(self) -> SentenceKind:
        """What sort of sentence it is."""
        return kind_of(self.sentence)


@dataclass(frozen=True, kw_only=True)
class SaidQuote:
    """A quote that stands in the talk: who said it, and whose passage it comes from."""

    said_by: str
    agent_name: str
    passage_id: str
    text: str
    turn_index: int
    labelled_point: int | None
    """The place of the point (from 0) that the speaker put it under, if any."""
    is_nearest: bool
    """Whether the speaker gave it only as what comes nearest, not as an answer."""


def kind_of(sentence: str) -> SentenceKind:
    """A rule, a number, something dated, or a plain statement."""
    if tells_what_happened(sentence) and has_date(sentence):
        return "dated"
    if not tells_what_happened(sentence) and _RULE.search(sentence.lower()):
        return "rule"
    return "number" if quantities_in(sentence) else "plain"


def written(text: str, passage_id: str, language: str, foreign_note: str = "") -> str:
    """A quote with its citation; its marks are those that do not stand inside it."""
    trimmed = " ".join(text.split())
    is_foreign = is_chinese(trimmed) != (language == "zh")
    note = foreign_note if is_foreign and not is_row(trimmed, passage_id) else ""
    space = "" if language == "zh" else " "
    if "“" in trimmed or "”" in trimmed:
        return f"「{trimmed}」{note}{space}[{passage_id}]"
    return f"“{trimmed}”{note}{space}[{passage_id}]"


def said_quotes(talk: Sequence[SpokenUtterance], nearest_phrases: Sequence[str]) -> list[SaidQuote]:
    """Every quote in the talk, oldest first."""
    quotes = []
    for turn_index, utterance in enumerate(talk):
        for line in utterance.text.splitlines():
            label = _LABEL.match(line)
            labelled_point = int(label[1]) - 1 if label is not None else None
            is_nearest = any(phrase in line for phrase in nearest_phrases)
            for found in _SAID_QUOTE.finditer(line):
                quotes.append(
                    SaidQuote(
                        said_by=utterance.by,
                        agent_name=found["agent"],
                        passage_id=found["id"],
                        text=found["curly"] or found["corner"],
                        turn_index=turn_index,
                        labelled_point=labelled_point,
                        is_nearest=is_nearest,
                    )
                )
    return quotes


def normalised(text: str) -> str:
    """A sentence without white space and closing marks, for comparing."""
    return "".join(text.split()).strip("。.!！?？；;，,").lower()
