"""The way into the knowledge: files of a role's seed folder to passages with words, then vectors.

Words of all roles come first, so that a search works within seconds of a first start; vectors are
filled in afterwards (`vectors.py`). A file that did not change is not read again.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
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
from meetmind.database.removal import empty_agent_table, remove_document
from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import LoadedDocument, Piece
from meetmind.knowledge.encodings import clean_text
from meetmind.knowledge.loaders import SUPPORTED_SUFFIXES, load_document
from meetmind.knowledge.masking import mask_secrets
from meetmind.knowledge.splitters import split_document
from meetmind.knowledge.words import detect_language, terms_of

READER_VERSION = "1"
"""Raise it when loaders, splitters or words change, so that every file is read again."""
MOST_PASSAGES = 4_000
SEED_ORIGIN = "seed"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class SeedFile:
    """A file of a role's knowledge."""

    agent_name: str
    source: str
    path: Path


@dataclass(frozen=True, kw_only=True)
class SeedReport:
    """What reading a role's files brought."""

    read: int = 0
    unchanged: int = 0
    removed: int = 0
    added_passages: int = 0
    failures: tuple[str, ...] = ()
    """`<role>/<file>: <reason>` for every file that cannot be read."""


OnFile = Callable[[SeedFile], None]


def _ignore_file(file: SeedFile) -> None:
    """Nobody watches."""


def get_seeds_content(seed_path: Path, agent_name: str) -> list[SeedFile]:
    """The files of a role: everything in its folder, or `<role>_seeds.json` where there is none."""
    folder = seed_path / agent_name
    if not folder.is_dir():
        single = seed_path / f"{agent_name}_seeds.json"
        if not single.is_file():
            return []
        return [SeedFile(agent_name=agent_name, source=single.name, path=single)]
    files: list[SeedFile] = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        is_hidden = any(part.startswith((".", "~$")) for part in relative.parts)
        if path.is_file() and not is_hidden:
            source = clean_text(relative.as_posix())
            files.append(SeedFile(agent_name=agent_name, source=source, path=path))
    return files


def generate_doc_id(agent_name: str, content: str) -> str:
    """The id of a passage: the same text of a role always gets the same one."""
    digest = hashlib.md5(content.encode("utf-8"), usedforsecurity=False).hexdigest()
    return f"{agent_name}_{digest[:12]}"


def get_existing_ids(pool: ConnectionPool, prefix: str, agent_name: str) -> set[str]:
    """The ids of every passage of a role."""
    return existing_ids(pool, get_table_name(prefix, agent_name))


def build_agents_tables(
    pool: ConnectionPool, prefix: str, seed_path: Path, on_file: OnFile = _ignore_file
) -> dict[str, SeedReport]:
    """Bring the words of every role's table up to date with its files."""
    report_by_agent: dict[str, SeedReport] = {}
    for agent_name in AGENT_NAMES:
        report = load_seeds_to_pg(pool, prefix, agent_name, seed_path, on_file)
        report_by_agent[agent_name] = report
    return report_by_agent


def reset_agent_db(
    pool: ConnectionPool,
    prefix: str,
    agent_name: str,
    seed_path: Path,
    on_file: OnFile = _ignore_file,
) -> SeedReport:
    """Empty a role's table and fill it again; what a person deleted stays away."""
    table_name = get_table_name(prefix, agent_name)
    ensure_agent_table(pool, table_name)
    empty_agent_table(pool, table_name)
    return load_seeds_to_pg(pool, prefix, agent_name, seed_path, on_file)


def load_seeds_to_pg(
    pool: ConnectionPool,
    prefix: str,
    agent_name: str,
    seed_path: Path,
    on_file: OnFile = _ignore_file,
) -> SeedReport:
    """Read the files of a role that are new or changed; those that are gone leave the table.

    Where the role has no folder and no seed file at all, what was read before stays.
    """
    table_name = get_table_name(prefix, agent_name)
    ensure_agent_table(pool, table_name)
    known = known_documents(pool, table_name)
    files = get_seeds_content(seed_path, agent_name)
    outcomes: Counter[str] = Counter()
    added_passages = 0
    failures: list[str] = []
    for file in files:
        on_file(file)
        outcome = _take_file(pool, table_name, file, known.get(file.source))
        outcomes[outcome.kind] += 1
        added_passages += outcome.added_passages
        if outcome.problem:
            failures.append(f"{agent_name}/{file.source}: {outcome.problem}")
    removed = 0
    if files:
        removed = _remove_missing(pool, table_name, known, files)
    return SeedReport(
        read=outcomes["read"],
        unchanged=outcomes["unchanged"],
        removed=removed,
        added_passages=added_passages,
        failures=tuple(failures),
    )


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    kind: str
    added_passages: int = 0
    problem: str = ""


