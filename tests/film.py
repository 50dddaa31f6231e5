"""A link game on a rendered screen, of which a test says what happens next; served as a camera."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from ar_assist.games.link.board import LinkBoard, Rules, parse_board, play
from ar_assist.games.link.paths import links
from ar_assist.scene import open_scene
from ar_assist.scene.hand import FINGER_MM, FINGER_PX, Reach
from ar_assist.scene.render import Renderer
from ar_assist.scene.script import Moment, Sprite, tiles
from ar_assist.types import Cell, Image, Points

SCENE = "scene:tier=tripod,seed=7,gravity=none,rows=5,cols=8,kinds=10,taken=0"
# Its tiles, dealt so that no two of a kind can be linked.
STUCK = parse_board(
    " 3  9  4  6 10  1  7  8\n"
    " 9  8  1  7  3  4  9  1\n"
    " 2  3  6  8  6  2  5 10\n"
    " 8  4 10  5  7  5  9  2\n"
    "10  2  4  6  3  1  7  5"
)
VARIANTS = 2  # pictures of one thing, for noise differs
OUT_OF_FOCUS_PX = 40.0
OUT_OF_VIEW = 3.0  # of the screen's height: where a hand is that is away
SCREEN_MM = 300.0  # how wide it is: how large a hand is on it


@dataclass(frozen=True)
class Still:
    """In place of a script: one board."""

    board: LinkBoard

    def at(self, time: float) -> Moment:
        sprites = tuple(Sprite(self.board.at(cell), *cell) for cell in tiles(self.board))
        return Moment(self.board, sprites, (), "rest")


class Film:
    """What the camera sees now; `picture(i)` is for `mjpeg_server`."""

    def __init__(self) -> None:
        self._world = open_scene(SCENE).world
        self._game = self._world.show
        self.board: LinkBoard = self._game.at(0).board
        self.show()

    def picture(self, i: int) -> bytes:
        return self._jpegs[i % VARIANTS]

    def show(self, board: LinkBoard | None = None, hand_on: Cell | None = None) -> None:
        """This board from now on (or the one before), with a hand whose finger is on a cell."""
        self.board = board or self.board
        self._game.script = Still(self.board)
        width, height = self._game.size_wh
        x, y = self._centre(hand_on) if hand_on else (width / 2, OUT_OF_VIEW * height)
        scale = FINGER_MM * width / SCREEN_MM / FINGER_PX
        renderer = Renderer(replace(self._world, reach=Reach(((0, x, y), (1, x, y)), scale)))
        self._frames = [renderer.frame(i) for i in range(VARIANTS)]
        self._jpegs = [_jpeg(frame) for frame in self._frames]

    def defocus(self) -> None:
        """Nothing can be told any more."""
        blurred = [cv2.GaussianBlur(frame, (0, 0), OUT_OF_FOCUS_PX) for frame in self._frames]
        self._jpegs = [_jpeg(frame) for frame in blurred]

    def spots(self, *cells: Cell) -> list[tuple[float, float]]:
        """Where the camera sees cells, px."""
        return self._seen(np.array([self._centre(cell) for cell in cells], np.float32))

    def corners(self) -> list[tuple[float, float]]:
        """Where the camera sees the board's corners, px: top left, then clockwise."""
        return self._seen(self._game.board.corners)

    def _seen(self, points: Points) -> list[tuple[float, float]]:
        seen = self._world.seen(0.0, points)
        assert seen is not None
        return [(float(x), float(y)) for x, y in seen]

    def _centre(self, cell: Cell) -> tuple[float, float]:
        """Of a cell, px of the screen."""
        box, (row, col) = self._game.board, cell
        rows, cols = self.board.rows, self.board.cols
        return box.x + (col + 0.5) * box.width / cols, box.y + (row + 0.5) * box.height / rows


def after_moves(board: LinkBoard, count: int) -> LinkBoard:
    """The board after so many moves."""
    for _ in range(count):
        pair = links(board, Rules())[0]
        board = play(board, Rules(), pair.a, pair.b)
    return board


def _jpeg(frame: Image) -> bytes:
    return cv2.imencode(".jpg", frame)[1].tobytes()
