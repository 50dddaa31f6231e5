"""A nonogram that is being solved, on a screen or printed on paper."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ar_assist.games.nonogram.board import (
    CROSSED,
    FILLED,
    UNKNOWN,
    Cells,
    NonogramBoard,
    puzzle_of,
)
from ar_assist.scene import desktop
from ar_assist.scene.backdrop import Backdrop, Box, Layout
from ar_assist.scene.desktop import Pen
from ar_assist.scene.glyphs import Colour, font, hues, one_of
from ar_assist.scene.hand import Tap
from ar_assist.scene.show import Device, Slab, device_of
from ar_assist.scene.tiers import Range, Tier, Wanted
from ar_assist.types import Image

SIDES = (5, 10, 15, 20, 25, 30)  # usual sizes
PHONE_SIDES = (5, 10, 15)
PAPER_PX = 1100  # the longer side of the puzzle on paper
PAPER_RIM: Range = (0.04, 0.2)  # white around the puzzle, share of its longer side
FONTS = (
    "DejaVuSans-symbols.ttf", "DejaVuSansCondensed-digits.ttf", "DejaVuSansMono-digits.ttf",
    "DejaVuSerif-digits.ttf", "NotoSansCJK-ui.otf", "NotoSerifCJK-tiles.otf",
)  # fmt: skip
STARTED: Range = (0.0, 0.6)  # share of the lines that the player has done at the start


@dataclass(frozen=True)
class Style:
    """Colours and proportions of a puzzle."""

    paper: Colour  # of cells
    clues: Colour  # of the ground of clues
    ink: Colour  # of digits and thick lines
    thin: Colour  # of thin lines
    fill: Colour  # of filled cells
    font: str
    digit: float  # height of digits, share of the clue's pitch
    pitch: float  # of clues along their line, share of a cell
    ruled: bool  # whether thin lines go on between the clues
    thick: int  # every so many lines one is thick; 0: none


def style(rng: Generator, printed: bool) -> Style:
    """A puzzle's look: black on white if printed, anything readable on a screen."""
    dark = not printed and rng.random() < 0.25
    level = int(rng.integers(25, 70) if dark else rng.integers(225, 256))
    paper: Colour = (level, level, level) if printed else _tinted(level, rng)
    ink: Colour = (235, 235, 235) if dark else (20, 20, 25)
    shade = 0.85 if rng.random() < 0.5 else 1.0
    (accent,) = hues(1, rng, 0.7, 0.9 if dark else 0.45)
    return Style(
        paper=paper,
        clues=_mixed(paper, (128, 128, 128), 1 - shade),
        ink=ink,
        thin=_mixed(paper, ink, rng.uniform(0.25, 0.7)),
        fill=ink if printed or rng.random() < 0.6 else accent,
        font=one_of(FONTS, rng),
        digit=rng.uniform(0.58, 0.78),
        pitch=rng.uniform(0.7, 1.0),
        ruled=bool(rng.random() < 0.5),
        thick=int(rng.choice([0, 5, 5, 5])),
    )


