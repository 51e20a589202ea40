"""What is said about a document that was not read or in part only: in no language until shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from meetmind.i18n.translate import FALLBACK_LANGUAGE, as_language, has_text, translate

Detail = str | int | float | Sequence[int]

SECTIONS = ("document_reason", "document_note")
"""Why a document was not read, and what was left out or changed; no name stands in both."""
BETWEEN_SENTENCES = {"en": " ", "zh": ""}


@dataclass(frozen=True, kw_only=True)
class Note:
    """One sentence about a document."""

    reason: str
    """Its name in one of the `SECTIONS` of the text catalogue."""
    details: Mapping[str, Detail] = field(default_factory=dict)
    """What fills the placeholders; a list of numbers is joined as the language does it."""

    def __str__(self) -> str:
        return note_text(self, FALLBACK_LANGUAGE) or self.reason


@dataclass(frozen=True, kw_only=True)
class ReadingFailure:
    """What did not work while the knowledge was brought up to date."""

    place: str = ""
    """`<role>/<file>`; empty where it is about no file."""
    english: str
    notes: tuple[Note, ...] = ()
    """The same in no language; empty where only the English sentence is known."""

    def __str__(self) -> str:
        return f"{self.place}: {self.english}" if self.place else self.english


def note_text(note: Note, language: str) -> str | None:
    """The sentence in `language`; None where the catalogue does not know it."""
    for section in SECTIONS:
        key = f"{section}.{note.reason}"
        if has_text(key):
            return translate(key, language, **_values(note.details, language))
    return None


def report_text(notes: Sequence[Note], english: str, language: str) -> str:
    """The notes in `language`; the English text where there are none or one is not known.

    Rows of an earlier version have no notes, and those of a later one may have unknown ones.
    """
    sentences: list[str] = []
    for note in notes:
        sentence = note_text(note, language)
        if sentence is None:
            return english
        sentences.append(sentence)
    if not sentences:
        return english
    return BETWEEN_SENTENCES[as_language(language)].join(sentences)


def failure_text(failure: ReadingFailure, language: str) -> str:
    """The failure in `language`, its place first."""
    sentence = report_text(failure.notes, failure.english, language)
    if not failure.place:
        return sentence
    return translate("ingest.failure", language, place=failure.place, reason=sentence)


def _values(details: Mapping[str, Detail], language: str) -> dict[str, str | int | float]:
    values: dict[str, str | int | float] = {}
    for name, detail in details.items():
        if isinstance(detail, str | int | float):
            values[name] = detail
        else:
            separator = translate("unit.list_separator", language)
            values[name] = separator.join(str(number) for number in detail)
    return values
