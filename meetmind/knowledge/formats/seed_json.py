"""JSON seeds: a list of `{type, title, summary?, content}`, each entry one passage."""

import json

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import clean_text, decode_text

SHAPE = "A JSON document is a list of objects with title and content."


def read_seed_json(raw: bytes) -> tuple[list[Section], list[str]]:
    """The entries as sections, and a note for every entry that had to be skipped.

    Raises `DocumentUnreadable` when the file is not such a list.
    """
    try:
        entries: object = json.loads(decode_text(raw))
    except (json.JSONDecodeError, RecursionError) as error:
        raise DocumentUnreadable(f"This is not valid JSON ({error}).") from None
    if not isinstance(entries, list):
        raise DocumentUnreadable(SHAPE)
    sections: list[Section] = []
    notes: list[str] = []
    for number, entry in enumerate(entries, start=1):
        section = _section_of(entry)
        if section is None:
            notes.append(f"Entry {number} was skipped: it has no content.")
        else:
            sections.append(section)
    return sections, notes


def _section_of(entry: object) -> Section | None:
    if not isinstance(entry, dict):
        return None
    content = _text(entry.get("content"))
    if not content:
        return None
    title = _text(entry.get("title"))
    return Section(
        heading=title,
        title=title,
        summary=_text(entry.get("summary")),
        doc_type=_text(entry.get("type")).lower(),
        blocks=(Block(kind="text", text=content),),
        stands_alone=True,
    )


def _text(value: object) -> str:
    return clean_text(value).strip() if isinstance(value, str) else ""
