"""What a game lays over a tile that is chosen: a border or a tint."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import PITCH, bordered, cells_of, cleared, picture, same_partition, shuffled, toned

from ar_assist.games.link import reader
from ar_assist.games.link.advice import SURE
from ar_assist.types import Image


def test_a_marked_tile_is_known_by_its_mates() -> None:
    """A border around the tile that the player picked is not the frame that tiles have."""
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    picked = np.argwhere(truth)[:1]
    for colour, least in (((0, 220, 250), SURE), ((0, 40, 250), 0.5)):
        framed = bordered(image, np.argwhere(truth), (230, 230, 230))
        reading = reader.read(bordered(framed, picked, colour), lattice)
        assert same_partition(cells_of(reading), truth)
        assert reading is not None
        assert reading.certainty[tuple(picked[0])] > least


def tinted(image: Image, cells: np.ndarray, colour: tuple[int, int, int], share: float) -> Image:
    """With a colour that takes so large a share of each of those (r, c)."""
    drawn = image.copy()
    for r, c in cells:
        cell = drawn[(r + 3) * PITCH : (r + 4) * PITCH, (c + 3) * PITCH : (c + 4) * PITCH]
        cell[:] = (1 - share) * cell + share * np.array(colour)
    return drawn


@pytest.mark.parametrize("seed", [0, 2])
def test_a_marked_tile_is_known_by_its_mates_where_tiles_share_no_frame(seed: int) -> None:
    """One under a dark tint, which is like no tile unless that is taken off."""
    truth = shuffled(8, 10, 20, seed)
    image, lattice = toned(truth, 3)
    marked = tinted(image, np.array([[4, 5]]), (0, 0, 0), 0.4)
    assert same_partition(cells_of(reader.read(marked, lattice)), truth)


@pytest.mark.parametrize(
    ("colour", "count"),
    [((0, 220, 250), 1), ((250, 110, 40), 1), ((0, 0, 0), 1), ((250, 110, 40), 2), ((0, 0, 0), 2)],
)
def test_a_tile_under_a_tint_is_there_but_doubted_unless_it_was_read_before(
    colour: tuple[int, int, int], count: int
) -> None:
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (230, 230, 230))
    picked = np.argwhere(truth == truth[tuple(np.argwhere(truth)[0])])[:count]
    chosen = tinted(framed, picked, colour, 0.4)
    first = reader.read(chosen, lattice)  # to read it again so does not make it surer
    for before, is_sure in ((None, False), (first, False), (reader.read(framed, lattice), True)):
        reading = reader.read(chosen, lattice, before)
        assert reading is not None
        assert same_partition(cells_of(reading), truth)
        assert ((reading.certainty[tuple(picked.T)] > 0.9) == is_sure).all()


def test_an_empty_cell_under_a_tint_is_no_tile() -> None:
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (230, 230, 230))
    chosen = tinted(framed, np.argwhere(truth == 0)[:1], (0, 220, 250), 0.4)
    assert same_partition(cells_of(reader.read(chosen, lattice)), truth)


@pytest.mark.parametrize("is_known", [False, True])
def test_a_tile_under_a_broad_mark_is_there_but_doubted_unless_it_was_read_before(
    is_known: bool,
) -> None:
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (230, 230, 230))
    picked = np.argwhere(truth)[:1]
    before = reader.read(framed, lattice) if is_known else None
    reading = reader.read(bordered(framed, picked, (0, 40, 250), 7), lattice, before)
    assert same_partition(cells_of(reading), truth)
    assert reading is not None
    assert (reading.certainty[tuple(picked[0])] >= SURE) == is_known
