"""The worst frames of a clip as pictures: truth and reading drawn side by side."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from ar_assist.evaluate.frames import FrameScore
from ar_assist.evaluate.placed import PlacedBoard
from ar_assist.evaluate.score import ClipScore, Verdict
from ar_assist.evaluate.truth import Record, TrueFrame
from ar_assist.types import Cell, Image, transform

SIDE_WH = (640, 480)  # px of each of the two pictures
MARGIN = 0.12  # of the boards' size, kept around them
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
GOLDEN = 0.618034  # hues in steps of the golden section stay apart, however many there are
# A wrong hint misleads, a false board may; a missing one only disappoints.
SEVERITY: dict[Verdict, float] = {"wrong": 4.0, "stale": 1.5, "missing": 1.0}


@dataclass(frozen=True)
class Picture:
    """A frame worth looking at."""

    clip: str
    tier: str
    frame: int
    fault: str
    severity: float
    jpeg: bytes


def worst(clip: ClipScore, most: int) -> list[tuple[FrameScore, str, float]]:
    """The gravest frame of each kind of fault, gravest first: frame, fault, severity."""
    faults: dict[str, tuple[FrameScore, str, float]] = {}
    for frame, verdict in zip(clip.frames, clip.verdicts, strict=True):
        fault, severity = _fault(frame, verdict)
        if severity > 0 and (fault not in faults or severity > faults[fault][2]):
            faults[fault] = (frame, fault, severity)
    return sorted(faults.values(), key=lambda entry: -entry[2])[:most]


def _fault(frame: FrameScore, verdict: Verdict) -> tuple[str, float]:
    parts = []
    severity = SEVERITY.get(verdict, 0.0) if frame.still or verdict == "wrong" else 0.0
    if verdict in ("wrong", "stale"):
        parts.append(f"{verdict} hint")
    if frame.false_lock:
        parts.append("false lock")
        severity += 3.0
    if frame.in_view and frame.still and not frame.exact:
        parts.append(frame.cause)
        severity += 1.0 + (frame.wrong_cells or 0.0)
    return ", ".join(parts) or "no hint", severity


def side_by_side(image: Image, true: TrueFrame, record: Record | None) -> Image:
    """Truth on the left, reading on the right, cut to where either of them lies."""
    read = record.board if record else None
    hint = record.hint if record else None
    boards = [board for board in (true.board, read) if board]
    x0, y0, x1, y1 = _window(boards, image.shape[1], image.shape[0])
    part, scale = _fit(image[y0:y1, x0:x1])
    sides = []
    for board, shown in ((true.board, None), (read, hint)):
        side = part.copy()
        if board:
            corners = ((board.corners - (x0, y0)) * scale).astype(np.float32)
            draw_board(side, replace(board, corners=corners), shown)
        sides.append(side)
    return np.hstack(sides)


def _window(boards: Sequence[PlacedBoard], width: int, height: int) -> tuple[int, int, int, int]:
    """The part of the picture to show: left, top, right, bottom."""
    if not boards:
        return 0, 0, width, height
    corners = np.concatenate([board.corners for board in boards])
    low, high = corners.min(0), corners.max(0)
    pad = MARGIN * (high - low)
    x0, y0 = np.clip(low - pad, 0, (width - 1, height - 1)).astype(int)
    x1, y1 = np.clip(high + pad, 1, (width, height)).astype(int)
    return int(x0), int(y0), max(int(x1), int(x0) + 1), max(int(y1), int(y0) + 1)


def _fit(image: Image) -> tuple[Image, float]:
    """Scaled into one side of the picture, black around; and the scale."""
    w, h = SIDE_WH
    scale = min(w / image.shape[1], h / image.shape[0])
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    canvas = np.zeros((h, w, 3), np.uint8)
    canvas[: size[1], : size[0]] = small
    return canvas, scale


def draw_board(image: Image, board: PlacedBoard, hint: dict[str, Any] | None = None) -> None:
    """Outline, cell labels and hint of a board, onto the picture."""
    cv2.polylines(image, [board.corners.astype(np.int32)], True, WHITE, 2, cv2.LINE_AA)
    if board.cells is None or not board.has_place:
        return
    for spots, labels in zip(board.centres, board.cells, strict=True):
        for (x, y), label in zip(spots, labels, strict=True):
            if label:
                _label(image, (int(x), int(y)), label)
    if hint and "path" in hint:
        _path(image, board, hint["path"])


def _label(image: Image, spot: tuple[int, int], label: int) -> None:
    r, g, b = colorsys.hsv_to_rgb(label * GOLDEN % 1, 0.8, 1.0)
    text, scale = str(label), 0.4
    at = spot[0] - 4 * len(text), spot[1] + 4
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, BLACK, 3, cv2.LINE_AA)
    colour = (255 * b, 255 * g, 255 * r)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 1, cv2.LINE_AA)


def _path(image: Image, board: PlacedBoard, path: Sequence[Cell]) -> None:
    centres = np.array(path, np.float64)[:, ::-1] + 0.5
    drawn = transform(board.frame_from_grid, centres).astype(np.int32)
    cv2.polylines(image, [drawn], False, BLACK, 5, cv2.LINE_AA)
    cv2.polylines(image, [drawn], False, WHITE, 2, cv2.LINE_AA)
