"""Draws what stands elsewhere in the second of two answers."""

from collections.abc import Sequence

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.search_view import Move


def show_moves(moves: Sequence[Move]) -> None:
    """One line a passage that moved; a sentence when the two answers are the same."""
    with st.container(border=True, key="rerank_moves", gap="xsmall"):
        st.markdown(f"**{text('rerank.moves')}**")
        if not moves:
            st.caption(text("rerank.moves_none"))
            return
        st.markdown("\n".join(f"- {_line(move)}" for move in moves))


def _line(move: Move) -> str:
    title = safe_label(move.title)
    if move.rank_before == 0:
        return text("rerank.move_new", title=title, after=move.rank_after)
    if move.rank_after == 0:
        return text("rerank.move_gone", title=title, before=move.rank_before)
    key = "rerank.move_up" if move.rank_after < move.rank_before else "rerank.move_down"
    return text(key, title=title, before=move.rank_before, after=move.rank_after)
