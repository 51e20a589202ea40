"""Measures retrieval and prints the lines of `make evaluate`.

    .venv/bin/python scripts/evaluate.py [FOLDER...]

Every folder holds a set of judged questions: docs.jsonl, queries.jsonl and qrels.tsv.
"""

import sys
import time
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT_ROOT))

from rich.console import Console  # noqa: E402 - the path above comes first

from meetmind.config.environment import load_environment  # noqa: E402
from meetmind.errors import MeetMindError  # noqa: E402
from meetmind.evaluation.datasets import Dataset, read_dataset  # noqa: E402
from meetmind.evaluation.evaluate import evaluate  # noqa: E402
from meetmind.evaluation.evaluation_room import HOME  # noqa: E402
from meetmind.evaluation.evaluation_runs import EvaluationRun, last_runs  # noqa: E402
from meetmind.evaluation.run_table import run_table  # noqa: E402
from meetmind.evaluation.set_scores import FUSED, RERANKED, SetScores  # noqa: E402
from scripts.bm25s_yardstick import bm25s_ndcg  # noqa: E402
from scripts.reach_lines import ReachLines  # noqa: E402
from tests.support.odd_documents import judge_all  # noqa: E402

OWN_SETS = ("en", "zh", "cross_en", "cross_zh")
SECONDS_A_STEP = 10.0


def main() -> None:
    folders = [Path(argument) for argument in sys.argv[1:]]
    settings = load_environment()
    home = settings.meetmind_home / HOME
    former = last_runs(home, 1)
    try:
        datasets = [read_dataset(folder) for folder in folders]
        run = evaluate(settings, folders, Steps().show)
    except MeetMindError as error:
        sys.exit(str(error))
    Console().print(run_table(run, former[0] if former else None, "en"))
    print_reach(run, datasets)


class Steps:
    """Says now and then how far the measurement is."""

    def __init__(self) -> None:
        self._said_at = time.monotonic()

    def show(self, name: str, done: int, total: int) -> None:
        if done == total or time.monotonic() - self._said_at > SECONDS_A_STEP:
            self._said_at = time.monotonic()
            print(f"# {name}: {done} of {total} questions", flush=True)


def print_reach(run: EvaluationRun, datasets: list[Dataset]) -> None:
    lines = ReachLines("evaluate")
    public_sets = [scores for scores in run.sets if scores.name not in OWN_SETS]
    english = [scores for scores in public_sets if scores.language == "en"]
    chinese = [scores for scores in public_sets if scores.language == "zh"]
    if english:
        ratios = [ndcg_of(scores, RERANKED) / scores.best_path.ndcg10 for scores in english]
        lines.at_least("en_vs_best_leg", min(ratios), 1.06)
    if chinese:
        dataset_by_name = {dataset.name: dataset for dataset in datasets}
        ratios = []
        for scores in chinese:
            yardstick = bm25s_ndcg(dataset_by_name[scores.name])
            lines.note(f"{scores.name}: nDCG@10 of bm25s {yardstick:.4f}")
            ratios.append(ndcg_of(scores, RERANKED) / yardstick)
        lines.at_least("zh_vs_bm25", min(ratios), 1.005)
        absolute = min(ndcg_of(scores, RERANKED) for scores in chinese)
        lines.at_least("zh_ndcg10", absolute, 0.97)
    lowered = max(ndcg_of(scores, FUSED) - ndcg_of(scores, RERANKED) for scores in run.sets)
    lines.at_most("rerank_never_hurts", lowered, 0.005, places=4)
    print_own_sets(run, lines)
    verdict = judge_all()
    for fault in verdict.faults:
        lines.note(fault)
    good = verdict.hostile_ok + verdict.honest_ok
    lines.all_of("odd_documents", good, verdict.hostile_total + verdict.honest_total)


def print_own_sets(run: EvaluationRun, lines: ReachLines) -> None:
    for name in ("en", "zh"):
        scores = run.set_named(name)
        assert scores is not None
        lines.at_least(f"own_recall5_{name}", recall_of(scores), 0.92)
    across = [scores for scores in run.sets if scores.name.startswith("cross_")]
    lines.at_least("own_recall5_cross", min(recall_of(scores) for scores in across), 0.80)
    if run.no_answer is not None:
        told = run.no_answer
        lines.note(
            f"answered questions taken for answered {told.answered_right:.3f} of {told.answered}, "
            f"unanswered ones for unanswered {told.unanswered_right:.3f} of {told.unanswered}; "
            "no_answer_known is the mean of both shares"
        )
        lines.at_least("no_answer_known", told.accuracy, 0.75)


def ndcg_of(scores: SetScores, stage: str) -> float:
    found = scores.stage(stage)
    return 0.0 if found is None else found.ndcg10


def recall_of(scores: SetScores) -> float:
    found = scores.stage(RERANKED)
    return 0.0 if found is None else found.recall5


if __name__ == "__main__":
    main()
