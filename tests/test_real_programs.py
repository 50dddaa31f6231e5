"""Real games, played by the hints: programs on a display, a web page in Chromium.

What lies on the board is known from the game (KShisen: equality of pixels; the page: its script;
Pattern: the clues that it prints; Picmi: a puzzle of ours; GRhino tells), never from the reader.
Clicks go where the hint is drawn.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol
from urllib.parse import urlencode

import cv2
import numpy as np
import pytest
from browser import Browser, browser
from grhino import WINDOW as QUARRY
from grhino import change, grhino, quarry
from kshisen import WINDOW, kshisen
from numpy.typing import NDArray
from picmi import WINDOW as PICMI
from picmi import picmi
from xvfb import Display, display, installed, wait_until

from ar_assist.assistant import Assistant
from ar_assist.games import GAMES
from ar_assist.games.nonogram.board import CROSSED, DOUBTFUL, FILLED, NonogramBoard, puzzle_of
from ar_assist.games.nonogram.solver import solve
from ar_assist.games.othello.board import BLACK, WHITE
from ar_assist.replay import ClipExecutor
from ar_assist.types import Frame, Image, View

pytestmark = pytest.mark.programs
PAGE = Path(__file__).with_name("link_game.html")
PICTURE = (  # has one solution, and no line without blocks
    "....###...",
    "..######..",
    ".#######..",
    "########..",
    "######....",
    "#######...",
    "..#..##...",
    ".##..##.##",
)
GAZE_S = 1.0  # of frames between looks that a player takes to see what came of the move
PATIENCE = 12  # such gazes until a hint has to be there
Cells = NDArray[np.int64]


class Game(Protocol):
    """A program that is played."""

    def picture(self) -> Image: ...
    def cells(self) -> Cells: ...
    def click(self, *points: tuple[float, float]) -> None: ...


class Page:
    """The web page's game."""

    def __init__(self, opened: Browser, **asked: object) -> None:
        self._browser = opened
        opened.open(f"{PAGE.as_uri()}?{urlencode(asked)}")

    def picture(self) -> Image:
        return self._browser.screenshot()

    def cells(self) -> Cells:
        return np.array(self._browser.run("return cells"))

    def click(self, *points: tuple[float, float]) -> None:
        for x, y in points:
            self._browser.click(x, y)


@pytest.fixture
def desk() -> Iterator[Display]:
    """One for each game, which may outlive its test by a moment."""
    with display(WINDOW) as opened:
        yield opened


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


def play(game: Game, hints: int, settle: Callable[[Cells], Cells] = lambda cells: cells) -> None:
    """Follow so many hints; every one has to be read off a true board and to remove its pair."""
    assistant = Assistant((GAMES["link"],), ClipExecutor(), ClipExecutor())
    number = 0
    for _ in range(hints):
        before = game.cells()
        for _ in range(PATIENCE):  # a busy machine may still mark the pair that is taken
            view = assistant.step(Frame(number, number * GAZE_S, game.picture()))
            number += 1
            if view.advice and view.advice.moves and tiles_left(view) == np.count_nonzero(before):
                break
        else:
            left = f"{tiles_left(view)} of {np.count_nonzero(before)} tiles"
            pytest.fail(f"no hint: {view.state}, {view.reason}, {left}")
        check_reading(view, before)
        a, b = hinted(view)
        game.click(*(centre(view, cell) for cell in (a, b)))
        after = before.copy()
        after[a] = after[b] = 0
        np.testing.assert_array_equal(game.cells(), settle(after))


def tiles_left(view: View) -> int:
    return 0 if view.reading is None else int(view.reading.board.left)


def check_reading(view: View, truth: Cells) -> None:
    """The board has the truth's shape, and equal tiles where the truth has them."""
    assert view.reading is not None
    read = np.array(view.reading.board.cells)
    assert read.shape == truth.shape
    pairs = {(int(ours), int(theirs)) for ours, theirs in zip(read.flat, truth.flat, strict=True)}
    assert len(pairs) == len(np.unique(read)) == len(np.unique(truth))
    assert all((ours == 0) == (theirs == 0) for ours, theirs in pairs)


def hinted(view: View) -> tuple[tuple[int, int], tuple[int, int]]:
    assert view.advice is not None
    link = view.advice.moves[view.choice].link
    return link.a, link.b


def centre(view: View, cell: tuple[int, int]) -> tuple[float, float]:
    """Where the hint shows the cell, px of the picture."""
    assert view.reading is not None
    assert view.plane is not None
    x, y = view.plane.to_frame(view.reading.cell_quads()[cell]).mean(0).tolist()
    return x, y


def fallen(cells: Cells) -> Cells:
    """The tiles of each column at its bottom."""
    order = np.argsort(cells != 0, axis=0, kind="stable")
    return np.take_along_axis(cells, order, axis=0)


@pytest.mark.parametrize(
    ("size", "tileset", "background", "window_wh"),
    [
        (2, "classic", "default", (1000, 700)),
        (0, "classic", "color_plain", (800, 600)),
        (1, "traditional", "egyptian", (1000, 700)),
    ],
)
def test_kshisen(
    desk: Display,
    tmp_path: Path,
    size: int,
    tileset: str,
    background: str,
    window_wh: tuple[int, int],
) -> None:
    with kshisen(desk, tmp_path, size, tileset, background, window_wh) as game:
        play(game, hints=2)


