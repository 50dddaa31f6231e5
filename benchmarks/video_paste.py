"""Boards of photographs pasted on real hand-held motion, with the truth of every frame.

The sheet's brightness and noise in the clip multiply the pasted picture, and the paste is averaged
over half a frame's exposure, so that it is lit, noisy and blurred like the sheet it lies on.

    python benchmarks/video_paste.py DATA [--latency 0.1]
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ar_assist.types import Frame, Image, Points, homography, transform

SHEET_WH = (1100, 850)  # px a sheet of letter paper is painted with, 100 px an inch
BOARD_SHARE = 0.86  # of the sheet's width or height that the board fills, the tighter of both
SHUTTER = (-0.25, -0.125, 0.0, 0.125, 0.25)  # moments of the exposure, in frames
PAPER = 215.0  # grey of paper that leaves the pasted picture as it is


class PastedClip:
    """A clip of a moving blank sheet with a photograph's board on it: a `Source` with truth."""

    live = False

    def __init__(self, video: Path, photo: Path) -> None:
        motion = json.loads(video.with_suffix(".json").read_text())
        self.truth: dict[str, Any] = json.loads(photo.with_suffix(".json").read_text())
        self.name = f"{photo.stem} on {video.stem}"
        self.fps: float = motion["fps"]
        self.size_wh: tuple[int, int] = tuple(motion["size"])
        self._video = video
        self._quads = [None if q is None else np.array(q, np.float32) for q in motion["quads"]]
        self._sheet, self._board_on_sheet = _sheet_with(
            cv2.imread(str(photo)), np.array(self.truth["corners"], np.float32)
        )

    def __iter__(self) -> Iterator[Frame]:
        capture = cv2.VideoCapture(str(self._video))
        for index in range(len(self._quads)):
            fine, image = capture.read()
            if not fine:
                break
            if self._quads[index] is not None:
                image = self._paste(image, index)
            image.flags.writeable = False
            yield Frame(index, index / self.fps, image)
        capture.release()

    def close(self) -> None:
        """Nothing is held between frames."""

    def corners(self, index: int) -> Points | None:
        """(4, 2) frame px of the board's true corners; None where the sheet is out of view."""
        quad = self._quads[index]
        if quad is None:
            return None
        return transform(_frame_from_sheet(quad), self._board_on_sheet)

    def _paste(self, image: Image, index: int) -> Image:
        exposures = [self._quad_at(index, moment) for moment in SHUTTER]
        layers = np.zeros((*image.shape[:2], 4), np.float32)
        for quad in exposures:
            layers += cv2.warpPerspective(
                self._sheet, _frame_from_sheet(quad), self.size_wh, flags=cv2.INTER_AREA
            )
        layers /= len(exposures)
        lit = layers[..., :3] * (image / PAPER)
        cover = layers[..., 3:] / 255
        return np.clip(image * (1 - cover) + lit, 0, 255).astype(np.uint8)

    def _quad_at(self, index: int, moment: float) -> Points:
        """The sheet's quad a part of a frame before or after, where that neighbour has one."""
        here = self._quads[index]
        assert here is not None
        other = index + (1 if moment > 0 else -1)
        there = self._quads[other] if 0 <= other < len(self._quads) else None
        if there is None:
            return here
        quad: Points = here + np.float32(abs(moment)) * (there - here)
        return quad


def _frame_from_sheet(quad: Points) -> np.ndarray:
    w, h = SHEET_WH
    return homography(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5, quad)


def _sheet_with(photo: Image, corners: Points) -> tuple[Image, Points]:
    """The photograph laid on the sheet so that its board fits: (H, W, 4) with cover, (4, 2) px.

    Premultiplied by cover. What the photograph shows around the board comes along.
    """
    w = (np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[2] - corners[3])) / 2
    h = (np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    scale = BOARD_SHARE * min(SHEET_WH[0] / w, SHEET_WH[1] / h)
    half, centre = np.array([w, h]) * scale / 2, np.array(SHEET_WH) / 2
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    target = (centre + signs * half).astype(np.float32)
    covered = np.dstack([photo, np.full(photo.shape[:2], 255, np.uint8)])
    sheet = cv2.warpPerspective(
        covered, homography(corners, target), SHEET_WH, flags=cv2.INTER_CUBIC
    )
    return sheet.astype(np.float32), target
