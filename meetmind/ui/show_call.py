"""Draws what a call is about: why, the file or address, the diff, the exact arguments, warnings."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

import streamlit as st

from meetmind.hidden_characters import count_hidden, mixed_scripts, visible_text
from meetmind.ui.call_words import FETCH
from meetmind.ui.edited_call import in_reading_order
from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label, safe_markdown

LINES_IN_FULL = 14
SCROLLED_HEIGHT = 320
LONGEST_COLOURED = 60_000
"""Characters; colouring a longer diff would hold the browser up."""
MOST_LOOKALIKES = 6


def show_why(reason: str) -> None:
    """Why the role wants the call, in its own words."""
    label = text("unit.label", name=text("approval.why"))
    why = safe_markdown(visible_text(reason)) if reason else f":gray[{text('approval.no_why')}]"
    st.markdown(f"**{label}** {why}")


def show_effect(
    tool: str, arguments: Mapping[str, Any], preview: str, caption: str, *, is_open: bool = False
) -> None:
    """File or address, diff and arguments; `is_open` shows arguments that nothing else tells."""
    path = arguments.get("path")
    if path is not None:
        _show_fact(text("approval.file"), str(path))
    if tool == FETCH:
        show_address(str(arguments.get("url", "")))
    if preview:
        st.caption(caption)
        show_diff(preview)
    if is_open and not preview and tool != FETCH:
        st.caption(text("step.arguments"))
        show_arguments(arguments)
        return
    with st.expander(text("step.arguments"), type="compact", icon=":material/data_object:"):
        show_arguments(arguments)


def show_diff(preview: str) -> None:
    """The whole diff, its hidden characters visible; a long one scrolls."""
    shown = visible_text(preview)
    language = "diff" if len(shown) <= LONGEST_COLOURED else None
    st.code(shown, language=language, wrap_lines=True, height=_height(shown))


def show_arguments(arguments: Mapping[str, Any]) -> None:
    """The arguments as JSON that can be read, nothing left out, hidden characters visible."""
    shown = arguments_text(arguments)
    language = "json" if len(shown) <= LONGEST_COLOURED else None
    st.code(shown, language=language, wrap_lines=True, height=_height(shown))


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON, hidden characters written out."""
    ordered = in_reading_order(arguments)
    return visible_text(json.dumps(ordered, ensure_ascii=False, indent=2, default=str))


def show_address(address: str) -> None:
    """The whole address, the host that it leads to set apart, and what tries to hide it."""
    st.code(visible_text(address), language=None, wrap_lines=True)
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host:
        st.warning(text("approval.no_host"), icon=":material/warning:")
        return
    label = text("unit.label", name=text("approval.host"))
    st.markdown(f"**{label}** :blue-badge[{safe_label(visible_text(host))}]")
    for fault in _disguises(parts, host):
        st.warning(text(f"approval.{fault}"), icon=":material/warning:")


def show_warnings(arguments: Mapping[str, Any], preview: str) -> None:
    """A warning for hidden characters and for letters that pass for others; else nothing."""
    hidden = 0
    lookalikes: dict[str, None] = {}
    for words in _texts_in(arguments):
        count, mixed = _found_in(words)
        hidden += count
        lookalikes.update(dict.fromkeys(mixed))
    count, mixed = _found_in(preview)
    # A diff repeats the arguments; what it has beyond them stands in the file already.
    hidden = max(hidden, count)
    lookalikes.update(dict.fromkeys(mixed))
    if hidden:
        warning = text("approval.hidden_one" if hidden == 1 else "approval.hidden", count=hidden)
        st.warning(warning, icon=":material/visibility:")
    if lookalikes:
        spelt = [_spelt_out(word) for word in list(lookalikes)[:MOST_LOOKALIKES]]
        listed = text("unit.list_separator").join(spelt)
        st.warning(text("approval.lookalikes", words=listed), icon=":material/spellcheck:")


@lru_cache(maxsize=32)
def _found_in(words: str) -> tuple[int, tuple[str, ...]]:
    return count_hidden(words), tuple(mixed_scripts(words))


def _texts_in(value: Any) -> Iterator[str]:
    """Every text inside arguments, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_in(inner)


def _spelt_out(word: str) -> str:
    """The word with the number of its first letter that is not plain: both look the same."""
    shown = safe_label(visible_text(word))
    for letter in word:
        if not letter.isascii():
            code = f"U+{ord(letter):04X}"
            return text("approval.lookalike", word=shown, letter=letter, code=code)
    return shown


def _disguises(parts: SplitResult, host: str) -> list[str]:
    faults: list[str] = []
    if "@" in parts.netloc:
        faults.append("host_disguised")
    if not host.isascii() or "xn--" in host:
        faults.append("host_foreign")
    return faults


def _show_fact(name: str, value: str) -> None:
    label = text("unit.label", name=name)
    st.markdown(f"**{label}** {safe_label(visible_text(value))}")


def _height(shown: str) -> int | Literal["content"]:
    """Short texts stand in full; long ones scroll."""
    return SCROLLED_HEIGHT if shown.count("\n") > LINES_IN_FULL else "content"
