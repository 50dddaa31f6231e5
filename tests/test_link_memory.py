"""What a reading keeps of the one before: the labels of kinds, and what it told apart."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, cells_of, cleared, picture, same_partition, shuffled

from ar_assist.games.link import reader
from ar_assist.games.link.advice import SURE
from ar_assist.games.link.memory import REMEMBERED, Memory
from ar_assist.games.tiles import CELL
from ar_assist.types import Image, Lattice


@pytest.mark.parametrize("seed", range(3))
def test_kinds_that_were_told_apart_do_not_run_together_as_the_board_empties(seed: int) -> None:
    """In a noisier look, which alone would take them for one kind: they are doubted."""
    truth = shuffled(5, 8, 10, seed)
    left = np.where(truth <= 3, truth, 0)

    def seen(cells: np.ndarray, noise: float) -> tuple[Image, Lattice]:
        """Kind 2 is kind 1 but for one stroke."""
        image, lattice = picture(np.where(cells == 2, 1, cells))
        for r, c in np.argwhere(cells == 2):
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            cv2.line(image, (x + 20, y + 38), (x + 28, y + 36), (120, 120, 120), 2)
        grain = np.random.default_rng(seed).normal(0, noise, image.shape)
        blurred = cv2.GaussianBlur(image, (0, 0), 2) + grain
        return np.clip(blurred, 0, 255).astype(np.uint8), lattice

    before = reader.read(*seen(truth, noise=4))
    assert same_partition(cells_of(before), truth)
    after = reader.read(*seen(left, noise=8), before)
    assert (cells_of(after) == np.where(left > 0, cells_of(before), 0)).all()
    look_alikes = (left == 1) | (left == 2)
    assert (after.certainty[look_alikes] < SURE).all()
    assert (after.certainty[~look_alikes] >= SURE).all()


def test_kinds_that_look_quite_otherwise_are_known_by_their_places() -> None:
    image, lattice = picture(cleared(shuffled(6, 8, 12, 2), 2))
    before = reader.read(image, lattice)
    again = reader.read(255 - image, lattice, before)
    assert before is not None
    assert again is not None
    assert again.board == before.board


@pytest.mark.parametrize(("gain", "offset"), [(0.6, 0), (0.8, 50), (1.15, 5)])
def test_kinds_keep_their_labels_in_another_exposure(gain: float, offset: float) -> None:
    """Even where the game has shuffled the tiles."""
    truth = shuffled(6, 8, 12, 2)
    later = np.random.default_rng(1).permutation(truth.ravel()).reshape(truth.shape)
    image, lattice = picture(truth)
    before = reader.read((image * 0.8).astype(np.uint8), lattice)
    lit = np.clip(picture(later)[0] * 0.8 * gain + offset, 0, 255).astype(np.uint8)
    label = dict(zip(truth.ravel().tolist(), cells_of(before).ravel().tolist(), strict=True))
    again = cells_of(reader.read(lit, lattice, before))
    assert again.tolist() == [[label[kind] for kind in row] for row in later.tolist()]


def test_keeps_labels_and_grid_of_the_reading_before() -> None:
    truth = shuffled(6, 8, 10, 7)
    first = reader.read(*picture(truth))
    later = truth.copy()
    later[0] = 0  # the whole first row went
    partner = {int(kind): np.argwhere(later == kind) for kind in np.unique(later) if kind}
    for where in partner.values():
        if len(where) % 2:
            later[tuple(where[0])] = 0
    image, lattice = picture(later)
    second = cells_of(reader.read(image, lattice, first))
    assert second.shape == later.shape
    assert (second[later > 0] == cells_of(first)[later > 0]).all()


def test_no_more_kinds_are_remembered_than_a_look_has_time_for() -> None:
    """Those that were seen last."""
    pictures = np.random.default_rng(1).normal(128, 50, (REMEMBERED + 20, CELL, CELL, 3))
    known, seen = pictures[:-20].astype(np.float32), pictures[-20:].astype(np.float32)
    none = np.zeros(20, bool)
    before = Memory(np.arange(1, REMEMBERED + 1), known)
    after = Memory(np.arange(1, 21), seen).after(before, np.arange(20), np.zeros(20, int), none)
    assert len(after.labels) == len(set(after.labels.tolist())) == REMEMBERED
    assert after.labels[20:].tolist() == list(range(1, REMEMBERED - 19))


@pytest.mark.parametrize("joins", [True, False])
def test_a_group_that_joins_look_alikes_does_not_blend_their_pictures(joins: bool) -> None:
    rng = np.random.default_rng(1)
    known = rng.normal(128, 50, (1, CELL, CELL, 3)).astype(np.float32)
    cells = (known + rng.normal(0, 3, (4, CELL, CELL, 3))).astype(np.float32)
    groups = np.zeros(4, int)
    seen = Memory.of(cells, groups)
    after = seen.after(Memory(np.array([7]), known), groups, groups + 7, np.full(4, joins))
    assert after.labels.tolist() == [7]
    assert np.array_equal(after.pictures, known if joins else seen.pictures)


@pytest.mark.parametrize("seed", range(3))
def test_other_pictures_in_half_of_the_cells_are_no_hand_over_a_known_board(seed: int) -> None:
    """They get the names of what lay there, but are not recognised."""
    truth = shuffled(5, 8, 10, seed)
    image, lattice = picture(truth)
    before = reader.read(image, lattice)
    now = truth.copy()
    now.flat[20:] = 11 + np.arange(20) % 19
    assert before is not None and before.confidence > 0.9
    assert reader.read(picture(now)[0], lattice, before) is None
