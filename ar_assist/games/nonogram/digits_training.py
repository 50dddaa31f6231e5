"""Trains the digit network: `python -m ar_assist.games.nonogram.digits_training FONT_FOLDER...`

Digits, and signs and marks that are no digits (see games/ink_training.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ar_assist.games.ink_training import Drawing, drawn, drawn_mark, run, struck
from ar_assist.games.nonogram.digits import MODEL, NO_DIGIT

SAMPLES = 200_000
HIDDEN = 256
STRUCK = 0.25  # of the digits: apps and people strike the clues that are done
DIGITS = "0123456789"
NO_DIGITS = "xX×+?%#&@AEFHKMNRTUVWYaefhkmnrtuvwy*=/\\|"  # l, I, O, S … look like digits


def draw(rng: np.random.Generator, fonts: Sequence[Path]) -> tuple[Drawing, int]:
    """A digit or something else, and its class."""
    text, label = _text(rng)
    if not text:
        return drawn_mark(rng), label
    drawing = drawn(rng, text, fonts)
    is_struck = label != NO_DIGIT and rng.random() < STRUCK
    return struck(rng, drawing) if is_struck else drawing, label


def _text(rng: np.random.Generator) -> tuple[str, int]:
    chance = rng.random()
    if chance < 0.8:
        digit = int(rng.integers(10))
        return str(digit), digit
    if chance < 0.87:
        return str(rng.choice(list(NO_DIGITS))), NO_DIGIT
    if chance < 0.94:
        return f"{rng.integers(10)}{rng.integers(10)}", NO_DIGIT
    return "", NO_DIGIT


if __name__ == "__main__":
    run(MODEL, draw, DIGITS, SAMPLES, HIDDEN)
