"""What people change in the knowledge: uploads, edits, deletions, aliases; for administrators."""

from dataclasses import dataclass

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.database import aliases as alias_rows
from meetmind.database import passages as passage_rows
from meetmind.database.aliases import Alias
from meetmind.database.documents import known_documents, read_again, restore_document
from meetmind.database.passage_edits import EditRecord, edit_record, remove_edit, store_edit
from meetmind.database.passages import PassageFilter, PassagePage, PassageRow, SortBy
from meetmind.database.removal import (
    DeletedPassage,
    delete_passage,
    forget_deletion,
    list_deleted_passages,
    mark_document_deleted,
    remove_document,
)
from meetmind.errors import DocumentUnreadable, EditRefused, NotFound
from meetmind.i18n.document_notes import Note
from meetmind.knowledge.document_faults import note_of, unreadable
from meetmind.knowledge.formats.lines import LONGEST_TITLE
from meetmind.knowledge.initializer import generate_doc_id
from meetmind.knowledge.loaders import MOST_BYTES, SUPPORTED_SUFFIXES
from meetmind.knowledge.source_files import (
    UPLOAD_ORIGIN,
    keep_upload,
    remove_upload,
    upload_name,
)
from meetmind.redaction import redact_text
from meetmind.server.accounts import Person
from meetmind.server.library import Library

LONGEST_EDIT = 4_000
"""Characters; more would not be embedded."""
LONGEST_ALIAS = 80


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file that somebody hands over."""

    name: str
    raw: bytes


@dataclass(frozen=True, kw_only=True)
class UploadRefusal:
    """A file that was not taken, and why, in one sentence: in English and in no language."""

    name: str
    reason: str
    note: Note


@dataclass(frozen=True, kw_only=True)
class OpenPassage:
    """A passage with what stands around it and where else it stands."""

    passage: PassageRow
    around: tuple[PassageRow, ...]
    other_places: tuple[PassageRow, ...]
    edit: EditRecord | None
    """Who wrote the text that stands here in place of the file's."""


