"""Read nonograms of random styles: web pages that a browser paints, as screenshots and as seen.

Apps and sites differ in their clue panels, fonts, lines, themes, crosses and in what stands around
the puzzle; these pages draw all that at random, apart from the rendered world's looks. Every third
page is a plain screenshot, the others are seen by a camera. Every sixth is no nonogram but looks
like one. Prints what is not read exactly, and the totals.

    python benchmarks/nonogram_pages.py --count 60 --seed 1 [--out FOLDER]

Pages take any of the fonts that fontconfig knows, so figures hold for one machine.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np
from pages import PAGE, arguments, around, keep, painted, photographed, pose

from ar_assist.games.nonogram import NonogramGame
from ar_assist.games.nonogram.board import DOUBTFUL, NonogramBoard, puzzle_of
from ar_assist.look import TRUST, Sight, Task, look
from ar_assist.types import Frame, Image

GAME = NonogramGame()
LEAST_PX = 18  # side of a cell in the camera picture: what a player holds up to be read
SIDES = (5, 5), (8, 8), (10, 10), (10, 10), (15, 15), (15, 15), (20, 20), (10, 15), (15, 10), (6, 9)
OTHER = "Math", "Light", "Condensed", "Symbols", "D050000L"  # styles no page sets digits in
DOCUMENT = """<!doctype html><meta charset="utf-8"><body style="margin: 0; background: {page}">
<svg width="{w}" height="{h}" font-family="{family}" font-weight="{weight}" text-anchor="middle">
{drawing}</svg>"""


@dataclass(frozen=True)
class Page:
    """A page and what a reader should find on it."""

    html: str
    corners: list[list[float]]  # px: what a camera is pointed at, clues included
    cell: float  # px
    board: NonogramBoard | None  # None: no nonogram
    solution: np.ndarray  # (rows, cols) 1 and -1

    def record(self) -> dict[str, object]:
        return {**(self.board.record() if self.board else {}), "corners": self.corners}


def families() -> list[str]:
    """The fonts of this machine."""
    listed = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True)
    names = {line.split(",")[-1] for line in listed.stdout.splitlines()}
    return sorted(name for name in names if not any(style in name for style in OTHER))


def hsl(rng: Random, saturation: tuple[int, int], light: tuple[int, int]) -> str:
    return f"hsl({rng.randrange(360)}, {rng.randint(*saturation)}%, {rng.randint(*light)}%)"


def rect(x: float, y: float, w: float, h: float, fill: str, rx: float = 0, more: str = "") -> str:
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="{rx}" fill="{fill}" {more}/>'


def line(x: float, y: float, x1: float, y1: float, colour: str, width: float) -> str:
    ends = f'x1="{x}" y1="{y}" x2="{x1}" y2="{y1}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>'


def text(x: float, y: float, size: float, fill: str, what: object, more: str = "") -> str:
    """Digits and capitals are some 0.7 em high; their middle is at (x, y)."""
    place = f'x="{x}" y="{y + 0.36 * size}" font-size="{size}"'
    return f'<text {place} fill="{fill}" {more}>{what}</text>'


def drawn_picture(rng: Random, rows: int, cols: int) -> np.ndarray:
    """(rows, cols) 1 filled, -1 not: blobs, symmetric or not."""
    dice = np.random.default_rng(rng.randrange(2**32))
    field = cv2.GaussianBlur(dice.normal(size=(rows, cols)), (0, 0), rng.uniform(0.6, 1.3))
    if rng.random() < 0.3:
        field = field + field[:, ::-1]
    return np.where(field > np.quantile(field, rng.uniform(0.3, 0.6)), 1, -1)


def entered(rng: Random, solution: np.ndarray) -> np.ndarray:
    """What a player has entered so far: all of some lines, or cells here and there."""
    dice = np.random.default_rng(rng.randrange(2**32))
    share = rng.choice([0, 0, rng.uniform(0.05, 0.9)])
    chances = dice.random((len(solution), 1)) if rng.random() < 0.5 else dice.random(solution.shape)
    known = np.broadcast_to(chances < share, solution.shape)
    crosses = rng.random() < 0.6
    return np.where(known & ((solution == 1) | crosses), solution, 0)


@dataclass(frozen=True)
class Skin:
    """How an app or a site shows its puzzles; lengths are shares of a cell."""

    page: str
    paper: str
    ink: str
    fill: str
    thin: str  # colours of lines
    thick: str
    panel: tuple[str, str]  # colours of the clue panels, alternating
    panel_ink: str
    panel_form: str  # bare, panel, pills or ruled
    align: float  # of clues: 1 against the grid, 0.5 centred, 0 outside
    size: float  # of digits: the font's
    widths: tuple[float, float, float]  # px of lines: thin, every five, around
    gap: float  # around a cell: 0 or a part, for cells that are tiles
    margin: float  # of filled squares
    rounding: float
    cross: str
    done: str  # clues of complete lines: same, pale or struck


def skin(rng: Random) -> Skin:
    is_dark = rng.random() < 0.25
    far, near = ((12, 22), (24, 34)) if is_dark else ((88, 98), (94, 100))
    grey = ((0, 0), (0, 40))
    paper = hsl(rng, rng.choice(grey), near) if is_dark or rng.random() < 0.5 else "#fff"
    page = rng.choice([paper, hsl(rng, rng.choice(grey), far)])
    ink = hsl(rng, rng.choice(grey), (85, 100) if is_dark else (0, 25))
    tint, panel_ink = rng.choice([far, far, near]), ink
    if rng.random() < 0.15:  # strong panels with digits of the other kind
        tint, panel_ink = ((75, 90), "#111") if is_dark else ((25, 45), "#fff")
    panel = hsl(rng, (0, 50), tint), hsl(rng, (0, 50), tint)
    lines = (45, 70) if is_dark else (10, 75)
    thin = hsl(rng, rng.choice(grey), lines)
    return Skin(
        page=page,
        paper=paper,
        ink=ink,
        fill=rng.choice([ink, ink, hsl(rng, (30, 90), (55, 75) if is_dark else (20, 55))]),
        thin=thin,
        thick=rng.choice([thin, ink]),
        panel=rng.choice([panel, panel[:1] * 2]),
        panel_ink=panel_ink,
        panel_form=rng.choice(["bare", "panel", "pills", "ruled", "ruled"])
        if panel_ink == ink
        else rng.choice(["panel", "pills", "ruled"]),
        align=rng.choice([1, 1, 1, 1, 0.5, 0]),
        size=rng.uniform(0.5, 0.72),
        widths=(rng.choice([1, 1, 1, 2]), rng.choice([1, 2, 2, 3]), rng.choice([1, 2, 3, 4])),
        gap=rng.choice([0, 0, 0, 0, 0.04, 0.08]),
        margin=rng.choice([0, 0, 0.06, 0.14]),
        rounding=rng.choice([0, 0, 0.12, 0.2]),
        cross=rng.choice(["thin", "thin", "bold", "dot", "small"]),
        done=rng.choice(["same", "same", "pale", "struck"]),
    )


def marked_cell(look: Skin, x: float, y: float, cell: float, value: int) -> str:
    """A cell's entry; (x, y) is the cell's top left corner."""
    if value == 1:
        inset, side = look.margin * cell, (1 - 2 * look.margin) * cell
        return rect(x + inset, y + inset, side, side, look.fill, look.rounding * cell)
    middle_x, middle_y = x + cell / 2, y + cell / 2
    if look.cross == "dot":
        return f'<circle cx="{middle_x}" cy="{middle_y}" r="{0.12 * cell}" fill="{look.ink}"/>'
    reach = {"thin": 0.3, "bold": 0.26, "small": 0.16}[look.cross] * cell
    width = {"thin": 1.5, "bold": 0.12 * cell, "small": 2}[look.cross]
    ways = [(reach, reach), (reach, -reach)]
    ends = [(middle_x - a, middle_y - b, middle_x + a, middle_y + b) for a, b in ways]
    return "".join(
        line(*end, look.thin if look.cross == "thin" else look.ink, width) for end in ends
    )


class Sheet:
    """A nonogram's drawing, (0, 0) its grid's corner; px."""

    def __init__(self, rng: Random, board: NonogramBoard, look: Skin, cell: float) -> None:
        self.rng, self.board, self.look, self.cell = rng, board, look, cell
        self.rows, self.cols = board.size
        border = *board.row_clues[:: self.rows - 1], *board.col_clues[:: self.cols - 1]
        zero = rng.choice(["0", ""])
        self.zero = zero if all(border) else "0"  # no one can see a line that is bare all along
        is_ruled = look.panel_form == "ruled"
        size = look.size * cell
        across = rng.choice([1, 1, 0.8]) * cell if is_ruled else rng.uniform(0.5, 0.8) * size
        down = rng.choice([1, 1, 0.8]) * cell if is_ruled else rng.uniform(1.05, 1.3) * size
        self.size, self.space, self.down = size, across, down
        self.left = max(self.length(clue, 0) for clue in board.row_clues) + (not is_ruled) * size
        self.top = max(self.length(clue, 1) for clue in board.col_clues) + (not is_ruled) * size

    def numbers(self, clue: Sequence[int]) -> list[str]:
        return [str(n) for n in clue] or [self.zero]

    def steps(self, clue: Sequence[int], axis: int) -> list[float]:
        """px that each number of a row's (0) or column's (1) clue takes."""
        numbers = self.numbers(clue)
        if axis == 1:
            return [self.down] * len(numbers)
        is_ruled = self.look.panel_form == "ruled"
        return [self.space + (0 if is_ruled else 0.6 * self.size * len(n)) for n in numbers]

    def length(self, clue: Sequence[int] | None, axis: int) -> float:
        return sum(self.steps(clue or (), axis))

    def drawing(self) -> str:
        parts = [self.panels(), self.cells(), self.highlight(), self.entries(), self.lines()]
        for axis, clues in enumerate((self.board.row_clues, self.board.col_clues)):
            parts += [self.clue(axis, i, clue or ()) for i, clue in enumerate(clues)]
        return "".join(parts) + self.corner()

    def panels(self) -> str:
        form, cell = self.look.panel_form, self.cell
        if form == "bare":
            return ""
        inset, rounding = (0.06 * cell, 0.25 * cell) if form == "pills" else (0, 0)
        side = cell - 2 * inset
        parts = []
        for i in range(self.rows):
            place = -self.left, i * cell + inset, self.left - inset, side
            parts.append(rect(*place, self.look.panel[i % 2], rounding))
        for j in range(self.cols):
            place = j * cell + inset, -self.top, side, self.top - inset
            parts.append(rect(*place, self.look.panel[j % 2], rounding))
        return "".join(parts)

    def cells(self) -> str:
        cell, gap = self.cell, self.look.gap * self.cell
        w, h = self.cols * cell, self.rows * cell
        if not gap:
            return rect(0, 0, w, h, self.look.paper)
        parts = [rect(0, 0, w, h, self.look.thin)]
        for i, j in np.ndindex(self.rows, self.cols):
            place = j * cell + gap, i * cell + gap, cell - 2 * gap, cell - 2 * gap
            parts.append(rect(*place, self.look.paper, 0.5 * self.look.rounding * cell))
        return "".join(parts)

    def highlight(self) -> str:
        """The row and the column of the cursor."""
        if self.rng.random() < 0.7:
            return ""
        i, j, cell = self.rng.randrange(self.rows), self.rng.randrange(self.cols), self.cell
        colour, opacity = hsl(self.rng, (40, 100), (40, 70)), 'opacity="0.2"'
        row = rect(-self.left, i * cell, self.left + self.cols * cell, cell, colour, 0, opacity)
        column = rect(j * cell, -self.top, cell, self.top + self.rows * cell, colour, 0, opacity)
        return row + column

    def entries(self) -> str:
        cells, side = np.array(self.board.cells), self.cell
        places = np.argwhere(cells).tolist()
        return "".join(
            marked_cell(self.look, j * side, i * side, side, int(cells[i, j])) for i, j in places
        )

    def lines(self) -> str:
        cell, (thin, thick, outer) = self.cell, self.look.widths
        w, h = self.cols * cell, self.rows * cell
        parts = []
        ruled = self.look.panel_form == "ruled"
        left, top = (-self.left, -self.top) if ruled else (0, 0)
        if ruled:
            xs, ys = np.arange(-self.left, 0, self.space), np.arange(-self.top, 0, self.down)
            parts += [line(x, 0, x, h, self.look.thin, thin) for x in xs]
            parts += [line(0, y, w, y, self.look.thin, thin) for y in ys]
        for axis, count in enumerate((self.rows, self.cols)):
            for i in sorted(range(count + 1), key=lambda i: i % 5 == 0):
                is_thick = i % 5 == 0 and thick > thin
                style = (self.look.thick, thick) if is_thick else (self.look.thin, thin)
                if self.look.gap and not is_thick:
                    continue
                at = i * cell
                ends = (left, at, w, at) if axis == 0 else (at, top, at, h)
                parts.append(line(*ends, *style))
        frame = f'stroke="{self.look.thick}" stroke-width="{outer}"'
        return "".join(parts) + rect(0, 0, w, h, "none", 0, frame)

    def clue(self, axis: int, index: int, clue: Sequence[int]) -> str:
        cells = np.array(self.board.cells)
        entries = cells[index] if axis == 0 else cells[:, index]
        is_done = bool(entries.any()) and int((entries == 1).sum()) == sum(clue)
        done = self.look.done if is_done else "same"
        depth, own = (self.left, self.top)[axis], self.length(clue, axis)
        is_ruled = self.look.panel_form == "ruled"
        pad = 0 if is_ruled else 0.3 * self.size
        before = pad + self.look.align * (depth - own - 2 * pad)
        box = (self.space, self.down)[axis]
        out = -depth + (box * round(before / box) if is_ruled else before)
        middle, parts = (index + 0.5) * self.cell, []
        for number, step in zip(self.numbers(clue), self.steps(clue, axis), strict=True):
            x, y = (out + step / 2, middle) if axis == 0 else (middle, out + step / 2)
            pale = 'opacity="0.4"' if done == "pale" else ""
            parts.append(text(x, y, self.size, self.look.panel_ink, number, pale))
            if done == "struck":
                r = 0.4 * self.size
                parts.append(line(x - r, y + r, x + r, y - r, self.look.thin, 1.5))
            out += step
        return "".join(parts)

    def corner(self) -> str:
        """What stands above the row clues: nothing, a thumbnail, the time or the size."""
        side = min(self.left, self.top)
        kind = self.rng.choice(["", "", "thumbnail", "0:42", f"{self.cols}x{self.rows}"])
        if kind == "thumbnail":
            small = 0.8 * side / max(self.rows, self.cols)
            x, y = -(self.left + small * self.cols) / 2, -(self.top + small * self.rows) / 2
            filled = np.argwhere(np.array(self.board.cells) == 1).tolist()
            frame = rect(x, y, small * self.cols, small * self.rows, self.look.paper)
            dots = [
                rect(x + j * small, y + i * small, small, small, self.look.ink) for i, j in filled
            ]
            return frame + "".join(dots)
        middle = -self.left / 2, -self.top / 2
        return text(*middle, 0.3 * side, self.look.ink, kind) if kind else ""


def furniture(rng: Random, look: Skin, box: tuple[float, float, float, float]) -> str:
    """Title, buttons, advertisements and tools around the puzzle's box (px)."""
    x, _, right, bottom = box
    parts = [text(x + 90, 24, 24, look.ink, rng.choice(["Nonogram #1234", "Level 12", "Japanese"]))]
    for i, name in enumerate(rng.sample(["Undo", "Hint", "Check", "Menu", "x 3", "12:07"], 4)):
        colour = hsl(rng, (20, 90), (40, 60))
        parts.append(rect(right + 40 + 110 * (i % 2), 60 + 60 * (i // 2), 90, 36, colour, 8))
        parts.append(text(right + 85 + 110 * (i % 2), 78 + 60 * (i // 2), 18, "#fff", name))
    if rng.random() < 0.4:  # tools below, as on phones
        for i, sign in enumerate("■×?"):
            at = x + 20 + 70 * i
            parts.append(rect(at, bottom + 14, 54, 54, look.paper, 6, f'stroke="{look.thin}"'))
            parts.append(text(at + 27, bottom + 41, 30, look.ink, sign))
    if rng.random() < 0.4:
        parts.append(rect(12, 60, max(x - 50, 0), 500, hsl(rng, (40, 90), (50, 80))))
        parts.append(text(x / 2, 300, 40, "#fff", "Play now"))
    return "".join(parts)


def placed(
    rng: Random, look: Skin, drawing: str, box: tuple[float, ...], fonts: list[str]
) -> tuple[str, list[list[float]]]:
    """The page, and the corners of the box (left, top, right, bottom; px around the drawing's
    origin) on it.
    """
    left, top, right, bottom = box
    x = rng.randint(20, max(21, int(PAGE[0] - (right - left) - 20))) - left
    y = rng.randint(44, max(45, int(PAGE[1] - (bottom - top) - 20))) - top
    around = left + x, top + y, right + x, bottom + y
    body = f'<g transform="translate({x} {y})">{drawing}</g>'
    html = DOCUMENT.format(
        page=look.page,
        w=PAGE[0],
        h=PAGE[1],
        family=rng.choice(fonts),
        weight=rng.choice(["normal", "bold"]),
        drawing=furniture(rng, look, around) + body,
    )
    (x0, y0, x1, y1) = around
    return html, [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def nonogram(seed: int, fonts: list[str]) -> Page:
    rng = Random(seed)
    rows, cols = rng.choice(SIDES)
    solution = drawn_picture(rng, rows, cols)
    board = puzzle_of(solution.tolist()).with_cells(entered(rng, solution).tolist())
    look = skin(rng)
    width, height = (440, 640) if rng.random() < 0.25 else (1000, 700)  # a phone's, a window's
    unit = Sheet(Random(seed), board, look, 1)
    fits = min(width / (cols + unit.left), height / (rows + unit.top))
    cell = max(18, int(fits * rng.uniform(0.7, 1)))
    sheet = Sheet(Random(seed), board, look, min(cell, 64))
    cell = sheet.cell
    box = -sheet.left, -sheet.top, cols * cell, rows * cell
    html, corners = placed(rng, look, sheet.drawing(), box, fonts)
    return Page(html, corners, cell, board, solution)


def lookalike(seed: int, fonts: list[str]) -> Page:
    """A grid with digits that is none: in its cells, or beside it in one row only."""
    rng = Random(seed)
    look = skin(rng)
    kind = rng.choice(["sudoku", "crossword", "mines", "calendar", "2048", "spreadsheet"])
    sides = {"sudoku": (9, 9), "calendar": (6, 7), "2048": (4, 4)}
    rows, cols = sides.get(kind, (rng.randint(8, 15), rng.randint(8, 15)))
    cell = int(rng.uniform(0.7, 1) * min(900 / cols, 600 / rows, 90))
    blank = puzzle_of([[1] * cols] * rows)
    sheet = Sheet(rng, blank, look, cell)
    parts = [sheet.cells(), sheet.lines() if look.panel_form != "ruled" else ""]
    for i, j in np.ndindex(rows, cols):
        middle = (j + 0.5) * cell, (i + 0.5) * cell
        corner = j * cell, i * cell
        chance, size = rng.random(), 0.6 * cell
        if kind == "crossword" and chance < 0.2:
            parts.append(rect(*corner, cell, cell, look.ink))
        elif kind == "crossword" and chance < 0.5:
            place = corner[0] + 0.25 * cell, corner[1] + 0.25 * cell
            parts.append(text(*place, 0.3 * cell, look.ink, rng.randint(1, 60)))
        elif kind == "mines" and chance < 0.4:
            parts.append(rect(*corner, cell, cell, look.thin, 0, f'stroke="{look.ink}"'))
        elif kind == "2048" and chance < 0.7:
            parts.append(rect(*corner, cell, cell, hsl(rng, (20, 90), (50, 80)), 6))
            parts.append(text(*middle, 0.35 * cell, "#111", 2 ** rng.randint(1, 9)))
        elif kind == "calendar":
            parts.append(text(*middle, 0.4 * cell, look.ink, 1 + (7 * i + j) % 31))
        elif kind in ("sudoku", "mines") and chance < 0.75:
            parts.append(
                text(*middle, size, look.ink, rng.randint(1, 9 if kind == "sudoku" else 4))
            )
        elif kind == "spreadsheet" and chance < 0.3:
            parts.append(text(*middle, 0.35 * cell, look.ink, rng.randint(1, 999)))
    beside = cell if kind in ("spreadsheet", "calendar") else 0
    if beside:
        names = "MTWTFSS" if kind == "calendar" else "ABCDEFGHIJKLMNO"
        size, middles = 0.4 * cell, (np.arange(max(rows, cols)) + 0.5) * cell
        parts += [text(middles[j], -cell / 2, size, look.ink, names[j]) for j in range(cols)]
        parts += [text(-cell / 2, middles[i], size, look.ink, i + 1) for i in range(rows)]
    html, corners = placed(
        rng, look, "".join(parts), (-beside, -beside, cols * cell, rows * cell), fonts
    )
    return Page(html, corners, cell, None, np.zeros((rows, cols), int))


def camera_picture(picture: Image, page: Page, rng: np.random.Generator) -> Image:
    """The page before a camera that is near enough to read it."""
    part = around(picture, page.corners)
    height, width = part.shape[:2]
    border = np.float32([[0, 0], [width, 0], [width, height], [0, height]])
    for _ in range(100):
        plane = pose(part, rng)
        there = cv2.perspectiveTransform(border[None], plane)[0]
        if page.cell * np.sqrt(cv2.contourArea(there) / (width * height)) >= LEAST_PX:
            break
    return photographed(part, plane, rng)


def judge(page: Page, sight: Sight | None) -> Counter[str]:
    """What is right and what is wrong with a reading, by name."""
    if page.board is None:
        claims = sight is not None
        trusted = claims and sight.reading.confidence >= TRUST
        return +Counter({"look-alikes": 1, "claimed": claims, "trusted": trusted})
    verdict = Counter({"nonograms": 1})
    if sight is None:
        return verdict + Counter({"not found": 1})
    got = sight.reading.board
    is_sure = sight.reading.confidence >= TRUST
    verdict["shown"] = is_sure
    if got.size != page.board.size:
        rows, cols = got.size  # bare lines at the end may be left out: the others' cells are right
        part = page.board.row_clues[:rows], page.board.col_clues[:cols]
        is_wrong = is_sure and (got.row_clues, got.col_clues) != part
        return +(verdict + Counter({"other size": 1, "wrong cells": 99 * is_wrong}))
    clues = zip(
        (*got.row_clues, *got.col_clues),
        (*page.board.row_clues, *page.board.col_clues),
        strict=True,
    )
    off = [mine for mine, true in clues if mine != true]
    verdict["clues right"] = not off
    verdict["clues in doubt"] = off.count(None)
    verdict["clues wrong"] = len(off) - off.count(None)
    differ = np.array(got.cells) != np.array(page.board.cells)
    verdict["entries misread"] = int((differ & (sight.reading.certainty >= DOUBTFUL)).sum())
    verdict["entries in doubt"] = int((sight.reading.certainty < DOUBTFUL).sum())
    if is_sure:
        moves = GAME.advise([got], sight.reading).moves
        cells = {entry for move in moves for entry in move.cells}
        wrong = sum(page.solution[i, j] != value for i, j, value in cells)
        verdict["wrong cells"] = wrong + sum(len(move.mistakes) for move in moves[:1])
    return +verdict


def main() -> None:
    args = arguments(__doc__.splitlines()[0])
    totals: Counter[str] = Counter()
    fonts = families()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.count):
            make = lookalike if number % 6 == 5 else nonogram
            page = make(1000 * args.seed + number, fonts)
            frame = painted(page.html, args.chromium, Path(folder))
            if number % 3 != 1:
                rng = np.random.default_rng([args.seed, number])
                frame = camera_picture(frame, page, rng)
            sight = look(Task(Frame(number, 0.0, frame), (GAME,)))
            verdict = judge(page, sight)
            totals += verdict
            keep(args.out, number, frame, page.record())
            if verdict != Counter({"nonograms": 1, "shown": 1, "clues right": 1}):
                sure = f"{sight.reading.confidence:.2f}" if sight else "none"
                notes = {name: count for name, count in verdict.items() if name != "nonograms"}
                print(f"{number:4} {sure} {notes}", flush=True)
    print(dict(totals))


if __name__ == "__main__":
    main()
