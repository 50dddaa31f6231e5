"""Few kinds of many cells, told by their means."""

import cv2
import numpy as np
import pytest
from drawn import even, pattern, same_partition

from ar_assist.games import tiles
from ar_assist.games.centres import few_kinds, own_sides
from ar_assist.games.grouping import cluster, group
from ar_assist.games.link.telling import CHANCE, tell
from ar_assist.games.residuals import finely


def in_haze(kinds: np.ndarray, strength: float) -> tiles.Array:
    """(N, CELL, CELL, 3) tiles behind clouds, as sprites on a picture are."""
    rng = np.random.default_rng(0)
    side = tiles.CELL
    small = [
        cv2.resize(pattern(int(kind) + 1), (side, side), interpolation=cv2.INTER_AREA)
        for kind in kinds
    ]
    clouds = rng.normal(0, strength, (len(kinds), 8, 8, 3)).astype(np.float32)
    large = [cv2.resize(cloud, (side, side), interpolation=cv2.INTER_CUBIC) for cloud in clouds]
    return np.stack(small).astype(np.float32) + np.stack(large)


def dealt(kinds: int, each: int) -> np.ndarray:
    return np.random.default_rng(1).permutation(np.repeat(np.arange(kinds), each))


def test_few_kinds_are_told_by_their_means_where_no_merges_stand_apart() -> None:
    kinds = dealt(6, 20)
    look = tiles.compare(in_haze(kinds, 70), reach=1)
    found = cluster(look, lambda size: 0.0)
    assert found.clear < CHANCE
    told = few_kinds(look.parts, found.labels)
    assert told is not None and same_partition(told, kinds)


def test_a_board_of_few_kinds_in_a_haze_is_looked_at() -> None:
    kinds = dealt(6, 20)
    cells = np.full((12, 14, tiles.CELL, tiles.CELL, 3), 60, np.float32)
    cells[1:-1, 1:-1] = in_haze(kinds, 70).reshape(10, 12, tiles.CELL, tiles.CELL, 3)
    inside = np.zeros((12, 14), bool)
    inside[1:-1, 1:-1] = True
    told = tell(cells, inside.ravel())
    assert told is not None and told.tile[inside.ravel()].all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("axes", [1, 2, 4, 20])
def test_one_cloud_is_no_kinds_however_it_is_cut(seed: int, axes: int) -> None:
    at = np.random.default_rng(seed).normal(size=(120, axes))
    apart = np.linalg.norm(at[:, None] - at, axis=2)
    guess = np.argsort(np.argsort(at[:, 0])) // 20
    assert few_kinds(apart[None].astype(np.float32), guess) is None


@pytest.mark.parametrize(("odd", "is_told"), [(0, True), (4, False)])
def test_few_kinds_are_even(odd: int, is_told: bool) -> None:
    kinds = np.repeat(np.arange(6), np.array([20, 20, 18, 18, 22, 22]) + (np.arange(6) < odd))
    rng = np.random.default_rng(0)
    at = 4 * np.eye(6)[kinds] + rng.normal(0, 0.5, (len(kinds), 6))
    apart = np.linalg.norm(at[:, None] - at, axis=2)
    told = few_kinds(apart[None].astype(np.float32), kinds)
    assert (told is not None and same_partition(told, kinds)) == is_told


def test_cells_are_sure_that_lie_on_the_side_of_their_kind() -> None:
    """The farthest of many equals is as far as the nearest of the others, in a haze."""
    kinds = dealt(6, 20)
    cells = in_haze(kinds, 60)
    found = group(finely(tiles.compare(cells, reach=1), cells), even)
    assert same_partition(found.labels, kinds)
    assert (found.margin > 2.2).mean() > 0.95


def test_a_cell_between_two_kinds_is_on_neither_side() -> None:
    rng = np.random.default_rng(0)
    kinds = np.repeat(np.arange(5), [12, 12, 12, 2, 1])
    at = kinds + rng.normal(0, 0.05, len(kinds))
    at[0] = 0.5
    side = own_sides(np.abs(at[:, None] - at)[None].astype(np.float32), kinds)
    assert (side[1:36] > 0.6).all() and abs(side[0]) < 0.25
    assert not side[36:].any()  # a pair and a single one have no mean


@pytest.mark.parametrize("each", [4, 12])
def test_means_tell_nothing_of_a_board_of_small_kinds(each: int) -> None:
    """Two look-alikes among them would be a kind as large as others."""
    kinds = np.repeat(np.arange(7), [12] + [each] * 6)
    apart = np.abs(kinds[:, None] - kinds)[None] + np.float32(0.1)
    assert own_sides(apart.astype(np.float32), kinds).any() == (each == 12)
