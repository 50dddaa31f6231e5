"""Group equal cells by agglomerative clustering, with the number of groups found.

The tree of merges is scikit-learn's, with average linkage; where it is cut is a question of odds.
Three facts speak: merges of equals are low and those of unlike cells high, with a gap between;
games draw their boards from some usual number of kinds; and the game tells which sizes a group may
have. A last look goes into every group: kinds that only a smile or a shade of grey parts are far
nearer than others are, and hardly further apart than noise lets equals be; but along the one axis
on which they differ they lie in two heaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.centres import cut_into, linkage, own_sides
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
FOREIGN = 1 / 8  # of the cells: a lamp hides some, and some lie on what is beside the board
HIDES = 3.0  # log odds against a view in which so many are
# Log odds that a merge joins unlike cells, at the level and per e-fold above it: a logistic fit.
UNLIKE, UNLIKE_STEP = -0.3, 6.0
# Log odds that a cell is with its like alone: a logistic fit, checked by benchmarks/link_kinds.py,
# of rendered boards.
BASE, PER_RATIO, PER_MARGIN, PER_CROWD, PER_STRAIN = 4.7, 3.7, 0.9, 4.0, 1.1
# … where kinds have many cells: from the middle between two means to where equals lie.
PER_SIDE, ASIDE = 8.5, 0.2
CAUTION = 1.5  # log odds less than these, for boards that are unlike those of the fit
ENOUGH = 5.1  # log odds: however far all others are, two kinds that are alike may be one group
UNSTRAINED = 1.5  # strain of groups too small to show any: more than that of most others
CLEAR_HALVES = 20.0  # deviations: pixels fall alike on tiles of one kind, which lie in heaps then
UNTOLD = 0.5  # of the variance of drawings: as much within groups, and these are not told by them
GREY = 0.05  # difference of kinds in chroma: where none is more, the picture is without colour
# One drawing in two tones: its shape differs by this share of the usual, or what is left of the
# difference is no more than so many times what is left of that of equals.
TWINS_SHAPE, TWINS_REST = 0.25, 2.0
SLACK = 0.25  # of a squared slack: less variance is none, for any resampling makes as much
BY_CHANCE = 0.8  # of strain: a cell alone makes more than that in one of 65 kinds of equals
LEAST_HALVES = 4  # cells of a group in which two kinds may be told: two of each
NEAR = 0.05  # of what parts kinds: how far equals and others stand apart is not known better
NOT_TOLD = -1.0  # log odds of a group in which other kinds would not be seen
MOST = 6.0  # log odds: more from the tree adds nothing

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which cells show the same."""

    labels: Indices  # (N,) 0.. in order of first appearance
    margin: Array  # (N,) log odds that the cell is with its like alone
    weights: Floats  # (K,) of the parts: like cells are less than 1 apart
    score: float  # how clearly the groups stand apart
    clear: float  # the same, if some cells are hidden or no part of it: log odds of any groups
    lead: Array  # (N,) log odds that another view of the parts, or the tree without sizes, which
    # would part the cell's group, is wrong

    @property
    def worth(self) -> float:
        """The better of score and clear; of views of a board few have much that is hidden."""
        return max(self.score, self.clear - HIDES)


def group(look: Differences, size_odds: Callable[[int], float], hidden: int = 0) -> Grouping:
    """The clusters of cells, with each looked into once more for kinds that differ in one part.

    So many further cells may be of these kinds, but are `hidden`.
    """
    found = cluster(look, size_odds, hidden)
    telling = [k for k, name in enumerate(PARTS[: len(look.parts)]) if name != "rest"]
    # The rest says in the mean what the spot says.
    within = replace(look, parts=look.parts[telling], slack=look.slack[telling])
    found, strain = _parted(found, within, _odds(found, look.parts), size_odds)
    size = np.bincount(found.labels)[found.labels]
    told = BASE + np.minimum(PER_SIDE * (own_sides(within.parts, found.labels) - ASIDE), ENOUGH)
    odds = np.maximum(_odds(found, look.parts), told)
    margin = odds - PER_STRAIN * strain**2 - _crowding(size, found) - CAUTION
    if _ignore_drawings(found, look.shape):
        margin = np.where(size >= LEAST_HALVES, np.minimum(margin, NOT_TOLD), margin)
    return replace(found, margin=np.minimum(margin, found.lead).astype(np.float32))


