"""One clip's world, drawn from a tier and a seed, and what is true of it. Renders nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ar_assist.errors import UserError
from ar_assist.scene import hand
from ar_assist.scene.backdrop import Box
from ar_assist.scene.camera import Optics, Path, Pose, Tremor, Turn, to_frame
from ar_assist.scene.nonogram import NonogramPaper, NonogramScreen
from ar_assist.scene.othello import OthelloScreen, OthelloTable
from ar_assist.scene.sensor import Chip
from ar_assist.scene.link import LinkGame
from ar_assist.scene.show import NoGame, Show
from ar_assist.scene.tiers import TIERS, Range, Tier, Wanted
from ar_assist.types import Points

GAMES: dict[str, Callable[[Wanted, Tier, Generator], Show]] = {
    "link": LinkGame,
    "nonogram": NonogramScreen,
    "nonogram-paper": NonogramPaper,
    "othello": OthelloScreen,
    "othello-table": OthelloTable,
}
NEVER = math.inf
NEAR: Range = (1.0, 1.2)  # times the nearest distance that keeps the puzzle in view
FEWER_CELLS = 1.6  # cells of other games are seen larger than a tier's tiles, as there are fewer
TABLE_LIGHT = 4.0  # people put a lamp on over a board game
IN_VIEW = 0.98  # share of the board's area that must be in the frame for it to count as in view
ABRUPT = 4.0  # tiles/s: a view that moves faster is not still
MARGIN = 0.03  # of the frame's height, between its border and what must be in view
WIDTH_MM = {"phone": 70.0, "monitor": 530.0, "table": 330.0}
SAMPLES = 64  # points along each side by which the visible share is measured
WIDEST = 1.5  # tangent of the angle off the axis; beyond it the lens model means nothing
WHOLE_SCREEN = 0.6  # share of clips that keep the whole screen in view, not only the board
PROBES = 9  # times at which the camera's distance is checked


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
        screen = self._seen(pose, self.screen_corners) if self.show.device != "table" else None
        lit = screen is not None and inside(screen, self.optics.size_wh, 0)
        entry = {"frame": index, "t": round(time, 6), "screen": _listed(screen) if lit else None}
        entry |= {"board": None, "still": False, **self.show.notes(state)}
        if self.show.board is None:
            return entry
        entry["visible"] = self._visible(pose, self.show.board)
        corners = self._seen(pose, self.show.board.corners)
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

    def _seen(self, pose: Pose, points: Points) -> Points | None:
        """Frame px of (N, 2) world px; None if one is behind the camera or far out of its view."""
        if not _before(pose, points).all():
            return None
        return to_frame(self.optics, pose, points)

    def _visible(self, pose: Pose, board: Box) -> float:
        """The share of the board's area that is in the frame."""
        steps = (np.arange(SAMPLES) + 0.5) / SAMPLES
        x, y = np.meshgrid(steps, steps)
        points = np.stack([board.x - 0.5 + x * board.width, board.y - 0.5 + y * board.height], -1)
        points = points.reshape(-1, 2).astype(np.float32)
        points = points[_before(pose, points)]
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


def _before(pose: Pose, points: Points) -> NDArray[np.bool_]:
    """(N,) which of (N, 2) world px are before the camera, within WIDEST of its axis."""
    rays = (np.c_[points, np.zeros(len(points))] - pose.position) @ pose.rotation.T
    before: NDArray[np.bool_] = np.hypot(rays[:, 0], rays[:, 1]) < WIDEST * rays[:, 2]
    return before


def draw(wanted: Wanted) -> World:
    """The world that a tier and a seed stand for."""
    tier = TIERS[wanted.tier]
    rng = np.random.default_rng([wanted.seed, *wanted.tier.encode()])
    show = _show(wanted, tier, rng)
    optics = _optics(wanted.size_wh, rng)
    path = _placed(_path(tier, show, wanted.seconds, rng), optics, show, tier, rng)
    path = replace(path, turns=_turns(tier, wanted.seconds, optics, path.distance, rng))
    return World(
        wanted,
        tier,
        show,
        optics,
        path,
        exposure_s=_log_uniform(tier.exposure_s, rng),
        light=_lighting(tier, show, path, optics, rng),
        chip=_chip(tier, rng),
        reach=_reach(show) if tier.hand else None,
        seed=int(rng.integers(2**32)),
    )


