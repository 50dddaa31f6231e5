"""Link paths: at most two turns, through empty cells only. Pure Python on whole numbers.

Every row and every column is a bit mask with a margin cell at either end (bit 0 and the last
one), so cell (r, c) is bit c + 1 of row mask r + 1 and bit r + 1 of column mask c + 1. From a tile
the *reach* along its row is the run of empty cells on both sides, itself included. A path that
leaves both tiles along their rows exists where the two reaches share a column that is free
between the two rows; likewise with rows and columns exchanged. These two cases are all paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from ar_assist.games.link.board import EMPTY, HOLE, LinkBoard, Rules
from ar_assist.types import Cell


@dataclass(frozen=True)
class Link:
    """Two tiles and the path that joins them."""

    a: Cell
    b: Cell
    path: tuple[Cell, ...]  # its corners from a to b; the margin is row or column -1, rows or cols

    @property
    def turns(self) -> int:
        return len(self.path) - 2

    @property
    def length(self) -> int:
        """Steps from cell to cell."""
        steps = pairwise(self.path)
        return sum(abs(r - s) + abs(c - d) for (r, c), (s, d) in steps)


def links(board: LinkBoard, rules: Rules) -> list[Link]:
    """All legal pairs, each with its path of fewest turns, then fewest steps; reading order."""
    lanes = _Lanes(board, rules.outside)
    found = (lanes.link(a, b) for group in _groups(rules.labels(board)) for a, b in group)
    return sorted((link for link in found if link), key=lambda link: (link.a, link.b))


def link(board: LinkBoard, rules: Rules, a: Cell, b: Cell) -> Link | None:
    """The best path between two tiles that match, if there is one."""
    if not all(0 <= r < board.rows and 0 <= c < board.cols for r, c in (a, b)) or a == b:
        return None
    labels = rules.labels(board)
    if labels.at(a) <= 0 or labels.at(a) != labels.at(b):
        return None
    return _Lanes(board, rules.outside).link(a, b)


def _groups(board: LinkBoard) -> Iterator[Iterator[tuple[Cell, Cell]]]:
    """For each kind, the pairs of its tiles."""
    tiles: dict[int, list[Cell]] = {}
    for r, row in enumerate(board.cells):
        for c, kind in enumerate(row):
            if kind > 0:
                tiles.setdefault(kind, []).append((r, c))
    return (combinations(cells, 2) for cells in tiles.values())


class _Lanes:
    """The free cells of a board as masks, and every tile's reach along its row and column."""

    def __init__(self, board: LinkBoard, outside: bool) -> None:
        free = (EMPTY, HOLE) if outside else (EMPTY,)
        across = [[kind in free for kind in row] for row in board.cells]
        self.rows, self.row_reach = _lines(across, outside)
        down = [list(column) for column in zip(*across, strict=True)]
        self.cols, self.col_reach = _lines(down, outside)

    def link(self, a: Cell, b: Cell) -> Link | None:
        """The path with the fewest turns, then the fewest steps."""
        (ra, ca), (rb, cb) = a, b
        best: tuple[int, int, tuple[Cell, ...]] | None = None
        shared = self.row_reach[ra][ca] & self.row_reach[rb][cb]
        if shared and ra != rb and (shared := _between(self.rows, ra, rb, shared)):
            col = _nearest(shared, ca, cb)
            best = _path(a, (ra, col), (rb, col), b)
        shared = self.col_reach[ca][ra] & self.col_reach[cb][rb]
        if shared and ca != cb and (shared := _between(self.cols, ca, cb, shared)):
            row = _nearest(shared, ra, rb)
            other = _path(a, (row, ca), (row, cb), b)
            best = min(best, other) if best else other
        return Link(a, b, best[2]) if best else None


def _lines(cells: list[list[bool]], outside: bool) -> tuple[list[int], list[list[int]]]:
    """Masks of the free cells of each line (the margin lines included), and all cells' reach."""
    size = len(cells[0])
    margin = ((1 << size + 2) - 1) if outside else 0
    ends = 1 | 1 << size + 1 if outside else 0
    masks = [margin]
    reach = []
    for line in cells:
        mask = ends
        low = 1 if outside else 2  # twice the bit of the last cell that stops a path
        gaps = []
        for bit, free in enumerate(line, 1):
            if free:
                mask |= 1 << bit
            else:
                gaps.append((1 << bit) - low)  # the free cells between that one and this one
                low = 2 << bit
        gaps.append((1 << size + (2 if outside else 1)) - low)
        masks.append(mask)
        stops = pairwise(gaps)
        reach.append(
            [0 if free else sum(next(stops)) + (1 << bit) for bit, free in enumerate(line, 1)]
        )
    return [*masks, margin], reach


def _between(masks: list[int], one: int, other: int, shared: int) -> int:
    """The lanes of `shared` that are free on every line strictly between two lines."""
    if one > other:
        one, other = other, one
    for mask in masks[one + 2 : other + 1]:
        shared &= mask
    return shared


def _nearest(lanes: int, one: int, other: int) -> int:
    """The lane that makes the path straightest, then shortest."""
    if lanes >> one + 1 & 1:
        return one
    if lanes >> other + 1 & 1:
        return other
    low, high = min(one, other) + 1, max(one, other) + 1
    inside = lanes & (1 << high) - (1 << low)
    if inside:
        return (inside & -inside).bit_length() - 2
    below, above = lanes & (1 << low) - 1, lanes >> high
    under = below.bit_length() - 2
    over = high + (above & -above).bit_length() - 2
    if not above or (below and low - 1 - under <= over - high + 1):
        return under
    return over


def _path(*points: Cell) -> tuple[int, int, tuple[Cell, ...]]:
    """Turns, steps and corners of a path without its repeated points and straight middles."""
    corners = [points[0]]
    steps = 0
    for before, here, after in zip(points, points[1:], (*points[2:], None), strict=False):
        steps += abs(here[0] - before[0]) + abs(here[1] - before[1])
        if after is None or _turns(corners[-1], here, after):
            corners.append(here)
    return len(corners) - 2, steps, tuple(corners)


def _turns(before: Cell, here: Cell, after: Cell) -> bool:
    return not (before[0] == here[0] == after[0] or before[1] == here[1] == after[1])
