"""`ar-assist play`: clear the board of a photograph step by step, as a simulation on the photo."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Picture

from ar_assist import replay
from ar_assist.cli import options
from ar_assist.errors import UserError, writing
from ar_assist.games.link import LinkGame, solver
from ar_assist.games.link.advice import LinkMove
from ar_assist.games.link.board import GRAVITIES, GRAVITY_WORDS, LinkBoard, Rules, play
from ar_assist.games.link.drawing import identities
from ar_assist.overlay import draw
from ar_assist.settings import Settings
from ar_assist.types import Advice, Homography, Image, View

PITCH = 64  # px of a cell in the straightened board: as fine as the tiles of most photographs
RIM = 6  # px around a blanked cell that are blanked too: frames of tiles lie on cell borders
STEP_MS = 700  # a pair of the animation stays for so long
LAST_MS = 2000  # and the end
WIDEST = 720  # px of the animation: a GIF grows with every pixel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("photo", help="a picture of a link game")
    parser.add_argument("--out", type=Path, default=Path("play.gif"), help="play.gif")
    parser.add_argument(
        "--gravity", choices=list(GRAVITIES), default="none", metavar="RULE", help=GRAVITY_WORDS
    )


def run(args: argparse.Namespace) -> int:
    """Write the animation, and say how far the game went."""
    if args.out.suffix.lower() != ".gif":
        raise UserError(f"{args.out}: the game is written as .gif")
    game = LinkGame(args.gravity)
    view = _view(args.photo, game)
    if view.reading is None or view.plane is None:
        raise UserError(f"{args.photo}: no link board was found ({view.reason})")
    board, rules = view.reading.board, Rules(args.gravity)
    solution = solver.solve(board, rules)
    order = solver.finish(board, rules, solution.order)
    frames = [_shrunk(image) for image in _simulate(view, game, rules, order)]
    durations = [STEP_MS] * len(order) + [LAST_MS]
    with writing(args.out):
        frames[0].save(
            args.out, save_all=True, append_images=frames[1:], duration=durations, loop=0
        )
    left = board.left - 2 * len(order)
    print(f"{len(order)} pairs removed, {left} tiles stay: {args.out}")
    return 0


def _view(photo: str, game: LinkGame) -> View:
    """What the program sees in the picture."""
    source = options.stored(replace(Settings(), source=photo))
    return replay.still(next(iter(source)), (game,))


def _simulate(
    view: View, game: LinkGame, rules: Rules, order: tuple[solver.Pair, ...]
) -> Iterator[Image]:
    """The photograph before each move, the pair marked, and after the last one."""
    reading, plane = view.reading, view.plane
    assert reading is not None and plane is not None
    frame_from_cells = plane.frame_from_plane @ reading.plane_from_grid @ _scaled(1 / PITCH)
    tiles = _tiles(view.frame.image, frame_from_cells, reading.board)
    ground = _ground(view.frame.image, frame_from_cells, reading.board)
    names = identities(reading.board)
    for board, link in solver.replay(reading.board, rules, order):
        image = _painted(view.frame.image, frame_from_cells, reading.board, names, tiles, ground)
        now = replace(reading, board=board)
        advice = Advice((LinkMove(link),), "ready")
        marks = game.marks(now, advice)
        frame = replace(view.frame, image=image)
        yield draw(replace(view, frame=frame, reading=now, advice=advice, marks=marks, choice=0))
        names = play(names, rules, link.a, link.b)
    yield _painted(view.frame.image, frame_from_cells, reading.board, names, tiles, ground)


def _scaled(factor: float) -> Homography:
    """Grid units from px of the straightened board; its first pixel's centre is at (0, 0)."""
    shift = 0.5 * factor
    return np.array([[factor, 0, shift], [0, factor, shift], [0, 0, 1]], np.float64)


def _tiles(image: Image, frame_from_cells: Homography, board: LinkBoard) -> dict[int, Image]:
    """The straightened picture of every cell, by the tile's own number; 0: an empty cell's."""
    size = board.cols * PITCH, board.rows * PITCH
    straight = cv2.warpPerspective(image, np.linalg.inv(frame_from_cells), size)
    return {
        name: straight[r * PITCH : (r + 1) * PITCH, c * PITCH : (c + 1) * PITCH].astype(np.uint8)
        for r, row in enumerate(identities(board).cells)
        for c, name in enumerate(row)
    }


def _ground(image: Image, frame_from_cells: Homography, board: LinkBoard) -> Image:
    """A cell of the colour behind the tiles: that of empty cells, or of the board's rim."""
    corner = np.array([[1, 0, -PITCH], [0, 1, -PITCH], [0, 0, 1]], np.float64)
    size = (board.cols + 2) * PITCH, (board.rows + 2) * PITCH
    wide = cv2.warpPerspective(image, np.linalg.inv(frame_from_cells @ corner), size)
    seen = np.zeros(wide.shape[:2], bool)
    seen[PITCH // 2 : -PITCH // 2, PITCH // 2 : -PITCH // 2] = True
    seen[PITCH:-PITCH, PITCH:-PITCH] = np.kron(
        np.array(board.cells) == 0, np.ones((PITCH, PITCH), bool)
    )
    if board.left < board.rows * board.cols:
        seen[:PITCH] = seen[-PITCH:] = seen[:, :PITCH] = seen[:, -PITCH:] = False
    return np.full((PITCH, PITCH, 3), np.median(wide[seen], axis=0), np.uint8)


def _painted(
    image: Image,
    frame_from_cells: Homography,
    before: LinkBoard,
    names: LinkBoard,
    tiles: dict[int, Image],
    ground: Image,
) -> Image:
    """The photograph with the tiles where they are now; cells that did not change stay as taken."""
    at_first = identities(before)
    rows = [[tiles[name] if name else ground for name in row] for row in names.cells]
    straight = np.vstack([np.hstack(row) for row in rows])
    moved = np.array(names.cells) != np.array(at_first.cells)
    mask = np.kron(moved, np.full((PITCH, PITCH), 255)).astype(np.uint8)
    colour = tuple(map(float, ground[0, 0]))
    rimmed = cv2.copyMakeBorder(straight, *(RIM,) * 4, cv2.BORDER_CONSTANT, value=colour)
    wide_mask = cv2.dilate(np.pad(mask, RIM), np.ones((2 * RIM + 1, 2 * RIM + 1), np.uint8))
    size = image.shape[1], image.shape[0]
    frame_from_rimmed = frame_from_cells @ np.array(
        [[1, 0, -RIM], [0, 1, -RIM], [0, 0, 1]], np.float64
    )
    painted = cv2.warpPerspective(rimmed, frame_from_rimmed, size)
    share = cv2.warpPerspective(wide_mask, frame_from_rimmed, size)[..., None] / 255
    return (painted * share + image * (1 - share)).astype(np.uint8)


def _shrunk(image: Image) -> Picture.Image:
    """A frame of the animation."""
    picture = Picture.fromarray(np.ascontiguousarray(image[..., ::-1]))
    picture.thumbnail((WIDEST, WIDEST))
    return picture.quantize(dither=Picture.Dither.NONE)
