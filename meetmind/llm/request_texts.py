"""Every text that a request shows to a model: messages, tool results and tool descriptions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from meetmind.llm.section_marks import unescaped


def texts_of_request(messages: Sequence[BaseMessage], options: Mapping[str, Any]) -> list[str]:
    """The texts in the order in which a model reads them, tools first; its own words left out.

    What stands in JSON is given as it was before, each string by itself.
    """
    texts = list(_strings_in(options.get("tools")))
    for message in messages:
        if not isinstance(message, AIMessage):
            texts.extend(_texts_of(message.text))
    return texts


def _texts_of(text: str) -> Iterator[str]:
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError:
        parsed = unescaped(text)
    yield from _strings_in(parsed)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings_in(inner)
