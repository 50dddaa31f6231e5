"""The digits of clues, named by a network that digits_training.py has trained (digits.npz)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ar_assist.games import ink

Probabilities = NDArray[np.float32]  # (N, 11): digits 0 to 9, then "no digit"

NO_DIGIT = 10  # class of crosses, dots, letters, blots and joined digits
MODEL = Path(__file__).with_name("digits.npz")


def classify(patches: NDArray[np.float32]) -> Probabilities:
    """The chance of every class for (N, PATCH, PATCH) patches."""
    return ink.classify(MODEL, patches)
