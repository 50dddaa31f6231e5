"""Othello on a screen, and a real board on a table with discs that have a height."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import cv2
import numpy as np
from numpy.random import Generator

from ar_assist.games.othello.board import BLACK, START, WHITE, OthelloBoard, squares
from ar_assist.scene import desktop
from ar_assist.scene.backdrop import Backdrop, Box, Layout, lay
from ar_assist.scene.glyphs import Colour, font, hues, one_of
from ar_assist.scene.hand import Tap
from ar_assist.scene.show import Device, Slab, device_of
from ar_assist.scene.tiers import Range, Tier, Wanted
from ar_assist.types import Image

BGR = tuple[int, int, int]

FELTS: tuple[BGR, ...] = (
    (60, 120, 20), (40, 90, 15), (35, 140, 50), (90, 110, 30), (40, 70, 110), (120, 80, 30),
)  # fmt: skip
FRAMES: tuple[BGR, ...] = ((25, 25, 25), (40, 70, 120), (60, 100, 150), (190, 190, 195))
SIDES: dict[int, BGR] = {BLACK: (32, 30, 30), WHITE: (232, 236, 238)}  # of a disc
TURN_S = 0.35  # how long discs take to turn
MOST_PLIES = 54  # played before the clip starts
TABLE_CELL_PX = 90
DISC_PX = 128  # of the pictures of discs
SLICES = 10  # slabs of a disc: close enough that no gap shows at 60 degrees
DISC_HEIGHT: Range = (0.12, 0.22)  # cells; tournament discs are 0.18
DISC_WIDTH: Range = (0.72, 0.88)  # cells
LETTERED = 0.5  # share of boards with coordinates
LETTER_FONTS = ("NotoSansCJK-ui.otf", "NotoSerifCJK-tiles.otf", "DejaVuSans-symbols.ttf")
LETTER_SIZE: Range = (0.22, 0.42)  # cells: height of the font
RIM_FOR_LETTERS = 0.5  # cells: on narrower rims there are none
ASTRAY = 0.05  # cells: standard deviation of a hand-laid disc from its cell's middle


@dataclass(frozen=True)
class Position:
    """What stands on the board at one time."""

    board: OthelloBoard
    mover: int  # whose turn it is; 0 at the end
    last: int | None  # the square of the last move
    turned: tuple[int, ...] = ()  # the squares whose discs are turning over …
    share: float = 1.0  # … and how far they are


class Game:
    """A game of random legal moves, one after each pause."""

    def __init__(self, pause_s: Range, end: float, rng: Generator) -> None:
        self.starts = [0.0]
        self.positions = [Position(START, BLACK, None)]
        for _ in range(rng.integers(MOST_PLIES)):
            self.positions[0] = replace(self._next(self.positions[0], rng), turned=())
        while self.starts[-1] < end and self.positions[-1].mover:
            self.starts.append(self.starts[-1] + rng.uniform(*pause_s))
            self.positions.append(self._next(self.positions[-1], rng))

    def _next(self, now: Position, rng: Generator) -> Position:
        """The position after a random move."""
        moves = list(squares(now.board.moves(now.mover))) if now.mover else []
        if not moves:
            return replace(now, mover=0)
        square = one_of(moves, rng)
        turned = tuple(squares(now.board.flips(now.mover, square)))
        board = now.board.play(now.mover, square)
        return Position(board, board.next_to_move(now.mover) or 0, square, turned)

    def at(self, time: float) -> Position:
        """The position at a time in seconds."""
        index = max(0, bisect_right(self.starts, time) - 1)
        position = self.positions[index]
        share = (time - self.starts[index]) / TURN_S
        if share >= 1 or not position.turned:
            return replace(position, turned=(), share=1.0)
        return replace(position, share=share)


class OthelloShow:
    """What the screen and the table have in common."""

    game: str | None = "othello"
    near = False
    size_wh: tuple[int, int]
    base: Image  # without discs
    board: Box | None
    kept: Box
    origin: tuple[int, int]  # px, the grid's top left corner
    cell: int  # px
    lettered: bool  # whether coordinates are printed beside the board

    def __init__(self, wanted: Wanted, tier: Tier, rng: Generator) -> None:
        self.play = Game(tier.pause_s, wanted.seconds, rng)

    def at(self, time: float) -> Position:
        return self.play.at(time)

    def record(self, state: Position) -> dict[str, Any]:
        return state.board.record()

    def notes(self, state: Position) -> dict[str, Any]:
        return {
            "transition": bool(state.turned),
            "to_move": state.mover or None,
            "coordinates": self.lettered,
        }

    def taps(self) -> Sequence[tuple[Tap, Tap]]:
        """The square of each move."""
        moves = zip(self.play.starts, self.play.positions, strict=True)
        places = [(t, *self.middle(p.last)) for t, p in moves if t > 0 and p.last is not None]
        return [((t - 0.1, x, y), (t, x, y)) for t, x, y in places]

    def middle(self, square: int) -> tuple[int, int]:
        """Px of a square's middle."""
        row, col = divmod(square, 8)
        x, y = self.origin
        return x + col * self.cell + self.cell // 2, y + row * self.cell + self.cell // 2

    def _set_grid(self, origin: tuple[int, int], cell: int) -> None:
        self.origin, self.cell = origin, cell
        self.board = self.kept = Box(*origin, 8 * cell, 8 * cell)


