"""The template sentences, in the voice of one role and one language."""

import tomllib
import zlib
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


@cache
def _sentences(language: str) -> dict[str, Any]:
    name = "voices_zh.toml" if language == "zh" else "voices_en.toml"
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))


class Voice:
    """Chooses sentences for one utterance, always the same ones for the same `seed`."""

    def __init__(self, language: str, role: str, seed: str) -> None:
        self.language = language
        self.role = role
        self._seed = seed
        self._times_used: dict[str, int] = {}

    def say(self, slot: str, /, **values: str) -> str:
        """A sentence of the role's own (or a shared one), another variant at each use."""
        return self.variant(slot).format(**values)

    def variant(self, slot: str) -> str:
        """The next variant of a slot, its placeholders still open."""
        sentences = _sentences(self.language)
        variants = sentences.get(self.role, {}).get(slot) or sentences["shared"][slot]
        used = self._times_used.get(slot, 0)
        self._times_used[slot] = used + 1
        first = zlib.crc32(f"{self._seed}|{slot}".encode())
        chosen: str = variants[(first + used) % len(variants)]
        return chosen

    def variants(self, slot: str) -> list[str]:
        """All variants of a shared slot."""
        found: list[str] = _sentences(self.language)["shared"][slot]
        return found

    def text(self, section: str, slot: str, /, **values: str) -> str:
        """The sentence of a section that does not depend on the role."""
        found = _sentences(self.language)[section][slot]
        if isinstance(found, list):
            found = found[zlib.crc32(f"{self._seed}|{slot}".encode()) % len(found)]
        sentence: str = found.format(**values)
        return sentence

    def name(self, role: str) -> str:
        """What a role is called in this language."""
        name: str = _sentences(self.language)["names"].get(role, role)
        return name

    def names(self, roles: list[str]) -> str:
        """Several roles as one phrase."""
        return self._listed([self.name(role) for role in roles])

    def point(self, number: int) -> str:
        """How a point is referred to, at the start of a line."""
        return self.text("phrases", "point", number=str(number))

    def point_inside(self, number: int) -> str:
        """How a point is referred to within a sentence."""
        point = self.point(number)
        return point if self.language == "zh" else point[0].lower() + point[1:]

    def points_inside(self, numbers: list[int]) -> str:
        """Several points as one phrase."""
        if self.language == "zh":
            return "、".join(self.point(number) for number in numbers)
        return self._listed([self.point_inside(number) for number in numbers])

    def _listed(self, items: list[str]) -> str:
        if len(items) < 2:
            return "".join(items)
        comma = self.text("phrases", "points_comma")
        last = self.text("phrases", "points_and")
        return comma.join(items[:-1]) + last + items[-1]
