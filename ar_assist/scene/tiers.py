"""The conditions that the project measures itself under, each one setting of the scene."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Range = tuple[float, float]
Content = Literal["any", "window", "phone"]
ALL_GRAVITIES = (
    "down",
    "up",
    "left",
    "right",
    "in-h",
    "in-v",
    "out-h",
    "out-v",
    "down-left",
    "cw",
    "ccw",
)


@dataclass(frozen=True)
class Tier:
    """Ranges that a seed draws one clip from. Angles in degrees, times in seconds."""

    about: str
    # the game
    game: bool = True
    layout: Content = "any"
    window: Range = (0.6, 0.95)  # share of the desktop that the game's window takes
    rows: tuple[int, int] = (4, 12)
    cols: tuple[int, int] = (6, 16)
    kinds: tuple[int, int] = (6, 30)
    taken: Range = (0.0, 0.5)  # share of the tiles that are gone at the start
    gravities: tuple[str, ...] = ("none",)
    pause_s: Range = (1.0, 2.5)  # between moves
    # where the camera is and how it moves
    tilt: Range = (0, 20)
    roll: Range = (-6, 6)
    tile_px: Range = (30, 80)  # size of a tile in the frame, if the frame has the room
    shake: float = 0.25  # standard deviation of the camera's angles
    sway: float = 0.006  # … of its position, share of its distance
    orbit: float = 0.6  # … of tilt and azimuth
    reaim: Literal["", "swing", "away", "aside"] = ""  # swings about, looks away, cuts the board
    # light and lens
    exposure_s: Range = (1 / 120, 1 / 40)
    readout_s: Range = (0.0, 0.0)  # of a rolling shutter, from the first row to the last
    ambient: Range = (0.05, 0.5)  # light of the room on the desk; 1 is the screen's white
    shot: Range = (0.0002, 0.0008)  # noise, see sensor.Chip
    blur: Range = (0.5, 0.9)  # px
    moire: Range = (0.0, 0.0)  # contrast of the display's own pixels
    bands: Range = (0.0, 0.0)  # contrast of the bands of a screen's flicker
    glare: Range = (0.0, 0.02)  # mirrored light of a lamp
    clutter: Range = (0.1, 0.5)
    hand: bool = False
    grey: bool = False


HANDHELD = Tier("held in the hand: tremor, drift, rolling view")

# fmt: off
TIERS: dict[str, Tier] = {
    "tripod": replace(HANDHELD, about="a webcam that stands still", shake=0.0, sway=0.0, orbit=0.0),
    "handheld": HANDHELD,
    "rotated": replace(HANDHELD, about="rolled to any angle", roll=(-180, 180)),
    "oblique45": replace(
        HANDHELD, about="seen from the side, tilted by 35 to 48 degrees", tilt=(35, 48),
        roll=(-15, 15),
    ),
    "oblique60": replace(
        HANDHELD, about="tilted by 50 to 60 degrees", tilt=(50, 60), roll=(-15, 15),
    ),
    "phone": replace(
        HANDHELD, about="a phone's screen, upright or lying at any angle", layout="phone",
        rows=(7, 14), cols=(6, 8), roll=(-100, 100), tilt=(0, 30),
    ),
    "windowed": replace(
        HANDHELD, about="a window among others", layout="window", window=(0.3, 0.55),
        tile_px=(26, 60),
    ),
    "clutter": replace(
        HANDHELD, about="a small screen on a table full of things", clutter=(0.9, 1.0),
        tile_px=(24, 38), ambient=(0.4, 0.9),
    ),
    "bigboard": replace(
        HANDHELD, about="up to 16 x 30 tiles, up to 45 kinds", rows=(12, 16), cols=(20, 30),
        kinds=(28, 45), layout="window", window=(0.95, 1.0),
    ),
    "farscreen": replace(HANDHELD, about="tiles of 20 to 24 px", tile_px=(20, 24)),
    "lowlight": replace(
        HANDHELD, about="a dark room: noise, long exposure", ambient=(0.01, 0.05),
        shot=(0.003, 0.006), exposure_s=(1 / 30, 1 / 25), shake=0.15,
        bands=(0.0, 0.08),
    ),
    "glare": replace(
        HANDHELD, about="lamps mirrored in the screen, bright room", glare=(0.4, 1.3),
        ambient=(0.5, 1.2),
    ),
    "moire": replace(
        HANDHELD, about="the display's pixels beat with the sensor's", moire=(0.12, 0.4),
        bands=(0.0, 0.15),
        blur=(0.3, 0.4),
    ),
    "motionblur": replace(
        HANDHELD, about="unsteady, long exposure, rolling shutter, swings", shake=0.7,
        exposure_s=(1 / 40, 1 / 25), readout_s=(0.01, 0.033), reaim="swing",
    ),
    "occlusion": replace(HANDHELD, about="a hand taps the tiles", hand=True, pause_s=(1.5, 3.0)),
    "partial": replace(
        HANDHELD, about="the view wanders off until part of the board is cut", reaim="aside",
    ),
    "relock": replace(HANDHELD, about="looks away and back, aims anew abruptly", reaim="away"),
    "gravity": replace(
        HANDHELD, about="tiles slide after each pair", gravities=ALL_GRAVITIES,
        pause_s=(0.8, 1.8),
    ),
    "greycam": replace(HANDHELD, about="a camera without colour", grey=True),
    "negative": replace(
        HANDHELD, about="no game in view: desktops, sheets, keyboards, papers", game=False,
        clutter=(0.3, 1.0),
    ),
}
# fmt: on


@dataclass(frozen=True)
class Wanted:
    """What the user asked for; None leaves it to tier and seed."""

    tier: str = "handheld"
    seed: int = 0
    size_wh: tuple[int, int] = (1280, 720)  # px
    fps: float = 30.0
    seconds: float = 8.0
    game: str = "link"
    look: str | None = None  # of a link game
    rows: int | None = None
    cols: int | None = None
    kinds: int | None = None
    gravity: str | None = None
    taken: float | None = None  # share of the tiles gone at the start
