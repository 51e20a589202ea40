"""The nDCG@10 of two other hybrid searches over the same vectors in the same PostgreSQL.

Run it in the environment of requirements-peers.txt; the address may also stand in PG_URL:

    .venv-peers/bin/python scripts/bench_peers.py FOLDER VECTORS.npz postgresql://user:password@host/db

FOLDER is a set of judged questions (meetmind/evaluation/datasets.py). The file of vectors holds
`doc_vectors` and `query_vectors`, float32, in the order of docs.jsonl and queries.jsonl. The last
line of the output is one JSON object. Each store is measured with every way of hybrid search that
its documentation shows, and its best counts. No vector index is built, so both search exactly.
"""

import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT_ROOT))

import numpy  # noqa: E402 - the path above comes first
import psycopg  # noqa: E402
from langchain_core.embeddings import Embeddings  # noqa: E402
from langchain_postgres import Column, PGEngine, PGVectorStore  # noqa: E402
from langchain_postgres.v2.hybrid_search_config import (  # noqa: E402
    HybridSearchConfig,
    reciprocal_rank_fusion,
    weighted_sum_ranking,
)
from llama_index.core import MockEmbedding, VectorStoreIndex  # noqa: E402
from llama_index.core.llms import MockLLM  # noqa: E402
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever  # noqa: E402
from llama_index.core.schema import QueryBundle, TextNode  # noqa: E402
from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode  # noqa: E402
from llama_index.vector_stores.postgres import PGVectorStore as LlamaVectorStore  # noqa: E402
from sqlalchemy.engine import URL, make_url  # noqa: E402

from meetmind.evaluation.datasets import Dataset, Query, read_dataset  # noqa: E402
from meetmind.evaluation.metrics import mean_of, ndcg  # noqa: E402

Vector = list[float]
Search = Callable[[Query, Vector], list[str]]
"""The ids of the best documents for a question and its vector, best first."""

