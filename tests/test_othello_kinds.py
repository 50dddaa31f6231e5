"""Othello boards of programs whose squares and discs look like no felt and no discs of wood."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from ar_assist.games.othello import OthelloGame
from ar_assist.games.othello.board import BLACK, WHITE, OthelloBoard, cell_of, squares
from ar_assist.games.othello.board import START as OPENING
from ar_assist.games.othello.transcript import replay
from ar_assist.look import TRUST
from ar_assist.types import Image, Lattice, Reading

GAME = OthelloGame(strength=-2)
BOARD = replay("f5d6c3d3c4f4e3f3e6b4")[-1][0]
CELL = 48  # px
START = 3 * CELL  # px from the picture's corner to the board's
DARK, LIGHT, WHITE_PAGE = (25, 25, 25), (235, 235, 235), (255, 255, 255)
Colour = tuple[int, int, int]
Draw = Callable[[Image, tuple[int, int], int], None]  # a square's middle, and what it holds


def drawn(board: OthelloBoard, ground: Colour, gap: Colour, draw: Draw) -> Image:
    """A page with a board of squares with gaps around them."""
    picture = np.full((14 * CELL, 14 * CELL, 3), WHITE_PAGE, np.uint8)
    end = START + 8 * CELL
    cv2.rectangle(picture, (START - 2, START - 2), (end + 1, end + 1), gap, -1)
    corners = {k: (START + k % 8 * CELL, START + k // 8 * CELL) for k in range(64)}
    for x, y in corners.values():
        cv2.rectangle(picture, (x + 1, y + 1), (x + CELL - 2, y + CELL - 2), ground, -1)
    for square, (x, y) in corners.items():
        draw(picture, (x + CELL // 2, y + CELL // 2), board[square])
    return picture


def read(picture: Image) -> Reading[OthelloBoard] | None:
    return GAME.read(picture, Lattice((START - 0.5, START - 0.5), (CELL, CELL), 8, 8))


def disc(picture: Image, middle: tuple[int, int], fill: Colour, line: Colour | None = None) -> None:
    cv2.circle(picture, middle, 18, line or fill, -1, cv2.LINE_AA)
    cv2.circle(picture, middle, 16 if line else 18, fill, -1, cv2.LINE_AA)


def outlined(picture: Image, middle: tuple[int, int], kind: int) -> None:
    if kind:
        disc(picture, middle, DARK if kind == BLACK else WHITE_PAGE, DARK)


def with_grey_discs(picture: Image, middle: tuple[int, int], kind: int) -> None:
    disc(picture, middle, ((110, 110, 110), (0, 0, 0), WHITE_PAGE)[kind])


def typed(picture: Image, middle: tuple[int, int], kind: int) -> None:
    """Small, and on the line of a font: below the middle."""
    if kind:
        x, y = middle
        cv2.circle(picture, (x, y + 5), 11, DARK, -1 if kind == BLACK else 2, cv2.LINE_AA)


def scooped(picture: Image, middle: tuple[int, int], kind: int) -> None:
    x, y, half = *middle, CELL // 2
    square = picture[y - half : y + half, x - half : x + half]
    for corner in ((0, 0), (CELL, 0), (CELL, CELL), (0, CELL)):
        cv2.circle(square, corner, 11, (77, 77, 77), -1, cv2.LINE_AA)
    if kind:
        disc(picture, middle, (64, 54, 47) if kind == BLACK else LIGHT)


def coloured(black: Colour, white: Colour) -> Draw:
    def draw(picture: Image, middle: tuple[int, int], kind: int) -> None:
        if kind:
            disc(picture, middle, black if kind == BLACK else white)

    return draw


def is_read(reading: Reading[OthelloBoard] | None, board: OthelloBoard = BOARD) -> bool:
    return reading is not None and reading.board == board and reading.confidence > TRUST


@pytest.mark.parametrize(
    ("draw", "ground", "gap"),
    [
        (outlined, WHITE_PAGE, (0, 0, 0)),
        (outlined, (220, 239, 246), (140, 165, 185)),
        (with_grey_discs, (60, 100, 0), (30, 60, 0)),
        (scooped, (100, 187, 141), (77, 77, 77)),
        (typed, (0, 150, 0), (0, 0, 0)),
        (coloured((200, 60, 120), (60, 220, 250)), (90, 71, 68), (164, 114, 98)),
    ],
    ids=[
        "outlines",
        "outlines on cream",
        "grey discs",
        "scooped squares",
        "typed discs",
        "purple and yellow",
    ],
)
def test_boards_of_other_looks_are_read(draw: Draw, ground: Colour, gap: Colour) -> None:
    assert is_read(read(drawn(BOARD, ground, gap, draw)))


@pytest.mark.parametrize("dimmed", [0.0, 0.15])
def test_white_discs_lie_on_pale_grey(dimmed: float) -> None:
    """They differ from it by less than light does from side to side, and the page is as white."""
    picture = drawn(BOARD, (234, 232, 230), WHITE_PAGE, coloured(DARK, WHITE_PAGE))
    light = 1 - dimmed * np.linspace(0, 1, picture.shape[1])[:, None]
    assert is_read(read(np.asarray(picture * light, np.uint8)))


def test_one_colour_may_have_the_whole_middle() -> None:
    """Then empty squares are told by having no disc's edge."""
    middle = OPENING.black | OPENING.white
    board = OthelloBoard(BOARD.black | middle, BOARD.white & ~middle)
    assert is_read(read(drawn(board, WHITE_PAGE, (0, 0, 0), outlined)), board)


