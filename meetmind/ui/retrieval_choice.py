"""What the fields of the search settings say, and putting it in force."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.clean_text import clean_bad_chars
from meetmind.config.retrieval_settings import Reranking, RetrievalSettings
from meetmind.errors import MeetMindError
from meetmind.ui.knowledge_change import leave_change_notice
from meetmind.ui.language import error_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_person, current_services, widget_value
from meetmind.ui.show_search_models import FILLING

if TYPE_CHECKING:
    from meetmind.server.library import Library

PLACE = "retrieval_settings"
CHOICE = "retrieval_settings_choice"
OTHER = "retrieval_settings_other"
RERANKING = "retrieval_settings_reranking"
RERANK_MODEL = "retrieval_settings_rerank_model"
BOTH = "both"
MINILM = "minilm"
E5 = "e5"
OTHER_MODEL = "other"
CHOICES = (BOTH, E5, MINILM, OTHER_MODEL)
RERANKING_BY_NAME: dict[str, Reranking] = {"auto": "auto", "late": "late", "fused": "fused"}
BETWEEN_NAMES = re.compile(r"[,，\n]")


def begin_with(key: str, value: str) -> None:
    """Give a field its first value; later ones are the person's."""
    if key not in st.session_state:
        st.session_state[key] = value


def choice_of(library: "Library") -> str:
    """Which of `CHOICES` the settings in force are."""
    in_force = library.retrieval_settings().embedding_models
    for choice, models in _models_by_choice(library).items():
        if set(models) == set(in_force):
            return choice
    return OTHER_MODEL


def wanted_models(library: "Library") -> tuple[str, ...]:
    """The embedding models that the fields say."""
    choice = widget_value(CHOICE)
    if choice == OTHER_MODEL:
        names = [bare_name(name) for name in BETWEEN_NAMES.split(widget_value(OTHER) or "")]
        return tuple(name for name in names if name)
    if choice == choice_of(library):
        return library.retrieval_settings().embedding_models
    return _models_by_choice(library)[choice]


def bare_name(typed: str | None) -> str:
    """A typed name or folder without what cannot belong to it."""
    return clean_bad_chars(typed or "").strip().rstrip("/")


def model_problems(library: "Library", model_names: tuple[str, ...]) -> list[str]:
    """A sentence for each embedding model that cannot be put in force."""
    if model_names == library.retrieval_settings().embedding_models:
        return []
    if not model_names:
        return [text("retrieval_settings.problem_none")]
    sentences: list[str] = []
    for problem in library.check_models(model_names):
        name = safe_label(problem.name)
        sentences.append(
            text(f"retrieval_settings.problem_{problem.kind}", name=name, folder=models_folder())
        )
    return sentences


def models_folder() -> str:
    """Where models are looked for by name, safe inside Markdown."""
    return safe_label(str(current_services().settings.embedding_cache_dir))


def on_put() -> None:
    """Put what the fields say in force, unless it cannot work."""
    library = current_services().library
    in_force = library.retrieval_settings()
    wanted = replace(
        in_force,
        embedding_models=wanted_models(library),
        reranking=RERANKING_BY_NAME.get(widget_value(RERANKING) or "", in_force.reranking),
        rerank_model=bare_name(widget_value(RERANK_MODEL)),
    )
    if wanted == in_force:
        leave_change_notice(PLACE, text("retrieval_settings.unchanged"))
        return
    _put_in_force(wanted)


def on_defaults() -> None:
    """Put the settings of the environment in force and show them in the fields."""
    defaults = current_services().library.default_settings()
    if _put_in_force(defaults):
        for key in (CHOICE, OTHER, RERANKING, RERANK_MODEL):
            st.session_state.pop(key, None)


def _put_in_force(wanted: RetrievalSettings) -> bool:
    """Whether the settings are in force now; else a sentence says why not."""
    services = current_services()
    library = services.library
    person = current_person(services)
    if person is None or not person.is_admin:
        leave_change_notice(PLACE, text("retrieval_settings.refused"), "error")
        return False
    problems = model_problems(library, wanted.embedding_models)
    if not _may_rerank_with(library, wanted.rerank_model):
        name = safe_label(wanted.rerank_model)
        problems.append(
            text("retrieval_settings.problem_reranker", name=name, folder=models_folder())
        )
    if problems:
        leave_change_notice(PLACE, "\n\n".join(problems), "error")
        return False
    former_models = library.retrieval_settings().embedding_models
    known_models = _models_with_vectors(library)
    try:
        current_services().knowledge.choose_settings(person, wanted)
    except MeetMindError as error:
        leave_change_notice(PLACE, error_text(error), "error")
        return False
    leave_change_notice(PLACE, _done_text(wanted.embedding_models, former_models, known_models))
    return True


def _models_with_vectors(library: "Library") -> set[str]:
    """The short names of the models that need not read the passages first."""
    return {_short_name(status.name) for status in library.models() if status.state != FILLING}


def _short_name(model_name: str) -> str:
    return model_name.rstrip("/").rsplit("/", 1)[-1]


def _done_text(wanted: Sequence[str], former: Sequence[str], known_models: set[str]) -> str:
    """What happens now: a new model reads, others only leave or come back, or neither."""
    if set(wanted) == set(former):
        return text("retrieval_settings.put_done")
    added = [name for name in wanted if name not in former]
    if any(_short_name(name) not in known_models for name in added):
        return text("retrieval_settings.put_done_models")
    leaving = [_short_name(name) for name in former if name not in wanted]
    if not leaving:
        return text("retrieval_settings.put_done_known")
    models = safe_label(text("unit.list_separator").join(leaving))
    return text("retrieval_settings.put_done_fewer", models=models)


def _may_rerank_with(library: "Library", model_name: str) -> bool:
    """No cross-encoder, one that was named before, or one that lies on this disk."""
    known = (
        "",
        library.retrieval_settings().rerank_model,
        library.default_settings().rerank_model,
    )
    return model_name in known or library.has_rerank_model(model_name)


def _models_by_choice(library: "Library") -> dict[str, tuple[str, ...]]:
    minilm, e5 = library.standard_models
    return {BOTH: (minilm, e5), MINILM: (minilm,), E5: (e5,)}
