"""The way into the knowledge: files of a role to passages with words; vectors follow.

Words come first, so that a search works within seconds of a first start; vectors are filled in
afterwards (`vectors.py`). A file that did not change is not read again.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database.agent_tables import ensure_agent_table, get_table_name
from meetmind.database.documents import (
    KnownDocument,
    NewDocument,
    known_documents,
    record_failure,
)
from meetmind.database.ingestion import NewPassage, existing_ids, replace_document
from meetmind.database.passage_edits import PassageEdit, passage_edits
from meetmind.database.removal import empty_agent_table, remove_document
from meetmind.errors import DocumentUnreadable
from meetmind.i18n.document_notes import ReadingFailure
from meetmind.knowledge.dates import date_of
from meetmind.knowledge.document_faults import note_of, noted
from meetmind.knowledge.documents import LoadedDocument, Piece
from meetmind.knowledge.reading import DocumentReader
from meetmind.knowledge.source_files import (
    SEED_ORIGIN,
    SeedFile,
    get_seeds_content,
    read_bytes,
    uploaded_files,
)
from meetmind.knowledge.words import detect_language, terms_of
from meetmind.redaction import redact_text

READER_VERSION = "3"
"""Raise it when loaders, splitters, words or redaction change, so that every file is read again."""
MOST_PASSAGES = 4_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class SeedReport:
    """What reading a role's files brought."""

    read: int = 0
    unchanged: int = 0
    removed: int = 0
    added_passages: int = 0
    failures: tuple[ReadingFailure, ...] = ()
    """One for every file that cannot be read."""


OnFile = Callable[[SeedFile], None]


def _ignore_file(file: SeedFile) -> None:
    """Nobody watches."""


@dataclass(frozen=True, kw_only=True)
class KnowledgeFolders:
    """Where the files of an installation lie."""

    seeds: Path
    uploads: Path | None = None

    def files_of(self, agent_name: str) -> list[SeedFile]:
        """Every file of a role; an upload of a seed file's name takes its place."""
        uploads = [] if self.uploads is None else uploaded_files(self.uploads, agent_name)
        uploaded_sources = {file.source for file in uploads}
        files = list(uploads)
        for file in get_seeds_content(self.seeds, agent_name):
            if file.source not in uploaded_sources:
                files.append(file)
        return files


def generate_doc_id(agent_name: str, content: str) -> str:
    """The id of a passage: the same text of a role always gets the same one."""
    digest = hashlib.md5(content.encode("utf-8"), usedforsecurity=False).hexdigest()
    return f"{agent_name}_{digest[:12]}"


def get_existing_ids(pool: ConnectionPool, prefix: str, agent_name: str) -> set[str]:
    """The ids of every passage of a role."""
    return existing_ids(pool, get_table_name(prefix, agent_name))


@dataclass(frozen=True, kw_only=True, eq=False)
class KnowledgeBase:
    """The tables of an installation and where they are filled from."""

    pool: ConnectionPool
    prefix: str
    folders: KnowledgeFolders
    reader: DocumentReader


def build_agents_tables(
    base: KnowledgeBase, on_file: OnFile = _ignore_file
) -> dict[str, SeedReport]:
    """Bring the words of every role's table up to date with its files."""
    report_by_agent: dict[str, SeedReport] = {}
    for agent_name in AGENT_NAMES:
        report_by_agent[agent_name] = load_seeds_to_pg(base, agent_name, on_file)
    return report_by_agent


def reset_agent_db(
    base: KnowledgeBase, agent_name: str, on_file: OnFile = _ignore_file
) -> SeedReport:
    """Empty a role's table and fill it again, uploads included.

    What a person deleted stays away, what a person edited or disabled stays so.
    """
    table_name = get_table_name(base.prefix, agent_name)
    ensure_agent_table(base.pool, table_name)
    empty_agent_table(base.pool, table_name)
    return load_seeds_to_pg(base, agent_name, on_file)


