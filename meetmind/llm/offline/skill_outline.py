"""The outline of a loaded skill: put behind the summary, so that somebody can fill it in."""

import re
from dataclasses import dataclass

from meetmind.llm.offline.brought_words import failure_words
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.skill_wishes import SKILL
from meetmind.llm.tool_envelopes import PromptPassage

_OUTLINE = re.compile(r"^```markdown\n(?P<outline>.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class LoadedSkill:
    """A skill whose text this turn has read."""

    name: str
    passage_id: str
    outline: str


def loaded_skill(room: Room) -> LoadedSkill | None:
    """The skill that this turn has loaded; None without one, or without an outline in it."""
    pieces = _pieces(room)
    if not pieces:
        return None
    whole_text = "\n".join(piece.content for piece in pieces)
    found = _OUTLINE.search(whole_text)
    if found is None:
        return None
    return LoadedSkill(
        name=pieces[0].title, passage_id=pieces[0].passage_id, outline=found["outline"].strip()
    )


def _pieces(room: Room) -> list[PromptPassage]:
    """From the tool messages while looking things up, from the passages when speaking."""
    pieces = list(room.skill_passages)
    for envelope in room.sections.tool_messages:
        if envelope.tool == SKILL:
            pieces.extend(envelope.evidence)
    return pieces


def outline_section(room: Room) -> str:
    """The outline, fenced so that its lines stay, under a heading; empty without a loaded skill."""
    skill = loaded_skill(room)
    if skill is None:
        return ""
    title = room.voice.text("skill", "heading", name=skill.name)
    note = room.voice.text("skill", "note")
    return f"## {title}\n\n{note}\n\n```markdown\n{skill.outline}\n```"


def words_on_the_skill(room: Room, *, summary_is_written: bool) -> str:
    """Which outline the summary ends with, or why there is none; empty where nobody asked."""
    skill = loaded_skill(room)
    if skill is None:
        return " ".join(failure_words(room, {SKILL: "not_loaded"}))
    if not summary_is_written:
        return ""
    space = "" if room.language == "zh" else " "
    cited = f"{space}[{skill.passage_id}]"
    return room.voice.text("skill", "used", name=skill.name, cited=cited)
