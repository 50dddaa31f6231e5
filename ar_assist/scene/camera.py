"""A pinhole camera with a lens, on a path.

World units are px of the screen's picture: X right, Y down, Z away from the viewer, the screen at
Z = 0. Ideal px are those of an undistorted frame; frame px those of the picture that comes out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ar_assist.types import Homography, Points, transform

Vector = NDArray[np.float64]
Light = NDArray[np.float32]  # (H, W, 3) BGR, linear; 1 is the white of a screen at its brightest
MOST_STEPS, CLOSE_PX = 60, 5e-3  # of the iteration that undoes the lens
TONES = 7  # sinusoids of a tremor: enough to look irregular


@dataclass(frozen=True)
class Optics:
    """Focal length, principal point and distortion (Brown-Conrady, as OpenCV writes it)."""

    size_wh: tuple[int, int]
    focal: float  # px
    centre: tuple[float, float]  # px
    dist: tuple[float, float, float, float, float]  # k1, k2, p1, p2, k3

    @property
    def matrix(self) -> Homography:
        """(3, 3) intrinsic matrix."""
        (cx, cy), f = self.centre, self.focal
        return np.array([[f, 0, cx], [0, f, cy], [0, 0, 1]])

    def distort(self, points: NDArray[np.floating]) -> Points:
        """Frame px of (..., 2) ideal px."""
        k1, k2, p1, p2, k3 = self.dist
        x, y = np.moveaxis((points - np.array(self.centre)) / self.focal, -1, 0)
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return (np.stack([u, v], -1) * self.focal + self.centre).astype(np.float32)

    def undistort(self, points: NDArray[np.floating]) -> Points:
        """Ideal px of (..., 2) frame px: the inverse of `distort`, by fixed-point steps."""
        flat = np.asarray(points, np.float64).reshape(-1, 2)
        ideal = flat.copy()
        for _ in range(MOST_STEPS):
            step = flat - self.distort(ideal)
            ideal += step
            if np.abs(step).max() < CLOSE_PX:
                break
        return ideal.reshape(points.shape).astype(np.float32)

    def record(self) -> dict[str, object]:
        """The calibration file of this camera."""
        width, height = self.size_wh
        (cx, cy), f = self.centre, self.focal
        shape = {"width": width, "height": height, "fx": f, "fy": f, "cx": cx, "cy": cy}
        return {**shape, "dist": list(self.dist)}


@dataclass(frozen=True)
class Tremor:
    """A smooth random motion: a sum of sinusoids, so that it can be asked at any time."""

    amplitude: Vector  # (axes, TONES)
    omega: Vector  # (axes, TONES) rad/s
    phase: Vector  # (axes, TONES)

    @staticmethod
    def make(axes: int, sigma: float, band_hz: tuple[float, float], rng: Generator) -> Tremor:
        """A motion of standard deviation `sigma` on each axis, slower parts larger."""
        shape = axes, TONES
        hertz = np.exp(rng.uniform(math.log(band_hz[0]), math.log(band_hz[1]), shape))
        weight = rng.uniform(0.5, 1.0, shape) / hertz
        weight *= sigma * math.sqrt(2) / np.linalg.norm(weight, axis=1, keepdims=True)
        return Tremor(weight, 2 * math.pi * hertz, rng.uniform(0, 2 * math.pi, shape))

    def at(self, time: float) -> Vector:
        """(axes,) at a time in seconds."""
        value: Vector = (self.amplitude * np.sin(self.omega * time + self.phase)).sum(1)
        return value


@dataclass(frozen=True)
class Turn:
    """A swift change of view: from `start` on for `rise` s, held, and undone from `end` on."""

    start: float  # s
    end: float  # s; infinity for a re-aim that stays
    rise: float  # s
    aim: tuple[float, float, float] = (0, 0, 0)  # pitch, yaw, roll at its full, rad
    move: tuple[float, float] = (0, 0)  # of camera and target together, world px

    def at(self, time: float) -> float:
        """How far it is carried out, 0 to 1."""
        return _smooth((time - self.start) / self.rise) - _smooth((time - self.end) / self.rise)


def _smooth(x: float) -> float:
    """0 below 0, 1 above 1, without a jump of speed."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


