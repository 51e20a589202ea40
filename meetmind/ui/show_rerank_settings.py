"""Draws the settings to try beside those in force, and how an administrator puts them in force."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.retrieval_settings import PathWeight, Reranking, RetrievalSettings
from meetmind.errors import MeetMindError
from meetmind.ui.language import error_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_services, leave_notice
from meetmind.ui.show_rerank_names import settings_text, stage_name

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

DEPTH = "rerank_try_depth"
TOP = "rerank_try_top"
ANSWER = "rerank_try_answer"
RERANKING = "rerank_try_reranking"
HALF_LIFE = "rerank_try_half_life"
WEIGHT = "rerank_try_weight"
RERANKING_BY_NAME: dict[str, Reranking] = {"auto": "auto", "late": "late", "fused": "fused"}
LANGUAGES = ("en", "zh")
LARGEST_DEPTH = 500
LARGEST_TOP = 100
LARGEST_ANSWER = 20
LARGEST_HALF_LIFE = 3_650
LARGEST_WEIGHT = 5.0


def show_tried_settings(in_force: RetrievalSettings) -> RetrievalSettings:
    """Every setting that can be tried, as those in force until it is changed."""
    _fill_in(in_force, anew=False)
    with st.container(border=True, key="rerank_tried", gap="small"):
        st.markdown(f"**{text('rerank.tried_title')}**")
        st.caption(text("rerank.tried_help"))
        with st.grid(4, min_column_width=150, gap="small"):
            depth = _whole_number(DEPTH, "depth", 1, LARGEST_DEPTH)
            top = _whole_number(TOP, "top", 1, LARGEST_TOP)
            answer = _whole_number(ANSWER, "answer", 1, LARGEST_ANSWER)
            half_life = _whole_number(HALF_LIFE, "half_life", 0, LARGEST_HALF_LIFE)
        reranking = st.segmented_control(
            text("rerank.reranking"),
            list(RERANKING_BY_NAME),
            key=RERANKING,
            required=True,
            format_func=lambda value: text(f"rerank.reranking_{value}"),
            persist_state="session",
        )
        weights = _show_weights(in_force)
        st.button(
            text("rerank.as_in_force"),
            key="rerank_try_reset",
            icon=":material/undo:",
            type="tertiary",
            on_click=_fill_in,
            args=(in_force,),
        )
    return replace(
        in_force,
        recall_depth=depth,
        retrieve_top_n=top,
        rerank_top_n=answer,
        half_life_days=half_life,
        reranking=RERANKING_BY_NAME.get(reranking or "", in_force.reranking),
        path_weights=weights,
    )


def with_weights_of(settings: RetrievalSettings, paths: Iterable[str]) -> RetrievalSettings:
    """The settings with a weight for each of the paths, 1 where nothing is set."""
    weights = {weight.path: weight for weight in settings.path_weights}
    for path in paths:
        weights.setdefault(path, PathWeight(path=path))
    return replace(settings, path_weights=tuple(weights.values()))


def _whole_number(key: str, name: str, least: int, most: int) -> int:
    value = st.number_input(
        text(f"rerank.{name}"),
        min_value=least,
        max_value=most,
        step=1,
        key=key,
        help=text(f"rerank.{name}_help"),
        persist_state="session",
    )
    return int(value)


def _show_weights(in_force: RetrievalSettings) -> tuple[PathWeight, ...]:
    weights: list[PathWeight] = []
    with st.grid(4, min_column_width=150, gap="small"):
        for path_weight in in_force.path_weights:
            path = path_weight.path
            chosen = {language: _weight(path, language) for language in LANGUAGES}
            weights.append(PathWeight(path=path, en=chosen["en"], zh=chosen["zh"]))
    return tuple(weights)


def _weight(path: str, language: str) -> float:
    name = safe_label(stage_name(path))
    value = st.number_input(
        text(f"rerank.weight_{language}", path=name),
        min_value=0.0,
        max_value=LARGEST_WEIGHT,
        step=0.1,
        format="%.1f",
        key=f"{WEIGHT}_{path}_{language}",
        persist_state="session",
    )
    return round(float(value), 2)


def _fill_in(in_force: RetrievalSettings, *, anew: bool = True) -> None:
    """Give every field the value in force; `anew` also those that hold something else."""
    value_by_key: dict[str, int | float | str] = {
        DEPTH: min(in_force.recall_depth, LARGEST_DEPTH),
        TOP: min(in_force.retrieve_top_n, LARGEST_TOP),
        ANSWER: min(in_force.rerank_top_n, LARGEST_ANSWER),
        HALF_LIFE: min(in_force.half_life_days, LARGEST_HALF_LIFE),
        RERANKING: in_force.reranking,
    }
    for weight in in_force.path_weights:
        for language in LANGUAGES:
            in_range = min(float(weight.for_language(language)), LARGEST_WEIGHT)
            value_by_key[f"{WEIGHT}_{weight.path}_{language}"] = in_range
    for key, value in value_by_key.items():
        if anew or key not in st.session_state:
            st.session_state[key] = value


def problem_of(settings: RetrievalSettings) -> str:
    """The key of a sentence on what speaks against putting settings in force, or nothing."""
    if settings.rerank_top_n > settings.retrieve_top_n:
        return "rerank.problem_answer"
    if settings.rerank_top_n > settings.recall_depth:
        return "rerank.problem_depth"
    for language in LANGUAGES:
        weights = [weight.for_language(language) for weight in settings.path_weights]
        if not any(weight > 0 for weight in weights):
            return "rerank.problem_weights"
    return ""


def show_put_in_force(
    services: "Services",
    person: "Person",
    in_force: RetrievalSettings,
    tried: RetrievalSettings,
) -> None:
    """For administrators: two changes, each behind a second click that says what it does."""
    problem = problem_of(tried)
    if problem:
        st.warning(text(problem), icon=":material/warning:")
    if not person.is_admin:
        st.caption(text("rerank.only_admins"))
        return
    former = with_weights_of(services.library.former_settings(), services.library.model_names())
    with st.container(horizontal=True, gap="small", key="rerank_changes"):
        hindrance = problem
        if not hindrance and tried == in_force:
            hindrance = "rerank.put_same"
        _show_change(person, "put", tried, hindrance)
        _show_change(person, "back", former, "rerank.back_same" if former == in_force else "")


def _show_change(person: "Person", name: str, settings: RetrievalSettings, hindrance: str) -> None:
    """A change behind a second click; `hindrance` is the key of why it cannot be made, or empty."""
    is_possible = not hindrance
    with st.popover(
        text(f"rerank.{name}"),
        disabled=not is_possible,
        help=text(hindrance) if hindrance else None,
        key=f"rerank_{name}_open",
    ):
        st.markdown(text(f"rerank.{name}_text"))
        for language in LANGUAGES:
            said = settings_text(settings, language)
            st.caption(f"{text(f'rerank.questions_{language}')} {said}")
        st.button(
            text(f"rerank.{name}_sure"),
            key=f"rerank_{name}",
            type="primary",
            disabled=not is_possible,
            on_click=on_choose_settings,
            args=(person, settings),
        )


def on_choose_settings(person: "Person", settings: RetrievalSettings) -> None:
    """Put settings in force for everybody, from the next search on."""
    try:
        current_services().knowledge.choose_settings(person, settings)
    except MeetMindError as error:
        leave_notice(error_text(error))
        return
    leave_notice(text("rerank.put_done"), "success")
