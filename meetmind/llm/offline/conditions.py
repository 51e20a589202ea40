"""What limits a sentence: conditions that exclude each other, and events that happened once."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("conditions.toml")
_BEFORE = re.compile(r"\bbefore\b|\buntil\b|之前|以前")
_AFTER = re.compile(r"\bafter\b|\bonce\b|之后|以后")


@dataclass(frozen=True, kw_only=True)
class _Conditions:
    exclusive: tuple[tuple[re.Pattern[str], ...], ...]
    past: re.Pattern[str]
    date: re.Pattern[str]
    since: re.Pattern[str]


@cache
def _conditions() -> _Conditions:
    parsed = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    groups = []
    for group in parsed["exclusive"]:
        groups.append(tuple(_any_of(condition) for condition in group))
    return _Conditions(
        exclusive=tuple(groups),
        past=_any_of(parsed["past"]),
        date=_any_of(parsed["date"]),
        since=_any_of(parsed["since"]),
    )


def _any_of(expressions: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(expressions))


def exclude_each_other(first: str, second: str) -> bool:
    """Whether the sentences name conditions that cannot both apply, such as Europe and China."""
    one, other = first.lower(), second.lower()
    for group in _conditions().exclusive:
        named_by_one = {place for place, condition in enumerate(group) if condition.search(one)}
        named_by_other = {place for place, condition in enumerate(group) if condition.search(other)}
        if named_by_one and named_by_other and not named_by_one & named_by_other:
            return True
    return False


def speak_of_before_and_after(first_clause: str, second_clause: str) -> bool:
    """Whether one clause holds before a moment and the other one after it."""
    one, other = first_clause.lower(), second_clause.lower()
    for earlier, later in ((one, other), (other, one)):
        if _BEFORE.search(earlier) and _AFTER.search(later) and not _BEFORE.search(later):
            return True
    return False


def has_date(sentence: str) -> bool:
    """Whether a sentence names a day, a month or a year."""
    return _conditions().date.search(sentence.lower()) is not None


def tells_what_happened(sentence: str) -> bool:
    """Whether a sentence reports an event or a measurement; such a one contradicts no rule."""
    conditions = _conditions()
    lowered = sentence.lower()
    if conditions.past.search(lowered):
        return True
    return has_date(sentence) and conditions.since.search(lowered) is None
