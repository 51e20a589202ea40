"""The odd-document set: hostile and honest files, made in code, and how they must be read."""

import re
import time
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import LoadedDocument, Piece
from meetmind.knowledge.loaders import LONGEST_NAME_SHOWN, shown_name
from meetmind.knowledge.reading import DocumentReader
from meetmind.knowledge.token_bound import most_tokens

USUAL_SECONDS = 20.0
GRACE_SECONDS = 3.0
MOST_PASSAGE_TOKENS = 507
LONGEST_REASON = 400
NEVER_STORED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd\ufeff]")
TURNS_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, kw_only=True)
class OddDocument:
    """A file and what must come of it: a refusal, or its words, perhaps with a note."""

    name: str
    make: Callable[[], bytes]
    refused: str = ""
    """What the reason must match; empty where the file must be read."""
    words: tuple[str, ...] = ()
    """What must stand in the passages or the title."""
    absent: tuple[str, ...] = ()
    """What must stand nowhere."""
    note: str = ""
    """What a note must match."""
    seconds: float = USUAL_SECONDS
    """The time limit of the reader."""


@dataclass(frozen=True, kw_only=True)
class OddVerdict:
    """How many files were read, noted or refused as they must be."""

    hostile_ok: int
    hostile_total: int
    honest_ok: int
    honest_total: int
    faults: list[str]
    """`<name>: <what is wrong>` for every other."""


def judge_all() -> OddVerdict:
    """Read every document of the set as the product does and judge what came of it."""
    from tests.support.odd_sets import honest_documents, hostile_documents

    hostile = hostile_documents()
    honest = honest_documents()
    hostile_faults = _faults_of(hostile)
    honest_faults = _faults_of(honest)
    return OddVerdict(
        hostile_ok=len(hostile) - len(hostile_faults),
        hostile_total=len(hostile),
        honest_ok=len(honest) - len(honest_faults),
        honest_total=len(honest),
        faults=[*hostile_faults, *honest_faults],
    )


def judge(odd: OddDocument, reader: DocumentReader) -> str:
    """What is wrong with how the document is read; empty when all is as it must be."""
    raw = odd.make()
    started = time.monotonic()
    try:
        document, pieces = reader.read_and_split(odd.name, raw)
    except DocumentUnreadable as error:
        fault = _fault_of_refusal(odd, str(error))
    else:
        fault = _fault_of_reading(odd, document, pieces)
    took = time.monotonic() - started
    if not fault and took > odd.seconds + GRACE_SECONDS:
        return f"took {took:.1f} s"
    return fault


def _faults_of(documents: Iterable[OddDocument]) -> list[str]:
    faults: list[str] = []
    with DocumentReader() as reader:
        for odd in documents:
            if odd.seconds == USUAL_SECONDS:
                fault = judge(odd, reader)
            else:
                with DocumentReader(time_limit=odd.seconds) as impatient_reader:
                    fault = judge(odd, impatient_reader)
            if fault:
                faults.append(f"{shown_name(odd.name)}: {fault}")
    return faults


def _fault_of_refusal(odd: OddDocument, reason: str) -> str:
    if not odd.refused:
        return f"was refused: {reason}"
    if not re.search(odd.refused, reason):
        return f"was refused for another reason: {reason}"
    if len(reason) > LONGEST_REASON or "\n" in reason or not reason.endswith((".", ")")):
        return f"is no plain sentence: {reason[:LONGEST_REASON]}"
    return ""


def _fault_of_reading(odd: OddDocument, document: LoadedDocument, pieces: list[Piece]) -> str:
    if odd.refused:
        return f"was read but must be refused ({odd.refused})"
    if not pieces:
        return "gave no passage"
    texts = [document.title, *(piece.content for piece in pieces)]
    texts.extend(piece.title for piece in pieces)
    everything = "\n".join(texts)
    for word in odd.words:
        if word not in everything:
            return f"lost {word!r}"
    for word in odd.absent:
        if word in everything:
            return f"holds {word!r}"
    notes = " ".join(str(note) for note in document.notes)
    if bool(odd.note) != bool(notes) or not re.search(odd.note, notes):
        return f"notes are {notes!r}, must match {odd.note!r}"
    return _fault_of_shape(document, pieces)


def _fault_of_shape(document: LoadedDocument, pieces: list[Piece]) -> str:
    """What no text may hold and no passage may exceed."""
    shown = [document.title, shown_name(document.source)]
    for piece in pieces:
        shown.extend((piece.title, piece.locator))
        passage = [piece.title, piece.summary, piece.content]
        if sum(most_tokens(part) for part in passage if part) > MOST_PASSAGE_TOKENS:
            return f"has a passage that is too long: {piece.content[:40]!r}"
        if NEVER_STORED.search("\n".join((*passage, piece.locator, piece.doc_type))):
            return f"holds signs that cannot be stored: {piece.content[:40]!r}"
        if not piece.content.strip():
            return "has an empty passage"
    for line in shown:
        if "\n" in line or TURNS_DIRECTION.search(line):
            return f"shows {line[:80]!r}"
    if len(shown[1]) > LONGEST_NAME_SHOWN or not document.title.strip():
        return f"is named {shown[1][:80]!r}"
    if any(unicodedata.category(sign) == "Cs" for sign in document.source):
        return "has a source that cannot be stored"
    return ""
