"""A nonogram as a drawing: SVG, PNG and PDF of one list of shapes, in units of a cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from ar_assist.games.nonogram.board import CROSSED, FILLED, Clue, NonogramBoard

BORDER = 0.5  # cells of empty paper around everything
CAP_HEIGHT = 0.72  # of the type size: height of a digit in common fonts
PDF_DPI = 300


@dataclass(frozen=True)
class Style:
    """Colours and measures, in units of a cell."""

    paper: str = "#ffffff"
    clue_paper: str = "#ffffff"
    ink: str = "#000000"
    line: str = "#505050"
    fill: str = "#202020"
    thin: float = 0.03
    thick: float = 0.08  # every fifth line and the border
    digit: float = 0.5  # height of a digit
    step: float = 0.8  # from number to number in the row clues; two-digit numbers need it
    ruled: bool = False  # lines between the clues too
    font: Path | None = None  # None: the one that comes with Pillow


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    colour: str


@dataclass(frozen=True)
class Stroke:
    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    colour: str


@dataclass(frozen=True)
class Label:
    """Text centred on (x, y), its digits `height` high."""

    x: float
    y: float
    height: float
    text: str
    colour: str


Shape = Box | Stroke | Label


@dataclass(frozen=True)
class Drawing:
    """Shapes on a sheet, and where the cell grid lies on it; all in cells."""

    width: float
    height: float
    left: float
    top: float
    shapes: tuple[Shape, ...]
    style: Style


def draw(board: NonogramBoard, style: Style | None = None) -> Drawing:
    """The puzzle with its clues and what is entered."""
    style = style or Style()
    rows, cols = board.size
    deep = max(1, *(len(clue or ()) for clue in board.col_clues))
    wide = max(1.0, *(len(clue or ()) * style.step for clue in board.row_clues)) + 0.3
    left, top = BORDER + wide, BORDER + deep + 0.2
    size = left + cols + BORDER, top + rows + BORDER
    shapes: list[Shape] = [
        Box(0, 0, *size, style.clue_paper),
        Box(left, top, cols, rows, style.paper),
    ]
    shapes += _entries(board, left, top, style)
    shapes += _lines(rows, cols, left, top, style)
    shapes += _clues(board, left, top, style)
    return Drawing(*size, left, top, tuple(shapes), style)


def _entries(board: NonogramBoard, left: float, top: float, style: Style) -> list[Shape]:
    shapes: list[Shape] = []
    for i, row in enumerate(board.cells):
        for j, value in enumerate(row):
            x, y = left + j, top + i
            if value == FILLED:
                shapes.append(Box(x, y, 1, 1, style.fill))
            elif value == CROSSED:
                ends = (x + 0.25, x + 0.75)
                for x0, x1 in (ends, ends[::-1]):
                    shapes.append(Stroke(x0, y + 0.25, x1, y + 0.75, 0.08, style.line))
    return shapes


def _lines(rows: int, cols: int, left: float, top: float, style: Style) -> list[Shape]:
    """Thick every fifth and around; ruled sheets have them through the clue areas too."""
    start_x, start_y = (BORDER, BORDER) if style.ruled else (left, top)
    shapes: list[Shape] = []
    for i in range(rows + 1):
        width = style.thick if i % 5 == 0 or i == rows else style.thin
        length = left + cols - start_x + width
        shapes.append(Box(start_x - width / 2, top + i - width / 2, length, width, style.line))
    for j in range(cols + 1):
        width = style.thick if j % 5 == 0 or j == cols else style.thin
        length = top + rows - start_y + width
        shapes.append(Box(left + j - width / 2, start_y - width / 2, width, length, style.line))
    return shapes


def _clues(board: NonogramBoard, left: float, top: float, style: Style) -> list[Shape]:
    shapes: list[Shape] = []
    for i, clue in enumerate(board.row_clues):
        for k, text in enumerate(reversed(_texts(clue))):
            x = left - 0.15 - style.step * (k + 0.5)
            shapes.append(Label(x, top + i + 0.5, style.digit, text, style.ink))
    for j, clue in enumerate(board.col_clues):
        for k, text in enumerate(reversed(_texts(clue))):
            y = top - 0.1 - (k + 0.5)
            shapes.append(Label(left + j + 0.5, y, style.digit, text, style.ink))
    return shapes


def _texts(clue: Clue | None) -> list[str]:
    return ["?"] if clue is None else [str(number) for number in clue or (0,)]


def to_svg(drawing: Drawing, cell_px: int = 24) -> str:
    """The drawing as an SVG document."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width:g} '
        f'{drawing.height:g}" width="{drawing.width * cell_px:g}" '
        f'height="{drawing.height * cell_px:g}" font-family="sans-serif" text-anchor="middle">'
    ]
    lines += [_svg(shape) for shape in drawing.shapes]
    return "\n".join([*lines, "</svg>\n"])


def _svg(shape: Shape) -> str:
    if isinstance(shape, Box):
        return (
            f'<rect x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" '
            f'height="{shape.height:g}" fill="{shape.colour}"/>'
        )
    if isinstance(shape, Stroke):
        return (
            f'<line x1="{shape.x0:g}" y1="{shape.y0:g}" x2="{shape.x1:g}" y2="{shape.y1:g}" '
            f'stroke="{shape.colour}" stroke-width="{shape.width:g}"/>'
        )
    return (
        f'<text x="{shape.x:g}" y="{shape.y + shape.height / 2:g}" '
        f'font-size="{shape.height / CAP_HEIGHT:g}" fill="{shape.colour}">'
        f"{escape(shape.text)}</text>"
    )


def to_image(drawing: Drawing, cell_px: float) -> Image.Image:
    """The drawing as an RGB picture."""
    size = round(drawing.width * cell_px), round(drawing.height * cell_px)
    image = Image.new("RGB", size, drawing.style.clue_paper)
    pen = ImageDraw.Draw(image)
    for shape in drawing.shapes:
        if isinstance(shape, Box):
            x0, y0 = round(shape.x * cell_px), round(shape.y * cell_px)
            x1 = max(round((shape.x + shape.width) * cell_px) - 1, x0)
            y1 = max(round((shape.y + shape.height) * cell_px) - 1, y0)
            pen.rectangle((x0, y0, x1, y1), shape.colour)
        elif isinstance(shape, Stroke):
            ends = [v * cell_px for v in (shape.x0, shape.y0, shape.x1, shape.y1)]
            pen.line(ends, shape.colour, max(1, round(shape.width * cell_px)))
        else:
            font = _font(drawing.style.font, shape.height / CAP_HEIGHT * cell_px)
            place = shape.x * cell_px, (shape.y + shape.height / 2) * cell_px
            pen.text(place, shape.text, shape.colour, font, anchor="ms")
    return image


def to_pdf(drawing: Drawing, path: Path) -> None:
    """One page, a cell 8 mm wide or less, so that it fits on A4."""
    cell_mm = min(8.0, 190 / drawing.width, 277 / drawing.height)
    to_image(drawing, cell_mm / 25.4 * PDF_DPI).save(path, "PDF", resolution=PDF_DPI)


@cache
def _font(path: Path | None, size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.truetype(str(path), size) if path else ImageFont.load_default(size)
