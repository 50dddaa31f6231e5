"""What tiles show is put on one even ground."""

import cv2
import numpy as np
import pytest

from ar_assist.games.link.evening import even_faces, even_ground
from ar_assist.games.link.survey import evened
from ar_assist.games.tiles import CELL, NOISE, Array
from ar_assist.types import Lattice


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


def discs(whole: Array) -> Array:
    """(R, C, CELL, CELL, 3) cells of a picture (H, W, 3), most of the inner with a disc on it."""
    rows, cols = whole.shape[0] // CELL, whole.shape[1] // CELL
    rng = np.random.default_rng(0)
    for r, c in np.argwhere(rng.random((rows - 2, cols - 2)) > 0.4):
        middle = round((c + 1.5) * CELL), round((r + 1.5) * CELL)
        cv2.circle(whole, middle, CELL // 2 - 6, rng.uniform(0, 150, 3).tolist(), -1)
    whole[:] = cv2.GaussianBlur(whole, (0, 0), 1.5)
    return np.ascontiguousarray(whole.reshape(rows, CELL, cols, CELL, 3).swapaxes(1, 2))


def test_light_faces_that_touch_are_no_uneven_ground_for_what_is_around_them() -> None:
    """Evened out, a tile on which hardly anything shows looked as the ground beside the board."""
    whole = np.full((10 * CELL, 10 * CELL, 3), (150, 200, 170), np.float32)
    whole[CELL:-CELL, CELL:-CELL] = 250
    cells = discs(whole)
    assert even_ground(cells) is cells


def test_a_ground_that_changes_between_sprites_is_made_even() -> None:
    slope = np.linspace(50, 100, 10 * CELL, dtype=np.float32)
    cells = discs(np.repeat((slope + slope[:, None])[..., None], 3, axis=2))
    before, after = (
        np.ptp(np.median(of[1:-1, 1:-1, :2, :2], axis=(2, 3, 4)))
        for of in (cells, even_ground(cells))
    )
    assert before > 70 and after < 10


def test_edges_of_equal_sprites_are_equal_wherever_these_stand() -> None:
    """There a px is half ground: left as it is, each sprite would have a halo of its own ground."""
    slope = np.linspace(60, 110, 10 * CELL, dtype=np.float32)
    whole = np.repeat((slope + slope[:, None])[..., None], 3, axis=2)
    middles = np.arange(1, 9) * CELL + CELL // 2
    for x, y in np.stack(np.meshgrid(middles, middles), -1).reshape(-1, 2).tolist():
        cv2.circle(whole, (x, y), CELL // 2 - 6, (20, 30, 40), -1)
    whole = cv2.GaussianBlur(whole, (0, 0), 1.5)
    cells = np.ascontiguousarray(whole.reshape(10, CELL, 10, CELL, 3).swapaxes(1, 2))
    before, after = (np.abs(of[1, 1] - of[8, 8]).max() for of in (cells, even_ground(cells)))
    assert before > 60 and after < 20


def test_within_a_drawing_nothing_shows_through() -> None:
    """Beside its dark outline a light face was taken for half ground, and was tinted by it. The
    light was no better known: equal sprites on unlike grounds seem to be lit in unlike ways."""
    px, rows, cols = 48, 8, 10
    corners = np.array([[[90, 190, 200], [60, 60, 90]], [[200, 200, 80], [120, 90, 200]]], float)
    size = ((cols + 2) * px, (rows + 2) * px)
    picture = cv2.resize(corners, size, interpolation=cv2.INTER_LINEAR)
    middles = [((c + 1) * px + px // 2, (r + 1) * px + px // 2) for r, c in np.ndindex(rows, cols)]
    for middle in middles:
        cv2.circle(picture, middle, 15, (20, 50, 90), -1)
        cv2.circle(picture, middle, 10, (60, 200, 240), -1)
    seen = cv2.GaussianBlur(picture, (0, 0), 1.5).astype(np.uint8)
    cells = evened(seen, Lattice((px - 0.5, px - 0.5), (px, px), rows, cols))[1:-1, 1:-1]
    within = cells[:, :, 12:20, 12:20].reshape(rows * cols, -1)
    assert np.abs(within - np.median(within, axis=0)).mean() < 2
