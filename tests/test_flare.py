"""Light that a screen mirrors, and boards under it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, cleared, picture, same_partition, shuffled

from ar_assist.flare import without_flare
from ar_assist.games.link import LinkGame, reader
from ar_assist.look import TRUST, Task, look
from ar_assist.srgb import CLIPPED, to_light
from ar_assist.types import Frame, Image, Lattice


def under_a_window(seed: int) -> tuple[Image, Image, np.ndarray, np.ndarray, Lattice]:
    """A board as it is and with a window's four panes on it, (H, W) where these are, the truth and
    the lattice. Light adds up as it does before a camera's tone curve (sRGB)."""
    truth = cleared(shuffled(7, 10, 14, seed), 4, seed)
    image, lattice = picture(truth)
    panes = np.zeros(image.shape[:2], np.float32)
    for top in (3.6, 6.2):
        for left in (6.3, 9.1):
            y, x = int(top * PITCH), int(left * PITCH)
            panes[y : y + int(2.2 * PITCH), x : x + int(2.5 * PITCH)] = 0.18
    panes = cv2.GaussianBlur(panes, (0, 0), 3)
    light = 0.75 * to_light()[image]
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    plain, lit = (
        (255 * (1.055 * some.clip(1e-3, 1) ** (1 / 2.4) - 0.055) + noise).clip(0, 255)
        for some in (light, light + panes[..., None])
    )
    return plain.astype(np.uint8), lit.astype(np.uint8), panes > 0.17, truth, lattice


@pytest.mark.parametrize("seed", [0, 3])
def test_a_board_under_a_windows_panes_is_trusted_without_them(seed: int) -> None:
    plain, lit, panes, truth, lattice = under_a_window(seed)
    seen = reader.read(lit, lattice)
    assert seen is None or seen.confidence < TRUST
    clear = without_flare(lit, lattice)
    off = [np.abs(some.astype(int) - plain)[panes].mean() for some in (lit, clear)]
    assert off[1] < off[0] / 3
    sight = look(Task(Frame(0, 0.0, lit), (LinkGame(),)))
    assert sight is not None and sight.reading.confidence >= TRUST
    assert same_partition(sight.reading.cells, truth)


def test_what_the_camera_clips_stays_as_it_is() -> None:
    _, lit, panes, _, lattice = under_a_window(0)
    lit[panes] = np.where(lit[panes] > 200, 255, lit[panes])
    clear = without_flare(lit, lattice)
    clipped = (lit >= CLIPPED).any(2)
    assert clipped.any() and np.array_equal(clear[clipped], lit[clipped])
    assert (clear <= lit).all()


def test_a_lattice_beside_the_picture_tells_no_black() -> None:
    _, lit, _, _, lattice = under_a_window(0)
    beside = Lattice((lit.shape[1] + 10.0, 5.0), lattice.pitch_xy, 7, 10)
    assert np.array_equal(without_flare(lit, beside), lit)
