"""Files and pages that could not be read: said in the turn, and told again at the end."""

import re
from collections.abc import Mapping

from meetmind.i18n.call_results import failure_text
from meetmind.llm.offline.brought import MOST_FILES, links_in, named_files, redirect_target
from meetmind.llm.offline.brought_calls import FETCH, READ
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import split_sentences
from meetmind.llm.prompt_sections import ToolResult

_QUOTED_PATH = re.compile(r"'([^']+)'")
_ANSWERED = re.compile(r"answered with status (\d{3})")
_CODE_BY_WORDS = (
    (re.compile(r"is not public|inner network"), "not_public"),
    (re.compile(r"does not answer on port"), "unreachable"),
    (re.compile(r"no address for the name"), "unknown_host"),
    (re.compile(r"took longer than"), "too_slow"),
    (re.compile(r"redirects more than"), "many_redirects"),
    (re.compile(r"no readable address"), "bad_redirect"),
    (re.compile(r"from https to http"), "downgraded"),
    (re.compile(r"with its certificate"), "certificate"),
    (re.compile(r"connection to .* broke off"), "broken_connection"),
    (re.compile(r"not a text that is read here"), "content_type"),
    (re.compile(r"holds no text that could be read"), "empty_page"),
    (re.compile(r"too large or too odd"), "unreadable_page"),
    (re.compile(r"came damaged"), "damaged_page"),
    (re.compile(r"address is not fetched"), "bad_address"),
    (re.compile(r"may hold secrets"), "hidden_name"),
    (re.compile(r"^Only an address that the person wrote"), "unknown_address"),
    (re.compile(r"^There is no file"), "no_such_file"),
    (re.compile(r"is larger than \d+ bytes"), "too_large"),
    (re.compile(r"cannot be read"), "not_text"),
)
"""A prompt tells the sentence of a failure alone; most sentences belong to one known code."""


def not_read_lines(room: Room) -> list[str]:
    """One line for every file or page that this turn has asked for and did not get."""
    targets = {READ: _files_asked(room), FETCH: _pages_asked(room)}
    lines = []
    for tool, asked in targets.items():
        results = [result for result in room.sections.tool_results if result.tool == tool]
        for place, result in enumerate(results):
            if result.status != "ok":
                name = asked[place] if place < len(asked) else _name_in(room, result)
                reason = reason_of(room, result)
                lines.append(room.voice.text("brought", "not_read", name=name, reason=reason))
    return list(dict.fromkeys(lines))


def all_not_read_lines(room: Room) -> list[str]:
    """The same for the whole discussion: what earlier turns have said, then this one."""
    mark = room.voice.text("brought", "not_read_mark")
    said = [line for item in room.talk for line in item.text.splitlines() if line.startswith(mark)]
    return list(dict.fromkeys([*said, *not_read_lines(room)]))


def reason_of(room: Room, result: ToolResult) -> str:
    """Why a call gave nothing, without what the tool tells the role to do instead."""
    told = result.text.strip()
    if result.status == "rejected":
        return _why_rejected(room, told)
    if result.status == "unsure" or not told:
        return room.voice.text("brought", f"status_{result.status}")
    if room.language == "zh":
        known = _known_reason(told)
        if known:
            return known
    return split_sentences(told)[0].rstrip(".。 ")


def _why_rejected(room: Room, told: str) -> str:
    if not told:
        return room.voice.text("brought", "status_rejected")
    if told.startswith("Nobody decided"):
        return room.voice.text("brought", "status_expired")
    return room.voice.text("brought", "rejected_because", reason=told.rstrip(".。 "))


def _known_reason(told: str) -> str:
    answered = _ANSWERED.search(told)
    if answered is not None:
        return failure_text(f"status_{answered[1]}", "zh").rstrip("。 ")
    for words, code in _CODE_BY_WORDS:
        if words.search(told):
            return failure_text(code, "zh").rstrip("。 ")
    return ""


def _files_asked(room: Room) -> list[str]:
    """The files in the order in which they are asked for: named ones, else the attached ones."""
    return named_files(room.sections) or list(room.sections.files[:MOST_FILES])


def _pages_asked(room: Room) -> list[str]:
    """The pages in the order in which they are asked for, those behind a redirect last."""
    targets = [redirect_target(piece.content) for piece in room.brought_passages]
    return [*links_in(room.sections.brief), *(target for target in targets if target)]


def _name_in(room: Room, result: ToolResult) -> str:
    """The path that a sentence names, else what kind of thing it was."""
    named = _QUOTED_PATH.search(result.text)
    kinds: Mapping[str, str] = {READ: "file", FETCH: "page"}
    return named[1] if named is not None else room.voice.name(kinds[result.tool])