def share_within(labels: Indices, look: Differences) -> float:
    """How far (N,) cells of one group are apart, as a share of how far others are, at the median
    and in the part of the difference that tells best; 0 where there are no others."""
    same = labels[:, None] == labels
    joined = np.triu(same, 1)
    if not joined.any() or same.all():
        return 0.0
    whole = look.parts[: PARTS.index("rest")]  # what follows is measured of near pairs alone
    within, beyond = (np.median(whole[:, pairs], 1) for pairs in (joined, ~same))
    return float((within / (beyond + 1e-6)).min())


def may_hide_colour(found: Grouping, look: Differences) -> NDArray[np.bool_]:
    """(N,) cells of groups in which kinds may lie that differ in a colour which is not seen.

    Where a picture without colour shows kinds that differ in tone alone, colours are what parts the
    kinds of this game, and some of them are of one tone.
    """
    parts = dict(zip(PARTS, look.parts, strict=False))
    kinds = found.labels == np.arange(found.labels.max() + 1)[:, None]
    joined = np.triu(found.labels[:, None] == found.labels, 1)
    no_cell = np.zeros(len(found.labels), bool)
    if "rest" not in parts or not joined.any():
        return no_cell
    share = kinds / kinds.sum(1, keepdims=True)
    shape, tone, rest, chroma = (
        share @ parts[name] @ share.T for name in ("shape", "tone", "rest", "chroma")
    )
    if chroma.max() > GREY:  # some are coloured, though most may be grey by themselves
        return no_cell
    one_drawing = shape < TWINS_SHAPE * np.median(parts["shape"])
    one_drawing |= rest < TWINS_REST * np.median(parts["rest"][joined])
    are_twins = np.triu(one_drawing & (tone > shape), 1).any()
    return np.bincount(found.labels)[found.labels] >= LEAST_HALVES if are_twins else no_cell


def _ignore_drawings(found: Grouping, shape: Array) -> bool:
    """Whether cells show drawings, (N, N) by shape, that equals by colour share hardly more than
    others do, as of sprites before a photograph: several of one colour would pass for one kind."""
    same = found.labels[:, None] == found.labels
    joined = np.triu(same, 1)
    if not joined.any() or same.all():
        return False
    usual = np.median(shape[~same])
    return bool(usual > CONTENT and np.square(shape[joined]).mean() > UNTOLD * usual**2)


def cluster(look: Differences, size_odds: Callable[[int], float], hidden: int = 0) -> Grouping:
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
        merges, heights = linkage(np.tensordot(weights, parts, 1))
        level, score, clear = _level(merges, heights)
        labels, margin, lead = _cut_tree(merges, heights, level, size_odds, hidden)
        return Grouping(labels, margin, weights / level, score, clear, lead)

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
    rival, best = sorted((by_mates(uses) for uses in (every, alone)), key=lambda g: g.worth)
    lead = best.worth - rival.worth
    for _ in range(ROUNDS):
        better = attempt(every, *np.nonzero(np.triu(best.labels[:, None] == best.labels, 1)))
        if better.worth <= best.worth:
            break
        best = better
    joined = best.labels[:, None] == best.labels
    parted = (joined & (rival.labels[:, None] != rival.labels)).any(1)
    return replace(best, lead=np.where(parted, np.minimum(lead, best.lead), best.lead))