def _show(wanted: Wanted, tier: Tier, rng: Generator) -> Show:
    """What the tier or the user wants to be seen."""
    if not tier.game:
        return NoGame(rng)
    if wanted.game not in GAMES:
        raise UserError(f"scene: game '{wanted.game}' is none of: {' '.join(GAMES)}")
    return GAMES[wanted.game](wanted, tier, rng)


def _optics(size_wh: tuple[int, int], rng: Generator) -> Optics:
    """A webcam: 55 to 80 degrees across, some barrel distortion, a centre slightly off."""
    width, height = size_wh
    focal = width / 2 / math.tan(math.radians(rng.uniform(55, 80)) / 2)
    centre = (
        (width - 1) / 2 + rng.normal(0, 0.006 * width),
        (height - 1) / 2 + rng.normal(0, 0.006 * width),
    )
    k1 = rng.uniform(-0.16, 0.02)
    dist = (
        k1,
        -0.25 * k1 + rng.uniform(-0.02, 0.02),
        rng.normal(0, 8e-4),
        rng.normal(0, 8e-4),
        0.0,
    )
    return Optics(size_wh, focal, centre, dist)


def _path(tier: Tier, show: Show, seconds: float, rng: Generator) -> Path:
    """The camera's way at an unfitted distance."""
    whole = Box(0, 0, *show.size_wh).corners
    middle = 0.75 * show.kept.corners.mean(0) + 0.25 * whole.mean(0)
    shake, orbit = math.radians(tier.shake), math.radians(tier.orbit)
    return Path(
        target=(float(middle[0]), float(middle[1])),
        distance=2.0 * show.size_wh[0],
        tilt=math.radians(rng.uniform(*tier.tilt)),
        azimuth=rng.uniform(0, 2 * math.pi),
        roll=math.radians(rng.uniform(*tier.roll)),
        shake=Tremor.make(3, shake, (0.3, 9.0), rng),
        sway=Tremor.make(3, tier.sway, (0.1, 1.5), rng),
        orbit=Tremor.make(2, orbit, (0.05, 0.4), rng),
    )


def _placed(path: Path, optics: Optics, show: Show, tier: Tier, rng: Generator) -> Path:
    """The path at the nearest distance that keeps the view, or farther for the tile size wanted."""
    whole = rng.random() < WHOLE_SCREEN and not show.near
    kept = (Box(0, 0, *show.size_wh) if whole else show.kept).corners
    near, far = 0.2, 20.0  # times the unfitted distance
    for _ in range(14):
        middle = math.sqrt(near * far)
        fits = _keeps(replace(path, distance=path.distance * middle), optics, kept)
        near, far = (near, middle) if fits else (middle, far)
    path = replace(path, distance=path.distance * far)
    if show.near:
        return replace(path, distance=path.distance * rng.uniform(*NEAR))
    if show.board is None:
        return path
    board = show.record(show.at(0.0))
    corners = to_frame(optics, path.at(0.0), show.board.corners)
    tile_px = math.sqrt(area(corners) / (board["rows"] * board["cols"]))
    wanted_px = _log_uniform(tier.tile_px, rng) * (1.0 if show.game == "link" else FEWER_CELLS)
    return replace(path, distance=path.distance * max(1.0, tile_px / wanted_px))


def _keeps(path: Path, optics: Optics, corners: Points) -> bool:
    """Whether the corners stay in the frame."""
    margin = MARGIN * optics.size_wh[1]
    for time in np.linspace(0, 8, PROBES):
        pose = path.at(float(time))
        if not _before(pose, corners).all():
            return False
        if not inside(to_frame(optics, pose, corners), optics.size_wh, margin):
            return False
    return True


