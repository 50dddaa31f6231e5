"""The tracker on rendered motion with exact truth, and on real hand-held clips."""

from __future__ import annotations

import json
from collections.abc import Callable

import cv2
import numpy as np
import pytest
from lens import straight_px

from ar_assist.track import Tracker
from ar_assist.types import Frame, Image, Plane, Points, homography
from calibration import Camera

PLANE_WH = (600, 400)
FRAME_WH = (1280, 720)
OUTER = np.array([[0, 0], [600, 0], [600, 400], [0, 400]], np.float32) - 0.5
START = np.array([[300, 120], [980, 160], [940, 600], [330, 640]], np.float32)


def _texture(seed: int, cells: tuple[int, int], size_wh: tuple[int, int]) -> Image:
    noise = np.random.default_rng(seed).integers(20, 236, (cells[1], cells[0], 3), np.uint8)
    return cv2.resize(noise, size_wh, interpolation=cv2.INTER_CUBIC)


SCREEN = _texture(1, (30, 20), PLANE_WH)
DESK = _texture(2, (24, 14), FRAME_WH) // 3


def _plane(corners: Points) -> Plane:
    return Plane(homography(OUTER, corners), PLANE_WH)


def _view(corners: Points, screen: Image = SCREEN, noise: float = 2.0, seed: int = 0) -> Image:
    matrix = _plane(corners).frame_from_plane
    warped = cv2.warpPerspective(screen, matrix, FRAME_WH, flags=cv2.INTER_AREA)
    cover = cv2.warpPerspective(np.ones(screen.shape[:2], np.float32), matrix, FRAME_WH)
    image = cv2.blendLinear(warped, DESK, cover, 1 - cover)
    cv2.setRNGSeed(seed + 1)
    grain = cv2.randn(np.empty(image.shape, np.int16), (0, 0, 0), (noise, noise, noise))
    return np.asarray(cv2.add(image, grain, dtype=cv2.CV_8U))


def _seen(image: Image, lens: Camera | None = None) -> Frame:
    return Frame(0, 0.0, image, lens)


def _frame(*args, **view) -> Frame:
    return _seen(_view(*args, **view))


def _sway(index: int, px: float = 60.0) -> Points:
    phase = 2 * np.pi * index / 45
    turn = 0.15 * np.sin(0.7 * phase)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = START.mean(0)
    shift = px * np.array([np.sin(phase), np.cos(1.3 * phase) - 1])
    return (middle + (START - middle) @ rotation.T + shift).astype(np.float32)


LENS = Camera(*FRAME_WH, 900, 900, 645, 352, (-0.35, 0.12))
STRAIGHT_WH = np.array(LENS.shown.shape[::-1])
RIM = (STRAIGHT_WH - FRAME_WH) // 2  # px of the straight picture around a view's own


def _bent(corners: Points, **view) -> Frame:
    """A view with a rim, as LENS bends it; there the plane's corners are at `corners` + RIM."""
    (right, bottom), (left, top) = STRAIGHT_WH - FRAME_WH - RIM, RIM
    whole = cv2.copyMakeBorder(
        _view(corners, **view), top, bottom, left, right, cv2.BORDER_REPLICATE
    )
    return _seen(cv2.remap(whole, straight_px(LENS), None, cv2.INTER_LINEAR), LENS)


def _errors(moves: Callable[[int], Points], count: int, **view) -> list[float]:
    tracker = Tracker(_frame(moves(0), **view), _plane(moves(0)))
    errors = []
    for index in range(1, count):
        plane = tracker.update(_frame(moves(index), seed=index, **view))
        assert plane is not None, index
        errors.append(float(np.abs(plane.corners - moves(index)).max()))
    return errors


def test_a_swaying_plane_is_followed_without_drift():
    errors = _errors(_sway, 60)
    assert max(errors) < 0.8
    assert np.mean(errors[-15:]) < np.mean(errors[:15]) + 0.2


def test_a_still_plane_does_not_jitter():
    tracker = Tracker(_frame(START), _plane(START))
    corners = [tracker.update(_frame(START, noise=6, seed=i)).corners for i in range(1, 21)]
    assert np.std(corners, axis=0).max() < 0.2