def _odds(found: Grouping, parts: Array) -> Floats:
    """(N,) log odds that a cell is with its like alone, if nothing strains its group.

    They rest on how much further the nearest cell of another group is than the farthest of its own,
    and on the margin of its group in the tree.
    """
    apart = np.tensordot(found.weights, parts, 1)
    same = found.labels[:, None] == found.labels
    farthest = np.where(same, apart, 0).max(1)
    nearest = np.where(same, np.inf, apart).min(1)
    ratio = np.minimum(np.log((nearest + NEAR) / (farthest + NEAR)), MOST)
    tree = PER_RATIO * ratio + PER_MARGIN * np.clip(found.margin, -MOST, MOST)
    return np.asarray(BASE + np.minimum(tree, ENOUGH), np.float64)


def _crowding(size: Indices | int, found: Grouping) -> Floats:
    """Log odds against a group of such sizes being one kind: kinds are dealt about equally often.

    On real boards they vary more, so that it weighs three quarters of what was fitted. How rare a
    size is on the board would tell more on rendered ones; on real ones the largest always is.
    """
    usual = np.median(np.bincount(found.labels))
    return np.asarray(PER_CROWD * np.log(np.maximum(size / usual, 1)), np.float64)


def _parted(
    found: Grouping, look: Differences, odds: Floats, size_odds: Callable[[int], float]
) -> tuple[Grouping, Floats]:
    """The groups, those in two that are rather two kinds, if sizes allow; and strains, (N,)."""
    groups = [np.flatnonzero(found.labels == label) for label in range(found.labels.max() + 1)]
    todo = [(some, _axes(look.parts, some)) for some in groups]
    # A pair says how equals vary too, and most of the larger groups may be two kinds.
    equal = [spread for some, (spread, _) in todo if len(some) > 1]
    usual = np.median(equal, 0) if equal else np.zeros(len(look.parts))
    labels, strains = np.empty_like(found.labels), np.empty(len(found.labels))
    while todo:
        some, axes = todo.pop(0)
        least = np.maximum(usual, SLACK * look.slack[:, some].mean(1) ** 2 + CLEANEST**2)
        strain, alone, halves = _halves(some, axes, least)
        allowed = size_odds(len(some)) <= sum(size_odds(len(half)) for half in halves)
        crowding = _crowding(2 * min(len(half) for half in halves), found)
        if odds[some].max() < PER_STRAIN * strain**2 + crowding and len(halves) > 1 and allowed:
            todo += [(half, _axes(look.parts, half)) for half in halves]
        else:
            labels[some], strains[some] = some[0], max(strain, alone)
    return replace(found, labels=_numbered(labels)), strains


def _halves(
    some: Indices, axes: tuple[Floats, Floats], least: Floats
) -> tuple[float, float, list[Indices]]:
    """How strongly a group pulls apart in any part of the difference, and one cell from the others;
    and the halves it makes.

    The strain is half the logarithm of a product: how much more a group varies along its axis than
    `least` (K,), how far its halves are from each other there, in deviations within halves, and how
    well so many cells tell. A cell that lies alone makes no half, but three and an odd one are even
    too.
    """
    n = len(some)
    if n < LEAST_HALVES:
        return UNSTRAINED, 0.0, [some]
    strain, alone, halves = 0.0, 0.0, [some]
    count = np.arange(1, n)
    for spread, at, base in zip(*axes, least, strict=True):
        order = np.argsort(at, kind="stable")
        # Otsu's criterion: the share of the variance that lies between the halves
        share = np.cumsum(at[order])[:-1] ** 2 * n / (count * (n - count)) / (at @ at + 1e-12)
        heaps = np.sqrt(share / np.maximum(1 - share, 1e-9) * (n - 2))
        pull = np.log(spread / base * heaps.clip(1e-9, CLEAR_HALVES) * np.sqrt(n)) / 2
        cut = int(pull[1:-1].argmax()) + 1
        if pull[cut] > strain:
            strain, halves = float(pull[cut]), [some[order[: cut + 1]], some[order[cut + 1 :]]]
        alone = max(alone, float(pull[[0, -1]].max()) - BY_CHANCE)
    return strain, alone, halves


