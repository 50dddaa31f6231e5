"""The value of a position from patterns on the board, by tables that a script has trained.

A pattern is a set of squares (a rank, a diagonal, a corner region, an edge with its X-squares); its
state, empty, own or theirs on each square, looks up a weight, and a position is worth the sum, in
the manner of Michael Buro's Logistello ("From simple features to sophisticated evaluation
functions", 1998). Patterns that the board's symmetries map onto each other share their weights;
weights differ by stage of the game. They are trained on positions that the endgame solver labelled
(train.py), so that a value estimates the final disc difference for the side to move.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numba import njit, typeof
from numpy.typing import NDArray

from ar_assist.games.othello.board import cell_of, parse_square
from ar_assist.games.othello.fast import U, popcount

UNIT = 64  # weight units in a disc: fine enough for a sum of some forty weights
STAGE_DISCS = 6  # discs in a stage; patterns mean much the same within it
STAGES = 10
SHAPES: dict[str, tuple[str, ...]] = {  # one of each kind; its images by symmetry follow
    "edge with X-squares": ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "b2", "g2"),
    "second rank": ("a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2"),
    "third rank": ("a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3"),
    "fourth rank": ("a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4"),
    "diagonal of 8": ("a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"),
    "diagonal of 7": ("a2", "b3", "c4", "d5", "e6", "f7", "g8"),
    "diagonal of 6": ("a3", "b4", "c5", "d6", "e7", "f8"),
    "diagonal of 5": ("a4", "b5", "c6", "d7", "e8"),
    "diagonal of 4": ("a5", "b6", "c7", "d8"),
    "corner of 3 x 3": ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"),
    "corner of 2 x 5": ("a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2", "d2", "e2"),
}


def _images(shape: tuple[str, ...]) -> list[tuple[int, ...]]:
    """A shape's images under the board's eight symmetries, one for each set of squares."""
    found: dict[frozenset[int], tuple[int, ...]] = {}
    for transposed in (False, True):
        for flip_row in (0, 7):
            for flip_column in (0, 7):
                image = []
                for name in shape:
                    row, column = cell_of(parse_square(name))
                    row, column = row ^ flip_row, column ^ flip_column
                    image.append(8 * column + row if transposed else 8 * row + column)
                found.setdefault(frozenset(image), tuple(image))
    return list(found.values())


PATTERNS = [image for shape in SHAPES.values() for image in _images(shape)]
COUNT = len(PATTERNS)
LANES = -(-COUNT // 16) * 16  # their states, in whole vectors of 16 that processors add at once
SIZES = [3 ** len(shape) for shape in SHAPES.values()]
STARTS = np.cumsum([0, *SIZES])  # where each shape's weights begin
WEIGHTS = int(STARTS[-1])  # of one stage
OFFSETS = np.array(
    [start for start, shape in zip(STARTS, SHAPES.values(), strict=False) for _ in _images(shape)],
    np.int64,
)


def _rank_states() -> NDArray[np.uint16]:
    """(8, 256, LANES) what the discs of one side on a rank add to each pattern's state."""
    powers = np.zeros((8, 8, LANES), np.uint16)  # row, column
    for index, squares in enumerate(PATTERNS):
        for place, square in enumerate(squares):
            powers[square // 8, square % 8, index] = 3**place
    bits = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.uint16)
    ranks: NDArray[np.uint16] = np.einsum("bc,rcp->rbp", bits, powers)
    return ranks


RANK_STATES = _rank_states()


@njit(cache=True)
def states(own: U, theirs: U, rank_states: Any, out: Any) -> None:
    """Fill in the states of all patterns: 1 for an own disc, 2 for one of theirs, times 3**place.

    Added up rank by rank from a table, whole vectors at a time.
    """
    out[:] = 0
    for row in range(8):
        shift = U(8 * row)
        mine, yours = own >> shift & U(255), theirs >> shift & U(255)
        for index in range(LANES):
            out[index] += rank_states[row, mine, index] + 2 * rank_states[row, yours, index]


@njit(cache=True)
def stage_of(discs: int) -> int:
    """The stage of the game, 0 to STAGES - 1."""
    return min(max(discs - 5, 0) // STAGE_DISCS, STAGES - 1)


@njit(cache=True)
def evaluate(own: U, theirs: U, tables: Any) -> int:
    """About how many discs the side to move will win by, in 1/UNIT discs."""
    rank_states, offsets, weights, out = tables
    states(own, theirs, rank_states, out)
    stage = weights[stage_of(popcount(own | theirs))]
    total = 0
    for index in range(COUNT):
        total += stage[offsets[index] + out[index]]
    return min(max(total, -63 * UNIT), 63 * UNIT)


def tables(weights: NDArray[np.int16]) -> tuple[Any, Any, Any, Any]:
    """What `evaluate` wants: rank states, offsets, (STAGES, WEIGHTS) weights, room for states."""
    room = np.empty(LANES, np.uint16)
    return RANK_STATES, OFFSETS, np.ascontiguousarray(weights), room


TABLES = typeof(tables(np.zeros((1, 1), np.int16)))  # type: ignore[no-untyped-call]  # numba type


@cache
def load() -> tuple[Any, Any, Any, Any]:
    """The tables with the trained weights."""
    with resources.files(__package__).joinpath("weights.npz").open("rb") as file:
        return tables(np.load(file)["weights"])
