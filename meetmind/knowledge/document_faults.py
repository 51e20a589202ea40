"""Why a document is not read, and what is noted about one that is: sentences by their names."""

from collections.abc import Sequence

from meetmind.errors import DocumentUnreadable
from meetmind.i18n.document_notes import Detail, Note

MOST_NUMBERS_SHOWN = 20


def unreadable(reason: str, **details: str | int | float) -> DocumentUnreadable:
    """The error for `document_reason.<reason>` of the text catalogue, in English."""
    note = Note(reason=reason, details=details)
    return DocumentUnreadable(str(note), reason=reason, **details)


def note_of(error: DocumentUnreadable) -> Note:
    """What the error says, in no language."""
    return Note(reason=error.reason, details=error.details)


def noted(reason: str, **details: Detail) -> Note:
    """The sentence `document_note.<reason>` of the text catalogue."""
    return Note(reason=reason, details=details)


def noted_numbers(reason: str, numbers: Sequence[int]) -> Note:
    """A note that lists pages or the like; where there are many, that of `<reason>_more`."""
    shown = tuple(numbers[:MOST_NUMBERS_SHOWN])
    left_out = len(numbers) - len(shown)
    if not left_out:
        return noted(reason, numbers=shown)
    return noted(f"{reason}_more", numbers=shown, more=left_out)
