"""How odd kinds and hidden cells bear on the confidence of a reading."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn import PITCH, bordered, cells_of, picture, same_partition, shuffled

from ar_assist.games.link import confidence, reader
from ar_assist.games.link.advice import SURE
from ar_assist.games.link.board import LinkBoard
from ar_assist.games.link.telling import DOUBTFUL
from ar_assist.look import TRUST
from ar_assist.types import Image, Lattice, Reading


def with_skin(image: Image, hand: np.ndarray) -> Image:
    """The picture with skin over (R, C) cells."""
    rng, covered = np.random.default_rng(3), image.copy()
    for r, c in np.argwhere(hand):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        skin = rng.normal((130, 160, 200), 25, (PITCH // 8, PITCH // 8, 3)).clip(0, 255)
        covered[y : y + PITCH, x : x + PITCH] = cv2.resize(skin.astype(np.uint8), (PITCH, PITCH))
    return covered


@pytest.mark.parametrize("tiles", [0, 8, 30])
def test_what_a_hand_hides_may_be_the_mates_of_odd_kinds(tiles: int) -> None:
    """A few hidden tiles leave many kinds odd; where many are hidden it may be no board at all."""
    truth = shuffled(7, 10, 24, 6)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (90, 20, 60))
    hand = np.zeros(truth.shape, bool)
    hand[2:, 5:].flat[:tiles] = True
    reading = reader.read(with_skin(framed, hand), lattice)
    if tiles == 30:
        assert reading is None or reading.confidence < TRUST
        return
    found = cells_of(reading)
    assert reading is not None and reading.confidence >= TRUST
    assert same_partition(found[~hand], truth[~hand])
    assert (reading.certainty[hand] < SURE).all()


def test_hidden_cells_lie_together_and_are_few_but_as_many_as_the_odd_kinds() -> None:
    together, apart = np.zeros((7, 10), bool), np.zeros((7, 10), bool)
    together[2:4, 3:6] = True
    apart[::3, ::4] = True
    assert confidence.unexplained(6, together, 40) == 0
    assert confidence.unexplained(7, together, 40) == 7
    assert confidence.unexplained(6, together, 20) == 6
    assert confidence.unexplained(6, apart, 60) == 6


def test_a_single_tile_and_the_kind_that_misses_one_are_one_mishap() -> None:
    assert confidence.mishaps(np.array([1, 3, 4, 4])) == 1
    assert confidence.mishaps(np.array([1, 1, 1, 3, 4])) == 3
    assert confidence.mishaps(np.array([3, 5, 1, 4])) == 2
    assert confidence.mishaps(np.array([2, 4])) == 0


@pytest.mark.parametrize(("doubted", "is_sought"), [(0, True), (2, False)])
def test_mates_of_odd_kinds_are_sought_where_they_would_make_a_board_credible(
    doubted: int, is_sought: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = shuffled(4, 6, 8, 0)
    cells[0, 0] = 0
    board = LinkBoard(tuple(map(tuple, cells.tolist())))
    sure = np.full(cells.shape, 0.95, np.float32)
    sure[:doubted] = DOUBTFUL
    lattice = Lattice((0.0, 0.0), (40.0, 40.0), 4, 6)
    reading = confidence.judged(Reading(board, lattice.corners, sure, 0.0))
    assert reading.confidence < confidence.at_best(reading)
    sought: list[object] = []
    monkeypatch.setattr(reader, "_beyond", lambda *at: sought.append(at))
    assert reader._with_islands(np.zeros((9, 9, 3), np.uint8), lattice, reading) is reading
    assert bool(sought) == is_sought


@pytest.mark.parametrize("seed", [0, 1])
def test_a_hand_over_a_known_board_says_nothing_against_the_rest(seed: int) -> None:
    """Of what was never sure as many doubts are a sign that the lattice or the kinds are wrong."""
    truth = shuffled(7, 10, 24, seed)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (90, 20, 60))
    before = reader.read(framed, lattice)
    hand = np.zeros(truth.shape, bool)
    hand[2:, 7:].flat[:16] = True
    covered = with_skin(framed, hand)
    assert before is not None
    seen, unknown = (
        reader.read(covered, None, replace(before, certainty=sure))
        for sure in (before.certainty, np.zeros_like(before.certainty))
    )
    assert seen is not None and unknown is not None
    assert unknown.confidence < TRUST / 2 and 0.9 < seen.confidence <= before.confidence
    assert ((seen.certainty < 0.5) | (seen.cells == 0))[hand].all()
