"""One clip's world, drawn from a tier and a seed, and what is true of it. Renders nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ar_assist.scene import hand
from ar_assist.scene.backdrop import Box
from ar_assist.scene.camera import Optics, Path, Pose, to_frame
from ar_assist.scene.sensor import Chip
from ar_assist.scene.show import Show
from ar_assist.scene.tiers import Tier, Wanted
from ar_assist.types import Points

IN_VIEW = 0.98  # share of the board's area that must be in the frame for it to count as in view
ABRUPT = 4.0  # tiles/s: a view that moves faster is not still
SAMPLES = 64  # points along each side by which the visible share is measured
ROLLS = 3  # rounds of: the row tells the time, the time tells the row; each gains two digits
WIDEST = 1.5  # tangent of the angle off the axis; beyond it the lens model means nothing


@dataclass(frozen=True)
class Lighting:
    """Light in units of the screen's white."""

    ambient: float  # on the desk
    tint: tuple[float, float, float]  # of the ambient light, B, G, R
    brightness: float  # of the screen
    fall: float  # how fast the screen dims with the angle of view: cos ** fall
    haze: float  # of the room's light, thrown back by the screen
    glare: float  # mirrored lamps
    moire: float  # contrast of the display's own pixels
    grid_px: float  # their pitch, world px
    bands: float  # contrast of the bands that flicker and a rolling shutter make
    band_rows: float  # their height, share of the frame's
    band_hz: float  # how many pass in a second


