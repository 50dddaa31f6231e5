"""A display in memory, and hands for it."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from ar_assist.types import Image
from ar_assist.window import TITLE

SIZE_WH = (1600, 1000)
# Without a window manager Qt now and then loses the event that maps its window, which then stays
# black (never seen in ten starts under a window manager). It is started again then.
STARTS = 5
PATIENCE_S = 120.0  # busy machines start programs and find boards slowly


_CLOSE = """
import ctypes, sys
from ctypes import c_int, c_long, c_ulong, c_void_p
x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype, x11.XInternAtom.restype = c_void_p, c_ulong
x11.XInternAtom.argtypes = [c_void_p, ctypes.c_char_p, c_int]
x11.XSendEvent.argtypes = [c_void_p, c_ulong, c_int, c_long, c_void_p]
x11.XSync.argtypes = [c_void_p, c_int]
class ClientMessage(ctypes.Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p),
                ("window", c_ulong), ("message", c_ulong), ("format", c_int),
                ("data", c_long * 5), ("padding", c_long * 24)]
display, window = x11.XOpenDisplay(sys.argv[1].encode()), int(sys.argv[2])
atom = lambda name: x11.XInternAtom(display, name, 0)
event = ClientMessage(type=33, window=window, message=atom(b"WM_PROTOCOLS"), format=32)
event.data[0] = atom(b"WM_DELETE_WINDOW")
x11.XSendEvent(display, window, 0, 0, ctypes.byref(event))
x11.XSync(display, 0)
"""


class Display:
    """An X server without a screen; keys and clicks go to one window: `sought`, for xdotool."""

    def __init__(self, number: str, folder: Path, sought: tuple[str, str]) -> None:
        self.env = {**os.environ, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        self.env.pop("WAYLAND_DISPLAY", None)
        self._framebuffer = folder / "Xvfb_screen0"
        self._sought = sought

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run(["xdotool", *words], env=self.env, capture_output=True, text=True)
        return done.stdout.strip()

    def wait_for_window(self) -> None:
        """Until the program's window is there, with the focus."""
        wait_until(lambda: bool(self._window()), "no window came")
        self._xdotool("windowfocus", self._window())

    def shows_something(self, has_ended: Callable[[], bool]) -> bool:
        """Whether a picture comes up within a few seconds."""
        deadline = time.monotonic() + 8
        while time.monotonic() < deadline and not has_ended():
            if float(self.screenshot()[:600, :1200].mean()) > 5:
                return True
            time.sleep(0.2)
        return False

    def _window(self) -> str:
        return self._xdotool("search", *self._sought).rpartition("\n")[2]

    def resize_window(self, size_wh: tuple[int, int]) -> None:
        """As far as the program lets it shrink or grow."""
        self._xdotool("windowsize", "--sync", self._window(), *map(str, size_wh))

    def window_xywh(self) -> tuple[int, int, int, int]:
        """Where the window is on the display, px."""
        told = self._xdotool("getwindowgeometry", "--shell", self._window())
        known = dict(line.split("=") for line in told.splitlines())
        return int(known["X"]), int(known["Y"]), int(known["WIDTH"]), int(known["HEIGHT"])

    def press(self, *keys: str) -> None:
        """Press keys by xdotool's names (`space`, `Escape`); `R` is shift and r, as hands do it."""
        for key in keys:
            shifts = key.isupper() and len(key) == 1
            if shifts:
                self._xdotool("keydown", "shift")
                time.sleep(0.2)
            self._xdotool("key", key.lower() if shifts else key)
            if shifts:
                self._xdotool("keyup", "shift")
            time.sleep(0.2)

    def click(self, *points: tuple[float, float], button: int = 1) -> None:
        """Click at px of the window."""
        for x, y in points:
            at = (str(round(x)), str(round(y)))
            self._xdotool("mousemove", "--window", self._window(), *at, "click", str(button))
            time.sleep(0.2)

    def park_mouse(self) -> None:
        """Out of the picture, as far as it goes."""
        self._xdotool("mousemove", *map(str, SIZE_WH))

    def close_window(self) -> None:
        """As the window's button does: xdotool can only destroy windows, so by X11 itself."""
        command = [sys.executable, "-c", _CLOSE, self.env["DISPLAY"], self._window()]
        subprocess.run(command, check=True)

    def screenshot(self) -> Image:
        """The whole display, from the server's framebuffer file (XWD, 32 bits a pixel)."""
        data = self._framebuffer.read_bytes()
        header, *_ = struct.unpack_from(">I", data)
        width, height, line_bytes = (struct.unpack_from(">I", data, i)[0] for i in (16, 20, 48))
        colours = struct.unpack_from(">I", data, 76)[0]
        start = header + colours * 12
        pixels = np.frombuffer(data, np.uint8, line_bytes * height, start)
        bgra = pixels.reshape(height, line_bytes // 4, 4)[:, :width]
        return np.ascontiguousarray(bgra[..., :3])

    def window(self) -> Image:
        """The program's window, to the pixel."""
        x, y, width, height = self.window_xywh()
        return self.screenshot()[y : y + height, x : x + width].copy()

    def is_still(self) -> bool:
        """Whether a picture is there and stays, but for the clock in the status bar."""
        before = self.window()
        time.sleep(0.5)
        after = self.window()
        same = before.shape == after.shape and bool((before[:-30] == after[:-30]).all())
        return same and float(after.std()) > 10

    def save(self, path: Path, size_wh: tuple[int, int]) -> None:
        """The top left of the display as a PNG."""
        cv2.imwrite(str(path), self.screenshot()[: size_wh[1], : size_wh[0]])


@contextmanager
def display(sought: tuple[str, str] = ("--name", f"^{TITLE}$")) -> Iterator[Display]:
    """For the program with this window; skips where Xvfb or xdotool is missing."""
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        size = f"{SIZE_WH[0]}x{SIZE_WH[1]}x24"
        server = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", size, "-fbdir", folder],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        try:
            with os.fdopen(read) as numbers:
                yield Display(numbers.readline().strip(), Path(folder), sought)
        finally:
            server.terminate()
            server.wait()


def installed(game: str) -> str:
    """The program; skips the test where it is missing."""
    program = shutil.which(game, path=os.environ.get("PATH", "") + ":/usr/games")
    if program is None:
        pytest.skip(f"{game} is not installed")
    return program


def start(desk: Display, command: list[str], output: Path) -> subprocess.Popen[bytes]:
    """Start a program that shows a picture; what it prints goes to `output`."""
    for _ in range(STARTS):
        # A file of its own: of one that was killed Python's tracker writes what it has left behind.
        output.unlink(missing_ok=True)
        with output.open("w") as file:
            process = subprocess.Popen(command, env=desk.env, stdout=file, stderr=file)
        desk.wait_for_window()
        if desk.shows_something(lambda running=process: running.poll() is not None):
            return process
        process.kill()
        process.wait()
    pytest.fail("the window stays black")


def wait_until(is_so: Callable[[], bool], complaint: str) -> None:
    """Ask again and again, for PATIENCE_S at most."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, complaint
        time.sleep(0.1)