def test_kshisen_with_falling_tiles(desk: Display, tmp_path: Path) -> None:
    with kshisen(desk, tmp_path, tileset="jade", gravity=True) as game:
        play(game, hints=3, settle=fallen)


def test_a_screenshot_of_kshisen_by_the_command(desk: Display, tmp_path: Path) -> None:
    with kshisen(desk, tmp_path / "game") as game:
        truth, photo, log = game.cells(), tmp_path / "shot.png", tmp_path / "log.jsonl"
        cv2.imwrite(str(photo), game.picture())
    command = [sys.executable, "-m", "ar_assist", "image", str(photo), "--log", str(log)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "144 tiles left" in done.stdout
    record = json.loads(log.read_text().splitlines()[0])
    assert (record["board"]["rows"], record["board"]["cols"]) == truth.shape
    a, b = (tuple(record["hint"][end]) for end in "ab")
    assert truth[a] == truth[b]


@pytest.mark.parametrize(
    "asked",
    [
        {"skin": "glyphs", "rows": 8, "cols": 12, "kinds": 16, "seed": 1},
        {"skin": "icons", "rows": 9, "cols": 14, "kinds": 18, "seed": 2, "wallpaper": 1},
        {"skin": "photo", "rows": 8, "cols": 10, "kinds": 10, "seed": 3, "gap": 0},
    ],
)
def test_web_page(chromium: Browser, asked: dict[str, object]) -> None:
    play(Page(chromium, **asked), hints=3)


def test_tathams_pattern() -> None:
    """Its open cells are grey, and turn black or white: two buttons of the mouse."""
    program = installed("sgt-pattern")
    words = [program, "--generate", "1", "10x10#2"]
    puzzle = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    (solution,) = solve(_told(puzzle)).solutions
    with display(("--class", "sgt-pattern")) as desk:
        game = subprocess.Popen([program, puzzle], env=desk.env)
        try:
            desk.wait_for_window()
            begin(desk, np.array(solution))
        finally:
            game.kill()
            game.wait()


def test_picmi(tmp_path: Path) -> None:
    """A wallpaper shows through its cells, and those of the cursor's row and column are lit."""
    filled = np.array([[cell == "#" for cell in row] for row in PICTURE])
    (solution,) = solve(puzzle_of(filled.tolist())).solutions
    with display(PICMI) as desk, picmi(desk, tmp_path, filled, (1000, 700)):
        begin(desk, np.array(solution))


def begin(desk: Display, solution: Cells) -> None:
    """Enter a nonogram by the hints until it is well begun; each is read before the next."""
    assistant = Assistant((GAMES["nonogram"],), ClipExecutor(), ClipExecutor())
    desk.park_mouse()
    wait_until(desk.is_still, "the game never came up")
    number, entered = 0, np.zeros_like(solution)
    while number < PATIENCE * 6 and not is_well_begun(entered):
        view = assistant.step(Frame(number, number * GAZE_S, desk.window()))
        number += 1
        if view.reading is None or not are_seen(entered, view):
            continue
        if not view.advice or not view.advice.moves:
            continue
        move = view.advice.moves[view.choice]
        assert not move.mistakes
        for row, col, value in move.cells:
            assert value == solution[row][col]
            if not entered[row, col]:  # what it is not sure of it may name again
                desk.click(centre(view, (row, col)), button=1 if value == FILLED else 3)
            entered[row, col] = value
        desk.park_mouse()
        wait_until(desk.is_still, "the game never came to rest")
    assert is_well_begun(entered)


def are_seen(entered: Cells, view: View) -> bool:
    """Whether the cells that are read, and not in doubt, are those of the board."""
    assert view.reading is not None
    read = np.array(view.reading.board.cells)
    if read.shape != entered.shape:
        return False
    return bool(((read == entered) | (view.reading.certainty < DOUBTFUL)).all())


def test_grhino(tmp_path: Path) -> None:
    """A game against itself, in its window, from its twentieth move backwards."""
    with grhino() as rhino, display(QUARRY) as desk:
        game = [rhino.moves((BLACK, WHITE)[number % 2]) for number in range(20)]
        with quarry(desk, tmp_path, game):
            for mover in (BLACK, WHITE, BLACK):
                assistant = Assistant((GAMES["othello"],), ClipExecutor(), ClipExecutor())
                picture = desk.window()
                for number in range(PATIENCE):
                    view = assistant.step(Frame(number, number * GAZE_S, picture))
                    if view.advice:
                        break
                assert view.reading is not None
                assert view.reading.board.cells == rhino.board()
                assert view.advice is not None
                move = view.advice.moves[view.choice]
                assert move.colour == mover
                rhino.sees(mover, move.square)  # and finds it legal
                rhino.takes_back(2)
                change(desk, "alt+Left")


def is_well_begun(entered: Cells) -> bool:
    """Enough that open cells are no paper's: both kinds, in a quarter of the cells."""
    return {FILLED, CROSSED} <= set(entered.flat) and (entered != 0).sum() >= entered.size // 4


def _told(puzzle: str) -> NonogramBoard:
    """What the game prints of a puzzle: `WIDTHxHEIGHT:` and the clues of columns, then rows."""
    size, _, told = puzzle.partition(":")
    cols, rows = map(int, size.split("x"))
    clues = [tuple(map(int, clue.split("."))) if clue else (0,) for clue in told.split("/")]
    return NonogramBoard(tuple(clues[cols:]), tuple(clues[:cols]), ((0,) * cols,) * rows)
