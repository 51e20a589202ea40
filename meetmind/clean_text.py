"""The one cleaning of text at every way in: what PostgreSQL cannot store and models choke on."""

import re
from typing import Any

_BAD_CHARACTERS = re.compile("[\x00\ud800-\udfff]")


def clean_bad_chars(text: str) -> str:
    """The text without NUL and lone surrogates; two halves of one character are joined.

    PostgreSQL refuses both, and a lone surrogate in a prompt makes every later request fail.
    """
    if not _BAD_CHARACTERS.search(text):
        return text
    encoded = text.encode("utf-16-le", "surrogatepass")
    joined = encoded.decode("utf-16-le", "ignore")
    return joined.replace("\x00", "")


def clean_value(value: Any) -> Any:
    """The same JSON value with every string in it cleaned, keys included."""
    if isinstance(value, str):
        return clean_bad_chars(value)
    if isinstance(value, list | tuple):
        return [clean_value(entry) for entry in value]
    if isinstance(value, dict):
        return {clean_value(key): clean_value(entry) for key, entry in value.items()}
    return value
