"""Few kinds of many cells each, told by their means where single cells are too noisy.

Where equals differ nearly as much as others do, no gap shows between the merges of a tree. But the
mean of many cells has little noise: each cell lies clearly on its own kind's side, between the mean
of that, itself left out, and the mean of any other. What is no kinds is one cloud; however that is
cut, cells lie near the cut.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.cluster import AgglomerativeClustering

from ar_assist.games.tiles import Array, Indices

Floats = NDArray[np.float64]

LEAST, MOST = 4, 16  # kinds: of more, a tree is cut well
PER_KIND, FEWEST = 5, 4  # cells on average, and of any: the mean of fewer has noise too
CLEAR, NEAREST = 0.7, 0.1  # of two kinds' cells a share may lie nearer to the other than so
BY_CHANCE = 0.04  # of groups of any sizes as few are odd
MANY = 8  # cells: where kinds have so many, what looks alike shows as two heaps of a group
ROUNDS = 10  # of moving cells to the nearest mean, and of weighing the parts anew
ROOM = 1e-9  # squared: no two means are nearer


def linkage(distance: NDArray[np.floating]) -> tuple[Indices, Floats]:
    """Merges (N - 1, 2) of average linkage, and their heights."""
    tree = AgglomerativeClustering(
        n_clusters=None, distance_threshold=0.0, metric="precomputed", linkage="average"
    ).fit(distance)
    return tree.children_, tree.distances_


def cut_into(merges: Indices, count: int) -> Indices:
    """(N,) the tree's groups where there are so many."""
    n = len(merges) + 1
    group = np.arange(2 * n - 1)
    for node in range(2 * n - 1 - count, n - 1, -1):
        group[merges[node - n]] = group[node]
    return np.unique(group[:n], return_inverse=True)[1]


def few_kinds(parts: Array, guess: Indices) -> Indices | None:
    """(N,) kinds of cells of which nearly all are even and any two stand clear of each other, as
    many as there may be; None: there are none.

    `parts` (K, N, N) are the differences of cells; a guess (N,) at groups weighs them at first.
    """
    squares = parts.astype(np.float64) ** 2
    n = len(guess)
    if not 0 < guess.max() < n - 1:
        return None
    merges, _ = linkage(_weighed(squares, guess))
    for count in range(min(n // PER_KIND, MOST), LEAST - 1, -1):
        labels, apart = _settled(squares, cut_into(merges, count))
        sizes = np.bincount(labels)
        if len(sizes) < LEAST or sizes.min() < FEWEST:
            continue
        is_even = special.bdtr((sizes % 2).sum(), len(sizes), 0.5) < BY_CHANCE
        if is_even and _clearness(apart, labels) > CLEAR:
            return labels
    return None


def own_sides(parts: Array, labels: Indices) -> Floats:
    """(N,) how far each cell lies on its own side, 0 to about 1, of the middle between the mean of
    its kind and that of the next; 0 where it or most kinds have few cells."""
    sizes = np.bincount(labels)
    told = sizes[labels] >= MANY
    if len(sizes) < 2 or np.median(sizes) < MANY:
        return np.zeros(len(labels))
    apart = _weighed(parts.astype(np.float64) ** 2, labels)
    side = _sides(apart, labels)
    return np.where(told, side.min(1), 0.0)


def _weighed(squares: Floats, labels: Indices) -> Floats:
    """(N, N) squared differences, each part by how far groups stand above its noise within them."""
    same = labels[:, None] == labels
    others = squares[:, ~same].mean(1)
    np.fill_diagonal(same, False)
    within = squares[:, same].mean(1)
    weights = np.maximum(others - within, 0) / (others * within + 1e-9)
    return np.tensordot(weights, squares, 1)


def _settled(squares: Floats, labels: Indices) -> tuple[Indices, Floats]:
    """Groups of which every cell is nearest to its own mean, as far as rounds go, and the squared
    differences by which it is so."""
    for _ in range(ROUNDS):
        apart = _weighed(squares, labels)
        nearest = np.unique(_from_means(apart, labels).argmin(1), return_inverse=True)[1]
        if np.array_equal(nearest, labels) or nearest.max() < LEAST - 1:
            break
        labels = nearest
    return labels, apart


def _from_means(apart: Floats, labels: Indices) -> Floats:
    """(N, G) squared distances of cells from the groups' means, each cell left out of its own.

    From squared distances between cells alone: the mean of those to a group, less half the mean of
    those within it. A cell alone is infinitely far from its group.
    """
    some = labels[:, None] == np.arange(labels.max() + 1)
    to = apart @ some
    inside = np.where(some, to, 0).sum(0) - np.where(some, 2 * to, 0)  # without the cell itself
    count = some.sum(0) - some
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = to / count - inside / count**2 / 2
    return np.where(count > 0, squared, np.inf)


def _clearness(apart: Floats, labels: Indices) -> float:
    """How far nearly all cells of any two groups lie on their own side."""
    side = _sides(apart, labels)
    some = labels == np.arange(labels.max() + 1)[:, None]
    a, b = np.triu_indices(len(some), 1)
    return min(
        float(np.quantile(np.concatenate([side[some[i], j], side[some[j], i]]), NEAREST))
        for i, j in zip(a, b, strict=True)
    )


def _sides(apart: Floats, labels: Indices) -> Floats:
    """(N, G) how far cells lie on their own side of the middle between means: 0 there, 1 where
    cells of a group lie on average, and infinitely far from their own group."""
    n, some = len(labels), labels == np.arange(labels.max() + 1)[:, None]
    from_means = np.nan_to_num(_from_means(apart, labels), posinf=0.0)  # of a cell alone
    gap = from_means - from_means[np.arange(n), labels][:, None]
    between = some @ gap / some.sum(1, keepdims=True)  # (G, G) squared, without noise
    between = np.maximum((between + between.T) / 2, ROOM)
    return np.where(some.T, np.inf, gap / between[labels])
