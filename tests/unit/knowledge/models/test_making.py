"""Making model folders: what is kept, what is made again, and what a killed process leaves."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models import export_check, making
from meetmind.knowledge.models.encoder import EXPORT, MADE_FILE, find_made_folder, open_encoder
from meetmind.knowledge.models.making import make_standard_models
from meetmind.knowledge.models.recipes import Recipe
from tests.unit.knowledge.models.tiny_models import write_tiny_bert


def fill_tiny(folder: Path) -> Path:
    write_tiny_bert(folder)
    return folder


def fill_missing(folder: Path) -> Path:
    raise EmbeddingUnavailable("the package tiny-model is not installed here")


TINY = Recipe(
    name="tiny", distribution="numpy", free_bytes=0, languages=("en", "zh"), fill=fill_tiny
)


def make(cache_dir: Path, recipe: Recipe = TINY) -> tuple[list[str], list[str]]:
    steps: list[str] = []
    made = make_standard_models(cache_dir, steps.append, (recipe,))
    return made, steps


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache_dir = tmp_path_factory.mktemp("made")
    make(cache_dir)
    return cache_dir


@pytest.fixture
def cache_dir(made_once: Path, tmp_path: Path) -> Path:
    """A cache folder of its own in which the tiny model is made."""
    shutil.copytree(made_once, tmp_path / "models")
    return tmp_path / "models"


def test_a_model_is_made_with_a_checked_export(made_once: Path) -> None:
    record = json.loads((made_once / "tiny" / MADE_FILE).read_text())

    assert record["check"]["text_count"] == 48
    assert record["check"]["mean_cosine"] >= 0.97
    assert find_made_folder("some-owner/tiny", made_once) == made_once / "tiny"
    assert open_encoder(made_once / "tiny", 1).runtime == "onnx int8"


def test_what_is_there_is_not_made_again(cache_dir: Path) -> None:
    made, steps = make(cache_dir)

    assert made == []
    assert steps == ["tiny: already there"]


def test_another_version_of_the_package_is_made_anew(cache_dir: Path) -> None:
    record_path = cache_dir / "tiny" / MADE_FILE
    record = json.loads(record_path.read_text())
    record_path.write_text(json.dumps(record | {"source": "numpy 0.1"}))

    assert make(cache_dir)[0] == ["tiny"]
    assert json.loads(record_path.read_text()) == record


def test_a_file_that_was_cut_is_made_anew(cache_dir: Path) -> None:
    (cache_dir / "tiny" / EXPORT).write_bytes(b"cut off")

    assert make(cache_dir)[0] == ["tiny"]
    assert open_encoder(cache_dir / "tiny", 1).runtime == "onnx int8"


def test_a_folder_of_somebodys_own_stays(cache_dir: Path) -> None:
    (cache_dir / "tiny" / MADE_FILE).unlink()

    made, steps = make(cache_dir)

    assert made == []
    assert "it stays" in steps[0]
    assert not (cache_dir / "tiny" / MADE_FILE).exists()


def test_what_a_killed_process_left_is_removed(cache_dir: Path) -> None:
    for name in (".making-tiny", ".replaced-tiny"):
        (cache_dir / name).mkdir()
        (cache_dir / name / "model.safetensors").write_bytes(b"half")

    make(cache_dir)

    assert sorted(path.name for path in cache_dir.iterdir()) == [".making.lock", "tiny"]


def test_a_process_that_dies_while_filling_leaves_nothing_that_counts(tmp_path: Path) -> None:
    def die(folder: Path) -> Path:
        write_tiny_bert(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(tmp_path, replace(TINY, fill=die))

    assert not (tmp_path / "tiny").exists()
    assert make(tmp_path)[0] == ["tiny"]


def test_two_at_once_make_it_once(tmp_path: Path) -> None:
    # Each party opens the lock file by itself, so two threads are to it what two processes are.
    with ThreadPoolExecutor(2) as threads:
        results = list(threads.map(make, [tmp_path, tmp_path]))

    assert sorted(made for made, _ in results) == [[], ["tiny"]]


def test_a_missing_package_is_named_and_left_out(tmp_path: Path) -> None:
    made, steps = make(tmp_path, replace(TINY, fill=fill_missing))

    assert made == []
    assert steps == ["tiny: left out, the package tiny-model is not installed here"]
    assert not (tmp_path / "tiny").exists()


def test_an_export_that_is_too_far_off_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_check, "LOWEST_MEAN_COSINE", 1.1)

    made, steps = make(tmp_path)

    assert made == ["tiny"]
    assert "too far off" in steps[-2]
    assert find_made_folder("tiny", tmp_path) is None
    assert open_encoder(tmp_path / "tiny", 1).runtime == "torch"
    assert make(tmp_path)[0] == []


def test_an_export_that_fails_leaves_the_torch_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise RuntimeError("no such operator")

    monkeypatch.setattr(making, "write_int8_export", fail)

    _, steps = make(tmp_path)

    assert "no int8 export (no such operator)" in steps[-2]
    assert open_encoder(tmp_path / "tiny", 1).runtime == "torch"


def test_a_disk_without_room_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingUnavailable, match=r"needs 1000000000\.0 GB"):
        make(tmp_path, replace(TINY, free_bytes=10**18))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")

    with pytest.raises(EmbeddingUnavailable, match="cannot be written"):
        make(tmp_path / "models")
