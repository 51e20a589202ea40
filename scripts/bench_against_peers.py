"""Our search against the hybrid searches of two other libraries, over the same vectors."""

import json
import os
import subprocess
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from psycopg.conninfo import conninfo_to_dict

from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.database.startup import OpenDatabase
from meetmind.errors import KnowledgeError
from meetmind.evaluation.datasets import Dataset, read_dataset
from meetmind.evaluation.evaluation_room import EvaluationRoom, search_in
from meetmind.evaluation.set_scores import RERANKED, JudgedQuestion, score_set
from meetmind.knowledge.models.encoder import MADE_FILE, Encoder, Kind, open_encoder
from meetmind.knowledge.models.folders import MINILM, model_folder
from scripts.reach_lines import ReachLines

PEERS_PYTHON = PROJECT_ROOT / ".venv-peers" / "bin" / "python"
PEERS = ("langchain_postgres", "llama_index")
LEAST_RATIO = 1.05
LONGEST_TEXT = 4_000
LOADING_SECONDS = 300.0
TEXTS_AT_ONCE = 64


def measure_against_peers(
    lines: ReachLines, database: OpenDatabase, settings: Settings, folder: Path
) -> None:
    """Print vs_langchain_postgres and vs_llama_index: nDCG@10 of ours over that of each."""
    dataset = read_dataset(folder)
    ours = our_ndcg(database, settings, dataset)
    figures = peer_figures(database, settings, folder, dataset)
    lines.note(f"nDCG@10 on {dataset.name}: ours {ours:.4f}")
    for peer in PEERS:
        lines.note(f"{peer}: {figures[f'{peer}_settings']}")
        lines.at_least(f"vs_{peer}", ours / figures[peer], LEAST_RATIO)


def our_ndcg(database: OpenDatabase, settings: Settings, dataset: Dataset) -> float:
    """The whole search, fused and reranked, as `make evaluate` measures it."""
    room = EvaluationRoom(database.pool, settings)
    library = room.dataset_library(dataset)
    problems = library.wait_for_models(LOADING_SECONDS)
    if problems:
        raise KnowledgeError(" ".join(problems))
    questions: list[JudgedQuestion] = []
    for query in dataset.queries:
        questions.append(
            JudgedQuestion(
                id=query.id,
                text=query.text,
                agent_name="architect",
                relevance_by_id=dataset.relevance_by_query[query.id],
            )
        )
    scores = score_set(
        dataset.name,
        "en",
        questions,
        search=lambda question: search_in(library, question),
        on_question=lambda done, total: None,
    )
    library.close()
    reranked = scores.stage(RERANKED)
    return 0.0 if reranked is None else reranked.ndcg10


def peer_figures(
    database: OpenDatabase, settings: Settings, folder: Path, dataset: Dataset
) -> dict[str, Any]:
    """What scripts/bench_peers.py measures on our server with our vectors."""
    vectors_path = kept_vectors(settings, folder, dataset)
    command = [str(PEERS_PYTHON), "scripts/bench_peers.py", str(folder), str(vectors_path)]
    finished = subprocess.run(
        command,
        cwd=PROJECT_ROOT,
        env={**os.environ, "PG_URL": url_of(database.conninfo)},
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode != 0:
        raise KnowledgeError(f"The peers could not be measured: {finished.stderr[-500:]}")
    figures: dict[str, Any] = json.loads(finished.stdout.strip().splitlines()[-1])
    return figures


def kept_vectors(settings: Settings, folder: Path, dataset: Dataset) -> Path:
    """The file of MiniLM's vectors of the set, made once for this set and this model."""
    queries = [json.loads(line)["text"] for line in lines_of(folder / "queries.jsonl")]
    texts = [document.content[:LONGEST_TEXT] for document in dataset.documents]
    model = model_folder(MINILM, settings.embedding_cache_dir)
    digest = sha256((model / MADE_FILE).read_bytes())
    digest.update("\0".join([*texts, *queries]).encode())
    path = settings.meetmind_home / f"peers-{digest.hexdigest()[:12]}.npz"
    if not path.is_file():
        encoder = open_encoder(model, os.cpu_count() or 2)
        document_vectors = vectors_of(encoder, texts, "passage")
        query_vectors = vectors_of(encoder, queries, "query")
        scratch = path.with_suffix(".part.npz")
        np.savez(scratch, doc_vectors=document_vectors, query_vectors=query_vectors)
        scratch.rename(path)
    return path


def vectors_of(encoder: Encoder, texts: Sequence[str], kind: Kind) -> np.ndarray:
    """(texts, dimensions); in blocks, so that not all the token vectors are in memory at once."""
    vectors: list[np.ndarray] = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        encoded = encoder.encode(texts[start : start + TEXTS_AT_ONCE], kind)
        vectors.append(encoded.vectors)
    return np.concatenate(vectors)


def lines_of(path: Path) -> list[str]:
    """The lines that are not blank; a line ends at a line feed alone."""
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def url_of(conninfo: str) -> str:
    """The address of the server as a URL, for libraries that know no other."""
    given = conninfo_to_dict(conninfo)
    user, password = quote(str(given["user"]), ""), quote(str(given.get("password") or ""), "")
    return f"postgresql://{user}:{password}@{given['host']}:{given['port']}/{given['dbname']}"