class Nonogram:
    """What the screen and the paper have in common."""

    game: str | None = "nonogram"
    near = True
    base: Image  # with grid and clues
    board: Box | None  # the cells
    kept: Box  # with the clues
    style: Style
    cell: int  # px

    def __init__(self, wanted: Wanted, tier: Tier, sides: Sequence[int], rng: Generator) -> None:
        rows = wanted.rows or int(rng.choice(sides))
        cols = wanted.cols or (rows if rng.random() < 0.7 else int(rng.choice(sides)))
        solution = _picture(rows, cols, rng)
        self.puzzle = puzzle_of(_cells(solution, True))
        self.boards = list(_solving(self.puzzle, solution, rng))
        pauses = rng.uniform(*tier.pause_s, len(self.boards))
        self.starts = np.cumsum(pauses) - pauses[0]

    @property
    def depths(self) -> tuple[int, int]:
        """How many numbers the longest row and column clue have; a line without blocks says 0."""
        return tuple(  # type: ignore[return-value]
            max(1, *(len(clue or ()) for clue in clues))
            for clues in (self.puzzle.row_clues, self.puzzle.col_clues)
        )

    def at(self, time: float) -> NonogramBoard:
        return self.boards[max(0, bisect_right(self.starts, time) - 1)]

    def paint(self, state: NonogramBoard) -> Image:
        drawn, pen = desktop.pen_on(self.base)
        assert self.board
        inset, line = max(1, self.cell // 12), max(1, self.cell // 12)
        for r, row in enumerate(state.cells):
            for c, value in enumerate(row):
                left, top = (
                    self.board.x + c * self.cell + inset,
                    self.board.y + r * self.cell + inset,
                )
                right, low = left + self.cell - 2 * inset, top + self.cell - 2 * inset
                if value == FILLED:
                    pen.rectangle((left, top, right, low), fill=self.style.fill)
                elif value == CROSSED:
                    far = self.cell // 6
                    box = left + far, top + far, right - far, low - far
                    pen.line(box, fill=self.style.thin, width=line)
                    pen.line((box[0], box[3], box[2], box[1]), fill=self.style.thin, width=line)
        return desktop.drawn_on(drawn)

    def relief(self, state: NonogramBoard) -> Sequence[Slab]:
        return ()

    def record(self, state: NonogramBoard) -> dict[str, Any]:
        return state.record()

    def notes(self, state: NonogramBoard) -> dict[str, Any]:
        return {"transition": False}

    def taps(self) -> Sequence[tuple[Tap, Tap]]:
        return ()

    def _lay_out(self, room: Box) -> None:
        """Place the puzzle in the middle of a room and draw grid and clues."""
        rows, cols = self.puzzle.size
        across, down = (depth * self.style.pitch + 0.2 for depth in self.depths)
        self.cell = max(4, int(min(room.width / (cols + across), room.height / (rows + down))))
        beside, above = int(across * self.cell), int(down * self.cell)
        width, height = beside + cols * self.cell, above + rows * self.cell
        x, y = room.x + (room.width - width) // 2, room.y + (room.height - height) // 2
        self.kept = Box(x, y, width, height)
        self.board = Box(x + beside, y + above, cols * self.cell, rows * self.cell)
        drawn, pen = desktop.pen_on(self.base)
        self._rule(pen)
        self._write(pen)
        self.base = desktop.drawn_on(drawn)

    def _rule(self, pen: Pen) -> None:
        """Grounds and lines."""
        assert self.board
        x, y = self.board.x, self.board.y
        right, low = x + self.board.width, y + self.board.height
        left, top = (self.kept.x, self.kept.y) if self.style.ruled else (x, y)
        pen.rectangle((self.kept.x, y, right, low), fill=self.style.clues)
        pen.rectangle((x, self.kept.y, right, low), fill=self.style.clues)
        pen.rectangle((x, y, right, low), fill=self.style.paper)
        thin, thick = max(1, self.cell // 24), max(2, self.cell // 10)
        for strong in (False, True):  # thick lines lie over thin ones
            width, colour = (thick, self.style.ink) if strong else (thin, self.style.thin)
            for count, lines in ((self.puzzle.size[1], "down"), (self.puzzle.size[0], "across")):
                for k in range(count + 1):
                    border = k in (0, count)
                    if strong != (border or bool(self.style.thick and k % self.style.thick == 0)):
                        continue
                    at = x + k * self.cell if lines == "down" else y + k * self.cell
                    ends = (at, top, at, low) if lines == "down" else (left, at, right, at)
                    pen.line(ends, fill=colour, width=width)

    def _write(self, pen: Pen) -> None:
        """The clues, next to the cells first."""
        assert self.board
        step = self.cell * self.style.pitch
        letters = font(self.style.font, max(6, int(step * self.style.digit)))
        for r, clue in enumerate(self.puzzle.row_clues):
            y = self.board.y + (r + 0.5) * self.cell
            for k, number in enumerate(reversed(clue or (0,))):
                at = self.board.x - (k + 0.6) * step, y
                pen.text(at, str(number), self.style.ink, letters, anchor="mm")
        for c, clue in enumerate(self.puzzle.col_clues):
            x = self.board.x + (c + 0.5) * self.cell
            for k, number in enumerate(reversed(clue or (0,))):
                at = x, self.board.y - (k + 0.6) * step
                pen.text(at, str(number), self.style.ink, letters, anchor="mm")


class NonogramScreen(Nonogram):
    """A nonogram program."""

    look = "screen"

    def __init__(self, wanted: Wanted, tier: Tier, rng: Generator) -> None:
        layout = str(rng.choice(get_args(Layout)) if tier.layout == "any" else tier.layout)
        super().__init__(wanted, tier, PHONE_SIDES if layout == "phone" else SIDES, rng)
        self.style = style(rng, printed=False)
        ground = str(rng.choice(["flat", "gradient"]))
        backdrop = Backdrop(layout, ground, self.style.paper)  # type: ignore[arg-type]
        self.base, room = desktop.surroundings(backdrop, rng.uniform(*tier.window), rng)
        self.size_wh = self.base.shape[1], self.base.shape[0]
        self.device: Device = device_of(self.size_wh)
        self._lay_out(room)


class NonogramPaper(Nonogram):
    """A printed nonogram on a table."""

    look = "paper"
    device: Device = "table"

    def __init__(self, wanted: Wanted, tier: Tier, rng: Generator) -> None:
        super().__init__(wanted, tier, SIDES, rng)
        self.style = style(rng, printed=True)
        rows, cols = self.puzzle.size
        wide, high = cols + self.depths[0], rows + self.depths[1]
        unit = PAPER_PX / max(wide, high)
        rim = int(PAPER_PX * rng.uniform(*PAPER_RIM))
        self.size_wh = int(wide * unit) + 2 * rim, int(high * unit) + 2 * rim
        self.base = np.full((self.size_wh[1], self.size_wh[0], 3), self.style.paper[0], np.uint8)
        self._lay_out(Box(rim, rim, int(wide * unit), int(high * unit)))


def _picture(rows: int, cols: int, rng: Generator) -> NDArray[np.int8]:
    """A picture of blots, often mirrored: 1 filled, -1 not."""
    noise = rng.standard_normal((rows, cols))
    smooth = cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(0.6, 1.6)))
    if rng.random() < 0.5:
        smooth = smooth + smooth[:, ::-1]
    level = np.quantile(smooth, rng.uniform(0.35, 0.6))
    return np.where(smooth > level, FILLED, CROSSED).astype(np.int8)


