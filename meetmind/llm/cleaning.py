"""Cleans what a model writes: broken characters, and thoughts that are not meant for the reader."""

import re

from langchain_core.messages import AIMessage

from meetmind.clean_text import clean_bad_chars, clean_value

_HALF_CHARACTER_AT_THE_END = re.compile("[\ud800-\udbff]$")
_LEADING_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL)
_OPEN_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>")
_END_OF_A_THOUGHT = re.compile(r"</(think|thinking|thought|reasoning)>")
_OPENING_MARKS = ("<think>", "<thinking>", "<thought>", "<reasoning>")


def clean_unfinished(text: str) -> str:
    """Cleans text that goes on: half a character at its end waits for its other half."""
    whole = _HALF_CHARACTER_AT_THE_END.sub("", text)
    return clean_bad_chars(whole)


def visible_text(text: str, *, complete: bool) -> str:
    """What a reader sees of an answer: cleaned, trimmed, without the thoughts before it.

    While the answer is still arriving (`complete` is False) each result begins with the one before,
    unless the text turns out to have been a thought.
    """
    cleaned = clean_bad_chars(text) if complete else clean_unfinished(text)
    spoken = _without_thoughts(cleaned)
    if not complete and any(mark.startswith(spoken.strip()) for mark in _OPENING_MARKS):
        return ""
    return spoken.strip()


def clean_message(message: AIMessage) -> AIMessage:
    """The message with plain, cleaned text and cleaned tool arguments."""
    cleaned_calls = []
    for call in message.tool_calls:
        cleaned_calls.append({**call, "args": clean_value(call["args"])})
    update = {
        "content": visible_text(message.text, complete=True),
        "tool_calls": cleaned_calls,
    }
    return message.model_copy(update=update)


def _without_thoughts(text: str) -> str:
    """Some servers leave the thoughts in the text, some leave only the mark that ends them."""
    while thought := _LEADING_THOUGHT.match(text):
        text = text[thought.end() :]
    if _OPEN_THOUGHT.match(text):
        return ""
    end = _END_OF_A_THOUGHT.search(text)
    if end is not None and not text.lstrip().startswith("{"):
        return text[end.end() :]
    return text
