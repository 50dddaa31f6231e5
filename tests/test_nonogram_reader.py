"""Reading nonograms: rendered camera views, real pictures, and pictures that are none."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from nonogram_reading import judge
from nonogram_views import make_view

from ar_assist.games.ink import glyphs_of
from ar_assist.games.nonogram import NonogramGame, reader
from ar_assist.games.nonogram.board import DOUBTFUL, NonogramBoard, puzzle_of, room
from ar_assist.games.nonogram.clues import Guess
from ar_assist.games.nonogram.digits import classify
from ar_assist.games.nonogram.drawing import Label, Style, draw, to_image
from ar_assist.games.nonogram.linegrid import find_grids
from ar_assist.games.nonogram.repair import settle
from ar_assist.games.nonogram.solver import solve
from ar_assist.look import TRUST
from ar_assist.types import Advice, Correction, Image

GAME = NonogramGame()
FRAME_PX = 1280  # longer side that frames are given at


def _picture(path: Path) -> tuple[Image, float]:
    image = cv2.imread(str(path))
    assert image is not None
    scale = min(1.0, FRAME_PX / max(image.shape))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), scale


# 4: digits that touch; 14: wide digits; 28: noise
@pytest.mark.parametrize("seed", [2, 4, 5, 8, 12, 14, 16, 28])
def test_rendered_views_are_read_exactly(seed: int) -> None:
    view = make_view(seed)
    reading = GAME.read(view.image, None)
    assert judge(view, reading) == ("right", 0, 0)
    assert reading is not None
    assert np.abs(reading.corners - view.corners).max() < 0.1 * view.cell_px


@pytest.mark.parametrize(
    "name",
    ["nonogram_paper_15x15", "nonogram_web_10x10", "nonogram_screen_10x10", "nonogram_app_15x15"],
)
@pytest.mark.parametrize("turn", [0, 1])
def test_real_pictures(data: Path, name: str, turn: int) -> None:
    (path,) = (p for p in (data / "nonogram").glob(name + ".*") if p.suffix != ".json")
    truth = json.loads((data / "nonogram" / f"{name}.json").read_text())
    image, scale = _picture(path)
    reading = GAME.read(np.ascontiguousarray(np.rot90(image, turn)), None)
    assert reading is not None
    record = reading.board.record()
    assert record["row_clues"] == truth["row_clues"]
    assert record["col_clues"] == truth["col_clues"]
    assert not np.any(record["cells"])
    solution = GAME.play(reading.board, GAME.advise([reading.board], reading).moves[-1])
    assert ["".join("#" if v == 1 else "." for v in row) for row in solution.cells] == truth[
        "solution"
    ]
    if turn == 0:
        expected = np.array(truth["corners"]) * scale
        assert np.abs(reading.corners - expected).max() < truth["corner_tol_px"] + 1


@pytest.mark.parametrize("kind", ["link", "othello", "clutter", "planes"])
def test_other_pictures_are_no_nonograms(data: Path, kind: str) -> None:
    paths = sorted(p for p in (data / kind).iterdir() if p.suffix in (".png", ".jpg"))
    assert paths
    assert [path.name for path in paths if GAME.read(_picture(path)[0], None) is not None] == []


@pytest.mark.parametrize(("side", "cell"), [(50, 8), (70, 8), (70, 10)])
def test_a_large_grid_of_small_cells_is_none(side: int, cell: int) -> None:
    """What a texture's areas make of it is looked at for minutes."""
    span, size = slice(80, 82 + side * cell), 160 + side * cell
    picture = np.full((size, size), 0, np.uint8)
    for line in (80, 81):
        lines = slice(line, line + 1 + side * cell, cell)
        picture[span, lines] = picture[lines, span] = 200
    found = [(grid.rows, grid.cols) for grid in find_grids(picture)]
    assert found == ([] if (side, cell) == (70, 8) else [(side, side)])


def test_a_grid_without_clues_is_refused() -> None:
    board = puzzle_of([[1, -1] * 5, [-1, 1] * 5] * 5)
    image = np.array(to_image(draw(board, Style(ink="#ffffff")), 40))
    assert GAME.read(image, None) is None


def test_sums_settle_a_doubtful_digit() -> None:
    """Two readings of a row are nearly alike; only one agrees with the columns."""
    rows = [[Guess((1,), 0.0), Guess((2,), 0.1)], [Guess((2,), 0.0)]]
    cols = [[Guess((2,), 0.0)], [Guess((2,), 0.0)]]
    settled = settle(rows, cols)
    assert settled.row_clues == ((2,), (2,))
    assert settled.cells == ((1, 1), (1, 1))


def test_two_readings_that_both_hold_stay_in_doubt() -> None:
    rows = [[Guess((1,), 0.0), Guess((2,), 0.1)], [Guess((1,), 0.0)]]
    cols = [[Guess((2,), 0.0)], [Guess((), 0.0), Guess((1,), 0.1)]]
    settled = settle(rows, cols)
    assert settled.row_clues == (None, (1,))
    assert settled.col_clues == ((2,), None)
    assert settled.cells is None


def test_clues_that_nothing_repairs_give_no_hint() -> None:
    sure = [[Guess((2,), 0.0)], [Guess((2,), 0.0)]]
    odd = [[Guess((2,), 0.0)], [Guess((1,), 0.0)]]
    assert settle(sure, odd).cells is None


def test_lines_across_rule_out_guesses() -> None:
    """The full column fills a cell of the first row, which therefore is not without blocks."""
    rows = [[Guess((), 0.0), Guess((1,), 4.0)], [Guess((1,), 0.0), Guess((2,), 1.0)]]
    cols = [[Guess((2,), 0.0)], [Guess((), 0.0)]]
    settled = settle(rows, cols)
    assert settled.row_clues == ((1,), (1,))
    assert settled.cells == ((1, -1), (1, -1))
    assert settled.cost == 4


