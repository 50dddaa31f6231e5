"""Tiles are known by their borders where what lies behind shows pictures too."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import pytest
from drawn import PITCH, cells_of, cleared, pattern, picture, same_partition, shuffled

from ar_assist.games.link import reader
from ar_assist.games.link.advice import SURE, advise
from ar_assist.games.link.board import Rules
from ar_assist.games.link.borders import borders
from ar_assist.games.link.survey import evened
from ar_assist.look import TRUST
from ar_assist.types import Image, Lattice, Reading


def on_photograph(truth: np.ndarray, seed: int) -> tuple[Image, Lattice]:
    """Squares of dark glass with drawings, before discs of light."""
    image, lattice = picture(np.zeros_like(truth))
    rng = np.random.default_rng(seed)
    for _ in range(truth.size):
        centre = (rng.random(2) * image.shape[1::-1]).astype(int).tolist()
        colour = rng.integers(70, 250, 3).tolist()
        cv2.circle(image, centre, int(rng.integers(4, 60)), colour, -1, cv2.LINE_AA)
    image = cv2.GaussianBlur(image, (0, 0), 2.5)
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x, side = (r + 3) * PITCH + 2, (c + 3) * PITCH + 2, PITCH - 4
            face = image[y : y + side, x : x + side]
            face[:] = face * 0.15 + 10
            look = np.random.default_rng(kind)
            for centre in look.integers(10, side - 10, (4, 2)).tolist():
                cv2.circle(face, centre, 7, look.integers(0, 256, 3).tolist(), -1, cv2.LINE_AA)
    noise = np.random.default_rng(seed + 1).normal(0, 2, image.shape)
    return (image + noise).clip(0, 255).astype(np.uint8), lattice


def seen(image: Image, lattice: Lattice) -> tuple[np.ndarray, np.ndarray] | None:
    """(R, C) cells that lack borders, and which share all they have with tiles around."""
    cells = evened(image, lattice)
    grid = cells.shape[:2]
    inside = np.zeros(grid, bool)
    inside[1:-1, 1:-1] = True
    found = borders(cells, inside.ravel(), np.zeros(inside.size, bool))
    return found and (
        (found.off > 1).reshape(grid)[1:-1, 1:-1],
        found.shared.reshape(grid)[1:-1, 1:-1],
    )


def before_towers(
    truth: np.ndarray, pitch: tuple[float, float], seed: int
) -> tuple[Image, Lattice]:
    """Tiles before towers under a plain sky, with lit windows at a pitch across and down."""
    image, lattice = picture(np.zeros_like(truth))
    rng = np.random.default_rng(seed)
    image[:] = (150, 120, 190)
    (height, width), (dx, dy) = image.shape[:2], pitch
    left = rng.uniform(-dx, 0)
    while left < width:
        right = left + int(rng.integers(3, 8)) * dx
        top = int(rng.integers(height // 6, height * 2 // 3))
        cv2.rectangle(image, (round(left), top), (round(right) - 1, height), (60, 40, 45), -1)
        for x, y in product(np.arange(left + 4, right - 6, dx), np.arange(top + 6, height, dy)):
            at, end = (round(x), round(y)), (round(x) + 5, round(y) + 7)
            cv2.rectangle(image, at, end, (110, 170, 200), -1)
        left = right + int(rng.integers(3)) * 4
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH + 2, (c + 3) * PITCH + 2
            image[y : y + PITCH - 4, x : x + PITCH - 4] = pattern(int(kind))[2:-2, 2:-2]
    noise = rng.normal(0, 2, image.shape)
    return (cv2.GaussianBlur(image, (0, 0), 1.0) + noise).clip(0, 255).astype(np.uint8), lattice


@pytest.mark.parametrize(
    ("pitch", "seed"),
    [((11.8, 15.8), 7), *(((15.8, 15.8), seed) for seed in (2, 11, 12, 15)), ((24.2, 16), 11)],
)
def test_no_pair_is_made_of_windows_behind_the_board(pitch: tuple[float, float], seed: int) -> None:
    """Where the pitch of tiles is nearly a multiple of theirs, cells of windows have equals."""
    truth = cleared(shuffled(6, 10, 12, seed), 19, seed)
    image, lattice = before_towers(truth, pitch, seed)
    reading = reader.read(image, lattice)
    if reading is None:
        return
    x, y = np.rint((reading.corners[0] - lattice.corners[0]) / lattice.pitch_xy).astype(int)
    seen = np.pad(truth, 3)[3 + y :, 3 + x :]  # where cells of the reading lie
    for move in advise([reading.board], Rules(), 2000, reading.certainty).moves:
        assert seen[move.link.a] == seen[move.link.b] != 0


def test_a_board_before_towers_is_read() -> None:
    truth = cleared(shuffled(6, 10, 12, 6), 10, 6)
    reading = reader.read(*before_towers(truth, (13, 17), 6))
    assert same_partition(cells_of(reading), truth)
    assert reading is not None and reading.confidence > TRUST


@pytest.mark.parametrize("seed", range(4))
def test_a_board_half_played_before_a_photograph(seed: int) -> None:
    truth = cleared(shuffled(8, 12, 24, seed), 20, seed)
    reading = reader.read(*on_photograph(truth, seed))
    assert same_partition(cells_of(reading), truth)
    assert reading is not None and reading.confidence > TRUST


def test_what_has_no_border_at_some_side_is_no_tile() -> None:
    truth = cleared(shuffled(8, 12, 24, 5), 20, 5)
    found = seen(*on_photograph(truth, 5))
    assert found is not None
    lacks, shared = found
    around = np.pad(truth, 1) > 0
    enclosed = around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]
    assert (lacks == (truth == 0))[~enclosed].all()
    assert not lacks[truth > 0].any()
    # Between four tiles nothing tells a gap from a tile: all the borders may be theirs.
    assert (shared == enclosed)[truth > 0].all() and shared[enclosed & (truth == 0)].all()


def test_a_gap_between_four_tiles_is_none_of_them() -> None:
    """Discs of one colour behind two such gaps make a pair of them."""
    truth = shuffled(8, 12, 23, 7)
    image, lattice = on_photograph(truth, 2)
    gaps = np.argwhere(truth == 1)[:2]
    assert len(gaps) == 2
    for r, c in gaps:
        y, x = (r + 3) * PITCH + 2, (c + 3) * PITCH + 2
        image[y : y + PITCH - 4, x : x + PITCH - 4] = 60, 30, 20
        truth[r, c] = 0
    assert same_partition(cells_of(reader.read(image, lattice)), truth)


def test_ground_without_borders_is_sure_where_every_tile_has_its_mate() -> None:
    """What lies over tiles looks like more of the photograph, but leaves some without mates."""
    truth = cleared(shuffled(8, 12, 24, 0), 20, 0)
    image, lattice = on_photograph(truth, 0)
    bare = on_photograph(np.zeros_like(truth), 0)[0]
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(reading.cells, truth)
    assert (reading.certainty[truth == 0] >= SURE).mean() > 0.6

    def covered(tiles: np.ndarray, before: Reading | None) -> np.ndarray:
        hidden = image.copy()
        for r, c in tiles:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            hidden[y : y + PITCH, x : x + PITCH] = bare[y : y + PITCH, x : x + PITCH]
        again = reader.read(hidden, lattice, before)
        assert again is not None
        return again.certainty[tuple(tiles.T)]

    pair, other = np.argwhere(truth == 22), np.argwhere(truth == 7)
    assert len(pair) == 2
    assert (covered(np.array([pair[0], other[0]]), None) < SURE).all()
    # A finger may lie on both of a pair: where nobody knows of it, they seem to be gone.
    assert (covered(pair, None) >= SURE).all()
    assert (covered(pair, reading) < SURE).all()


def test_borders_do_not_tell_where_tiles_have_none() -> None:
    """Sprites alone, of which no side is straight."""
    truth = cleared(shuffled(8, 12, 24, 3), 20, 3)
    image, lattice = picture(np.zeros_like(truth), ground=120)
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            look = np.random.default_rng(kind)
            centre = (c + 3) * PITCH + PITCH // 2, (r + 3) * PITCH + PITCH // 2
            cv2.circle(image, centre, PITCH // 4, look.integers(0, 256, 3).tolist(), -1)
    assert seen(image, lattice) is None
