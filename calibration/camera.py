"""The camera as a value: intrinsics, distortion and the evidence for them, in short JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]  # (H, W, 3) BGR
Array = NDArray[np.float64]

MOST_GROWN = 0.25  # of a side, at either end of it: farther out a lens's px are few and drawn wide
STRAIGHT_PX = 1920  # longer side of the undistorted picture at most, which bounds a frame's price;
# at 1280 a board of small tiles was found too roughly for all of them to be read
EVERY_PX = 2  # where it is looked how far the undistorted picture reaches
MOST_STEPS, CLOSE_PX = 100, 2e-3  # of the iteration that undoes the lens


@dataclass(frozen=True)
class Evidence:
    """What the calibration rests on."""

    rms_px: float = 0.0  # of the reprojection, over the views kept
    holdout_px: float = 0.0  # of views that the fit had not seen
    views: int = 0  # kept
    rejected: int = 0
    coverage: float = 0.0  # share of the picture's area that the corners reached
    focal_sigma_px: float = 0.0  # standard error of fx, by leaving out one view at a time
    target: str = ""
    date: str = ""


@dataclass(frozen=True)
class Camera:
    """Pinhole camera with radial and tangential distortion, at one picture size."""

    width: int  # px
    height: int  # px
    fx: float  # px
    fy: float  # px
    cx: float  # px
    cy: float  # px
    dist: tuple[float, ...] = ()  # k1, k2, p1, p2, k3; shorter tuples leave out the last ones
    evidence: Evidence = field(default_factory=Evidence)

    @classmethod
    def load(cls, path: str | Path) -> Camera:
        """Read a camera file; OSError if it can't be read, ValueError if it is no camera file."""
        try:
            return cls.from_json(json.loads(Path(path).read_text(encoding="utf-8")))
        except UnicodeDecodeError as error:
            raise ValueError("not a camera file (it is not text)") from error
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}: not JSON ({error.msg})") from error
        except KeyError as error:
            raise ValueError(f"not a camera file ({error} is missing)") from error
        except (TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"not a camera file ({error})") from error

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Camera:
        known = Evidence.__dataclass_fields__
        evidence = {k: v for k, v in data.get("evidence", {}).items() if k in known}
        camera = cls(
            int(data["width"]),
            int(data["height"]),
            **{k: float(data[k]) for k in ("fx", "fy", "cx", "cy")},
            dist=tuple(float(d) for d in data.get("dist", ())),
            evidence=Evidence(**evidence),
        )
        if min(camera.width, camera.height, camera.fx, camera.fy) <= 0:
            raise ValueError("width, height and focal lengths must be positive")
        if not np.isfinite([camera.fx, camera.fy, camera.cx, camera.cy, *camera.dist]).all():
            raise ValueError("all numbers must be finite")
        if len(camera.dist) > 5:
            raise ValueError("at most five distortion coefficients are known: k1 k2 p1 p2 k3")
        return camera

    def save(self, path: str | Path) -> None:
        Path(path).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @property
    def matrix(self) -> Array:
        """(3, 3) intrinsics."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1.0]])

    @property
    def coefficients(self) -> Array:
        """(5,) k1, k2, p1, p2, k3."""
        return np.array([*self.dist, 0, 0, 0, 0, 0][:5], np.float64)

    @property
    def straight_matrix(self) -> Array:
        """(3, 3) intrinsics of the undistorted picture."""
        scale, (x, y) = _scale(self), self._straight(np.zeros(2))
        return np.array([[scale, 0, x], [0, scale, y], [0, 0, 1.0]]) @ self.matrix

    def at_size(self, width: int, height: int) -> Camera:
        """The same camera at another resolution; ValueError if the aspect differs (a crop)."""
        if (width, height) == (self.width, self.height):
            return self
        scale = width / self.width
        if abs(height - scale * self.height) > 0.02 * height:
            raise ValueError(
                f"the camera file is for {self.width}x{self.height}, not for {width}x{height}"
            )
        half = 0.5 * (scale - 1)  # pixel centres are at integers
        return Camera(
            width,
            height,
            self.fx * scale,
            self.fy * scale,
            self.cx * scale + half,
            self.cy * scale + half,
            self.dist,
            self.evidence,
        )

    def undistort(self, image: Image) -> Image:
        """The picture as a lens without distortion makes it, with what lies beyond it black.

        A px in its middle is as wide as in the original, or wider if the picture had more than
        STRAIGHT_PX. It is larger, or smaller, by what the lens pulled in or pushed out: nothing is
        cut off.
        """
        camera = self.at_size(image.shape[1], image.shape[0])
        x_map, y_map = _maps(camera)
        wide, high = _shrunk_wh(camera)
        if wide < camera.width:
            image = np.asarray(cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA))
        return np.asarray(cv2.remap(image, x_map, y_map, cv2.INTER_LINEAR), np.uint8)

    @property
    def shown(self) -> NDArray[np.bool_]:
        """(H, W) px of the undistorted picture that the original has."""
        return _shown(self)

    def distort(self, points: NDArray[Any]) -> NDArray[np.float32]:
        """Map (..., 2) px of the undistorted picture to px of the original one."""
        unbent = (np.asarray(points, np.float64) + 0.5) / _scale(self) - 0.5 + _box(self)[:2]
        return self._bent(unbent).astype(np.float32)

    def straighten(self, points: NDArray[Any]) -> NDArray[np.float32]:
        """Map (..., 2) px of the original picture to px of the undistorted one."""
        seen = np.asarray(points, np.float64)
        straight = seen
        for _ in range(MOST_STEPS):
            step = seen - self._bent(straight)
            straight = straight + step
            if np.abs(step).max(initial=0) < CLOSE_PX:
                break
        return self._straight(straight).astype(np.float32)

    def _straight(self, points: Array) -> Array:
        """(..., 2) px of the undistorted picture, from where our matrix alone has them."""
        return np.asarray((points - _box(self)[:2] + 0.5) * _scale(self) - 0.5)

    def _bent(self, points: NDArray[Any]) -> Array:
        """Where the lens shows (..., 2) px of a picture without distortion, by our matrix."""
        k1, k2, p1, p2, k3 = self.coefficients
        focal, middle = np.array([self.fx, self.fy]), np.array([self.cx, self.cy])
        x, y = np.moveaxis((points - middle) / focal, -1, 0)
        r2 = np.minimum(x * x + y * y, self._fold)
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return np.asarray(np.stack([u, v], -1) * focal + middle)

    @cached_property
    def _fold(self) -> float:
        """Squared distance from the axis where the model folds back: from there on it is held."""
        k1, k2, _, _, k3 = self.coefficients
        roots = np.roots([7 * k3, 5 * k2, 3 * k1, 1])  # of the derivative of the distorted radius
        real = roots[np.isreal(roots)].real
        return float(min(real[real > 0], default=np.inf))


Box = tuple[int, int, int, int]  # left, top, width, height


@lru_cache(maxsize=4)
def _box(camera: Camera) -> Box:
    """The undistorted picture's px, counted from where the original's first one would be."""
    size = np.array([camera.width, camera.height])
    most = np.ceil(MOST_GROWN * size / EVERY_PX) * EVERY_PX
    sides = (np.arange(-m, side + m, EVERY_PX) for m, side in zip(most, size, strict=True))
    some = np.stack(np.meshgrid(*sides), -1)
    seen = camera._bent(some)
    inside = ((seen > -0.5) & (seen < size - 0.5)).all(axis=-1)
    if not inside.any():
        return 0, 0, camera.width, camera.height
    low, high = some[inside].min(0), some[inside].max(0) + EVERY_PX
    (left, top), (width, height) = low.astype(int).tolist(), (high - low).astype(int).tolist()
    return left, top, width, height


def _scale(camera: Camera) -> float:
    """Of the undistorted picture: how many of its px lie on one of the original's middle."""
    return min(1.0, STRAIGHT_PX / max(_box(camera)[2:]))


def _shrunk_wh(camera: Camera) -> tuple[int, int]:
    """Px of the original before it is undistorted: of a much larger one too few would be seen."""
    times = int(1 / _scale(camera))
    return camera.width // times, camera.height // times


@lru_cache(maxsize=4)
def _maps(camera: Camera) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where each pixel of the undistorted picture is taken from, in remap's fast form."""
    size = np.array(_box(camera)[2:])
    width, height = np.rint(size * _scale(camera)).astype(int)
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1)
    shrunk = np.array(_shrunk_wh(camera)) / (camera.width, camera.height)
    seen = (camera.distort(grid) + 0.5) * shrunk - 0.5
    x, y = np.moveaxis(seen.astype(np.float32), -1, 0)
    x_map, y_map = cv2.convertMaps(x, y, cv2.CV_16SC2)
    return np.asarray(x_map), np.asarray(y_map)


@lru_cache(maxsize=4)
def _shown(camera: Camera) -> NDArray[np.bool_]:
    white = np.full((camera.height, camera.width, 3), 255, np.uint8)
    shown: NDArray[np.bool_] = camera.undistort(white)[..., 0] == 255
    shown.flags.writeable = False
    return shown
