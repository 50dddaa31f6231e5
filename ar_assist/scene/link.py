"""A link game on a screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator

from ar_assist.errors import UserError
from ar_assist.games.link.board import GRAVITIES, Rules
from ar_assist.scene import desktop, looks
from ar_assist.scene.backdrop import Box, lay
from ar_assist.scene.hand import Tap
from ar_assist.scene.looks import LOOKS, Look
from ar_assist.scene.script import Moment, Script, Sprite, opening
from ar_assist.scene.show import Slab, device_of
from ar_assist.scene.tiers import Tier, Wanted
from ar_assist.types import Image

LARGEST_CELL_PX = 120
MOST_UPRIGHT = (14, 10)  # rows and columns that games on phones have at most
LIT = (0, 120, 255)  # BGR, the frame of a selected tile
LINE = (40, 40, 230)  # BGR, the line between a linked pair
LINE_SHARE = 1 / 14  # of a cell's width: how thick both are


class LinkGame:
    """A link game that is being played by a script."""

    game: str | None = "link"
    near = False

    def __init__(self, wanted: Wanted, tier: Tier, rng: Generator) -> None:
        self.look, look = _look(wanted, tier, rng)
        rows, cols = _shape(wanted, tier, look.backdrop.layout == "phone", rng)
        most = min(look.most_kinds, rows * cols // 2)
        kinds = min(most, wanted.kinds or int(rng.integers(*tier.kinds, endpoint=True)))
        if wanted.gravity and wanted.gravity not in GRAVITIES:
            raise UserError(f"scene: gravity '{wanted.gravity}' is none of: {' '.join(GRAVITIES)}")
        self.gravity = wanted.gravity or str(rng.choice(tier.gravities))
        rules = Rules(self.gravity)
        self._lay_out(look, (rows, cols), rng.uniform(*tier.window), rng)
        self.tiles = looks.tiles(look, kinds, self.cell_wh, rng)
        taken = rng.uniform(*tier.taken) if wanted.taken is None else wanted.taken
        board = opening(rows, cols, kinds, taken, rules, rng)
        gone = 1 - board.left / (rows * cols)
        if wanted.taken is not None and gone + 2 / (rows * cols) <= taken:
            raise UserError(
                f"scene: taken={taken:g} would empty an outer row or column of this board, of "
                f"which no more than {gone:.2f} goes (other seeds differ)"
            )
        self.script = Script(board, rules, tier.pause_s, wanted.seconds, rng)

    def _lay_out(self, look: Look, shape: tuple[int, int], window: float, rng: Generator) -> None:
        """Draw everything but the tiles, and find the board's place."""
        self.base, room = desktop.surroundings(look.backdrop, window, rng)
        self.size_wh = self.base.shape[1], self.base.shape[0]
        self.device = device_of(self.size_wh)
        rows, cols = shape
        width = min(room.width / cols, room.height / rows * look.aspect, LARGEST_CELL_PX)
        self.cell_wh = max(8, int(width)), max(8, int(width / look.aspect))
        wide, high = cols * self.cell_wh[0], rows * self.cell_wh[1]
        left, top = room.x + (room.width - wide) // 2, room.y + (room.height - high) // 2
        self.board: Box | None = Box(left, top, wide, high)
        self.kept = self.board
        self.origin = left, top
        if look.backdrop.ground == "panel":  # a translucent plate under the board
            rim = self.cell_wh[0] // 4
            plate = self.base[top - rim : top + high + rim, left - rim : left + wide + rim]
            plate[:] = plate // 2 + 20

    def at(self, time: float) -> Moment:
        return self.script.at(time)

    def paint(self, state: Moment) -> Image:
        picture = self.base.copy()
        for sprite in state.sprites:
            self._put(picture, sprite)
        if state.path:
            points = np.array([self._centre(cell) for cell in state.path], np.int32)
            cv2.polylines(picture, [points], False, LINE, self._line_px(), cv2.LINE_AA)
        return picture

    def relief(self, state: Moment) -> Sequence[Slab]:
        return ()

    def record(self, state: Moment) -> dict[str, Any]:
        return state.board.record()

    def notes(self, state: Moment) -> dict[str, Any]:
        """Also the pair that is fading: it may be read either way."""
        notes = {"transition": state.show != "rest", "gravity": self.gravity}
        return notes | ({"link": [list(cell) for cell in state.fading]} if state.fading else {})

    def taps(self) -> Sequence[tuple[Tap, Tap]]:
        acts = [(act, act.link) for act in self.script.acts if act.show == "select"]
        return [
            ((act.start, *self._centre(link.a)), (act.end, *self._centre(link.b)))
            for act, link in acts
            if link
        ]

    def _centre(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Px of a cell's middle; cells of the margin too."""
        (left, top), (width, height) = self.origin, self.cell_wh
        return left + cell[1] * width + width // 2, top + cell[0] * height + height // 2

    def _line_px(self) -> int:
        return max(2, round(self.cell_wh[0] * LINE_SHARE))

    def _put(self, picture: Image, sprite: Sprite) -> None:
        """Lay a tile over the picture."""
        (left, top), (width, height) = self.origin, self.cell_wh
        x, y = round(left + sprite.col * width), round(top + sprite.row * height)
        tile = self.tiles[sprite.kind - 1][(round(sprite.row) + round(sprite.col)) % 2]
        lay(picture, tile, (x, y), sprite.alpha)
        if sprite.lit:
            corner = x + width - 2, y + height - 2
            cv2.rectangle(picture, (x + 1, y + 1), corner, LIT, self._line_px())


def _look(wanted: Wanted, tier: Tier, rng: Generator) -> tuple[str, Look]:
    """The look asked for, or one that has kinds enough, in the layout that the tier asks for."""
    if wanted.look and wanted.look not in LOOKS:
        raise UserError(f"scene: look '{wanted.look}' is none of: {' '.join(LOOKS)}")
    rich = [name for name, look in LOOKS.items() if look.most_kinds >= tier.kinds[0]]
    name = wanted.look or str(rng.choice(rich))
    look = looks.varied(LOOKS[name], rng)
    if tier.layout != "any":
        look = replace(look, backdrop=replace(look.backdrop, layout=tier.layout))
    return name, look


def _shape(wanted: Wanted, tier: Tier, upright: bool, rng: Generator) -> tuple[int, int]:
    """Rows and columns: an even number of cells, and more rows than columns on phones."""
    rows, cols = (int(rng.integers(*span, endpoint=True)) for span in (tier.rows, tier.cols))
    if upright:
        rows, cols = min(max(rows, cols), MOST_UPRIGHT[0]), min(rows, cols, MOST_UPRIGHT[1])
    rows, cols = wanted.rows or rows, wanted.cols or cols
    if rows * cols % 2:
        if wanted.cols and wanted.rows:
            raise UserError(f"scene: rows={rows},cols={cols} is an odd number of cells")
        rows, cols = (rows, cols - 1) if not wanted.cols else (rows - 1, cols)
    return rows, cols
