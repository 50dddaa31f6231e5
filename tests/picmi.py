"""Picmi, a real nonogram, started on a display with a puzzle of our own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from kde import running
from numpy.typing import NDArray
from xvfb import Display, installed, wait_until

WINDOW = ("--class", "picmi")


@contextmanager
def picmi(
    display: Display, folder: Path, filled: NDArray[np.bool_], window_wh: tuple[int, int]
) -> Iterator[None]:
    """The game with the puzzle of these cells; skips the test where the game is missing. Its
    settings and files stay in `folder`."""
    program = installed("picmi")
    levels = folder / "picmi/levels"
    levels.mkdir(parents=True)
    rows = ("".join("-1"[cell] for cell in row) for row in filled.astype(int))
    cells = "".join(f"<row>{row}</row>" for row in rows)
    board = f'<board name="ours" author="ours" difficulty="1">{cells}</board>'
    (levels / "ours.xml").write_text(f'<?xml version="1.0"?><picmi name="Ours">{board}</picmi>')
    with running(display, program, folder, window_wh):
        own = display.window_xywh()

        def has_dialog() -> bool:
            display.wait_for_window()  # which has the focus then: it may have come late
            display.press("ctrl+o")
            return display.window_xywh() != own

        wait_until(has_dialog, "no dialog came up")
        display.press("Return")  # the first of its puzzles is chosen already
        wait_until(lambda: display.window_xywh() == own, "the dialog stays")
        yield