def _axes(parts: Array, some: Indices) -> tuple[Floats, Floats]:
    """(K,) the variance of a group along its principal axis in each part, and (K, N) where on it
    each cell lies: classical scaling (Torgerson 1952)."""
    gram = parts[:, some[:, None], some].astype(np.float64) ** 2 / -2
    gram -= gram.mean(1, keepdims=True)
    gram -= gram.mean(2, keepdims=True)
    values, vectors = np.linalg.eigh(gram)
    at = vectors[..., -1]
    return np.maximum(values[:, -1] / len(some), 1e-9), at - at.mean(1, keepdims=True)


def _weigh(parts: Array, usual: Array, uses: list[int], a: Indices, b: Indices) -> Floats:
    """(K,) weights of the parts, so that the mean over the pairs a, b of equal cells is 1.

    `usual` (K,) is what any two cells differ by.
    """
    within = parts[:, a, b].mean(1) if len(a) else np.zeros(len(parts))
    used = np.isin(np.arange(len(parts)), uses)
    weights = used * np.maximum(usual - within, 0) / (within + CLEANEST * usual + 1e-6) ** 2
    unit = float(weights @ within)
    return np.asarray(weights / (unit + 1e-6))


def _level(merges: Indices, heights: Floats) -> tuple[float, float, float]:
    """The height that parts like from unlike, and its log odds; and these, if a share of FOREIGN
    cells is what is alone or makes groups odd."""
    n = len(merges) + 1
    height = np.maximum(heights, 0.5)  # 1: what equal cells differ by
    gap = np.minimum(np.log(height[1:] / height[:-1]), CLEAR)
    first, second = _sizes(merges)[merges].T
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
    foreign = np.diff(np.clip(np.cumsum([0, single[cut], odd[cut]]), 0, FOREIGN * n))
    clear = score[cut] - foreign @ [SINGLE, ODD]
    return float(np.sqrt(height[cut] * height[cut + 1])), float(score[cut]), float(clear)


def _cut_tree(
    merges: Indices,
    heights: NDArray[np.float64],
    level: float,
    size_odds: Callable[[int], float],
    hidden: int,
) -> tuple[Indices, Array, Array]:
    """The most likely groups among all that the tree allows: labels, margins and leads, (N,) each.

    A cell alone may belong to a group that is odd without it: one that is hidden in part, or by a
    lamp, looks like no other; so may one that is `hidden` and not among them, or to one that is
    alone. So sizes count in full, or only those of cells alone, or not at all, whichever makes
    likelier groups.
    """

    def of_alone(size: int) -> float:
        return size_odds(size) if size == 1 else 0.0

    def of_none(_: int) -> float:
        return 0.0

    def likelihood(cut: _Cut) -> float:
        sizes = np.bincount(cut.labels).tolist()
        alone = sizes.count(1)
        unexplained = sorted(size_odds(size) for size in sizes if size > 1)[alone:]
        unexplained += alone * [size_odds(1)]
        return float(cut.likelihood + sum(sorted(unexplained)[hidden:]))

    unlike = UNLIKE + UNLIKE_STEP * np.log(np.maximum(heights, 0.5) / level)
    counted = (size_odds, of_alone, of_none) if hidden else (size_odds, of_alone)
    cuts = (_likeliest(merges, unlike, count) for count in counted)
    best = max(cuts, key=likelihood)
    against = np.append(unlike, -np.inf)[best.top]
    # What looks unlike was joined to make a size: but tiles that are hidden make sizes odd.
    even = _evenly(merges, unlike > 0, best.labels) - CAUTION
    lead = np.where(against > 0, np.maximum(even, -against), np.inf).astype(np.float32)
    return best.labels, best.margin, lead