@dataclass(frozen=True)
class World:
    """Everything that decides a clip's pictures and truth."""

    wanted: Wanted
    tier: Tier
    show: Show
    optics: Optics
    path: Path
    exposure_s: float
    light: Lighting
    chip: Chip
    reach: hand.Reach | None  # the hand that taps
    seed: int  # of what is drawn and of noise
    readout_s: float  # from the first row's exposure to the last one's: a rolling shutter

    @property
    def screen_corners(self) -> Points:
        """(4, 2) world px of the picture's outer border."""
        return Box(0, 0, *self.show.size_wh).corners

    @property
    def count(self) -> int:
        """Frames in the clip."""
        return max(1, round(self.wanted.seconds * self.wanted.fps))

    def time(self, frame: int) -> float:
        """The middle of a frame's exposure, s."""
        return frame / self.wanted.fps

    def row_time(self, time: float, row: float) -> float:
        """The middle of the exposure of a row (px) of the frame at `time`, s."""
        return time + self.readout_s * ((row + 0.5) / self.optics.size_wh[1] - 0.5)

    def truth(self) -> dict[str, Any]:
        """The truth file, but for the clip's name."""
        frames = [self._entry(i) for i in range(self.count)]
        wanted = self.wanted
        return {
            "fps": wanted.fps,
            "size": list(wanted.size_wh),
            "game": self.show.game,
            "tier": wanted.tier,
            "seed": wanted.seed,
            "look": self.show.look,
            "frames": frames,
        }

    def _entry(self, index: int) -> dict[str, Any]:
        """The truth of one frame."""
        time = self.time(index)
        pose, state = self.path.at(time), self.show.at(time)
        screen = self.seen(time, self.screen_corners) if self.show.device != "table" else None
        if screen is not None and not inside(screen, self.optics.size_wh, 0):
            screen = None
        entry: dict[str, Any] = {"frame": index, "t": round(time, 6), "screen": _listed(screen)}
        entry |= {"board": None, "still": False, **self.show.notes(state)}
        if self.show.board is None:
            return entry
        entry["visible"] = self._visible(time, self.show.board)
        corners = self.seen(time, self.show.board.corners)
        if corners is None or not entry["visible"]:
            return entry
        board = self.show.record(state)
        tile_px = math.sqrt(area(corners) / (board["rows"] * board["cols"]))
        speed = self._speed(time, self.show.board.corners) / tile_px
        tilt = pose.tilt(np.array([*self.show.board.corners.mean(0), 0.0]))
        return entry | {
            "board": {**board, "corners": _listed(corners)},
            "still": not entry["transition"] and speed < ABRUPT and entry["visible"] >= IN_VIEW,
            "blur_tiles": round(speed * self.exposure_s, 4),
            "tile_px": round(tile_px, 2),
            "tilt_deg": round(math.degrees(tilt), 2),
            "covered": self._covered(time, pose, board["rows"], board["cols"]),
        }

    def seen(self, time: float, points: Points) -> Points | None:
        """Frame px of (N, 2) world px; None if one is behind the camera or far out of its view."""
        pose, last_row = self.path.at(time), self.optics.size_wh[1] - 1
        if not before(pose, points).all():
            return None
        frame = to_frame(self.optics, pose, points)
        for _ in range(ROLLS if self.readout_s else 0):
            rows = np.clip(frame[:, 1], 0, last_row)
            poses = [self.path.at(self.row_time(time, float(row))) for row in rows]
            seen = zip(poses, points, strict=True)
            frame = np.concatenate([to_frame(self.optics, pose, p[None]) for pose, p in seen])
        return frame

    def _visible(self, time: float, board: Box) -> float:
        """The share of the board's area that is in the frame."""
        pose, corners = self.path.at(time), self.seen(time, board.corners)
        if corners is not None and inside(corners, self.optics.size_wh, 0):
            return 1.0
        steps = (np.arange(SAMPLES) + 0.5) / SAMPLES
        x, y = np.meshgrid(steps, steps)
        points = np.stack([board.x - 0.5 + x * board.width, board.y - 0.5 + y * board.height], -1)
        points = points.reshape(-1, 2).astype(np.float32)
        points = points[before(pose, points)]
        frame = to_frame(self.optics, pose, points)
        size = np.array(self.optics.size_wh) - 0.5
        within = ((frame > -0.5) & (frame < size)).all(1)
        return round(float(within.sum()) / SAMPLES**2, 4)

    def _covered(self, time: float, pose: Pose, rows: int, cols: int) -> list[list[int]]:
        """The cells that the hand hides by a quarter or more."""
        if self.reach is None or self.show.board is None:
            return []
        low, high = self.show.board.corners[0], self.show.board.corners[2]
        r, c, i, j = np.meshgrid(*(np.arange(n) for n in (rows, cols, 5, 5)), indexing="ij")
        share = np.stack([(c + (j + 0.5) / 5) / cols, (r + (i + 0.5) / 5) / rows], -1)
        points = (low + share * (high - low)).reshape(-1, 2)
        hover = pose.ideal_from_plane(np.eye(3), -hand.HOVER * self.show.size_wh[0])
        screen = pose.ideal_from_plane(np.eye(3))
        hand_from_screen = np.linalg.inv(hover @ self.reach.plane_from_hand(time)) @ screen
        hidden = hand.covered(points, hand_from_screen).reshape(rows, cols, 25).mean(-1)
        return [[int(r), int(c)] for r, c in np.argwhere(hidden >= 0.25)]

    def _speed(self, time: float, corners: Points) -> float:
        """How fast the fastest corner moves over the frame, px/s."""
        half = self.exposure_s / 2
        ends = [to_frame(self.optics, self.path.at(time + d), corners) for d in (-half, half)]
        return float(np.linalg.norm(ends[1] - ends[0], axis=1).max()) / self.exposure_s


def before(pose: Pose, points: NDArray[np.floating]) -> NDArray[np.bool_]:
    """(N,) which of (N, 2) world px are before the camera, within WIDEST of its axis."""
    rays = (np.c_[points, np.zeros(len(points))] - pose.position) @ pose.rotation.T
    before: NDArray[np.bool_] = np.hypot(rays[:, 0], rays[:, 1]) < WIDEST * rays[:, 2]
    return before


def _listed(points: Points | None) -> list[list[float]] | None:
    return None if points is None else [[round(float(x), 3), round(float(y), 3)] for x, y in points]


def inside(points: Points, size_wh: tuple[int, int], margin: float) -> bool:
    """Whether all points are in the frame, `margin` px from its border."""
    low, high = margin - 0.5, np.array(size_wh) - 0.5 - margin
    return bool(((points >= low) & (points <= high)).all())


def area(points: Points) -> float:
    """Area of a polygon of (N, 2) points, px²."""
    if len(points) < 3:
        return 0.0
    x, y = points[:, 0].astype(float), points[:, 1].astype(float)
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
