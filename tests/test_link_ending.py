"""The last tiles of a board, and its end."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn import PITCH, cells_of, picture, same_partition, shuffled

from ar_assist.games.link import reader
from ar_assist.games.link.advice import SURE
from ar_assist.look import TRUST
from ar_assist.types import Lattice


def test_the_last_pair_and_the_cleared_board_are_read() -> None:
    """Of so few tiles neither frame nor groups can be told: they are known from before."""
    truth = shuffled(7, 10, 14, 6)
    image, lattice = picture(truth)
    before = reader.read(image, lattice)
    one, other = (np.argwhere(truth == kind)[:2] for kind in (1, 2))
    for pairs in ((one, other), (one,), (one,), (), ()):
        left = np.zeros_like(truth)
        for pair in pairs:
            left[tuple(pair.T)] = truth[tuple(pair[0])]
        before = reader.read(picture(left)[0], None, before)
        assert same_partition(cells_of(before), left)
    full = reader.read(picture(truth)[0], None, before)
    assert full is not None and full.board.left == truth.size


def test_an_end_that_nobody_saw_come_is_none() -> None:
    """A blank page, a message over the board, or two tiles that are no pair."""
    truth = shuffled(7, 10, 14, 6)
    image, lattice = picture(truth)
    full = reader.read(image, lattice)
    left = np.zeros_like(truth)
    blank = picture(left)[0]
    assert reader.read(blank, None, full) is None
    pairs = [np.argwhere(truth == kind)[:2] for kind in (1, 2)]
    for pair in pairs:
        left[tuple(pair.T)] = truth[tuple(pair[0])]
    known = reader.read(picture(left)[0], None, full)
    assert known is not None and known.board.left == 4
    assert reader.read(blank, None, known) is None
    no_pair = np.zeros_like(truth)
    for pair in pairs:
        no_pair[tuple(pair[0])] = truth[tuple(pair[0])]
    assert reader.read(picture(no_pair)[0], None, known) is None
    last = np.where(truth == 1, left, 0)
    known = reader.read(picture(last)[0], None, known)
    assert known is not None and known.board.left == 2
    cv2.putText(
        blank, "YOU WON", (3 * PITCH, 7 * PITCH), cv2.FONT_HERSHEY_DUPLEX, 3, (0, 0, 255), 9
    )
    assert reader.read(blank, None, known) is None


def test_the_last_tiles_are_read_with_the_mate_beyond_a_cleared_line() -> None:
    """Of four kinds one odd one is too many, if its mate is not looked for."""
    truth = np.zeros((4, 9), int)
    truth[[0, 0, 0, 0, 1, 1, 1, 3], [0, 4, 6, 7, 2, 6, 8, 4]] = [1, 1, 2, 3, 4, 3, 4, 2]
    image, lattice = picture(truth)
    upper = Lattice(lattice.origin_xy, lattice.pitch_xy, 2, 9)
    assert same_partition(cells_of(reader.read(image, upper)), truth)
    truth[3, 4] = 5
    assert reader.read(picture(truth)[0], upper) is None


@pytest.mark.parametrize("turn", range(4))
def test_the_mate_beyond_three_cleared_lines_of_a_side_is_found(turn: int) -> None:
    """Of what lies around on the other sides nothing need be like the board."""
    truth = np.zeros((5, 9), int)
    truth[[0, 0, 0, 0, 1, 1, 1, 4], [0, 4, 6, 7, 2, 6, 8, 4]] = [1, 1, 2, 3, 4, 3, 4, 2]
    truth = np.rot90(truth, turn)
    image, lattice = picture(truth)
    held = np.rot90(np.arange(45).reshape(5, 9) < 18, turn)
    (top, left), (bottom, right) = np.argwhere(held)[[0, -1]]
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    rows, cols = int(bottom - top) + 1, int(right - left) + 1
    part = Lattice((x + left * dx, y + top * dy), (dx, dy), rows, cols)
    assert same_partition(cells_of(reader.read(image, part)), truth)


def strewn(places: tuple[list[int], list[int]]) -> np.ndarray:
    """(7, 7) with three pairs, one after the other, at such rows and columns."""
    cells = np.zeros((7, 7), int)
    cells[places] = [1, 1, 2, 2, 3, 3]
    return cells


def test_three_pairs_are_what_is_left_of_a_board_only_if_they_lie_about() -> None:
    """A page repeats its icons too: in lines, or the same step apart; or not each of them."""
    last = strewn(([0, 3, 2, 4, 5, 6], [0, 5, 0, 6, 4, 2]))
    assert same_partition(cells_of(reader.read(*picture(last))), last)
    in_lines = strewn(([0, 0, 3, 3, 6, 6], [1, 4, 0, 3, 2, 6]))
    same_step = strewn(([0, 3, 1, 4, 2, 5], [0, 2, 3, 5, 1, 3]))
    beside_another = strewn(([0, 3, 2, 4, 5, 6], [0, 5, 0, 6, 4, 2]))
    beside_another[1, 3] = 4
    for page in (in_lines, same_step, beside_another, last[:, last.any(0)][:6, :3]):
        assert reader.read(*picture(page)) is None


def last_tiles() -> np.ndarray:
    """(7, 8) with four pairs."""
    truth = np.zeros((7, 8), int)
    truth[[0, 3, 2, 4, 5, 6, 6, 1], [0, 5, 0, 7, 4, 2, 5, 3]] = [1, 1, 2, 2, 3, 3, 4, 4]
    return truth


STONES = [1, 4, 3], [1, 4, 1]


def test_stones_that_may_be_ground_say_nothing_against_the_last_tiles() -> None:
    image, lattice = picture(last_tiles())
    for r, c in zip(*STONES, strict=True):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = 110
        cv2.circle(image, (x + 24, y + 24), 12, (80, 80, 80), 5)
    reading = reader.read(image, lattice)
    assert same_partition(cells_of(reading), last_tiles())
    assert reading is not None and reading.confidence >= TRUST
    assert (reading.certainty[STONES] < SURE).all()


@pytest.mark.parametrize("confidence", [0.3, 0.9])
def test_a_board_that_was_hardly_believed_may_be_none_after_all(confidence: float) -> None:
    """Two kinds come by chance: of a home screen's icons too, once some seemed to be equal."""
    truth = shuffled(6, 10, 6, 2)
    known = reader.read(*picture(truth))
    assert known is not None
    few = np.where(truth <= 2, truth, 0)
    again = reader.read(picture(few)[0], None, replace(known, confidence=confidence))
    assert (again is None) == (confidence < 0.5)
