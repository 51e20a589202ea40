"""What plain BM25 finds in a set of judged questions: the yardstick for our own search by words.

It is bm25s with its own defaults (Lucene's BM25, k1 1.5, b 0.75) over lower-cased words and, for
Chinese, pairs of neighbouring characters; no stop words, no stems.

    .venv/bin/python scripts/bm25s_yardstick.py FOLDER...
"""

import re
import sys
from pathlib import Path
from typing import Any

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT_ROOT))

import bm25s  # noqa: E402 - the path above comes first

from meetmind.evaluation.datasets import Dataset, read_dataset  # noqa: E402
from meetmind.evaluation.metrics import mean_of, ndcg  # noqa: E402

K1 = 1.5
B = 0.75
SHOWN = 10
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
TOKEN = re.compile(f"(?P<han>[{HAN}]+)|[^\\W_{HAN}]+")


def main() -> None:
    """Print the figure of every folder."""
    if len(sys.argv) < 2:
        sys.exit(f"Usage: {sys.argv[0]} FOLDER...")
    for folder in sys.argv[1:]:
        dataset = read_dataset(Path(folder))
        print(f"{dataset.name}: nDCG@{SHOWN} of bm25s {bm25s_ndcg(dataset):.4f}")


def bm25s_ndcg(dataset: Dataset) -> float:
    """The mean nDCG@10 of BM25 over all questions of the set, 0 to 1."""
    index = bm25s.BM25(k1=K1, b=B)
    index.index(
        [tokens_of(document.content) for document in dataset.documents], show_progress=False
    )
    values: list[float] = []
    for query in dataset.queries:
        ranking = ranked_ids(index, dataset, query.text)
        values.append(ndcg(ranking, dataset.relevance_by_query[query.id], k=SHOWN))
    return mean_of(values)


def ranked_ids(index: Any, dataset: Dataset, question: str) -> list[str]:
    """The documents that share a token with the question, best first."""
    tokens = tokens_of(question)
    if not tokens:
        return []
    places, scores = index.retrieve(
        [tokens], k=min(SHOWN, len(dataset.documents)), show_progress=False
    )
    ranking: list[str] = []
    for place, score in zip(places[0], scores[0], strict=True):
        if score > 0:
            ranking.append(dataset.documents[place].id)
    return ranking


def tokens_of(text: str) -> list[str]:
    """Lower-cased words and numbers, and the bigrams of every run of Han characters."""
    tokens: list[str] = []
    for match in TOKEN.finditer(text.lower()):
        run = match.group()
        if match.lastgroup is None or len(run) == 1:
            tokens.append(run)
            continue
        for start in range(len(run) - 1):
            tokens.append(run[start : start + 2])
    return tokens


if __name__ == "__main__":
    main()
