"""Tiles that are hidden in part, by light on the glass or by something in front of it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn import PITCH, picture, same_partition, shuffled

from ar_assist.games.link import reader
from ar_assist.games.link.advice import SURE
from ar_assist.games.link.clipping import ceiling
from ar_assist.games.link.hidden import GAMMA, _likely, _nearest, hidden_kinds, mates_on_ground
from ar_assist.games.tiles import CELL, NOISE, cut, softened
from ar_assist.types import Image

WHITE = 250  # grey levels: the camera gives no more


def lit(
    image: Image, cell: np.ndarray, radius: float, off: tuple[float, float], strength: float = 0.3
) -> Image:
    """With a lamp's blurred reflection on a cell, so many cells large and off its middle (x, y):
    it adds light, `strength` of the brightest that the camera shows."""
    y, x = np.indices(image.shape[:2])
    middle = (cell[::-1] + 3.5 + off) * PITCH
    away = np.hypot(x - middle[0], y - middle[1]) / (radius * PITCH)
    lamp = cv2.GaussianBlur((away < 1).astype(np.float32), (0, 0), PITCH / 12)[..., None]
    light = (image / 255) ** GAMMA + strength * lamp
    return np.asarray(255 * light.clip(0, 1) ** (1 / GAMMA), np.uint8)


@pytest.mark.parametrize("seed", range(3))
def test_tiles_under_a_lamp_are_told_by_what_shows_but_nothing_rests_on_them(seed: int) -> None:
    truth = shuffled(7, 10, 14, seed)
    image, lattice = picture(truth)
    kinds = np.random.default_rng(seed).permutation(14)[:3] + 1
    some = [np.argwhere(truth == kind)[0] for kind in kinds]
    for cell, *light in zip(
        some, (0.3, 0.4, 0.5), ((-0.2, 0), (0.1, 0.1), (0.1, -0.2)), strict=True
    ):
        image = lit(image, cell, *light)
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)
    hidden = np.zeros(truth.shape, bool)
    hidden[tuple(np.transpose(some))] = True
    assert (reading.certainty[hidden] < SURE).all()
    assert np.median(reading.certainty[~hidden]) >= SURE


@pytest.fixture(scope="module")
def dealt() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, CELL, CELL, 3) cells of a board with a cleared row, (N,) their kinds or -1, and a cell
    that is veiled, one that is covered by half, and a piece of ground with a lamp on it."""
    truth = shuffled(6, 8, 12, 4)
    truth[5] = 0
    image, lattice = picture(truth)
    veiled, covered = np.argwhere(truth == truth[0, 0])[0], np.argwhere(truth == truth[2, 3])[0]
    ground = np.array([5, 3])
    image = lit(lit(image, veiled, 0.7, (0, 0)), ground, 0.4, (0.1, 0.1))
    y, x = (covered + 3) * PITCH
    image[y : y + PITCH // 2, x : x + PITCH] = (60, 90, 200)
    cells = cut(softened(image, lattice), lattice)
    return (
        cells.reshape(-1, *cells.shape[2:]),
        truth.ravel() - 1,
        np.array([veiled, covered, ground]),
    )


def told(dealt: tuple[np.ndarray, np.ndarray, np.ndarray], away: int) -> tuple[np.ndarray, ...]:
    """What the three are told to be and are, where `away` further tiles of the first's kind are
    not seen at all."""
    cells, kinds, places = dealt
    unclear = np.zeros(len(cells), bool)
    unclear[places @ (8, 1)] = True
    known = np.where(unclear, -1, kinds)
    mates = np.flatnonzero(known == kinds[places[0] @ (8, 1)])
    known[mates[:away]] = -1
    found = hidden_kinds(cells, cells >= WHITE, known, unclear, (kinds < 0) & ~unclear)
    assert (found[~unclear] == -1).all()
    return found[places @ (8, 1)], kinds[places @ (8, 1)]


def test_veiled_and_covered_tiles_are_told_and_lit_ground_is_none(
    dealt: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    found, true = told(dealt, 0)
    assert found.tolist() == true.tolist() and true[2] == -1


def test_a_kind_from_which_no_tile_is_missing_takes_none(
    dealt: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    found, true = told(dealt, 1)
    assert found[0] == -1 and found[1] == true[1]


def test_of_two_views_that_tell_otherwise_none_is_believed_unless_it_tells_far_better() -> None:
    views = np.full((2, 3, 4), 1.0, np.float32)
    views[0, :, 0], views[1, :, 1] = 0.5, (0.6, 0.4, 0.1)
    nearest, ratio = _nearest(views, np.zeros(4, bool))
    assert ratio.tolist() == [1, 1, pytest.approx(0.1, abs=1e-3)] and nearest[2] == 1


@pytest.mark.parametrize("strength", (0.4, 0.8))
def test_a_tile_whose_only_mate_a_lamp_hides_in_part_is_told_from_all_others(
    strength: float,
) -> None:
    truth = shuffled(7, 10, 34, 1)
    image, lattice = picture(truth)
    kinds, sizes = np.unique(truth, return_counts=True)
    cell = np.argwhere(truth == kinds[sizes == 2][0])[0]
    reading = reader.read(lit(image, cell, 0.35, (-0.25, 0.25), strength), lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)
    assert reading.certainty[tuple(cell)] < SURE


def test_two_of_one_kind_under_lamps_are_told_though_it_is_even_without_them() -> None:
    truth = shuffled(7, 10, 14, 3)
    image, lattice = picture(truth)
    kinds, sizes = np.unique(truth, return_counts=True)
    some = np.argwhere(truth == kinds[sizes >= 4][0])[:2]
    for cell, *light in zip(some, (0.35, 0.45), ((-0.25, 0.25), (0.3, -0.2)), strict=True):
        image = lit(image, cell, *light)
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)


@pytest.mark.parametrize(("count", "radius", "strength"), [(6, 0.4, 0.2), (5, 0.3, 0.3)])
def test_a_board_of_pairs_is_read_though_lamps_light_one_of_many(
    count: int, radius: float, strength: float
) -> None:
    """Neither of such a pair has a mate at first sight, but they come out even."""
    truth = shuffled(8, 6, 24, 1)
    image, lattice = picture(truth)
    for kind in range(1, count + 1):
        cell = np.argwhere(truth == kind)[0]
        image = lit(image, cell, radius, (-0.1, 0.1), strength)
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty < SURE).sum() <= 2


def likely(apart: list[list[float]], sizes: list[int], alone: list[int]) -> list[int]:
    """What cells are likely of that are so far `apart` from kinds of such `sizes` and the ground,
    of which each is alone in a kind, or -1."""
    views = np.array([apart, np.full_like(apart, np.inf)], np.float32)
    found = _likely(views, np.array(alone)[:, None] == np.arange(len(sizes)), np.array(sizes))
    return found.tolist()


def test_a_tile_that_is_seen_keeps_its_kind_if_another_may_be_of_it() -> None:
    near_another, near_it = [np.inf, 0.4, 0.8, 1.0], [0.5, 0.8, 0.9, 1.0]
    assert likely([near_another, near_it], [1, 3, 4], [0, -1]) == [-1, 0]
    assert likely([near_another], [1, 3, 4], [0]) == [1]


def test_only_kinds_that_are_odd_are_rivals_for_what_shows_least() -> None:
    assert likely([[0.50, 0.49, 0.9, 1.0]], [3, 4, 3], [-1]) == [0]


def test_two_of_a_kind_that_each_seem_alone_are_no_rivals_of_it() -> None:
    first, second = [0.50, np.inf, 0.55, 0.9, 1.0], [0.30, 0.55, np.inf, 0.9, 1.0]
    assert likely([first, second], [6, 1, 1, 4], [1, 2]) == [0, 0]


def test_what_clearly_shows_a_kind_that_is_even_is_told_to_be_no_other() -> None:
    """Another of that kind is misread, not this one."""
    assert likely([[0.5, 0.9, 1.0]], [4, 3], [-1]) == [-1]


def test_the_one_cell_of_which_nothing_tells_is_of_the_one_kind_that_is_odd() -> None:
    nothing = [1.0, 1.0, 1.0]
    assert likely([nothing], [2, 3], [-1]) == [1]
    assert likely([nothing, nothing], [3, 3], [-1, -1]) == [-1, -1]
    assert likely([[1.0, 1.0, 0.5]], [2, 3], [-1]) == [-1], "it is ground"


def test_a_hidden_tile_and_its_mate_that_is_alone_for_it_count_once() -> None:
    truth = shuffled(2, 5, 5, 0)
    image, lattice = picture(truth)
    image = lit(image, np.array([0, 3]), 0.35, (-0.25, 0.25))
    cells, kinds = cut(softened(image, lattice), lattice).reshape(-1, 32, 32, 3), truth.ravel()
    known = np.where(np.arange(10) == 3, -1, kinds)
    found = hidden_kinds(cells, cells >= WHITE, known, kinds == kinds[3], np.zeros(10, bool))
    assert found[3] == kinds[3] and (np.delete(found, 3) == -1).all()


def test_a_lamp_is_as_bright_as_the_camera_shows_though_edges_are_sharpened() -> None:
    cells = np.full((2, 3, CELL, CELL, 3), 90, np.float32)
    cells[1, 1, 8:24, 8:24] = (220, 240, 245)
    cells[1, 1, 8, 8:24] += 15
    assert np.abs(ceiling(cells) - (220, 240, 245)).max() < NOISE


def test_ground_under_a_lamp_is_no_mate_of_ground_under_another(
    dealt: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    cells, kinds, places = dealt
    pieces = np.zeros(len(cells), bool)
    pieces[[places[2] @ (8, 1), 47]] = True
    cells = cells.copy()
    cells[47] = cells[places[2] @ (8, 1)][:, ::-1]
    known = np.where(np.arange(len(cells)) == 47, 12, kinds)  # one was taken for a tile
    found = hidden_kinds(cells, cells >= WHITE, known, pieces, (kinds < 0) & ~pieces)
    assert (found == -1).all()


def test_one_kind_alone_is_no_measure_of_what_is_near() -> None:
    cells = np.zeros((5, 32, 32, 3), np.float32)
    groups, unclear = np.array([0, 0, 0, 0, -1]), np.arange(5) == 4
    told = hidden_kinds(cells, cells >= WHITE, groups, unclear, np.zeros(5, bool))
    assert (told == -1).all()


def test_the_last_group_may_give_its_only_tile_away(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = shuffled(7, 10, 14, 2)
    kind = truth[-1, -1]
    truth[-1, -1] = truth.max() + 1  # the highest group, alone

    def told(
        cells: np.ndarray, _: object, groups: np.ndarray, unclear: np.ndarray, __: object
    ) -> np.ndarray:
        assert unclear.tolist() == [False] * 69 + [True]
        mate = np.flatnonzero(truth.ravel() == kind)[0]
        return np.where(unclear, groups[mate], -1)

    survey = reader.surveyed
    monkeypatch.setattr(reader, "hidden_kinds", told)
    monkeypatch.setattr(reader, "surveyed", lambda *seen: replace(survey(*seen), framed=False))
    reading = reader.read(*picture(truth))
    truth[-1, -1] = kind
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)


@pytest.mark.parametrize(
    ("passed", "returned"),
    [
        pytest.param(1, 1, id="one of a kind"),
        pytest.param(2, 0, id="two, of which none is missed"),
        pytest.param(0, 0, id="none"),
    ],
)
@pytest.mark.parametrize("noise", [0, 10])
def test_a_tile_that_passed_for_ground_is_the_mate_of_an_odd_one(
    passed: int, returned: int, noise: float
) -> None:
    truth = shuffled(6, 8, 12, 4)
    truth[5] = 0
    image, lattice = picture(truth)
    image = (image + np.random.default_rng(0).normal(0, noise, image.shape)).clip(0, 255)
    cells = cut(softened(image.astype(np.uint8), lattice), lattice)
    tile, kind = truth > 0, truth[0, 0]
    some = np.argwhere(truth == kind)[:passed]
    tile[tuple(some.T)] = False
    groups = np.unique(truth[tile], return_inverse=True)[1]
    found = mates_on_ground(cells, tile, groups)
    assert (found >= 0).sum() == returned
    for cell in map(tuple, some[:returned]):
        assert found[cell] == groups[truth[tile] == kind][0]


def test_a_board_is_whole_with_a_tile_that_passed_for_ground(monkeypatch) -> None:
    """As one does where moire makes stripes that show as much; but nothing rests on it."""
    truth = shuffled(6, 8, 12, 4)
    truth[truth == truth[5, 5]] = 0
    image, lattice = picture(truth)
    missed = tuple(np.argwhere(truth == truth[0, 0])[0])
    surveyed = reader.surveyed

    def with_a_miss(*of):
        survey = surveyed(*of)
        whole = survey and survey.tile.shape == tuple(np.add(truth.shape, 2))
        if whole:
            survey.tile[tuple(np.add(missed, 1))] = False
        return survey

    monkeypatch.setattr(reader, "surveyed", with_a_miss)
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)
    assert reading.certainty[missed] < SURE
