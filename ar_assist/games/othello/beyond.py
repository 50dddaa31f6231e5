"""What lies beyond the border: of a larger board, squares of the same felt with the same discs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ar_assist.games.othello.canonical import FloatArray
from ar_assist.games.othello.felt import corners
from ar_assist.games.othello.sampling import CORNERS, centres, sample

WITHIN = 0.2  # cells from a square's middle: in the smallest disc
ALIKE = 0.25  # of the contrast, that a disc there differs from the board's own
ALL_FELT = 3  # corners of a square: a disc, a line or a shadow may reach the fourth


def most_discs(
    board: FloatArray, felt: FloatArray, noise: float, typical: Iterable[FloatArray]
) -> int:
    """Of the rows and columns next to the border, the most squares of felt that hold a disc.

    `felt`: (8, 8, 3) around each of the board's squares; `typical`: (3,) colours of its discs.
    """
    middles = centres(around=1)[:, :, None] + np.concatenate([CORNERS, [[0, 0]]]) * WITHIN
    middle = np.median(sample(board, middles), axis=2)
    around = np.pad(felt, ((1, 1), (1, 1), (0, 0)), mode="edge")
    off = np.linalg.norm(corners(board) - around[:, :, None], axis=-1)
    holds = np.zeros(middle.shape[:2], bool)
    for colour in typical:
        contrast = np.linalg.norm(colour - around, axis=-1)
        holds |= np.linalg.norm(middle - colour, axis=-1) < ALIKE * contrast
    holds &= (off < noise).sum(axis=-1) >= ALL_FELT
    sides = holds[0, 1:-1], holds[1:-1, -1], holds[-1, 1:-1], holds[1:-1, 0]
    return max(int(side.sum()) for side in sides)
