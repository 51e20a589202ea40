"""Makes the folders of the standard models, once at installation: `python -m` this module."""

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from meetmind.database.file_locks import held_alone
from meetmind.errors import EmbeddedServerError, EmbeddingUnavailable, SettingsError
from meetmind.knowledge.models.encoder import EXPORT, MADE_FILE, Encoder
from meetmind.knowledge.models.export_check import ExportCheck, check_export
from meetmind.knowledge.models.made_record import is_made, write_record
from meetmind.knowledge.models.onnx_encoder import OnnxEncoder
from meetmind.knowledge.models.onnx_export import write_int8_export
from meetmind.knowledge.models.packaged import package_version
from meetmind.knowledge.models.recipes import STANDARD_RECIPES, Recipe
from meetmind.knowledge.models.torch_encoder import TorchEncoder
from meetmind.knowledge.token_frames import FRAME_FILE, fitted_frame
from meetmind.knowledge.words import detect_language

LOCK_FILE = ".making.lock"
SCRATCH_PREFIX = ".making-"
REPLACED_PREFIX = ".replaced-"
LOCK_PATIENCE_SECONDS = 900.0

OnStep = Callable[[str], None]

logger = logging.getLogger(__name__)


def make_standard_models(
    cache_dir: Path, on_step: OnStep, recipes: tuple[Recipe, ...] = STANDARD_RECIPES
) -> list[str]:
    """Make what is missing in `cache_dir` and give the names of the models that were made.

    A folder that is there from the same package version stays, and so does one that somebody
    else put there. A model whose package is not installed is named in a step and left out. A
    process that dies half way leaves nothing that counts; several at once wait for each other.
    Raises `EmbeddingUnavailable` when the disk is full or not writable, or the wait is too long.
    """
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with _one_maker(cache_dir):
            _remove_leftovers(cache_dir)
            made: list[str] = []
            for recipe in recipes:
                if _make(recipe, cache_dir, on_step):
                    made.append(recipe.name)
            return made
    except OSError as error:
        raise EmbeddingUnavailable(
            f"The models cannot be written into {cache_dir}: {error.strerror or error}."
        ) from error


@contextmanager
def _one_maker(cache_dir: Path) -> Iterator[None]:
    try:
        with held_alone(cache_dir / LOCK_FILE, LOCK_PATIENCE_SECONDS):
            yield
    except EmbeddedServerError as error:
        raise EmbeddingUnavailable(
            f"Another process has been making the models in {cache_dir} for more than "
            f"{LOCK_PATIENCE_SECONDS / 60:.0f} minutes. End it, then start again."
        ) from error


def _remove_leftovers(cache_dir: Path) -> None:
    """What a killed process left; whoever holds the lock knows that nobody is at work on it."""
    for prefix in (SCRATCH_PREFIX, REPLACED_PREFIX):
        for folder in cache_dir.glob(f"{prefix}*"):
            if folder.is_dir():
                shutil.rmtree(folder)


def _make(recipe: Recipe, cache_dir: Path, on_step: OnStep) -> bool:
    """Make one model unless it is there; whether it was made."""
    folder = cache_dir / recipe.name
    source = f"{recipe.distribution} {package_version(recipe.distribution)}"
    if folder.exists() and not (folder / MADE_FILE).is_file():
        on_step(f"{recipe.name}: a folder of your own lies in {cache_dir}, it stays")
        return False
    if is_made(folder, source):
        on_step(f"{recipe.name}: already there")
        return False
    _check_room(recipe, cache_dir)
    scratch = cache_dir / f"{SCRATCH_PREFIX}{recipe.name}"
    scratch.mkdir()
    started = time.monotonic()
    try:
        torch_folder = recipe.fill(scratch)
    except EmbeddingUnavailable as error:
        shutil.rmtree(scratch)
        on_step(f"{recipe.name}: left out, {error}")
        return False
    on_step(f"{recipe.name}: files written ({_seconds_since(started)})")
    check = _try_export(recipe.name, scratch, torch_folder, on_step)
    started = time.monotonic()
    _write_frame(recipe, scratch, torch_folder)
    on_step(f"{recipe.name}: token vectors measured ({_seconds_since(started)})")
    write_record(scratch, recipe.name, source, check)
    _put_in_place(scratch, folder)
    return True


def _check_room(recipe: Recipe, cache_dir: Path) -> None:
    free_bytes = shutil.disk_usage(cache_dir).free
    if free_bytes < recipe.free_bytes:
        raise EmbeddingUnavailable(
            f"Making {recipe.name} needs {recipe.free_bytes / 1e9:.1f} GB in {cache_dir}, but only "
            f"{free_bytes / 1e9:.1f} GB are free."
        )


def _try_export(name: str, folder: Path, torch_folder: Path, on_step: OnStep) -> ExportCheck | None:
    """Add the int8 export if it can be made and passes its check; torch serves otherwise."""
    export_path = folder / EXPORT
    export_path.parent.mkdir()
    try:
        started = time.monotonic()
        write_int8_export(torch_folder, export_path)
        on_step(f"{name}: exported to int8 ({_seconds_since(started)})")
        started = time.monotonic()
        check = check_export(folder, torch_folder, os.cpu_count() or 1)
    except (EmbeddingUnavailable, ImportError, RuntimeError, ValueError) as error:
        logger.warning("The int8 export of %s failed.", name, exc_info=True)
        shutil.rmtree(export_path.parent)
        on_step(f"{name}: no int8 export ({error}), it runs by torch")
        return None
    figures = f"cosine {check.mean_cosine:.4f} to torch over {check.text_count} texts"
    if check.is_passed:
        on_step(f"{name}: export checked, {figures} ({_seconds_since(started)})")
    else:
        shutil.rmtree(export_path.parent)
        on_step(f"{name}: the export is too far off ({figures}), it runs by torch")
    return check


def _write_frame(recipe: Recipe, folder: Path, torch_folder: Path) -> None:
    """How the model's token vectors are stored, fitted on sentences in its languages."""
    thread_count = os.cpu_count() or 1
    encoder: Encoder
    if (folder / EXPORT).is_file():
        encoder = OnnxEncoder(folder, thread_count)
    else:
        encoder = TorchEncoder(torch_folder, thread_count)

    def is_read(text: str) -> bool:
        return detect_language(text) in recipe.languages

    def encode(texts: Sequence[str]) -> list[np.ndarray]:
        return [tokens.vectors for tokens in encoder.encode(texts, "passage").tokens]

    frame = fitted_frame(is_read, encode)
    (folder / FRAME_FILE).write_bytes(frame.to_bytes())


def _put_in_place(scratch: Path, folder: Path) -> None:
    replaced = folder.with_name(f"{REPLACED_PREFIX}{folder.name}")
    if folder.exists():
        folder.rename(replaced)
    scratch.rename(folder)
    if replaced.exists():
        shutil.rmtree(replaced)


def _seconds_since(started: float) -> str:
    return f"{time.monotonic() - started:.1f} s"


def main() -> None:
    """Make the models in the folder that the settings name; ends with status 1 on failure."""
    from meetmind.config.environment import load_environment

    def show_step(step: str) -> None:
        print(step, flush=True)

    try:
        settings = load_environment()
        make_standard_models(settings.embedding_cache_dir, show_step)
    except (SettingsError, EmbeddingUnavailable) as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