def _take_file(
    pool: ConnectionPool, table_name: str, file: SeedFile, known: KnownDocument | None
) -> _Outcome:
    """Read one file unless it is as it was; one that cannot be read is written down."""
    sha256 = ""
    try:
        if file.path.suffix.lower() not in SUPPORTED_SUFFIXES:
            kinds = ", ".join(SUPPORTED_SUFFIXES)
            raise DocumentUnreadable(f"Only {kinds} files are read.")
        raw = _read_bytes(file.path)
        sha256 = hashlib.sha256(READER_VERSION.encode() + raw).hexdigest()
        if known is not None and known.sha256 == sha256:
            problem = known.report if known.status == "failed" else ""
            return _Outcome(kind="unchanged", problem=problem)
        loaded = load_document(file.source, raw)
    except DocumentUnreadable as error:
        logger.warning("%s/%s: %s", file.agent_name, file.source, error)
        failed = NewDocument(
            source=file.source, origin=SEED_ORIGIN, sha256=sha256, report=str(error)
        )
        record_failure(pool, table_name, failed)
        return _Outcome(kind="failed", problem=str(error))
    ingested = store_document(pool, table_name, file.agent_name, loaded, sha256)
    return _Outcome(kind="read", added_passages=ingested)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DocumentUnreadable(f"The file cannot be opened ({reason}).") from None


def store_document(
    pool: ConnectionPool, table_name: str, agent_name: str, loaded: LoadedDocument, sha256: str
) -> int:
    """Split a document and store it in place of its former version; returns the new passages."""
    pieces = split_document(loaded)
    notes = list(loaded.notes)
    if len(pieces) > MOST_PASSAGES:
        notes.append(f"Only the first {MOST_PASSAGES} of {len(pieces)} passages were stored.")
        pieces = pieces[:MOST_PASSAGES]
    passages: list[NewPassage] = []
    secret_count = 0
    for piece in pieces:
        masked = mask_secrets(piece.content)
        secret_count += masked.count
        passages.append(_passage(agent_name, loaded.source, piece, masked.text))
    if secret_count:
        notes.append(f"Secrets that were masked: {secret_count}.")
    whole_text = "\n".join(passage.content for passage in passages)
    document = NewDocument(
        source=loaded.source,
        origin=SEED_ORIGIN,
        sha256=sha256,
        title=loaded.title,
        doc_type=loaded.doc_type,
        language=detect_language(whole_text),
        characters=sum(len(passage.content) for passage in passages),
        report=" ".join(notes),
    )
    return replace_document(pool, table_name, document, passages).added


def _passage(agent_name: str, source: str, piece: Piece, content: str) -> NewPassage:
    title = mask_secrets(piece.title).text
    summary = mask_secrets(piece.summary).text
    searched_text = f"{title}\n{summary}\n{content}"
    frequency_by_term = Counter(terms_of(searched_text))
    return NewPassage(
        id=generate_doc_id(agent_name, content),
        content=content,
        title=title,
        summary=summary,
        source=source,
        locator=piece.locator,
        language=detect_language(content),
        doc_type=piece.doc_type,
        frequency_by_term=frequency_by_term,
    )


def _remove_missing(
    pool: ConnectionPool,
    table_name: str,
    known: dict[str, KnownDocument],
    files: list[SeedFile],
) -> int:
    """Remove the seed documents whose files are gone; uploads are no seed files."""
    present = {file.source for file in files}
    removed = 0
    for document in known.values():
        if document.origin == SEED_ORIGIN and document.source not in present:
            remove_document(pool, table_name, document.source)
            removed += 1
    return removed
