"""What the painter puts on a picture."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import get_args

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from views import CELL_PX, cell_quad, view_of

from ar_assist.overlay import Look, draw, status_words
from ar_assist.overlay.lettering import text_mask, wrap
from ar_assist.overlay.marks import KIND_COLOURS, YELLOW
from ar_assist.player import HELP
from ar_assist.types import Advice, Frame, Image, Mark, MarkKind, Plane, View

GREY = np.full((720, 1280, 3), 128, np.uint8)
STATUS_PX = 40  # the strip at the bottom
QUESTION = ("row 4 column 4:   e   it is empty    x   it is blocked", "click another tile")


def painted(image: Image, before: Image = GREY) -> NDArray[np.bool_]:
    """Where the picture was changed, status line left out."""
    changed: NDArray[np.bool_] = (image != before).any(axis=2)
    changed[-STATUS_PX:] = False
    return changed


def test_draws_on_a_copy() -> None:
    frame = GREY.copy()
    frame.flags.writeable = False
    image = draw(view_of(frame))
    assert (frame == GREY).all()
    assert image.shape == frame.shape
    assert painted(image).any()


def test_path_lies_in_the_perspective() -> None:
    view = view_of(GREY)
    image = draw(view)
    assert view.plane
    path = next(mark for mark in view.marks if mark.kind == "path").points
    for start, end in itertools.pairwise(path):
        for part in np.linspace(0.2, 0.8, 7):
            x, y = np.rint(view.plane.to_frame(start + part * (end - start))).astype(int)
            assert tuple(image[y, x]) == YELLOW


def test_nearer_lines_are_wider() -> None:
    across = [
        Mark("path", np.array([cell_quad(row, 0)[0], cell_quad(row, 9)[1]])) for row in (0, 5)
    ]
    far, near = (painted(draw(view_of(GREY, (mark,)))).sum() for mark in across)
    assert near > 1.1 * far


def test_marks_can_be_switched_off() -> None:
    assert not painted(draw(view_of(GREY), Look(marks=False))).any()


def test_every_kind_of_mark_has_a_shape_of_its_own() -> None:
    """Told apart without any colour."""
    masks = {}
    for kind in KIND_COLOURS:
        if kind != "path":
            mask = painted(draw(view_of(GREY, (Mark(kind, cell_quad(2, 4)),))))  # type: ignore[arg-type]
            assert mask.any(), kind
            masks[kind] = mask
    for a, b in itertools.combinations(masks, 2):
        overlap = (masks[a] & masks[b]).sum() / (masks[a] | masks[b]).sum()
        assert overlap < 0.75, f"{a} and {b} look alike"


def test_best_move_differs_from_others_by_shape() -> None:
    plain, best = (
        painted(draw(view_of(GREY, (Mark("ring", cell_quad(2, 4), role=role),))))
        for role in ("", "best")
    )
    assert best.sum() > 1.1 * plain.sum()


@pytest.mark.parametrize("level", [0, 128, 255])
@pytest.mark.parametrize("kind", get_args(MarkKind))
def test_marks_stand_out_on_any_background(kind: MarkKind, level: int) -> None:
    ground = np.full_like(GREY, level)
    points = cell_quad(2, 4) if kind != "text" else cell_quad(2, 4)[:1]
    image = draw(view_of(ground, (Mark(kind, points, text="row"),)))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(int)[:-STATUS_PX]
    assert np.abs(grey - level).max() > 70


def test_scale_makes_lines_and_letters_larger() -> None:
    small, large = draw(view_of(GREY)), draw(view_of(GREY), Look(scale=2))
    assert painted(large).sum() > 1.5 * painted(small).sum()
    dark_rows = [(image[:, 3].max(axis=1) < 60).sum() for image in (small, large)]
    assert dark_rows[1] > 1.5 * dark_rows[0]


@pytest.mark.parametrize("scale", [2.0, 3.0])
def test_scale_makes_a_frame_wider_and_covers_no_more_of_its_tile(scale: float) -> None:
    view = view_of(GREY, (Mark("frame", cell_quad(2, 4)),))
    usual, large = draw(view), draw(view, Look(scale=scale))
    in_yellow = [(image == YELLOW).all(axis=2).sum() for image in (usual, large)]
    assert in_yellow[1] > 0.8 * scale * in_yellow[0]
    assert view.plane
    tile = np.zeros(GREY.shape[:2], np.uint8)
    cv2.fillConvexPoly(tile, np.rint(view.plane.to_frame(cell_quad(2, 4))).astype(np.int32), 1)
    shows = [(~painted(image) & (tile > 0)).sum() for image in (usual, large)]
    assert shows[1] > 0.95 * shows[0]


@pytest.mark.parametrize("tile_px", [14, 20, 30, 60])
@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0, 8.0])
def test_most_of_a_framed_tile_shows_however_small_it_is(scale: float, tile_px: int) -> None:
    """With the path that ends in it; and the frame can still be seen."""
    shrink = tile_px / CELL_PX
    plane = Plane(np.diag([shrink, shrink, 1.0]), (int(14 * CELL_PX), int(10 * CELL_PX)))
    view = replace(view_of(GREY), plane=plane)
    paint = np.abs(draw(view, Look(scale=scale)).astype(int) - GREY).max(axis=2) / 128
    for col in (1, 6):
        (x, y), (right, bottom) = np.rint(plane.to_frame(cell_quad(0, col)[[0, 2]])).astype(int)
        assert 0.15 < paint[y:bottom, x:right].mean() < 0.5


def test_a_board_half_behind_the_camera_is_left_out() -> None:
    view = view_of(GREY)
    assert view.plane
    steep = view.plane.frame_from_plane.copy()
    steep[2, 1] = -1 / (3 * CELL_PX)  # the horizon runs through the board
    image = draw(replace(view, plane=Plane(steep, view.plane.size_wh)))
    assert image.shape == GREY.shape


def test_status_says_what_is_going_on() -> None:
    view = view_of(GREY)
    assert status_words(view) == ["ready", "42 tiles left", "97 % sure", "read 0.4 s ago"]
    told = replace(view, reason="cannot be cleared any more; gravity down (97 %)")
    assert status_words(told)[:3] == ["ready", "cannot be cleared any more", "gravity down (97 %)"]
    assert status_words(replace(view, marks=(), reason="a hand is in the way"))[0] == (
        "a hand is in the way"
    )
    solved = replace(view, marks=(), advice=Advice((), "solved"))
    assert status_words(solved)[0] == "solved"
    stuck = replace(view, marks=(), advice=Advice((), "no move", "no pair left"))
    assert status_words(stuck)[0] == "no pair left"
    assert "ready" not in status_words(stuck)
    nothing = View(Frame(0, 0.0, GREY, note="connection lost"), "searching")
    assert status_words(nothing) == ["connection lost", "searching"]


def test_long_status_is_wrapped_and_never_cut() -> None:
    words = [f"word {i}" for i in range(40)]
    lines = wrap(words, 20, 640)
    assert list(itertools.chain(*lines)) == words
    for line in lines:
        assert sum(text_mask(word, 20).shape[1] + 20 for word in line) + 20 <= 640


def test_a_phrase_wider_than_the_picture_is_broken_between_words() -> None:
    phrase = "fault in reader.py line 88: ValueError: shapes (3,4) and (4,5) do not fit together"
    lines = wrap(["29 fps", phrase], 20, 320)
    assert lines[0] == ["29 fps"]
    assert " ".join(word for line in lines[1:] for word in line) == phrase
    assert all(sum(text_mask(w, 20).shape[1] for w in line) <= 280 for line in lines)


def test_a_word_wider_than_the_picture_is_broken_between_letters() -> None:
    path = "/home/somebody/" + "a-long-folder-name/" * 5 + "clip.mp4"
    lines = wrap([path], 20, 320)
    assert "".join(itertools.chain(*lines)) == path
    assert all(sum(text_mask(w, 20).shape[1] for w in line) <= 280 for line in lines)


@pytest.mark.parametrize("scale", [1.0, 1.5, 3.0])
@pytest.mark.parametrize("size_wh", [(320, 240), (640, 480), (1280, 720), (480, 854)])
def test_help_question_and_status_find_room_beside_each_other(
    size_wh: tuple[int, int], scale: float
) -> None:
    """The letters get smaller until all is on the picture, and nothing lies over the other."""
    white, black = (np.full((size_wh[1], size_wh[0], 3), c, np.uint8) for c in (255, 0))
    words = ("saved ar-assist-20261125-031211-12.mp4", "REC", "29 fps", "latency 12/35 ms")
    view = replace(view_of(black, ()), reason="two readings disagree, looking on")
    plain = Look(scale=scale, status=words)
    bare, helped = draw(view, plain), draw(view, replace(plain, help=HELP))
    strip = np.flatnonzero((bare > 128).any(axis=(1, 2)))[0]
    assert strip >= 0.6 * size_wh[1]
    assert (helped[strip:] == bare[strip:]).all(), "the help leaves the status line alone"
    shown = (helped[:strip] > 128).any(axis=(1, 2))
    starts = np.flatnonzero(shown & ~np.roll(shown, 1))
    assert len(starts) >= len(HELP), "every line of the help is there"
    asked = draw(replace(view, frame=Frame(3, 0.1, white)), replace(plain, question=QUESTION))
    dark = np.flatnonzero((asked[:, 0] < 128).all(axis=1))
    assert dark.min() > 0.4 * size_wh[1], "the board can be seen above the question"


@pytest.mark.parametrize("axis", ["row", "column"])
def test_the_frame_of_a_line_is_as_thin_at_its_ends_as_along_it(axis: str) -> None:
    cells = (
        [cell_quad(2, 0), cell_quad(2, 7)] if axis == "row" else [cell_quad(0, 3), cell_quad(5, 3)]
    )
    (top_left, top_right, _, bottom_left), (_, right_top, bottom_right, left_bottom) = cells
    corners = [top_left, right_top if axis == "row" else top_right, bottom_right]
    corners.append(bottom_left if axis == "row" else left_bottom)
    mask = painted(draw(view_of(GREY, (Mark("frame", np.array(corners)),))))
    inner = [quad.mean(axis=0) for quad in (cell_quad(2, c) for c in range(8))]
    if axis == "column":
        inner = [cell_quad(r, 3).mean(axis=0) for r in range(6)]
    plane = view_of(GREY).plane
    assert plane
    for middle in inner:
        x, y = np.rint(plane.to_frame(middle)).astype(int)
        assert not mask[y - 4 : y + 5, x - 4 : x + 5].any(), "cells at the ends can be seen"


def test_text_is_anti_aliased() -> None:
    mask = text_mask("ready", 20)
    assert ((mask > 20) & (mask < 235)).sum() > 30


@pytest.mark.parametrize("size_wh", [(64, 48), (320, 240), (1920, 1080), (480, 1280)])
def test_any_size_of_picture(size_wh: tuple[int, int]) -> None:
    ground = np.full((size_wh[1], size_wh[0], 3), 128, np.uint8)
    look = Look(help=("a rather long line of help that does not fit small pictures",))
    assert draw(view_of(ground), look).shape == ground.shape


def test_corners_set_by_hand_are_shown() -> None:
    nothing = View(Frame(0, 0.0, GREY), "searching")
    one = painted(draw(nothing, Look(corners=((100, 100),))))
    assert one[95:105, 95:105].any()
    four = painted(draw(nothing, Look(corners=((100, 100), (300, 100), (300, 300), (100, 300)))))
    assert four[200, 96:105].any(), "the last side is closed"


def test_debug_view_stands_beside_the_picture() -> None:
    image = draw(view_of(GREY), Look(debug=True))
    assert image.shape[0] == GREY.shape[0]
    assert image.shape[1] > GREY.shape[1]
    assert painted(image[:, GREY.shape[1] :], np.uint8(128)).any()  # type: ignore[arg-type]
    blind = draw(View(Frame(0, 0.0, GREY), "searching"), Look(debug=True))
    assert blind.shape[1] > GREY.shape[1]


def test_corners_set_by_hand_grow_with_the_scale() -> None:
    nothing, corners = View(Frame(0, 0.0, GREY), "searching"), ((100, 100), (300, 100), (300, 300))
    small, large = (
        painted(draw(nothing, Look(scale=scale, corners=corners)))[60:140, 200].sum()
        for scale in (1.0, 2.5)
    )
    assert large > 1.6 * small
