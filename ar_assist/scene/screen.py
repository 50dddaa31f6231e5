"""The screen's own picture: the game with its surroundings on a phone or a desktop."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator

from ar_assist.scene import desktop, looks
from ar_assist.scene.game import Moment, Sprite
from ar_assist.scene.icons import Colour
from ar_assist.scene.looks import Look
from ar_assist.types import Image, Points

LARGEST_CELL_PX = 120
SHADE_LIT: Colour = (255, 120, 0)  # sRGB, the frame of a selected tile
LINE: Colour = (230, 40, 40)  # sRGB, the line between a linked pair


@dataclass(frozen=True)
class Box:
    """A rectangle of whole px."""

    x: int
    y: int
    width: int
    height: int

    @property
    def corners(self) -> Points:
        """(4, 2) px of its outer border: top left, then clockwise."""
        right, bottom = self.x + self.width, self.y + self.height
        outer = [[self.x, self.y], [right, self.y], [right, bottom], [self.x, bottom]]
        return np.array(outer, np.float32) - 0.5


class LinkScreen:
    """A screen with a link game on it."""

    def __init__(
        self, look: Look, rows: int, cols: int, kinds: int, window: float, rng: Generator
    ) -> None:
        """`window` is the share of a desktop that the game's window takes; 1 fills the screen."""
        self.look, self.rows, self.cols = look, rows, cols
        self.base, game, field = desktop.surroundings(look, window, rng)
        self.size_wh = self.base.shape[1], self.base.shape[0]
        self.window = Box(*game)
        room_x, room_y, room_w, room_h = field
        width = min(room_w / cols, room_h / rows * look.aspect, LARGEST_CELL_PX)
        self.cell_wh = max(8, int(width)), max(8, int(width / look.aspect))
        board_w, board_h = cols * self.cell_wh[0], rows * self.cell_wh[1]
        x, y = room_x + (room_w - board_w) // 2, room_y + (room_h - board_h) // 2
        self.board = Box(x, y, board_w, board_h)
        if look.ground == "panel":
            self._panel()
        self.tiles = looks.tiles(look, kinds, self.cell_wh, rng)

    def _panel(self) -> None:
        """A translucent plate under the board."""
        rim = self.cell_wh[0] // 4
        part = self.base[self.board.y - rim : self.board.y + self.board.height + rim,
                         self.board.x - rim : self.board.x + self.board.width + rim]  # fmt: skip
        part[:] = part // 2 + 20

    def paint(self, moment: Moment) -> Image:
        """The screen at a moment (BGR)."""
        picture = self.base.copy()
        for sprite in moment.sprites:
            self._put(picture, sprite)
        if moment.path:
            points = [self.centre(row, col) for row, col in moment.path]
            thick = max(2, self.cell_wh[0] // 14)
            cv2.polylines(
                picture, [np.array(points, np.int32)], False, LINE[::-1], thick, cv2.LINE_AA
            )
        return picture

    def centre(self, row: float, col: float) -> tuple[int, int]:
        width, height = self.cell_wh
        return round(self.board.x + (col + 0.5) * width), round(self.board.y + (row + 0.5) * height)

    def _put(self, picture: Image, sprite: Sprite) -> None:
        """Lay a tile over the picture."""
        width, height = self.cell_wh
        x, y = round(self.board.x + sprite.col * width), round(self.board.y + sprite.row * height)
        tile = self.tiles[sprite.kind - 1][(round(sprite.row) + round(sprite.col)) % 2]
        part = picture[y : y + height, x : x + width]
        alpha = tile[..., 3:] * np.float32(sprite.alpha / 255)
        part[:] = part + alpha * (tile[..., :3].astype(np.float32) - part)
        if sprite.lit:
            thick = max(2, width // 14)
            cv2.rectangle(
                picture, (x + 1, y + 1), (x + width - 2, y + height - 2), SHADE_LIT[::-1], thick
            )
