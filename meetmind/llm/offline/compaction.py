"""A summary of a talk without a model: its own sentences, those first that hold facts.

Chosen greedily by what a sentence adds to the facts that are kept already, for its length (the
usual approximation of a budgeted maximum coverage).
"""

import heapq
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from meetmind.llm.offline.fact_marks import marks_of
from meetmind.llm.offline.sentences import opening_of
from meetmind.llm.offline.talk_sentences import (
    PERSON,
    SaidSentence,
    SaidWords,
    sentences_of_talk,
    shortened,
)
from meetmind.llm.token_counts import estimate_tokens

_FILE = Path(__file__).with_suffix(".toml")

SECTIONS = ("goal", "timeline", "findings", "decisions", "files", "numbers", "failures", "kept")
GOAL_SHARE = 0.2
OUTCOME_SHARE = 0.25
TIMELINE_SHARE = 0.12
"""Of the length of the summary, at most."""
LONGEST_GOAL = 600
LONGEST_TIMELINE = (34, 90)
"""Characters of one line, in Chinese and in English."""
KNOWN_VALUE_SHARE = 0.3
"""15 minutes of one thing are not the 15 minutes of another."""
RARITY_EXPONENT = 0.3
NOVELTY_EXPONENT = 1.0
VALUES_EXPONENT = 0.4
"""Below 1: one sentence with ten figures is worth less than ten sentences with one."""
DECISION_GAIN = 1.0
RULE_GAIN = 0.5
FIRST_HAND_GAIN = 0.5
FAILURE_GAIN = 1.0
COST_EXPONENT = 0.8
"""1 would fill a summary with the shortest sentences, 0 with the longest."""
EARLIER_WEIGHT = 1.8
"""What an earlier summary kept has been chosen once already."""
_LATIN_PIECE = re.compile(r"[a-z0-9_]{2,}")
_HAN_RUN = re.compile("[\u4e00-\u9fff]+")


@dataclass(frozen=True, kw_only=True)
class CallOutcome:
    """How a tool call of the talk ended: a file that was written, or a failure."""

    tool: str
    target: str
    outcome: str
    """`written`, `undone`, `rejected`, `refused`, `failed` or `unsure`."""
    message: str = ""
    """The exact message of a failure."""
    next_step: str = ""
    """What was tried next."""

    @property
    def is_failure(self) -> bool:
        """Whether something did not go as it was asked for."""
        return self.outcome not in ("written", "undone")


@dataclass(frozen=True, kw_only=True)
class FoldedTalk:
    """What a summary is to stand for."""

    language: str
    earlier_summary: str
    talk: tuple[SaidWords, ...]
    outcomes: tuple[CallOutcome, ...] = ()


@dataclass(kw_only=True)
class _Draft:
    """The lines of a summary by section, and what they hold."""

    most_tokens: int
    lines: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    values: set[str] = field(default_factory=set)
    pieces: set[str] = field(default_factory=set)
    """The words, and the pairs of Han characters, of all lines."""
    tokens: int = 0

    def add(self, section: str, place: int, line: str, *, share: float = 1.0) -> bool:
        """Take a line unless it does not fit into the whole or into the section's share."""
        cost = estimate_tokens(line) + 1
        used = sum(estimate_tokens(kept) + 1 for _, kept in self.lines.get(section, []))
        if self.tokens + cost > self.most_tokens or used + cost > share * self.most_tokens:
            return False
        if any(line == kept for _, kept in self.lines.get(section, [])):
            return False
        self.lines.setdefault(section, []).append((place, line))
        self.values |= marks_of(line).values
        self.pieces |= pieces_of(line)
        self.tokens += cost
        return True

    def novelty(self, text: str) -> float:
        """1 for words that are all new, nearly 0 for what stands there already."""
        pieces = pieces_of(text)
        if not pieces:
            return 0.0
        new_share = len(pieces - self.pieces) / len(pieces)
        return math.pow(new_share, NOVELTY_EXPONENT)


def extractive_summary(folded: FoldedTalk, most_tokens: int) -> str:
    """A summary of about `most_tokens` at most, under the headings of the language."""
    words = _words(folded.language)
    draft = _Draft(most_tokens=most_tokens - estimate_tokens(_headings(words)))
    earlier = _sections_of(folded.earlier_summary)
    _add_goals(draft, words, folded, earlier.get("goal", []))
    _add_outcomes(draft, words, folded.outcomes)
    reserved = round(TIMELINE_SHARE * draft.most_tokens)
    draft.most_tokens -= reserved
    _add_facts(draft, words, _candidates(folded, earlier))
    draft.most_tokens += reserved
    _add_timeline(draft, words, folded.talk, earlier.get("timeline", []))
    return _written(draft, words)


