"""The window's size, on a window system of cardboard."""

from __future__ import annotations

import numpy as np
import pytest

from ar_assist import window
from ar_assist.window import Window


class Desk:
    """Stands in for OpenCV's windows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.window_wh = (0, 0)
        for name in ("namedWindow", "setMouseCallback", "imshow"):
            monkeypatch.setattr(window.cv2, name, lambda *_: None)
        monkeypatch.setattr(window.cv2, "resizeWindow", self.resize)
        monkeypatch.setattr(window.cv2, "getWindowImageRect", lambda _: (0, 0, *self.window_wh))

    def resize(self, _title: str, width: int, height: int) -> None:
        self.window_wh = (width, height)

    def shows(self, shown: Window, size_wh: tuple[int, int]) -> tuple[int, int]:
        """The window's size when a picture of this size is shown."""
        shown.show(np.zeros((size_wh[1], size_wh[0], 3), np.uint8))
        return self.window_wh


@pytest.mark.parametrize(
    ("size_wh", "window_wh"),
    [
        ((1280, 720), (1280, 720)),
        ((4000, 3000), (1200, 900)),
        ((1080, 1920), (506, 900)),
        ((3000, 1), (1600, 1)),
    ],
)
def test_a_large_picture_gets_a_window_that_screens_have_room_for(
    monkeypatch: pytest.MonkeyPatch, size_wh: tuple[int, int], window_wh: tuple[int, int]
) -> None:
    desk = Desk(monkeypatch)
    shown = Window(size_wh)
    assert desk.window_wh == window_wh
    assert desk.shows(shown, size_wh) == window_wh


def test_the_debug_view_comes_and_goes_and_the_size_is_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk(monkeypatch)
    shown = Window((1280, 720))
    both, alone = (2196, 720), (1280, 720)
    assert desk.shows(shown, alone) == (1280, 720)
    assert desk.shows(shown, both) == (1600, 525)
    assert desk.shows(shown, alone) == (1280, 720)
    desk.window_wh = (1920, 1080)  # by the player
    assert desk.shows(shown, both) == (1920, 630)
    assert desk.shows(shown, alone) == (1920, 1080)
    desk.window_wh = (640, 360)
    assert desk.shows(shown, both) == (1098, 360)
    assert desk.shows(shown, alone) == (640, 360)
