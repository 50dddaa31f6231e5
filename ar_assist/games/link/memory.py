"""The kinds of tiles seen on one board: what a reading of it leaves for the next."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from ar_assist.games import tiles
from ar_assist.games.link.colours import Mask
from ar_assist.games.tiles import Array, Indices

REMEMBERED = 100  # kinds: more than a board has, and no more than a look has time for
GAINS = 0.4, 2.5  # of the exposure between two readings of one board
SAME_PLACE = 100.0  # of these differences: where kinds lie counts more than how they look
SAME_KIND = 0.3  # summed squared differences of mean pictures: less is one kind


@dataclass(frozen=True, eq=False)
class Memory:
    """The mean picture of every kind seen on this board."""

    labels: Indices  # (K,) those on the board first, by their groups
    pictures: Array  # (K, CELL, CELL, 3)

    @classmethod
    def of(cls, cells: Array, groups: Indices) -> Memory:
        """The kinds of a board that is seen for the first time: (N, CELL, CELL, 3) in `groups`."""
        count = int(groups.max()) + 1
        pictures = np.stack([cells[groups == g].mean(0) for g in range(count)])
        return cls(np.arange(1, count + 1), pictures)

    def without(self, groups: Indices) -> Memory:
        """The kinds but those of such groups, which are none."""
        kept = np.ones(len(self.labels), bool)
        kept[groups] = False
        return replace(self, labels=self.labels[kept], pictures=self.pictures[kept])

    def seen_again(self, cells: Array) -> tuple[Memory, Array]:
        """The kinds in the light of (N, CELL, CELL, 3) cells, and how far these are from each.

        A camera that has been aimed anew may see them in another exposure: the cells that have
        their shapes tell. Distances are (N, K), as `tiles.apart` gives them.
        """
        parts = tiles.differences(cells, self.pictures)
        lit = _in_light_of(self.pictures, self.pictures[parts[0].argmin(1)], cells)
        if np.abs(lit - self.pictures).mean() <= tiles.NOISE:
            return self, (parts**2).sum(0)
        return replace(self, pictures=lit), tiles.apart(cells, lit)

    def after(self, known: Memory, groups: Indices, had: Indices, joins: Mask) -> Memory:
        """These kinds under the labels they had, and `known` ones that are gone, seen last.

        Kinds keep their labels by their pictures, `known` in today's light, or because they lie
        alike: (N,) cells of `groups` `had` these labels. Groups that hold cells of several, as
        `joins` tells, keep the known picture too.
        """
        apart = tiles.apart(self.pictures, known.pictures)
        apart[_lie_alike(groups, had[:, None] == known.labels)] = -SAME_PLACE
        here, there = linear_sum_assignment(apart)
        same = apart[here, there] < SAME_KIND
        here, there = here[same], there[same]
        labels, pictures = known.labels.max() + self.labels, self.pictures.copy()
        labels[here] = known.labels[there]
        kept = np.isin(here, groups[joins])
        pictures[here[kept]] = known.pictures[there[kept]]
        gone = np.setdiff1d(np.arange(len(known.labels)), there)
        gone = gone[: max(REMEMBERED - len(labels), 0)]
        return Memory(
            np.concatenate([labels, known.labels[gone]]),
            np.concatenate([pictures, known.pictures[gone]]),
        )


def parted(groups: Indices, apart: Array) -> tuple[Indices, Mask]:
    """Groups that join what was told apart before, parted again, and which cells they hold.

    `apart` (N, K) is how far cells are from known kinds. Few kinds say little about what parts
    kinds: as a board empties, look-alikes run together. Parts are made where they are even; in any
    case such cells are doubted. (N,) each.
    """
    like = np.where(apart.min(1) < SAME_KIND, apart.argmin(1), -1)
    split, joins = groups * (apart.shape[1] + 1), np.zeros(len(groups), bool)
    for g in range(groups.max() + 1):
        some = groups == g
        kinds, sizes = np.unique(like[some], return_counts=True)
        joins[some] = (kinds >= 0).sum() > 1
        if joins[some].all() and not (sizes % 2).any():
            split[some] += like[some] + 1
    return np.unique(split, return_inverse=True)[1], joins


def _in_light_of(kinds: Array, some: Array, same: Array) -> Array:
    """(K, ...) pictures with the gain and offset, by colour, that make `some` of them `same`."""
    mean, target = _by_colour(some), _by_colour(same)
    off = some - mean
    gain = _by_colour(off * (same - target)) / (_by_colour(off * off) + tiles.NOISE**2)
    lit: Array = (kinds - mean) * np.clip(gain, *GAINS) + target
    return lit


def _by_colour(pictures: Array) -> Array:
    """(3,) means of (N, CELL, CELL, 3) pictures."""
    means: Array = tiles.level(pictures).mean(0)
    return means


def _lie_alike(groups: Indices, had: Mask) -> Mask:
    """(G, K) which groups and known kinds are most of each other; `had` (N, K): kinds of cells."""
    of_group = groups == np.arange(groups.max() + 1)[:, None]
    both = of_group.astype(int) @ had.astype(int)
    most: Mask = (2 * both > of_group.sum(1)[:, None]) & (2 * both > had.sum(0))
    return most