def _solving(
    puzzle: NonogramBoard, solution: NDArray[np.int8], rng: Generator
) -> list[NonogramBoard]:
    """Boards as the player does line after line, some with crosses and some without."""
    rows, cols = puzzle.size
    shown = np.full((rows, cols), UNKNOWN, np.int8)
    crosses = rng.random() < 0.6
    done = rng.uniform(*STARTED) * (rows + cols)
    boards = []
    for count, line in enumerate(rng.permutation(rows + cols)):
        if count >= done:
            boards.append(puzzle.with_cells(_cells(shown, crosses)))
        where = np.s_[line, :] if line < rows else np.s_[:, line - rows]
        shown[where] = solution[where]
    return [*boards, puzzle.with_cells(_cells(shown, crosses))]


def _cells(shown: NDArray[np.int8], crosses: bool) -> Cells:
    seen = shown if crosses else np.maximum(shown, UNKNOWN)
    return tuple(tuple(int(value) for value in row) for row in seen)


def _tinted(level: int, rng: Generator) -> Colour:
    """A grey with a touch of colour."""
    r, g, b = np.clip(level + rng.integers(-18, 19, 3), 0, 255)
    return int(r), int(g), int(b)


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    r, g, b = (round(a + share * (c - a)) for a, c in zip(one, other, strict=True))
    return r, g, b
