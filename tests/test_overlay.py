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
from ar_assist.types import Advice, Frame, Image, Mark, MarkKind, Plane, View

GREY = np.full((720, 1280, 3), 128, np.uint8)
STATUS_PX = 40  # the strip at the bottom


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
    assert status_words(replace(view, reason="cannot be cleared any more"))[0] == (
        "cannot be cleared any more"
    )
    assert status_words(replace(view, marks=(), reason="a hand is in the way"))[0] == (
        "a hand is in the way"
    )
    solved = replace(view, marks=(), advice=Advice((), "solved"))
    assert status_words(solved)[0] == "solved"
    stuck = replace(view, marks=(), advice=Advice((), "no move", "no pair left"))
    assert status_words(stuck)[0] == "no pair left"
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


def test_text_is_anti_aliased() -> None:
    mask = text_mask("ready", 20)
    assert ((mask > 20) & (mask < 235)).sum() > 30


@pytest.mark.parametrize("size_wh", [(64, 48), (320, 240), (1920, 1080), (480, 1280)])
def test_any_size_of_picture(size_wh: tuple[int, int]) -> None:
    ground = np.full((size_wh[1], size_wh[0], 3), 128, np.uint8)
    look = Look(message=("a rather long line of help that does not fit small pictures",))
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
