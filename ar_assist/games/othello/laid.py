"""Whether discs lie where a game lays them: near one another, and all shifted alike."""

from __future__ import annotations

from itertools import product
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.canonical import SIZE
from ar_assist.games.othello.sampling import centres

LAID = 0.08  # cells: discs that lie no further from where the others would have them are sure, …
LAID_USUAL = 1.5  # … nor those that lie no further than so many times what most of them do
MOST = 0.9  # of the discs
_WAYS = [way for way in product((-1, 0, 1), repeat=2) if any(way)]  # rows and columns to the next
FEW_TELL = 16.0  # squared cells, added to what discs are apart: of few in the middle half is chance


def stray(discs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(8, 8) discs that no others join to the middle: no game leads to them."""
    groups = cv2.connectedComponents(discs.astype(np.uint8))[1]
    return np.asarray(discs & (groups != groups[SIZE // 2, SIZE // 2]))


def unplayable(discs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(8, 8) discs that no game leads to, wherever its moves may have gone.

    Each is laid next to two others in a line at least: one that it turns over, and one that holds
    that between them. What can be laid so, beginning with the middle, is laid; no other move ever
    takes a disc away.
    """
    around = np.pad(discs & False, 2)
    board = around[2:-2, 2:-2]
    board[SIZE // 2 - 1 : SIZE // 2 + 1, SIZE // 2 - 1 : SIZE // 2 + 1] = True
    while True:
        lines = [_from(around, 1, way) & _from(around, 2, way) for way in _WAYS]
        more = discs & ~board & np.any(lines, axis=0)
        if not more.any():
            return np.asarray(discs & ~board)
        board |= more


def _from(around: NDArray[np.bool_], steps: int, way: tuple[int, ...]) -> NDArray[np.bool_]:
    """(8, 8) what lies so many steps from each square, of (12, 12)."""
    row, col = (2 + steps * to for to in way)
    return around[row : row + SIZE, col : col + SIZE]


def astray(places: NDArray[np.float64], discs: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(8, 8) how far a disc lies from where the others would have it, over what is allowed.

    Discs stand up, so that their tops are shifted, but all of them nearly alike: by an affine map
    of their squares. A lamp's mirror image lies anywhere.
    """
    far = np.zeros(discs.shape)
    if discs.any():
        _, away = _laid(places, discs, ridge=1.0)
        far[discs] = away / max(LAID, LAID_USUAL * float(np.quantile(away, MOST)))
    return far


def closer(places: NDArray[np.float64], discs: NDArray[np.bool_]) -> float:
    """Cells by which discs lie closer together than squares, from side to side of the board.

    None do where the grid is right: tops are nearer to the camera, and further apart. A few discs
    in the middle tell little, for each may be laid a little astray.
    """
    shift, _ = _laid(places, discs, ridge=FEW_TELL)
    along = shift[1:]  # what a column and a row further on add to the shift in x and y
    return -SIZE * float(np.linalg.eigvalsh(along + along.T).min()) / 2


def _laid(
    places: NDArray[np.float64], discs: NDArray[np.bool_], ridge: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(3, 2) the affine map by which discs are shifted (once, by column and by row), in cells.

    And (N,) how far off it each lies. Stray ones have no say in it: far from all others they would
    bend it to themselves.
    """
    offsets = (places - centres())[discs]
    row, col = np.nonzero(discs)
    design = np.stack([np.ones(len(row)), col - SIZE / 2, row - SIZE / 2], axis=1)
    shift: NDArray[Any] = np.zeros((3, 2))
    away, counts = np.zeros(len(row)), (~stray(discs))[discs]
    trust = counts.astype(np.float64)
    for _ in range(8):  # reweighted, so that what lies astray does not count
        normal = design.T * trust
        shift = np.linalg.solve(normal @ design + np.diag([1e-3, ridge, ridge]), normal @ offsets)
        away = np.hypot(*(design @ shift - offsets).T)
        trust = counts / (1 + (away / LAID) ** 2)
    return shift, away
