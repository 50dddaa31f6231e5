"""Trains the coordinates' network: `python -m ar_assist.games.othello.coordinates_training FONTS…`

The signs of coordinates, and what is none (see games/ink_training.py): other letters, marks, and
coordinates that lie on their side, stand on their head or are mirrored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from ar_assist.games.ink_training import Drawing, drawn, drawn_mark, run
from ar_assist.games.othello.coordinates import LETTERS, MODEL, NO_SIGN, NUMBERS

SAMPLES = 120_000
HIDDEN = 128
SIGNS = LETTERS + LETTERS.upper() + NUMBERS  # of classes a to h, either case, and 1 to 8
OTHERS = "09ijklmnopqrstuvwxyzIJKLMNOPQRSTUVWXYZ+?%#&@*=/\\|"


def draw(rng: np.random.Generator, fonts: Sequence[Path]) -> tuple[Drawing, int]:
    """A sign or something else, and its class."""
    chance = rng.random()
    if chance < 0.6:
        label = int(rng.integers(NO_SIGN))
        return drawn(rng, _written(rng, label), fonts), label
    if chance < 0.8:
        return _amiss(rng, drawn(rng, str(rng.choice(list(SIGNS))), fonts)), NO_SIGN
    if chance < 0.9:
        return drawn(rng, str(rng.choice(list(OTHERS))), fonts), NO_SIGN
    if chance < 0.95:
        return drawn(rng, "".join(rng.choice(list(SIGNS), 2)), fonts), NO_SIGN
    return drawn_mark(rng), NO_SIGN


def _written(rng: np.random.Generator, label: int) -> str:
    """The sign of a class, letters in either case."""
    sign = (LETTERS + NUMBERS)[label]
    return sign.upper() if rng.random() < 0.5 else sign


def _amiss(rng: np.random.Generator, drawing: Drawing) -> Drawing:
    """Turned by quarters or mirrored, or both."""
    turns, mirrored = int(rng.integers(1, 4)), rng.random() < 0.5
    if mirrored:
        drawing = np.asarray(cv2.flip(drawing, 1), np.uint8)
        turns = int(rng.integers(4))
    return np.ascontiguousarray(np.rot90(drawing, turns))


if __name__ == "__main__":
    run(MODEL, draw, SIGNS, SAMPLES, HIDDEN)
