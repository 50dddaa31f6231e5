"""A position as arrays of whole numbers, the form in which the searches take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from ar_assist.games.link.board import EMPTY, HOLE, LinkBoard, Rules, board_lines
from ar_assist.types import Cell

Ints = Any  # a list of int for the plain searches, an int64 array for the compiled ones
CLEARS, LOST, UNKNOWN = 1, -1, 0


class Puzzle(NamedTuple):
    """Tiles are numbered kind by kind; cells lie in a grid with a margin of one cell."""

    height: int  # of the padded grid
    width: int
    outside: int  # 1: the margin is free for paths
    free: Ints  # per padded cell: 1 where nothing stands
    cell: Ints  # per tile: its padded cell, row * width + column
    row: Ints  # per tile: padded row
    col: Ints  # per tile: padded column
    kind: Ints  # per tile: its kind's number
    first: Ints  # per kind: its first tile; one more entry ends the last kind
    pair_a: Ints  # per pair of equal tiles: its tiles, kind by kind
    pair_b: Ints
    pair_first: Ints  # per kind: its first pair; one more entry ends the last kind
    line_cells: Ints  # the cells of all sliding lines, each towards its first cell
    line_first: Ints  # per line: its first entry in line_cells; one more entry ends the last


def puzzle(board: LinkBoard, rules: Rules, array: Callable[[Sequence[int]], Ints] = list) -> Puzzle:
    """Lay out a board; `array` makes a list of ints what the search wants."""
    height, width = board.rows + 2, board.cols + 2
    free = [int(rules.outside)] * (height * width)
    kinds: dict[int, list[Cell]] = {}
    for r, row in enumerate(rules.labels(board).cells, 1):
        for c, kind in enumerate(row, 1):
            free[r * width + c] = int(kind == EMPTY or (kind == HOLE and rules.outside))
            if kind > 0:
                kinds.setdefault(kind, []).append((r, c))
    tiles = [tile for group in kinds.values() for tile in group]
    first, pairs, pair_first = [0], [], [0]
    for group in kinds.values():
        pairs += combinations(range(first[-1], first[-1] + len(group)), 2)
        first.append(first[-1] + len(group))
        pair_first.append(len(pairs))
    lines = [
        [(i // board.cols + 1) * width + i % board.cols + 1 for i in line]
        for line in board_lines(board, rules.gravity)
    ]
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line))
    return Puzzle(
        height,
        width,
        int(rules.outside),
        array(free),
        array([r * width + c for r, c in tiles]),
        array([r for r, _ in tiles]),
        array([c for _, c in tiles]),
        array([k for k, group in enumerate(kinds.values()) for _ in group]),
        array(first),
        array([a for a, _ in pairs]),
        array([b for _, b in pairs]),
        array(pair_first),
        array([i for line in lines for i in line]),
        array(ends),
    )
