"""`skill`: list what is known about writing documents, and load one of these skills."""

import asyncio
import hashlib
from collections.abc import Iterator
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.events import PassageEvidence
from meetmind.knowledge.words import detect_language
from meetmind.tools.envelope import Envelope
from meetmind.tools.skills import Skill, list_skills, load_skill
from meetmind.tools.workbench import current_workbench

PIECE_CHARACTERS = 4_000


class SkillArguments(BaseModel):
    """Arguments of `skill`."""

    model_config = ConfigDict(extra="ignore")

    name: Annotated[str, Field(max_length=40)] = Field(
        default="",
        description="The name of a skill, to load it; empty to see which ones there are.",
    )


@tool("skill", args_schema=SkillArguments)
async def skill_tool(config: RunnableConfig, name: str = "") -> str:
    """How to write a document of a certain kind (decision record, acceptance criteria, risks,
    release plan, incident review): without a name lists the skills, with a name loads one."""
    language = current_workbench(config).language
    if not name.strip():
        listed = await asyncio.to_thread(list_skills, language)
        envelope = _list_of(listed)
    else:
        loaded = await asyncio.to_thread(load_skill, name.strip(), language)
        envelope = _text_of(loaded)
    return envelope.to_json()


skill_tool.metadata = {"risk": "low"}


def _list_of(skills: list[Skill]) -> Envelope:
    lines = [{"name": skill.name, "description": skill.description} for skill in skills]
    return Envelope(
        tool="skill",
        status="ok",
        request={"name": ""},
        data={"skills": lines},
        diagnostics={"summary": f"{len(lines)} skills"},
    )


def _text_of(skill: Skill) -> Envelope:
    return Envelope(
        tool="skill",
        status="ok",
        request={"name": skill.name},
        data={"name": skill.name, "description": skill.description},
        evidence=tuple(_evidence(skill)),
        diagnostics={"summary": skill.name},
    )


def _evidence(skill: Skill) -> Iterator[PassageEvidence]:
    """The skill's text in pieces of whole lines, as material that can be cited."""
    first_line = 1
    for rank, piece in enumerate(_pieces(skill.text), start=1):
        last_line = first_line + piece.count("\n")
        digest = hashlib.sha256(f"{skill.source}{piece}".encode()).hexdigest()
        yield PassageEvidence(
            passage_id=f"file_{digest[:12]}",
            agent_name="",
            title=skill.name,
            source=skill.source,
            locator=f"lines {first_line}-{last_line}",
            language=detect_language(piece),
            content=piece,
            rank=rank,
            coverage=1.0,
            kind="file",
        )
        first_line = last_line + 1


def _pieces(text: str) -> list[str]:
    """The text in pieces of whole lines, of at most `PIECE_CHARACTERS` where lines allow it."""
    pieces: list[str] = []
    lines: list[str] = []
    size = 0
    for line in text.splitlines():
        if lines and size + len(line) > PIECE_CHARACTERS:
            pieces.append("\n".join(lines))
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    return [*pieces, "\n".join(lines)]
