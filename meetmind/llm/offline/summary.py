"""The summary file that the architect asks to write: Markdown in the language of the brief."""

import hashlib
import re

from meetmind.llm.offline.brought_words import lines_of_what_was_said
from meetmind.llm.offline.closing import Closing
from meetmind.llm.offline.closing_words import (
    contest_line,
    open_lines,
    rule_lines,
    step_lines,
)
from meetmind.llm.offline.quotes import SaidQuote
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.skill_outline import outline_section
from meetmind.llm.offline.words import words_of
from meetmind.llm.prompt_sections import CitedSource

LONGEST_HEADING = 70
_MOST_SLUG_WORDS = 4
_PLAIN_WORD = re.compile(r"[a-z][a-z0-9]+")


def summary_path(question: str) -> str:
    """`summary-<words>.md`, from the brief's telling words; a short hash keeps briefs apart."""
    slug_words: list[str] = []
    for word in words_of(question).words:
        name = word.key.removeprefix("#").replace("_", "-") if word.is_concept else word.surface
        if not word.is_common and _PLAIN_WORD.fullmatch(name.replace("-", "")):
            slug_words.append(name)
    digest = hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:6]
    return "-".join(["summary", *slug_words[:_MOST_SLUG_WORDS], digest]) + ".md"


def summary_markdown(room: Room, closing: Closing) -> str:
    """Rules, what files and pages say, objections, open points, next steps and sources."""
    voice = room.voice
    heading = voice.text("summary", "heading", brief=_one_line(room.sections.brief))
    blocks = [f"# {heading}", f"> {voice.text('summary', 'made')}"]
    blocks.append(_section(room, "brief", [room.sections.brief], mark=""))
    blocks.append(_section(room, "rules", rule_lines(room, closing)))
    brought = lines_of_what_was_said(room)
    if brought:
        blocks.append(_section(room, "brought", brought))
    blocks.append(_section(room, "objections", _contests(room, closing)))
    blocks.append(_section(room, "open_points", open_lines(room, closing, "open_contested")))
    blocks.append(_section(room, "next_steps", step_lines(room, closing)))
    blocks.append(_section(room, "sources", _sources(room)))
    blocks.append(outline_section(room))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _section(room: Room, name: str, lines: list[str], mark: str = "- ") -> str:
    title = room.voice.text("summary", name)
    if not lines:
        return f"## {title}\n\n{room.voice.text('summary', 'none')}"
    body = "\n".join(f"{mark}{line}" for line in lines)
    return f"## {title}\n\n{body}"


def _contests(room: Room, closing: Closing) -> list[str]:
    return [contest_line(room, contest) for contest in closing.contests]


def _sources(room: Room) -> list[str]:
    """Every passage that was quoted, once: whose it is, its title and source, and its id."""
    known = {passage.passage_id: passage for passage in room.sections.sources}
    lines = []
    seen_ids: set[str] = set()
    for quote in (*room.said, *room.said_of_brought):
        if quote.passage_id not in seen_ids:
            seen_ids.add(quote.passage_id)
            passage = known.get(quote.passage_id)
            lines.append(_source(room, quote, passage))
    return lines


def _source(room: Room, quote: SaidQuote, cited: CitedSource | None) -> str:
    colon = "：" if room.language == "zh" else ": "
    name = room.voice.name(quote.agent_name)
    if cited is None or not cited.title:
        return f"{name} [{quote.passage_id}]"
    return f"{name}{colon}{cited.title} · {cited.source} [{quote.passage_id}]"


def _one_line(text: str) -> str:
    joined = " ".join(text.split())
    if len(joined) <= LONGEST_HEADING:
        return joined
    return joined[: LONGEST_HEADING - 1].rstrip() + "…"
