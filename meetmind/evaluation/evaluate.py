"""Measures retrieval: the project's own questions over its seed documents, and any other sets."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.errors import EmbeddingUnavailable
from meetmind.evaluation.datasets import Dataset, read_dataset
from meetmind.evaluation.evaluation_room import HOME, EvaluationRoom, open_room, search_in
from meetmind.evaluation.evaluation_runs import EvaluationRun, store_run
from meetmind.evaluation.no_answer import score_no_answer
from meetmind.evaluation.question_sets import (
    SET_NAMES,
    UNANSWERED_SET_NAMES,
    load_question_set,
)
from meetmind.evaluation.set_scores import JudgedQuestion, SetScores, score_set
from meetmind.knowledge.words import detect_language
from meetmind.search_trace import SearchTrace
from meetmind.server.library import Library

QUESTIONS = PROJECT_ROOT / "data" / "questions"
LANGUAGE_BY_SET = {"en": "en", "zh": "zh", "cross_en": "en", "cross_zh": "zh"}
LOADING_SECONDS = 300.0

OnStep = Callable[[str, int, int], None]
"""Told the set, how many of its questions are done, and how many there are."""


def evaluate(settings: Settings, dataset_folders: Sequence[Path], on_step: OnStep) -> EvaluationRun:
    """Measure the own sets and every other set, and keep the result beside the former ones.

    Raises `DatasetUnreadable` for a folder that is no set, before anything is measured.
    """
    datasets = [read_dataset(folder) for folder in dataset_folders]
    with open_room(settings) as room:
        library = room.seed_library()
        models = _loaded_models(library)
        sets = _own_sets(room, library, on_step)
        answered, unanswered = _answered_and_not(room, library, on_step)
        no_answer = score_no_answer(answered, unanswered)
        library.close()
        for dataset in datasets:
            sets.append(_score_dataset(room, dataset, on_step))
    run = EvaluationRun(at=datetime.now(UTC), models=models, sets=tuple(sets), no_answer=no_answer)
    store_run(settings.meetmind_home / HOME, run)
    return run


def _own_sets(room: EvaluationRoom, library: Library, on_step: OnStep) -> list[SetScores]:
    scores: list[SetScores] = []
    for name, language in LANGUAGE_BY_SET.items():
        questions = room.own_questions(library, load_question_set(QUESTIONS, name))
        scores.append(_score(name, language, questions, library, on_step))
    return scores


def _answered_and_not(
    room: EvaluationRoom, library: Library, on_step: OnStep
) -> tuple[list[SearchTrace], list[SearchTrace]]:
    """The searches of answered and of unanswered questions."""
    answered: list[SearchTrace] = []
    unanswered: list[SearchTrace] = []
    for name in SET_NAMES:
        traces = unanswered if name in UNANSWERED_SET_NAMES else answered
        questions = room.own_questions(library, load_question_set(QUESTIONS, name))
        for number, question in enumerate(questions, start=1):
            traces.append(search_in(library, question))
            on_step(f"{name}, known or not", number, len(questions))
    return answered, unanswered


def _score_dataset(room: EvaluationRoom, dataset: Dataset, on_step: OnStep) -> SetScores:
    library = room.dataset_library(dataset)
    _loaded_models(library)
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
    all_text = " ".join(query.text for query in dataset.queries[:200])
    scores = _score(dataset.name, detect_language(all_text), questions, library, on_step)
    library.close()
    return scores


def _score(
    name: str,
    language: str,
    questions: Sequence[JudgedQuestion],
    library: Library,
    on_step: OnStep,
) -> SetScores:
    def search(question: JudgedQuestion) -> SearchTrace:
        return search_in(library, question)

    def on_question(done: int, total: int) -> None:
        on_step(name, done, total)

    return score_set(name, language, questions, search, on_question)


def _loaded_models(library: Library) -> tuple[str, ...]:
    """Load every model; their names with what runs them. Raises `EmbeddingUnavailable`."""
    problems = library.wait_for_models(LOADING_SECONDS)
    if problems:
        raise EmbeddingUnavailable(" ".join(problems))
    return tuple(f"{model.name} ({model.runtime})" for model in library.models())
