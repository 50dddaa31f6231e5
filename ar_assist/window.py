"""The window: shows pictures, and gives back what the player did."""

from __future__ import annotations

import subprocess
import sys
import time

import cv2

from ar_assist.types import Image

TITLE = "ar-assist"
# Of its window and that of `label`.
KIND = cv2.WINDOW_NORMAL | cv2.WINDOW_KEEPRATIO | cv2.WINDOW_GUI_NORMAL
MOST_WH = (1600, 900)  # px of a window that nobody enlarged: OpenCV tells no screen's size, and the
# status line at the bottom of a photo, or of a full HD camera, lay below that of most
PROBE_S = 20.0  # for the trial below; a slow machine loads OpenCV for seconds
KEY_BITS = 0xFFFF  # GTK puts Num Lock and the like above
SHIFT_KEYS = (0xFFE1, 0xFFE2)  # X11's keysyms
SHIFT_S = 1.0  # between shift and its letter
_PROBE = "import cv2; cv2.namedWindow('trial'); cv2.waitKey(1); cv2.destroyAllWindows()"


def can_show() -> bool:
    """Whether a window can be opened here.

    Tried in another process: OpenCV without a window system raises, but Qt without a display
    ends the whole program.
    """
    command = [sys.executable, "-c", _PROBE]
    try:
        return subprocess.run(command, capture_output=True, timeout=PROBE_S).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class Window:
    """One window. Keys come as characters ("\\x1b" is Esc), clicks as (x, y) of the picture."""

    def __init__(self, size_wh: tuple[int, int]) -> None:
        cv2.namedWindow(TITLE, KIND)
        self._size_wh = size_wh  # of the picture on show
        self._zoom, self._most_wh = 1.0, MOST_WH  # as the player has it
        self._fit()
        cv2.setMouseCallback(TITLE, self._on_mouse)
        self._clicks: list[tuple[float, float]] = []
        self._is_shown = False
        self._shifted_at = float("-inf")

    def show(self, image: Image) -> None:
        """Put a picture into the window; it is on the screen after the next `keys`.

        A picture of another size changes the window's, so that nothing is squeezed.
        """
        size_wh = (image.shape[1], image.shape[0])
        if size_wh != self._size_wh:
            if self._is_shown:
                self._heed_player()
            self._size_wh = size_wh
            self._fit()
        cv2.imshow(TITLE, image)
        self._is_shown = True

    def _heed_player(self) -> None:
        """Take over the size that the player gave the window."""
        width, height = cv2.getWindowImageRect(TITLE)[2:]
        if min(width, height) > 0 and abs(height - self._given_wh[1]) > 1:
            self._zoom = height / self._size_wh[1]
            self._most_wh = (max(MOST_WH[0], width), max(MOST_WH[1], height))

    def _fit(self) -> None:
        """Give the window the picture's shape."""
        wide, high = self._size_wh
        zoom = min(self._zoom, self._most_wh[0] / wide, self._most_wh[1] / high)
        self._given_wh = max(1, round(wide * zoom)), max(1, round(high * zoom))
        cv2.resizeWindow(TITLE, *self._given_wh)

    def keys(self, wait_s: float) -> list[str]:
        """Let the window work for about `wait_s` (at least 1 ms); the keys that were pressed."""
        keys = []
        code = cv2.waitKeyEx(max(1, round(wait_s * 1000)))
        while code >= 0:
            if key := self._key(code & KEY_BITS):
                keys.append(key)
            code = cv2.waitKeyEx(1)
        return keys

    def _key(self, code: int) -> str:
        """The character of a key; "" for those that have none, such as arrows.

        OpenCV's Qt window gives `r` for R as well, with the shift key as a key press before it.
        """
        if code in SHIFT_KEYS:
            self._shifted_at = time.monotonic()
            return ""
        key = chr(code) if code < 128 else ""
        is_shifted = time.monotonic() - self._shifted_at < SHIFT_S
        self._shifted_at = float("-inf")  # it counts for one letter
        return key.upper() if is_shifted else key

    def clicks(self) -> list[tuple[float, float]]:
        """The clicks since the last call, px of the picture on show."""
        clicks, self._clicks = self._clicks, []
        return clicks

    @property
    def is_closed(self) -> bool:
        """Whether the player closed the window by its button."""
        try:
            return self._is_shown and cv2.getWindowProperty(TITLE, cv2.WND_PROP_VISIBLE) < 1
        except cv2.error:  # Qt: no such window any more
            return True

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *error: object) -> None:
        cv2.destroyAllWindows()

    def _on_mouse(self, event: int, x: int, y: int, _flags: int, _data: object) -> None:
        if event == cv2.EVENT_LBUTTONDOWN:
            self._clicks.append((float(x), float(y)))
