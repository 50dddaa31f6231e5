"""Group equal cells by agglomerative clustering, with the number of groups found.

The tree of merges is scikit-learn's, with average linkage; where it is cut is a question of odds.
Three facts speak: merges of equals are low and those of unlike cells high, with a gap between;
games draw their boards from some usual number of kinds; and the game tells which sizes a group may
have. A last look goes into every group: kinds that only a smile or a shade of grey parts are far
nearer than others are, but differ in that one respect by far more than equals do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering

from ar_assist.games.tiles import PARTS, Array, Differences, Indices, mates

CONTENT = 0.55  # usual difference of shapes: less is no drawing
CLEANEST = 0.01  # share of the usual difference: no board is cleaner than this
ROUNDS = 2  # of weighing the parts anew
USUAL_SIZE, SIZE_SPREAD = 4.5, 0.6  # cells of a kind, and the spread of its log, in common games
# Log odds of a cut of the tree: a conditional logit fitted on rendered boards.
GAP = 6.9  # per e-fold between the merges below and above it
CLEAR = 1.5  # e-folds: a wider gap is no better
ODD, SINGLE = -0.36, -0.31  # per group of an odd size, and of one cell
WHOLE = 0.42  # per merge above it whose two sides have even sizes: parts of a kind seldom have
USUAL = -0.37  # per squared spread that the mean size lies off the usual
# Log odds that a merge joins unlike cells, at the level and per e-fold above it: a logistic fit.
UNLIKE, UNLIKE_STEP = -0.3, 6.0
NEARLY_ALL = 0.9  # of the groups: cells within them differ by less
MIXED = 2.0  # times the usual within a half: it is of several kinds itself, which parts no less
# Halves of a group so many times further apart, in any part, than cells within them are two kinds.
# One in five is one kind even there; but a kind cut in two costs a hint, two in one give a wrong.
APART = 2.3
# Log odds that a cell is with its like alone: a logistic fit, checked by benchmarks/link_kinds.py,
# of rendered boards. How often kinds are dealt varies more on real ones (by a factor of 1.5, kinds
# run together being twice as large), so that its weight is half the fitted; and the base is 1.4
# lower than fitted, for boards that are unlike those.
BASE, PER_EVIDENCE = 1.8, (2.3, 0.57, -7.0, -4.0)
NEAR = 0.05  # of what parts kinds: how far equals and others stand apart is not known better
MOST = 6.0  # log odds: more from the tree adds nothing

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which cells show the same."""

    labels: Indices  # (N,) 0.. in order of first appearance
    margin: Array  # (N,) log odds that the cell is with its like alone
    weights: Floats  # (K,) of the parts: like cells are less than 1 apart
    score: float  # how clearly the groups stand apart
    lead: Array  # (N,) log odds over another view of the parts, where that parts the cell's group


def group(look: Differences, size_odds: Callable[[int], float]) -> Grouping:
    """The clusters of cells, with each looked into once more for kinds that differ in one part."""
    found = cluster(look, size_odds)
    telling = [k for k, name in enumerate(PARTS[: len(look.parts)]) if name != "rest"]
    # The rest says in the mean what the spot says.
    found, halves = _parted(found, look.parts[telling], look.slack[telling], size_odds)
    return replace(found, margin=np.minimum(_odds(found, look.parts, halves), found.lead))


def cluster(look: Differences, size_odds: Callable[[int], float]) -> Grouping:
    """Agglomerative clusters of cells, cut where the evidence is best; margins are the tree's.

    Each part of the difference counts by how far it stands above its own noise within groups, as in
    Fisher's linear discriminant, so that colour decides on a board of plain squares, shape before
    a grey camera, and neither is drowned by the other's noise. Noise is first judged by mates, in
    several ways, then by the best groups found. `size_odds` is the log odds of a group's size.
    """
    parts = look.parts
    usual = np.median(parts, (1, 2))

    def attempt(uses: list[int], a: Indices, b: Indices) -> Grouping:
        weights = _weigh(parts, usual, uses, a, b)
        merges, heights = _linkage(np.tensordot(weights, parts, 1))
        level, score = _level(merges, heights)
        labels, margin = _cut_tree(merges, heights, level, size_odds)
        return Grouping(labels, margin, weights / level, score, np.full(len(labels), np.inf))

    def by_mates(uses: list[int]) -> Grouping:
        weights = 1 / (usual[uses] + 1e-6)
        for _ in range(ROUNDS):
            a, b = mates(np.tensordot(weights, parts[uses], 1)).T
            weights = _weigh(parts, usual, uses, a, b)[uses]
        return attempt(uses, a, b)

    # Colour alone is not seen on shaded tiles, nor shape on plain squares, and either may mislead.
    colour = [1, 2]
    every = list(range(len(parts)))
    alone = [k for k in every if (k not in colour) == (usual[0] > CONTENT)]
    rival, best = sorted((by_mates(uses) for uses in (every, alone)), key=lambda g: g.score)
    lead = best.score - rival.score
    for _ in range(ROUNDS):
        better = attempt(every, *np.nonzero(np.triu(best.labels[:, None] == best.labels, 1)))
        if better.score <= best.score:
            break
        best = better
    joined = best.labels[:, None] == best.labels
    parted = (joined & (rival.labels[:, None] != rival.labels)).any(1)
    return replace(best, lead=np.where(parted, lead, np.inf).astype(np.float32))


