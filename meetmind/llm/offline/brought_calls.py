"""The calls of the first speaker for what the person brought along: read files, fetch pages."""

from collections.abc import Iterator

from meetmind.llm.offline.brought import (
    MOST_FILES,
    links_in,
    named_files,
    redirect_target,
    speaks_of_files,
)
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.wanted_call import WantedCall

READ = "Read"
LIST_FOLDER = "list_dir"
FETCH = "web_fetch"


def brought_calls(room: Room) -> Iterator[WantedCall]:
    """Read what the brief names, else look what there is; ask for the pages that it links to."""
    paths = named_files(room.sections)
    for path in paths:
        yield WantedCall(tool=READ, arguments={"path": path})
    if not paths and speaks_of_files(room.sections):
        yield WantedCall(tool=LIST_FOLDER, arguments={"path": "."})
    why = room.voice.text("brought", "fetch_why")
    for link in links_in(room.sections.brief):
        yield WantedCall(tool=FETCH, arguments={"url": link, "why": why})


def calls_after_brought(room: Room) -> Iterator[WantedCall]:
    """What the first round leaves to do: files of a folder, and pages to which others lead."""
    yield from _reads_after_listing(room)
    yield from _fetches_after_redirects(room)


def _fetches_after_redirects(room: Room) -> Iterator[WantedCall]:
    why = room.voice.text("brought", "fetch_why")
    for envelope in room.sections.tool_messages:
        for piece in envelope.evidence:
            target = redirect_target(piece.content)
            if target and envelope.tool == FETCH:
                yield WantedCall(tool=FETCH, arguments={"url": target, "why": why})


def _reads_after_listing(room: Room) -> Iterator[WantedCall]:
    """After the look at the folder: the first of the attached files, else of those in it."""
    has_listed = any(call.tool == LIST_FOLDER for call in room.sections.asked_calls)
    if not has_listed:
        return
    paths = room.sections.files or _listed_files(room)
    for path in paths[:MOST_FILES]:
        yield WantedCall(tool=READ, arguments={"path": path})


def _listed_files(room: Room) -> list[str]:
    """The names in the folder that was looked at; folders in it have no size."""
    names: list[str] = []
    for envelope in room.sections.tool_messages:
        if envelope.tool != LIST_FOLDER or not isinstance(envelope.data, dict):
            continue
        for entry in envelope.data.get("entries", ()):
            if isinstance(entry, dict) and "bytes" in entry:
                names.append(str(entry.get("name")))
    return names