def test_what_goes_far_against_the_digits_is_not_believed() -> None:
    rows = [[Guess((), 0.0), Guess((1,), 6.0)], [Guess((1,), 0.0)]]
    cols = [[Guess((2,), 0.0)], [Guess((), 0.0)]]
    assert settle(rows, cols).cells is None


def test_a_reading_with_a_rival_that_needs_many_changes_is_in_doubt() -> None:
    """Every line but slightly more likely with one block more: all of them together hold too."""
    rows = [[Guess((2,), 0.0), Guess((3,), 0.3)]] * 3
    cols = [[Guess((3,), 0.0)]] * 2 + [[Guess((), 0.0), Guess((3,), 0.3)]]
    settled = settle(rows, cols)
    assert settled.row_clues == (None,) * 3
    assert settled.cells is None


@pytest.mark.parametrize(("against", "is_rival"), [(4.0, True), (9.0, False)])
def test_what_goes_against_the_digits_has_more_rivals(against: float, is_rival: bool) -> None:
    """The likeliest goes against them by 4 already, as a font does that makes one 5 look like a 6;
    another by so much more.
    """
    rows = [[Guess((), 0.0), Guess((1,), 4.0), Guess((2,), 4.0 + against)], [Guess((1,), 0.0)]]
    cols = [[Guess((2,), 0.0)], [Guess((), 0.0), Guess((1,), 0.0)]]
    assert (settle(rows, cols).cells is None) == is_rival


def test_a_reading_without_a_solution_is_not_believed() -> None:
    """No line contradicts another here; only trying cells shows that there is no solution."""
    rows = [[Guess(clue, 0.0)] for clue in ((1, 1), (2,), (1, 1), (1, 1))]
    cols = [[Guess((2,), 0.0)]] * 4
    assert settle(rows, cols).cells is None


def _without_the_last_clue(rows: list[list[int]]) -> tuple[NonogramBoard, Image]:
    """A puzzle whose last column's clue is missing on the page."""
    board = puzzle_of(rows)
    drawing = draw(board, Style())
    page = np.array(to_image(drawing, 40))
    x, y = round(drawing.left * 40), round(drawing.top * 40)
    end = x + (len(rows[0]) - 1) * 40
    page[: y - 3, end + 3 :] = page[3, end + 20]
    return board, page[..., ::-1].copy()


def test_an_empty_column_beyond_the_clues_is_none_of_the_puzzle() -> None:
    """A table's edge can pass for one more column; an empty one would fit any puzzle."""
    board, page = _without_the_last_clue([[1, 0, 1, 1, 0, 0], [1, 1, 1, 0, 1, 0]] * 3)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board.row_clues == board.row_clues
    assert reading.board.col_clues == board.col_clues[:-1]


def test_buttons_in_line_with_the_columns_are_no_row_of_the_puzzle() -> None:
    """What stands before them is no 0, though sheets with zeros have lines without blocks."""
    board = puzzle_of([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], *[[0] * 5] * 3])
    drawing = draw(board, Style())
    cell = 50
    page = np.full((600, 640, 3), 255, np.uint8)
    puzzle = np.array(to_image(drawing, cell))
    page[: puzzle.shape[0], : puzzle.shape[1]] = puzzle
    left, bottom = round(cell * drawing.left), round(cell * drawing.top) + 5 * cell
    for x in range(-1, 5):  # as wide and high as cells, right below them
        corner = left + x * cell, bottom
        cv2.rectangle(page, corner, (corner[0] + cell, bottom + cell), (80, 80, 80), 2)
    cv2.rectangle(page, (left - 35, bottom + 10), (left - 15, bottom + 42), (0, 0, 0), 4)
    cv2.line(page, (left - 35, bottom + 26), (left - 15, bottom + 26), (0, 0, 0), 4)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == board


def test_a_missing_clue_at_the_border_leaves_doubt() -> None:
    _, page = _without_the_last_clue([[1, 0, 1, 1, 0, 0], [1, 1, 1, 0, 1, 1]] * 3)
    reading = GAME.read(page, None)
    assert reading is None or not GAME.advise([reading.board], reading).moves


def test_pale_digits_beside_bold_lines_are_read() -> None:
    """Ink is what digits are printed with, not what the bold lines among them are."""
    board = puzzle_of([[(row * col + col) % 3 == 0 for col in range(10)] for row in range(10)])
    style = Style(ink="#b0b0b0", line="#000000", thick=0.12)
    page = np.array(to_image(draw(board, style), 24))[..., ::-1]
    reading = GAME.read(cv2.GaussianBlur(page, (0, 0), 1.0), None)
    assert reading is not None
    clues = reading.board.row_clues, reading.board.col_clues
    assert clues == (board.row_clues, board.col_clues)


def test_hairlines_hold_digits_together() -> None:
    """The thin strokes of a serif font are paler than its stems: a 0 is no pair of them."""
    ink = np.zeros((30, 60), np.float32)
    ink[5:25, 5:8] = ink[5:25, 17:20] = 1.0
    ink[5:7, 5:20] = ink[23:25, 5:20] = 0.35
    ink[5:25, 40:52] = 0.35  # a smear
    (zero,) = glyphs_of(ink)
    assert (zero.x0, zero.y0, zero.x1, zero.y1) == (5, 5, 20, 25)


def _begun() -> NonogramBoard:
    """A puzzle with filled, crossed and open cells."""
    filled = np.random.default_rng(3).random((8, 8)) < 0.5
    entered = np.where(filled, 1, -1) * (np.arange(8) % 3 == 0)[:, None]
    return puzzle_of(filled.tolist()).with_cells(entered.tolist())