def _odds(found: Grouping, parts: Array, halves: Floats) -> Array:
    """(N,) log odds that a cell is with its like alone.

    They rest on how much further the nearest cell of another group is than the farthest of its own,
    on the margin of its group in the tree, on how far the group falls apart in `halves`, and on how
    many more cells it has than others have: kinds are dealt about equally often.
    """
    apart = np.tensordot(found.weights, parts, 1)
    same = found.labels[:, None] == found.labels
    farthest = np.where(same, apart, 0).max(1)
    nearest = np.where(same, np.inf, apart).min(1)
    ratio = np.log((nearest + NEAR) / (farthest + NEAR))
    size = np.bincount(found.labels)
    crowd = np.log(np.maximum(size / np.median(size), 1))[found.labels]
    margin = np.clip(found.margin, -MOST, MOST)
    told = np.stack([np.minimum(ratio, MOST), margin, np.log(halves), crowd], 1)
    return np.asarray(BASE + told @ np.array(PER_EVIDENCE), np.float32)


def _parted(
    found: Grouping, parts: Array, slack: Array, size_odds: Callable[[int], float]
) -> tuple[Grouping, Floats]:
    """The groups, those in two that fall apart in any part of the difference, if sizes allow.

    With how many times more the halves of each differ than cells within them, (N,).
    """
    todo = [np.flatnonzero(found.labels == label) for label in range(found.labels.max() + 1)]
    within = [_mean(parts, some, some) for some in todo if len(some) > 1] or [np.zeros(len(parts))]
    usual = np.maximum(np.quantile(within, NEARLY_ALL, axis=0, method="lower"), 1e-6)
    labels, apart = np.empty_like(found.labels), np.ones(len(found.labels))
    while todo:
        some = todo.pop(0)
        least = np.maximum(usual, slack[:, some].mean(1))
        ratio, halves = _halves(parts, some, least, size_odds)
        if ratio > APART:
            todo += halves
        else:
            labels[some], apart[some] = some[0], ratio
    return replace(found, labels=_numbered(labels)), apart


def _halves(
    parts: Array, some: Indices, usual: Floats, size_odds: Callable[[int], float]
) -> tuple[float, list[Indices]]:
    """How many times more the halves of a group differ than cells within them, and these halves.

    In each part they gather round the two cells that differ most; the clearest part counts.
    """
    clearest, halves = 1.0, [some]
    for k, part in enumerate(parts[:, some[:, None], some]):
        a, b = np.unravel_index(int(part.argmax()), part.shape)
        nearer = part[:, a] <= part[:, b]
        two = [some[nearer], some[~nearer]]
        if sum(size_odds(len(half)) for half in two) < size_odds(len(some)) or not len(two[1]):
            continue
        within = [_mean(parts[k : k + 1], half, half)[0] for half in two]
        spread = np.clip(max(within), usual[k], MIXED * usual[k])
        ratio = float(_mean(parts[k : k + 1], *two)[0] / spread)
        if ratio > clearest:
            clearest, halves = ratio, two
    return clearest, halves


def _mean(parts: Array, some: Indices, others: Indices) -> Floats:
    """(K,) mean difference of some cells from others, or among themselves, each from the rest."""
    block = parts[:, some[:, None], others]
    pairs = block[0].size - (len(some) if some is others else 0)
    return np.asarray(block.sum((1, 2)) / max(pairs, 1), np.float64)


