"""Draws how far the reading of documents and the filling of vectors have come."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.document_report import failure_line
from meetmind.ui.language import known_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_services

if TYPE_CHECKING:
    from meetmind.server.ingestion_worker import IngestionProgress

POLL_SECONDS = 1.0
AT_WORK = ("reading", "embedding")


def show_ingestion() -> bool:
    """A bar while knowledge is prepared; what failed; nothing when all is in place.

    True while it is prepared: the bar draws the page again at the end.
    """
    progress = current_services().library.progress()
    if progress.state in AT_WORK:
        _show_bar()
        return True
    if progress.failures:
        with st.expander(text("ingest.failed"), icon=":material/warning:"):
            st.caption(text("ingest.failed_text"))
            st.markdown("\n".join(f"- {failure_line(failure)}" for failure in progress.failures))
    return False


@st.fragment(run_every=POLL_SECONDS)
def _show_bar() -> None:
    progress = current_services().library.progress()
    if progress.state not in AT_WORK:
        st.rerun()
    with st.container(key="ingestion", gap="xxsmall"):
        st.progress(
            _share(progress), text=f"**{_text_of('title', progress)}** · {_doing(progress)}"
        )
        st.caption(_text_of("caption", progress))


def show_ingestion_in_sidebar() -> None:
    """A thin bar beside every page while knowledge is prepared."""
    if current_services().library.progress().state in AT_WORK:
        _show_thin_bar()


@st.fragment(run_every=POLL_SECONDS)
def _show_thin_bar() -> None:
    progress = current_services().library.progress()
    if progress.state in AT_WORK:
        count = text("ingest.progress", done=progress.done, total=progress.total)
        st.progress(_share(progress), text=f":small[{_text_of('short', progress)} · {count}]")


def _text_of(part: str, progress: "IngestionProgress") -> str:
    """Reading brings the words, embedding the vectors: each has sentences of its own."""
    return text(f"ingest.{part}_{progress.state}")


def _share(progress: "IngestionProgress") -> float:
    if progress.total <= 0:
        return 0.0
    return min(1.0, progress.done / progress.total)


def _doing(progress: "IngestionProgress") -> str:
    current = progress.current
    if progress.state == "embedding":
        current = known_text("role", current)
    doing = text(f"ingest.{progress.state}", current=safe_label(current))
    count = text("ingest.progress", done=progress.done, total=progress.total)
    return f"{count} · :gray[{doing}]"
