"""Reading Othello boards: real pictures, rendered ones, and pictures of other things."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from ar_assist.games.othello import OthelloGame
from ar_assist.games.othello.board import OthelloBoard
from ar_assist.games.othello.transcript import replay
from ar_assist.look import Task, look
from ar_assist.types import (
    Correction,
    Frame,
    Image,
    Lattice,
    Points,
    Reading,
    homography,
    transform,
)

GAME = OthelloGame(strength=-2)
BOARD = replay("f5d6c3d3c4f4e3f3e6b4")[-1][0]
CELL = 40  # px


def drawn(
    board: OthelloBoard,
    felt: tuple[int, int, int] = (60, 130, 30),
    lines: bool = True,
    cells: int = 8,
) -> Image:
    """A board as a program shows it, with a frame three cells wide."""
    side = CELL * (cells + 6)
    picture = np.full((side, side, 3), (70, 90, 110), np.uint8)
    start, end = 3 * CELL, (3 + cells) * CELL
    picture[start:end, start:end] = felt
    for i in range(cells + 1):
        at = start + i * CELL
        if lines:
            cv2.line(picture, (at, start), (at, end), (20, 40, 10), 1)
            cv2.line(picture, (start, at), (end, at), (20, 40, 10), 1)
    for square in range(64):
        if board[square]:
            r, c = divmod(square, 8)
            middle = start + c * CELL + CELL // 2, start + r * CELL + CELL // 2
            shade = (25, 25, 25) if board[square] == 1 else (235, 235, 235)
            cv2.circle(picture, middle, int(0.4 * CELL), shade, -1, cv2.LINE_AA)
    return picture


def lattice(rows: int = 8, cols: int = 8, row: float = 0, col: float = 0) -> Lattice:
    origin = ((3 + col) * CELL - 0.5, (3 + row) * CELL - 0.5)
    return Lattice(origin, (CELL, CELL), rows, cols)


def off(reading: Reading[OthelloBoard], corners: Points) -> float:
    """The worst corner's error in cells."""
    side = np.sqrt(cv2.contourArea(corners)) / 8
    return float(np.linalg.norm(reading.corners - corners, axis=1).max() / side)


@pytest.mark.parametrize("felt", [(60, 130, 30), (40, 70, 120), (140, 90, 30), (60, 60, 60)])
@pytest.mark.parametrize("lines", [True, False])
def test_boards_of_any_felt_are_read(felt: tuple[int, int, int], lines: bool) -> None:
    reading = GAME.read(drawn(BOARD, felt, lines), lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, lattice().corners) < (0.05 if lines else 0.2)
    assert reading.confidence > (0.9 if lines else 0.3)


@pytest.mark.parametrize(
    "seen",
    [lattice(9, 8), lattice(8, 9, 0, -1), lattice(7, 7, 1, 1), lattice(4, 4, 2, 2)],
    ids=["row too many", "column too many", "ring missing", "discs only"],
)
def test_a_lattice_may_have_the_wrong_size(seen: Lattice) -> None:
    reading = GAME.read(drawn(BOARD), seen)
    assert reading is not None
    assert reading.board == BOARD


def test_a_lattice_may_be_a_third_of_a_cell_off() -> None:
    reading = GAME.read(drawn(BOARD), lattice(8, 8, 0.3, -0.3))
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, lattice().corners) < 0.05


@pytest.mark.parametrize("row", [-1, 1])
def test_a_lattice_may_be_a_row_off_beside_something_of_the_felts_colour(row: int) -> None:
    picture = drawn(BOARD)
    for start in (0, 11 * CELL + 1):
        picture[start : start + 3 * CELL, 3 * CELL : 11 * CELL + 1] = (60, 130, 30)
    reading = GAME.read(picture, lattice(8, 8, row))
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, lattice().corners) < 0.05


def test_a_frame_taken_for_felt_is_doubted() -> None:
    """Without lines a border may fit the frame's further edge, half a cell above the felt's."""
    picture = drawn(BOARD, lines=False)
    picture[int(2.5 * CELL) - 3 : int(2.5 * CELL), 3 * CELL : 11 * CELL] = 255
    before = GAME.read(drawn(BOARD), lattice())
    assert before is not None
    higher = before.corners - np.array([[0, CELL / 2], [0, CELL / 2], [0, 0], [0, 0]], np.float32)
    reading = GAME.read(picture, None, replace(before, corners=higher))
    assert reading is not None
    assert reading.confidence < 0.7 or off(reading, before.corners) < 0.2


def test_marks_and_letters_are_no_discs() -> None:
    picture = drawn(BOARD)
    for square in (0, 9, 18, 63):  # dots on legal moves
        r, c = divmod(square, 8)
        middle = (int((3.5 + c) * CELL), int((3.5 + r) * CELL))
        cv2.circle(picture, middle, int(0.12 * CELL), (30, 30, 30), -1, cv2.LINE_AA)
    last = int(3.5 * CELL) + 5 * CELL, int(3.5 * CELL) + 4 * CELL
    cv2.circle(picture, last, 4, (0, 0, 230), -1, cv2.LINE_AA)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD


