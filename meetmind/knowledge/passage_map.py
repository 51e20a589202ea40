"""Lays the vectors of passages out on a plane, so that near passages stay near.

t-SNE (van der Maaten & Hinton, 2008) over the first principal components; how far the plane can be
believed is the trustworthiness of Venna & Kaski (2001): of the nearest points on the plane, how
many are near in meaning.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, trustworthiness
from threadpoolctl import threadpool_limits

COMPONENTS = 50
FEWEST_FOR_TSNE = 5
"""Below it t-SNE has no neighbourhoods to keep; the principal components say all there is."""
PERPLEXITY = 30.0
NEIGHBOURS = 5
SEED = 14

Method = Literal["tsne", "pca"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """Points of a plane, in the order of the vectors."""

    positions: np.ndarray
    """float32, (vectors, 2), centred."""
    method: Method
    trustworthiness: float | None
    """Between 0 and 1; None where there are too few points to speak of neighbours."""


def lay_out(vectors: np.ndarray) -> Layout:
    """The plane of `vectors`, (vectors, dimensions), the same at every call; needs at least one."""
    unit_vectors = _normalised(vectors)
    components = _principal_components(unit_vectors)
    if len(vectors) < FEWEST_FOR_TSNE or not np.any(components):
        return Layout(positions=_first_two(components), method="pca", trustworthiness=None)
    # A neighbourhood larger than a third of all points is no neighbourhood.
    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    tsne = TSNE(init="pca", perplexity=perplexity, random_state=SEED)
    # Threads that wait for each other at every step crawl while a model keeps the cores busy.
    with threadpool_limits(limits=1):
        positions = tsne.fit_transform(components)
    return Layout(
        positions=_centred(positions),
        method="tsne",
        trustworthiness=_trustworthiness(unit_vectors, positions),
    )


def _normalised(vectors: np.ndarray) -> np.ndarray:
    """On vectors of one length, near in space and near in angle are the same."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


def _principal_components(unit_vectors: np.ndarray) -> np.ndarray:
    most = min(COMPONENTS, *unit_vectors.shape)
    # Of equal vectors PCA makes a division by zero, and t-SNE a crash of the process.
    if np.allclose(unit_vectors, unit_vectors[0], atol=1e-6):
        return np.zeros((len(unit_vectors), most), dtype=np.float32)
    components = PCA(most, random_state=SEED).fit_transform(unit_vectors)
    return np.asarray(components, dtype=np.float32)


def _first_two(components: np.ndarray) -> np.ndarray:
    positions = np.zeros((len(components), 2), dtype=np.float32)
    width = min(2, components.shape[1])
    positions[:, :width] = components[:, :width]
    return _centred(positions)


def _centred(positions: np.ndarray) -> np.ndarray:
    return np.asarray(positions - positions.mean(axis=0), dtype=np.float32)


def _trustworthiness(unit_vectors: np.ndarray, positions: np.ndarray) -> float | None:
    # scikit-learn asks for fewer neighbours than half of the points.
    neighbours = min(NEIGHBOURS, (len(positions) - 1) // 2)
    if neighbours < 1:
        return None
    return float(trustworthiness(unit_vectors, positions, n_neighbors=neighbours))
