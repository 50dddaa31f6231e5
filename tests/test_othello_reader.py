"""Reading Othello boards: real pictures, rendered ones, and pictures of other things."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

from ar_assist import look as look_module
from ar_assist.belief import SURE
from ar_assist.games.othello import OthelloGame, coordinates
from ar_assist.games.othello.board import BLACK, START, WHITE, OthelloBoard, cell_of, squares
from ar_assist.games.othello.transcript import replay
from ar_assist.look import TRUST, Task, look
from ar_assist.scene import open_scene
from ar_assist.scene.glyphs import FONTS as FONT_FOLDER
from ar_assist.scene.othello import LETTER_FONTS
from ar_assist.types import (
    Candidate,
    Correction,
    Frame,
    Image,
    Lattice,
    Plane,
    Points,
    Reading,
    homography,
    transform,
)

GAME = OthelloGame(strength=-2)
BOARD = replay("f5d6c3d3c4f4e3f3e6b4")[-1][0]
CELL = 40  # px
MIDDLE = START.black | START.white  # the four squares


def drawn(
    board: OthelloBoard,
    felt: tuple[int, int, int] = (60, 130, 30),
    lines: bool = True,
    cells: int = 8,
    radius: float = 0.4,
    ink: tuple[int, int, int] = (20, 40, 10),
) -> Image:
    """A board as a program shows it, with a frame three cells wide."""
    side = CELL * (cells + 6)
    picture = np.full((side, side, 3), (70, 90, 110), np.uint8)
    start, end = 3 * CELL, (3 + cells) * CELL
    picture[start:end, start:end] = felt
    for i in range(cells + 1):
        at = start + i * CELL
        if lines:
            cv2.line(picture, (at, start), (at, end), ink, 1)
            cv2.line(picture, (start, at), (end, at), ink, 1)
    for square in range(64):
        if board[square]:
            r, c = divmod(square, 8)
            middle = start + c * CELL + CELL // 2, start + r * CELL + CELL // 2
            shade = (25, 25, 25) if board[square] == 1 else (235, 235, 235)
            cv2.circle(picture, middle, int(radius * CELL), shade, -1, cv2.LINE_AA)
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


@pytest.mark.parametrize("other", [(66, 140, 36), (75, 155, 42)])
def test_squares_of_two_tones_need_no_lines(other: tuple[int, int, int]) -> None:
    """Where four of them meet, tones take turns; ridges there are none."""
    picture = drawn(BOARD, lines=False)
    for row, col in product(range(8), repeat=2):
        y, x = (3 + row) * CELL, (3 + col) * CELL
        square = picture[y : y + CELL, x : x + CELL]
        if (row + col) % 2:
            square[(square == (60, 130, 30)).all(axis=2)] = other
    reading = GAME.read(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8), lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, lattice().corners) < 0.1
    assert reading.confidence > 0.9


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


@pytest.mark.parametrize("ink", [(57, 122, 27), (50, 108, 24)])
def test_the_edges_of_discs_are_not_taken_for_lines(ink: tuple[int, int, int]) -> None:
    """Discs begin an eighth of a cell and more beside faint lines, on all of them alike."""
    board = OthelloBoard.from_cells(
        BLACK + (row + col) % 2 for row, col in product(range(8), repeat=2)
    )
    picture = cv2.GaussianBlur(drawn(board, radius=0.34, ink=ink), (0, 0), 0.8)
    reading = GAME.read(np.asarray(picture, np.uint8), lattice())
    assert reading is not None
    assert reading.board == board
    assert off(reading, lattice().corners) < 0.1


@pytest.mark.parametrize("lean", [(0.3, 0.3, 0, 0), (0.3, 0.1, -0.2, 0)])
@pytest.mark.parametrize("ink", [(54, 116, 26), (50, 108, 24)])
def test_the_gaps_between_discs_that_stand_up_are_not_taken_for_lines(
    lean: tuple[float, float, float, float], ink: tuple[int, int, int]
) -> None:
    """Tops are shifted by column, by row and once, in cells; lines are faint, the frame is not."""
    board = OthelloBoard.from_cells(
        BLACK + (3 * row + 5 * col) % 7 % 2
        if (5 * row + 3 * col) % 4 or {row, col} <= {3, 4}
        else 0
        for row, col in product(range(8), repeat=2)
    )
    picture = drawn(OthelloBoard(0, 0), ink=ink)
    picture[(picture == (70, 90, 110)).all(axis=2)] = (200, 200, 205)
    for square in squares(board.occupied):
        row, col = cell_of(square)
        shade = (25, 25, 25) if board[square] == BLACK else (235, 235, 235)
        x, y = col + col / 7 * lean[0] + lean[2], row + row / 7 * lean[1] + lean[3]
        middle = round((3.5 + x) * CELL * 16), round((3.5 + y) * CELL * 16)
        cv2.circle(picture, middle, round(0.42 * CELL * 16), shade, -1, cv2.LINE_AA, 4)
    reading = GAME.read(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8), lattice())
    assert reading is not None
    assert reading.board == board
    assert off(reading, lattice().corners) < 0.15
    assert reading.confidence > SURE


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


@pytest.mark.parametrize("wider", [0.3, 0.45])
def test_a_frame_of_the_felts_colour_is_told_by_where_discs_lie(wider: float) -> None:
    """Without lines nothing else does: they lie closer together than the squares of such a grid."""
    board = OthelloBoard.from_cells(
        BLACK + (row + col) % 2 if 0 < row < 7 and 0 < col < 7 else 0
        for row, col in product(range(8), repeat=2)
    )
    picture = drawn(board, lines=False)
    start, end = round((3 - wider) * CELL), round((11 + wider) * CELL)
    framed_part = picture[start:end, start:end]
    framed_part[(framed_part == (70, 90, 110)).all(axis=-1)] = (60, 130, 30)
    outside = Lattice((start - 0.5, start - 0.5), ((end - start) / 8,) * 2, 8, 8)
    framed, bare = GAME.read(picture, outside), GAME.read(drawn(board, lines=False), lattice())
    assert framed is not None
    assert bare is not None
    assert framed.confidence < 0.7 * bare.confidence


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


def test_squares_of_another_tint_are_empty() -> None:
    """As apps mark legal moves; the tint covers a square up to its lines."""
    picture = drawn(BOARD)
    for row, column in map(cell_of, squares(BOARD.moves(BLACK) | BOARD.moves(WHITE))):
        y, x = (3 + row) * CELL, (3 + column) * CELL
        picture[y + 1 : y + CELL, x + 1 : x + CELL] = (30, 190, 190)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def test_a_tinted_outer_row_is_no_frame() -> None:
    picture = drawn(BOARD)
    for column in range(8):
        x, y = (3 + column) * CELL, 10 * CELL
        picture[y + 1 : y + CELL, x + 1 : x + CELL] = (30, 190, 190)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


@pytest.mark.parametrize("skin", [(140, 170, 220), (45, 130, 80)], ids=["pale", "like the felt"])
@pytest.mark.parametrize("column", [4, 5])
def test_a_square_under_a_finger_is_not_taken_for_an_empty_one(
    skin: tuple[int, int, int], column: int
) -> None:
    """The finger comes from the right and ends on a disc, which it covers with all its square."""
    picture, row = drawn(BOARD), 3
    assert BOARD.cells[row][column]
    left, middle = int((3 + column + 0.35) * CELL), int((3 + row + 0.5) * CELL)
    cv2.line(picture, (left, middle), (13 * CELL, middle), skin, int(1.1 * CELL))
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.confidence < 0.7


@pytest.mark.parametrize("sleeve", [(110, 160, 30), (90, 180, 120)])
@pytest.mark.parametrize("to", [(5, 4), (5, 3)])
def test_a_disc_under_a_pointer_is_not_taken_for_felt(
    sleeve: tuple[int, int, int], to: tuple[int, int]
) -> None:
    """It crosses the board slantwise, so that felt stays in view at two corners of the square."""
    picture, row, column = drawn(BOARD), 5, 4
    assert BOARD.cells[row][column]
    tip = int((3.5 + column) * CELL), int((3.5 + row) * CELL)
    end = tip[0] + 3 * CELL * to[0], tip[1] + 3 * CELL * to[1]
    cv2.line(picture, tip, end, sleeve, round(0.75 * CELL), cv2.LINE_AA)
    reading = GAME.read(cv2.GaussianBlur(picture, (0, 0), 0.8), lattice())
    assert reading is None or reading.confidence < 0.7


@pytest.mark.parametrize("radius", [0.14, 0.17, 0.2])
@pytest.mark.parametrize("shade", [(25, 25, 25), (235, 235, 235)])
def test_dots_of_a_discs_colour_mark_moves(shade: tuple[int, int, int], radius: float) -> None:
    picture = drawn(BOARD)
    for square in squares(BOARD.moves(BLACK)):
        row, column = cell_of(square)
        middle = int((3.5 + column) * CELL), int((3.5 + row) * CELL)
        cv2.circle(picture, middle, round(radius * CELL), shade, -1, cv2.LINE_AA)
    reading = GAME.read(cv2.GaussianBlur(picture, (0, 0), 1.5), lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def marked(
    picture: Image, where: list[int], radius: int, ink: tuple[int, int, int], width: int
) -> None:
    """With a ring, or a dot of a negative width, in the middle of squares."""
    for square in where:
        row, column = cell_of(square)
        middle = round((3.5 + column) * CELL), round((3.5 + row) * CELL)
        cv2.circle(picture, middle, radius, ink, width, cv2.LINE_AA)


@pytest.mark.parametrize("last", [37, 42])  # f5 is black, c6 white
def test_a_disc_of_which_a_mark_of_the_felts_colour_leaves_the_rim_is_no_felt(last: int) -> None:
    felt = (120, 80, 30)
    picture = drawn(BOARD, felt)
    marked(picture, [last], 9, felt, 7)
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.board == BOARD or reading.confidence < TRUST


@pytest.mark.parametrize("legal", [True, False])
def test_a_ring_is_on_the_last_disc_where_nobody_may_move(legal: bool) -> None:
    """On felt nearly as dark as a small black disc the ring hides it; marks beside it do not."""
    ring = (150, 130, 20)
    picture = drawn(BOARD, (66, 52, 28), radius=0.32, ink=(30, 24, 12))
    if legal:
        marked(picture, list(squares(BOARD.moves(BLACK))), 5, ring, -1)
    reading = GAME.read(cv2.GaussianBlur(picture, (0, 0), 1.2), lattice())
    assert reading is not None and reading.board == BOARD and reading.confidence > TRUST
    marked(picture, [37], 8, ring, 2)
    reading = GAME.read(cv2.GaussianBlur(picture, (0, 0), 1.2), lattice())
    assert reading is None or reading.board == BOARD or reading.confidence < TRUST


def with_moves_shown(board: OthelloBoard, mover: int, opacity: float, only: int = 60) -> Image:
    """Discs of the mover's colour, half transparent, where he may move."""
    shown = list(squares(board.moves(mover)))[:only]
    full = OthelloBoard.from_cells(
        mover if square in shown else board[square] for square in range(64)
    )
    return np.asarray(cv2.addWeighted(drawn(full), opacity, drawn(board), 1 - opacity, 0), np.uint8)


