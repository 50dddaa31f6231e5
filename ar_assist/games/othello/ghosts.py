"""What programs draw where their player may move: pale discs that are none, and other marks."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.board import BLACK, WHITE, OthelloBoard, squares
from ar_assist.games.othello.canonical import FloatArray

STANDS_OUT = 1.25  # times what all other empty squares differ by: marks do, be they faint
BY_CHANCE = 1000  # ways to choose as many empty squares: of fewer, those may be a side's by chance
PALER = 0.1  # of the contrast of full discs: by less, what is drawn pale looks like its fellows


def moves_shown(
    contrast: FloatArray, lighter: NDArray[np.bool_], discs: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """(8, 8) which of the seeming `discs` only show the legal moves; all or none of those.

    `contrast`: Lab units to the felt; `lighter`: white rather than black. What is drawn half
    transparent is one group, paler than the full discs of its colour by more than it varies. That
    may be light or a shadow, too, but these do not lie on just the squares where a side may move.
    """
    for kind in (discs & lighter, discs & ~lighter):
        pale = kind & (contrast < _parting(contrast[kind]))
        full = np.where(discs & ~pale, np.where(lighter, WHITE, BLACK), 0)
        if pale.any() and are_legal_moves(full, pale):
            return np.asarray(pale)
    return np.zeros(discs.shape, bool)


def are_legal_moves(colours: NDArray[np.int64], where: NDArray[np.bool_]) -> bool:
    """Whether (8, 8) squares are just those where a side may move on a board of these colours."""
    board = OthelloBoard.from_cells(int(colour) for colour in colours.ravel())
    shown = set(np.flatnonzero(where).tolist())
    return any(shown == set(squares(board.moves(mover))) for mover in (BLACK, WHITE))


def side_shown(colours: NDArray[np.int64], off: FloatArray) -> int | None:
    """The side whose legal moves are marked; None where no marks tell.

    `off`: (8, 8) Lab units by which squares differ from the usual empty one, which is a marked one
    where most are: then it is the others that stand out.
    """
    free = colours.ravel() == 0
    levels = off.ravel()
    board = OthelloBoard.from_cells(int(colour) for colour in colours.ravel())
    shown = []
    for mover in (BLACK, WHITE):
        legal = np.zeros(free.size, bool)
        legal[[*squares(board.moves(mover))]] = True
        marked, others = levels[legal], levels[free & ~legal]
        if comb(int(free.sum()), len(marked)) < BY_CHANCE:
            continue
        if marked.min() > STANDS_OUT * others.max() or others.min() > STANDS_OUT * marked.max():
            shown.append(mover)
    return shown[0] if len(shown) == 1 else None


def unexplained(colours: NDArray[np.int64], marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(8, 8) which `marked` empty squares no side's moves explain; a single one may be chance."""
    board = OthelloBoard.from_cells(int(colour) for colour in colours.ravel())
    left = []
    for mover in (BLACK, WHITE):
        legal = np.zeros(marked.size, bool)
        legal[[*squares(board.moves(mover))]] = True
        explained = marked & legal.reshape(marked.shape)
        left.append(marked & ~explained if explained.sum() > 1 else marked)
    return min(left, key=np.count_nonzero)


def _parting(contrast: FloatArray) -> float:
    """Lab units that part pale discs from full ones, of (N,); 0: they are of one group."""
    levels = np.sort(contrast)
    if len(levels) < 2:
        return 0.0
    gaps = np.diff(levels)
    last = int(gaps.argmax())  # of the pale ones
    apart = gaps[last] > max(PALER * levels[-1], levels[last] - levels[0])
    return float(levels[last] + levels[last + 1]) / 2 if apart else 0.0
