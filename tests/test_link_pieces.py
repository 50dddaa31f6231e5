"""Pieces of link tiles, on a lattice finer than the board, are joined."""

from __future__ import annotations

import numpy as np
import pytest
from test_link_reader import cells_of
from test_tiles import cleared, picture, same_partition, shuffled

from ar_assist.games.link import reader
from ar_assist.games.link.pieces import joined
from ar_assist.types import Lattice


@pytest.mark.parametrize("pairs", [0, 16])
@pytest.mark.parametrize(("down", "along"), [(2, 1), (1, 2), (3, 1), (1, 3)])
def test_pieces_of_tiles_are_joined(down: int, along: int, pairs: int) -> None:
    truth = cleared(shuffled(6, 8, 16, 8), pairs)
    image, lattice = picture(truth)
    dx, dy = lattice.pitch_xy
    pitch = dx / along, dy / down
    finer = Lattice(lattice.origin_xy, pitch, lattice.rows * down, lattice.cols * along)
    assert same_partition(cells_of(reader.read(image, finer)), truth)


@pytest.mark.parametrize(("down", "along"), [(2, 1), (1, 3)])
def test_pieces_are_known_by_coming_and_going_as_one(down: int, along: int) -> None:
    """Even where each is read as a kind of its own."""
    tile = np.random.default_rng(4).random((8, 10)) < 0.6
    fine = np.kron(tile, np.ones((down, along), bool))
    labels = np.where(fine, 1 + np.arange(fine.size).reshape(fine.shape), 0)
    lattice = Lattice((7.0, 5.0), (30 / along, 40 / down), *fine.shape)
    whole = Lattice((7.0, 5.0), (30.0, 40.0), *tile.shape)
    assert joined(lattice, tuple(map(tuple, labels.tolist()))) == whole
    assert joined(whole, tuple(map(tuple, (tile * labels[::down, ::along]).tolist()))) == whole


@pytest.mark.parametrize(("down", "along"), [(2, 1), (1, 3)])
def test_pieces_of_plain_tiles_are_equal_as_dealt_ones_seldom_are(down: int, along: int) -> None:
    tile = cleared(shuffled(6, 8, 12, 9), 4)
    fine = np.kron(tile, np.ones((down, along), int))
    whole = Lattice((7.0, 5.0), (30.0, 40.0), *tile.shape)
    finer = Lattice(whole.origin_xy, (30 / along, 40 / down), *fine.shape)
    assert joined(finer, tuple(map(tuple, fine.tolist()))) == whole
    assert joined(whole, tuple(map(tuple, tile.tolist()))) == whole


@pytest.mark.parametrize(("top", "left"), [(1, 0), (0, 1), (1, 1)])
def test_a_tile_that_is_partly_on_the_lattice_is_joined_whole(top: int, left: int) -> None:
    tile = cleared(shuffled(6, 8, 12, 9), 4)
    whole = Lattice((7.0, 5.0), (30.0, 40.0), *tile.shape)
    for down, along in ((2, 1), (1, 2)):
        up, off = min(top, down - 1), min(left, along - 1)
        fine = np.kron(tile, np.ones((down, along), int))[up : len(tile) * down - up, off:]
        origin = whole.origin_xy[0] + off * 30 / along, whole.origin_xy[1] + up * 40 / down
        finer = Lattice(origin, (30 / along, 40 / down), *fine.shape)
        assert joined(finer, tuple(map(tuple, fine.tolist()))) == whole


def test_whole_lines_that_slid_are_no_pieces() -> None:
    """Two rows went left and two went right: they end alike, but once each."""
    labels = np.arange(1, 41).reshape(4, 10)
    labels[0, 7:], labels[1, 5:], labels[2:, :4] = 0, 0, 0
    lattice = Lattice((7.0, 5.0), (30.0, 40.0), 4, 10)
    assert joined(lattice, tuple(map(tuple, labels.tolist()))) == lattice
