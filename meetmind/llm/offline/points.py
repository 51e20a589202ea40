"""The points to settle: the parts of a brief that ask or require something, in its own words."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from meetmind.events import Point
from meetmind.llm.offline.sentences import SENTENCE_END
from meetmind.llm.offline.words import is_chinese, words_of

Wanted = Literal["anything", "rules", "events"]

MOST_POINTS = 4
MOST_CLAUSES = 40
"""What a brief says behind so many clauses is looked for, but makes no points."""
FEWEST_WORDS = 2.0
"""A part with less weight of words than this says too little alone and joins its neighbour ..."""
FEWEST_WORDS_WHEN_ASKED = 0.9
"""... unless it asks or demands something: then one telling word is enough."""
ENOUGH_WORDS = 2.5
LONGEST_POINT = 160
FEWEST_ITEMS = 3
LEAST_ITEM_WEIGHT = 1.0
LONGEST_ITEM = 40
MOST_KEY_PHRASES = 4

_CLAUSE_END = re.compile(
    r"[，,](?!\d)(?!\s*[\w-]+(?: [\w-]+)?,? (?:and|or) [\w-]+)"
    r"|\s(?=(?:and|but) (?:how|what|when|whether|which|who|where|should|must|can)\b)"
)
_ASKS = re.compile(
    r"[?？]|\b(?:how|what|when|whether|which|who|should|must|need|needs|has to|have to)\b"
    r"|\b(?:want|allow|support|add|avoid|let)\b"
    r"|是否|能否|如何|怎么|怎样|多久|多少|什么|需要|必须|希望|要求|应该|允许|支持|避免|保证|确保"
    r"|增加|能不能|要不要"
)
_LEAD_IN = re.compile(
    r"^(?:and|but|also|so|then|please)\b[\s,]*"
    r"|^(?:we|i) (?:want|would like|need|plan|have) to\s+"
    r"|^(?:另外|而且|并且|并|同时|还有|以及|请|但是|但|那么)[，,]?",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、]|[（(]\d{1,2}[)）])\s*")
_ENGLISH_LIST = re.compile(r",[^,]*,? (?:and|or) ")
_ITEM_END = re.compile(
    r"、|,\s*(?:(?:and|or)\s)?|\s(?:and|or)\s|(?<=[\u3400-\u9fff])[和与](?=[\u3400-\u9fff])"
)
_JOINS = re.compile(r"\s*(?:(?:an?|the|of)\s)?\s*")
_EDGES = " \t，,。.；;：:、—-"


@dataclass(frozen=True, kw_only=True)
class AskedPoint:
    """A point with what to look for."""

    own_words: str
    """What the point itself asks."""
    query: str
    """The same within its surroundings where it says little alone."""
    wanted: Wanted = "anything"
    """Sentences that say what holds, sentences that tell what happened, or both."""


def points_from(brief: str, rules_question: str, events_question: str) -> tuple[Point, ...]:
    """Two to four points in the words of the brief.

    A brief of one part is asked in two ways: which rules hold for it, and what has happened.
    """
    parts = parts_of(brief)
    if len(parts) == 1:
        parts = [rules_question, events_question]
    points = []
    for number, part in enumerate(parts, start=1):
        points.append(Point(id=f"P{number}", question=part, state="open"))
    return tuple(points)


def asked_points(points: Sequence[Point], brief: str) -> tuple[AskedPoint, ...]:
    """What to look for on each of the points that `points_from` has made of the brief."""
    parts = parts_of(brief)
    if len(parts) == 1 and len(points) == 2:
        subject = parts[0]
        return (
            AskedPoint(own_words=subject, query=subject, wanted="rules"),
            AskedPoint(own_words=subject, query=subject, wanted="events"),
        )
    asked = []
    before = ""
    for point in points:
        says_enough = not before or _weight(point.question) >= ENOUGH_WORDS
        query = point.question if says_enough else f"{before} {point.question}"
        asked.append(AskedPoint(own_words=point.question, query=query))
        before = point.question
    return tuple(asked)


def enumerated_items(brief: str) -> list[str]:
    """The items of the longest enumeration of a brief, three or more, each worth its own search."""
    longest: list[str] = []
    for sentence in SENTENCE_END.split(brief):
        if "、" not in sentence and not _ENGLISH_LIST.search(sentence):
            continue
        items = [_telling_part(item) for item in _ITEM_END.split(sentence)]
        telling = [item for item in items if item and _weight(item) >= LEAST_ITEM_WEIGHT]
        short = [item for item in telling if len(item) <= LONGEST_ITEM]
        if len(items) >= FEWEST_ITEMS and len(short) > len(longest):
            longest = short
    return longest[:MOST_POINTS]


def _telling_part(item: str) -> str:
    """The words of an item that say what it is about, in their order."""
    telling = [word.surface for word in words_of(item).words if not word.is_common]
    return ("" if is_chinese(item) else " ").join(telling)


def key_words_of(text: str) -> str:
    """The first telling words of a text, what stands side by side in one phrase."""
    lowered = text.lower()
    places = [(lowered.find(word.surface), word) for word in words_of(text).words]
    places.sort(key=lambda pair: pair[0])
    phrases: list[str] = []
    start, end = 0, -1
    for place, word in places:
        between = lowered[end:place] if phrases and place >= end else None
        goes_on = between is not None and _JOINS.fullmatch(between) is not None
        if place < max(end, 0) or (word.is_common and not goes_on):
            continue
        if not goes_on and len(phrases) == MOST_KEY_PHRASES:
            break
        start = start if goes_on else place
        end = place + len(word.surface)
        phrases = [*(phrases[:-1] if goes_on else phrases), text[start:end]]
    return ("、" if is_chinese(text) else ", ").join(phrases) or text


def parts_of(brief: str) -> list[str]:
    """The clauses of a brief, thin ones joined with their neighbours: one to four."""
    parts: list[str] = []
    for sentence in SENTENCE_END.split(brief):
        for clause in _CLAUSE_END.split(sentence):
            part = _trimmed(clause)
            if part:
                parts.append(part)
    parts = _with_thin_parts_joined(parts[:MOST_CLAUSES])
    while len(parts) > MOST_POINTS:
        parts = _with_shortest_neighbours_joined(parts)
    return [part[:LONGEST_POINT] for part in parts] or [brief.strip()[:LONGEST_POINT]]


def _trimmed(clause: str) -> str:
    text = _LIST_MARK.sub("", clause).strip(_EDGES)
    text = _LEAD_IN.sub("", text).strip(_EDGES)
    return text[:1].upper() + text[1:]


def _with_thin_parts_joined(parts: list[str]) -> list[str]:
    """A part that says too little goes to the one before it, the first one to the one after it."""
    joined: list[str] = []
    for part in parts:
        previous_is_thin = len(joined) == 1 and _is_thin(joined[0])
        if joined and (_is_thin(part) or previous_is_thin):
            joined[-1] = _joined(joined[-1], part)
        else:
            joined.append(part)
    return joined


def _is_thin(part: str) -> bool:
    asks = _ASKS.search(part.lower()) is not None
    return _weight(part) < (FEWEST_WORDS_WHEN_ASKED if asks else FEWEST_WORDS)


def _with_shortest_neighbours_joined(parts: list[str]) -> list[str]:
    lengths = [len(left) + len(right) for left, right in itertools.pairwise(parts)]
    place = lengths.index(min(lengths))
    return [*parts[:place], _joined(parts[place], parts[place + 1]), *parts[place + 2 :]]


def _joined(left: str, right: str) -> str:
    if is_chinese(left):
        return f"{left}，{right}"
    kept_upper = right[:2].isupper() or not right[:1].isascii()
    continued = right if kept_upper else right[:1].lower() + right[1:]
    return f"{left.rstrip('?')}, {continued}"


def _weight(text: str) -> float:
    return sum(word.weight for word in words_of(text).words)
