"""Rendered nonograms as a camera sees them, with their truth: seeded, no picture is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.nonogram.board import CROSSED, FILLED, UNKNOWN, NonogramBoard, puzzle_of
from ar_assist.games.nonogram.drawing import Style, draw, to_image
from ar_assist.games.nonogram.solver import solve
from ar_assist.types import Image, Points, homography, transform

SIZE_WH = (1280, 720)  # px of the frame
FILL = (0.85, 0.97)  # of the frame, taken by the board with its clues
THEMES = [
    Style(),
    Style(ruled=True, line="#303030"),
    Style(paper="#fdf6e3", clue_paper="#fdf6e3", ink="#222222", line="#665c54", thin=0.05),
    Style(paper="#ffffff", clue_paper="#dfe6f0", ink="#1b2a41", line="#8090a8", fill="#1b2a41"),
    Style(paper="#2b2b30", clue_paper="#1c1c20", ink="#f0f0f0", line="#77777f", fill="#e8e8e8"),
    Style(paper="#1e2a38", clue_paper="#1e2a38", ink="#ffe9b0", line="#60758c", fill="#ffcf5c"),
]


@dataclass(frozen=True, eq=False)
class NonogramView:
    """A frame and what it shows."""

    image: Image
    board: NonogramBoard  # clues and entries
    solution: tuple[tuple[int, ...], ...]
    corners: Points  # (4, 2) px of the cell grid: the puzzle's top left, then clockwise
    cell_px: float  # side of a typical cell in the frame
    tilt_deg: float


def make_view(seed: int, fonts: Sequence[Path | None] = (None,)) -> NonogramView:
    """A puzzle with one solution, partly filled in by a player, tilted by up to 45 degrees."""
    rng = np.random.default_rng(seed)
    board, solution = _puzzle(rng)
    theme = THEMES[rng.integers(len(THEMES))]
    style = Style(
        **{
            **theme.__dict__,
            "font": fonts[int(rng.integers(len(fonts)))],
            "digit": float(rng.uniform(0.45, 0.6)),
            "step": float(rng.uniform(0.85, 1.1)),
        }
    )
    drawing = draw(board, style)
    page = np.array(to_image(drawing, 40.0))[..., ::-1]
    tilt = float(rng.uniform(0, 45))
    frame_from_page = _pose(rng, page.shape[1], page.shape[0], tilt)
    image = _photograph(rng, page, frame_from_page)
    rows, cols = board.size
    x, y = drawing.left * 40, drawing.top * 40
    outline = np.array(
        [[x, y], [x + 40 * cols, y], [x + 40 * cols, y + 40 * rows], [x, y + 40 * rows]]
    )
    corners = transform(frame_from_page, outline - 0.5)
    area = abs(cv2.contourArea(corners))
    return NonogramView(image, board, solution, corners, float(np.sqrt(area / (rows * cols))), tilt)


def _puzzle(rng: np.random.Generator) -> tuple[NonogramBoard, tuple[tuple[int, ...], ...]]:
    """A blob picture of 5x5 to 30x30 whose clues have one solution."""
    while True:
        rows, cols = (int(n) for n in rng.integers(5, 31, 2))
        if max(rows, cols) > 2 * min(rows, cols):
            continue
        field = cv2.GaussianBlur(rng.normal(size=(rows, cols)), (0, 0), 1.0)
        cells = (field > np.quantile(field, rng.uniform(0.35, 0.6))).astype(int)
        board = puzzle_of(cells.tolist())
        outcome = solve(board, lines=5000)
        if outcome.verdict == "one":
            solution = outcome.solutions[0]
            return board.with_cells(_entered(rng, np.array(solution)).tolist()), solution


def _entered(rng: np.random.Generator, solution: NDArray[np.int64]) -> NDArray[np.int64]:
    """Some of the solution, as a player enters it; every third view is untouched."""
    share = 0.0 if rng.random() < 0.33 else rng.uniform(0.05, 0.9)
    known = rng.random(solution.shape) < share
    crosses = rng.random() < 0.6
    values = np.where(solution == FILLED, FILLED, CROSSED if crosses else UNKNOWN)
    return np.where(known, values, UNKNOWN)


def _pose(
    rng: np.random.Generator, width: int, height: int, tilt_deg: float
) -> NDArray[np.float64]:
    """Frame from page: tilted about a random axis, turned freely, as large as fits the frame."""
    page = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    flat = (page - page.mean(axis=0)) / max(width, height)
    axis, turn = (
        rng.uniform(0, 2 * np.pi),
        np.deg2rad(rng.choice([0, 90, 180, 270]) + rng.normal(0, 6)),
    )
    rotation, _ = cv2.Rodrigues(np.deg2rad(tilt_deg) * np.array([np.cos(axis), np.sin(axis), 0]))
    spin, _ = cv2.Rodrigues(np.array([0, 0, turn]))
    points = np.column_stack([flat, np.zeros(4)]) @ (rotation @ spin).T
    seen = points[:, :2] / (points[:, 2:] + 2.2)
    low, high = seen.min(axis=0), seen.max(axis=0)
    scale = rng.uniform(*FILL) * np.min(np.array(SIZE_WH) / (high - low))
    middle = np.array(SIZE_WH) / 2
    return homography(
        page.astype(np.float32), (middle + (seen - (low + high) / 2) * scale).astype(np.float32)
    )


def _photograph(
    rng: np.random.Generator, page: NDArray[np.uint8], frame_from_page: NDArray[np.float64]
) -> Image:
    """The page on a textured table, sampled as a sensor does, blurred, noisy, JPEG-coded."""
    w, h = SIZE_WH
    table = rng.normal(0, 1, (h // 8, w // 8, 3))
    table = cv2.resize(cv2.GaussianBlur(table, (0, 0), 3), SIZE_WH) * 120 + rng.uniform(40, 160, 3)
    double = np.diag([2.0, 2.0, 1.0]) @ frame_from_page  # two samples a pixel, then averaged
    big = cv2.warpPerspective(page, double, (2 * w, 2 * h), flags=cv2.INTER_AREA)
    mask = cv2.warpPerspective(np.ones(page.shape[:2], np.float32), double, (2 * w, 2 * h))
    seen = cv2.resize(big, SIZE_WH, interpolation=cv2.INTER_AREA).astype(np.float32)
    share = cv2.resize(mask, SIZE_WH, interpolation=cv2.INTER_AREA)[..., None]
    frame = seen * share + np.clip(table, 0, 255) * (1 - share)
    slope = rng.normal(0, 0.2, 2)
    x, y = np.linspace(-1, 1, w), np.linspace(-1, 1, h)[:, None]
    frame *= (rng.uniform(0.6, 1.0) * (1 + slope[0] * x + slope[1] * y))[..., None]
    frame = cv2.GaussianBlur(frame + rng.uniform(0, 25), (0, 0), rng.uniform(0.4, 0.9))
    frame += rng.normal(0, rng.uniform(1, 5), frame.shape)
    coded = cv2.imencode(
        ".jpg", np.clip(frame, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 88]
    )
    return np.asarray(cv2.imdecode(coded[1], cv2.IMREAD_COLOR), np.uint8)