@dataclass(frozen=True)
class Pose:
    """Where the camera is: x_camera = rotation @ (x_world - position)."""

    rotation: Vector  # (3, 3)
    position: Vector  # (3,)

    def ideal_from_plane(self, matrix: Homography, depth: float = 0.0) -> Homography:
        """(3, 3) ideal px from (X, Y) on the plane Z = depth."""
        third = np.array([0, 0, depth]) - self.position
        columns = np.column_stack([[1, 0, 0], [0, 1, 0], third])
        homography: Homography = matrix @ self.rotation @ columns
        return homography

    def tilt(self, target: Vector) -> float:
        """Angle between the ray to a point on the screen and the screen's normal, rad."""
        ray = target - self.position
        return math.acos(ray[2] / float(np.linalg.norm(ray)))


@dataclass(frozen=True)
class Path:
    """The camera's way: it looks at a point from a distance, a tilt and its azimuth, and a roll."""

    target: tuple[float, float]  # world px on the screen, in the middle of the frame
    distance: float  # world px
    tilt: float  # rad off the screen's normal
    azimuth: float  # rad: from which side; 0 is the right, pi/2 below
    roll: float  # rad about the view's axis
    shake: Tremor  # (3,) pitch, yaw, roll, rad
    sway: Tremor  # (3,) of the position, as a share of the distance
    orbit: Tremor  # (2,) of tilt and azimuth, rad
    turns: Sequence[Turn] = ()

    def at(self, time: float) -> Pose:
        """The pose at a time in seconds."""
        tilt, azimuth = np.array([self.tilt, self.azimuth]) + self.orbit.at(time)
        side = math.sin(tilt)
        away = np.array([side * math.cos(azimuth), side * math.sin(azimuth), -math.cos(tilt)])
        turns = [(turn.at(time), turn) for turn in self.turns]
        moved = sum((share * np.array(turn.move) for share, turn in turns), np.zeros(2))
        target = np.array([*(self.target + moved), 0.0])
        level = _looking(-away)
        position = target + self.distance * (away + level.T @ self.sway.at(time))
        aim = sum((share * np.array(turn.aim) for share, turn in turns), self.shake.at(time))
        pitch, yaw, roll = aim
        return Pose(_rotation(pitch, yaw, roll + self.roll) @ level, position)


def _looking(forward: Vector) -> Vector:
    """(3, 3) rotation of a camera that looks along `forward`, its x axis nearest the world's."""
    right = np.array([1.0, 0, 0]) - forward[0] * forward
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def _rotation(pitch: float, yaw: float, roll: float) -> Vector:
    """(3, 3) roll about z after pitch about x and yaw about y."""
    turn, nod, shake = (
        np.asarray(cv2.Rodrigues(np.array(axis))[0], np.float64)
        for axis in ([0, 0, roll], [pitch, 0, 0], [0, yaw, 0])
    )
    return turn @ nod @ shake


class Canvas:
    """The undistorted picture that a frame is bent from: the frame and what the lens pulls in."""

    def __init__(self, optics: Optics) -> None:
        self.optics = optics
        width, height = optics.size_wh
        grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).astype(np.float32)
        ideal = optics.undistort(grid)
        low = np.floor(ideal.min((0, 1))) - 2
        self.offset = low
        width, height = np.ceil(ideal.max((0, 1)) - low) + 3
        self.size_wh = int(width), int(height)
        self.map: Points = (ideal - low).astype(np.float32)

    @cached_property
    def matrix(self) -> Homography:
        """(3, 3) intrinsic matrix of the canvas."""
        shift = np.eye(3)
        shift[:2, 2] = -self.offset
        matrix: Homography = shift @ self.optics.matrix
        return matrix

    def bend(self, picture: Light, where: Points) -> Light:
        """The frame of a canvas, of which each px is seen at (H, W, 2) `where`, as in `map`."""
        bent = cv2.remap(picture, where, None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
        return np.asarray(bent, np.float32)


def to_frame(optics: Optics, pose: Pose, points: NDArray[np.floating]) -> Points:
    """Frame px of (N, 2) points on the screen."""
    return optics.distort(transform(pose.ideal_from_plane(optics.matrix), points))