@pytest.mark.parametrize("fill", ["#3050ff", "#e0d040", "#c02020"])
@pytest.mark.parametrize("paper", ["#ffffff", "#404048"])
def test_filled_cells_of_any_colour_are_told(fill: str, paper: str) -> None:
    entered = _begun()
    ink = "#101010" if paper == "#ffffff" else "#f0f0f0"
    style = Style(paper=paper, clue_paper=paper, ink=ink, line="#808080", fill=fill)
    page = np.array(to_image(draw(entered, style), 40))[..., ::-1]
    reading = GAME.read(np.ascontiguousarray(page), None)
    assert reading is not None
    assert reading.board == entered
    assert reading.certainty.min() >= DOUBTFUL


def test_a_page_that_darkens_towards_one_side_has_no_entries() -> None:
    board = puzzle_of(np.eye(8, dtype=int).tolist())
    page = np.array(to_image(draw(board, Style(ink="#303030")), 40))[..., ::-1]
    light = np.interp(np.linspace(0, 1, page.shape[0]), [0, 0.4, 1], [1, 1, 0.5])
    reading = GAME.read((page * light[:, None, None]).astype(np.uint8), None)
    assert reading is not None
    assert reading.board == board


def test_a_reflection_is_no_entry() -> None:
    """On a dark theme a lamp's mirror image is as light as a filled cell, or as a mark."""
    entered = _begun()
    style = Style(
        paper="#202024", clue_paper="#202024", ink="#f0f0f0", line="#707070", fill="#a0a0a0"
    )
    drawing = draw(entered, style)
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    lamp = round((drawing.left + 3.4) * 40), round((drawing.top + 3.4) * 40)
    cv2.circle(page, lamp, 26, (255, 255, 255), -1, cv2.LINE_AA)
    reading = GAME.read(page, None)
    assert reading is not None
    strange = np.argwhere(np.array(reading.board.cells) != np.array(entered.cells))
    assert len(strange)
    assert all(reading.certainty[r, c] < DOUBTFUL for r, c in strange)
    assert reading.confidence > 0.9  # the other cells speak for the board


@pytest.mark.parametrize("share", [0.6, 1.0])
def test_what_covers_a_cell_is_no_entry(share: float) -> None:
    """A thing that is darker than filled cells, or that covers a part of one."""
    entered = _begun()
    drawing = draw(entered, Style(fill="#606060"))
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    x, y = round((drawing.left + 3) * 40), round((drawing.top + 4) * 40)
    colour = 0 if share == 1 else 0x60
    page[y + 2 : y + 38, x + 2 : x + 2 + round(36 * share)] = colour
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.certainty[4, 3] < DOUBTFUL
    assert (reading.certainty < DOUBTFUL).sum() == 1


def test_dark_cells_on_light_paper_below_light_clues_on_dark_panels() -> None:
    """The panels' paper looks like filled cells: only the clues tell which cells are open."""
    entered = _begun()
    style = Style(clue_paper="#303030", ink="#ffffff", line="#808080", fill="#202020")
    page = np.array(to_image(draw(entered, style), 40))[..., ::-1]
    reading = GAME.read(np.ascontiguousarray(page), None)
    assert reading is not None
    assert reading.board == entered


def test_a_bold_lines_blur_is_no_cross() -> None:
    entered = _begun()
    page = np.array(to_image(draw(entered, Style(thick=0.45, line="#000000")), 20))[..., ::-1]
    reading = GAME.read(cv2.GaussianBlur(page, (0, 0), 1.5), None)
    assert reading is not None
    differ = np.array(reading.board.cells) != np.array(entered.cells)
    assert not (differ & (reading.certainty >= DOUBTFUL)).any()


def test_pale_crosses_on_even_paper_are_seen() -> None:
    """What stands out from even paper is an entry, however much deeper the clues' ink is."""
    entered = _begun()
    page = np.array(to_image(draw(entered, Style(line="#dcdcdc")), 40))[..., ::-1]
    reading = GAME.read(np.ascontiguousarray(page), None)
    assert reading is not None
    assert reading.board == entered
    assert reading.certainty.min() >= DOUBTFUL


@pytest.mark.parametrize("is_dense", [False, True])
def test_the_cursors_row_and_column_are_no_entries(is_dense: bool) -> None:
    """Tinted cells, where nothing is entered, are taken for filled ones: the solution tells; where
    most of them are to be filled, that all of a line would be."""
    cells = np.array([[(row * col + col) % 3 == 0 for col in range(10)] for row in range(10)])
    if is_dense:
        cells = ~cells
        cells[7], cells[:, 5] = True, True
        cells[7, 5:7] = cells[2, 5] = False
    board = puzzle_of(cells.tolist())
    drawing = draw(board, Style(ink="#707070"))
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    paper = page[round(drawing.top * 40) :, round(drawing.left * 40) :]
    for band in (paper[280:320], paper[:, 200:240]):
        band[:] = np.where(band > 200, band - 90, band)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.confidence > 0.7
    assert reading.board == board
    assert reading.certainty.min() >= DOUBTFUL
    assert not any(move.mistakes for move in GAME.advise([reading.board], reading).moves)


def test_a_cursors_lit_cells_are_not_the_filled_ones() -> None:
    """They are more than those, and as far from paper, but not towards the ink."""
    filled = np.random.default_rng(4).random((10, 10)) < 0.5
    row, col = np.indices((10, 10))
    entered = np.where((3 * row + 5 * col) % 11 == 0, np.where(filled, 1, -1), 0)
    board = puzzle_of(filled.tolist()).with_cells(entered.tolist())
    drawing = draw(board, Style(paper="#88a058", clue_paper="#88a058", line="#405020"))
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    cells = page[round(drawing.top * 40) :, round(drawing.left * 40) :]
    for band in (cells[161:200], cells[:, 161:200]):
        is_paper = (band == (0x58, 0xA0, 0x88)).all(axis=-1, keepdims=True)
        band[:] = np.where(is_paper, (220, 240, 235), band)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == board
    assert not any(move.mistakes for move in GAME.advise([reading.board], reading).moves)


