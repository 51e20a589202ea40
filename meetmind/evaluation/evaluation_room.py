"""A database of its own in which sets of documents are searched as the app searches."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import Settings
from meetmind.database.documents import NewDocument
from meetmind.database.ingestion import NewPassage, existing_ids, replace_document
from meetmind.database.passages import PassageFilter, PassageRow, find_passages
from meetmind.database.startup import open_database
from meetmind.errors import KnowledgeError
from meetmind.evaluation.datasets import Dataset
from meetmind.evaluation.question_sets import OwnQuestion, answering_ids
from meetmind.evaluation.set_scores import JudgedQuestion
from meetmind.knowledge.words import detect_language, terms_of
from meetmind.search_trace import SearchTrace
from meetmind.server.library import Library

HOME = "evaluation"
FILLING_SECONDS = 3_600.0
WHOLE_SET = "set"
LONGEST_CONTENT = 4_000
"""Of a public document; more is not embedded either."""
EVERY_PASSAGE = 100_000


class EvaluationRoom:
    """Searches sets of documents with the models and settings of the app."""

    def __init__(self, pool: ConnectionPool, settings: Settings) -> None:
        self._pool = pool
        self._settings = settings

    def seed_library(self) -> Library:
        """The seed documents of all roles, read and embedded; raises `KnowledgeError` else."""
        library = Library(self._pool, self._settings)
        _fill(library)
        return library

    def own_questions(
        self, library: Library, questions: Sequence[OwnQuestion]
    ) -> list[JudgedQuestion]:
        """The project's own questions with the passages that answer them in its role's table."""
        passages_by_agent: dict[str, tuple[PassageRow, ...]] = {}
        for agent_name in AGENT_NAMES:
            page = find_passages(
                self._pool, library.table_name(agent_name), PassageFilter(), limit=EVERY_PASSAGE
            )
            passages_by_agent[agent_name] = page.passages
        judged: list[JudgedQuestion] = []
        for question in questions:
            ids = answering_ids(question, passages_by_agent[question.agent_name])
            judged.append(
                JudgedQuestion(
                    id=question.id,
                    text=question.text,
                    agent_name=question.agent_name,
                    relevance_by_id=dict.fromkeys(ids, 1),
                )
            )
        return judged

    def dataset_library(self, dataset: Dataset) -> Library:
        """The documents of a set, a passage each, in tables of their own that stay."""
        settings = self._settings.model_copy(
            update={
                "pg_table_prefix": _prefix_of(dataset),
                "seed_data_path": self._settings.meetmind_home / "no-seeds",
            }
        )
        library = Library(self._pool, settings)
        table_name = library.table_name(AGENT_NAMES[0])
        if len(existing_ids(self._pool, table_name)) != len(dataset.documents):
            self._store(table_name, dataset)
        _fill(library)
        return library

    def _store(self, table_name: str, dataset: Dataset) -> None:
        passages: list[NewPassage] = []
        for number, document in enumerate(dataset.documents, start=1):
            content = document.text[:LONGEST_CONTENT]
            passages.append(
                NewPassage(
                    id=document.id,
                    content=content,
                    title=document.title,
                    summary="",
                    source=WHOLE_SET,
                    locator=str(number),
                    language=detect_language(content),
                    doc_type="",
                    frequency_by_term=Counter(terms_of(f"{document.title}\n{content}")),
                )
            )
        whole_set = NewDocument(source=WHOLE_SET, origin="seed", sha256=dataset.name)
        replace_document(self._pool, table_name, whole_set, passages)


@contextmanager
def open_room(settings: Settings) -> Iterator[EvaluationRoom]:
    """The room below `MEETMIND_HOME/evaluation`, on a server of its own."""
    home = settings.meetmind_home / HOME
    home.mkdir(parents=True, exist_ok=True)
    own_settings = settings.model_copy(update={"meetmind_home": home, "pg_url": None})
    database = open_database(own_settings)
    try:
        yield EvaluationRoom(database.pool, own_settings)
    finally:
        database.close()


def search_in(library: Library, question: JudgedQuestion) -> SearchTrace:
    """One search of the question's role with the settings in force."""
    found = library.search(question.agent_name, question.text)
    return found.traces[0]


def _prefix_of(dataset: Dataset) -> str:
    """A table prefix that stands for exactly these documents."""
    digest = sha256()
    for document in dataset.documents:
        digest.update(f"{document.id}\0{document.title}\0{document.text}\0".encode())
    return f"set_{digest.hexdigest()[:12]}"


def _fill(library: Library) -> None:
    library.start_ingestion()
    if not library.wait_until_idle(FILLING_SECONDS):
        library.close()
        raise KnowledgeError("The documents were not embedded in time.")
    failures = library.progress().failures
    if failures:
        library.close()
        raise KnowledgeError(" ".join(str(failure) for failure in failures))