def _weigh(parts: Array, usual: Array, uses: list[int], a: Indices, b: Indices) -> Floats:
    """(K,) weights of the parts, so that the mean over the pairs a, b of equal cells is 1.

    `usual` (K,) is what any two cells differ by.
    """
    within = parts[:, a, b].mean(1) if len(a) else np.zeros(len(parts))
    used = np.isin(np.arange(len(parts)), uses)
    weights = used * np.maximum(usual - within, 0) / (within + CLEANEST * usual + 1e-6) ** 2
    unit = float(weights @ within)
    return np.asarray(weights / (unit + 1e-6))


def _linkage(distance: NDArray[np.floating]) -> tuple[Indices, Floats]:
    """Merges (N - 1, 2) of average linkage, and their heights."""
    tree = AgglomerativeClustering(
        n_clusters=None, distance_threshold=0.0, metric="precomputed", linkage="average"
    ).fit(distance)
    return tree.children_, tree.distances_


def _level(merges: Indices, heights: Floats) -> tuple[float, float]:
    """The height that parts like from unlike, and its log odds."""
    n = len(merges) + 1
    height = np.maximum(heights, 0.5)  # 1: what equal cells differ by
    gap = np.minimum(np.log(height[1:] / height[:-1]), CLEAR)
    size = np.ones(2 * n - 1, int)
    for m, (a, b) in enumerate(merges):
        size[n + m] = size[a] + size[b]
    first, second = size[merges].T
    joined = first + second
    single = n - np.cumsum((first == 1).astype(int) + (second == 1))
    odd = n + np.cumsum(joined % 2 - first % 2 - second % 2) - single
    whole = (first % 2 == 0) & (second % 2 == 0)
    above = whole.sum() - np.cumsum(whole)
    groups = np.arange(n - 1, 0, -1)
    usual = np.log(n / groups / USUAL_SIZE) / SIZE_SPREAD
    odds = ODD * odd + SINGLE * single + WHOLE * above + USUAL * usual**2
    score = GAP * gap + odds[:-1]
    cut = int(score.argmax())
    return float(np.sqrt(height[cut] * height[cut + 1])), float(score[cut])


def _cut_tree(
    merges: Indices,
    heights: NDArray[np.float64],
    level: float,
    size_odds: Callable[[int], float],
) -> tuple[Indices, Array]:
    """The most likely groups among all that the tree allows: labels and margins, (N,) each.

    Every merge is within a group or between groups, by its height against `level`; groups have
    likely sizes. The sum of all log odds is maximised by dynamic programming from the leaves up.
    """
    n = len(merges) + 1
    unlike = UNLIKE + UNLIKE_STEP * np.log(np.maximum(heights, 0.5) / level)
    size = np.ones(2 * n - 1, int)
    whole = np.zeros(2 * n - 1)  # log likelihood of all under the node being one group
    split = np.full(2 * n - 1, -np.inf)  # … of the best partition of it into several
    best = np.full(2 * n - 1, size_odds(1))
    for node, ((a, b), odds) in enumerate(zip(merges, unlike, strict=True), n):
        size[node] = size[a] + size[b]
        whole[node] = whole[a] + whole[b] - np.logaddexp(0, odds)
        split[node] = best[a] + best[b] - np.logaddexp(0, -odds)
        best[node] = max(whole[node] + size_odds(size[node]), split[node])
    return _read_off(merges, whole + [size_odds(s) for s in size], split)


def _read_off(
    merges: Indices, whole: NDArray[np.float64], split: NDArray[np.float64]
) -> tuple[Indices, Array]:
    """Walk from the root down to the chosen groups: labels, and log odds against one merge more
    or less, (N,) each."""
    n = len(merges) + 1
    group, margin = np.arange(2 * n - 1), np.full(2 * n - 1, np.inf)
    joined = np.zeros(2 * n - 1, bool)
    for node in range(2 * n - 2, n - 1, -1):
        inside = joined[node] or whole[node] >= split[node]
        if inside and not joined[node]:
            margin[node] = min(margin[node], whole[node] - split[node])
        for child in merges[node - n]:
            joined[child] = inside
            if inside:
                group[child], margin[child] = group[node], margin[node]
            else:
                margin[child] = split[node] - whole[node]
    return _numbered(group[:n]), margin[:n].astype(np.float32)


def _numbered(labels: Indices) -> Indices:
    """(N,) the labels as 0.. in order of first appearance."""
    order: dict[int, int] = {}
    return np.array([order.setdefault(int(label), len(order)) for label in labels])