class KnowledgeEditing:
    """The knowledge as people look through it and change it."""

    suffixes = SUPPORTED_SUFFIXES
    most_bytes = MOST_BYTES

    def __init__(self, pool: ConnectionPool, library: Library) -> None:
        self._pool = pool
        self._library = library

    def find_passages(
        self,
        agent_name: str,
        *,
        source: str | None = None,
        language: str | None = None,
        words: str = "",
        only_disabled: bool = False,
        only_edited: bool = False,
        sort_by: SortBy = "document",
        offset: int = 0,
        limit: int = 10,
    ) -> PassagePage:
        """Passages of a role, a page at a time; None and an empty text want all.

        `words` stand in the title or the text, as they are, in any case.
        """
        table_name = self._library.table_name(agent_name)
        wanted = PassageFilter(
            source=source,
            language=language,
            words=clean_bad_chars(words),
            only_disabled=only_disabled,
            only_edited=only_edited,
        )
        return passage_rows.find_passages(
            self._pool, table_name, wanted, sort_by=sort_by, offset=offset, limit=limit
        )

    def open_passage(self, agent_name: str, passage_id: str) -> OpenPassage:
        """A passage with its neighbours; raises `NotFound` when it is gone."""
        table_name = self._library.table_name(agent_name)
        places = passage_rows.find_passage(self._pool, table_name, clean_bad_chars(passage_id))
        if not places:
            raise NotFound("This passage is no longer in the knowledge.")
        first = places[0]
        around = passage_rows.neighbours(self._pool, table_name, first.source, first.position)
        return OpenPassage(
            passage=first,
            around=tuple(around),
            other_places=tuple(places[1:]),
            edit=edit_record(self._pool, table_name, passage_id),
        )

    def upload(self, person: Person, agent_name: str, files: list[Upload]) -> list[UploadRefusal]:
        """Keep files for a role and begin to read them; those that cannot be kept, with reasons.

        A file takes the place of an upload of the same name. Raises `EditRefused` for anybody but
        an administrator.
        """
        _require_admin(person)
        self._library.table_name(agent_name)
        refusals: list[UploadRefusal] = []
        for file in files:
            try:
                self._keep(agent_name, file)
            except (DocumentUnreadable, OSError) as error:
                refusals.append(_refusal(file.name, error))
        if len(refusals) < len(files):
            self._library.start_ingestion()
        return refusals

    def _keep(self, agent_name: str, file: Upload) -> None:
        name = upload_name(file.name)
        if not name.lower().endswith(SUPPORTED_SUFFIXES):
            raise unreadable("only_these_kinds", suffixes=", ".join(SUPPORTED_SUFFIXES))
        if len(file.raw) > MOST_BYTES:
            raise unreadable("too_large", megabytes=MOST_BYTES // 1_000_000)
        table_name = self._library.table_name(agent_name)
        keep_upload(self._library.uploads, agent_name, name, file.raw)
        restore_document(self._pool, table_name, name)

    @staticmethod
    def kept_name(name: str) -> str:
        """The source under which an upload of this name stands among the documents."""
        return upload_name(name)

    def delete_document(self, person: Person, agent_name: str, source: str) -> int:
        """Delete a document with its passages, and an upload's file; returns the passages gone.

        A document of the seed folder stays away until it is restored; its file is not touched.
        """
        _require_admin(person)
        table_name = self._library.table_name(agent_name)
        document = known_documents(self._pool, table_name).get(source)
        if document is None:
            raise NotFound("This document is no longer in the knowledge.")
        if document.origin == UPLOAD_ORIGIN:
            remove_upload(self._library.uploads, agent_name, source)
            removed = remove_document(self._pool, table_name, source)
            # A seed document whose place the upload took is read again.
            self._library.start_ingestion()
            return removed
        return mark_document_deleted(self._pool, table_name, source)

    def restore_document(self, person: Person, agent_name: str, source: str) -> None:
        """Read a deleted document again; raises `NotFound` when it is not deleted."""
        _require_admin(person)
        if not restore_document(self._pool, self._library.table_name(agent_name), source):
            raise NotFound("This document is not deleted.")
        self._library.start_ingestion()

    def delete_passage(self, person: Person, agent_name: str, passage_id: str) -> None:
        """Delete a passage for good; nothing of its text stays and no reading brings it back."""
        _require_admin(person)
        table_name = self._library.table_name(agent_name)
        if not delete_passage(self._pool, table_name, passage_id, person.id):
            raise NotFound("This passage is no longer in the knowledge.")

    def deleted_passages(self, agent_name: str) -> list[DeletedPassage]:
        """What was deleted from a role's knowledge, the last one first."""
        return list_deleted_passages(self._pool, self._library.table_name(agent_name))

    def restore_passage(self, person: Person, agent_name: str, passage_id: str) -> None:
        """Read a deleted passage again; raises `NotFound` when it is not deleted."""
        _require_admin(person)
        table_name = self._library.table_name(agent_name)
        sources = forget_deletion(self._pool, table_name, passage_id)
        if sources is None:
            raise NotFound("This passage is not deleted.")
        self._read_again(table_name, sources)

    def set_disabled(
        self, person: Person, agent_name: str, passage_id: str, is_disabled: bool
    ) -> None:
        """Keep a passage out of every search, or let it be found again."""
        _require_admin(person)
        table_name = self._library.table_name(agent_name)
        if not passage_rows.set_disabled(self._pool, table_name, passage_id, is_disabled):
            raise NotFound("This passage is no longer in the knowledge.")

    def edit_passage(
        self, person: Person, agent_name: str, passage_id: str, title: str, content: str
    ) -> str:
        """Put another text in a passage's place; returns the id that it has from now on.

        The edit holds over every later reading of the file; a secret in it is masked. Raises
        `EditRefused` for an empty or a too long text.
        """
        _require_admin(person)
        new_title = redact_text(clean_bad_chars(title)).text.strip()[:LONGEST_TITLE]
        new_content = redact_text(clean_bad_chars(content)).text.strip()
        if not new_content:
            raise EditRefused(
                "A passage needs a text. Delete the passage if it should go.", refusal="empty"
            )
        if len(new_content) > LONGEST_EDIT:
            raise EditRefused(
                f"A passage may have at most {LONGEST_EDIT} characters; this text has "
                f"{len(new_content)}. Shorten it, or upload it as a document.",
                refusal="too_long",
                limit=LONGEST_EDIT,
                characters=len(new_content),
            )
        table_name = self._library.table_name(agent_name)
        places = passage_rows.find_passage(self._pool, table_name, passage_id)
        if not places:
            raise NotFound("This passage is no longer in the knowledge.")
        edited_id = generate_doc_id(agent_name, new_content)
        store_edit(
            self._pool,
            table_name,
            passage_id=passage_id,
            edited_id=edited_id,
            title=new_title or places[0].title,
            content=new_content,
            edited_by=person.id,
        )
        if places[0].is_disabled:
            passage_rows.set_disabled(self._pool, table_name, edited_id, True)
        self._read_again(table_name, [place.source for place in places])
        return edited_id

    def undo_edit(self, person: Person, agent_name: str, passage_id: str) -> None:
        """Give an edited passage the text of its file back."""
        _require_admin(person)
        table_name = self._library.table_name(agent_name)
        original_ids = remove_edit(self._pool, table_name, passage_id)
        if not original_ids:
            raise NotFound("This passage is not edited.")
        places: list[PassageRow] = []
        # Where the edit has not been read yet, the passage still stands there as it was.
        for known_id in {passage_id, *original_ids}:
            places.extend(passage_rows.find_passage(self._pool, table_name, known_id))
        self._read_again(table_name, [place.source for place in places])

    def aliases(self, agent_name: str) -> list[Alias]:
        """The other names that are kept for a role."""
        return alias_rows.list_aliases(self._pool, self._library.table_name(agent_name))

    def add_alias(self, person: Person, agent_name: str, name: str, alias: str) -> None:
        """Keep two names of one thing; raises `EditRefused` for an empty, equal or too long one."""
        _require_admin(person)
        first = redact_text(clean_bad_chars(name)).text.strip()
        second = redact_text(clean_bad_chars(alias)).text.strip()
        if not first or not second or first.lower() == second.lower():
            raise EditRefused("An alias needs two different names.", refusal="same_name")
        if max(len(first), len(second)) > LONGEST_ALIAS:
            raise EditRefused(
                f"A name may have at most {LONGEST_ALIAS} characters.",
                refusal="long_name",
                limit=LONGEST_ALIAS,
            )
        table_name = self._library.table_name(agent_name)
        alias_rows.add_alias(self._pool, table_name, first, second, person.id)

    def delete_alias(self, person: Person, agent_name: str, alias_id: int) -> None:
        """Forget two names of one thing."""
        _require_admin(person)
        alias_rows.delete_alias(self._pool, self._library.table_name(agent_name), alias_id)

    def choose_settings(self, person: Person, chosen: RetrievalSettings) -> None:
        """Put other settings of the search in force for everybody, from the next search on."""
        _require_admin(person)
        self._library.choose_settings(chosen, person.id)

    def reset(self, person: Person, agent_name: str) -> None:
        """Empty a role's table and read all its files again, uploads included, in the background.

        Edits hold, and what was deleted stays deleted.
        """
        _require_admin(person)
        self._library.start_anew(agent_name)

    def _read_again(self, table_name: str, sources: list[str]) -> None:
        for source in sources:
            read_again(self._pool, table_name, source)
        self._library.start_ingestion()


def _require_admin(person: Person) -> None:
    if not person.is_admin:
        raise EditRefused("Only an administrator can change the knowledge.", refusal="no_admin")


def _refusal(name: str, error: DocumentUnreadable | OSError) -> UploadRefusal:
    if isinstance(error, OSError):
        error = unreadable("not_kept", fault=error.strerror or type(error).__name__)
    return UploadRefusal(name=name, reason=str(error), note=note_of(error))
