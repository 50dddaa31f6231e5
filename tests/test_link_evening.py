"""What tiles show is put on one even ground."""

import cv2
import numpy as np
import pytest

from ar_assist.games.link.evening import even_faces
from ar_assist.games.tiles import CELL, NOISE, Array


def drawn_on(tones: Array, of_cell: np.ndarray) -> Array:
    """(R, C, CELL, CELL, 3) framed cells with one drawing, on faces of these tones (R, C)."""
    cells = np.zeros((*of_cell.shape, CELL, CELL, 3), np.float32)
    for cell, tone in zip(cells.reshape(-1, CELL, CELL, 3), of_cell.ravel(), strict=True):
        large = np.full((8 * CELL, 8 * CELL, 3), 40, np.float32)
        large[16:-16, 16:-16] = tones[tone]
        cv2.circle(large, (4 * CELL, 4 * CELL), 3 * CELL, (40, 60, 200), -1)
        cell[:] = cv2.resize(large, (CELL, CELL), interpolation=cv2.INTER_AREA)
    return cells


@pytest.mark.parametrize("turned", [0, 1, 2])
def test_faces_that_alternate_between_two_tones_are_made_of_one(turned: int) -> None:
    row, col = np.indices((8, 9))
    second = ((row + col) % 2, row % 2, col % 2)[turned]
    before = drawn_on(np.array([[200, 230, 240], [235, 250, 255]], np.float32), second)
    after = even_faces(before)
    inner = (slice(1, -1),) * 2
    one, other = after[inner][second[inner] == 0], after[inner][second[inner] == 1]
    apart = np.abs(before[inner][second[inner] == 0][0] - before[inner][second[inner] == 1][0])
    assert apart.mean() > NOISE
    assert np.abs(one[0] - other[0]).mean() < apart.mean() / 5
    assert np.array_equal(after[0], before[0])  # around the board


def test_faces_of_many_tones_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    tones = rng.uniform(60, 250, (12, 3)).astype(np.float32)
    cells = drawn_on(tones, rng.integers(0, 12, (8, 9)))
    assert even_faces(cells) is cells
    single_row = cells[:3]
    assert even_faces(single_row) is single_row


def test_tiles_between_empty_cells_stay_as_they_are() -> None:
    row, col = np.indices((8, 9))
    cells = drawn_on(np.array([[60, 60, 60], [235, 250, 255]], np.float32), (row + col) % 2)
    cells[(row + col) % 2 == 0] = 60
    assert even_faces(cells) is cells
