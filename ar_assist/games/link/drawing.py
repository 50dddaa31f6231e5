"""A clearing order drawn: as a numbered board or as an animation."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from ar_assist.games.link.board import EMPTY, LinkBoard, Rules, play
from ar_assist.games.link.paths import Link
from ar_assist.games.link.solver import Pair, replay
from ar_assist.types import Cell

CELL = 40  # px
STEP_MS = 700  # a pair of the animation stays for so long
COLOURS = 256  # of an animation
GROUND, STONE, INK, MARK = (30, 33, 40), (85, 85, 85), (15, 15, 15), (255, 214, 10)
GOLDEN = 0.61803  # hues a golden section apart stay apart for any number of kinds


def number(path: Path, board: LinkBoard, rules: Rules, order: Sequence[Pair]) -> None:
    """Write the board with the step at which every tile goes."""
    steps = {}
    ids = identities(board)
    home = {ids.at((r, c)): (r, c) for r in range(board.rows) for c in range(board.cols)}
    for step, (a, b) in enumerate(order, 1):
        steps[home[ids.at(a)]] = steps[home[ids.at(b)]] = str(step)
        ids = play(ids, rules, a, b)
    _picture(board, steps).save(path)


def animate(path: Path, board: LinkBoard, rules: Rules, order: Sequence[Pair]) -> None:
    """Write the order as an animated GIF: every pair with its path, then the end."""
    colours = _picture(board, _kinds(board)).quantize(COLOURS - 1).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*MARK, *colours])
    frames = []  # all in memory at once: a byte a pixel
    for before, link in replay(board, rules, order):
        frames.append(_coloured(_marked(_picture(before, _kinds(before)), link), palette))
        board = play(before, rules, link.a, link.b)
    frames.append(_coloured(_picture(board, _kinds(board)), palette))
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=STEP_MS, loop=0)


def _coloured(picture: Image.Image, palette: Image.Image) -> Image.Image:
    """The picture in the colours of a palette."""
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def identities(board: LinkBoard) -> LinkBoard:
    """The board with a number of its own for every tile, to follow tiles as they slide."""
    cells = ((r, c) for r in range(board.rows) for c in range(board.cols))
    tiles = [cell for cell in cells if board.at(cell) > EMPTY]
    return board.put({cell: i for i, cell in enumerate(tiles, 1)})


def _kinds(board: LinkBoard) -> dict[Cell, str]:
    """What stands on the tiles: their kinds."""
    cells = ((r, c) for r in range(board.rows) for c in range(board.cols))
    return {cell: str(board.at(cell)) for cell in cells if board.at(cell) > EMPTY}


def _picture(board: LinkBoard, words: dict[Cell, str]) -> Image.Image:
    """The board with a margin of half a cell, and a word on each tile."""
    size = (board.cols + 1) * CELL, (board.rows + 1) * CELL
    picture = Image.new("RGB", size, GROUND)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(CELL * 0.4)
    for r, row in enumerate(board.cells):
        for c, kind in enumerate(row):
            x, y = _centre((r, c))
            box = (x - CELL * 0.46, y - CELL * 0.46, x + CELL * 0.46, y + CELL * 0.46)
            if kind > EMPTY:
                draw.rounded_rectangle(box, CELL * 0.15, _colour(kind))
                draw.text((x, y), words.get((r, c), ""), INK, font, "mm")
            elif kind < EMPTY:
                draw.rectangle(box, STONE if kind == -1 else GROUND)
    return picture


def _marked(picture: Image.Image, link: Link) -> Image.Image:
    """The pair framed and its path drawn."""
    draw = ImageDraw.Draw(picture)
    half = CELL * 0.46
    for x, y in map(_centre, (link.a, link.b)):
        draw.rounded_rectangle((x - half, y - half, x + half, y + half), half / 3, None, MARK, 4)
    draw.line([_centre(cell) for cell in link.path], MARK, 5, "curve")
    return picture


def _centre(cell: Cell) -> tuple[float, float]:
    """Where a cell's centre is drawn, px; the margin's cells at the picture's border."""
    row, col = cell
    return (col + 1) * CELL, (row + 1) * CELL


def _colour(kind: int) -> tuple[int, int, int]:
    rgb = colorsys.hls_to_rgb(kind * GOLDEN % 1, 0.68, 0.6)
    return round(255 * rgb[0]), round(255 * rgb[1]), round(255 * rgb[2])
