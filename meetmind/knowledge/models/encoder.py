"""One way to turn texts into vectors, whatever runs the model."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from meetmind.errors import EmbeddingUnavailable

EXPORT = Path("onnx") / "model_int8.onnx"
MADE_FILE = "made.json"
"""Written last into a folder that `making` made; without it an export has passed no check."""
E5_PROMPTS = {"query": "query: ", "passage": "passage: "}

Kind = Literal["query", "passage"]
Runtime = Literal["onnx int8", "torch"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, eq=False)
class TextTokens:
    """The tokens of one text, without special tokens, prefix and white space."""

    vectors: np.ndarray
    """(tokens, dimensions) float32, unit length."""
    offsets: np.ndarray
    """(tokens, 2) int32: first letter of the token in the text as it was given, and one past the
    last."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Encoded:
    """Texts as vectors, in the order in which they were given."""

    vectors: np.ndarray
    """(texts, dimensions) float32, unit length."""
    tokens: tuple[TextTokens, ...]
    """One a text."""


class Encoder(Protocol):
    """An embedding model that is loaded; one thread at a time may use it."""

    @property
    def name(self) -> str:
        """The model's name without an owner."""

    @property
    def dimensions(self) -> int:
        """How long the vectors are."""

    @property
    def longest(self) -> int:
        """Tokens that are read of one text, special tokens and prefix included."""

    @property
    def runtime(self) -> Runtime:
        """What runs the model."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Encoded:
        """The vectors of texts that are all questions or all passages."""


@dataclass(frozen=True, kw_only=True)
class FolderFacts:
    """What a model folder says about its model."""

    name: str
    dimensions: int
    longest: int
    prompts: dict[str, str]
    """What stands before a text, by `Kind`; nothing for most models."""


def open_encoder(folder: Path, thread_count: int) -> Encoder:
    """Load the model in `folder`: its int8 export where one has passed its check, else by torch.

    Takes 0.1 to 1 second with the export, several with torch. Raises `EmbeddingUnavailable` when
    neither can be loaded.
    """
    from meetmind.knowledge.models.onnx_encoder import OnnxEncoder
    from meetmind.knowledge.models.torch_encoder import TorchEncoder

    if has_checked_export(folder):
        try:
            return OnnxEncoder(folder, thread_count)
        except EmbeddingUnavailable as error:
            if not (folder / "modules.json").is_file():
                raise
            logger.warning("%s The model runs by torch instead.", error)
    return TorchEncoder(folder, thread_count)


def has_checked_export(folder: Path) -> bool:
    """Whether an int8 export lies in the folder that came close enough to torch's vectors."""
    return (folder / EXPORT).is_file() and (folder / MADE_FILE).is_file()


def find_made_folder(model_name: str, cache_dir: Path) -> Path | None:
    """The folder that `making` wrote for the model, if its export is usable."""
    folder = cache_dir / model_name.rsplit("/", 1)[-1]
    if not has_checked_export(folder):
        return None
    return folder


def read_folder_facts(folder: Path) -> FolderFacts:
    """Name, sizes and prompts of the model; raises `EmbeddingUnavailable` for another folder."""
    try:
        config = _read_json(folder / "config.json")
        made = _read_json_if_there(folder / MADE_FILE)
        transformer = _read_json_if_there(folder / "sentence_bert_config.json")
        pooling = _read_json_if_there(folder / "1_Pooling" / "config.json")
        library = _read_json_if_there(folder / "config_sentence_transformers.json")
    except (OSError, ValueError) as error:
        raise EmbeddingUnavailable(f"{folder} is not a readable model folder.") from error
    hidden = config.get("hidden_size", 0)
    name = made.get("model", folder.name)
    return FolderFacts(
        name=name,
        dimensions=pooling.get("word_embedding_dimension", hidden),
        longest=transformer.get("max_seq_length") or config.get("max_position_embeddings", 512),
        prompts=_prompts(library.get("prompts") or {}, name),
    )


def _prompts(declared: dict[str, str], name: str) -> dict[str, str]:
    """The folder's own prompts go before what is known of a family."""
    passage = declared.get("passage") or declared.get("document") or ""
    query = declared.get("query") or ""
    if query or passage:
        return {"query": query, "passage": passage}
    lower_name = name.lower()
    is_e5 = lower_name.startswith(("e5-", "multilingual-e5-"))
    # The instruct models of the family want a task description instead.
    if is_e5 and "instruct" not in lower_name:
        return E5_PROMPTS
    return {"query": "", "passage": ""}


def _read_json(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _read_json_if_there(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    return _read_json(path)
