"""The room in which sets of documents are searched as the app searches, with models of words."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.errors import KnowledgeError
from meetmind.evaluation import evaluation_room
from meetmind.evaluation.datasets import Dataset, Document, Query
from meetmind.evaluation.evaluation_room import EvaluationRoom, open_room, search_in
from meetmind.evaluation.question_sets import Answer, OwnQuestion
from meetmind.evaluation.set_scores import JudgedQuestion
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.server import library as library_module
from meetmind.server.library import Library
from tests.store.embedders import E5_SMALL, FakeModels, WordEmbedder, e5

RULES = """# Refunds

## Gift cards

A refund of a gift card is paid out as a new card.

## Parcels

Parcels leave the warehouse within two days.
"""
DATASET = Dataset(
    name="shelves",
    documents=(
        Document(id="d1", title="Kettles", text="Every kettle stands on the first shelf."),
        Document(id="d2", title="Saucers", text="Every saucer stands on the second shelf."),
        Document(id="d3", title="", text="Spoons hang beside the door. " * 400),
    ),
    queries=(Query(id="q1", text="On which shelf are saucers?"),),
    relevance_by_query={"q1": {"d2": 1}},
)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """The only model of every library that is opened, in place of real weights."""
    given = e5()

    def models_of(
        pool: ConnectionPool, table_names: Sequence[str], cache_dir: Path
    ) -> EmbeddingModels:
        return FakeModels(pool, table_names, cache_dir, [given])

    monkeypatch.setattr(library_module, "EmbeddingModels", models_of)
    return given


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    seeds = tmp_path / "seed" / "backend"
    seeds.mkdir(parents=True)
    (seeds / "rules.md").write_text(RULES, encoding="utf-8")
    return Settings(
        meetmind_home=tmp_path / "home",
        seed_data_path=tmp_path / "seed",
        embedding_cache_dir=tmp_path / "models",
        embedding_model_name=E5_SMALL,
        rerank_model_name="",
    )


@pytest.fixture
def room(
    pool: ConnectionPool,
    settings: Settings,
    embedder: WordEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[EvaluationRoom]:
    """Every library that it opens is closed at the end."""
    opened: list[Library] = []

    def open_library(pool: ConnectionPool, settings: Settings) -> Library:
        opened.append(Library(pool, settings))
        return opened[-1]

    monkeypatch.setattr(evaluation_room, "Library", open_library)
    yield EvaluationRoom(pool, settings)
    for library in opened:
        library.close()


def judged(text: str, agent_name: str, *relevant: str) -> JudgedQuestion:
    return JudgedQuestion(
        id="q", text=text, agent_name=agent_name, relevance_by_id=dict.fromkeys(relevant, 1)
    )


def test_the_seed_documents_are_read_and_searched_with_their_vectors(room: EvaluationRoom) -> None:
    library = room.seed_library()
    trace = search_in(library, judged("How is a gift card refunded?", "backend"))

    assert trace.agent_name == "backend"
    assert "e5" in trace.paths
    assert trace.candidates[0].title.endswith("Gift cards")


def test_an_own_question_knows_the_passages_that_answer_it(room: EvaluationRoom) -> None:
    question = OwnQuestion(
        id="en-1",
        text="How is a gift card refunded?",
        agent_name="backend",
        answers=(Answer(source="rules.md", quote="paid out as a\nnew card"),),
    )
    unanswered = OwnQuestion(id="en-2", text="Who won?", agent_name="tester", answers=())
    library = room.seed_library()
    first, second = room.own_questions(library, [question, unanswered])
    trace = search_in(library, first)

    assert first.relevance_by_id == {trace.candidates[0].passage_id: 1}
    assert (first.agent_name, second.agent_name) == ("backend", "tester")
    assert second.relevance_by_id == {}


def test_the_documents_of_a_set_are_passages_under_their_own_ids(room: EvaluationRoom) -> None:
    library = room.dataset_library(DATASET)
    trace = search_in(library, judged(DATASET.queries[0].text, "architect"))
    knowledge = library.overview()[0]

    assert trace.candidates[0].passage_id == "d2"
    assert (knowledge.agent_name, knowledge.passages) == ("architect", 3)
    assert knowledge.embedded_passages == 3


def test_a_long_document_is_cut_where_a_passage_is_cut(room: EvaluationRoom) -> None:
    library = room.dataset_library(DATASET)
    lengths = {row.id: len(row.content) for row in library.list_passages("architect")}

    assert lengths["d3"] == evaluation_room.LONGEST_CONTENT
    assert lengths["d1"] == len(DATASET.documents[0].text)


def test_a_set_that_was_searched_before_is_not_embedded_again(
    room: EvaluationRoom, embedder: WordEmbedder
) -> None:
    for _ in range(2):
        room.dataset_library(DATASET)

    assert len(embedder.encoder.passages) == len(DATASET.documents)


def test_another_set_has_tables_of_its_own(room: EvaluationRoom) -> None:
    other = Dataset(
        name=DATASET.name,
        documents=DATASET.documents[:2],
        queries=DATASET.queries,
        relevance_by_query=DATASET.relevance_by_query,
    )
    libraries = [room.seed_library(), room.dataset_library(DATASET), room.dataset_library(other)]

    assert len({library.prefix for library in libraries}) == 3
    assert [library.overview()[0].passages for library in libraries] == [0, 3, 2]


def test_documents_that_cannot_be_read_end_the_measurement(
    room: EvaluationRoom, settings: Settings
) -> None:
    (settings.seed_data_path / "backend" / "broken.docx").write_bytes(b"broken")

    with pytest.raises(KnowledgeError, match=r"backend/broken\.docx"):
        room.seed_library()


def test_the_room_never_works_in_the_database_of_the_app(
    pool: ConnectionPool, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Settings] = []

    class Opened:
        def __init__(self, own_settings: Settings) -> None:
            opened.append(own_settings)
            self.pool = pool

        def close(self) -> None:
            opened.append(settings)

    monkeypatch.setattr(evaluation_room, "open_database", Opened)
    of_app = settings.model_copy(update={"pg_url": SecretStr("postgresql://app@nowhere/app")})
    with open_room(of_app):
        assert opened[0].pg_url is None
        assert opened[0].meetmind_home == settings.meetmind_home / "evaluation"

    assert len(opened) == 2
