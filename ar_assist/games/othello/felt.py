"""The felt of a board: what its squares show beside and beneath discs.

It is sought at the corners of squares, where no disc reaches; light is never even, so that each
square has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.canonical import CELL, SIZE, FloatArray
from ar_assist.games.othello.sampling import CORNERS, centres, middle_colours, sample

FELT_AT = 0.38  # cells from the middle, in x and y: between a disc's edge and the grid line
TINT_AT = 0.42  # likewise, where a tint must still be: as near to the corner as lines allow …
OVER = 0.58  # … and where it has ended, on the other side of the line: a thing as round as a disc
# that reaches those corners reaches over the sides, too
FLAT = 0.5  # of the contrast to the felt around: a corner is more like its square than like that
DISTINCT = 10.0  # Lab units: a disc differs from its felt by more; texture and dust by less
NOISES = 2.5  # … and by so many times the felt's own unevenness
NEAR_PX = 2  # px of the canonical picture around a crossing in which its lines are sought
COVERED, CROSSED = 0.25, 0.5  # shares of what lines stand out by elsewhere: none is left, and sure
OPEN = 0.3  # certainty that a doubt leaves: too little to be believed, too much for no board
INNER = np.s_[1:-1, 1:-1]  # the board's own squares, of those with one row more all around
SIDES = np.array([[0, -1], [-1, 0], [0, 1], [1, 0]])  # rows and columns to the next square
ACROSS = np.array(  # (4, 3, 2) cells from a square's middle to places beyond each side
    [[(c * OVER + r * to, r * OVER + c * to) for to in (-FELT_AT, 0, FELT_AT)] for r, c in SIDES]
)


@dataclass(frozen=True, eq=False)
class Ground:
    """What the squares show apart from discs."""

    own: FloatArray  # (8, 8, 4, 3) colours near the corners of each
    bare: FloatArray  # (8, 8, K, 3) of its middle, where a disc in its place would be
    tone: FloatArray  # (8, 8, 3) the usual one of these
    tinted: NDArray[np.bool_]  # (8, 8) see _tinted
    beside: FloatArray  # (8, 8, 3) the felt around each
    unevenness: float  # Lab units: how much the felt differs from place to place
    noise: float  # Lab units by which a disc has to differ from its felt at least


def ground_of(board: FloatArray) -> Ground:
    """The ground of a canonical picture of a board."""
    own = corners(board)[INNER]
    around = _felt_beside(own, np.zeros((SIZE, SIZE), bool))
    unevenness = float(np.median(off_felt(own, around)))
    noise = max(DISTINCT, NOISES * unevenness)
    bare = middle_colours(board, centres())
    tone = np.asarray(np.median(bare, axis=2), np.float32)
    tinted = _tinted(board, around, tone, noise)
    return Ground(own, bare, tone, tinted, _felt_beside(own, tinted), unevenness, noise)


def corners(board: FloatArray) -> FloatArray:
    """(10, 10, 4, 3) colours near the corners of the squares and of those around the board.

    No disc in its place reaches there.
    """
    return sample(board, centres(around=1)[:, :, None] + CORNERS * FELT_AT)


def _felt_beside(patches: FloatArray, tinted: NDArray[np.bool_]) -> FloatArray:
    """(8, 8, 3) felt colour around each square: of its corners and of neighbours not `tinted`."""
    felt = np.where(tinted[..., None, None], np.nan, patches)
    padded = np.pad(felt, ((1, 1), (1, 1), (0, 0), (0, 0)), constant_values=np.nan)
    around = [padded[r : r + SIZE, c : c + SIZE] for r in range(3) for c in range(3)]
    around[4] = patches  # its own count in any case
    return np.asarray(np.nanmedian(np.concatenate(around, axis=2), axis=2), np.float32)


def off_felt(patches: FloatArray, felt: FloatArray) -> FloatArray:
    """(8, 8) Lab units by which the two corners of a square that are most like felt differ from it.

    The other two may be hidden by discs, which lean to one side in perspective. What all squares
    share does not count: many boards have cushions, lit above and shaded below.
    """
    differences = patches - felt[:, :, None]
    cushion = np.median(differences, axis=(0, 1))
    off = np.sort(np.linalg.norm(differences - cushion, axis=-1), axis=-1)[..., 1]
    return np.asarray(off, np.float32)


def along_border(patches: FloatArray) -> FloatArray:
    """(4, 16, 3) the corners that lie along the sides of the border."""
    sides = patches[0, :, :2], patches[-1, :, 2:], patches[:, 0, [0, 3]], patches[:, -1, [1, 2]]
    return np.stack([side.reshape(-1, 3) for side in sides])


def _tinted(
    board: FloatArray, felt: FloatArray, middle: FloatArray, noise: float
) -> NDArray[np.bool_]:
    """(8, 8) whether squares are of one tone to the corners, and it ends at their sides.

    A disc leaves felt in a corner at least. A fingertip may not, but a hand comes from outside the
    board: beyond some side its tone goes on, into a square that it does not fill or off the board.
    So does a round thing that is large enough to hide all corners, in the middle of a side first.
    """
    apart = np.linalg.norm(middle - felt, axis=-1)
    alike = FLAT * np.maximum(apart, noise)[:, :, None, None]
    places = np.concatenate([CORNERS[:, None] * TINT_AT, ACROSS], axis=1)  # (4, 4, 2)
    around = sample(board, centres()[:, :, None, None] + places)
    of_its_tone = np.linalg.norm(around - middle[:, :, None, None], axis=-1) < alike
    tinted, goes_on = of_its_tone[..., 0].all(axis=-1), of_its_tone[..., 1:].any(axis=-1)
    while True:
        padded = np.pad(tinted, 1)
        ends = np.stack([_next(padded, *to) for to in SIDES], axis=-1)
        spilt = tinted & (goes_on & ~ends).any(axis=-1)
        if not spilt.any():
            return np.asarray(tinted)
        tinted = tinted & ~spilt


def sharing(tones: FloatArray, noise: float) -> NDArray[np.int64]:
    """(8, 8) how many squares have the tone of each, itself included; `tones` (8, 8, 3)."""
    flat = tones.reshape(-1, 3)
    apart = np.linalg.norm(flat[:, None] - flat, axis=-1)
    return np.asarray((apart < noise).sum(axis=1).reshape(SIZE, SIZE))


def _next(padded: NDArray[Any], row: int, col: int) -> NDArray[Any]:
    """(8, 8, ...) what lies a row and a column on from each square, of (10, 10, ...)."""
    return padded[1 + row : 1 + row + SIZE, 1 + col : 1 + col + SIZE]


def near_corners(
    board: FloatArray, own: FloatArray, middle: FloatArray, noise: float
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """(8, 8, 3) the corner of each square that is second nearest to its `middle`, by colour.

    And (8, 8) whether that one and the nearest are felt in view: lines cross beside them. A hand
    hides lines, light does not.
    """
    nearest = np.linalg.norm(own - middle[:, :, None], axis=-1).argsort(axis=-1)[..., :2]
    crossing = sample(board, centres()[:, :, None] + CORNERS / 2)
    lined = np.linalg.norm(crossing - own, axis=-1) > noise
    in_view = np.take_along_axis(lined, nearest, axis=2).all(axis=-1)
    near = np.take_along_axis(own, nearest[..., 1:, None], axis=2)[:, :, 0]
    return np.asarray(near, np.float32), np.asarray(in_view)


def crossed(board: FloatArray, own: FloatArray, tinted: NDArray[np.bool_]) -> FloatArray:
    """(8, 8) certainty that lines cross at a square's corners, as they do at those of most others.

    Two corners do: where a cover ends amid a square, it leaves these in view.
    """
    near = np.arange(-NEAR_PX, NEAR_PX + 1) / CELL
    window = np.stack(np.meshgrid(near, near), axis=-1).reshape(-1, 2)
    crossings = sample(board, (centres()[:, :, None] + CORNERS / 2)[..., None, :] + window)
    stands_out = np.linalg.norm(crossings - own[..., None, :], axis=-1).max(axis=-1)
    second = np.sort(stands_out, axis=-1)[..., 1]
    usual = np.median(second[~tinted]) if not tinted.all() else 0.0
    share = second / (usual + 1e-6)
    return np.asarray(np.clip((share - COVERED) / (CROSSED - COVERED), OPEN, 1), np.float32)
