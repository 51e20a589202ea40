"""Draws how far the reading of documents has come."""

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_services

POLL_SECONDS = 1.0
AT_WORK = ("reading", "embedding")


def show_ingestion() -> None:
    """A bar while documents are read; what failed; nothing when all is in place."""
    progress = current_services().library.progress()
    if progress.state in AT_WORK:
        _show_bar()
    elif progress.failures:
        with st.expander(text("ingest.failed"), icon=":material/warning:"):
            st.caption(text("ingest.failed_text"))
            st.markdown("\n".join(f"- {safe_label(failure)}" for failure in progress.failures))


@st.fragment(run_every=POLL_SECONDS)
def _show_bar() -> None:
    progress = current_services().library.progress()
    if progress.state not in AT_WORK:
        st.rerun()
    share = 0.0 if progress.total <= 0 else min(1.0, progress.done / progress.total)
    doing = text(f"ingest.{progress.state}", current=safe_label(progress.current))
    count = text("ingest.progress", done=progress.done, total=progress.total)
    with st.container(key="ingestion", gap="xxsmall"):
        st.progress(share, text=f"**{text('ingest.title')}** · {count} · :gray[{doing}]")
        st.caption(text("ingest.words_work"))
