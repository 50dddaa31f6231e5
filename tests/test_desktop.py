"""The real window under Xvfb, driven by xdotool."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from views import GREY_FRAME, view_of
from xvfb import Display, display, wait_until

from ar_assist.types import Correction

pytestmark = pytest.mark.desktop
DRIVER = Path(__file__).with_name("desk_driver.py")
STATUS_PX = 60


@pytest.fixture(scope="module")
def desk() -> Iterator[Display]:
    with display() as opened:
        yield opened


class Program:
    """The driver, running."""

    def __init__(self, desk: Display, folder: Path) -> None:
        self.desk, self.folder = desk, folder
        self._output = folder / "output.txt"
        with self._output.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, str(DRIVER), str(folder)], env=desk.env, stdout=file, stderr=file
            )
        desk.wait_for_window()
        wait_until(lambda: "frame 0" in self.output(), "no frame came")

    def output(self) -> str:
        return self._output.read_text()

    def tells(self, words: object) -> None:
        wait_until(lambda: f"{words}\n" in self.output(), f"never said: {words}")

    def ends(self) -> None:
        self.tells("left")
        assert self.process.wait(timeout=20) == 0


@pytest.fixture
def program(desk: Display, tmp_path: Path) -> Iterator[Program]:
    started = Program(desk, tmp_path)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()


def centre(row: int, col: int) -> tuple[float, float]:
    """Of a cell, px of the window."""
    view = view_of(GREY_FRAME)
    assert view.plane and view.reading
    x, y = view.plane.to_frame(view.reading.cell_quads()[row, col].mean(axis=0))
    return float(x), float(y)


def test_keys_and_mouse_reach_the_assistant(program: Program) -> None:
    program.desk.press("n", "f", "r", "m")
    for words in ("another", "find anew", "turn", "mirror"):
        program.tells(words)
    corners = [(100.0, 100.0), (500.0, 120.0), (480.0, 400.0), (90.0, 380.0)]
    program.desk.press("c")
    program.desk.click(*corners)
    program.tells(("corners", [list(corner) for corner in corners]))
    program.desk.click(centre(2, 3))
    program.desk.press("e")
    program.tells(Correction((2, 3), "empty"))
    program.desk.click(centre(5, 9), centre(0, 0))
    program.tells(Correction((5, 9), "same", (0, 0)))
    program.desk.press("q")
    program.ends()


def test_the_window_shows_the_hint_and_its_states(program: Program) -> None:
    plain = program.desk.screenshot()
    assert (plain[:600, :1280] == (66, 228, 240)).all(axis=2).sum() > 500, "no yellow path"
    program.desk.press("v")
    wait_until(
        lambda: not (program.desk.screenshot()[:600] == (66, 228, 240)).all(axis=2).any(),
        "v leaves the hint on",
    )
    program.desk.press("h")
    middle = np.s_[300:420, 600:680]
    wait_until(
        lambda: bool((program.desk.screenshot()[middle] != plain[middle]).any()), "no help came"
    )
    program.desk.press("Escape", "Escape")
    program.ends()


def test_files_by_key(program: Program) -> None:
    program.desk.press("s", "R", "b", "R")
    for pattern in ("ar-assist-*.png", "ar-assist-*.mp4", "ar-assist-bug-*.zip"):
        wait_until(lambda p=pattern: any(program.folder.glob(p)), f"no {pattern}")  # type: ignore[misc]
    program.desk.press("q")
    program.ends()


def test_closing_the_window_ends_the_program(program: Program) -> None:
    program.desk.close_window()
    program.ends()
