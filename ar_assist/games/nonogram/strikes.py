"""Digits that a line through their clue joins: apps and people strike the clues that are done.

The line stays where it crosses a digit, since the network knows struck ones (digits_training.py);
between digits there is nothing but the line, as thin there as the whole glyph is anywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.ink import FAINT_INK, Glyph, Ink

THIN = 0.35  # of the glyph's greatest width: a line across it is no wider
BESIDE = 0.12  # of it: what is wider than the line by more is a digit's
LEAST_BARE = 0.12  # of the glyph's length that shows the line alone
ONE_DIGIT = (2.0, 0.8)  # of the greatest width: an upright digit's height, a level one's width;
# within it what is as thin as the line is a thin place
LINE = 0.1  # quantile of the widths that is the line's own


def parted(ink: Ink, glyph: Glyph, longest: float) -> list[Glyph]:
    """The digits of a struck clue; the glyph itself if no line joins any.

    What is no longer than `longest` may be one digit, whose own strokes are like a line: only one
    that ends beyond it on both sides tells, and both ways to see it are returned.
    """
    is_level = glyph.width >= glyph.height
    is_joined = glyph.side > longest
    across = ink[glyph.y0 : glyph.y1, glyph.x0 : glyph.x1] > FAINT_INK
    first, widths = _extent(across.T if is_level else across)
    line, most = _quantile(widths, LINE), float(widths.max())
    if line >= THIN * most:
        return [glyph]
    is_digit = _closed(widths > line + BESIDE * most, ONE_DIGIT[is_level] * most)
    begin, end = np.flatnonzero(is_digit)[[0, -1]]
    bare = np.sum(~is_digit) if is_joined else min(begin, len(widths) - 1 - end)
    if bare < LEAST_BARE * len(widths):
        return [glyph]
    parts = [_part(glyph, run, first, first + widths, is_level) for run in _runs(is_digit)]
    return parts if is_joined else [glyph, *parts]


def _quantile(values: NDArray[np.int64], share: float) -> float:
    """As np.quantile has it, which takes ten times as long for so few."""
    places = np.arange(len(values))
    return float(np.interp(share * (len(values) - 1), places, np.sort(values)))


def _part(
    glyph: Glyph,
    run: tuple[int, int],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    is_level: bool,
) -> Glyph:
    """The digit in a stretch of a glyph, whose ink reaches across from first to last."""
    begin, end = run
    low, high = int(first[begin:end].min()), int(last[begin:end].max())
    x0, y0, x1, y1 = (begin, low, end, high) if is_level else (low, begin, high, end)
    x, y = glyph.x0, glyph.y0
    return Glyph(x + x0, y + y0, x + x1, y + y1, is_struck=True)


def _runs(holds: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where each stretch that holds begins and ends."""
    edges = np.flatnonzero(np.diff(holds, prepend=False, append=False)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _closed(holds: NDArray[np.bool_], most: float) -> NDArray[np.bool_]:
    """The same, but stretches that are no longer than that with the gap between them are one."""
    closed = holds.copy()
    first = None
    for begin, end in _runs(holds):
        if first is None or end - first > most:
            first = begin
        closed[first:end] = True
    return closed


def _extent(across: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(N,) where each row's ink begins, and how far it reaches from there."""
    first, last = across.argmax(axis=1), across.shape[1] - across[:, ::-1].argmax(axis=1)
    return first, np.where(across.any(axis=1), last - first, 0)