def test_exposure_may_change():
    tracker = Tracker(_frame(START), _plane(START))
    for index in range(1, 6):
        dim = (_view(_sway(index), seed=index) * (1 - 0.1 * index)).astype(np.uint8)
        plane = tracker.update(_seen(dim))
        assert plane is not None
        assert np.abs(plane.corners - _sway(index)).max() < 1.0


def test_a_jerk_is_caught():
    tracker = Tracker(_frame(START), _plane(START))
    there = START + np.float32([-210, 60])
    plane = tracker.update(_frame(there))
    assert plane is not None
    assert np.abs(plane.corners - there).max() < 1.0


def test_through_a_lens_the_plane_is_followed_where_the_straight_picture_has_it():
    tracker = Tracker(_bent(START), _plane(START + RIM))
    errors = []
    for index in range(1, 31):
        plane = tracker.update(_bent(_sway(index), seed=index))
        errors.append(float(np.abs(plane.corners - _sway(index) - RIM).max()))
    assert max(errors) < 0.8


def test_through_a_lens_a_jerk_is_caught_as_well():
    tracker = Tracker(_bent(START), _plane(START + RIM))
    there = START + np.float32([-210, 60])
    plane = tracker.update(_bent(there))
    assert plane is not None
    assert np.abs(plane.corners - there - RIM).max() < 1.0


@pytest.mark.parametrize("jump", [(-50, 0), (-40, 40), (30, 0), (40, 40), (60, 0)])
def test_flow_does_not_slip_to_the_next_cell(jump: tuple[int, int]):
    """Framed tiles with small pictures look much alike: flow over half a cell leads to the next."""
    board, rng = np.full((400, 600, 3), 60, np.uint8), np.random.default_rng(0)
    for y, x in np.ndindex(8, 12):
        board[50 * y + 3 : 50 * y + 47, 50 * x + 3 : 50 * x + 47] = 210
        ink = tuple(map(int, rng.integers(0, 160, 3)))
        cv2.circle(board, (50 * x + 25, 50 * y + 25), int(rng.integers(6, 14)), ink, -1)
    tracker = Tracker(_frame(START, board), _plane(START))
    there = START + np.float32(jump)
    plane = tracker.update(_frame(there, board, seed=1))
    assert plane is not None
    assert np.abs(plane.corners - there).max() < 1.0


