"""The four kinds of message that a brief can be."""

from typing import Literal, get_args

IntentLabel = Literal[
    "chitchat", "knowledge_question", "development_requirement", "task_instruction"
]
INTENT_LABELS: tuple[IntentLabel, ...] = get_args(IntentLabel)
