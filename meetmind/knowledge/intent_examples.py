"""The labelled example messages from which the intent classifier learns."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from meetmind.knowledge.intent_labels import IntentLabel
from meetmind.knowledge.words import Language

EXAMPLES_FOLDER = Path(__file__).with_name("intent_examples")
EXAMPLE_LANGUAGES: tuple[Language, ...] = ("en", "zh")


@dataclass(frozen=True, kw_only=True)
class IntentExample:
    """A message and the kind of message that it is."""

    label: IntentLabel
    text: str


@cache
def examples_in(language: Language) -> tuple[IntentExample, ...]:
    """Every example of a language, label by label, in the order of the file."""
    return read_examples(EXAMPLES_FOLDER / f"{language}.jsonl")


def read_examples(file: Path) -> tuple[IntentExample, ...]:
    """The labelled messages of a JSONL file with the keys `label` and `text`."""
    examples = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        examples.append(IntentExample(label=row["label"], text=row["text"]))
    return tuple(examples)
