"""The shipped skills: how to write a document of a certain kind, in two languages.

A skill is a folder `skills/<name>` with `SKILL.md` (English) and `SKILL.zh.md` (Chinese). Each file
begins with its name and a description of one line between two lines of `---`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from meetmind.config.settings import PROJECT_ROOT
from meetmind.errors import ToolError

SKILLS_FOLDER = PROJECT_ROOT / "skills"
SKILL_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
FILE_BY_LANGUAGE = {"en": "SKILL.md", "zh": "SKILL.zh.md"}
_FRONT_MATTER = re.compile(r"---\n(?P<fields>.*?)\n---\n(?P<text>.*)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Skill:
    """One skill in one language; `text` is what stands below the front matter."""

    name: str
    description: str
    text: str

    @property
    def source(self) -> str:
        """Where it is said to come from, whatever the language is."""
        return f"skills/{self.name}/SKILL.md"


def list_skills(language: str, folder: Path = SKILLS_FOLDER) -> list[Skill]:
    """Every skill in this language (English where it has no such file), in order of the names."""
    return [_read_skill(folder / name, language) for name in sorted(_names(folder))]


def load_skill(name: str, language: str, folder: Path = SKILLS_FOLDER) -> Skill:
    """One skill; raises `ToolError` for a name that is not in the list."""
    names = sorted(_names(folder))
    if name not in names:
        listed = ", ".join(names)
        raise ToolError(
            f"There is no skill named {name!r}. Take one of: {listed}.", reason="no_such_skill"
        )
    return _read_skill(folder / name, language)


def _names(folder: Path) -> Iterator[str]:
    """The names of what really are skills: plain folders with plain names, no links."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        is_plain_folder = path.is_dir() and not path.is_symlink()
        if SKILL_NAME.fullmatch(path.name) and is_plain_folder and _file(path, "en").is_file():
            yield path.name


def _file(skill_folder: Path, language: str) -> Path:
    in_language = skill_folder / FILE_BY_LANGUAGE.get(language, FILE_BY_LANGUAGE["en"])
    if in_language.is_file():
        return in_language
    return skill_folder / FILE_BY_LANGUAGE["en"]


def _read_skill(skill_folder: Path, language: str) -> Skill:
    written = _file(skill_folder, language).read_text(encoding="utf-8")
    parts = _FRONT_MATTER.fullmatch(written)
    if parts is None:
        return Skill(name=skill_folder.name, description="", text=written.strip())
    value_by_field: dict[str, str] = {}
    for line in parts["fields"].splitlines():
        field, _, value = line.partition(":")
        value_by_field[field.strip()] = value.strip()
    return Skill(
        name=skill_folder.name,
        description=value_by_field.get("description", ""),
        text=parts["text"].strip(),
    )
