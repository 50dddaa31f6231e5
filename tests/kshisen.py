"""KShisen, a real game: started on a display, read exactly by its pixels, played by the mouse."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from kde import running
from numpy.typing import NDArray
from xvfb import Display, installed, wait_until

from ar_assist.types import Image

WINDOW = ("--class", "kshisen")  # by its name xdotool finds another, hidden one
SIZES = ((6, 14), (9, 16), (8, 18), (12, 24), (14, 26), (16, 30))  # rows, columns by its setting
ART = Path("/usr/share/kmahjongglib")
MOVE_S = 1.0  # for the line that joins a pair (its fastest: 125 ms), and for slow machines
LEAST_KINDS = 15  # on any of its boards; a plain ground has one


@dataclass(frozen=True)
class Grid:
    """Where the cells are, by pixels alone."""

    rows: int
    cols: int
    origin_xy: tuple[int, int]  # of the first cell's top left, px of the window
    pitch_xy: tuple[int, int]

    def inner(self, picture: Image) -> list[bytes]:
        """The pixels of the middle of each cell in reading order: what tiles are known by."""
        (left, top), (dx, dy) = self.origin_xy, self.pitch_xy
        found = []
        for row, col in np.ndindex(self.rows, self.cols):
            x, y = left + col * dx, top + row * dy
            middle = picture[y + dy // 4 : y + 3 * dy // 4, x + dx // 4 : x + 3 * dx // 4]
            found.append(middle.tobytes())
        return found


def grid_of(picture: Image, rows: int, cols: int, face: float) -> Grid:
    """The grid on which every cell of a full board equals another one to the pixel.

    `face` is the height of the tiles over their width. The board is centred in the window's
    width, and pitches are even (both by the game's source); the rest is tried out.
    """
    hashes = _block_hashes(picture)
    height, width = hashes.shape
    fits: dict[tuple[int, int], list[int]] = {}
    for dx in range(16, width // cols + 1, 2):
        xs = (width - dx * cols) // 2 + np.arange(cols) * dx + dx // 2
        for dy in range(2 * round(dx * face / 2) - 4, 2 * round(dx * face / 2) + 5, 2):
            for y in range(height - dy * rows):
                ys = y + np.arange(rows) * dy + dy // 2
                _, counts = np.unique(hashes[np.ix_(ys, xs)], return_counts=True)
                if len(counts) >= LEAST_KINDS and not (counts % 2).any():
                    fits.setdefault((dx, dy), []).append(y)
    assert len(fits) == 1, f"{len(fits)} grids fit the pixels"
    ((dx, dy), tops) = fits.popitem()
    return Grid(rows, cols, ((width - dx * cols) // 2, (tops[0] + tops[-1]) // 2), (dx, dy))


def _block_hashes(picture: Image, size: int = 13) -> NDArray[np.uint64]:
    """A number for the block around each pixel: equal for equal blocks, by chance for no others."""
    grey = picture.astype(np.uint64) @ np.array([1, 1 << 20, 1 << 40], np.uint64)
    for axis, base in ((0, 0x9E3779B97F4A7C15), (1, 0xC2B2AE3D27D4EB4F)):
        factor, total = 1, np.zeros_like(grey)
        for shift in range(-(size // 2), size // 2 + 1):
            factor = factor * base % 2**64  # numbers wrap round, as hashes may
            total += np.roll(grey, shift, axis) * np.uint64(factor)
        grey = total
    return grey


class KShisen:
    """The game, running with a full board."""

    def __init__(self, display: Display, rows: int, cols: int, tileset: str) -> None:
        self._display = display
        display.park_mouse()
        self._rest()
        self.grid = grid_of(self.picture(), rows, cols, _face(tileset))
        kinds = dict.fromkeys(self.grid.inner(self.picture()))
        self._numbers = {pixels: number for number, pixels in enumerate(kinds, 1)}

    def picture(self) -> Image:
        """The window, to the pixel."""
        return self._display.window()

    def cells(self) -> NDArray[np.int64]:
        """(rows, cols) what lies there: 0 is empty, equal numbers are equal to the pixel."""
        cells = [self._numbers.get(pixels, 0) for pixels in self.grid.inner(self.picture())]
        return np.array(cells).reshape(self.grid.rows, self.grid.cols)

    def click(self, *points: tuple[float, float]) -> None:
        """Click at px of the window, and wait until the game has done what it does."""
        self._display.click(*points)
        self._display.park_mouse()
        time.sleep(MOVE_S)
        self._rest()

    def _rest(self) -> None:
        wait_until(self._display.is_still, "the game never came to rest")


def _face(tileset: str) -> float:
    """Height over width of the face of its tiles."""
    lines = (ART / f"tilesets/{tileset}.desktop").read_text().splitlines()
    told = dict(line.split("=", 1) for line in lines if line.startswith("TileFace"))
    return int(told["TileFaceHeight"]) / int(told["TileFaceWidth"])


@contextmanager
def kshisen(
    display: Display,
    folder: Path,
    size: int = 2,
    tileset: str = "classic",
    background: str = "default",
    window_wh: tuple[int, int] = (1000, 700),
    gravity: bool = False,
) -> Iterator[KShisen]:
    """Skips the test where the game is missing. Its settings and files stay in `folder`."""
    program = installed("kshisen")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kshisenrc").write_text(
        f"[General]\nTileset_file={ART}/tilesets/{tileset}.desktop\n"
        f"Background_file={ART}/backgrounds/{background}.desktop\n"
        f"[Game]\nSize={size}\nGravity={str(gravity).lower()}\nSolvable=true\n"
        "Sounds=false\nSpeed=4\n"
    )
    with running(display, program, folder, window_wh):
        yield KShisen(display, *SIZES[size], tileset)
