"""Picmi, a real nonogram, started on a display with a puzzle of our own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
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
    # OpenCV's Qt tells the Qt of all children where its own plugins are.
    env = {name: value for name, value in display.env.items() if not name.startswith("QT_QPA_")}
    homes = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    with (folder / "output.txt").open("w") as output:
        game = subprocess.Popen(
            ["dbus-run-session", program],
            env={**env, **{name: str(folder) for name in homes}},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        display.wait_for_window()
        wait_until(display.is_still, "the game never came up")
        display.resize_window(window_wh)
        own = display.window_xywh()

        def has_dialog() -> bool:
            display.wait_for_window()  # which has the focus then: it may have come late
            display.press("ctrl+o")
            return display.window_xywh() != own

        wait_until(has_dialog, "no dialog came up")
        display.press("Return")  # the first of its puzzles is chosen already
        wait_until(lambda: display.window_xywh() == own, "the dialog stays")
        yield
    finally:
        os.killpg(game.pid, signal.SIGTERM)  # the game and its bus
        game.wait()