def test_a_wallpaper_that_shows_through_is_no_cross() -> None:
    """Strokes of it lie in some cells' middles, smaller ones in as many: it is in all cells."""
    filled = np.random.default_rng(5).random((10, 10)) < 0.5
    board = puzzle_of(filled.tolist())
    drawing = draw(board, Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    bare = np.argwhere(~filled)[::2]
    for number, (row, col) in enumerate(bare):
        x, y = round((drawing.left + col + 0.5) * 40), round((drawing.top + row + 0.5) * 40)
        half = 2 if number % 3 else 5
        page[y - 2 : y + 2, x - half : x + half] = (150, 190, 150)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board.row_clues == board.row_clues
    assert np.count_nonzero(reading.board.cells)
    assert "0 of 100 entered" in GAME.summary(reading, None)
    assert GAME.summary(reading, Advice((), "solved")) == "10x10"  # crosses need not be entered


def test_crosses_are_told_from_a_paler_wallpaper() -> None:
    entered = _begun()
    drawing = draw(entered, Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    open_ = np.argwhere(np.array(entered.cells) == 0)[::4]
    for row, col in open_:
        x, y = round((drawing.left + col + 0.5) * 40), round((drawing.top + row + 0.5) * 40)
        cv2.line(page, (x - 4, y), (x + 4, y), (215, 230, 215), 4)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == entered
    doubtful = {tuple(cell) for cell in np.argwhere(reading.certainty < DOUBTFUL).tolist()}
    assert doubtful == {tuple(cell) for cell in open_.tolist()}


def test_filled_cells_with_a_frame_are_sure() -> None:
    """They are alike, though each is uneven."""
    entered = _begun()
    drawing = draw(entered, Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    for row, col in np.argwhere(np.array(entered.cells) == 1):
        x, y = round((drawing.left + col) * 40), round((drawing.top + row) * 40)
        cv2.rectangle(page, (x + 7, y + 7), (x + 33, y + 33), (255, 255, 255), 8)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == entered
    assert reading.certainty[np.array(entered.cells) == 1].min() >= DOUBTFUL


@pytest.mark.parametrize("blur", [0.1, 1.5])
@pytest.mark.parametrize(("reach", "bold"), [(7, 7), (10, 6), (11, 9), (14, 9)])
def test_bold_crosses_are_told_from_filled_cells(reach: int, bold: int, blur: float) -> None:
    """They cover more than half of a cell's middle, whose median is their ink then."""
    entered = _begun()
    drawing = draw(entered.with_cells((np.array(entered.cells) == 1).astype(int).tolist()), Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    for row, col in np.argwhere(np.array(entered.cells) == -1):
        x, y = (round((first + 0.5) * 40) for first in (drawing.left + col, drawing.top + row))
        for end in (reach, -reach):
            cv2.line(page, (x - reach, y - end), (x + reach, y + end), (20, 20, 20), bold)
    reading = GAME.read(cv2.GaussianBlur(page, (0, 0), blur), None)
    assert reading is not None
    assert reading.board == entered
    assert reading.certainty.min() >= DOUBTFUL


def test_heavy_crosses_make_no_clues_beside_them_pale() -> None:
    """Ink is told by the deepest near by, and apps dim the clues that are done."""
    filled = np.tri(8, dtype=int)[:, ::-1]
    board = puzzle_of(filled.tolist())
    drawing = draw(board, Style(ink="#c4c4cc", line="#c0c0c0"))
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    for row, col in np.ndindex(8, 8):
        x, y = (round((first + 0.5) * 40) for first in (drawing.left + col, drawing.top + row))
        if not filled[row, col]:
            for end in (12, -12):
                cv2.line(page, (x - 12, y - end), (x + 12, y + end), (20, 20, 20), 7)
    reading = GAME.read(page, None)
    assert reading is not None
    assert (reading.board.row_clues, reading.board.col_clues) == (board.row_clues, board.col_clues)


def _painted(board: NonogramBoard, shades: dict[int, int], ink: str = "#000000") -> Image:
    """The puzzle with a shade of grey for open, filled and crossed cells each."""
    drawing = draw(puzzle_of(np.array(solve(board).solutions[0]).clip(0).tolist()), Style(ink=ink))
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    for (row, col), value in np.ndenumerate(board.cells):
        x, y = round((drawing.left + col) * 40), round((drawing.top + row) * 40)
        page[y + 1 : y + 39, x + 1 : x + 39] = shades[int(value)]
    return page


@pytest.mark.parametrize("entries", [("crossed",), ("filled", "crossed")])
def test_cells_that_are_grey_while_they_are_open(entries: tuple[str, ...]) -> None:
    """They turn white when crossed, so that open cells are no paper's: Tatham's Pattern."""
    begun = _begun()
    cells = np.array(begun.cells)
    cells[(cells == 1) & ("filled" not in entries)] = 0
    entered = begun.with_cells(cells.tolist())
    reading = GAME.read(_painted(entered, {0: 128, 1: 0, -1: 255}), None)
    assert reading is not None
    assert reading.board == entered
    assert reading.certainty.min() >= DOUBTFUL
    # To the end: when few are open, all of one kind, they are still known by their shade.
    (solution,) = solve(entered).solutions
    last = np.array(solution)
    left = tuple(np.argwhere(last == -1)[0])
    last[left] = 0
    final = entered.with_cells(last.tolist())
    again = GAME.read(_painted(final, {0: 128, 1: 0, -1: 255}), None, reading)
    assert again is not None
    assert again.board == final
    # The game ends when none is open, though all that is filled is there.
    move = GAME.advise([again.board]).moves[0]
    assert move.cells == ((*left, -1),)
    assert GAME.advise([GAME.play(again.board, move)]).status == "solved"


@pytest.mark.parametrize("uneven", [0, 8])
def test_cells_that_are_as_much_darker_as_lighter_than_grey_clues(uneven: int) -> None:
    """As many of each: all together they differ in no way from cells like the clues' ink."""
    filled = np.array([np.random.default_rng(row).permutation([1, 0] * 4) for row in range(8)])
    entered = np.where(filled, 1, -1) * (np.arange(8) % 3 == 0)[:, None]
    board = puzzle_of(filled.tolist()).with_cells(entered.tolist())
    page = _painted(board, {0: 128, 1: 28, -1: 228}, ink="#808080")
    for y in range(0, len(page), 80):
        band = page[y : y + 40]
        band[band == 128] += np.uint8(uneven)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == board
    assert reading.certainty.min() >= DOUBTFUL


def test_a_known_puzzle_is_read_where_done_clues_fade_and_filled_cells_hide_the_lines() -> None:
    entered = _begun()
    before = GAME.read(np.array(to_image(draw(entered, Style()), 40))[..., ::-1].copy(), None)
    page = _faded(entered)
    fresh, again = GAME.read(page, None), GAME.read(page, None, before)
    assert fresh is None or fresh.confidence < 0.5
    assert again is not None
    assert again.confidence > 0.7
    assert (again.board.row_clues, again.board.col_clues) == (entered.row_clues, entered.col_clues)
    other = GAME.read(_faded(_other(entered)), None, before)
    assert other is None or other.confidence < 0.5


def _faded(board: NonogramBoard) -> Image:
    """The puzzle with a clue that is dimmed, and four rows all dark."""
    drawing = draw(board, Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    left, top = round(drawing.left * 40), round(drawing.top * 40)
    clue, dark = page[top + 40 : top + 80, : left - 4], page[top - 2 : top + 160, left - 2 :]
    clue[:] = 255 - (255 - clue) // 12
    dark[:] = np.minimum(dark, 40)
    return page


def _other(board: NonogramBoard) -> NonogramBoard:
    """Another puzzle of the same size."""
    return puzzle_of((np.random.default_rng(9).random(board.size) < 0.6).tolist())


def test_a_players_slips_are_still_entries() -> None:
    """A wrong cell in seven is no chance: the player wants to know of it."""
    rng = np.random.default_rng(4)
    filled = rng.random((8, 8)) < 0.5
    wrong = [tuple(cell) for cell in np.argwhere(~filled)[[3, 11]].tolist()]
    entered = np.where(filled & (np.arange(8) % 3 == 0)[:, None], 1, 0)
    for cell in wrong:
        entered[cell] = 1
    board = puzzle_of(filled.tolist()).with_cells(entered.tolist())
    reading = GAME.read(np.array(to_image(draw(board, Style()), 40))[..., ::-1].copy(), None)
    assert reading is not None
    assert reading.board == board
    moves = GAME.advise([reading.board], reading).moves
    assert set(moves[0].mistakes) == set(wrong)


def test_one_slip_is_no_reason_to_take_all_entries_for_none() -> None:
    """Open cells are grey, as the clues' paper, and crossed ones white: clues of that white on a
    dark grey would say that nothing is entered, and nothing wrong."""
    rng = np.random.default_rng(4)
    filled = rng.random((8, 8)) < 0.5
    entered = np.where(filled, 1, -1) * (rng.random((8, 8)) < 0.8)
    entered[tuple(np.argwhere(~filled)[3])] = 1
    board = puzzle_of(filled.tolist()).with_cells(np.maximum(entered, 0).tolist())
    style = Style(paper="#d8d8d8", clue_paper="#f0f0f0", ink="#404040", fill="#000000")
    drawing = draw(board, style)
    page = np.array(to_image(drawing, 24))[..., ::-1].copy()
    for row, col in np.argwhere(entered == -1).tolist():
        y, x = round((drawing.top + row) * 24), round((drawing.left + col) * 24)
        page[y + 2 : y + 23, x + 2 : x + 23] = 255
        cv2.circle(page, (x + 12, y + 12), 2, (0, 0, 0), -1, cv2.LINE_AA)
    reading = GAME.read(page, None)
    assert reading is not None
    assert np.array_equal(reading.board.cells, entered)


def _with_clues_outside(
    board: NonogramBoard, pale_rows: tuple[int, ...] = (), pale: str = ""
) -> Image:
    """The puzzle with its clues set against the outside of their areas, some of them dimmed."""
    rows, cols = board.size
    wide, deep = (max(map(len, clues)) for clues in (board.row_clues, board.col_clues))
    drawing = draw(puzzle_of([[1] * cols] * rows), Style())
    grid = np.array(to_image(drawing, 40))
    x, y = round(40 * drawing.left) - 4, round(40 * drawing.top) - 4
    page = PilImage.new("RGB", (40 * (wide + cols + 2), 40 * (deep + rows + 2)), "white")
    left, top = 40 * (wide + 1), 40 * (deep + 1)
    page.paste(PilImage.fromarray(grid[y:, x:]), (left - 4, top - 4))
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(26)
    for i, clue in enumerate(board.row_clues):
        ink = pale if i in pale_rows else "#000000"
        for k, number in enumerate(clue):
            place = 40 * k + 60, top + 40 * i + 20
            pen.text(place, str(number), ink, font, anchor="mm")
    for j, clue in enumerate(board.col_clues):
        for k, number in enumerate(clue):
            pen.text((left + 40 * j + 20, 40 * k + 60), str(number), "#000000", font, anchor="mm")
    return np.asarray(page)[..., ::-1].copy()


def test_clues_set_against_the_outside_are_read() -> None:
    filled = np.random.default_rng(5).random((8, 8)) < 0.55
    board = puzzle_of(filled.tolist())
    reading = GAME.read(_with_clues_outside(board), None)
    assert reading is not None
    assert reading.board == board


def _of_tiles(board: NonogramBoard, panel: int = 225) -> Image:
    """The puzzle with white tiles on a panel nearly as light, and no line around them all."""
    drawing = draw(puzzle_of(np.array(solve(board).solutions[0]).clip(0).tolist()), Style())
    page = np.minimum(np.array(to_image(drawing, 40)), panel).astype(np.uint8)
    x, y = round(drawing.left * 40), round(drawing.top * 40)
    rows, cols = board.size
    page[y - 3 : y + 40 * rows + 4, x - 3 : x + 40 * cols + 4] = panel
    for row, col in np.ndindex(rows, cols):
        page[y + 40 * row + 1 : y + 40 * row + 38, x + 40 * col + 1 : x + 40 * col + 38] = 255
    return np.ascontiguousarray(page)


@pytest.mark.parametrize("panel", [215, 236])
@pytest.mark.parametrize("is_dark", [False, True])
def test_tiles_may_lie_on_a_panel_nearly_as_light(panel: int, is_dark: bool) -> None:
    """Beside digits the panel is as light as they are."""
    filled = np.random.default_rng(7).random((8, 8)) < 0.55
    board = puzzle_of(filled.tolist())
    page = _of_tiles(board, panel)
    reading = GAME.read(np.asarray(255 - page if is_dark else page, np.uint8), None)
    assert reading is not None
    assert (reading.board.row_clues, reading.board.col_clues) == (board.row_clues, board.col_clues)


def test_a_clue_beyond_the_first_column_leaves_doubt() -> None:
    """The column without blocks before it was not seen, and the others agree without it."""
    board = puzzle_of([[1, 1, 1, 0, 1], [0, 1, 1, 1, 1], [1, 0, 1, 1, 0], [1, 1, 0, 1, 1]] * 2)
    page = _of_tiles(board)
    found = reader._found(np.asarray(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), np.uint8))
    assert found is not None
    assert found.settled.cells is not None
    drawing = draw(board, Style())
    at = round((drawing.left - 0.5) * 40), round((drawing.top - 0.5) * 40)
    cv2.circle(page, at, 9, (0, 0, 0), 3, cv2.LINE_AA)
    reading = GAME.read(page, None)
    assert reading is None or reading.confidence < TRUST


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_pale_lines_are_lighter_than_filled_cells_and_darker_than_open_ones(seed: int) -> None:
    """The cells of either kind alone are too few for the grid."""
    filled = np.random.default_rng(seed).random((5, 5)) < 0.6
    board = puzzle_of(filled.tolist()).with_cells(filled.astype(int).tolist())
    page = np.array(to_image(draw(board, Style(line="#c8c8c8", thick=0.03)), 24))[..., ::-1]
    reading = GAME.read(cv2.GaussianBlur(page, (0, 0), 0.8), None)
    assert reading is not None
    assert reading.board == board


def _without_a_border(side: int) -> tuple[NonogramBoard, Image]:
    """A puzzle without the line at the left, the top, the right or the bottom."""
    board = puzzle_of((np.random.default_rng(3).random((8, 8)) < 0.6).tolist())
    drawing = draw(board, Style(thick=0.03))
    page = np.pad(to_image(drawing, 32), ((0, 96), (0, 0), (0, 0)), constant_values=255)
    left, top = round(drawing.left * 32), round(drawing.top * 32)
    x, y = (at + 8 * 32 * (side >= 2) for at in (left, top))
    strip = (slice(top, top + 259), slice(x - 2, x + 3))
    if side % 2:
        strip = (slice(y - 2, y + 3), slice(left, left + 259))
    page[strip] = 255
    return board, page


@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_lines_at_a_border_that_is_not_seen_have_numbers(side: int) -> None:
    board, page = _without_a_border(side)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == board


@pytest.mark.parametrize("below", [0, 1])
def test_a_button_beyond_the_border_is_no_line_without_blocks(below: int) -> None:
    """A letter O on it looks like the 0 of one."""
    board, page = _without_a_border(3)
    drawing = draw(board, Style(thick=0.03))
    at = round((drawing.left - 0.6) * 32), round((drawing.top + 8.5 + below) * 32)
    cv2.ellipse(page, at, (6, 8), 0, 0, 360, (0, 0, 0), 2, cv2.LINE_AA)
    reading = GAME.read(page, None)
    assert reading is None or reading.board == board or reading.confidence < TRUST


@pytest.mark.parametrize("sign", [*"?&@$%=ox", "8?"])
def test_a_row_of_buttons_below_is_no_row_without_blocks(sign: str) -> None:
    """Whatever stands beside it, that may be a digit or none."""
    board = puzzle_of((np.random.default_rng(3).random((8, 8)) < 0.6).tolist())
    drawing = draw(board, Style())
    page = np.pad(to_image(drawing, 32), ((0, 96), (0, 0), (0, 0)), constant_values=255)
    left, bottom = (round(32 * at) for at in (drawing.left, drawing.top + 8))
    for col in range(8):
        x = left + 32 * col
        cv2.rectangle(page, (x, bottom), (x + 32, bottom + 32), (0, 0, 0), 1)
    corner = left - 10 - 14 * len(sign), bottom + 22
    cv2.putText(page, sign, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 2, cv2.LINE_AA)
    reading = GAME.read(page, None)
    assert reading is None or reading.board == board or reading.confidence < TRUST


@pytest.mark.parametrize("axis", [0, 1])
def test_half_of_the_rows_or_columns_may_be_without_blocks(axis: int) -> None:
    """Some print no 0 there."""
    filled = np.random.default_rng(3).random((15, 10)) < 0.6
    filled[4:12] = False
    filled[7, [0, 9]] = True
    board = puzzle_of((filled.T if axis else filled).tolist())
    reading = GAME.read(_with_clues_outside(board), None)
    assert reading is not None
    assert reading.board == board


def test_squares_here_and_there_on_a_lattice_are_no_grid() -> None:
    """As texture has them: its lattice goes on and on, and clues would be sought all around."""
    page = np.full((800, 800), 255, np.uint8)
    for block in range(7):
        for row, col in np.ndindex(4, 4):
            x, y = (20 + 20 * (5 * block + at) for at in (col, row))
            cv2.rectangle(page, (x, y), (x + 20, y + 20), 0, 2)
    assert not [grid for grid in find_grids(page) if grid.rows > 4 or grid.cols > 4]


@pytest.mark.parametrize("pale", ["#868686", "#a6a6a6", "#b4b4b4"])
def test_dimmed_clues_are_read(pale: str) -> None:
    """Apps dim the clues of complete lines: they are paler than those around, but digits."""
    board = puzzle_of([[1, 1, 0, 1, 1, 1], [1, 0, 1, 0, 1, 1]] * 3)
    page = _with_clues_outside(board, pale_rows=(1, 4), pale=pale)
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == board


def test_digits_as_pale_as_noise_are_no_sudokus() -> None:
    """Noise on bare paper looks like a digit in many a cell, far paler than the clues."""
    board = puzzle_of((np.random.default_rng(5).random((8, 8)) < 0.55).tolist())
    page = PilImage.fromarray(_with_clues_outside(board))
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(26)
    left, top = (40 * (1 + max(map(len, clues))) for clues in (board.row_clues, board.col_clues))
    for row, col in np.ndindex(8, 8):
        place = left + 40 * col + 20, top + 40 * row + 20
        pen.text(place, str((row + col) % 10), "#e1e1e1", font, anchor="mm")
    reading = GAME.read(np.asarray(page), None)
    assert reading is not None
    assert (reading.board.row_clues, reading.board.col_clues) == (board.row_clues, board.col_clues)


def _struck(board: NonogramBoard, way: tuple[float, float]) -> Image:
    """The puzzle with a line through the clues of every row but the first, and of two columns."""
    drawing = draw(board, Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    for label in (shape for shape in drawing.shapes if isinstance(shape, Label)):
        if label.y > drawing.top + 1 or drawing.left + 2 < label.x < drawing.left + 4:
            reach = label.height * len(label.text) ** 0.5
            ends = [
                (
                    round(40 * (label.x + sign * reach * way[0])),
                    round(40 * (label.y + sign * reach * way[1])),
                )
                for sign in (-1, 1)
            ]
            cv2.line(page, *ends, (60, 60, 60), 2, cv2.LINE_AA)
    return page


@pytest.mark.parametrize("way", [(0.4, -0.5), (0.4, 0.5), (0.4, 0)])
@pytest.mark.parametrize("seed", [100, 101])
def test_clues_with_a_line_through_them_are_read(way: tuple[float, float], seed: int) -> None:
    """Apps strike the clues that are done."""
    filled = np.random.default_rng(seed).random((12, 12)) < 0.6
    board = puzzle_of(filled.tolist())
    reading = GAME.read(_struck(board, way), None)
    assert reading is not None
    assert reading.board == board


def _with_badges(board: NonogramBoard, filled: NDArray[np.bool_], pitch: int) -> Image:
    """The solved puzzle with light digits in pale discs that are so many px apart, and no lines."""
    page = PilImage.new("RGB", (780, 780), (253, 228, 236))
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(15)
    rows, cols = board.size
    left, top = 760 - 40 * cols, 760 - 40 * rows
    for row, col in np.ndindex(rows, cols):
        x, y = left + 40 * col, top + 40 * row
        fill = (216, 62, 128) if filled[row, col] else (255, 255, 255)
        pen.rounded_rectangle((x + 1, y + 1, x + 38, y + 38), 6, fill=fill)
    ends = [(left - pitch // 2 - 4, top + 40 * row + 20, -1, 0) for row in range(rows)]
    ends += [(left + 40 * col + 20, top - pitch // 2 - 4, 0, -1) for col in range(cols)]
    for clue, (x, y, dx, dy) in zip((*board.row_clues, *board.col_clues), ends, strict=True):
        for out, number in enumerate(reversed(clue or (0,))):
            at = x + out * pitch * dx, y + out * pitch * dy
            box = tuple(side + sign * 12 for sign in (-1, 1) for side in at)
            pen.ellipse(box, fill=(244, 143, 177))
            pen.text(at, str(number), font=font, fill=(255, 255, 255), anchor="mm")
    return np.asarray(page)[..., ::-1].copy()


@pytest.mark.parametrize("pitch", [26, 28])
@pytest.mark.parametrize("seed", [4, 5, 7])
def test_clues_in_round_badges_are_read(pitch: int, seed: int) -> None:
    """The paper between two badges looks like a digit and is none."""
    filled = np.random.default_rng(seed).random((12, 12)) < 0.6
    board = puzzle_of(filled.tolist())
    reading = GAME.read(_with_badges(board, filled, pitch), None)
    assert reading is not None
    assert (reading.board.row_clues, reading.board.col_clues) == (board.row_clues, board.col_clues)


def test_a_line_whose_clue_cannot_be_read_is_not_left_out() -> None:
    """The puzzle without it is another one, which may have a solution too."""
    filled = np.zeros((6, 6), int)
    filled[:, :5] = np.random.default_rng(2).random((6, 5)) < 0.7
    drawing = draw(puzzle_of(filled.tolist()), Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    x, y = round((drawing.left + 5.5) * 40), round(drawing.top * 40)
    page[y - 90 : y - 2, x - 18 : x + 18] = page[y - 3, x]
    without = GAME.read(page, None)
    assert without is not None and None not in without.board.col_clues
    cv2.line(page, (x - 6, y - 4), (x + 8, y - 50), (20, 20, 20), 5, cv2.LINE_AA)
    reading = GAME.read(page, None)
    assert reading is None or reading.confidence < 0.5


def test_a_clue_too_long_for_the_grid_is_no_other_one() -> None:
    """Without its first row a grid has no room for a 5, and with a 4 it would be a puzzle."""
    picture = ["..#..", "..#..", ".###.", ".###.", ".###."]
    drawing = draw(puzzle_of([[sign == "#" for sign in row] for row in picture]), Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    paper, x, y = page[3, 3], round(drawing.left * 40), round(drawing.top * 40)
    clues = page[: y - 3].copy()
    page[: y + 37] = paper  # its number would tell that it is there
    page[14 : y + 11, x - 3 :] = clues[:, x - 3 :]  # near enough to the second row to be its own
    reading = GAME.read(page, None)
    assert reading is not None and reading.board.size == (4, 5)
    assert reading.confidence < 0.5


def test_a_last_line_whose_digits_touch_is_not_left_out() -> None:
    """Together they look like none, until they are cut."""
    row, col = np.indices((10, 10))
    board = puzzle_of(((np.maximum(row, col) == 9) | (row + col < 9)).tolist())
    drawing = draw(board, Style())
    tens = [shape for shape in drawing.shapes if isinstance(shape, Label) and shape.text == "10"]
    others = [shape for shape in drawing.shapes if shape not in tens]
    digits = [
        replace(ten, text=digit, x=ten.x + aside)
        for ten in tens
        for digit, aside in (("1", -0.12), ("0", 0.12))
    ]
    page = np.array(to_image(replace(drawing, shapes=(*others, *digits)), 40))[..., ::-1].copy()
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == board


@pytest.mark.parametrize("slope", [0, 0.2, -0.2])
@pytest.mark.parametrize("turn", [0, 1])
def test_clues_with_one_line_through_all_their_numbers_are_read(slope: float, turn: int) -> None:
    """By a style sheet, or with a pen: it joins the digits, and ends beyond them."""
    board = puzzle_of((np.random.default_rng(100).random((12, 12)) < 0.6).tolist())
    drawing = draw(board, Style())
    page = np.array(to_image(drawing, 40))[..., ::-1].copy()
    for row in range(1, 12, 2):
        y, labels = drawing.top + row + 0.5, [x for x in drawing.shapes if isinstance(x, Label)]
        begin = min(label.x for label in labels if abs(label.y - y) < 0.3) - 0.4
        drop = slope * min(drawing.left - begin, 1.5) / 2
        ends = np.array([[begin, y - drop], [drawing.left - 0.1, y + drop]]) * 40
        cv2.line(page, *np.rint(ends).astype(int).tolist(), (60, 60, 60), 2, cv2.LINE_AA)
    reading = GAME.read(np.ascontiguousarray(np.rot90(page, turn)), None)
    assert reading is not None
    assert reading.board == board


def test_a_stray_digit_is_no_part_of_a_clue() -> None:
    """Every clue is one number, so that no step between numbers tells what is too far."""
    board = puzzle_of(np.tri(6, dtype=int).tolist())
    drawing = draw(board, Style())
    page = np.array(to_image(drawing, 40))[..., ::-1]
    page = cv2.copyMakeBorder(page, 0, 0, 120, 0, cv2.BORDER_REPLICATE)
    y, x = round(drawing.top * 40), 120 + round(drawing.left * 40)
    digit = page[y + 43 : y + 77, x - 38 : x - 2]
    page[y + 83 : y + 117, x - 158 : x - 122] = digit
    reading = GAME.read(page, None)
    assert reading is not None
    assert reading.board == board


def test_a_digit_off_the_steps_of_the_clues_is_part_of_none() -> None:
    """Such as the score that a title ends in, right above a column."""
    filled = np.random.default_rng(100).random((12, 12)) < 0.5
    board = puzzle_of(filled.tolist())
    drawing = draw(board, Style())
    clues = [clue or () for clue in board.col_clues]
    deepest = max(map(len, clues))
    column = next(  # where the digit would find room on the sheet and in the line
        i for i, clue in enumerate(clues) if len(clue) + 2 <= deepest and room(clue) + 2 <= 12
    )
    x = drawing.left + column + 0.5
    end = min(each.y for each in drawing.shapes if isinstance(each, Label) and each.x == x)
    score = Label(x, end - 1.6, Style().digit, "1", Style().ink)
    page = to_image(replace(drawing, shapes=(*drawing.shapes, score)), 40)
    reading = GAME.read(np.array(page)[..., ::-1], None)
    assert reading is not None
    assert reading.board == board


def test_marks_lie_in_their_cells() -> None:
    view = make_view(5)
    reading = GAME.read(view.image, None)
    assert reading is not None
    advice = GAME.advise([reading.board], reading)
    marks = GAME.marks(reading, advice)
    move = advice.moves[0]
    drawn = [mark for mark in marks if mark.kind in ("fill", "cross")]
    assert len(drawn) == len(move.cells)
    quads = reading.cell_quads()
    for mark, (row, col, value) in zip(drawn, move.cells, strict=True):
        assert np.allclose(mark.points, quads[row, col])
        assert mark.kind == ("fill" if value == 1 else "cross")


def test_doubts_are_shown_and_entries_can_be_corrected() -> None:
    view = make_view(5)
    reading = GAME.read(view.image, None)
    assert reading is not None
    unsure = replace(reading.board, row_clues=(None, *reading.board.row_clues[1:]))
    marks = GAME.marks(replace(reading, board=unsure), Advice((), "no move"))
    assert [mark.text for mark in marks] == ["?"]
    fixed = GAME.correct(reading, [Correction((0, 0), "blocked")])
    assert fixed.board.cells[0][0] == -1
    assert fixed.certainty[0, 0] == 1


def test_the_network_gives_chances() -> None:
    chances = classify(np.random.default_rng(0).random((7, 20, 20), np.float32))
    assert chances.shape == (7, 11)
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-3)
