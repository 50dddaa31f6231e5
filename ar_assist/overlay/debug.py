"""The debug view: what the program makes of the plane."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.overlay.lettering import fit, put_panel, put_text
from ar_assist.types import Image, View
from ar_assist.warp import rectify

LABEL_MIN_PX = 9
GOLDEN_ANGLE = 0.381966  # of a turn: successive labels get hues far from each other
DOUBT = 0.5  # cells less certain than this are struck through


def debug_picture(view: View, height: int, text_px: int) -> Image:
    """The rectified picture with lattice, groups by colour and number, and doubtful cells struck.

    `height` px high; as wide as the plane is, 0.5 to 2 times the height.
    """
    timing = [f"{stage} {ms:.1f} ms" for stage, ms in view.timing.items()]
    if view.plane is None:
        blank = np.zeros((height, height, 3), np.uint8)
        rows = [["no board yet"], timing] if timing else [["no board yet"]]
        put_panel(blank, *fit(rows, text_px, LABEL_MIN_PX, (height, height)))
        return blank
    w, h = view.plane.size_wh
    width = round(height * min(max(w / h, 0.5), 2))
    panel = np.asarray(
        cv2.resize(rectify(*view.frame.sharpest(view.plane)), (width, height)), np.uint8
    )
    if view.reading is not None:
        scale = np.array([width / w, height / h])
        cells = view.reading.board.record().get("cells")
        _draw_cells(panel, view.reading.cell_quads() * scale, cells, view.reading.certainty)
    if timing:
        lines, text_px = fit([timing], text_px, LABEL_MIN_PX, (width, height // 2))
        put_panel(panel, lines, text_px, bottom=True)
    return panel


def _draw_cells(
    panel: Image,
    quads: NDArray[np.floating],
    cells: list[list[int]] | None,
    certainty: NDArray[np.float32],
) -> None:
    for row, col in np.ndindex(*certainty.shape):
        quad = quads[row, col]
        label = int(cells[row][col]) if cells else 0
        inner = quad.mean(axis=0) + (quad - quad.mean(axis=0)) * 0.9
        fixed = [np.rint(inner * 16).astype(np.int32)]
        cv2.polylines(panel, fixed, True, _colour(label), 2, cv2.LINE_AA, 4)
        if certainty[row, col] < DOUBT:
            ends = [np.rint(inner[[0, 2]] * 16).astype(np.int32)]
            cv2.polylines(panel, ends, False, (255, 255, 255), 1, cv2.LINE_AA, 4)
        size = max(LABEL_MIN_PX, round(float(np.linalg.norm(quad[1] - quad[0])) * 0.3))
        if label:
            x, y = quad[0] + (quad[2] - quad[0]) * 0.28
            put_text(panel, str(label), (float(x), float(y)), size, _colour(label))


def _colour(label: int) -> tuple[int, int, int]:
    if label == 0:
        return (90, 90, 90)
    r, g, b = colorsys.hsv_to_rgb(label * GOLDEN_ANGLE % 1, 0.75, 1.0)
    return (int(255 * b), int(255 * g), int(255 * r))
