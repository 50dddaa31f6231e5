"""The link game's board and rules as values, with their text notation. Pure Python.

A board is written as rows of whole numbers: equal numbers match, `.` (or 0) is an empty cell, `#`
a stone that never goes, `_` a hole: no cell at all, where only paths pass, as in the margin.
Rules may stand above it on a line of their own: `gravity=down outside=no same=35,36,37`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ar_assist.types import Cell

EMPTY, STONE, HOLE = 0, -1, -2
SIGNS = {EMPTY: ".", STONE: "#", HOLE: "_"}
VALUES = {sign: value for value, sign in SIGNS.items()}
# Rows or columns at most: a line and its margins must fit into a 64-bit mask.
LONGEST = 60
SHOWN = 40  # characters of what is no cell that an error repeats

# After each removal these slides run in order: (the part of the board, where its tiles go).
# A board of odd size has the smaller half first: 7 rows are 3 at the top and 4 at the bottom.
GRAVITIES: dict[str, tuple[tuple[str, str], ...]] = {
    "none": (),
    "down": (("all", "down"),),
    "up": (("all", "up"),),
    "left": (("all", "left"),),
    "right": (("all", "right"),),
    "in-h": (("left", "right"), ("right", "left")),
    "in-v": (("top", "down"), ("bottom", "up")),
    "out-h": (("left", "left"), ("right", "right")),
    "out-v": (("top", "up"), ("bottom", "down")),
    "in": (("top", "down"), ("bottom", "up"), ("left", "right"), ("right", "left")),
    "out": (("top", "up"), ("bottom", "down"), ("left", "left"), ("right", "right")),
    "down-left": (("all", "down"), ("all", "left")),
    "cw": (("top", "right"), ("bottom", "left")),
    "ccw": (("top", "left"), ("bottom", "right")),
}
GRAVITY_WORDS = (
    "how tiles slide: none; all of them down, up, left or right; in-h and out-h, sideways to the "
    "vertical middle line or away from it; in-v and out-v, to the horizontal one or away; in and "
    "out, both, first up and down; down-left, first down, then left; cw, the top half right and "
    "the bottom half left; ccw, the other way round"
)


@dataclass(frozen=True)
class LinkBoard:
    """A position: cells row by row."""

    cells: tuple[tuple[int, ...], ...]  # 0 empty, -1 stone, -2 hole, >0 the kind's label

    def __post_init__(self) -> None:
        if not self.cells or not self.cells[0]:
            raise ValueError("the board has no cells")
        if len(self.cells) > LONGEST or len(self.cells[0]) > LONGEST:
            raise ValueError(f"the board is larger than {LONGEST} x {LONGEST} cells")
        for number, row in enumerate(self.cells, 1):
            if len(row) != len(self.cells[0]):
                raise ValueError(
                    f"row {number} has {len(row)} cells, the first row has {len(self.cells[0])}"
                )

    def __str__(self) -> str:
        width = max(len(str(max(row))) for row in self.cells)
        return "\n".join(
            " ".join(SIGNS.get(kind, str(kind)).rjust(width) for kind in row) for row in self.cells
        )

    def record(self) -> dict[str, Any]:
        return {"rows": self.rows, "cols": self.cols, "cells": [list(row) for row in self.cells]}

    def with_cells(self, cells: Sequence[Sequence[int]]) -> LinkBoard:
        return LinkBoard(tuple(map(tuple, cells)))

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def cols(self) -> int:
        return len(self.cells[0])

    @property
    def flat(self) -> tuple[int, ...]:
        """All cells in reading order."""
        return tuple(kind for row in self.cells for kind in row)

    @property
    def counts(self) -> Counter[int]:
        """How many tiles there are of each kind."""
        return Counter(kind for row in self.cells for kind in row if kind > 0)

    @property
    def left(self) -> int:
        """How many tiles are left."""
        return sum(kind > 0 for row in self.cells for kind in row)

    def at(self, cell: Cell) -> int:
        row, col = cell
        return self.cells[row][col]

    def put(self, changes: dict[Cell, int]) -> LinkBoard:
        """The board with some cells changed."""
        return LinkBoard(
            tuple(
                tuple(changes.get((r, c), kind) for c, kind in enumerate(row))
                for r, row in enumerate(self.cells)
            )
        )


@dataclass(frozen=True)
class Rules:
    """What may link, and where tiles slide after a removal."""

    gravity: str = "none"  # a key of GRAVITIES
    outside: bool = True  # paths may run round the outside of the board
    same: tuple[tuple[int, ...], ...] = ()  # groups of kinds that match each other

    def __post_init__(self) -> None:
        if self.gravity not in GRAVITIES:
            raise ValueError(f"gravity '{self.gravity}' is none of: {' '.join(GRAVITIES)}")
        for kind, groups in Counter(kind for group in self.same for kind in set(group)).items():
            if kind <= EMPTY:
                raise ValueError(f"{kind} under 'same' is no kind: a whole number above 0")
            if groups > 1:
                raise ValueError(f"kind {kind} is in two groups of 'same': make them one")

    def __str__(self) -> str:
        words = [f"gravity={self.gravity}", f"outside={'yes' if self.outside else 'no'}"]
        words += ["same=" + ",".join(map(str, group)) for group in self.same]
        return " ".join(words)

    def labels(self, board: LinkBoard) -> LinkBoard:
        """The board with one label for all kinds of a group."""
        first = {kind: group[0] for group in self.same for kind in group}
        return LinkBoard(tuple(tuple(first.get(kind, kind) for kind in row) for row in board.cells))


def parse_board(notation: str) -> LinkBoard:
    """The inverse of str(board); ValueError says what is wrong."""
    rows = [_words(line) for line in notation.splitlines()]
    return LinkBoard(tuple(tuple(map(_kind, row)) for row in rows if row))


def parse_rules(words: str) -> Rules:
    """The inverse of str(rules); what is not said stays as usual."""
    settings: dict[str, Any] = {"same": ()}
    for word in words.split():
        key, _, value = word.partition("=")
        if key == "gravity":
            settings[key] = value
        elif key == "outside" and value in ("yes", "no"):
            settings[key] = value == "yes"
        elif key == "same" and all(kind.isdecimal() for kind in value.split(",")):
            settings[key] += (tuple(map(int, value.split(","))),)
        else:
            raise ValueError(f"'{word}' is no rule: gravity=NAME, outside=yes|no, same=KIND,KIND…")
    return Rules(**settings)


def parse_level(notation: str) -> tuple[LinkBoard, Rules]:
    """A board with, perhaps, a line of rules above it."""
    first, _, rest = notation.strip("\n").partition("\n")
    if "=" in first:
        return parse_board(rest), parse_rules(first)
    return parse_board(notation), Rules()


def play(board: LinkBoard, rules: Rules, a: Cell, b: Cell) -> LinkBoard:
    """The board after a and b are gone and the rest has slid; the pair is not checked."""
    return settle(board.put({a: EMPTY, b: EMPTY}), rules.gravity)


def settle(board: LinkBoard, gravity: str) -> LinkBoard:
    """Slide the tiles as the rule says."""
    cells = list(board.flat)
    for line in board_lines(board, gravity):
        tiles = [cells[i] for i in line if cells[i]]
        for i, kind in zip(line, tiles + [EMPTY] * (len(line) - len(tiles)), strict=True):
            cells[i] = kind
    cols = board.cols
    return LinkBoard(tuple(tuple(cells[i : i + cols]) for i in range(0, len(cells), cols)))


def board_lines(board: LinkBoard, gravity: str) -> tuple[tuple[int, ...], ...]:
    """All lines, in the order in which they pack; see slide_lines."""
    fixed = frozenset(i for i, kind in enumerate(board.flat) if kind < 0)
    return slide_lines(gravity, board.rows, board.cols, fixed)


@lru_cache(maxsize=256)
def slide_lines(
    gravity: str, rows: int, cols: int, fixed: frozenset[int]
) -> tuple[tuple[int, ...], ...]:
    """Lines of cells (indices in reading order) that pack their tiles towards their first cell.

    Stones and holes cut a line in two.
    """
    parts = {
        "all": (range(rows), range(cols)),
        "top": (range(rows // 2), range(cols)),
        "bottom": (range(rows // 2, rows), range(cols)),
        "left": (range(rows), range(cols // 2)),
        "right": (range(rows), range(cols // 2, cols)),
    }
    lines: list[tuple[int, ...]] = []
    for part, towards in GRAVITIES[gravity]:
        part_rows, part_cols = parts[part]
        if towards in ("left", "right"):
            whole = [[r * cols + c for c in part_cols] for r in part_rows]
        else:
            whole = [[r * cols + c for r in part_rows] for c in part_cols]
        for line in whole:
            lines += _cut(line if towards in ("left", "up") else line[::-1], fixed)
    return tuple(lines)


def _cut(line: list[int], fixed: frozenset[int]) -> list[tuple[int, ...]]:
    """The pieces of a line between fixed cells."""
    pieces: list[list[int]] = [[]]
    for i in line:
        if i in fixed:
            pieces.append([])
        else:
            pieces[-1].append(i)
    return [tuple(piece) for piece in pieces if len(piece) > 1]


def _words(line: str) -> list[str]:
    """The cells of a row, parted by spaces or by commas; nothing between two commas is no cell."""
    return [word.strip() for word in line.split(",")] if "," in line else line.split()


def _kind(word: str) -> int:
    if word in VALUES:
        return VALUES[word]
    if word.isascii() and word.isdigit():
        return int(word)
    raise ValueError(f"{shown(word)} is no cell: a whole number, . (empty), # (stone) or _ (hole)")


def shown(value: object) -> str:
    """A value as an error names it: short, on one line."""
    words = repr(value)
    return words if len(words) <= SHOWN else words[:SHOWN] + "…"
