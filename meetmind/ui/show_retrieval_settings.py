"""Draws how the documents are searched, and how an administrator changes it."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.knowledge_change import show_change_notice
from meetmind.ui.language import text
from meetmind.ui.pages import RERANK_PAGE
from meetmind.ui.retrieval_choice import (
    CHOICE,
    CHOICES,
    E5,
    MINILM,
    OTHER,
    OTHER_MODEL,
    PLACE,
    RERANK_MODEL,
    RERANKING,
    RERANKING_BY_NAME,
    bare_name,
    begin_with,
    choice_of,
    model_problems,
    models_folder,
    on_defaults,
    on_put,
    wanted_models,
)
from meetmind.ui.safe_text import safe_label
from meetmind.ui.show_search_models import show_search_models

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.library import Library
    from meetmind.server.services import Services

LONGEST_NAMES = 500
LONGEST_NAME = 200


def show_retrieval_settings(services: "Services", person: "Person") -> None:
    """What is at work; for administrators, how to change it."""
    library = services.library
    is_locked = not person.is_admin
    st.markdown(f"**{text('retrieval_settings.title')}**")
    st.caption(text("retrieval_settings.text"))
    show_change_notice(PLACE)
    show_search_models(library)
    _show_choice(library, is_locked=is_locked)
    _show_reranking(library, is_locked=is_locked)
    if is_locked:
        st.caption(f":material/lock: {text('retrieval_settings.only_admins')}")
    else:
        _show_buttons(library)
    _show_numbers_link()


def _show_choice(library: "Library", *, is_locked: bool) -> None:
    begin_with(CHOICE, choice_of(library))
    minilm, e5 = library.standard_models
    model_by_choice = {MINILM: minilm, E5: e5}
    both = text("unit.list_separator").join((minilm, e5))
    choice = st.radio(
        text("retrieval_settings.choice"),
        CHOICES,
        key=CHOICE,
        format_func=lambda name: text(
            f"retrieval_settings.choice_{name}", model=model_by_choice.get(name, "")
        ),
        captions=[text(f"retrieval_settings.choice_{name}_text", models=both) for name in CHOICES],
        disabled=is_locked,
    )
    if choice == OTHER_MODEL:
        _show_other_model(library, is_locked=is_locked)


def _show_other_model(library: "Library", *, is_locked: bool) -> None:
    begin_with(OTHER, ", ".join(library.retrieval_settings().embedding_models))
    st.text_input(
        text("retrieval_settings.other"),
        key=OTHER,
        max_chars=LONGEST_NAMES,
        placeholder=text("retrieval_settings.other_placeholder"),
        help=text("retrieval_settings.other_help", folder=models_folder()),
        disabled=is_locked,
    )
    if is_locked:
        return
    for sentence in model_problems(library, wanted_models(library)):
        st.warning(sentence, icon=":material/warning:")


def _show_reranking(library: "Library", *, is_locked: bool) -> None:
    in_force = library.retrieval_settings()
    begin_with(RERANKING, in_force.reranking)
    begin_with(RERANK_MODEL, in_force.rerank_model)
    reranking = st.segmented_control(
        text("retrieval_settings.reranking"),
        list(RERANKING_BY_NAME),
        key=RERANKING,
        format_func=lambda name: text(f"rerank.reranking_{name}"),
        required=True,
        disabled=is_locked,
    )
    st.caption(text("retrieval_settings.reranking_text"))
    typed = st.text_input(
        text("retrieval_settings.rerank_model"),
        key=RERANK_MODEL,
        max_chars=LONGEST_NAME,
        help=text("retrieval_settings.rerank_model_help", folder=models_folder()),
        disabled=is_locked,
    )
    st.caption(_rerank_model_text(library, bare_name(typed), is_used=reranking == "auto"))


def _rerank_model_text(library: "Library", name: str, *, is_used: bool) -> str:
    if not is_used:
        return f":material/remove: {text('retrieval_settings.rerank_unused')}"
    if not name:
        return f":material/remove: {text('retrieval_settings.rerank_none')}"
    if library.has_rerank_model(name):
        return f":green[:material/check_circle:] {text('retrieval_settings.rerank_here')}"
    return f":material/info: {text('retrieval_settings.rerank_missing')}"


def _show_buttons(library: "Library") -> None:
    defaults = library.default_settings()
    is_changed = defaults != library.retrieval_settings()
    with st.container(horizontal=True, gap="small"):
        st.button(
            text("retrieval_settings.put"),
            key="retrieval_settings_put",
            type="primary",
            on_click=on_put,
        )
        with st.popover(
            text("retrieval_settings.defaults"),
            disabled=not is_changed,
            icon=":material/restart_alt:",
            help=None if is_changed else text("retrieval_settings.defaults_same"),
        ):
            models = text("unit.list_separator").join(defaults.embedding_models)
            st.markdown(text("retrieval_settings.defaults_text", models=safe_label(models)))
            st.button(
                text("retrieval_settings.defaults_sure"),
                key="retrieval_settings_defaults",
                type="primary",
                on_click=on_defaults,
            )


def _show_numbers_link() -> None:
    st.caption(text("retrieval_settings.numbers"))
    if RERANK_PAGE.is_file():
        st.page_link(
            RERANK_PAGE, label=text("retrieval_settings.numbers_link"), icon=":material/swap_vert:"
        )
