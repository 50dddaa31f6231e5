"""Even greys to be shown on the watched screen, and how a picture of the screen shows them.

All levels stand in one picture, for a camera sets its exposure by what it sees: a screen all black
and a screen all white would be seen by two different cameras. Four ArUco markers tell where the
patches lie, so that the screen may be seen from any side.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Image

LEVELS = (0, 51, 102, 153, 204, 255)  # that the screen shows
# Each row has every level once, and no level stands twice in a column or twice on one side, so that
# the median over rows is free of vignetting and of a lamp that is mirrored in one place.
SHIFTS = (0, 3, 1, 4)
SIZE_WH = (1600, 900)  # px of the picture to be shown
GROUND = 128  # around the patches: about as bright as a game
MARKER_PX, RIM_PX = 220, 40  # side, and the white around it that a detector needs
FIELD = (330, 40, 940, 820)  # px x, y, width, height of all patches
INNER = 0.25  # of a patch's side: left out all around, where neighbours blur into it
PATCH_PX = 24  # side of a patch as it is cut out
BLUR_PX, FAINT_LIMIT = 1.0, 8.0  # of a second look, for markers faint in the light of the room
LEAST_MARKERS = 3  # of four: a corner may be hidden

Patches = NDArray[np.uint8]  # (levels, rows, PATCH_PX, PATCH_PX, 3) BGR


def picture() -> Image:
    """What to show."""
    width, height = SIZE_WH
    shown = np.full((height, width, 3), GROUND, np.uint8)
    side = MARKER_PX + 2 * RIM_PX
    for number, (x, y) in enumerate(_corners(SIZE_WH, side)):
        shown[y : y + side, x : x + side] = 255
        marker = cv2.aruco.generateImageMarker(_dictionary(), number, MARKER_PX)
        inner = slice(y + RIM_PX, y + side - RIM_PX), slice(x + RIM_PX, x + side - RIM_PX)
        shown[inner] = marker[..., None]
    x0, y0, wide, high = FIELD
    rows, columns = len(SHIFTS), len(LEVELS)
    for row in range(rows):
        for column in range(columns):
            top, bottom = (y0 + high * (row + i) // rows for i in (0, 1))
            left, right = (x0 + wide * (column + i) // columns for i in (0, 1))
            shown[top:bottom, left:right] = LEVELS[_level(row, column)]
    return shown


def patches(image: Image) -> Patches | None:
    """The patches as a picture shows them; None where they are not in view."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    faint = cv2.createCLAHE(FAINT_LIMIT).apply(cv2.GaussianBlur(grey, (0, 0), BLUR_PX))
    for picture in (grey, np.asarray(faint, np.uint8)):
        image_from_shown = _place(picture)
        if image_from_shown is not None and _is_inside(image_from_shown, image):
            return _cut(image, image_from_shown)
    return None


def _place(grey: Image) -> NDArray[np.float64] | None:
    """(3, 3) px of a picture from px of what is shown; None where too few markers are seen."""
    detector = cv2.aruco.ArucoDetector(_dictionary(), cv2.aruco.DetectorParameters())
    found, numbers, _ = detector.detectMarkers(grey)
    known = [] if numbers is None else [int(number) for number in np.ravel(numbers)]
    if len(set(known) & set(range(4))) < LEAST_MARKERS or max(known) > 3:
        return None
    places = np.array(_corners(SIZE_WH, MARKER_PX + 2 * RIM_PX), np.float64) + RIM_PX - 0.5
    square = MARKER_PX * np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
    shown = np.concatenate([places[number] + square for number in known])
    seen = np.concatenate([np.reshape(corners, (4, 2)) for corners in found])
    image_from_shown, _ = cv2.findHomography(shown, seen.astype(np.float64))
    return None if image_from_shown is None else np.asarray(image_from_shown, np.float64)


def _is_inside(image_from_shown: NDArray[np.float64], image: Image) -> bool:
    """Whether all patches are in the picture."""
    x, y, wide, high = FIELD
    corners = np.array([[[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]]], np.float64)
    seen = cv2.perspectiveTransform(corners, image_from_shown)
    return bool(((seen >= 0) & (seen < image.shape[1::-1])).all())


def _cut(image: Image, image_from_shown: NDArray[np.float64]) -> Patches:
    x0, y0, wide, high = FIELD
    patch_wh = np.array([wide / len(LEVELS), high / len(SHIFTS)])
    step = patch_wh * (1 - 2 * INNER) / PATCH_PX
    cut = np.empty((len(LEVELS), len(SHIFTS), PATCH_PX, PATCH_PX, 3), np.uint8)
    for row in range(len(SHIFTS)):
        for column in range(len(LEVELS)):
            x, y = np.array([x0, y0]) + patch_wh * (np.array([column, row]) + INNER) + step / 2
            shown_from_cut = np.array([[step[0], 0, x - 0.5], [0, step[1], y - 0.5], [0, 0, 1]])
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            cut[_level(row, column), row] = cv2.warpPerspective(
                image, image_from_shown @ shown_from_cut, (PATCH_PX, PATCH_PX), flags=flags
            )
    return cut


def _level(row: int, column: int) -> int:
    return (column + SHIFTS[row]) % len(LEVELS)


def _corners(size_wh: tuple[int, int], side: int) -> list[tuple[int, int]]:
    """The top left px of squares in the four corners."""
    right, bottom = size_wh[0] - side, size_wh[1] - side
    return [(0, 0), (right, 0), (right, bottom), (0, bottom)]


def _dictionary() -> Any:
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
