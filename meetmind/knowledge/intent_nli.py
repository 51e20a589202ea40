"""The highest rung of the intent ladder: zero-shot natural language inference.

How strongly the message entails one sentence a label decides (Yin, Hay and Roth 2019), with a model
that reads both languages. Only weights that lie on this disk are used.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from meetmind.errors import KnowledgeError
from meetmind.knowledge.intent_labels import IntentLabel
from meetmind.knowledge.intent_rungs import Probabilities, by_label

HYPOTHESIS = "This message is {}."
LABEL_BY_DESCRIPTION: Mapping[str, IntentLabel] = {
    "small talk or a greeting": "chitchat",
    "a question about how something is": "knowledge_question",
    "a wish for a new or changed product feature": "development_requirement",
    "an order to write, compare, list or review something": "task_instruction",
}
NOTHING_SAID = "..."
"""What the model is shown for a blank message, which its pipeline refuses."""
WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin")


def weights_folder(model_name: str, model_folder: Path) -> Path | None:
    """Where the model lies under `model_folder`, or None when its weights are not there."""
    folder = model_folder / model_name
    if not (folder / "config.json").is_file():
        return None
    if not any((folder / name).is_file() for name in WEIGHT_FILES):
        return None
    return folder


class NliRung:
    """A zero-shot pipeline; it takes one text at a time, since its tokenizer is not thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Load the model, which takes seconds; raises `KnowledgeError` when it cannot be loaded."""
        self._lock = threading.Lock()
        self._pipeline = zero_shot_pipeline(folder)

    def probabilities(self, text: str) -> Probabilities:
        """A probability for each label; raises `KnowledgeError` when the model cannot judge."""
        message = text if text.strip() else NOTHING_SAID
        with self._lock:
            try:
                answer = self._pipeline(
                    message,
                    candidate_labels=list(LABEL_BY_DESCRIPTION),
                    hypothesis_template=HYPOTHESIS,
                )
            except (IndexError, RuntimeError, ValueError) as error:
                raise KnowledgeError(f"The intent model cannot judge: {error}") from error
        labels = [LABEL_BY_DESCRIPTION[description] for description in answer["labels"]]
        return by_label(labels, answer["scores"])


def zero_shot_pipeline(folder: Path) -> Any:
    """The transformers pipeline of the model in `folder`, without a look at any hub."""
    try:
        from safetensors import SafetensorError
        from transformers import (
            AutoModelForSequenceClassification,
            AutoTokenizer,
            ZeroShotClassificationPipeline,
        )
    except ImportError as error:
        raise KnowledgeError(f"The intent model needs transformers: {error}") from error
    make_pipeline: Callable[..., Any] = ZeroShotClassificationPipeline
    try:
        model = AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        pipeline = make_pipeline(model=model, tokenizer=tokenizer, device="cpu")
    except (OSError, ValueError, RuntimeError, EOFError, UnpicklingError, SafetensorError) as error:
        raise KnowledgeError(f"The intent model in {folder} cannot be loaded: {error}") from error
    if pipeline.entailment_id == -1:
        raise KnowledgeError(f"The model in {folder} has no label for entailment.")
    return pipeline
