"""The sentences of a talk that is to be summarised, each with what it holds and who said it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from meetmind.llm.offline.fact_marks import CITATION, FactMarks, marks_of, says_what_was_tried
from meetmind.llm.offline.sentences import split_sentences

LONGEST_SENTENCE = 320
LONGEST_FAILURE = 700
"""An exact message is kept whole, as long as it is one."""
PERSON = "person"
PERSON_WEIGHT = 1.6
CITED_WEIGHT = 0.4
"""What a passage says can be looked up again."""
_CLAUSE_END = re.compile(r"(?<=[，；;：])|(?<=[,:])\s+")
_PAIRS = (("“", "”"), ("「", "」"), ("(", ")"), ("（", "）"))
_MOST_JOINED = 4
_CITED_END = re.compile(r"(?<=[0-9a-f]\])\s?(?=[\u3400-\u9fffA-Z0-9\"“「`])")
_CITED_BEHIND = re.compile(r"([.!?。！？；;])\s*((?:\[[a-z_]+_[0-9a-f]{12}\]\s?)+)")


@dataclass(frozen=True, kw_only=True)
class SaidWords:
    """One utterance of the talk; `by` is a role or `person`."""

    by: str
    text: str


@dataclass(frozen=True, kw_only=True)
class SaidSentence:
    """A sentence that could stand in a summary."""

    by: str
    text: str
    place: int
    """Its place in the talk."""
    marks: FactMarks
    weight: float

    @property
    def is_cited(self) -> bool:
        """Whether it says what a passage says."""
        return CITATION.search(self.text) is not None


def sentences_of_talk(talk: Sequence[SaidWords]) -> list[SaidSentence]:
    """Every sentence of the talk in order; what was tried after a failure stands with it."""
    found: list[SaidSentence] = []
    for words in talk:
        texts = _whole_sentences(words.text)
        for position, text in enumerate(texts):
            marks = marks_of(text)
            kept = text
            if marks.is_failure and position + 1 < len(texts):
                following = texts[position + 1]
                # Behind an exact message comes what was done about it, in whatever words.
                if marks.quotes_message or says_what_was_tried(following):
                    kept = f"{text} {following}"
                    marks = marks_of(kept)
            longest = LONGEST_FAILURE if marks.is_failure else LONGEST_SENTENCE
            weight = PERSON_WEIGHT if words.by == PERSON else 1.0
            if CITATION.search(kept):
                weight *= CITED_WEIGHT
            found.append(
                SaidSentence(
                    by=words.by,
                    text=shortened(" ".join(kept.split()), longest),
                    place=len(found),
                    marks=marks,
                    weight=weight,
                )
            )
    return found


def shortened(text: str, longest: int) -> str:
    """A text of at most so many characters: the clauses with the most facts, in their order."""
    if len(text) <= longest:
        return text
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause.strip()]
    facts = {place: len(marks_of(clause).values) for place, clause in enumerate(clauses)}
    kept: set[int] = set()
    length = 0
    for place in sorted(facts, key=lambda place: (-facts[place], place)):
        if length + len(clauses[place]) + 2 <= longest:
            kept.add(place)
            length += len(clauses[place]) + 2
    if not kept:
        return text[: longest - 1].rstrip() + "…"
    pieces = []
    for place in sorted(kept):
        if place > 0 and place - 1 not in kept:
            pieces.append("…")
        pieces.append(clauses[place].strip())
    return " ".join(pieces)


def _whole_sentences(text: str) -> list[str]:
    """Sentences; one that ends within quotation marks goes on until they are closed."""
    whole: list[str] = []
    for line in text.splitlines():
        waiting = ""
        joined = 0
        # A citation behind the full stop belongs to what stands before it.
        cited_inside = _CITED_BEHIND.sub(r" \2\1 ", line).strip()
        pieces = _CITED_END.split(cited_inside)
        for sentence in [part for piece in pieces for part in split_sentences(piece)]:
            waiting = f"{waiting} {sentence}".strip()
            joined += 1
            if _is_closed(waiting) or joined == _MOST_JOINED:
                whole.append(waiting)
                waiting, joined = "", 0
        if waiting:
            whole.append(waiting)
    return whole


def _is_closed(text: str) -> bool:
    if text.count('"') % 2 or text.count("`") % 2:
        return False
    return all(text.count(opening) <= text.count(closing) for opening, closing in _PAIRS)
