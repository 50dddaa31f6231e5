"""Check how sure a group of cells is: the chance that two cells called equal are.

The tiles of rendered first frames are cut by their true lattice and grouped. Couples of cells that
the grouping calls equal are held against the truth, each board counting alike: of those whose less
sure cell is said to be right with some chance, about as many should be.

    python benchmarks/link_kinds.py --seeds 920-923
"""

from __future__ import annotations

import argparse

import numpy as np

from ar_assist.evaluate.jobs import parse_seeds
from ar_assist.games import tiles
from ar_assist.games.grouping import group, may_hide_colour
from ar_assist.games.link.survey import evened, size_odds
from ar_assist.games.residuals import finely
from ar_assist.scene import open_scene
from ar_assist.scene.tiers import TIERS
from ar_assist.types import Lattice, Plane, homography
from ar_assist.warp import rectify

CELL_PX = 48  # of the rectified picture


def couples(tier: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The chance said (M,), and whether they are equal (M,), of couples of cells called equal."""
    scene = open_scene(f"scene:tier={tier},seed={seed}")
    board = scene.truth["frames"][0]["board"]
    rows, cols, kinds = board["rows"], board["cols"], np.array(board["cells"])
    size = (CELL_PX, CELL_PX)
    inner = Lattice(size, size, rows, cols)
    frame_from_plane = homography(inner.corners, np.array(board["corners"], np.float32))
    plane = Plane(frame_from_plane, ((cols + 2) * CELL_PX, (rows + 2) * CELL_PX))
    picture = rectify(next(iter(scene)).image, plane)
    cells = evened(picture, inner)[1:-1, 1:-1][kinds > 0]
    look = finely(tiles.compare(cells, reach=1), cells)
    found = group(look, size_odds)
    a, b = np.nonzero(np.triu(found.labels[:, None] == found.labels, 1))
    true = kinds[kinds > 0]
    margin = np.where(may_hide_colour(found, look), 0, found.margin)  # a reader doubts these
    odds = np.minimum(margin[a], margin[b])
    return 1 / (1 + np.exp(-odds)), true[a] == true[b]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiers", default=",".join(TIERS), help="names, by commas")
    parser.add_argument("--seeds", default="920-921", help="first-last, or by commas")
    args = parser.parse_args()
    found = [
        couples(tier, seed)
        for tier in args.tiers.split(",")
        for seed in parse_seeds(args.seeds)
        if TIERS[tier].game
    ]
    said, equal = (np.concatenate(part) for part in zip(*found, strict=True))
    weight = np.concatenate([np.full(len(part), 1 / max(len(part), 1)) for part, _ in found])
    for low, high in ((0, 0.5), (0.5, 0.75), (0.75, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 1.01)):
        part = (said >= low) & (said < high)
        if part.any():
            was = np.average(equal[part], weights=weight[part])
            print(f"said {said[part].mean():.3f}  was {was:.3f}  of {part.sum()}")


if __name__ == "__main__":
    main()