def facts_left_out(folded: FoldedTalk, summary: str, most_tokens: int) -> str:
    """A section with sentences of the talk that hold facts which a summary lost; may be empty.

    What a tool said of a failure, and which files were written, come first.
    """
    words = _words(folded.language)
    draft = _Draft(most_tokens=most_tokens - estimate_tokens(words["kept"]) - 4)
    draft.values |= _values_within(summary, folded)
    for place, outcome in enumerate(folded.outcomes):
        is_told = outcome.target in summary and outcome.message in summary
        if not is_told:
            draft.add("kept", place - len(folded.outcomes), _outcome_line(words, outcome))
    candidates = _candidates(folded, _sections_of(folded.earlier_summary))
    _add_facts(draft, words, candidates, only_section="kept")
    return _written(draft, words, with_remark=False)


def remark_of(language: str) -> str:
    """The sentence that says that no model wrote a summary."""
    return _words(language)["made"]


@lru_cache(maxsize=16_384)
def pieces_of(text: str) -> frozenset[str]:
    """The Latin words and figures of a text, and every pair of neighbouring Han characters."""
    pieces = set(_LATIN_PIECE.findall(text.lower()))
    for run in _HAN_RUN.findall(text):
        for start in range(len(run) - 1):
            pieces.add(run[start : start + 2])
    return frozenset(pieces)


def _add_goals(
    draft: _Draft, words: Mapping[str, str], folded: FoldedTalk, earlier: Sequence[str]
) -> None:
    """What the person asked for, the newest first where there is no room for all."""
    goals = [f"- {line}" for line in earlier]
    for said in folded.talk:
        if said.by == PERSON and said.text.strip():
            goals.append(f"- {shortened(' '.join(said.text.split()), LONGEST_GOAL)}")
    for place in range(len(goals) - 1, -1, -1):
        draft.add("goal", place, goals[place], share=GOAL_SHARE)


def _add_outcomes(draft: _Draft, words: Mapping[str, str], outcomes: Sequence[CallOutcome]) -> None:
    """Failures with their exact message, then files."""
    ordered = sorted(enumerate(outcomes), key=lambda entry: not entry[1].is_failure)
    for place, outcome in ordered:
        section = "failures" if outcome.is_failure else "files"
        draft.add(section, place, _outcome_line(words, outcome), share=OUTCOME_SHARE)


def _outcome_line(words: Mapping[str, str], outcome: CallOutcome) -> str:
    line = f"- {outcome.tool} {outcome.target}".rstrip() + f": {words[outcome.outcome]}"
    if outcome.message:
        line += f": {outcome.message}"
    if outcome.next_step:
        line += f" ({words['then']}: {outcome.next_step})"
    return " ".join(line.split())


def _candidates(
    folded: FoldedTalk, earlier: Mapping[str, Sequence[str]]
) -> list[tuple[SaidSentence, str, float]]:
    """Sentences with their section and weight: of the earlier summary, then of the talk."""
    candidates: list[tuple[SaidSentence, str, float]] = []
    place = -1_000_000
    for section, lines in earlier.items():
        if section in ("goal", "timeline"):
            continue
        for line in lines:
            place += 1
            marks = marks_of(line)
            sentence = SaidSentence(by="", text=line, place=place, marks=marks, weight=1.0)
            candidates.append((sentence, section, EARLIER_WEIGHT))
    for sentence in sentences_of_talk(folded.talk):
        candidates.append((sentence, _section_of(sentence), sentence.weight))
    return candidates


def _section_of(sentence: SaidSentence) -> str:
    if sentence.marks.is_failure:
        return "failures"
    if sentence.is_cited:
        return "findings"
    if sentence.marks.is_decision:
        return "decisions"
    if sentence.marks.names_a_file:
        return "files"
    return "numbers" if sentence.marks.values else "findings"


