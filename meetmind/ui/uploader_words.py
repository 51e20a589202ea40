"""Puts our words into a file uploader: Streamlit's own stand in English and cannot be set."""

import json

import streamlit as st

from meetmind.ui.language import text

BUTTON = '[data-testid="stFileUploaderDropzone"] button p'
HINT = '[data-testid="stFileUploaderDropzoneInstructions"] span'


def show_uploader_words(container_key: str) -> None:
    """The words of the uploader in the keyed container, in the current language."""
    rules: list[str] = []
    for selector, words in (
        (BUTTON, text("knowledge.upload_choose")),
        (HINT, text("knowledge.upload_drop")),
    ):
        place = f".st-key-{container_key} {selector}"
        rules.append(f"{place} {{ font-size: 0; }}")
        # A string of JSON is one of CSS as well, apart from the escapes of rare signs.
        content = json.dumps(words, ensure_ascii=False).replace("<", "")
        rules.append(f"{place}::after {{ content: {content}; font-size: 0.93rem; }}")
    st.html(f"<style>{' '.join(rules)}</style>")
