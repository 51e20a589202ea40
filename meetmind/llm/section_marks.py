"""Finds marked sections such as `<brief>...</brief>` in a prompt, and the items inside them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SECTION = re.compile(
    r"<(?P<name>task|brief|question|talk|points|heard|turn|passages|tool_results|earlier_evidence"
    r"|sources|files|summary|recalled|person_said|stances|guard|length|budget)"
    r"(?P<attributes>(?:\s[^<>]*?)?)(?P<closed>/)?>"
)
_ITEM = re.compile(
    r"<(?P<name>utterance|passage|result|earlier|words)\s(?P<attributes>[^<>]*)>"
    r"(?P<text>.*?)</(?P=name)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')


@dataclass(frozen=True, kw_only=True)
class MarkedText:
    """A section or an item: the attributes of its opening mark, and its text with escapes left."""

    attributes: dict[str, str]
    text: str

    def attribute(self, name: str) -> str:
        """The attribute's value, or an empty string."""
        return self.attributes.get(name, "")

    @property
    def plain(self) -> str:
        """The text as it was before it was put into the section."""
        return unescaped(self.text).strip()


NOTHING = MarkedText(attributes={}, text="")


def sections_in(text: str) -> dict[str, MarkedText]:
    """Section by name, read front to back: marks inside a section's text are passed over."""
    section_by_name: dict[str, MarkedText] = {}
    position = 0
    while opening := _SECTION.search(text, position):
        name = opening["name"]
        position = opening.end()
        inner = ""
        if not opening["closed"]:
            closing = text.find(f"</{name}>", position)
            if closing < 0:
                continue
            inner = text[position:closing]
            position = closing + len(f"</{name}>")
        section = MarkedText(attributes=attributes_in(opening["attributes"]), text=inner)
        section_by_name.setdefault(name, section)
    return section_by_name


def items_in(text: str) -> Iterator[MarkedText]:
    """What a section lists: utterances, passages, results, words and the like."""
    for item in _ITEM.finditer(text):
        yield MarkedText(attributes=attributes_in(item["attributes"]), text=item["text"])


def attributes_in(text: str) -> dict[str, str]:
    """The `name="value"` pairs of an opening mark."""
    return {name: unescaped(value) for name, value in _ATTRIBUTE.findall(text)}


def unescaped(text: str) -> str:
    """Foreign text as it was before its closing marks were made harmless."""
    return text.replace("<\\/", "</")