def test_marks_on_the_legal_moves_may_differ_more_than_outlines_do() -> None:
    picture = drawn(BOARD, WHITE_PAGE, (0, 0, 0), outlined)
    for square in squares(BOARD.moves(BLACK)):
        row, column = cell_of(square)
        middle = round(START + (column + 0.5) * CELL), round(START + (row + 0.5) * CELL)
        cv2.circle(picture, middle, 5, DARK, -1, cv2.LINE_AA)
    assert is_read(read(picture))


def test_squares_of_no_kind_are_empty_where_a_side_may_move_and_doubted_elsewhere() -> None:
    picture = drawn(BOARD, WHITE_PAGE, (0, 0, 0), outlined)
    legal = list(squares(BOARD.moves(WHITE)))
    for square in legal:
        row, column = cell_of(square)
        start = START + column * CELL + 2, START + row * CELL + 2
        cv2.rectangle(picture, (*start, CELL - 4, CELL - 4), (120, 220, 250), -1)
        if square == legal[-2]:
            reading = read(picture)
            assert reading is None or reading.confidence < TRUST
    assert is_read(read(picture))


def test_discs_of_which_none_is_darker_are_doubted() -> None:
    """Nothing tells which are black."""
    board = drawn(BOARD, (77, 105, 20), (46, 61, 11), coloured((50, 90, 225), (220, 125, 40)))
    reading = read(board)
    assert reading is None or reading.confidence < TRUST


@pytest.mark.parametrize("is_blue_first", [True, False])
@pytest.mark.parametrize("mover", [BLACK, WHITE])
def test_marks_on_the_moves_of_a_side_tell_which_discs_are_black(
    is_blue_first: bool, mover: int
) -> None:
    """Black moves where the discs are even in number; shade does not say which they are."""
    blue_red = (220, 125, 40), (50, 90, 225)
    board = BOARD if mover == BLACK else BOARD.play(BLACK, next(squares(BOARD.moves(BLACK))))
    colours = blue_red if is_blue_first else blue_red[::-1]
    picture = drawn(board, (77, 105, 20), (46, 61, 11), coloured(*colours))
    shown = list(squares(board.moves(mover)))
    for square in shown:
        row, column = cell_of(square)
        middle = round(START + (column + 0.5) * CELL), round(START + (row + 0.5) * CELL)
        if square == shown[-1]:  # a mark short, it is none of a side's moves
            reading = read(picture)
            assert reading is None or reading.confidence < TRUST
        cv2.circle(picture, middle, 5, (100, 140, 60), -1, cv2.LINE_AA)
    assert is_read(read(picture), board)


