"""The labelling session without a window, and the command where there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from ar_assist.cli import label
from ar_assist.evaluate import parse_truth
from ar_assist.evaluate.labelling import Labelling, cell_at, unused_label
from ar_assist.evaluate.placed import PlacedBoard
from ar_assist.types import Frame, Image

CORNERS = np.array([[100, 100], [220, 100], [220, 180], [100, 180]], np.float32)
READ = PlacedBoard(2, 3, CORNERS, ((1, 2, 1), (2, 3, 0)))


def session(proposals: int = 1, frames: int = 3) -> Labelling:
    """Key frames of which the program can read the first few."""
    pictures = [np.zeros((240, 320, 3), np.uint8) for _ in range(frames)]
    readable = pictures[:proposals]

    def propose(image: Image) -> PlacedBoard | None:
        return READ if any(image is picture for picture in readable) else None

    return Labelling([Frame(30 * i, float(i), p) for i, p in enumerate(pictures)], propose)


def test_it_starts_from_the_proposal_and_keeps_the_last_board() -> None:
    editing = session()
    assert editing.board is READ
    editing.press("right")
    assert (editing.position, editing.board) == (1, READ)
    editing.press("left")
    editing.press("left")
    assert editing.position == 0


def test_cells_are_put_right() -> None:
    editing = session()
    editing.click((200, 160))  # the empty cell (1, 2)
    assert editing.chosen == (1, 2)
    editing.press("n")
    assert editing.board and editing.board.cells == ((1, 2, 1), (2, 3, 4))
    editing.click((160, 160))
    editing.click((200, 160), alike=True)
    assert editing.board.cells == ((1, 2, 1), (2, 3, 3))
    editing.press("z")
    editing.press("e")
    assert editing.board.cells == ((1, 2, 1), (2, 0, 3))


def test_corners_are_dragged_and_let_go() -> None:
    editing = session()
    editing.click((105, 96))
    editing.drag((90, 80))
    editing.release()
    editing.drag((0, 0))
    assert editing.board and editing.board.corners[0].tolist() == [90, 80]
    assert READ.corners[0].tolist() == [100, 100]


def test_rows_and_columns_grow_and_shrink() -> None:
    editing = session()
    for key in "]}[{{{":
        editing.press(key)
    assert editing.board and (editing.board.rows, editing.board.cols) == (1, 3)
    assert editing.board.cells == ((1, 2, 1),)


def test_a_board_where_the_program_sees_none() -> None:
    editing = session(proposals=0)
    assert editing.board is None
    editing.click((100, 100))
    editing.press("p")
    assert editing.board and cell_at(editing.board, (160, 120)) == (2, 2)
    assert unused_label(editing.board) == 1
    editing.press("b")
    assert editing.board is None


def test_what_was_visited_becomes_truth() -> None:
    editing = session()
    editing.press(" ")
    editing.press("b")
    data = json.loads(json.dumps(editing.truth("clip.mp4", 30.0, (320, 240), "link")))
    truth = parse_truth(data)
    assert truth.sparse and [true.frame for true in truth.frames] == [0, 30]
    assert truth.frames[0].board and truth.frames[0].board.cells == READ.cells
    assert truth.frames[1].board is None


def test_clues_of_a_nonogram_are_kept_as_long_as_its_size_is() -> None:
    clues = {"row_clues": ((1,), (2,)), "col_clues": ((1,), (1,), (1,))}
    puzzle = replace(READ, cells=((1, 0, -1), (0, 0, 0)), **clues)
    editing = Labelling([Frame(0, 0.0, np.zeros((240, 320, 3), np.uint8))], lambda image: puzzle)
    board = parse_truth(editing.truth("clip.mp4", 30.0, (320, 240), "nonogram")).frames[0].board
    assert board and (board.row_clues, board.col_clues) == (puzzle.row_clues, puzzle.col_clues)
    editing.press("}")
    board = parse_truth(editing.truth("clip.mp4", 30.0, (320, 240), "nonogram")).frames[0].board
    assert board and (board.row_clues, board.rows) == ((), 3)


def test_the_picture_shows_board_and_choice() -> None:
    editing = session()
    plain = label.drawn(editing)
    editing.click((200, 160))
    chosen = label.drawn(editing)
    assert (plain != editing.frame.image).any() and (plain != chosen).any()
    assert not editing.frame.image.any()


def test_mouse_events_reach_the_session() -> None:
    editing = session()
    label._point(editing, cv2.EVENT_LBUTTONDOWN, 100, 100, 0)
    label._point(editing, cv2.EVENT_MOUSEMOVE, 80, 90, cv2.EVENT_FLAG_LBUTTON)
    label._point(editing, cv2.EVENT_LBUTTONUP, 80, 90, 0)
    label._point(editing, cv2.EVENT_MOUSEMOVE, 10, 10, cv2.EVENT_FLAG_LBUTTON)
    assert editing.board and editing.board.corners[0].tolist() == [80, 90]


def test_without_a_display_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ar_assist.cli import main

    monkeypatch.setenv("DISPLAY", ":97")  # where nothing is: Qt would end the whole program
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(label, "propose", lambda image, game: None)
    picture = tmp_path / "photo.png"
    cv2.imwrite(str(picture), np.zeros((48, 64, 3), np.uint8))
    assert main(["label", str(picture)]) == 2
    assert capsys.readouterr().err.startswith("ar-assist: label needs a window")
    assert main(["label", str(tmp_path / "none.mp4")]) == 3


@pytest.mark.parametrize("words", [["--every", "nan"], ["--every", "-1"], ["--out", "/nowhere/t"]])
def test_wrong_usage_is_said_before_the_work(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    from ar_assist.cli import main

    assert main(["label", "none.mp4", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
