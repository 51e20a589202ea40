import numpy as np
import pytest

from meetmind.knowledge.passage_map import lay_out

DIMENSIONS = 64


def clusters(count: int, size: int, spread: float = 0.1) -> np.ndarray:
    """(count * size, DIMENSIONS): points around `count` centres."""
    random = np.random.default_rng(7)
    centres = random.normal(size=(count, DIMENSIONS))
    noise = random.normal(scale=spread, size=(count, size, DIMENSIONS))
    points = centres[:, np.newaxis, :] + noise
    return points.reshape(count * size, DIMENSIONS).astype(np.float32)


def test_passages_of_one_subject_stand_together() -> None:
    layout = lay_out(clusters(4, 15))
    assert layout.method == "tsne"
    assert layout.positions.shape == (60, 2)
    groups = layout.positions.reshape(4, 15, 2)
    centres = groups.mean(axis=1)
    widest = max(np.linalg.norm(group - group.mean(axis=0), axis=1).max() for group in groups)
    nearest = min(np.linalg.norm(centres[0] - other) for other in centres[1:])
    assert widest < nearest


def test_the_trustworthiness_of_real_clusters_is_high() -> None:
    trust = lay_out(clusters(8, 12)).trustworthiness
    assert trust is not None
    assert 0.85 <= trust <= 1.0


def test_the_same_passages_always_give_the_same_map() -> None:
    vectors = clusters(3, 10)
    np.testing.assert_array_equal(lay_out(vectors).positions, lay_out(vectors).positions)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_few_passages_are_placed_without_neighbourhoods(count: int) -> None:
    layout = lay_out(clusters(1, count, spread=1.0))
    assert layout.method == "pca"
    assert layout.positions.shape == (count, 2)
    assert layout.trustworthiness is None
    assert np.isfinite(layout.positions).all()


@pytest.mark.parametrize("count", [5, 6, 9])
def test_a_handful_of_passages_already_makes_a_map(count: int) -> None:
    layout = lay_out(clusters(1, count, spread=1.0))
    assert layout.method == "tsne"
    assert np.isfinite(layout.positions).all()
    assert layout.trustworthiness is not None


def test_passages_that_mean_the_same_stand_on_one_point() -> None:
    layout = lay_out(np.ones((12, DIMENSIONS), dtype=np.float32))
    assert np.all(layout.positions == 0)
    assert layout.trustworthiness is None
