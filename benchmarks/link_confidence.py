"""Fit and check the confidence of a link reading: the chance that a pair that it offers is one.

First frames of rendered clips are searched and read; every candidate that is read as a link board
counts, wrong lattices and other pictures too. The surest open pairs are held against the truth,
and a logistic regression of their share on the reader's features gives the constants.

    python benchmarks/link_confidence.py --seeds 920-925
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from ar_assist.evaluate.jobs import parse_seeds
from ar_assist.find import find
from ar_assist.games.link import confidence, reader
from ar_assist.games.link.advice import trusted
from ar_assist.games.link.board import LinkBoard, Rules
from ar_assist.games.link.paths import link, links
from ar_assist.scene import open_scene
from ar_assist.scene.tiers import TIERS
from ar_assist.types import Candidate, Lattice, Reading, homography, transform
from ar_assist.warp import rectify

CANDIDATES = 6  # read in one frame
PAIRS = 5  # of one reading: the hint is among the surest


def samples(tiers: list[str], seeds: list[int]) -> Iterator[tuple[np.ndarray, float, float]]:
    """Features, share of right pairs, and confidence of every reading that offers a pair."""
    for seed in seeds:
        for tier in tiers:
            scene = open_scene(f"scene:tier={tier},seed={seed}")
            board = scene.truth["frames"][0]["board"]
            image = next(iter(scene)).image
            for candidate in islice(find(image), CANDIDATES):
                reading = reader.read(rectify(image, candidate.plane), candidate.lattice)
                share = None if reading is None else right_pairs(candidate, reading, board)
                if reading is not None and share is not None:
                    yield confidence.features(reading), share, reading.confidence


def right_pairs(
    candidate: Candidate, reading: Reading[LinkBoard], truth: dict[str, Any] | None
) -> float | None:
    """Share of the surest pairs offered that are legal in truth; None where none is offered."""
    certainty = reading.certainty
    offered = links(trusted(reading.board, certainty), Rules())
    offered = sorted(offered, key=lambda p: -min(certainty[p.a], certainty[p.b]))[:PAIRS]
    if not offered:
        return None
    if truth is None:
        return 0.0
    rows, cols = truth["rows"], truth["cols"]
    board = LinkBoard(tuple(map(tuple, truth["cells"])))
    grid = Lattice((0, 0), (1, 1), rows, cols).corners
    grid_from_frame = homography(np.array(truth["corners"], np.float32), grid)
    centres = candidate.plane.to_frame(reading.cell_quads().mean(axis=2))
    true_cell = np.floor(transform(grid_from_frame, centres)).astype(int)[..., ::-1]

    def is_right(a: tuple[int, int], b: tuple[int, int]) -> bool:
        cells = [tuple(map(int, true_cell[c])) for c in (a, b)]
        inside = all(0 <= r < rows and 0 <= c < cols for r, c in cells)
        if not inside or cells[0] == cells[1]:
            return False
        kinds = [board.at(c) for c in cells]
        return kinds[0] == kinds[1] > 0 and link(board, Rules(), *cells) is not None

    return float(np.mean([is_right(p.a, p.b) for p in offered]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiers", default=",".join(TIERS), help="names, by commas")
    parser.add_argument("--seeds", default="920-921", help="first-last, or by commas")
    args = parser.parse_args()
    found = list(samples(args.tiers.split(","), parse_seeds(args.seeds)))
    features, share, said = (np.array(part) for part in zip(*found, strict=True))
    # A reading with a share of right pairs counts as both outcomes, by that share.
    model = LogisticRegression(C=10).fit(
        np.concatenate([features, features]),
        np.repeat([1, 0], len(share)),
        sample_weight=np.concatenate([share, 1 - share]),
    )
    print(f"BASE = {model.intercept_[0]:.2f}, PER_FEATURE = {model.coef_[0].round(2).tolist()}")
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        part = (said >= low) & (said < high)
        if part.any():
            print(f"said {said[part].mean():.2f}  was {share[part].mean():.2f}  of {part.sum()}")


if __name__ == "__main__":
    main()
