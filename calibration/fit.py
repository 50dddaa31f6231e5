"""Fit a camera to views of a target (Zhang, 2000), with as much distortion as the data supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Evidence
from calibration.target import View

Array = NDArray[np.float64]

MIN_VIEWS = 3  # two fix the focal length, the third shows a blunder
BAD_VIEW = 3.0  # times the median error of all views: the target moved, or is not flat there
BETTER = 0.97  # of the simpler model's holdout error: a coefficient must earn its place
COVERAGE_GRID = 8  # cells a side in which corners are counted

# Distortion models from simple to rich: name and what stays fixed at zero.
MODELS: dict[str, int] = {
    "none": cv2.CALIB_FIX_K1 | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST,
    "k1": cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST,
    "k1 k2": cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST,
    "k1 k2 p1 p2": cv2.CALIB_FIX_K3,
    "k1 k2 p1 p2 k3": 0,
}


@dataclass(frozen=True, eq=False)
class _Fit:
    matrix: Array
    dist: Array
    rms: float
    per_view: Array  # px rms


def calibrate(
    views: Sequence[View], size_wh: tuple[int, int], target: str = "", date: str = ""
) -> Camera:
    """The camera that made these views; ValueError when they are too few.

    Views whose error stands out are left out. The distortion model is the simplest whose error on
    views that it was not fitted to is as good as any; the focal length's standard error comes from
    leaving out one view at a time (jackknife), which needs no belief about the corners' noise.
    """
    if len(views) < MIN_VIEWS:
        raise ValueError(f"{len(views)} usable views: {MIN_VIEWS} are the least, 10 are better")
    kept = _without_bad(list(views), size_wh)
    model, holdout = _supported_model(kept, size_wh)
    fit = _fit(kept, size_wh, MODELS[model])
    evidence = Evidence(
        rms_px=fit.rms,
        holdout_px=holdout,
        views=len(kept),
        rejected=len(views) - len(kept),
        coverage=coverage(kept, size_wh),
        focal_sigma_px=_focal_sigma(kept, size_wh, MODELS[model]),
        target=target,
        date=date,
    )
    return replace(_camera(fit, size_wh), evidence=evidence)


def coverage(views: Sequence[View], size_wh: tuple[int, int]) -> float:
    """Share of a grid over the picture that corners reached."""
    return float(coverage_map(views, size_wh).mean())


def coverage_map(views: Sequence[View], size_wh: tuple[int, int]) -> NDArray[np.bool_]:
    """(COVERAGE_GRID, COVERAGE_GRID): cells of the picture in which a corner was seen."""
    cells = np.zeros((COVERAGE_GRID, COVERAGE_GRID), bool)
    for view in views:
        x, y = (view.image_points / size_wh * COVERAGE_GRID).astype(int).T
        inside = (x >= 0) & (y >= 0) & (x < COVERAGE_GRID) & (y < COVERAGE_GRID)
        cells[y[inside], x[inside]] = True
    return cells


def reprojection_rms(camera: Camera, view: View) -> float:
    """px: how far the view's corners lie from where the camera puts them, at the best pose."""
    _, rotation, translation = cv2.solvePnP(
        view.object_points, view.image_points, camera.matrix, camera.coefficients
    )
    seen, _ = cv2.projectPoints(
        view.object_points, rotation, translation, camera.matrix, camera.coefficients
    )
    away = np.asarray(seen, np.float64).reshape(-1, 2) - view.image_points
    return float(np.sqrt((away**2).sum(axis=1).mean()))


def _fit(views: Sequence[View], size_wh: tuple[int, int], flags: int) -> _Fit:
    rms, matrix, dist, _, _, _, _, per_view = cv2.calibrateCameraExtended(
        [v.object_points.astype(np.float32) for v in views],
        [v.image_points.astype(np.float32)[:, None] for v in views],
        size_wh,
        np.eye(3),
        np.zeros(5),
        flags=flags,
    )
    errors = np.asarray(per_view, np.float64).ravel()
    return _Fit(
        np.asarray(matrix, np.float64), np.asarray(dist, np.float64).ravel(), float(rms), errors
    )


def _camera(fit: _Fit, size_wh: tuple[int, int]) -> Camera:
    m = fit.matrix
    dist = tuple(float(d) for d in fit.dist[:5])
    return Camera(*size_wh, float(m[0, 0]), float(m[1, 1]), float(m[0, 2]), float(m[1, 2]), dist)


def _without_bad(views: list[View], size_wh: tuple[int, int]) -> list[View]:
    """Drop the worst view as long as it stands out and enough are left."""
    while len(views) > MIN_VIEWS:
        errors = _fit(views, size_wh, MODELS["k1 k2"]).per_view
        worst = int(errors.argmax())
        if errors[worst] < BAD_VIEW * np.median(errors):
            break
        del views[worst]
    return views


def _supported_model(views: Sequence[View], size_wh: tuple[int, int]) -> tuple[str, float]:
    """The simplest model that holds up on views left out, and its error there, px."""
    best, best_error = "none", np.inf
    for name, flags in MODELS.items():
        error = _holdout(views, size_wh, flags)
        if error < BETTER * best_error:
            best, best_error = name, error
    return best, float(best_error)


def _holdout(views: Sequence[View], size_wh: tuple[int, int], flags: int) -> float:
    errors = []
    for i, left_out in enumerate(views):
        others = [v for j, v in enumerate(views) if j != i]
        errors.append(reprojection_rms(_camera(_fit(others, size_wh, flags), size_wh), left_out))
    return float(np.sqrt(np.mean(np.square(errors))))


def _focal_sigma(views: Sequence[View], size_wh: tuple[int, int], flags: int) -> float:
    """Jackknife standard error of fx (Efron, 1982)."""
    n = len(views)
    focal = np.array(
        [
            _fit([v for j, v in enumerate(views) if j != i], size_wh, flags).matrix[0, 0]
            for i in range(n)
        ]
    )
    return float(np.sqrt((n - 1) / n * ((focal - focal.mean()) ** 2).sum()))
