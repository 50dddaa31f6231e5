"""The line that a game draws over its board as a pair goes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, picture, shuffled

from ar_assist.games import GAMES
from ar_assist.games.link.strokes import crossed
from ar_assist.games.straightening import straightened
from ar_assist.replay import still
from ar_assist.scene import open_scene
from ar_assist.scene.render import Renderer
from ar_assist.types import Frame, Image


def line_through(image: Image, cells: list[tuple[int, int]], width: int) -> None:
    at = (np.array(cells)[:, ::-1] + 3) * PITCH + PITCH // 2
    cv2.polylines(image, [at.astype(np.int32)], False, (40, 40, 230), width, cv2.LINE_AA)


ENDS, WAY = [(1, 2), (4, 6)], [(1, 3), (1, 4), (2, 4), (3, 4), (4, 4), (4, 5)]


def board() -> np.ndarray:
    """(6, 9) pairs of 8 kinds but for the cells of the way; that at its ends is one."""
    truth = np.zeros((6, 9), int)
    bare = np.zeros(truth.shape, bool)
    bare[tuple(np.transpose(WAY))] = True
    truth[~bare] = shuffled(6, 8, 8, 5).ravel()
    other = np.argwhere(truth == truth[ENDS[0]])[-1]
    truth[tuple(other)], truth[ENDS[1]] = truth[ENDS[1]], truth[ENDS[0]]
    return truth


def test_pieces_of_a_line_are_no_sure_pair() -> None:
    """White tiles on a pale ground show no frame, and two pieces of the line are equal."""
    scene = open_scene("scene:tier=handheld,seed=9997")
    seen = Renderer(scene.world).frame(90)
    reading = still(Frame(0, 0.0, seen), [GAMES["link"]]).reading
    assert reading is not None
    cells = scene.truth["frames"][90]["board"]["cells"]
    is_tile = np.array(cells).reshape(reading.certainty.shape) > 0
    assert not (reading.certainty[~is_tile & (reading.cells > 0)] > 0.5).any()
    assert (reading.certainty[is_tile] > 0.9).sum() > 30


@pytest.mark.parametrize("width", [2, 4, 7])
def test_cells_that_a_line_crosses(width: int) -> None:
    image, lattice = picture(board(), ground=200)
    assert not crossed(straightened(image, lattice)).any()
    line_through(image, [ENDS[0], (1, 4), (4, 4), ENDS[1]], width)
    through = crossed(straightened(image, lattice))
    assert sorted(map(tuple, np.argwhere(through).tolist())) == WAY