SHOWN = 10
DEPTH = 50
TABLE = "passages"
TEXT_ID = Column("langchain_id", "TEXT", nullable=False)
WORDS_COLUMN = "content_tsv"
LANGCHAIN_FUSIONS: dict[str, Callable[..., Any]] = {
    "weighted_sum": weighted_sum_ranking,
    "reciprocal_rank": reciprocal_rank_fusion,
}
# The store's page shows its own mode with equal depths, and relative_score as the better way:
# https://developers.llamaindex.ai/python/examples/vector_stores/postgres
LLAMA_HYBRID_DEPTHS = (SHOWN // 2, DEPTH)
LLAMA_FUSIONS = ("relative_score", "reciprocal_rerank", "dist_based_score")


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """The questions together with the given vectors."""

    dataset: Dataset
    document_vectors: list[Vector]
    vector_by_query: dict[str, Vector]

    @property
    def dimensions(self) -> int:
        return len(self.document_vectors[0])


class NoModel(Embeddings):
    """Stands where LangChain wants a model: every vector is given already."""

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        raise NotImplementedError

    def embed_query(self, text: str) -> Vector:
        raise NotImplementedError


def main() -> None:
    """Measure both stores and print one line of JSON."""
    arguments = sys.argv[1:]
    if len(arguments) == 2:
        arguments.append(os.environ.get("PG_URL", ""))
    if len(arguments) != 3 or not arguments[2]:
        sys.exit(f"Usage: {sys.argv[0]} FOLDER VECTORS.npz POSTGRESQL_URL (or PG_URL)")
    folder, vectors_path, address = arguments
    corpus = read_corpus(Path(folder), Path(vectors_path))
    figures: dict[str, Any] = {}
    measured_stores = (("langchain_postgres", langchain_searches), ("llama_index", llama_searches))
    with scratch_database(address) as url:
        for store, searches_of in measured_stores:
            started = time.perf_counter()
            ndcg_by_setting: dict[str, float] = {}
            for setting, search in searches_of(corpus, url).items():
                ndcg_by_setting[setting] = round(mean_ndcg(corpus, search), 4)
            figures[store] = max(ndcg_by_setting.values())
            figures[f"{store}_settings"] = ndcg_by_setting
            figures[f"{store}_seconds"] = round(time.perf_counter() - started, 1)
    print(json.dumps(figures))


def read_corpus(folder: Path, vectors_path: Path) -> Corpus:
    """The questions of the folder and the vectors of the file, which must fit one another."""
    dataset = read_dataset(folder)
    query_lines = (folder / "queries.jsonl").read_text(encoding="utf-8").strip().split("\n")
    query_ids = [json.loads(line)["id"] for line in query_lines if line.strip()]
    with numpy.load(vectors_path) as vectors:
        document_vectors = vectors["doc_vectors"].tolist()
        query_vectors = vectors["query_vectors"].tolist()
    if len(document_vectors) != len(dataset.documents):
        sys.exit(f"{len(dataset.documents)} documents have {len(document_vectors)} vectors.")
    return Corpus(
        dataset=dataset,
        document_vectors=document_vectors,
        vector_by_query=dict(zip(query_ids, query_vectors, strict=True)),
    )


@contextmanager
def scratch_database(address: str) -> Iterator[URL]:
    """A database of its own on the server at the address, dropped at the end."""
    name = f"meetmind_peers_{secrets.token_hex(4)}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"create database {name} encoding 'UTF8' template template0".encode())
        try:
            yield make_url(address).set(database=name)
        finally:
            connection.execute(f"drop database {name} with (force)".encode())


def mean_ndcg(corpus: Corpus, search: Search) -> float:
    """The mean nDCG@10 over all questions."""
    values: list[float] = []
    for query in corpus.dataset.queries:
        ranking = search(query, corpus.vector_by_query[query.id])
        values.append(ndcg(ranking, corpus.dataset.relevance_by_query[query.id], k=SHOWN))
    return mean_of(values)


def langchain_searches(corpus: Corpus, url: URL) -> dict[str, Search]:
    """Hybrid search of langchain-postgres with each of its two fusions, over a tsvector column."""
    engine = PGEngine.from_connection_string(url=url.set(drivername="postgresql+psycopg"))
    config = HybridSearchConfig(tsv_column=WORDS_COLUMN)
    engine.init_vectorstore_table(
        TABLE, corpus.dimensions, id_column=TEXT_ID, hybrid_search_config=config
    )
    store = PGVectorStore.create_sync(
        engine, NoModel(), TABLE, id_column=TEXT_ID.name, hybrid_search_config=config
    )
    documents = corpus.dataset.documents
    store.add_embeddings(
        texts=[document.content for document in documents],
        embeddings=corpus.document_vectors,
        ids=[document.id for document in documents],
    )
    searches: dict[str, Search] = {}
    for name, fusion in LANGCHAIN_FUSIONS.items():
        searches[name] = langchain_search(store, fusion)
    return searches


def langchain_search(store: PGVectorStore, fusion: Callable[..., Any]) -> Search:
    """The store's own hybrid search with the fusion."""

    def search(query: Query, vector: Vector) -> list[str]:
        # A configuration for each question: the store writes the question's words into it.
        config = HybridSearchConfig(
            tsv_column=WORDS_COLUMN,
            fts_query=query.text,
            fusion_function=fusion,
            primary_top_k=DEPTH,
            secondary_top_k=DEPTH,
        )
        found = store.similarity_search_with_score_by_vector(
            vector, k=SHOWN, hybrid_search_config=config
        )
        return [document.id for document, _ in found]

    return search


def llama_searches(corpus: Corpus, url: URL) -> dict[str, Search]:
    """Hybrid search of the LlamaIndex store: its own mode, and the fusions shown on its page."""
    store = LlamaVectorStore(
        connection_string=rendered(url, "postgresql+psycopg2"),
        async_connection_string=rendered(url, "postgresql+asyncpg"),
        table_name=TABLE,
        embed_dim=corpus.dimensions,
        hybrid_search=True,
        text_search_config="english",
    )
    nodes: list[TextNode] = []
    for document, vector in zip(corpus.dataset.documents, corpus.document_vectors, strict=True):
        nodes.append(TextNode(id_=document.id, text=document.content, embedding=vector))
    store.add(nodes)
    index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(corpus.dimensions))
    searches: dict[str, Search] = {}
    for depth in LLAMA_HYBRID_DEPTHS:
        searches[f"hybrid_{depth}_and_{depth}"] = llama_hybrid_search(store, depth)
    for mode in LLAMA_FUSIONS:
        searches[mode] = llama_fusion_search(index, mode)
    return searches


def llama_hybrid_search(store: LlamaVectorStore, depth: int) -> Search:
    """The store's mode `hybrid`: so many by meaning, and after them as many by words."""

    def search(query: Query, vector: Vector) -> list[str]:
        asked = VectorStoreQuery(
            query_embedding=vector,
            query_str=query.text,
            similarity_top_k=depth,
            sparse_top_k=depth,
            mode=VectorStoreQueryMode.HYBRID,
        )
        return list(store.query(asked).ids or [])

    return search


def llama_fusion_search(index: VectorStoreIndex, mode: str) -> Search:
    """LlamaIndex's fusion of the store's vector search and its text search."""
    halves: list[BaseRetriever] = []
    for half in ("default", "sparse"):
        halves.append(
            index.as_retriever(
                vector_store_query_mode=half, similarity_top_k=DEPTH, sparse_top_k=DEPTH
            )
        )
    retriever = QueryFusionRetriever(
        halves,
        llm=MockLLM(),
        mode=mode,
        similarity_top_k=SHOWN,
        num_queries=1,
        use_async=False,
    )

    def search(query: Query, vector: Vector) -> list[str]:
        found = retriever.retrieve(QueryBundle(query_str=query.text, embedding=vector))
        return [node.node.node_id for node in found]

    return search


def rendered(url: URL, driver: str) -> str:
    """The address with its password, for the driver."""
    return url.set(drivername=driver).render_as_string(hide_password=False)


if __name__ == "__main__":
    main()
