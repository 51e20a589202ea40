"""Draws a text that a model, a document, a tool or a person wrote; a long one folds."""

from collections.abc import Mapping

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_markdown

LONGEST_SHOWN = 6_000
"""Characters; a longer text shows its beginning and opens to the whole."""
BEGINNING = 2_000
"""About so many characters of a folded text are shown."""


def show_text(
    words: str,
    key: str,
    *,
    citation_numbers: Mapping[str, int] | None = None,
    keep_lines: bool = False,
) -> None:
    """The text as harmless Markdown, as `safe_markdown` makes it; `key` tells texts apart."""
    if len(words) <= LONGEST_SHOWN:
        shown = safe_markdown(words, citation_numbers=citation_numbers, keep_lines=keep_lines)
        st.markdown(shown)
        return
    beginning = st.container()
    whole = st.expander(
        text("long_text.whole", count=f"{len(words):,}"),
        type="compact",
        icon=":material/unfold_more:",
        key=f"whole_{key}",
        on_change="rerun",
    )
    place, words_shown = (whole, words) if whole.open else (beginning, beginning_of(words))
    with place:
        shown = safe_markdown(words_shown, citation_numbers=citation_numbers, keep_lines=keep_lines)
        st.markdown(shown)


def beginning_of(words: str) -> str:
    """The first paragraphs of a long text, cut at the end of a line where there is one."""
    cut = words[:BEGINNING]
    for line_end in ("\n\n", "\n", " "):
        place = cut.rfind(line_end)
        if place > BEGINNING // 2:
            cut = cut[:place]
            break
    return f"{cut.rstrip()} …"
