"""Fields of a request that a server may reject, and how to tell which one it was."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import openai

from meetmind.llm.openai_faults import words_of

OPTIONAL_FIELDS = ("stream_options", "temperature", "extra_body")
_WORDS_OF_FIELD = {
    "stream_options": ("stream_options", "include_usage"),
    "temperature": ("temperature",),
}
_OTHER_CAUSES = re.compile(
    r"response_format|json_schema|json_object|schema|\btools?\b|tool_choice|function|grammar"
    r"|messages|context|tokens|\bmodel\b"
)


def without_fields(payload: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    """The request without these fields."""
    return {name: value for name, value in payload.items() if name not in fields}


def suspected_field(error: openai.APIStatusError, payload: Mapping[str, Any]) -> str | None:
    """The optional field of this request that the server may have rejected; None if it was another.

    A refusal that names nothing at all is put down to the extra fields, the likeliest cause.
    """
    for field in OPTIONAL_FIELDS:
        if payload.get(field) and mentions_field(error, field, payload):
            return field
    if payload.get("extra_body") and not _OTHER_CAUSES.search(words_of(error)):
        return "extra_body"
    return None


def mentions_field(error: openai.APIStatusError, field: str, payload: Mapping[str, Any]) -> bool:
    """Whether the server's words name the field, or for extra fields one of their keys."""
    words = words_of(error)
    extra_keys = tuple(str(key).lower() for key in payload.get("extra_body") or {})
    names = _WORDS_OF_FIELD.get(field, extra_keys)
    return any(name in words for name in names)
