"""The quantities in a clause: durations, shares, money, sizes and counts, each in a base unit."""

import re
from dataclasses import dataclass
from functools import lru_cache

from meetmind.llm.offline.stems import stem
from meetmind.llm.offline.units import load_units

_ONCE = "一次"
"""An idiom ("every 30 seconds, once") rather than a count."""
_MONEY_SIGN = re.compile(r"[€¥￥]\s?(\d[\d,]*(?:\.\d+)?)")


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number with its unit; `kind` says with what it may be compared."""

    kind: str
    """`duration`, `share`, ... or `count:` and what is counted."""
    value: float
    """In the base unit of the kind: seconds, percent, yuan, bytes, pieces."""
    text: str
    start: int
    end: int


@lru_cache(maxsize=16_384)
def quantities_in(clause: str) -> tuple[Quantity, ...]:
    """The quantities of a clause in order; dates, times of day and names with numbers are none."""
    text = load_units().dates.sub(lambda match: " " * len(match.group()), clause.lower())
    found = [*_money(text, clause), *_measured(text, clause)]
    rest = list(text)
    for quantity in found:
        rest[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
    found.extend(_counted("".join(rest), clause))
    return tuple(sorted(found, key=lambda quantity: quantity.start))


def _money(text: str, clause: str) -> list[Quantity]:
    found = []
    for match in _MONEY_SIGN.finditer(text):
        kind = "euro" if match.group().startswith("€") else "yuan"
        found.append(_quantity(kind, _value(match[1]), match, clause))
    return found


def _measured(text: str, clause: str) -> list[Quantity]:
    units = load_units()
    found = []
    for match in units.measured.finditer(text):
        kind, size = units.unit_by_name[match["unit"]]
        value = _value(match["number"], match["times"]) * size
        found.append(_quantity(kind, value, match, clause))
    return found


def _counted(text: str, clause: str) -> list[Quantity]:
    units = load_units()
    found = []
    for match in units.counted.finditer(text):
        if match.group().startswith(_ONCE):
            continue
        if match["noun"]:
            thing = " ".join(stem(noun) for noun in match["noun"].split())
            value = _value(match["english"])
        else:
            thing = units.describing.sub("", match["thing"])
            value = _value(match["number"], match["times"])
        found.append(_quantity(f"count:{thing}", value, match, clause))
    return found


def _quantity(kind: str, value: float, match: re.Match[str], clause: str) -> Quantity:
    start, end = match.span()
    return Quantity(kind=kind, value=value, text=clause[start:end].strip(), start=start, end=end)


def _value(number: str, times: str | None = None) -> float:
    units = load_units()
    factor = units.multipliers[times] if times else 1
    known = units.value_by_number.get(number)
    plain = known if known is not None else float(number.replace(",", "").rstrip("."))
    return plain * factor
