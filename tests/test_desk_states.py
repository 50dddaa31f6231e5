"""Every state that the window words: the whole program under Xvfb, before a camera that a film is
served as. Screenshots of all are left in the test's folder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import pytest
from film import STUCK, Film, after_moves
from mjpeg_server import mjpeg_server
from xvfb import Display, display, start, wait_until

from ar_assist.overlay.lettering import text_mask
from ar_assist.overlay.marks import YELLOW
from ar_assist.types import Image

pytestmark = pytest.mark.desktop
FPS = 15.0
LETTERS_PX = 19  # of the status line at 720p
SAME_WORDS = 0.98  # correlation of the words with where they stand; one digit off gives 0.96
HINT_PX = 500  # that frames and path take at least


class Onlooker:
    """Reads the window's status line."""

    def __init__(self, desk: Display, folder: Path) -> None:
        self._desk, self._folder = desk, folder
        self._xywh = desk.window_xywh()
        self._count = 0

    def sees(self, words: str, hint: bool | None = False) -> None:
        """Wait for the words; a hint has to be on show with them, or none, or (None) may be."""
        wait_until(lambda: self._reads(words), f"never said: {words}")
        self._count += 1
        name = f"{self._count:02d} {words.partition(':')[0]}.png".replace(" ", "-")
        cv2.imwrite(str(self._folder / name), self._picture)
        marked = int((self._picture == YELLOW).all(axis=2).sum())
        if hint is not None:
            assert marked > HINT_PX if hint else not marked, f"{words}: {marked} px of a hint"

    def _reads(self, words: str) -> bool:
        """Twice, for a picture may be painted just now."""
        return all(_has_words(self._look(), words) for _ in range(2))

    def _look(self) -> Image:
        x, y, width, height = self._xywh
        self._picture = self._desk.screenshot()[y : y + height, x : x + width]
        return self._picture


def _has_words(picture: Image, words: str) -> bool:
    mask = text_mask(words, LETTERS_PX)
    grey = cv2.cvtColor(picture[-3 * LETTERS_PX :], cv2.COLOR_BGR2GRAY)
    return float(cv2.matchTemplate(grey, mask, cv2.TM_CCOEFF_NORMED).max()) > SAME_WORDS


def test_every_state_is_shown_in_words_and_a_hint_only_where_one_is_ready(tmp_path: Path) -> None:
    film, log = Film(), tmp_path / "run.jsonl"
    full = film.board
    film.defocus()
    with display() as desk, mjpeg_server(film.picture, FPS) as served:
        command = [sys.executable, "-m", "ar_assist", "--source", served.url, "--game", "link"]
        process = start(desk, [*command, "--log", str(log)], tmp_path / "output.txt")
        try:
            onlooker = Onlooker(desk, tmp_path)
            desk.park_mouse()
            onlooker.sees("searching for a board")
            film.show()
            onlooker.sees("ready", hint=True)
            film.show(hand_on=tuple(hint_in(log)["a"]))
            onlooker.sees("something moves, reading again")
            onlooker.sees("a hand or something else is in the way")
            film.show()
            onlooker.sees("ready", hint=True)
            film.defocus()
            onlooker.sees("lost the board, searching for it")
            film.show(STUCK)
            onlooker.sees("reading the board")
            onlooker.sees("no pair left: the game should shuffle")
            film.show(full)
            onlooker.sees("ready", hint=True)
            for moves in (9, 9, 1):  # fewer than half of the tiles: more is another board
                film.show(after_moves(film.board, moves))
                onlooker.sees(f"{film.board.left} tiles left", hint=None)
            film.show(after_moves(film.board, 1))
            onlooker.sees("solved: the board is cleared")
            desk.press("q")
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()
            process.wait()


def hint_in(log: Path) -> dict[str, list[int]]:
    """The last one that was logged."""
    views = map(json.loads, log.read_text().splitlines()[:-1])
    hints = [view["hint"] for view in views if view["hint"]]
    return dict(hints[-1])
