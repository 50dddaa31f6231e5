"""The camera as a value: intrinsics, distortion and the evidence for them, in short JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]  # (H, W, 3) BGR
Array = NDArray[np.float64]


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

    def at_size(self, width: int, height: int) -> Camera:
        """The same camera at another resolution; ValueError if the aspect differs (a crop)."""
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
        """The picture as a lens without distortion makes it, by the same intrinsics."""
        camera = self.at_size(image.shape[1], image.shape[0])
        x_map, y_map = _maps(camera)
        return np.asarray(cv2.remap(image, x_map, y_map, cv2.INTER_LINEAR), np.uint8)

    def distort(self, points: NDArray[Any]) -> NDArray[np.float32]:
        """Map (..., 2) px of the undistorted picture to px of the original one."""
        normal = (np.asarray(points, np.float64).reshape(-1, 2) - (self.cx, self.cy)) / (
            self.fx,
            self.fy,
        )
        rays = np.column_stack([normal, np.ones(len(normal))])
        zero = np.zeros(3)
        seen, _ = cv2.projectPoints(rays, zero, zero, self.matrix, self.coefficients)
        return np.asarray(seen, np.float32).reshape(np.shape(points))

    def straighten(self, points: NDArray[Any]) -> NDArray[np.float32]:
        """Map (..., 2) px of the original picture to px of the undistorted one."""
        flat = np.asarray(points, np.float64).reshape(-1, 1, 2)
        straight = cv2.undistortPoints(flat, self.matrix, self.coefficients, P=self.matrix)
        return np.asarray(straight, np.float32).reshape(np.shape(points))


@lru_cache(maxsize=4)
def _maps(camera: Camera) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where each pixel of the undistorted picture is taken from, in remap's fast form."""
    matrix = camera.matrix
    size = (camera.width, camera.height)
    x_map, y_map = cv2.initUndistortRectifyMap(
        matrix, camera.coefficients, np.eye(3), matrix, size, cv2.CV_16SC2
    )
    return np.asarray(x_map), np.asarray(y_map)
