"""Token vectors on their way into a table and back into a score."""

import numpy as np
import pytest

from meetmind.knowledge.late_interaction import (
    KEPT_AXES,
    LONGEST_PASSAGE,
    TokenFrame,
    fit_frame,
    max_sim,
)

GENERATOR = np.random.default_rng(3)


def unit_rows(count: int, dimensions: int) -> np.ndarray:
    rows = GENERATOR.normal(size=(count, dimensions)).astype(np.float32)
    unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def plain_frame(dimensions: int) -> TokenFrame:
    return TokenFrame(
        axes=np.eye(dimensions, dtype=np.float32),
        mean_by_language={"en": np.zeros(dimensions, dtype=np.float32)},
    )


def test_what_is_stored_is_close_to_what_was_encoded() -> None:
    tokens = unit_rows(20, 32)
    frame = plain_frame(32)
    raw = frame.compress(tokens, "en")

    assert len(raw) == 20 * 32
    read = np.frombuffer(raw, dtype=np.int8).reshape(20, 32) / 127
    assert np.abs(read - tokens).max() < 0.01


def test_max_sim_is_the_weighted_mean_of_the_best_matches() -> None:
    frame = plain_frame(4)
    axes = np.eye(4, dtype=np.float32)
    passages = [frame.compress(axes[:2], "en"), frame.compress(axes[2:3], "en")]
    weights = np.array([3.0, 1.0], dtype=np.float32)

    scores = max_sim(frame.project(axes[[0, 2]], "en"), weights, passages)

    assert scores == pytest.approx([0.75, 0.25], abs=0.01)


def test_every_passage_is_scored_as_if_it_were_alone() -> None:
    frame = plain_frame(16)
    query = frame.project(unit_rows(5, 16), "en")
    weights = np.ones(5, dtype=np.float32)
    passages = [frame.compress(unit_rows(count, 16), "en") for count in (1, 7, 3)]

    together = max_sim(query, weights, passages)
    alone = [max_sim(query, weights, [passage])[0] for passage in passages]

    assert together == pytest.approx(alone, abs=1e-6)


def test_a_frame_takes_each_languages_own_direction_away() -> None:
    direction = np.zeros(16, dtype=np.float32)
    direction[0] = 5
    english = unit_rows(200, 16)
    chinese = unit_rows(200, 16) + direction
    frame = fit_frame({"en": [english], "zh": [chinese]})

    assert frame.mean_by_language["zh"][0] > 4
    same_meaning = max_sim(
        frame.project(english[:1], "en"),
        np.ones(1, dtype=np.float32),
        [frame.compress(english[:1] + direction, "zh")],
    )
    assert same_meaning[0] > 0.9


def test_a_frame_survives_its_bytes() -> None:
    frame = fit_frame({"en": [unit_rows(50, 24)], "zh": [unit_rows(50, 24)]})
    read = TokenFrame.from_bytes(frame.to_bytes())

    assert np.array_equal(read.axes, frame.axes)
    assert read.mean_by_language.keys() == {"en", "zh"}
    assert np.array_equal(read.mean_by_language["zh"], frame.mean_by_language["zh"])


def test_a_small_model_keeps_all_its_axes_and_a_large_one_the_strongest() -> None:
    assert fit_frame({"en": [unit_rows(40, 16)]}).axes.shape == (16, 16)
    assert fit_frame({"en": [unit_rows(300, 200)]}).axes.shape == (200, KEPT_AXES)


def test_a_language_that_the_frame_does_not_know_is_read_all_the_same() -> None:
    frame = fit_frame({"en": [unit_rows(40, 16)]})

    assert frame.project(unit_rows(3, 16), "zh").shape == (3, 16)


def test_an_endless_passage_is_cut() -> None:
    raw = plain_frame(8).compress(unit_rows(LONGEST_PASSAGE + 50, 8), "en")

    assert len(raw) == LONGEST_PASSAGE * 8
