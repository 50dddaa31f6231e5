"""How a game's tiles look: faces, frames, gaps, and what shows behind empty cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from ar_assist.scene.backdrop import Backdrop
from ar_assist.scene.glyphs import FINE, Colour, Icon
from ar_assist.scene.icons import MOST, SETS

Tile = NDArray[np.uint8]  # (h, w, 4) BGRA

MOST_KINDS = 45  # more than any game of this sort has


@dataclass(frozen=True)
class Look:
    """The style of a game. Lengths are shares of the cell's width."""

    icons: str  # a key of icons.SETS
    backdrop: Backdrop
    face: Colour | None = (255, 255, 255)  # None: the icon stands alone
    second_face: Colour | None = None  # every other cell, as on a chessboard
    edge: Colour | None = None  # the frame line
    edge_width: float = 0.03
    gap: float = 0.0  # between faces
    radius: float = 0.0  # of the face's corners
    bevel: float = 0.0  # strength of lit and shaded edges, 0 to 1
    skirt: Colour | None = None  # side of a thick tile, seen below its face
    icon: float = 0.8  # size of the icon on the face
    aspect: float = 1.0  # width of a cell over its height

    @property
    def most_kinds(self) -> int:
        """How many kinds this look can tell apart."""
        return min(MOST.get(self.icons, MOST_KINDS), MOST_KINDS)


# fmt: off
LOOKS: dict[str, Look] = {
    "farm": Look("animals", Backdrop("full", "picture", (60, 140, 60)), None, icon=0.86, gap=0.08),
    "picnic": Look(
        "food", Backdrop("phone", "flat", (110, 205, 120)), gap=0.03, radius=0.12,
        edge=(235, 225, 215), skirt=(205, 170, 120),
    ),
    "orchard": Look(
        "food", Backdrop("full", "flat", (190, 180, 165)), (250, 247, 240), (238, 228, 210),
        bevel=0.35, radius=0.1, icon=0.84,
    ),
    "monsters": Look(
        "monsters", Backdrop("window", "flat", (240, 240, 240)), (205, 240, 250),
        edge=(60, 70, 80), gap=0.02, icon=0.92, aspect=0.82,
    ),
    "mahjong": Look(
        "mahjong", Backdrop("window", "flat", (0, 0, 0)), (248, 244, 228), gap=0.03, radius=0.06,
        bevel=0.25, aspect=0.75, icon=0.92,
    ),
    "ivory": Look(
        "mahjong", Backdrop("full", "gradient", (20, 90, 60)), (250, 246, 232),
        skirt=(190, 160, 90), radius=0.1, bevel=0.2, aspect=0.75, gap=0.01, icon=0.9,
    ),
    "blocks": Look(
        "squares", Backdrop("window", "flat", (222, 226, 230)), None, icon=1.0, gap=0.05,
    ),
    "arcade": Look(
        "pixels", Backdrop("full", "flat", (12, 12, 24)), (26, 26, 44), edge=(70, 70, 110),
        gap=0.05,
    ),
    "signs": Look(
        "symbols", Backdrop("phone", "gradient", (38, 42, 60)), (66, 72, 96), gap=0.08,
        radius=0.2, icon=0.66,
    ),
    "balls": Look("balls", Backdrop("window", "checks", (225, 225, 225)), None, icon=0.88),
    "stones": Look(
        "textures", Backdrop("full", "picture", (90, 90, 100)), None, icon=1.0, bevel=0.5,
    ),
    "jewels": Look(
        "gems", Backdrop("phone", "picture", (50, 30, 90)), (30, 20, 60), edge=(120, 90, 170),
        radius=0.18, gap=0.04, icon=0.82,
    ),
    "letters": Look(
        "letters", Backdrop("window", "flat", (187, 173, 160)), (238, 228, 218), gap=0.12,
        radius=0.08, icon=0.6,
    ),
    "clocks": Look(
        "clocks", Backdrop("window", "gradient", (120, 150, 190)), (235, 240, 250), bevel=0.4,
        icon=0.84,
    ),
    "dominoes": Look(
        "dominoes", Backdrop("full", "picture", (30, 100, 60)), (252, 252, 248),
        edge=(90, 90, 90), radius=0.1, gap=0.06, icon=0.86, bevel=0.2, aspect=1.25,
    ),
    "toys": Look(
        "things", Backdrop("phone", "picture", (255, 205, 120)), (255, 255, 255), radius=0.28,
        gap=0.06, edge=(255, 150, 90), edge_width=0.05, icon=0.74,
    ),
    "smileys": Look(
        "faces", Backdrop("window", "flat", (43, 43, 43)), (60, 63, 65), edge=(90, 90, 90),
        icon=0.78,
    ),
    "savanna": Look(
        "animals", Backdrop("window", "panel", (120, 90, 60)), (255, 238, 200), radius=0.15,
        gap=0.05, bevel=0.3, icon=0.8,
    ),
}
# fmt: on