def _turns(
    tier: Tier, seconds: float, optics: Optics, distance: float, rng: Generator
) -> Sequence[Turn]:
    """The swift changes of view that a tier asks for."""
    extent = optics.size_wh[0] * distance / optics.focal  # world px across the view
    view = math.atan(optics.size_wh[0] / 2 / optics.focal)  # half the field of view

    def aim(low: float, high: float) -> tuple[float, float, float]:
        side = rng.uniform(0, 2 * math.pi)
        size = rng.uniform(low, high) * view
        return 0.6 * size * math.sin(side), size * math.cos(side), rng.normal(0, 0.04)

    if tier.reaim == "swing":
        starts = np.arange(0.7, seconds, 1.4)
        return [
            Turn(s, s + rng.uniform(0.4, 1.0), rng.uniform(0.2, 0.5), aim(0.05, 0.2))
            for s in starts
        ]
    if tier.reaim == "aside":
        starts = np.arange(1.5, seconds, 4.0)
        return [Turn(s, s + 1.6, rng.uniform(0.6, 1.2), aim(0.4, 0.8)) for s in starts]
    if tier.reaim == "away":
        away = [
            _aside(s, extent * rng.uniform(1.1, 1.5), rng) for s in np.arange(2.0, seconds, 5.0)
        ]
        return [
            *away,
            *(Turn(s, NEVER, 0.15, aim(0.03, 0.08)) for s in np.arange(4.3, seconds, 5.0)),
        ]
    return []


def _reach(show: Show) -> hand.Reach:
    """A hand that taps what the game's script takes; it comes from the lower right."""
    width, height = show.size_wh
    return hand.reach(show.taps(), (width * 1.1, height * 2.2), width / WIDTH_MM[show.device])


def _aside(start: float, far: float, rng: Generator) -> Turn:
    """The camera is carried aside for a second and brought back."""
    side = rng.uniform(0, 2 * math.pi)
    return Turn(start, start + 1.0, 0.3, move=(far * math.cos(side), far * math.sin(side)))


def _lighting(tier: Tier, show: Show, path: Path, optics: Optics, rng: Generator) -> Lighting:
    """The room's light and the display's character."""
    warm = rng.uniform(-0.25, 0.1)
    scale = optics.focal / path.distance  # frame px per world px
    return Lighting(
        ambient=_log_uniform(tier.ambient, rng) * (TABLE_LIGHT if show.device == "table" else 1),
        tint=(1 + warm, 1.0, 1 - warm),
        brightness=rng.uniform(0.5, 1.0),
        fall=rng.uniform(0.0, 1.8),
        haze=rng.uniform(0.01, 0.05),
        glare=rng.uniform(*tier.glare),
        moire=tier.moire,
        grid_px=rng.uniform(0.85, 1.2) / scale,
    )


def _chip(tier: Tier, rng: Generator) -> Chip:
    """A sensor and its processing, from plain to overdone."""
    return Chip(
        blur=rng.uniform(*tier.blur),
        shot=_log_uniform(tier.shot, rng),
        read=rng.uniform(0.001, 0.003),
        balance=(1 + rng.normal(0, 0.05), 1.0, 1 + rng.normal(0, 0.05)),
        drift=rng.uniform(0, 0.03),
        vignette=rng.uniform(0.05, 0.45),
        contrast=rng.uniform(0.0, 0.5),
        denoise=float(rng.choice([0.0, 0.5, 0.8])) * (tier.moire == 0),
        colour_blur=rng.uniform(0.8, 2.5),
        sharpen=rng.uniform(0, 0.9),
        jpeg=int(rng.integers(70, 96)),
        headroom=rng.uniform(0.7, 1.5),
        grey=tier.grey,
    )


def _log_uniform(between: Range, rng: Generator) -> float:
    return float(np.exp(rng.uniform(*np.log(between))))


def _listed(points: Points) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in points]


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
