"""Draws the map of a role's passages; a click on a point opens its passage beside it."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.fault import polling
from meetmind.ui.language import error_text, known_text, text
from meetmind.ui.open_passage import on_open_passage
from meetmind.ui.passage_figure import passage_figure
from meetmind.ui.session import KNOWLEDGE_MAP_PASSAGE, current_services
from meetmind.ui.show_knowledge import document_names, language_name, show_empty_role
from meetmind.ui.show_passage_list import passage_head
from meetmind.ui.show_text import show_text

if TYPE_CHECKING:
    from meetmind.server.knowledge_rows import DocumentSummary
    from meetmind.server.passage_maps import MapPoint, PassageMap
    from meetmind.server.services import Services

COLOUR = "knowledge_map_colour"
COLOURINGS = ("document", "type", "language")
POLL_SECONDS = 0.5
GOOD = 0.95
FAIR = 0.85
PANEL_HEIGHT = 520


def show_map(services: "Services", role: str) -> None:
    """The map, or why there is none yet."""
    documents = services.library.list_documents(role)
    if not documents:
        show_empty_role(role)
        return
    drawn = services.maps.current(role)
    if drawn.state == "empty":
        st.info(text("map.no_vectors"), icon=":material/scatter_plot:")
    elif drawn.state == "failed":
        st.error(text("map.failed"), icon=":material/error:")
    elif drawn.state == "drawing":
        _wait_for_map(role)
    else:
        if drawn.is_outdated:
            _wait_for_map(role)
        _show_drawn(services, role, drawn, documents)


@st.fragment(run_every=POLL_SECONDS)
@polling
def _wait_for_map(role: str) -> None:
    """Draw the page again as soon as the map is finished."""
    drawn = current_services().maps.current(role)
    if drawn.state != "drawing" and not drawn.is_outdated:
        st.rerun()
    st.markdown(f":shimmer[{text('map.renewing' if drawn.points else 'map.drawing')}]")


def _show_drawn(
    services: "Services", role: str, drawn: "PassageMap", documents: "Sequence[DocumentSummary]"
) -> None:
    st.caption(text("map.sentence"))
    document_by_source = {document.source: document for document in documents}
    chart_column, passage_column = st.columns([0.64, 0.36], gap="medium")
    with chart_column:
        colouring = _show_colouring()
        _show_chart(role, drawn.points, document_by_source, colouring)
    with passage_column:
        st.caption(_trust_text(drawn.trustworthiness))
        st.caption(_shown_text(drawn))
        _show_chosen(services, role)
    with st.expander(text("map.table"), icon=":material/table:", type="compact"):
        _show_table(role, drawn.points, document_by_source)


def _show_colouring() -> str:
    chosen = st.segmented_control(
        text("map.colour"),
        COLOURINGS,
        key=COLOUR,
        default=COLOURINGS[0],
        required=True,
        format_func=lambda name: text(f"map.by_{name}"),
        persist_state="session",
    )
    return chosen or COLOURINGS[0]


def _show_chart(
    role: str,
    points: "Sequence[MapPoint]",
    document_by_source: "dict[str, DocumentSummary]",
    colouring: str,
) -> None:
    name_by_source = document_names(list(document_by_source.values()))
    document_by_id: dict[str, str] = {}
    group_by_id: dict[str, str] = {}
    for point in points:
        name = name_by_source.get(point.source, point.source)
        document_by_id[point.passage_id] = name
        if colouring == "document":
            group = name
        elif colouring == "type" and point.source in document_by_source:
            doc_type = document_by_source[point.source].doc_type
            group = known_text("document_type", doc_type)
        else:
            group = language_name(point.language)
        group_by_id[point.passage_id] = group
    key = f"map_{role}_{colouring}"
    st.plotly_chart(
        passage_figure(points, group_by_id, document_by_id),
        key=key,
        on_select=partial(on_choose_point, key, role),
        selection_mode="points",
        config={"displaylogo": False, "scrollZoom": False},
        alt=text("map.alt", count=len(points)),
    )


def _trust_text(trustworthiness: float | None) -> str:
    if trustworthiness is None:
        return text("map.trust_none")
    if trustworthiness >= GOOD:
        name = "trust_good"
    elif trustworthiness >= FAIR:
        name = "trust_fair"
    else:
        name = "trust_poor"
    return text(f"map.{name}", value=f"{trustworthiness:.2f}")


def _shown_text(drawn: "PassageMap") -> str:
    shown = len(drawn.points)
    if drawn.with_vector > shown:
        return text("map.sampled", shown=f"{shown:,}", count=f"{drawn.with_vector:,}")
    if drawn.passages > shown:
        missing = drawn.passages - shown
        return text("map.without_vector", shown=f"{shown:,}", missing=f"{missing:,}")
    return text("map.all_shown", shown=f"{shown:,}")


def _show_chosen(services: "Services", role: str) -> None:
    chosen = st.session_state.get(KNOWLEDGE_MAP_PASSAGE)
    if chosen is None or chosen[0] != role:
        st.info(text("map.choose"), icon=":material/touch_app:")
        return
    passage_id = chosen[1]
    try:
        found = services.knowledge.open_passage(role, passage_id)
    except MeetMindError as error:
        st.info(error_text(error))
        return
    with st.container(border=True, key=f"map_passage_{passage_id}", gap="xsmall"):
        st.markdown(passage_head(found.passage))
        show_text(found.passage.content, f"map_{passage_id}", keep_lines=True)
        st.button(
            text("knowledge.open_whole"),
            key=f"open_map_{passage_id}",
            type="tertiary",
            icon=":material/menu_book:",
            on_click=on_open_passage,
            args=(role, passage_id),
        )


def _show_table(
    role: str,
    points: "Sequence[MapPoint]",
    document_by_source: "dict[str, DocumentSummary]",
) -> None:
    ordered = sorted(points, key=lambda point: (point.source, point.title))
    titles: list[str] = []
    sources: list[str] = []
    languages: list[str] = []
    for point in ordered:
        titles.append(point.title)
        sources.append(point.source)
        languages.append(language_name(point.language))
    columns = {
        text("knowledge.col_title"): titles,
        text("knowledge.col_source"): sources,
        text("knowledge.col_language"): languages,
        text("map.across"): [round(point.x, 2) for point in ordered],
        text("map.up"): [round(point.y, 2) for point in ordered],
    }
    key = f"map_table_{role}"
    ids = tuple(point.passage_id for point in ordered)
    st.dataframe(
        columns,
        key=key,
        hide_index=True,
        on_select=partial(on_choose_row, key, role, ids),
        selection_mode="single-row",
        alt=text("map.table_alt"),
    )


def on_choose_point(key: str, role: str) -> None:
    """Open the passage of the clicked point beside the map."""
    points = st.session_state[key].selection.points
    if points:
        passage_id = points[0]["customdata"][0]
        st.session_state[KNOWLEDGE_MAP_PASSAGE] = (role, passage_id)


def on_choose_row(key: str, role: str, ids: Sequence[str]) -> None:
    """Open the passage of the chosen row beside the map."""
    rows = st.session_state[key].selection.rows
    if rows:
        st.session_state[KNOWLEDGE_MAP_PASSAGE] = (role, ids[rows[0]])
