"""A position as arrays of whole numbers, the form in which the searches take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain, combinations, pairwise
from typing import NamedTuple

from ar_assist.games.link.board import EMPTY, HOLE, STONE, LinkBoard, Rules, board_lines

Ints = list[int]  # in the compiled searches an int64 array
CLEARS, LOST, UNKNOWN = 1, -1, 0
Search = Callable[["Puzzle", int, int], tuple[int, Ints, int]]


class Shape(NamedTuple):
    """The padded grid, and where a state of the pairing search (still.py) keeps its parts.

    Padded cell (r, c) has the number r << shift | c. A state starts with the row masks.
    """

    shift: int
    height: int
    width: int
    outside: int  # 1: the margin is free for paths
    cols: int  # column masks
    across: int  # per cell: its reach along its row
    down: int  # per cell c << shift | r: its reach along its column
    there: int  # per tile: 1 while it is there
    done: int  # the number of tiles removed, then the tiles in the order of their removal
    size: int  # of the whole state


class Puzzle(NamedTuple):
    """Tiles that have a partner are numbered kind by kind; the grid has a margin of one cell.

    A kind of which an odd number is left is in the way as a whole: some tile of it was misread,
    and which one is not known.
    """

    shape: Shape
    grid: Ints  # per padded cell: 0 free, -1 stone, tile's number + 1; the next one: in the way
    cell: Ints  # per tile: its padded cell
    kind: Ints  # per tile: its kind's number; one more entry for tiles in the way
    first: Ints  # per kind: its first tile; one more entry ends the last kind
    pair_a: Ints  # per pair of equal tiles: its tiles, kind by kind
    pair_b: Ints
    pair_first: Ints  # per kind: its first pair; one more entry ends the last kind
    mate_first: Ints  # per tile: its first entry in the next two; one more entry ends the last
    mate: Ints  # the other tiles of its kind
    mate_pair: Ints  # and the pair that it makes with each
    line_cells: Ints  # the cells of all sliding lines, each towards its first cell
    line_first: Ints  # per line: its first entry in line_cells; an empty line ends the list
    line_at: Ints  # per padded cell: its line, or the empty one; no entries where lines cross


class Engine(NamedTuple):
    """The searches, plain or compiled: (puzzle, nodes, seed) -> verdict, order of cells, nodes."""

    still: Search
    sliding: Search
    array: Callable[[Sequence[int]], Ints]


def puzzle(board: LinkBoard, rules: Rules, array: Callable[[Sequence[int]], Ints] = list) -> Puzzle:
    """Lay out a board; `array` makes a list of ints what the search wants."""
    labels = rules.labels(board)
    kinds = [kind for kind, count in labels.counts.items() if count % 2 == 0]
    grid, cells, shape = _placed(labels, kinds, rules)
    first = [0, *accumulate(map(len, cells))]
    pairs = [list(combinations(range(a, b), 2)) for a, b in pairwise(first)]
    mates: list[list[tuple[int, int]]] = [[] for _ in range(first[-1])]
    for pair, (a, b) in enumerate(chain.from_iterable(pairs)):
        mates[a].append((b, pair))
        mates[b].append((a, pair))
    lines, line_at = _sliding(board, rules.gravity, shape, len(grid))
    return Puzzle(
        shape=shape,
        grid=array(grid),
        cell=array([*chain.from_iterable(cells)]),
        kind=array([*(number for number, group in enumerate(cells) for _ in group), len(cells)]),
        first=array(first),
        pair_a=array([a for group in pairs for a, _ in group]),
        pair_b=array([b for group in pairs for _, b in group]),
        pair_first=array([0, *accumulate(map(len, pairs))]),
        mate_first=array([0, *accumulate(map(len, mates))]),
        mate=array([mate for group in mates for mate, _ in group]),
        mate_pair=array([pair for group in mates for _, pair in group]),
        line_cells=array([*chain.from_iterable(lines)]),
        line_first=array([0, *accumulate(map(len, [*lines, []]))]),
        line_at=array(line_at),
    )


def _placed(
    labels: LinkBoard, kinds: Sequence[int], rules: Rules
) -> tuple[list[int], list[list[int]], Shape]:
    """The padded grid, the cells of each of the kinds that go, and where a state has its parts."""
    number = {kind: i for i, kind in enumerate(kinds)}
    tiles = sum(kind in number for kind in labels.flat)
    shape = _shape(labels, rules, tiles)
    fixed = {EMPTY: 0, STONE: -1, HOLE: 0 if rules.outside else -1}
    grid = [0 if rules.outside else -1] * (shape.height << shape.shift)
    cells: list[list[int]] = [[] for _ in kinds]
    for r, row in enumerate(labels.cells, 1):
        for c, kind in enumerate(row, 1):
            cell = r << shape.shift | c
            grid[cell] = fixed.get(kind, tiles + 1)
            if kind in number:
                cells[number[kind]].append(cell)
    for tile, cell in enumerate(chain.from_iterable(cells), 1):
        grid[cell] = tile
    return grid, cells, shape


def _sliding(
    board: LinkBoard, gravity: str, shape: Shape, size: int
) -> tuple[list[list[int]], list[int]]:
    """The lines that slide, in padded cells, and the line of each of `size` cells; none of these
    where lines cross."""
    lines = [
        [(i // board.cols + 1) << shape.shift | i % board.cols + 1 for i in line]
        for line in board_lines(board, gravity)
    ]
    where = {cell: number for number, line in enumerate(lines) for cell in line}
    are_crossing = len(where) < sum(map(len, lines))
    return lines, [] if are_crossing else [where.get(cell, len(lines)) for cell in range(size)]


def _shape(board: LinkBoard, rules: Rules, tiles: int) -> Shape:
    height, width = board.rows + 2, board.cols + 2
    shift = max(height, width).bit_length()  # a spare bit: scans may step over the margin
    across = height + width
    down = across + (height << shift)
    there = down + (width << shift)
    done = there + tiles
    return Shape(
        shift, height, width, rules.outside * 1, height, across, down, there, done, done + 1 + tiles
    )