def _add_facts(
    draft: _Draft,
    words: Mapping[str, str],
    candidates: Sequence[tuple[SaidSentence, str, float]],
    *,
    only_section: str = "",
) -> None:
    """Take what adds most for its length until nothing fits any more."""
    sentences = [sentence for sentence, _, _ in candidates]
    seen_in = Counter(value for sentence in sentences for value in sentence.marks.values)

    def gain(number: int) -> float:
        """Never grows while lines are added, so that an old figure is an upper bound."""
        sentence, _, weight = candidates[number]
        marks = sentence.marks
        values = 0.0
        for value, worth in marks.worth_by_value.items():
            share = KNOWN_VALUE_SHARE if value in draft.values else 1.0
            values += share * worth / math.pow(seen_in[value], RARITY_EXPONENT)
        total = (
            math.pow(values, VALUES_EXPONENT)
            + DECISION_GAIN * marks.is_decision
            + RULE_GAIN * marks.is_rule
            + FIRST_HAND_GAIN * marks.is_first_hand
            + FAILURE_GAIN * marks.is_failure
        )
        cost = math.pow(10 + estimate_tokens(sentence.text), COST_EXPONENT)
        return weight * total * draft.novelty(sentence.text) / cost

    heap = [(-gain(number), number) for number in range(len(candidates))]
    heapq.heapify(heap)
    while heap:
        claimed, number = heapq.heappop(heap)
        current = gain(number)
        if current <= 0:
            continue
        if heap and current < -heap[0][0] and current < -claimed:
            heapq.heappush(heap, (-current, number))
            continue
        sentence, section, _ = candidates[number]
        by = words["person"] if sentence.by == PERSON else sentence.by
        line = f"- {by}: {sentence.text}" if by else f"- {sentence.text}"
        draft.add(only_section or section, sentence.place, line)


def _add_timeline(
    draft: _Draft, words: Mapping[str, str], talk: Sequence[SaidWords], earlier: Sequence[str]
) -> None:
    """Who spoke to what, the newest first where there is no room for all."""
    lines = [f"- {line}" for line in earlier]
    for said in talk:
        first_line = next((line for line in said.text.splitlines() if line.strip()), "")
        opening = opening_of(first_line.strip(" #*-"), *LONGEST_TIMELINE)
        longest = LONGEST_TIMELINE[1]
        shown = opening if len(opening) <= longest else opening[:longest].rstrip() + "…"
        by = words["person"] if said.by == PERSON else said.by
        if shown:
            lines.append(f"- {by}: {shown}")
    for place in range(len(lines) - 1, -1, -1):
        draft.add("timeline", place, lines[place], share=TIMELINE_SHARE)


def _written(draft: _Draft, words: Mapping[str, str], *, with_remark: bool = True) -> str:
    blocks = [f"_{words['made']}_"] if with_remark else []
    for section in SECTIONS:
        lines = sorted(draft.lines.get(section, []))
        if lines:
            body = "\n".join(line for _, line in lines)
            blocks.append(f"## {words[section]}\n{body}")
    return "\n\n".join(blocks)


def _headings(words: Mapping[str, str]) -> str:
    return "\n".join([words["made"], *(f"## {words[section]}\n" for section in SECTIONS)])


def _sections_of(summary: str) -> dict[str, list[str]]:
    """The lines of an earlier summary by section; those under no known heading are findings."""
    lines_by_section: dict[str, list[str]] = {}
    section = "findings"
    for line in summary.splitlines():
        text = line.strip()
        if text.startswith("#"):
            section = _section_called(text.lstrip("# ").strip())
        elif text and text.strip("_") not in _remarks():
            lines_by_section.setdefault(section, []).append(text.removeprefix("- "))
    return lines_by_section


def _section_called(heading: str) -> str:
    for language in ("en", "zh"):
        for section in SECTIONS:
            if _words(language)[section].lower() == heading.lower():
                return section
    return "findings"


def _remarks() -> tuple[str, ...]:
    return (remark_of("en"), remark_of("zh"))


def _values_within(summary: str, folded: FoldedTalk) -> set[str]:
    """The facts of the talk that stand in the summary, however it words the rest."""
    texts: Iterable[str] = [said.text for said in folded.talk]
    sentences = sentences_of_talk([SaidWords(by="", text=text) for text in texts])
    values: set[str] = set()
    for sentence in sentences:
        values |= sentence.marks.values
    values |= marks_of(folded.earlier_summary).values
    return {value for value in values if value in summary}


@cache
def _words(language: str) -> Mapping[str, str]:
    by_language = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    words: Mapping[str, str] = by_language.get(language, by_language["en"])
    return words
