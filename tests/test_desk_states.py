"""Every state that the window words: the whole program under Xvfb, before a camera that a film is
served as. Screenshots of all are left in the test's folder.
"""

from __future__ import annotations

import json
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import pytest
from film import STUCK, Film, after_moves
from mjpeg_server import mjpeg_server
from xvfb import Display, display, start, wait_until

from ar_assist import runlog
from ar_assist.overlay.lettering import text_mask
from ar_assist.overlay.marks import YELLOW
from ar_assist.types import Image

pytestmark = pytest.mark.desktop
FPS = 15.0
LETTERS_PX = 19  # of the status line at 720p
STRIP_PX = 140  # at the bottom: the status line, and questions above it
SAME_WORDS = 0.98  # correlation of the words with where they stand; one digit off gives 0.96
STAYS_S = 2.0  # of looks, which read the tile otherwise
SECRET = "s3cret"
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
    grey = cv2.cvtColor(picture[-STRIP_PX:], cv2.COLOR_BGR2GRAY)
    return float(cv2.matchTemplate(grey, mask, cv2.TM_CCOEFF_NORMED).max()) > SAME_WORDS


@contextmanager
def played(film: Film, folder: Path, *flags: str) -> Iterator[tuple[Display, Onlooker]]:
    """The program before a film, and `q` at the end: its display, and who looks at it."""
    with display() as desk, mjpeg_server(film.picture, FPS) as served:
        url = served.url.replace("http://", f"http://me:{SECRET}@")
        command = [sys.executable, "-m", "ar_assist", "--source", url, "--game", "link", *flags]
        process = start(desk, command, folder / "output.txt")
        try:
            desk.park_mouse()
            yield desk, Onlooker(desk, folder)
            desk.press("q")
            assert process.wait(timeout=20) == 0
            (told,) = (folder / "output.txt").read_text().splitlines()
            assert "1280x720" in told, "nothing is left to complain of"
        finally:
            process.kill()
            process.wait()


def test_every_state_is_shown_in_words_and_a_hint_only_where_one_is_ready(tmp_path: Path) -> None:
    film, log = Film(), tmp_path / "run.jsonl"
    full = film.board
    film.defocus()
    with played(film, tmp_path, "--log", str(log)) as (_, onlooker):
        onlooker.sees("searching for a board")
        film.show()
        onlooker.sees("ready", hint=True)
        pointed_at = hint_in(log)
        film.show(hand_on=tuple(pointed_at["a"]))
        wait_until(lambda: hint_in(log) != pointed_at, "no hint beside the hand")
        onlooker.sees("ready", hint=True)
        film.defocus()
        onlooker.sees("lost the board, searching for it")
        film.show(STUCK)
        onlooker.sees("no pair left: the game should shuffle")
        film.show(hand_on=(0, 3))
        onlooker.sees("a hand or something else is in the way")
        film.show(full)
        onlooker.sees("ready", hint=True)
        for moves in (9, 9, 1):  # fewer than half of the tiles: more is another board
            film.show(after_moves(film.board, moves))
            onlooker.sees(f"{film.board.left} tiles left", hint=None)
        film.show(after_moves(film.board, 1))
        onlooker.sees("solved: the board is cleared")
    # A state may pass before a screenshot is taken: the log has every frame.
    logged = list(runlog.read(log))
    searched_or_followed = {"reading the board", "the board has changed, reading it again"}
    for reasons in (
        {"something moves, reading again"},
        {"a hand or something else is in the way"},
        {"lost the board, searching for it"},
        searched_or_followed,  # which of the two brings a board back is a matter of time
    ):
        hints = [line["hint"] for line in logged if line["reason"] in reasons]
        assert hints, f"never said: {reasons}"
        assert not any(hints), reasons


def test_what_the_player_says_by_mouse_holds_and_a_password_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Corners, a correction, and a bundle of it all."""
    monkeypatch.chdir(tmp_path)
    film, log = Film(), tmp_path / "run.jsonl"
    with played(film, tmp_path, "--log", str(log)) as (desk, onlooker):
        onlooker.sees("40 tiles left", hint=None)
        desk.press("c")
        onlooker.sees("click the board's top left corner (Esc: leave it)", hint=None)
        desk.click(*film.corners())
        onlooker.sees("reading the board in these corners", hint=None)
        onlooker.sees("40 tiles left", hint=None)
        desk.click(*film.spots((2, 3)))
        onlooker.sees("row 3 column 4:   e   it is empty    x   it is blocked", hint=None)
        desk.press("e")
        onlooker.sees("39 tiles left", hint=None)
        time.sleep(STAYS_S)
        onlooker.sees("39 tiles left", hint=None)
        desk.press("b")
        wait_until(lambda: any(tmp_path.glob("*.zip")), "no bundle came")
    (bundle,) = map(zipfile.ZipFile, tmp_path.glob("*.zip"))
    written = [bundle.read(name) for name in bundle.namelist()]
    assert any(name.startswith("frames/") for name in bundle.namelist())
    written += [log.read_bytes(), (tmp_path / "output.txt").read_bytes()]
    assert not any(SECRET.encode() in data for data in written)


def hint_in(log: Path) -> dict[str, list[int]]:
    """The last one that was logged, once one is: a frame is shown before its line is written."""
    hints: list[dict[str, list[int]]] = []

    def is_logged() -> bool:
        whole = [line for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        hints[:] = filter(None, (json.loads(line)["hint"] for line in whole))
        return bool(hints)

    wait_until(is_logged, "no hint was logged")
    return hints[-1]
