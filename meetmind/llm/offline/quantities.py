"""The quantities in a clause: durations, shares, money, sizes and counts, each in a base unit."""

import re
from dataclasses import dataclass
from functools import lru_cache

from meetmind.llm.offline.stems import stem

_ENGLISH_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60,
    "ninety": 90, "single": 1,
}  # fmt: skip
_CHINESE_NUMBERS = {
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
    "十五": 15, "二十": 20, "三十": 30, "六十": 60,
}  # fmt: skip
_MULTIPLIERS = {
    "万": 10_000,
    "亿": 100_000_000,
    "千": 1_000,
    "million": 1_000_000,
    "thousand": 1_000,
}
MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
_UNITS: dict[str, tuple[str, float]] = {
    "ms": ("duration", 0.001), "millisecond": ("duration", 0.001), "毫秒": ("duration", 0.001),
    "s": ("duration", 1), "sec": ("duration", 1), "second": ("duration", 1), "秒": ("duration", 1),
    "秒钟": ("duration", 1), "min": ("duration", MINUTE), "minute": ("duration", MINUTE),
    "分钟": ("duration", MINUTE), "hour": ("duration", HOUR), "小时": ("duration", HOUR),
    "个小时": ("duration", HOUR), "day": ("duration", DAY), "天": ("duration", DAY),
    "日内": ("duration", DAY), "week": ("duration", 7 * DAY), "周": ("duration", 7 * DAY),
    "星期": ("duration", 7 * DAY), "month": ("duration", 30 * DAY), "个月": ("duration", 30 * DAY),
    "year": ("duration", 365 * DAY), "年": ("duration", 365 * DAY),
    "working day": ("working days", 1), "business day": ("working days", 1), "工作日": ("working days", 1),
    "个工作日": ("working days", 1),
    "%": ("share", 1), "percent": ("share", 1), "per cent": ("share", 1), "％": ("share", 1),
    "个百分点": ("share", 1), "百分点": ("share", 1), "percentage point": ("share", 1),
    "cny": ("yuan", 1), "yuan": ("yuan", 1), "rmb": ("yuan", 1), "元": ("yuan", 1), "块": ("yuan", 1),
    "eur": ("euro", 1), "euro": ("euro", 1), "欧元": ("euro", 1), "€": ("euro", 1),
    "kb": ("bytes", 1e3), "mb": ("bytes", 1e6), "gb": ("bytes", 1e9),
}  # fmt: skip
_MEASURE_WORDS = "个张种件次条笔份单位台场项颗款套只箱家行步轮档类页道名字"
_DATES = re.compile(
    r"\d{4}-\d{2}(?:-\d{2})?|\d{4}\s*年(?:\s*\d{1,2}\s*月)?(?:\s*\d{1,2}\s*日)?|\d{1,2}\s*月\s*\d{1,2}\s*日"
    r"|每月\s*\d{1,2}\s*[日号]|\b\d{1,2}\s+(?:to\s+\d{1,2}\s+)?(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?:\s+\d{4})?|\b(?:january|february|march|april|may|june|july"
    r"|august|september|october|november|december)\s+\d{4}|\b(?:19|20)\d{2}\b|\bq[1-4]\b|\d{1,2}[:：]\d{2}"
    r"|双\s?11|double\s11|\bp\d{2,3}\b|\d+(?:th|st|nd|rd)\b|`[^`]*`|\b[a-z]+-\d+\b"
)
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_UNIT_NAMES = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
_MEASURED = re.compile(
    rf"(?P<number>{_NUMBER}|{'|'.join(sorted(_CHINESE_NUMBERS, key=len, reverse=True))}"
    rf"|\b(?:{'|'.join(_ENGLISH_NUMBERS)})\b)[\s\-]*(?P<times>万|亿|千|million|thousand)?\s*"
    rf"(?P<unit>{_UNIT_NAMES})(?P<plural>s?)(?![a-z])"
)
_COUNTED = re.compile(
    rf"(?:(?P<number>{_NUMBER}|{'|'.join(sorted(_CHINESE_NUMBERS, key=len, reverse=True))})\s*(?P<times>[万亿千])?\s*"
    rf"(?P<measure>[{_MEASURE_WORDS}])(?P<thing>[\u3400-\u9fff]{{0,6}}))"
    rf"|(?:\b(?P<english>{_NUMBER}|{'|'.join(_ENGLISH_NUMBERS)})\s+(?P<noun>[a-z][a-z\-]+(?:\s[a-z][a-z\-]+)?))"
)
_DESCRIBING = re.compile(r"完整|不同|独立|以上|以下|以内|左右|的")
_MONEY_BEFORE = re.compile(rf"[€¥￥]\s?({_NUMBER})")


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number with its unit. `kind` says with what it may be compared, `value` is in base units."""

    kind: str
    value: float
    text: str
    start: int
    end: int


@lru_cache(maxsize=16_384)
def quantities_in(clause: str) -> tuple[Quantity, ...]:
    """The quantities of a clause in order; dates, times of day and names with numbers are none."""
    text = _DATES.sub(lambda match: " " * len(match.group()), clause.lower())
    found = [*_money_signs(text, clause), *_measured(text, clause)]
    taken = text
    for quantity in found:
        blank = " " * (quantity.end - quantity.start)
        taken = taken[: quantity.start] + blank + taken[quantity.end :]
    found.extend(_counted(taken, clause))
    return tuple(sorted(found, key=lambda quantity: quantity.start))


def _money_signs(text: str, clause: str) -> list[Quantity]:
    found = []
    for match in _MONEY_BEFORE.finditer(text):
        kind = "euro" if match.group().startswith("€") else "yuan"
        found.append(_quantity(kind, _value(match.group(1)), match, clause))
    return found


def _measured(text: str, clause: str) -> list[Quantity]:
    found = []
    for match in _MEASURED.finditer(text):
        kind, factor = _UNITS[match["unit"]]
        times = _MULTIPLIERS.get(match["times"] or "", 1)
        found.append(_quantity(kind, _value(match["number"]) * times * factor, match, clause))
    return found


def _counted(text: str, clause: str) -> list[Quantity]:
    found = []
    for match in _COUNTED.finditer(text):
        if match["measure"]:
            kind = f"count:{_thing_counted(match['thing'])}"
            times = _MULTIPLIERS.get(match["times"] or "", 1)
            value = _value(match["number"]) * times
        else:
            nouns = [stem(noun) for noun in match["noun"].split()]
            kind = f"count:{' '.join(nouns)}"
            value = _value(match["english"])
        found.append(_quantity(kind, value, match, clause))
    return found


def _thing_counted(han: str) -> str:
    """What stands behind the measure word, without what only describes it."""
    return _DESCRIBING.sub("", han)


def _quantity(kind: str, value: float, match: re.Match[str], clause: str) -> Quantity:
    start, end = match.span()
    return Quantity(kind=kind, value=value, text=clause[start:end].strip(), start=start, end=end)


def _value(number: str) -> float:
    if number in _ENGLISH_NUMBERS:
        return float(_ENGLISH_NUMBERS[number])
    if number in _CHINESE_NUMBERS:
        return float(_CHINESE_NUMBERS[number])
    return float(number.replace(",", "").rstrip("."))