def load_seeds_to_pg(
    base: KnowledgeBase, agent_name: str, on_file: OnFile = _ignore_file
) -> SeedReport:
    """Read the files of a role that are new or changed; those that are gone leave the table.

    Where the role has no seed file at all, what was read before stays.
    """
    pool = base.pool
    table_name = get_table_name(base.prefix, agent_name)
    ensure_agent_table(pool, table_name)
    known = known_documents(pool, table_name)
    files = base.folders.files_of(agent_name)
    intake = Intake(pool, table_name, agent_name, base.reader)
    outcomes: Counter[str] = Counter()
    added_passages = 0
    failures: list[ReadingFailure] = []
    for file in files:
        on_file(file)
        outcome = intake.take_file(file, known.get(file.source))
        outcomes[outcome.kind] += 1
        added_passages += outcome.added_passages
        if outcome.failure is not None:
            failures.append(outcome.failure)
    removed = 0
    if get_seeds_content(base.folders.seeds, agent_name):
        removed = _remove_missing(pool, table_name, known, files)
    return SeedReport(
        read=outcomes["read"],
        unchanged=outcomes["unchanged"],
        removed=removed,
        added_passages=added_passages,
        failures=tuple(failures),
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one file."""

    kind: str
    """`read`, `unchanged`, `failed` or `deleted`."""
    added_passages: int = 0
    failure: ReadingFailure | None = None


@dataclass(frozen=True)
class Intake:
    """Takes files into one role's table, all of a document or nothing."""

    pool: ConnectionPool
    table_name: str
    agent_name: str
    reader: DocumentReader

    def take_file(self, file: SeedFile, known: KnownDocument | None) -> Outcome:
        """Read one file unless it is as it was; one that cannot be read is written down."""
        if known is not None and known.status == "deleted":
            return Outcome(kind="deleted")
        place = f"{file.agent_name}/{file.source}"
        draft = NewDocument(source=file.source, origin=file.origin, sha256="")
        try:
            raw = read_bytes(file.path)
            sha256 = hashlib.sha256(READER_VERSION.encode() + raw).hexdigest()
            draft = replace(draft, sha256=sha256, bytes=len(raw))
            if known is not None and known.sha256 == sha256:
                return Outcome(kind="unchanged", failure=_former_failure(place, known))
            loaded, pieces = self.reader.read_and_split(file.source, raw)
        except DocumentUnreadable as error:
            logger.warning("%s: %s", place, error)
            failure = ReadingFailure(place=place, english=str(error), notes=(note_of(error),))
            failed = replace(draft, report=failure.english, report_parts=failure.notes)
            record_failure(self.pool, self.table_name, failed)
            return Outcome(kind="failed", failure=failure)
        return Outcome(kind="read", added_passages=self.store(draft, loaded, pieces))

    def store(self, draft: NewDocument, loaded: LoadedDocument, pieces: Sequence[Piece]) -> int:
        """Store a document in place of its former version; returns the number of new passages."""
        notes = list(loaded.notes)
        left_out = max(0, len(pieces) - MOST_PASSAGES)
        if left_out:
            notes.append(noted("passages_cut", limit=MOST_PASSAGES, total=len(pieces)))
        dated = date_of("\n".join(piece.content for piece in pieces[:2]))
        # Read for each document: somebody may edit while the others are read.
        edit_by_id = passage_edits(self.pool, self.table_name)
        passages: list[NewPassage] = []
        secret_count = 0
        for piece in pieces[:MOST_PASSAGES]:
            redacted = redact_text(piece.content)
            secret_count += redacted.count
            edit = edit_by_id.get(generate_doc_id(self.agent_name, redacted.text))
            passages.append(self._passage(loaded.source, piece, redacted.text, dated, edit))
        if secret_count:
            notes.append(noted("secrets", count=secret_count))
        whole_text = "\n".join(passage.content for passage in passages)
        document = replace(
            draft,
            title=redact_text(loaded.title).text,
            doc_type=loaded.doc_type,
            language=detect_language(whole_text),
            characters=sum(len(passage.content) for passage in passages),
            left_out=left_out,
            report=" ".join(str(note) for note in notes),
            report_parts=tuple(notes),
        )
        return replace_document(self.pool, self.table_name, document, passages).added

    def _passage(
        self, source: str, piece: Piece, content: str, dated: str, edit: PassageEdit | None
    ) -> NewPassage:
        title = redact_text(piece.title).text
        summary = redact_text(piece.summary).text
        if edit is not None:
            title, content, summary = edit.title, edit.content, ""
        frequency_by_term = Counter(terms_of(f"{title}\n{summary}\n{content}"))
        return NewPassage(
            id=generate_doc_id(self.agent_name, content),
            content=content,
            title=title,
            summary=summary,
            source=source,
            locator=piece.locator,
            language=detect_language(content),
            doc_type=piece.doc_type,
            dated=dated,
            frequency_by_term=frequency_by_term,
        )


def _former_failure(place: str, known: KnownDocument) -> ReadingFailure | None:
    """What the last reading of a file that has not changed since came to."""
    if known.status != "failed":
        return None
    return ReadingFailure(place=place, english=known.report, notes=known.report_parts)


def _remove_missing(
    pool: ConnectionPool,
    table_name: str,
    known: dict[str, KnownDocument],
    files: list[SeedFile],
) -> int:
    """Remove the seed documents whose files are gone; an upload goes only by a person's hand."""
    present = {file.source for file in files}
    removed = 0
    for document in known.values():
        is_gone = document.origin == SEED_ORIGIN and document.source not in present
        if is_gone and document.status != "deleted":
            remove_document(pool, table_name, document.source)
            removed += 1
    return removed