def test_changing_contents_and_a_hand_do_not_drag_the_plane():
    tracker = Tracker(_frame(START), _plane(START))
    screen = SCREEN.copy()
    for index in range(1, 30):
        if index % 5 == 0:  # tiles go
            x = 60 * (index // 5)
            screen[150:250, x : x + 60] = 128
        shown = screen.copy()
        cv2.circle(shown, (20 * index, 300), 90, (120, 140, 200), -1)  # a hand passes
        plane = tracker.update(_frame(_sway(index), shown, seed=index))
        assert plane is not None
        assert np.abs(plane.corners - _sway(index)).max() < 1.5


BOARD = np.array([[200, 130], [400, 130], [400, 270], [200, 270]], np.float32) - 0.5  # of the plane


def test_what_lies_behind_the_board_does_not_drag_it():
    """A desk is farther away than the screen on it: seen by a hand-held camera it moves less."""
    alone = np.zeros_like(SCREEN)
    alone[120:280, 190:410] = 255
    tracker = Tracker(_frame(START), _plane(START), BOARD)
    for index in range(1, 16):
        there = _sway(index)
        behind = there + np.float32([2.0 * index, 0.6 * index])
        is_board = _view(there, alone, noise=0) > 127
        image = np.where(is_board, _view(there, seed=index), _view(behind, seed=index))
        plane = tracker.update(_seen(image))
        assert plane is not None
        off = plane.to_frame(BOARD) - _plane(there).to_frame(BOARD)
        assert np.abs(off).max() < 1.5, index


def test_a_cleared_board_is_followed_by_what_is_around_it():
    tracker = Tracker(_frame(START), _plane(START), BOARD)
    screen = SCREEN.copy()
    for index in range(1, 20):
        screen[120:280, 190 : 200 + 20 * (index // 2)] = 128  # its columns go, one by one
        plane = tracker.update(_frame(_sway(index), screen, seed=index))
        assert plane is not None
        off = plane.to_frame(BOARD) - _plane(_sway(index)).to_frame(BOARD)
        assert np.abs(off).max() < 1.5, index


def test_a_corner_of_the_board_does_not_tell_how_all_of_it_lies():
    """A hand lies on the rest of the board; what is around it shows how that lies."""
    tracker = Tracker(_frame(START), _plane(START), BOARD)
    screen = SCREEN.copy()
    screen[120:280, 260:410] = _texture(5, (10, 10), (150, 160)) // 3
    for index in range(1, 16):
        plane = tracker.update(_frame(_sway(index), screen, noise=6, seed=index))
        assert plane is not None
        off = plane.to_frame(BOARD) - _plane(_sway(index)).to_frame(BOARD)
        assert np.abs(off).max() < 0.8, index


def test_the_last_tiles_of_a_board_are_followed_under_a_hand():
    """They lie on half of it; a hand hides some of these. Around it is a frame on a moving desk."""
    tiles = np.full_like(SCREEN, 110)
    tiles[200:280, 190:410] = SCREEN[200:280, 190:410]
    tiles[120:200, 330:410] = SCREEN[120:200, 330:410]
    tracker = Tracker(_frame(START, tiles), _plane(START), BOARD)
    seen = np.float32([[290, 200], [330, 120], [410, 120], [410, 280], [290, 280]])
    tiles[200:280, 190:290] = 150
    for index in range(1, 16):
        plane = tracker.update(_frame(_sway(index), tiles, seed=index))
        assert plane is not None, index
        off = plane.to_frame(seen) - _plane(_sway(index)).to_frame(seen)
        assert np.abs(off).max() < 1.5, index


@pytest.mark.parametrize("what", ["desk", "other", "one cell further"])
def test_lost_is_said_at_once(what: str):
    board = SCREEN.copy()
    if what == "one cell further":  # the same frames of cells, other contents
        board = _texture(7, (30, 20), PLANE_WH)
        for picture in (tiles := SCREEN.copy(), board):
            picture[::40] = picture[:, ::40] = 0
        tracker = Tracker(_frame(START, tiles), _plane(START))
    else:
        tracker = Tracker(_frame(START), _plane(START))
        board = _texture(9, (30, 20), PLANE_WH)
    image = DESK if what == "desk" else _view(START, board)
    assert tracker.update(_seen(image)) is None


def test_after_being_lost_it_goes_on_where_the_plane_comes_back():
    tracker = Tracker(_frame(START), _plane(START))
    assert tracker.update(_seen(DESK)) is None
    there = START + np.float32([40, -20])
    plane = tracker.update(_frame(there))
    assert plane is not None
    assert np.abs(plane.corners - there).max() < 1.0


def test_a_guess_leads_over_a_turn_that_flow_cannot_see():
    tracker = Tracker(_frame(START), _plane(START))
    turned = np.roll(START, 1, axis=0)
    assert tracker.update(_frame(turned), _plane(turned + np.float32(3)).frame_from_plane)


def test_it_repeats():
    assert _errors(_sway, 12) == _errors(_sway, 12)


def test_a_real_hand_held_page(data):
    """Motion blur, exposure changes and turns of a real clip: at most a tenth of frames missed."""
    path = data / "video" / "tablet_like_sheet_moving_camera.mp4"
    quads = json.loads(path.with_suffix(".json").read_text())["quads"]
    capture, tracker, errors, lost = cv2.VideoCapture(str(path)), None, [], 0
    for quad in quads:
        _, image = capture.read()
        corners = None if quad is None else np.array(quad, np.float32)
        if corners is None:
            tracker = None  # the clip leaves the page
        elif tracker is None:
            tracker = Tracker(_seen(image), _plane(corners))
        elif (plane := tracker.update(_seen(image))) is None:
            lost += 1
            tracker = Tracker(_seen(image), _plane(corners))
        else:
            errors.append(np.abs(plane.corners - corners).mean())
    assert lost <= len(quads) // 10
    assert np.median(errors) < 5.0
    assert max(errors) < 15.0
