"""GRhino, a real Othello program, and Quarry, the window in which it is played."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from xvfb import Display, installed, wait_until

from ar_assist.games.othello.board import BLACK, WHITE, Colour, parse_square, square_name

WINDOW = ("--class", "quarry")
SHORT = {BLACK: "b", WHITE: "w"}
DISCS = {".": 0, "X": BLACK, "O": WHITE}


class GRhino:
    """Plays, and knows what lies on the board (Go Text Protocol, version 2)."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def board(self) -> tuple[tuple[Colour, ...], ...]:
        rows = [line.split() for line in self._answer("showboard").splitlines()]
        return tuple(tuple(DISCS[disc] for disc in row[1:]) for row in rows if row[:1] != ["a"])

    def moves(self, mover: Colour) -> int:
        """The square that it takes; it must have one."""
        return parse_square(self._answer(f"genmove {SHORT[mover]}"))

    def sees(self, mover: Colour, square: int) -> None:
        """Another one's move."""
        self._answer(f"play {SHORT[mover]} {square_name(square)}")

    def takes_back(self, moves: int) -> None:
        for _ in range(moves):
            self._answer("undo")

    def _answer(self, command: str) -> str:
        told, answer = self._process.stdin, self._process.stdout
        assert told is not None
        assert answer is not None
        print(command, file=told, flush=True)
        first, *rest = iter(answer.readline, "\n")
        assert first.startswith("="), f"{command}: {first}"
        return "".join(rest) or first.removeprefix("=").strip()


@contextmanager
def grhino() -> Iterator[GRhino]:
    """At the begin of a game; skips the test where the program is missing."""
    process = subprocess.Popen(
        [installed("gtp-rhino"), "--level=1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield GRhino(process)
    finally:
        process.communicate("quit\n")


@contextmanager
def quarry(display: Display, folder: Path, moves: list[int]) -> Iterator[None]:
    """A game after these moves, black's and white's in turn; skips where Quarry is missing."""
    program = installed("quarry")
    played = "".join(
        f";{'BW'[number % 2]}[{'abcdefgh'[square % 8]}{'abcdefgh'[square // 8]}]"
        for number, square in enumerate(moves)
    )
    record = folder / "game.sgf"
    record.write_text(f"(;GM[2]FF[4]SZ[8]{played})")
    game = subprocess.Popen([program, str(record)], env={**display.env, "HOME": str(folder)})
    try:
        display.wait_for_window()
        wait_until(display.is_still, "the game never came up")
        change(display, "alt+End")
        yield
    finally:
        game.kill()
        game.wait()


def change(display: Display, key: str) -> None:
    """Press a key until the window shows what comes of it, and rests."""
    before = display.window()

    def has_changed() -> bool:
        display.wait_for_window()  # which has the focus then: it may have come late
        display.press(key)
        wait_until(display.is_still, "the game never came to rest")
        return bool((display.window() != before).any())

    wait_until(has_changed, f"{key} changes nothing")