def _evenly(merges: Indices, unlike: NDArray[np.bool_], labels: Indices) -> float:
    """Log odds that `unlike` merges join equals for their coming out even, with every group: of
    what has no equal, few are nearest to another that is odd; -inf where they do not.

    The tree must be cut at one height, and no merge leave an odd group.
    """
    n, groups = len(labels), int(labels.max()) + 1
    if not np.array_equal(_numbered(cut_into(merges, groups)), labels):
        return -np.inf
    below = merges[: n - groups]
    is_odd = _sizes(merges)[below] % 2 == 1  # (M, 2) sides
    both, is_unlike = is_odd.all(1), unlike[: len(below)]
    if (is_unlike & (is_odd.any(1) & ~both)).any() or n > 2 * both.sum():
        return -np.inf
    others = n - 1 - np.arange(len(below))  # groups beside one, before each merge
    odd = n - 1 - 2 * (np.cumsum(both) - both)  # … of which are odd, beside an odd one
    joined = both & is_unlike
    return float(np.log(others[joined] / odd[joined]).sum())


def _sizes(merges: Indices) -> Indices:
    """(2N - 1,) how many cells each node of the tree has: those alone first, then merges."""
    n = len(merges) + 1
    size = np.ones(2 * n - 1, int)
    for node, (a, b) in enumerate(merges, n):
        size[node] = size[a] + size[b]
    return size


@dataclass(frozen=True, eq=False)
class _Cut:
    """Groups that a tree was cut into."""

    labels: Indices  # (N,)
    margin: Array  # (N,) log odds against one merge more or less
    top: Indices  # (N,) last merge of each cell's group, -1 for a cell alone
    likelihood: float  # logarithm of it, sizes left out


def _likeliest(merges: Indices, unlike: Floats, size_odds: Callable[[int], float]) -> _Cut:
    """The tree cut where the sum of all log odds is highest, by dynamic programming from the leaves
    up: every merge is within a group or between groups, and groups have likely sizes."""
    n, size = len(merges) + 1, _sizes(merges).tolist()
    whole = [0.0] * n  # log likelihood of all under the node being one group
    split = [-np.inf] * n  # … of the best partition of it into several
    best = [size_odds(1)] * n
    is_like, is_unlike = ((-np.logaddexp(0, odds)).tolist() for odds in (unlike, -unlike))
    steps = zip(merges.tolist(), size[n:], is_like, is_unlike, strict=True)
    for (a, b), joined, like, other in steps:
        whole.append(whole[a] + whole[b] + like)
        split.append(best[a] + best[b] + other)
        best.append(max(whole[-1] + size_odds(joined), split[-1]))
    as_one = [log + size_odds(count) for log, count in zip(whole, size, strict=True)]
    labels, margin, top = _read_off(merges, as_one, split)
    sizes = np.bincount(labels).tolist()
    return _Cut(labels, margin, top, best[-1] - sum(map(size_odds, sizes)))


def _read_off(
    merges: Indices, whole: list[float], split: list[float]
) -> tuple[Indices, Array, Indices]:
    """Walk from the root down to the chosen groups: labels, log odds against one merge more or
    less, and the last merge of each group, -1 for a cell alone. (N,) each."""
    n = len(merges) + 1
    group, margin = list(range(2 * n - 1)), [np.inf] * (2 * n - 1)
    top = [-1] * (2 * n - 1)
    joined = [False] * (2 * n - 1)
    for node, children in zip(range(2 * n - 2, n - 1, -1), merges[::-1].tolist(), strict=True):
        inside = joined[node] or whole[node] >= split[node]
        if inside and not joined[node]:
            margin[node], top[node] = min(margin[node], whole[node] - split[node]), node - n
        for child in children:
            joined[child] = inside
            if inside:
                group[child], margin[child], top[child] = group[node], margin[node], top[node]
            else:
                margin[child] = split[node] - whole[node]
    return _numbered(np.array(group[:n])), np.array(margin[:n], np.float32), np.array(top[:n])


def _numbered(labels: Indices) -> Indices:
    """(N,) the labels as 0.. in order of first appearance."""
    order: dict[int, int] = {}
    return np.array([order.setdefault(int(label), len(order)) for label in labels])
