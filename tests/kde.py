"""Programs of KDE, which want a session bus, on a display."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from xvfb import Display, wait_until

HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")


@contextmanager
def running(
    display: Display, program: str, folder: Path, window_wh: tuple[int, int]
) -> Iterator[None]:
    """The program with a window of this size; its settings and files stay in `folder`."""
    # OpenCV's Qt tells the Qt of all children where its own plugins are.
    env = {name: value for name, value in display.env.items() if not name.startswith("QT_QPA_")}
    with (folder / "output.txt").open("w") as output:
        game = subprocess.Popen(
            ["dbus-run-session", program],
            env={**env, **{name: str(folder) for name in HOMES}},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        display.wait_for_window()
        # before its first picture it would not hear of a new size
        wait_until(display.is_still, "the game never came up")
        display.resize_window(window_wh)
        yield
    finally:
        os.killpg(game.pid, signal.SIGTERM)  # the game and its bus
        game.wait()
