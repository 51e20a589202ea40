"""Units, number words and the patterns made of them, read from `units.toml`."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("units.toml")
_DIGITS = r"\d[\d,]*(?:\.\d+)?"


@dataclass(frozen=True, kw_only=True)
class Units:
    """What numbers are called and what they measure."""

    value_by_number: dict[str, float]
    multipliers: dict[str, float]
    unit_by_name: dict[str, tuple[str, float]]
    """Kind and size in its base unit, by the unit's name."""
    measured: re.Pattern[str]
    """A number and its unit: `number`, `times`, `unit`."""
    counted: re.Pattern[str]
    """A number of things: `number`, `times`, `thing` in Chinese, `english`, `noun` in English."""
    dates: re.Pattern[str]
    """Dates, times of day, percentiles, names and code: numbers that measure nothing."""
    describing: re.Pattern[str]


@cache
def load_units() -> Units:
    """The units of this package, read once."""
    parsed = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    unit_by_name: dict[str, tuple[str, float]] = {}
    for kind, sizes in parsed["kinds"].items():
        for name, size in sizes.items():
            unit_by_name[name] = (kind, float(size))
    english, chinese = parsed["english_numbers"], parsed["chinese_numbers"]
    han_number = f"{_DIGITS}|{_longest_first(chinese)}"
    latin_number = f"{_DIGITS}|{_longest_first(english)}"
    measured = (
        rf"(?P<number>{han_number}|\b(?:{_longest_first(english)})\b)[\s\-]*"
        rf"(?P<times>{_longest_first(parsed['multipliers'])})?\s*"
        rf"(?P<unit>{_longest_first(unit_by_name)})s?(?![a-z])"
    )
    counted = (
        rf"(?:(?P<number>{han_number})\s*(?P<times>[万亿千])?\s*"
        rf"[{parsed['measure_words']}](?P<thing>[\u3400-\u9fff]{{0,6}}))"
        rf"|(?:\b(?P<english>{latin_number})\s+(?P<noun>[a-z][a-z\-]+(?:\s[a-z][a-z\-]+)?))"
    )
    return Units(
        value_by_number={**english, **chinese},
        multipliers=parsed["multipliers"],
        unit_by_name=unit_by_name,
        measured=re.compile(measured),
        counted=re.compile(counted),
        dates=_dates(parsed["months"]),
        describing=re.compile("|".join(parsed["describing"])),
    )


def _longest_first(names: Iterable[str]) -> str:
    ordered = sorted(names, key=len, reverse=True)
    return "|".join(re.escape(name) for name in ordered)


def _dates(months: Iterable[str]) -> re.Pattern[str]:
    month = "|".join(months)
    expressions = [
        r"\d{4}-\d{2}(?:-\d{2})?",
        r"\d{4}\s*年(?:\s*\d{1,2}\s*月)?(?:\s*\d{1,2}\s*日)?",
        r"\d{1,2}\s*月\s*\d{1,2}\s*日",
        r"每月\s*\d{1,2}\s*[日号]",
        rf"\b\d{{1,2}}\s+(?:to\s+\d{{1,2}}\s+)?(?:{month})(?:\s+\d{{4}})?",
        rf"\b(?:{month})\s+\d{{4}}",
        r"\b(?:19|20)\d{2}\b",
        r"\bq[1-4]\b",
        r"\d{1,2}[:：]\d{2}",
        r"双\s?11|double\s11",
        r"\bp\d{2,3}\b|\d+(?:th|st|nd|rd)\b",
        r"`[^`]*`|\b[a-z]+-\d+\b",
    ]
    return re.compile("|".join(expressions))
