"""Embedding models of the process: loaded in the background, shared by questions and passages."""

import gc
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.folders import model_folder
from meetmind.knowledge.words import han_share

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

    from meetmind.knowledge.models.encoder import Encoded, Encoder

MOST_UNKNOWN_TOKENS = 0.2
MOST_HAN_UNREAD = 0.3
"""A text with a larger share of Han letters is Chinese to a model that does not read Chinese."""
CHINESE_PROBE = "未支付订单在库存释放之后自动取消，顾客可以重新购买茶叶与礼品卡，退款按原路返回。"
BATCH_SIZE = 8
QUERY_PATIENCE_SECONDS = 1.5
REMEMBERED_QUERIES = 64

LoadingState = Literal["idle", "loading", "ready", "failed"]

logger = logging.getLogger(__name__)


class EmbeddingBusy(EmbeddingUnavailable):
    """The model is at work on passages and does not come to the question in time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EncodedText:
    """A text as a model reads it."""

    vector: "np.ndarray"
    """(dimensions,), unit length."""
    tokens: "np.ndarray"
    """(tokens, dimensions), each of unit length, special tokens left out."""
    offsets: "np.ndarray"
    """(tokens, 2): the characters of the text that each token stands for."""


def get_embed_model_dim(folder: Path) -> int:
    """How many dimensions the vectors of the model in `folder` have.

    Raises `EmbeddingUnavailable` when the folder does not say it.
    """
    from meetmind.knowledge.models.encoder import read_folder_facts

    dimensions = read_folder_facts(folder).dimensions
    if dimensions <= 0:
        raise EmbeddingUnavailable(f"{folder} does not say how long the model's vectors are.")
    return dimensions


class Embedder:
    """One embedding model of the process.

    `start_loading` returns at once; until the model is there, encoding raises
    `EmbeddingUnavailable` and `can_read` answers already (it needs the tokenizer alone).
    """

    def __init__(
        self, key: str, model_name: str, cache_dir: Path, thread_count: int | None = None
    ) -> None:
        self.key = key
        self.name = model_name.rsplit("/", 1)[-1]
        self.problem = ""
        self.unfinished_tables: set[str] = set()
        """Tables whose passages do not all have their vectors yet."""
        self._model_name = model_name
        self._cache_dir = cache_dir
        self._thread_count = thread_count or os.cpu_count() or 2
        self._state: LoadingState = "idle"
        self._state_lock = threading.Lock()
        self._loaded = threading.Event()
        self._encoder: Encoder | None = None
        self._turn = threading.Condition()
        self._is_encoding = False
        self._waiting_queries = 0
        self._remembered: OrderedDict[str, EncodedText] = OrderedDict()

    @property
    def state(self) -> LoadingState:
        """How far the loading is."""
        return self._state

    @property
    def runtime(self) -> str:
        """What runs the model, such as `onnx int8`; empty until it is loaded."""
        return "" if self._encoder is None else self._encoder.runtime

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

    @property
    def reads_chinese(self) -> bool:
        """Whether the model reads Chinese beside English, and so finds passages across the two."""
        return self._reads_chinese

    def encode_query(self, text: str) -> EncodedText:
        """A question; goes before passages that are waiting.

        Raises `EmbeddingUnavailable` when the model is not loaded, `EmbeddingBusy` when it does
        not come to the question in time.
        """
        with self._turn:
            if text in self._remembered:
                self._remembered.move_to_end(text)
                return self._remembered[text]
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
            encoded = self._encode([text], "query")
        query = _texts_of(encoded)[0]
        self._remember(text, query)
        return query

    def encode_passages(self, texts: Sequence[str]) -> list[EncodedText]:
        """Passages, in their order; questions are let in between two batches."""
        by_length = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        text_by_position: dict[int, EncodedText] = {}
        for start in range(0, len(by_length), BATCH_SIZE):
            positions = by_length[start : start + BATCH_SIZE]
            with self._turn:
                self._turn.wait_for(lambda: not self._is_encoding and self._waiting_queries == 0)
                self._is_encoding = True
            with self._giving_the_turn_back():
                encoded = self._encode([texts[position] for position in positions], "passage")
            text_by_position.update(zip(positions, _texts_of(encoded), strict=True))
        return [text_by_position[position] for position in range(len(texts))]

    def _remember(self, text: str, query: EncodedText) -> None:
        """The roles of a discussion ask the same question of their tables, one after another."""
        with self._turn:
            self._remembered[text] = query
            while len(self._remembered) > REMEMBERED_QUERIES:
                self._remembered.popitem(last=False)

    @contextmanager
    def _giving_the_turn_back(self) -> Iterator[None]:
        try:
            yield
        finally:
            with self._turn:
                self._is_encoding = False
                self._turn.notify_all()

    def _encode(self, texts: list[str], kind: Literal["query", "passage"]) -> "Encoded":
        if self._encoder is None:
            raise EmbeddingUnavailable(self.problem or "The embedding model is not loaded yet.")
        return self._encoder.encode(texts, kind)

    def _load(self) -> None:
        try:
            folder = model_folder(self._model_name, self._cache_dir)
            self._encoder = _load_encoder(folder, self._thread_count)
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


def _load_encoder(folder: Path, thread_count: int) -> Any:
    """Import the libraries (seconds, where torch is needed) and load the model, offline."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from meetmind.knowledge.models.encoder import open_encoder

    return open_encoder(folder, thread_count)


def _texts_of(encoded: "Encoded") -> list[EncodedText]:
    texts: list[EncodedText] = []
    for vector, tokens in zip(encoded.vectors, encoded.tokens, strict=True):
        texts.append(EncodedText(vector=vector, tokens=tokens.vectors, offsets=tokens.offsets))
    return texts