def varied(look: Look, rng: Generator) -> Look:
    """The look with its small measures changed, so that no two clips are quite alike."""
    return replace(
        look,
        gap=look.gap * rng.uniform(0.7, 1.4),
        radius=look.radius * rng.uniform(0.6, 1.3),
        bevel=look.bevel * rng.uniform(0.7, 1.3),
        icon=min(1.0, look.icon * rng.uniform(0.94, 1.05)),
    )


def tiles(look: Look, kinds: int, cell_wh: tuple[int, int], rng: Generator) -> list[list[Tile]]:
    """Pictures of `kinds` tiles, each for even and for odd cells, of a cell's size."""
    icons = SETS[look.icons](kinds, rng)
    faces = [_face(look, colour, cell_wh) for colour in (look.face, look.second_face or look.face)]
    return [[_tile(look, icon, face) for face in faces] for icon in icons]


def _tile(look: Look, icon: Icon, face: Icon) -> Tile:
    """An icon on a face."""
    box = _face_box(look, face.size, fine=1)
    room = (box[2] - box[0]) * look.icon, (box[3] - box[1]) * look.icon
    scale = min(room[0] / icon.width, room[1] / icon.height)
    size = max(1, round(icon.width * scale)), max(1, round(icon.height * scale))
    if look.icons in ("squares", "textures"):  # these fill their cell, whatever its shape
        size = round(room[0]), round(room[1])
    picture = face.copy()
    at = round((box[0] + box[2] - size[0]) / 2), round((box[1] + box[3] - size[1]) / 2)
    picture.alpha_composite(icon.resize(size, Pil.Resampling.LANCZOS), at)
    if look.face is None and look.bevel:
        picture.alpha_composite(_bevelled(face.size, box, look.bevel))
    return np.ascontiguousarray(np.array(picture)[..., [2, 1, 0, 3]])


def _face_box(look: Look, size: tuple[int, int], fine: int) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of the face in its cell, px times `fine`."""
    width, height = size[0] * fine, size[1] * fine
    half_gap = look.gap * width / 2
    skirt = 0.1 * width if look.skirt else 0.0
    return half_gap, half_gap, width - half_gap, height - half_gap - skirt


def _face(look: Look, colour: Colour | None, cell_wh: tuple[int, int]) -> Icon:
    """An empty tile, transparent where the ground shows."""
    width, height = cell_wh[0] * FINE, cell_wh[1] * FINE
    picture = Pil.new("RGBA", (width, height))
    if colour is None:
        return picture.resize(cell_wh)
    pen = ImageDraw.Draw(picture)
    box, radius = _face_box(look, cell_wh, FINE), look.radius * width
    if look.skirt:
        low = (box[0], box[1], box[2], box[3] + 0.1 * width)
        pen.rounded_rectangle(low, radius, fill=look.skirt)
    line = round(look.edge_width * width) if look.edge else 0
    pen.rounded_rectangle(box, radius, fill=colour, outline=look.edge, width=line)
    face = picture.resize(cell_wh, Pil.Resampling.BOX)
    if look.bevel:
        face.alpha_composite(_bevelled(cell_wh, _face_box(look, cell_wh, 1), look.bevel))
    return face


def _bevelled(size: tuple[int, int], box: tuple[float, ...], strength: float) -> Icon:
    """Light on the upper left edges, shade on the lower right ones."""
    picture = Pil.new("RGBA", size)
    pen = ImageDraw.Draw(picture)
    left, top, right, bottom = (round(value) for value in box)
    for step in range(max(1, round(size[0] * 0.05))):
        alpha = round(255 * strength * (1 - step * 0.15))
        light, shade = (255, 255, 255, alpha), (0, 0, 0, alpha)
        corner = right - step - 1, bottom - step - 1
        pen.line([left + step, corner[1], left + step, top + step, corner[0], top + step], light)
        pen.line([corner[0], top + step, *corner, left + step, corner[1]], shade)
    return picture
