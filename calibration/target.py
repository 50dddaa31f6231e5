"""Calibration targets: ChArUco boards to print or to show on a screen, and plain chessboards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Array = NDArray[np.float64]

MIN_CORNERS = 8  # of a view: a homography from fewer says little about a lens
SQUARE_MOST_MM = 1000.0
LEAST_SQUARE_PX = 16  # of a target on a screen: the cells of a marker take two px
MARKER_SHARE = 0.75  # of a ChArUco square's side
SUBPIX_PX = 5  # half window of the corner refinement; squares must be twice as wide
BETWEEN_MARKERS_PX = 3  # … of ChArUco, where markers begin an eighth of a square from the corner


@dataclass(frozen=True, eq=False)
class View:
    """The target as one picture shows it."""

    object_points: Array  # (N, 3) in squares, z = 0
    image_points: Array  # (N, 2) px
    name: str = ""


@dataclass(frozen=True)
class Target:
    """`charuco` by squares, `chessboard` by inner corners, as OpenCV counts them."""

    kind: str  # "charuco" or "chessboard"
    cols: int
    rows: int
    square_mm: float = 0.0  # 0: unknown; intrinsics do not depend on it

    @classmethod
    def parse(cls, text: str, square_mm: float = 0.0) -> Target:
        """Read `charuco:7x5` or `chessboard:9x6`; ValueError says what is wrong."""
        kind, _, size = text.partition(":")
        try:
            cols, rows = (int(n) for n in size.lower().split("x"))
        except ValueError:
            raise ValueError(f"{text!r}: write it like charuco:7x5 or chessboard:9x6") from None
        if kind not in ("charuco", "chessboard") or min(cols, rows) < 3 or max(cols, rows) > 40:
            raise ValueError(f"{text!r}: charuco or chessboard, 3 to 40 a side")
        if not 0 <= square_mm <= SQUARE_MOST_MM:
            raise ValueError(f"a square of {square_mm:g} mm: 0 (not known) to {SQUARE_MOST_MM:g}")
        return cls(kind, cols, rows, square_mm)

    def __str__(self) -> str:
        return f"{self.kind}:{self.cols}x{self.rows}"

    @property
    def in_full(self) -> str:
        """With the size of its squares, where that was told."""
        return f"{self} with squares of {self.square_mm:g} mm" if self.square_mm else str(self)

    def picture(self, square_px: int) -> Image:
        """The target with a white margin of one square."""
        if self.kind == "charuco":
            size = ((self.cols + 2) * square_px, (self.rows + 2) * square_px)
            drawn = self._charuco().generateImage(size, marginSize=square_px)
            return np.asarray(cv2.cvtColor(drawn, cv2.COLOR_GRAY2BGR), np.uint8)
        y, x = np.mgrid[: self.rows + 1, : self.cols + 1]
        board = np.kron((x + y) % 2 * 255, np.ones((square_px, square_px)))
        board = np.pad(board, square_px, constant_values=255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(board, cv2.COLOR_GRAY2BGR), np.uint8)

    def page(self, size_wh: tuple[int, int]) -> Image:
        """The target as large as fits so many px, with white around it; ValueError if none does.

        Its squares have whole px: scaled, they would differ by one.
        """
        wide, high = size_wh
        edge = 2 if self.kind == "charuco" else 3  # the margin, and inner corners are one less
        square_px = min(wide // (self.cols + edge), high // (self.rows + edge))
        if square_px < LEAST_SQUARE_PX:
            raise ValueError(f"{self} is too fine for a screen of {wide}x{high} px")
        target = self.picture(square_px)
        page = np.full((high, wide, 3), 255, np.uint8)
        top, left = (high - target.shape[0]) // 2, (wide - target.shape[1]) // 2
        page[top : top + target.shape[0], left : left + target.shape[1]] = target
        return page

    def detect(self, image: Image, name: str = "") -> View | None:
        """The target's corners to a tenth of a pixel; None where too few are seen."""
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
        grey = np.asarray(grey, np.uint8)
        return (
            self._detect_charuco(grey, name)
            if self.kind == "charuco"
            else self._detect_chess(grey, name)
        )

    def _charuco(self) -> Any:
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_1000)
        return cv2.aruco.CharucoBoard((self.cols, self.rows), 1.0, MARKER_SHARE, dictionary)

    def _detect_charuco(self, grey: Image, name: str) -> View | None:
        board = self._charuco()
        corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(grey)
        if ids is None or len(ids) < MIN_CORNERS:
            return None
        objects = np.asarray(board.getChessboardCorners(), np.float64)[np.asarray(ids).ravel()]
        # OpenCV leaves them 0.3 px off, and so the focal length by 0.4 %.
        return View(objects, _refined(grey, corners, BETWEEN_MARKERS_PX), name)

    def _detect_chess(self, grey: Image, name: str) -> View | None:
        size = (self.cols, self.rows)
        found, corners = cv2.findChessboardCornersSB(grey, size, flags=cv2.CALIB_CB_ACCURACY)
        if not found:
            found, corners = cv2.findChessboardCorners(grey, size)
            if not found:
                return None
            corners = _refined(grey, corners, SUBPIX_PX)
        y, x = np.mgrid[: self.rows, : self.cols]
        objects = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1).astype(np.float64)
        return View(objects, np.asarray(corners, np.float64).reshape(-1, 2), name)


def _refined(grey: Image, corners: Any, half_window_px: int) -> Array:
    """(N, 2) px: corners where the edges around them meet."""
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 40, 1e-3)
    window = (half_window_px, half_window_px)
    fine = cv2.cornerSubPix(grey, np.array(corners, np.float32), window, (-1, -1), stop)
    return np.asarray(fine, np.float64).reshape(-1, 2)
