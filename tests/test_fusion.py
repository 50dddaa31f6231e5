"""One picture of several: of a plane that was rectified, and of all that a camera sees."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from toy import START, screen_picture

from ar_assist.fusion import averaged, fuse
from ar_assist.types import Frame
from calibration import Camera

PICTURE = screen_picture(START)
RNG = np.random.default_rng(3)


def _noisy(picture, sigma=12.0):
    noisy = picture + RNG.normal(0, sigma, picture.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def _error(picture, part=np.s_[:]):
    return np.abs(picture[part].astype(float) - PICTURE[part]).mean()


def test_averaging_takes_noise_away():
    pictures = [_noisy(PICTURE) for _ in range(4)]
    assert _error(fuse(pictures)) < 0.65 * _error(pictures[0])


def test_what_changed_is_left_to_the_newest_picture():
    before = PICTURE.copy()
    moved = np.s_[40:80, 80:120]  # a tile is another one
    before[moved] = PICTURE[120:160, 200:240]
    fused = fuse([_noisy(PICTURE), *(_noisy(before) for _ in range(3))])
    ghost = np.abs(fused[moved].astype(float) - before[moved]).mean()
    assert _error(fused, moved) < 12
    assert ghost > 30
    assert _error(fused, np.s_[120:200]) < 6


def test_exposure_may_differ():
    darker = [np.clip(_noisy(PICTURE) - 15.0, 0, 255).astype(np.uint8) for _ in range(3)]
    fused = fuse([_noisy(PICTURE), *darker]).astype(float)
    assert np.abs(fused - fused.mean() - PICTURE + PICTURE.mean()).mean() < 7


def test_blurred_pictures_hardly_count():
    blurred = [cv2.GaussianBlur(PICTURE, (0, 0), 3) for _ in range(3)]
    assert _error(fuse([PICTURE, *blurred])) < 0.2 * _error(blurred[0])


@pytest.mark.parametrize("lens", [None, Camera(640, 480, 500, 500, 320, 240, (-0.2, 0.05))])
def test_frames_of_a_moving_camera_are_averaged_and_what_moves_in_them_is_not(lens: Camera | None):
    def frame(i: int, at: int, noise: float = 12.0) -> Frame:
        turn = cv2.getRotationMatrix2D((320, 240), 0.7 * i, 1 + 0.01 * i)
        image = cv2.warpAffine(scene, turn, (640, 480), borderMode=cv2.BORDER_REPLICATE)
        image[200:280, at : at + 80] = 255
        return Frame(i, i / 15, _noisy(image, noise), lens=lens)

    coarse = np.random.default_rng(4).integers(40, 215, (30, 40, 3), np.uint8)
    scene = cv2.resize(coarse, (640, 480), interpolation=cv2.INTER_CUBIC)
    newest, *earlier = (frame(i, 80 + 120 * i) for i in range(4))
    mean = averaged(newest, earlier)
    clean, alone, together = (
        one.undistorted.astype(float) for one in (frame(0, 80, noise=0), newest, mean)
    )
    off, was_off = np.abs(together - clean).mean(2), np.abs(alone - clean).mean(2)
    middle = np.s_[60:-60, 60:-60]
    assert mean.lens is None
    assert off[middle].mean() < 0.75 * was_off[middle].mean()
    assert (off[middle] > 60).mean() < 1e-3  # no square is where another frame has it


@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (33, 3000), (3000, 33), (33, 40)])
def test_pictures_too_small_to_be_led_by_flow_are_left_alone(shape: tuple[int, int]):
    frames = [Frame(i, i / 15, np.full((*shape, 3), 90 + i, np.uint8)) for i in range(3)]
    assert (averaged(frames[0], frames[1:]).image == 90).all()


def test_one_picture_is_itself():
    assert fuse([PICTURE]) is PICTURE