def test_a_board_of_cushions_is_read() -> None:
    picture = drawn(BOARD)
    squares = picture[3 * CELL : 11 * CELL, 3 * CELL : 11 * CELL]
    ramp = np.tile(np.linspace(1.2, 0.8, CELL), 8)[:, None, None]  # each lit above, dim below
    squares[:] = (squares * ramp).clip(0, 255)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def test_a_lamp_mirrored_in_the_board_is_doubted() -> None:
    picture = drawn(BOARD)
    spot = int(5.2 * CELL), int(4.8 * CELL)  # beside discs, astray in its square, disc-sized
    cv2.circle(picture, spot, int(0.4 * CELL), (235, 235, 235), -1, cv2.LINE_AA)
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.board == BOARD or reading.confidence < 0.7


def test_a_board_that_the_picture_cuts_is_not_read() -> None:
    assert GAME.read(drawn(BOARD)[:, : 10 * CELL], lattice()) is None


def test_a_row_beside_the_board_is_not_taken_for_a_row_of_it() -> None:
    picture = drawn(BOARD)
    picture[:, 11 * CELL :] = 0  # nothing tells the last column but its felt
    picture[:, 10 * CELL : 11 * CELL + 1] = picture[:, 2 * CELL : 3 * CELL + 1]
    for i in range(9):
        cv2.line(picture, (3 * CELL, (3 + i) * CELL), (11 * CELL, (3 + i) * CELL), (20, 40, 10), 1)
    assert GAME.read(picture, lattice()) is None


def test_an_empty_board_has_no_discs() -> None:
    reading = GAME.read(drawn(OthelloBoard(0, 0)), lattice())
    assert reading is not None
    assert reading.board == OthelloBoard(0, 0)


def test_a_larger_grid_is_no_othello_board() -> None:
    assert GAME.read(drawn(OthelloBoard(0, 0), cells=10), lattice(10, 10)) is None


def test_noise_is_no_othello_board() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (560, 560, 3), np.uint8)
    assert GAME.read(noise, lattice()) is None
    assert GAME.read(noise, None) is None


def test_a_correction_is_certain() -> None:
    reading = GAME.read(drawn(BOARD), lattice())
    assert reading is not None
    corrected = GAME.correct(reading, [Correction((3, 3), "empty")])
    assert corrected.board.cells[3][3] == 0
    assert corrected.certainty[3, 3] == 1
    with pytest.raises(ValueError, match="blocked"):
        GAME.correct(reading, [Correction((0, 0), "blocked")])


def test_marks_lie_on_the_legal_moves() -> None:
    reading = GAME.read(drawn(BOARD), lattice())
    assert reading is not None
    advice = GAME.advise([BOARD], reading)
    marks = GAME.marks(reading, advice)
    assert [m.role for m in marks].count("best") == 1
    assert len(marks) == len(advice.moves)
    assert GAME.summary(reading, advice) == f"black 7, white 7, moves {len(advice.moves)}"
    both = OthelloGame(strength=-2, both=True, flips=True)
    assert {m.role for m in both.marks(reading, advice)} >= {"best", "black", "white"}
    flips = [m for m in both.marks(reading, advice) if m.kind == "flip"]
    assert len(flips) == BOARD.flips(advice.moves[0].colour, advice.moves[0].square).bit_count()


def best_reading(picture: Image) -> tuple[Reading[OthelloBoard], Points] | None:
    """What the program sees in the picture: the reading, and its corners in the picture."""
    seen = look(Task(Frame(0, 0.0, picture), (GAME,)))
    return (seen.reading, seen.plane.to_frame(seen.reading.corners)) if seen else None


def agrees(reading: Reading[OthelloBoard], corners: Points, truth: dict[str, object]) -> int:
    """How many of the 64 cells are right, in the quarter turn in which the corners agree."""
    wanted, cells = np.array(truth["corners"]), np.array(truth["cells"])
    side = np.sqrt(cv2.contourArea(corners)) / 8
    turns = [np.linalg.norm(np.roll(corners, k, axis=0) - wanted, axis=1).max() for k in range(4)]
    turn = int(np.argmin(turns))
    assert turns[turn] < 0.35 * side  # the truth's own tolerance is up to a seventh of a cell
    return int((np.rot90(np.array(reading.board.cells), -turn) == cells).sum())


@pytest.mark.slow
def test_real_pictures_are_read(data: Path) -> None:
    right, exact, paths = 0, 0, sorted((data / "othello").glob("*.json"))
    for path in paths:
        truth = json.loads(path.read_text())
        found = best_reading(cv2.imread(str(path.parent / truth["image"])))
        cells = agrees(*found, truth) if found else 0
        right, exact = right + cells, exact + (cells == 64)
    assert exact >= len(paths) - 1
    assert right >= 0.99 * 64 * len(paths)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["link", "nonogram", "planes", "clutter"])
def test_other_pictures_hold_no_othello_board(data: Path, folder: str) -> None:
    for path in sorted((data / folder).iterdir()):
        if path.suffix in (".png", ".jpg"):
            assert best_reading(cv2.imread(str(path))) is None, path.name


@pytest.mark.parametrize("tilt", [20, 40])
def test_perspective_that_is_left_is_fitted(tilt: float) -> None:
    flat = drawn(BOARD)
    side = flat.shape[0] - 1
    square = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
    inward = side * tilt / 1000
    bent = square + np.array([[inward, 0], [-inward, 0], [0, 0], [0, 0]], np.float32)
    matrix = homography(square, bent)
    picture = cv2.warpPerspective(flat, matrix, flat.shape[1::-1])
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, transform(matrix, lattice().corners)) < 0.06
