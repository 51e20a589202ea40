"""JSON seeds: a list of `{type, title, summary?, content}`, each entry one passage."""

import json

from meetmind.i18n.document_notes import Note
from meetmind.knowledge.document_faults import noted, unreadable
from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import clean_line, clean_text, decode_text
from meetmind.knowledge.formats.lines import LONGEST_TITLE

LONGEST_TYPE = 40
MOST_NOTES = 20


def read_seed_json(raw: bytes) -> tuple[list[Section], list[Note]]:
    """The entries as sections, and a note for every entry that had to be skipped.

    Raises `DocumentUnreadable` when the file is not such a list.
    """
    try:
        entries: object = json.loads(decode_text(raw))
    except RecursionError:
        raise unreadable("json_too_deep") from None
    except json.JSONDecodeError as error:
        raise unreadable(
            "json_syntax",
            fault=error.msg,
            line=error.lineno,
            column=error.colno,
            position=error.pos,
        ) from None
    except ValueError as error:
        # Such as a number of more than 4,300 digits.
        raise unreadable("json_invalid", fault=str(error)) from None
    if not isinstance(entries, list):
        raise unreadable("json_shape")
    sections: list[Section] = []
    skipped: list[int] = []
    for number, entry in enumerate(entries, start=1):
        section = _section_of(entry)
        if section is None:
            skipped.append(number)
        else:
            sections.append(section)
    notes = [noted("entry_skipped", number=number) for number in skipped[:MOST_NOTES]]
    if len(skipped) > MOST_NOTES:
        notes.append(noted("entries_skipped", count=len(skipped) - MOST_NOTES))
    return sections, notes


def _section_of(entry: object) -> Section | None:
    if not isinstance(entry, dict):
        return None
    content = _text(entry.get("content"))
    if not content:
        return None
    title = clean_line(_text(entry.get("title")), LONGEST_TITLE)
    return Section(
        heading=title,
        title=title,
        summary=_text(entry.get("summary")),
        doc_type=clean_line(_text(entry.get("type")), LONGEST_TYPE).lower(),
        blocks=(Block(kind="text", text=content),),
        stands_alone=True,
    )


def _text(value: object) -> str:
    return clean_text(value).strip() if isinstance(value, str) else ""