def test_a_mark_on_a_disc_makes_no_colour_of_it() -> None:
    """Nor are black discs on a board nearly as dark empty, late in a game."""
    cells = [WHITE if k % 8 >= 2 else BLACK for k in range(64)]
    cells[1], cells[22], cells[38] = 0, BLACK, BLACK
    board = OthelloBoard.from_cells(cells)
    picture = drawn(board, (40, 52, 44), (20, 24, 22), coloured((28, 36, 31), (215, 225, 210)))
    x, y = START + 6 * CELL + CELL // 2, START + 5 * CELL + CELL // 2
    cv2.rectangle(picture, (x - 5, y - 5), (x + 5, y + 5), (60, 60, 230), -1)
    reading = read(picture)
    assert reading is None or reading.board == board or reading.confidence < TRUST


def test_round_things_that_no_game_leads_to_are_no_discs() -> None:
    """Other games have two kinds of them, too; a disc is laid beside two others in a line."""
    cells = [(0, 0, BLACK, 0, WHITE)[(5 * k + k // 8) % 5] for k in range(64)]
    for square in squares(OPENING.occupied):
        cells[square] = OPENING[square]
    board = OthelloBoard.from_cells(cells)
    reading = read(drawn(board, WHITE_PAGE, (0, 0, 0), outlined))
    assert reading is None or reading.confidence < TRUST


@pytest.mark.parametrize("shift", [(0, 8), (8, 0)])
def test_a_part_of_a_larger_board_is_none(shift: tuple[int, int]) -> None:
    """Its discs go on beyond a side."""
    picture = drawn(BOARD, WHITE_PAGE, (0, 0, 0), outlined)
    for k in range(1, 8, 2):
        column, row = (at or k for at in shift)
        middle = START + column * CELL + CELL // 2, START + row * CELL + CELL // 2
        outlined(picture, middle, BLACK if k > 4 else WHITE)
    reading = read(picture)
    assert reading is None or reading.confidence < TRUST


@pytest.mark.parametrize("ground", [WHITE_PAGE, (50, 125, 46)], ids=["white", "green"])
def test_filled_squares_are_discs_only_where_marks_show_the_moves(ground: Colour) -> None:
    """There are pictures that are made of squares; nor is such a board empty."""

    def draw(picture: Image, middle: tuple[int, int], kind: int) -> None:
        if kind:
            (x, y), half = middle, CELL // 2 - 2
            fill = DARK if kind == BLACK else (90, 90, 200)
            cv2.rectangle(picture, (x - half, y - half), (x + half, y + half), fill, -1)

    picture = drawn(BOARD, ground, (200, 200, 200), draw)
    shown = list(squares(BOARD.moves(BLACK)))
    for square in shown:
        reading = read(picture)
        assert reading is None or reading.confidence < TRUST
        row, column = cell_of(square)
        middle = round(START + (column + 0.5) * CELL), round(START + (row + 0.5) * CELL)
        cv2.circle(picture, middle, 5, (140, 150, 140), -1, cv2.LINE_AA)
    assert is_read(read(picture))


@pytest.mark.parametrize("signs", [0, 5, 20])
def test_a_board_is_empty_where_nothing_lies_on_its_squares(signs: int) -> None:
    picture = drawn(OthelloBoard(0, 0), (50, 125, 46), (20, 60, 20), coloured(DARK, LIGHT))
    for k in range(signs):
        x, y = (START + at * CELL + CELL // 2 for at in divmod(7 * k % 64, 8))
        cv2.rectangle(picture, (x - 8, y - 3), (x + 8, y + 3), LIGHT, -1)
    reading = read(picture)
    assert (reading is not None and reading.confidence > TRUST) == (not signs)
