"""Draws a clip's world from a tier and a seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from ar_assist.errors import UserError
from ar_assist.scene import hand
from ar_assist.scene.backdrop import Box
from ar_assist.scene.camera import Optics, Path, Tremor, Turn, to_frame
from ar_assist.scene.link import LinkGame
from ar_assist.scene.nonogram import NonogramPaper, NonogramScreen
from ar_assist.scene.othello import OthelloScreen, OthelloTable
from ar_assist.scene.sensor import Chip
from ar_assist.scene.show import NoGame, Show
from ar_assist.scene.tiers import TIERS, Range, Tier, Wanted
from ar_assist.scene.world import Lighting, World, area, before, inside
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
MARGIN = 0.03  # of the frame's height, between its border and what must be in view
WIDTH_MM = {"phone": 70.0, "monitor": 530.0, "table": 330.0}
WHOLE_SCREEN = 0.6  # share of clips that keep the whole screen in view, not only the board
PROBES = 9  # times at which the camera's distance is checked


def draw(wanted: Wanted) -> World:
    """The world that a tier and a seed stand for."""
    tier = TIERS[wanted.tier]
    rng = np.random.default_rng([wanted.seed, *wanted.tier.encode()])
    show = _show(wanted, tier, rng)
    optics = _optics(wanted.size_wh, rng)
    path = _placed(_path(tier, show, rng), optics, show, tier, rng)
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
        readout_s=rng.uniform(*tier.readout_s),
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


def _path(tier: Tier, show: Show, rng: Generator) -> Path:
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
    """The path at the nearest distance that keeps the view, or farther for the tile size wanted.

    A clip that would keep the whole screen comes nearer if its tiles were too small for the tier.
    """
    whole = Box(0, 0, *show.size_wh)
    choice = whole if rng.random() < WHOLE_SCREEN and not show.near else show.kept
    wanted_px = _log_uniform(tier.tile_px, rng) * (1.0 if show.game == "link" else FEWER_CELLS)
    farther = rng.uniform(*NEAR)
    path = _nearest(path, optics, choice)
    if show.near:
        return replace(path, distance=path.distance * farther)
    if show.board is None:
        return path
    if _tile_px(path, optics, show) < tier.tile_px[0]:
        path = _nearest(path, optics, show.kept)
    return replace(path, distance=path.distance * max(1, _tile_px(path, optics, show) / wanted_px))


def _nearest(path: Path, optics: Optics, kept: Box) -> Path:
    """The path as near as it can be with `kept` in the frame all the time."""
    near, far = 0.1 * path.distance, 10.0 * path.distance
    for _ in range(14):
        middle = math.sqrt(near * far)
        fits = _keeps(replace(path, distance=middle), optics, kept.corners)
        near, far = (near, middle) if fits else (middle, far)
    return replace(path, distance=far)


def _tile_px(path: Path, optics: Optics, show: Show) -> float:
    """The mean size of a tile in the first frame."""
    assert show.board
    board = show.record(show.at(0.0))
    corners = to_frame(optics, path.at(0.0), show.board.corners)
    return math.sqrt(area(corners) / (board["rows"] * board["cols"]))


def _keeps(path: Path, optics: Optics, corners: Points) -> bool:
    """Whether the corners stay in the frame."""
    margin = MARGIN * optics.size_wh[1]
    for time in np.linspace(0, 8, PROBES):
        pose = path.at(float(time))
        if not before(pose, corners).all():
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
        moire=rng.uniform(*tier.moire),
        grid_px=rng.uniform(0.85, 1.2) / scale,
        bands=rng.uniform(*tier.bands),
        band_rows=rng.uniform(0.2, 0.7),
        band_hz=rng.uniform(-3, 3),
    )


def _chip(tier: Tier, rng: Generator) -> Chip:
    """A sensor and its processing, from plain to overdone."""
    return Chip(
        blur=rng.uniform(*tier.blur),
        veil=rng.uniform(0.005, 0.08),
        shot=_log_uniform(tier.shot, rng),
        read=rng.uniform(0.001, 0.003),
        balance=(1 + rng.normal(0, 0.05), 1.0, 1 + rng.normal(0, 0.05)),
        drift=rng.uniform(0, 0.03),
        vignette=rng.uniform(0.05, 0.45),
        contrast=rng.uniform(0.0, 0.5),
        denoise=float(rng.choice([0.0, 0.5, 0.8])) * (tier.moire[1] == 0),
        colour_blur=rng.uniform(0.8, 2.5),
        sharpen=rng.uniform(0, 0.9),
        jpeg=int(rng.integers(70, 96)),
        target=rng.uniform(0.17, 0.45),
        headroom=rng.uniform(0.7, 1.5),
        grey=tier.grey,
    )


def _log_uniform(between: Range, rng: Generator) -> float:
    return float(np.exp(rng.uniform(*np.log(between))))
