"""What neighbours lay over tiles."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, cells_of, cleared, pattern, picture, same_partition, shuffled

from ar_assist.games import tiles
from ar_assist.games.link import reader
from ar_assist.games.link.advice import SURE
from ar_assist.games.link.sides import FEWEST, even_sides
from ar_assist.games.tiles import CELL, EDGE, NOISE
from ar_assist.types import Image, Lattice


def thick(truth: np.ndarray, side: int) -> tuple[Image, Lattice]:
    """Tiles seen from above: their dark sides lie on what is below and to the right of them."""
    image, lattice = picture(np.zeros_like(truth), ground=110)
    for r, c in np.argwhere(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = 235
        drawn = cv2.resize(pattern(int(truth[r, c])), (24, 24), interpolation=cv2.INTER_AREA)
        image[y + 12 : y + 36, x + 12 : x + 36] = drawn
    for r, c in np.argwhere(truth):
        y, x = (r + 4) * PITCH, (c + 4) * PITCH
        image[y : y + side, x - PITCH + 3 : x] = (40, 90, 30)
        image[y - PITCH + 3 : y + side, x : x + side] = (60, 120, 50)
    return cv2.GaussianBlur(image, (0, 0), 1), lattice


def cut(image: Image, lattice: Lattice) -> np.ndarray:
    """With a rim of one cell."""
    (x, y), (rows, cols) = lattice.origin_xy, (lattice.rows + 2, lattice.cols + 2)
    around = Lattice((x - PITCH, y - PITCH), lattice.pitch_xy, rows, cols)
    return tiles.cut(image, around)


@pytest.mark.parametrize(("side", "reaches"), [(4, False), (6, True)])
def test_a_tile_that_lost_its_neighbour_is_made_as_it_was(side: int, reaches: bool) -> None:
    """A side that lies in the rim alone is none of what is compared."""
    full, truth = shuffled(8, 12, 34, 2), cleared(shuffled(8, 12, 34, 2), 15, 2)
    (was, lattice), (now, _) = thick(full, side), thick(truth, side)
    tile = np.pad(truth > 0, 1)
    before, seen = cut(was, lattice)[tile], cut(now, lattice)
    inner = (np.argwhere(tile) > 1).all(1)  # tiles of the first row and column had no neighbour
    changed, left = (
        int((np.abs(tiles.face(some - before)[inner]).max((1, 2, 3)) > 4 * NOISE).sum())
        for some in (seen[tile], even_sides(seen, tile))
    )
    assert changed > FEWEST and left < changed / 4 if reaches else changed == left == 0


def test_kinds_are_told_whatever_neighbours_their_tiles_have() -> None:
    truth = cleared(shuffled(8, 12, 24, 2), 10, 2)
    reading = reader.read(*thick(truth, side=6))
    assert same_partition(cells_of(reading), truth)
    assert (reading.certainty[truth > 0] >= SURE).all()


def test_light_that_falls_off_over_the_board_is_no_side() -> None:
    truth = shuffled(8, 12, 34, 2)
    image, lattice = picture(truth)
    lit = (image * np.linspace(0.5, 1, image.shape[0])[:, None, None]).astype(np.uint8)
    cells, tile = cut(lit, lattice), np.pad(truth > 0, 1)
    assert (even_sides(cells, tile) == cells[tile]).all()


def test_kinds_that_lie_at_the_border_by_chance_are_no_sides() -> None:
    """Of two kinds that differ at the top most tiles with a neighbour are one, and most without
    the other."""
    tile = np.pad(np.ones((3, 12), bool), 1)
    dark = np.zeros((3, 12), bool)
    dark[0, 8:] = dark[1:, :9] = True
    cells = np.full((*tile.shape, CELL, CELL, 3), 200, np.float32)
    cells[1:-1, 1:-1][dark, : EDGE + 2] = 100
    assert dark[0].mean() < 0.5 < dark[1:].mean()
    assert (even_sides(cells, tile) == cells[tile]).all()
