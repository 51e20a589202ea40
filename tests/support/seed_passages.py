"""Reads the seed documents simply, one passage a section, where they are there."""

import hashlib
import json
import re
from functools import cache
from pathlib import Path

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.llm.tool_envelopes import PromptPassage

DATA = Path(__file__).resolve().parents[2] / "data"
TXT_HEADING = re.compile(r"^(\d{1,2}\. |[一二三四五六七八九十]+、)")
LONGEST_HEADING = 80


@cache
def seed_passages() -> tuple[PromptPassage, ...]:
    """The passages of all five roles; empty where the seed folder is missing."""
    passages = []
    for agent_name in AGENT_NAMES:
        for folder in (DATA / "seed" / agent_name, DATA / "seed_sources" / agent_name):
            for path in sorted(folder.glob("*")):
                if path.suffix in (".md", ".txt", ".json"):
                    passages.extend(_passages_of(path, agent_name))
    return tuple(passages)


def make_passage(agent_name: str, title: str, content: str, source: str = "a.md") -> PromptPassage:
    digest = hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()[:12]
    han = sum(1 for character in content if "\u4e00" <= character <= "\u9fff")
    return PromptPassage(
        passage_id=f"{agent_name}_{digest}",
        agent_name=agent_name,
        title=title,
        source=source,
        language="zh" if han > len(content) / 5 else "en",
        coverage=0.0,
        content=content,
    )


def _passages_of(path: Path, agent_name: str) -> list[PromptPassage]:
    passages = []
    for title, content in _sections_of(path):
        passages.append(make_passage(agent_name, title, content, path.name.removesuffix(".md")))
    return passages


def _sections_of(path: Path) -> list[tuple[str, str]]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return [(entry["title"], entry["content"]) for entry in json.loads(text)]
    sections: list[tuple[str, str]] = []
    for line in text.splitlines()[1:]:
        heading = _heading(line, path.suffix)
        if heading:
            sections.append((heading, ""))
        elif sections:
            title, content = sections[-1]
            sections[-1] = (title, f"{content}\n{line}".strip())
    return [section for section in sections if section[1]]


def _heading(line: str, suffix: str) -> str:
    if suffix == ".md":
        return line.removeprefix("## ") if line.startswith("## ") else ""
    is_heading = len(line) < LONGEST_HEADING and TXT_HEADING.match(line) is not None
    return TXT_HEADING.sub("", line) if is_heading else ""
