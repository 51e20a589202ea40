"""Evaluation runs on the disk: one JSON file a run, so that each can be shown beside the last."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from meetmind.evaluation.no_answer import NoAnswerScore
from meetmind.evaluation.set_scores import SetScores

RUNS = "runs"
MOST_LISTED = 20


@dataclass(frozen=True, kw_only=True)
class EvaluationRun:
    """What one run measured, and with what."""

    at: datetime
    models: tuple[str, ...]
    """The embedding models with what ran them, such as `multilingual-e5-small (onnx int8)`."""
    sets: tuple[SetScores, ...]
    no_answer: NoAnswerScore | None = None

    def set_named(self, name: str) -> SetScores | None:
        """The scores of one set; None where the run did not measure it."""
        for scores in self.sets:
            if scores.name == name:
                return scores
        return None


_RUNS: TypeAdapter[EvaluationRun] = TypeAdapter(EvaluationRun)


def store_run(home: Path, run: EvaluationRun) -> Path:
    """Keep a run below `home`; its file."""
    folder = home / RUNS
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{run.at:%Y%m%dT%H%M%S}.json"
    file.write_bytes(_RUNS.dump_json(run, indent=1))
    return file


def last_runs(home: Path, limit: int = MOST_LISTED) -> list[EvaluationRun]:
    """The last runs below `home`, the newest first; a file that is no run is passed over."""
    runs: list[EvaluationRun] = []
    files = sorted((home / RUNS).glob("*.json"), reverse=True)
    for file in files[:limit]:
        try:
            runs.append(_RUNS.validate_json(file.read_bytes()))
        except (ValidationError, OSError):
            continue
    return runs
