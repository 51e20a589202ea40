"""The date of a document, and what it makes of a passage's score where dates matter."""

import re
from datetime import date

DATE = re.compile(
    r"(?<!\d)(?P<year>20\d\d)[-./年](?P<month>0?[1-9]|1[0-2])[-./月](?P<day>[0-2]?\d|3[01])(?!\d)"
)
SEARCHED_CHARACTERS = 600


def date_of(text: str) -> str:
    """The first date at the head of a document, as YYYY-MM-DD; empty where there is none."""
    for match in DATE.finditer(text[:SEARCHED_CHARACTERS]):
        try:
            found = date(int(match["year"]), int(match["month"]), int(match["day"]))
        except ValueError:
            continue
        return found.isoformat()
    return ""


def date_factor(dated: str, today: date, half_life_days: int) -> float:
    """What a passage's score is multiplied by: a half after `half_life_days`; 1 without a date."""
    if half_life_days <= 0 or not dated:
        return 1.0
    age = max(0, (today - date.fromisoformat(dated)).days)
    return float(0.5 ** (age / half_life_days))
