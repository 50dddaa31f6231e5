"""Read known boards under a hand that rests on them: how many are trusted, and what is misread.

The first frame of a rendered clip is read, then the same with a finger on a tile; the hand covers
most of what is below. A cell counts as misread if the reading is sure of it and errs.

    python benchmarks/link_hands.py --seeds 801-814
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from rich.console import Console
from rich.table import Table

from ar_assist.evaluate.jobs import parse_seeds
from ar_assist.games.link import LinkGame
from ar_assist.games.link.advice import SURE
from ar_assist.look import TRUST, Sight, Task, look
from ar_assist.scene import open_scene
from ar_assist.scene.hand import FINGER_MM, FINGER_PX, Reach
from ar_assist.scene.render import Renderer
from ar_assist.types import Frame, Image

HANDS = 4  # on each board
SCREEN_MM = 300.0  # wide, as the hand's size goes
AWAY = 3.0  # of the screen's height: out of view
GAME = (LinkGame(),)


def frames(seed: int) -> Iterator[Image]:
    """The board, and the same with a hand on one of its cells."""
    world = open_scene(f"scene:tier=tripod,seed={seed}").world
    game, rng = world.show, np.random.default_rng(seed)
    width, height = game.size_wh
    scale = FINGER_MM * width / SCREEN_MM / FINGER_PX
    box, board = game.board, game.at(0).board
    spots = [(width / 2, AWAY * height)]
    for row, col in rng.integers(0, (board.rows, board.cols), (HANDS, 2)):
        x = box.x + (col + 0.5) * box.width / board.cols
        spots.append((x, box.y + (row + 0.5) * box.height / board.rows))
    for x, y in spots:
        reach = Reach(((0, x, y), (1, x, y)), scale)
        yield Renderer(replace(world, reach=reach)).frame(0)


def again(known: Sight, image: Image) -> Sight | None:
    """What a look at the followed plane sees of the known board."""
    return look(
        Task(
            Frame(1, 1.0, image),
            GAME,
            tracked=known,
            views=((image, known.plane),),
            believed=known.reading,
            anew=False,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seeds", default="801-814")
    table = Table("seed", "board", "hands", "read", "trusted", "with cells misread", "such cells")
    total = np.zeros(5, int)
    for seed in parse_seeds(parser.parse_args().seeds):
        bare, *covered = frames(seed)
        sight = look(Task(Frame(0, 0.0, bare), GAME))
        if sight is None or sight.reading.confidence < TRUST:
            continue
        known, counts = replace(sight, tracker=None), np.zeros(5, int)
        for image in covered:
            seen = again(known, image)
            counts += (1, seen is not None, 0, 0, 0)
            if seen:
                reading = seen.reading
                errs = (reading.certainty >= SURE) & (reading.cells != known.reading.cells)
                counts += (0, 0, reading.confidence >= TRUST, errs.any(), errs.sum())
        rows, cols = known.reading.cells.shape
        table.add_row(str(seed), f"{rows}x{cols}", *map(str, counts))
        total += counts
    table.add_row("all", "", *map(str, total))
    Console().print(table)


if __name__ == "__main__":
    main()
