"""Draws what the vocabulary made of a question: words, guesses, aliases, expansion terms."""

import streamlit as st

from meetmind.search_trace import SearchTrace, TracedTerm
from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.show_rerank_passages import ALIAS_COLOUR, EXPANSION_COLOUR, WORD_COLOUR

COLOUR_BY_KIND = {"word": WORD_COLOUR, "alias": ALIAS_COLOUR, "expansion": EXPANSION_COLOUR}
GUESS_COLOUR = "orange"
UNKNOWN_COLOUR = "gray"
COLUMNS = ("word", "kind", "weight", "idf", "answers", "note")


def show_words(trace: SearchTrace, side: str) -> None:
    """A badge a word, and the same with all numbers as a table."""
    if not trace.terms:
        st.caption(text("rerank.words_none"))
        return
    st.markdown(" ".join(_badge(term) for term in trace.terms))
    with st.expander(text("rerank.words", count=len(trace.terms)), icon=":material/abc:"):
        st.caption(text("rerank.words_help"))
        rows = [_row(term) for term in trace.terms]
        table = {text(f"rerank.word_{name}"): [row[name] for row in rows] for name in COLUMNS}
        st.dataframe(
            table,
            hide_index=True,
            width="stretch",
            key=f"rerank_words_{side}",
            alt=text("rerank.words_alt"),
        )


def _badge(term: TracedTerm) -> str:
    surface = safe_label(term.surface)
    if not term.answers:
        return f":{UNKNOWN_COLOUR}-badge[{surface} ✕]"
    if term.is_guess:
        guesses = safe_label(text("unit.list_separator").join(term.answers))
        return f":{GUESS_COLOUR}-badge[{surface} → {guesses}]"
    return f":{COLOUR_BY_KIND[term.kind]}-badge[{surface}]"


def _row(term: TracedTerm) -> dict[str, str | float]:
    if not term.answers:
        note = text("rerank.note_unknown")
    elif term.is_guess:
        note = text("rerank.note_guess")
    else:
        note = text("rerank.note_exact")
    return {
        "word": term.surface,
        "kind": text(f"rerank.kind_{term.kind}"),
        "weight": round(term.weight, 2),
        "idf": round(term.idf, 2),
        "answers": text("unit.list_separator").join(term.answers),
        "note": note,
    }