class OthelloScreen(OthelloShow):
    """Othello as a program shows it."""

    look = "screen"

    def __init__(self, wanted: Wanted, tier: Tier, rng: Generator) -> None:
        super().__init__(wanted, tier, rng)
        layout = rng.choice(get_args(Layout)) if tier.layout == "any" else tier.layout
        (colour,) = hues(1, rng, rng.uniform(0, 0.6), rng.uniform(0.1, 0.95))
        backdrop = Backdrop(layout, str(rng.choice(["flat", "gradient", "picture"])), colour)  # type: ignore[arg-type]
        self.base, room = desktop.surroundings(backdrop, rng.uniform(*tier.window), rng)
        self.size_wh = self.base.shape[1], self.base.shape[0]
        self.device: Device = device_of(self.size_wh)
        cell = int(min(room.width, room.height) / 9.2)
        left, top = room.x + (room.width - 8 * cell) // 2, room.y + (room.height - 8 * cell) // 2
        self._set_grid((left, top), cell)
        paint_grid(self.base, self.origin, cell, rng)
        self.lettered = bool(rng.random() < LETTERED)
        if self.lettered:
            own = rng.spawn(1)[0]
            size = max(9, int(cell * own.uniform(*LETTER_SIZE)))
            self.base = lettered(self.base, self.origin, cell, size, backdrop.ink, own)
        self.shows_moves = bool(rng.random() < 0.4)  # as many programs do
        gloss, width = float(rng.choice([0.0, 0.5, 1.0])), rng.uniform(*DISC_WIDTH)
        self.discs = {colour: disc(colour, gloss, int(cell * width)) for colour in SIDES}

    def paint(self, state: Position) -> Image:
        picture = self.base.copy()
        for square in squares(state.board.occupied):
            turning = square in state.turned
            colour, width = state.board[square], 1.0
            if turning:  # seen edge-on half-way; the old colour before, the new one after
                width = max(0.1, abs(2 * state.share - 1))
                colour = colour if state.share > 0.5 else BLACK + WHITE - colour
            tile = self.discs[colour]
            if width < 1:
                size = max(1, round(tile.shape[1] * width)), tile.shape[0]
                tile = np.asarray(cv2.resize(tile, size, interpolation=cv2.INTER_AREA), np.uint8)
            x, y = self.middle(square)
            lay(picture, tile, (x - tile.shape[1] // 2, y - tile.shape[0] // 2))
        if state.last is not None:
            cv2.circle(picture, self.middle(state.last), self.cell // 14, (40, 40, 230), -1, 16)
        if self.shows_moves and state.mover and not state.turned:
            for square in squares(state.board.moves(state.mover)):
                cv2.circle(picture, self.middle(square), self.cell // 7, (20, 20, 20), 2, 16)
        return picture

    def relief(self, state: Position) -> Sequence[Slab]:
        return ()


class OthelloTable(OthelloShow):
    """A board of wood or plastic with felt on it, and thick discs."""

    look = "table"
    device: Device = "table"

    def __init__(self, wanted: Wanted, tier: Tier, rng: Generator) -> None:
        super().__init__(wanted, tier, rng)
        cell = TABLE_CELL_PX
        rim = int(cell * rng.uniform(0.3, 1.1))
        side = 8 * cell + 2 * rim
        self.size_wh = side, side
        self.base = np.full((side, side, 3), one_of(FRAMES, rng), np.uint8)
        bright, wide = self.base[0, 0].astype(int) + 40, int(cell * rng.uniform(0.03, 0.1))
        inner = (wide, wide), (side - wide, side - wide)
        cv2.rectangle(self.base, *inner, bright.clip(0, 255).tolist(), wide)
        self._set_grid((rim, rim), cell)
        paint_grid(self.base, self.origin, cell, rng)
        own = rng.spawn(1)[0]
        self.lettered = bool(rim > RIM_FOR_LETTERS * cell and own.random() < LETTERED)
        if self.lettered:
            size = min(int(cell * own.uniform(*LETTER_SIZE)), rim // 2)
            ink = (30, 30, 30) if self.base[0, 0].mean() > 127 else (225, 225, 215)
            self.base = lettered(self.base, self.origin, cell, size, ink, own)
        self.height = cell * rng.uniform(*DISC_HEIGHT)
        width = int(cell * rng.uniform(*DISC_WIDTH))
        gloss = rng.uniform(0.2, 1.0)
        self.tops = {colour: disc(colour, gloss, width) for colour in SIDES}
        self.walls = {colour: disc(colour, 0.0, width) for colour in SIDES}
        self.shade = _shade(width)
        self.lamp = rng.normal(0, 0.5, 2) * self.height  # px: where shadows fall
        self.astray = rng.normal(0, ASTRAY * cell, (64, 2)).clip(-0.08 * cell, 0.08 * cell)

    def paint(self, state: Position) -> Image:
        """The board with the discs' shadows on it."""
        picture = self.base.copy()
        for square in squares(state.board.occupied):
            self._put(picture, self.shade, square, self.lamp)
        return picture

    def relief(self, state: Position) -> Sequence[Slab]:
        """The discs, sliced: the lower half shows the other side's colour."""
        slabs = []
        for k in range(SLICES):
            picture = np.zeros((*self.base.shape[:2], 4), np.uint8)
            for square in squares(state.board.occupied):
                colour = state.board[square]
                tile = self.tops[colour] if k == SLICES - 1 else self.walls[colour]
                if k < SLICES // 2:
                    tile = self.walls[BLACK + WHITE - colour]
                self._put(picture, tile, square)
            slabs.append(Slab(self.height * (k + 1) / SLICES, picture))
        return slabs

    def _put(self, picture: Image, tile: Image, square: int, shift: Any = (0, 0)) -> None:
        x, y = np.round(self.middle(square) + self.astray[square] + shift).astype(int)
        lay(picture, tile, (x - tile.shape[1] // 2, y - tile.shape[0] // 2))


def paint_grid(picture: Image, origin: tuple[int, int], cell: int, rng: Generator) -> None:
    """Felt and its lines, in place; some boards have grooves or cushions instead of lines."""
    (x, y), side = origin, 8 * cell
    felt = picture[y : y + side, x : x + side]
    felt[:] = one_of(FELTS, rng)
    fibre = rng.normal(0, rng.uniform(0, 7), (side, side, 1))
    felt[:] = (felt * rng.uniform(0.8, 1.3) + fibre).clip(0, 255).astype(np.uint8)
    line = int(max(1, cell * rng.uniform(0.012, 0.05)))
    dark = (felt[0, 0] * rng.uniform(0.0, 0.5)).tolist()
    if rng.random() < 0.2:  # cushions: each cell is lit at its top and shaded at its foot
        ramp = np.linspace(1.15, 0.85, cell)[:, None, None]
        felt[:] = (felt * np.tile(ramp, (8, 1, 1))).clip(0, 255).astype(np.uint8)
    for k in range(9):
        at = k * cell
        cv2.line(picture, (x + at, y), (x + at, y + side), dark, line)
        cv2.line(picture, (x, y + at), (x + side, y + at), dark, line)
    if rng.random() < 0.6:
        for i, j in ((2, 2), (2, 6), (6, 2), (6, 6)):
            cv2.circle(picture, (x + i * cell, y + j * cell), max(2, cell // 14), dark, -1, 16)


def lettered(
    picture: Image, origin: tuple[int, int], cell: int, size: int, ink: Colour, rng: Generator
) -> Image:
    """The picture with coordinates along two sides of the board or along all four."""
    drawn, pen = desktop.pen_on(picture)
    letters = "ABCDEFGH" if rng.random() < 0.4 else "abcdefgh"
    face, gap = font(one_of(LETTER_FONTS, rng), size), size * rng.uniform(0.65, 0.9)
    near, far = -gap, 8 * cell + gap
    above, beside = one_of([([near], [near]), ([far], [near]), ([near, far], [near, far])], rng)
    for k in range(8):
        middle = (k + 0.5) * cell
        places = [(middle, y, letters[k]) for y in above]
        places += [(x, middle, str(k + 1)) for x in beside]
        for x, y, sign in places:
            pen.text((origin[0] + x, origin[1] + y), sign, ink, face, "mm")
    return desktop.drawn_on(drawn)


def disc(colour: int, gloss: float, size: int) -> Image:
    """(size, size, 4) a disc from above: its edge, a ring, and a highlight."""
    v, u = np.mgrid[-1 : 1 : DISC_PX * 1j, -1 : 1 : DISC_PX * 1j]
    radius = np.hypot(u, v)
    level = (
        np.array(SIDES[colour], float)
        * (1 - 0.25 * np.clip((radius - 0.85) / 0.15, 0, 1))[..., None]
    )
    level += gloss * 14 * (np.abs(radius - 0.78) < 0.03)[..., None]
    shine = np.exp(-((u + 0.3) ** 2 + (v + 0.35) ** 2) / 0.08)
    level += gloss * 90 * shine[..., None]
    alpha = 255 * np.clip((0.985 - radius) * DISC_PX / 2, 0, 1)
    fine = np.dstack([level, alpha]).clip(0, 255).astype(np.uint8)
    return cv2.resize(fine, (size, size), interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _shade(size: int) -> Image:
    """A disc's soft shadow."""
    wide = int(size * 1.35)
    alpha = np.zeros((wide, wide), np.float32)
    cv2.circle(alpha, (wide // 2, wide // 2), size // 2, 150.0, -1)
    soft = cv2.GaussianBlur(alpha, (0, 0), size * 0.06)
    return np.dstack([np.zeros((wide, wide, 3)), soft]).astype(np.uint8)
