"""Which rows and columns of a lattice are lines of the board, by the tiles that they hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ar_assist.games.link.colours import Mask
from ar_assist.games.link.dealing import MANY
from ar_assist.games.tiles import Indices

AMONG = -7.0  # log odds of tiles of a line that have mates in no other: less is no line of a board


@dataclass(frozen=True, eq=False)
class Lines:
    """The rows, or the columns, of a board with what lies around. (N,) by cells."""

    of_cell: Indices
    shared: Mask  # cells that have mates in another line

    @classmethod
    def of(cls, alike: Mask, of_cell: Indices) -> Lines:
        """(N, N) mates of cells that lie in these lines."""
        return cls(of_cell, (alike & (of_cell[:, None] != of_cell)).any(1))


def tiles_held(good: Mask, mated: Mask, proof: Mask, lines: Lines) -> Indices:
    """How many `good` tiles each line holds, as far as that is proof of a line. (N,) each.

    Borders and tool bars have mates of their own: a line counts by mates in other lines. Only a
    line that is nearly cleared may hold nothing but pairs of its own, or beside lines with mates
    single tiles that are `proof` by their frame; and none holds more pairs of its own than chance
    makes: that n of N tiles have their mates among themselves has one of some (n / N) ^ (n / 2),
    times the ways to choose the n in a line.
    """
    tiles_of = np.bincount(lines.of_cell, good & proof)
    shared = np.bincount(lines.of_cell, good & lines.shared)
    among = np.bincount(lines.of_cell, good & mated & ~lines.shared)
    ways = special.comb(shared + among, among)
    chance = among / 2 * np.log(np.maximum(among, 1) / max(int(good.sum()), 1)) + np.log(ways)
    cleared = 2 * tiles_of <= np.bincount(lines.of_cell)
    count = np.where((shared == 0) & cleared, tiles_of, shared)
    paired = np.flatnonzero(shared + among)
    if len(paired):
        at = np.arange(len(count))
        count[(at < paired[0] - 1) | (at > paired[-1] + 1)] = 0
    held: Indices = np.where(chance > AMONG, count, 0).astype(np.int64)
    return held


def to_themselves(tile: Mask, lines: Lines) -> Mask:
    """(N,) tiles of an outer line of the board of which none has a mate in another line.

    A few last tiles may lie so, but also two words of a text beside the board. Where MANY tiles are
    left in the other lines these are doubted.
    """
    doubt = np.zeros_like(tile)
    for outer in (1, lines.of_cell.max() - 1):
        some = tile & (lines.of_cell == outer)
        if not (some & lines.shared).any() and (tile & ~some).sum() >= MANY:
            doubt |= some
    return doubt