@pytest.mark.parametrize("opacity", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("mover", [BLACK, WHITE])
def test_pale_discs_show_where_a_player_may_move(opacity: float, mover: int) -> None:
    reading = GAME.read(with_moves_shown(BOARD, mover, opacity), lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > TRUST


def test_pale_discs_elsewhere_are_not_taken_for_felt() -> None:
    """A shadow or a lamp may lie on some, but not on just the legal moves."""
    reading = GAME.read(with_moves_shown(BOARD, BLACK, 0.6, only=3), lattice())
    assert reading is None or reading.confidence < TRUST


@pytest.mark.parametrize("tone", [(60, 60, 235), (235, 235, 235), (140, 170, 220), (40, 40, 40)])
@pytest.mark.parametrize("radius", [0.56, 0.59, 0.62, 0.65, 0.7, 0.75])
def test_a_round_thing_that_hides_a_disc_is_no_tint(
    tone: tuple[int, int, int], radius: float
) -> None:
    """It is of one tone up to the corners of the square, and does not reach those of the next."""
    picture, row, column = drawn(BOARD), 5, 4
    assert BOARD.cells[row][column]
    middle = int((3.5 + column) * CELL), int((3.5 + row) * CELL)
    cv2.circle(picture, middle, round(radius * CELL), tone, -1, cv2.LINE_AA)
    reading = GAME.read(cv2.GaussianBlur(picture, (0, 0), 0.8), lattice())
    assert reading is None or reading.confidence < 0.7


@pytest.mark.parametrize("size", [(1.5, 1.5), (2.6, 1.2)])
def test_discs_under_a_cover_of_the_felts_colour_are_not_taken_for_felt(
    size: tuple[float, float],
) -> None:
    """As a notice in an app: it hides the lines, too."""
    picture, row, column = drawn(BOARD), 5, 4
    assert BOARD.cells[row][column]
    middle, half = np.array([3.5 + column, 3.5 + row]) * CELL, np.array(size) / 2 * CELL
    start, end = np.rint([middle - half, middle + half]).astype(int).tolist()
    cv2.rectangle(picture, start, end, (60, 130, 30), -1)
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.confidence < 0.7


@pytest.mark.parametrize("size", [0.84, 0.88, 0.92])
def test_a_slip_of_paper_on_a_disc_is_no_disc(size: float) -> None:
    """It lies on a black one, is as white as the others and hides the felt in all corners."""
    picture, row, column = drawn(BOARD), 2, 3
    assert BOARD.cells[row][column] == BLACK
    middle, half = np.array([3.5 + column, 3.5 + row]) * CELL, size / 2 * CELL
    start, end = np.rint([middle - half, middle + half]).astype(int).tolist()
    cv2.rectangle(picture, start, end, (235, 235, 235), -1)
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.confidence < 0.7


@pytest.mark.parametrize("tone", [(235, 235, 235), (90, 200, 220), (25, 25, 25)])
def test_a_slip_that_fills_its_square_is_no_tint_where_nobody_may_move(
    tone: tuple[int, int, int],
) -> None:
    """It ends at the lines, and hides a disc; apps tint the squares of legal moves."""
    picture, row, column = drawn(BOARD), 3, 1
    assert BOARD.cells[row][column]
    start = np.array([3 + column, 3 + row]) * CELL + 1
    cv2.rectangle(picture, start.tolist(), (start + CELL - 2).tolist(), tone, -1)
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.confidence < 0.7


def test_discs_may_all_be_square() -> None:
    picture = drawn(OthelloBoard(0, 0))
    for square in squares(BOARD.occupied):
        row, column = cell_of(square)
        middle, half = np.array([3.5 + column, 3.5 + row]) * CELL, 0.36 * CELL
        start, end = np.rint([middle - half, middle + half]).astype(int).tolist()
        shade = (25, 25, 25) if BOARD[square] == BLACK else (235, 235, 235)
        cv2.rectangle(picture, start, end, shade, -1)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.7


def test_squares_of_two_tones_in_turn_are_not_tinted() -> None:
    """Though the tone of each ends at its sides."""
    light, dark = drawn(BOARD), drawn(BOARD, felt=(54, 117, 27))
    y, x = np.indices(light.shape[:2]) // CELL
    reading = GAME.read(np.where(((x + y) % 2)[..., None], light, dark), lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def test_discs_of_one_colour_alone_are_doubted() -> None:
    """On white paper white discs without an outline are not seen."""
    picture = drawn(OthelloBoard(BOARD.black | MIDDLE, 0), felt=(235, 235, 235))
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.confidence < TRUST


def test_discs_that_no_game_leads_to_are_doubted() -> None:
    """Two mirrored lamps, as large as discs, lie side by side and beside no disc."""
    picture = drawn(BOARD)
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]] / CELL - 3
    for column, row in ((7.5, 6.4), (7.5, 7.5)):
        away = np.hypot(x - column, y - row)[..., None] / 0.6
        picture = np.clip(picture + 200 * np.exp(-(away**4)), 0, 255).astype(np.uint8)
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.board == BOARD or reading.confidence < 0.7


@pytest.mark.parametrize(("row", "column"), [(7, 6), (0, 6), (0, 7)])
def test_a_lamp_far_from_all_discs_does_not_tell_where_discs_lie(row: int, column: int) -> None:
    picture = drawn(BOARD)
    at = int((3.65 + column) * CELL), int((3.65 + row) * CELL)  # astray in its square
    cv2.circle(picture, at, int(0.36 * CELL), (235, 235, 235), -1, cv2.LINE_AA)
    reading = GAME.read(picture, lattice())
    assert reading is None or reading.board == BOARD or reading.confidence < 0.7


def test_discs_may_reach_to_lines_of_their_own_colour() -> None:
    picture = drawn(BOARD, felt=(60, 150, 60), radius=0.475)
    for i in range(9):
        at = (3 + i) * CELL
        cv2.line(picture, (at, 3 * CELL), (at, 11 * CELL), (25, 25, 25), 2)
        cv2.line(picture, (3 * CELL, at), (11 * CELL, at), (25, 25, 25), 2)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def test_black_discs_may_be_as_light_as_the_felt() -> None:
    """Noise makes some a little lighter and some a little darker."""
    picture = drawn(BOARD, felt=(60, 22, 10))
    noise = np.random.default_rng(1).normal(0, 4, picture.shape)
    picture = cv2.GaussianBlur((picture + noise).clip(0, 255).astype(np.uint8), (0, 0), 0.7)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def test_numbers_and_rings_on_discs_leave_them_their_colour() -> None:
    picture = drawn(BOARD)
    for square in squares(BOARD.occupied):
        row, column = cell_of(square)
        x, y = int((3.5 + column) * CELL), int((3.5 + row) * CELL)
        ink = (235, 235, 235) if BOARD[square] == BLACK else (25, 25, 25)
        if square % 2:
            cv2.circle(picture, (x, y), int(0.2 * CELL), (250, 180, 40), 2, cv2.LINE_AA)
        else:
            cv2.putText(picture, "28", (x - 9, y + 5), 0, 0.5, ink, 1, cv2.LINE_AA)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def test_a_board_of_cushions_is_read() -> None:
    picture = drawn(BOARD)
    squares = picture[3 * CELL : 11 * CELL, 3 * CELL : 11 * CELL]
    ramp = np.tile(np.linspace(1.2, 0.8, CELL), 8)[:, None, None]  # each lit above, dim below
    squares[:] = (squares * ramp).clip(0, 255)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.9


def test_a_reflection_drawn_over_the_board_leaves_its_squares_sure() -> None:
    """Under the discs: white ones stand out less there, and it ends amid empty squares."""
    felt, wanted = (110, 185, 205), drawn(BOARD, (110, 185, 205))
    bare = drawn(OthelloBoard(0, 0), felt)
    reaching = np.array([[5.45, 3], [7.45, 3], [6.45, 11], [4.45, 11]]) * CELL
    over = np.zeros(bare.shape[:2], np.uint8)
    cv2.fillPoly(over, [np.rint(reaching).astype(np.int32)], 1)
    veiled = np.where(over[..., None] > 0, bare + (255 - bare) * 0.5, bare).astype(np.uint8)
    discs = (wanted != bare).any(axis=-1, keepdims=True)
    reading = GAME.read(np.where(discs, wanted, veiled), lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert reading.confidence > 0.7


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


def test_a_part_of_a_larger_board_is_none() -> None:
    """Few of its lines are seen beyond the part, but discs like those within it are."""
    felt, end = (60, 130, 30), 11 * CELL
    picture = drawn(BOARD, felt, cells=10)
    for k in range(3, 12):
        at = k * CELL
        if k % 3:
            picture[end + 2 : 13 * CELL, at - 2 : at + 3] = felt
            picture[at - 2 : at + 3, end + 2 : 13 * CELL] = felt
        if k in (4, 6, 9):
            middle, aside = at + CELL // 2, end + CELL // 2
            cv2.circle(picture, (middle, aside), int(0.4 * CELL), (25, 25, 25), -1, cv2.LINE_AA)
            cv2.circle(picture, (aside, middle), int(0.4 * CELL), (235, 235, 235), -1, cv2.LINE_AA)
    assert GAME.read(picture, lattice()) is None


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


FONTS = [path for path in FONT_FOLDER.glob("*.[to]tf") if path.name in LETTER_FONTS]


def lettered(
    letters: str = "abcdefgh",
    numbers: str = "12345678",
    font: Path | None = None,
    sides: tuple[float, ...] = (-0.35, 8.35),
    ink: tuple[int, int, int] = (240, 240, 240),
    board: OthelloBoard = BOARD,
) -> Image:
    """A board with coordinates above and to the left, or on all sides; no font: OpenCV's own."""
    picture = drawn(board)
    for k, away in product(range(8), sides):
        for sign, x, y in ((letters[k], k + 0.5, away), (numbers[k], away, k + 0.5)):
            middle = (3 + x) * CELL, (3 + y) * CELL
            picture = written(picture, sign, middle, font, ink)
    return picture


def written(
    picture: Image,
    sign: str,
    middle: tuple[float, float],
    font: Path | None,
    ink: tuple[int, int, int],
) -> Image:
    if font is None:
        (width, height), _ = cv2.getTextSize(sign, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
        corner = int(middle[0] - width / 2), int(middle[1] + height / 2)
        cv2.putText(picture, sign, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.5, ink, 1, cv2.LINE_AA)
        return picture
    page = PilImage.fromarray(picture)
    face = ImageFont.truetype(str(font), 15)
    ImageDraw.Draw(page).text(middle, sign, ink, face, anchor="mm")
    return np.array(page)


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("font", [None, *FONTS], ids=lambda font: font.stem if font else "Hershey")
def test_coordinates_tell_how_a_board_is_turned(font: Path | None, turns: int) -> None:
    capitals = turns % 2 == 0
    picture = lettered("ABCDEFGH" if capitals else "abcdefgh", font=font)
    seen = np.ascontiguousarray(np.rot90(picture, turns))
    reading = GAME.read(seen, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, np.roll(lattice().corners, turns, axis=0)) < 0.05


def test_rings_lie_on_the_squares_that_coordinates_name() -> None:
    seen = np.ascontiguousarray(np.rot90(lettered(), 2))
    reading = GAME.read(seen, lattice())
    assert reading is not None
    advice = GAME.advise([BOARD], reading)
    (best,) = [mark for mark in GAME.marks(reading, advice) if mark.role == "best"]
    row, column = cell_of(advice.moves[0].square)
    middle = (3 + 8 - (column + 0.5)) * CELL, (3 + 8 - (row + 0.5)) * CELL
    np.testing.assert_allclose(best.points.mean(axis=0), middle, atol=2)


def test_a_followed_board_stays_turned_where_its_coordinates_are_hidden() -> None:
    seen = np.ascontiguousarray(np.rot90(lettered(), 1))
    before = GAME.read(seen, lattice())
    bare = GAME.read(np.ascontiguousarray(np.rot90(drawn(BOARD), 1)), lattice(), before)
    assert bare is not None
    assert bare.board == BOARD


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("corner", [0.14, 0.86], ids=["left", "right"])
def test_coordinates_may_stand_within_squares(corner: float, turns: int) -> None:
    """In their corners, as chess sites print them, beside lines and discs."""
    large = cv2.resize(drawn(BOARD), None, fx=2, fy=2)
    beside = 0.14 if corner < 0.5 else 7.86
    for k in range(8):
        for sign, x, y in (("abcdefgh"[k], k + corner, 7.86), (str(k + 1), beside, k + 0.14)):
            middle = (3 + x) * 2 * CELL, (3 + y) * 2 * CELL
            large = written(large, sign, middle, FONTS[0], (240, 240, 240))
    seen = np.ascontiguousarray(np.rot90(large, turns))
    start, pitch = lattice().origin_xy, (2 * CELL, 2 * CELL)
    reading = GAME.read(seen, Lattice((2 * start[0] + 0.5, 2 * start[1] + 0.5), pitch, 8, 8))
    assert reading is not None
    assert reading.board == BOARD


def test_signs_of_one_row_are_enough() -> None:
    picture = lettered(numbers=" " * 8, sides=(8.35,), ink=(20, 20, 20))
    reading = GAME.read(np.ascontiguousarray(np.rot90(picture, 2)), lattice())
    assert reading is not None
    assert reading.board == BOARD


def test_an_app_may_show_the_board_from_whites_side() -> None:
    """Its signs stand upright then, in the reverse order."""
    turned = OthelloBoard.from_cells(np.rot90(np.array(BOARD.cells), 2).ravel().tolist())
    picture = lettered("hgfedcba", "87654321", board=turned)
    reading = GAME.read(picture, lattice())
    assert reading is not None
    assert reading.board == BOARD


@pytest.mark.parametrize("turns", range(4))
def test_rows_may_be_numbered_from_below(turns: int) -> None:
    picture = lettered(numbers="87654321", sides=(-0.35,) if turns % 2 else (-0.35, 8.35))
    reading = GAME.read(np.ascontiguousarray(np.rot90(picture, turns)), lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, np.roll(lattice().corners, turns, axis=0)) < 0.05


@pytest.mark.parametrize("sides", [slice(0, 4), slice(4, 8), slice(0, 8)])
def test_coordinates_stand_beside_the_board_or_within_it(
    monkeypatch: pytest.MonkeyPatch, sides: slice
) -> None:
    """A little chance on all eight sides is no evidence: it turned a board amid a game."""
    evidence = np.zeros((*coordinates.EXPECTED.shape[:2], 8))
    evidence[1, 6, sides] = 13.0 / len(range(*sides.indices(8)))
    monkeypatch.setattr(coordinates, "_evidence", lambda _: evidence)
    turn = coordinates.turn_of(drawn(BOARD), lattice().corners)
    assert (turn == coordinates.AS_SEEN) == (sides == slice(0, 8))


def test_a_mirrored_picture_is_told_by_its_signs() -> None:
    seen = np.ascontiguousarray(lettered()[:, ::-1])
    reading = GAME.read(seen, lattice())
    assert reading is not None
    assert reading.board == BOARD
    assert off(reading, lattice().corners[[1, 0, 3, 2]]) < 0.05


@pytest.mark.parametrize(
    ("letters", "numbers"),
    [("stuvwxyz", "34343434"), ("hadbecgf", "21436587"), (" " * 8, "87654321"), (" " * 8,) * 2],
    ids=["other signs", "out of order", "from below or the other side", "none"],
)
def test_the_camera_decides_where_no_coordinates_tell(letters: str, numbers: str) -> None:
    seen = np.ascontiguousarray(np.rot90(lettered(letters, numbers), 2))
    reading = GAME.read(seen, lattice())
    assert reading is not None
    assert off(reading, lattice().corners) < 0.05


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


def test_coordinates_are_seen_beside_a_board_that_was_found_by_its_border(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The finder's picture of such a board ends there."""
    plane = Plane(homography(lattice().corners - CELL * 3, lattice().corners), (8 * CELL, 8 * CELL))
    monkeypatch.setattr(look_module, "find", lambda *_: iter([Candidate(plane, None, 1.0)]))
    found = best_reading(np.ascontiguousarray(np.rot90(lettered(), 2)))
    assert found is not None
    reading, corners = found
    assert reading.board == BOARD
    np.testing.assert_allclose(corners, np.roll(lattice().corners, 2, axis=0), atol=2)


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


# Each is searched to the end, which takes seconds. So of two pictures the one is enough whose
# grids have no faults but such as the other's have too: what would let the other in lets it in.
OTHER_PICTURES = [
    "link/colour_llk_10x16_a.png",  # uneven and doubtful, its middle is open
    "link/pokemon_java_10x10.png",  # doubtful, its discs differ
    "nonogram/nonogram_web_10x10.png",
    "planes/chessboard_left01.jpg",
    "planes/doc_chart.jpg",  # empty, without colour
    "planes/sudoku_desk_a.jpg",  # its middle is open, and lines are missing or squares odd
    "planes/tablet_markers_dark.jpg",
    "clutter/books_left.jpg",
    "clutter/box_in_scene.png",
    "clutter/hand_on_blue.jpg",
    "clutter/office_80722988.png",
    "clutter/room_plants_sideboard.jpg",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_PICTURES)
def test_other_pictures_hold_no_othello_board(data: Path, name: str) -> None:
    assert best_reading(cv2.imread(str(data / name))) is None


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


def test_a_grid_that_is_sheared_along_its_lines_is_not_believed() -> None:
    """The level lines are all there, but hardly an upright one; then the right grid is found."""
    frame = next(iter(open_scene("scene:tier=handheld,seed=75209,game=othello-table")))
    sight = look(Task(frame, (OthelloGame(),)))
    assert sight is not None
    assert str(sight.reading.board).count("-") == 59
    assert sight.reading.confidence > 0.9
    along = sight.plane.to_frame(sight.reading.corners)
    assert abs(along[0, 0] - along[3, 0]) < 100  # px; 150 where it is sheared


def test_sure_squares_do_not_make_up_for_a_faint_grid() -> None:
    """Faint lines and shadows on brown wood: a corner is a third of a cell off."""
    frame = next(iter(open_scene("scene:tier=handheld,seed=75189,game=othello-table")))
    sight = look(Task(frame, (OthelloGame(),)))
    assert sight is not None
    assert sight.reading.confidence < SURE
