"""Cells: cutting, comparing, grouping, on pictures made of seeded patterns."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, even, paint_squares, pattern, picture, same_partition, shuffled
from hypothesis import given, settings
from hypothesis import strategies as st

from ar_assist.games import grouping, tiles
from ar_assist.games.grouping import Grouping, group, may_hide_colour
from ar_assist.games.link.telling import CHANCE
from ar_assist.games.residuals import finely
from ar_assist.games.straightening import straightened
from ar_assist.types import Lattice


def test_cut_takes_whole_cells() -> None:
    cells = shuffled(4, 5, 5, 0)
    cut = tiles.cut(*picture(cells))
    assert cut.shape == (4, 5, tiles.CELL, tiles.CELL, 3)
    small = cv2.resize(pattern(cells[1, 2]), (tiles.CELL, tiles.CELL), interpolation=cv2.INTER_AREA)
    assert np.abs(cut[1, 2] - small).mean() < 12


@settings(max_examples=10, derandomize=True)  # one board in a hundred has a pair that is doubted
@given(seed=st.integers(0, 10_000), kinds=st.integers(4, 14))
def test_groups_are_the_kinds(seed: int, kinds: int) -> None:
    cells = shuffled(6, 8, kinds, seed)
    cut = straightened(*picture(cells)).reshape(-1, tiles.CELL, tiles.CELL, 3)
    found = group(finely(tiles.compare(cut, reach=1), cut), even)
    assert same_partition(found.labels, cells)
    assert found.labels[0] == 0  # numbered in order of appearance
    assert (found.margin > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_kinds_that_differ_by_one_stroke_are_two(seed: int) -> None:
    cells = shuffled(5, 8, 10, seed)
    image, lattice = picture(cells)
    for r, c in np.argwhere(cells == 2):  # kind 2 becomes kind 1 with a frown
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = pattern(1)
        cv2.line(image, (x + 20, y + 38), (x + 28, y + 36), (120, 120, 120), 2)
    noise = np.random.default_rng(seed).normal(0, 4, image.shape)
    seen = np.clip(cv2.GaussianBlur(image, (0, 0), 2) + noise, 0, 255).astype(np.uint8)
    cut = straightened(seen, lattice).reshape(-1, tiles.CELL, tiles.CELL, 3)
    assert same_partition(group(finely(tiles.compare(cut, reach=1), cut), even).labels, cells)


def test_slack_is_what_half_a_pixel_changes() -> None:
    still = tiles.cut(*picture(shuffled(5, 8, 10, 3))).reshape(-1, tiles.CELL, tiles.CELL, 3)
    for axis in (1, 2):
        moved = (still + np.roll(still, 1, axis)) / 2
        look = tiles.compare(np.concatenate([still, moved]), reach=0)
        n = len(still)
        apart, slack = look.parts[:, np.arange(n), np.arange(n) + n], look.slack[:, :n]
        assert (apart < 1.5 * slack + 0.02).all()
        assert (apart > 0.1 * slack).any(1)[[0, 2]].all()


@pytest.mark.parametrize("explained", [True, False])
def test_halves_that_half_a_pixel_explains_are_one_kind(explained: bool) -> None:
    cells = np.repeat(np.arange(10), 4)
    tone = np.where(cells[:, None] == cells, 0.03, 1.0)
    tone[:2, 2:4] = tone[2:4, :2] = 0.12  # two of the first kind are a little off the two others
    np.fill_diagonal(tone, 0)
    shape = np.where(cells[:, None] == cells, 0.03, 1.0) * (1 - np.eye(len(cells)))
    slack = np.zeros((3, len(cells)))
    slack[2, :4] = 0.1 if explained else 0.0
    parts = np.stack([shape, shape, tone]).astype(np.float32)
    look = tiles.Differences(parts, np.zeros((40, 40, 2), np.float32), slack.astype(np.float32))
    assert len(np.unique(group(look, even).labels)) == (10 if explained else 11)


@pytest.mark.parametrize("apart", [0.06, 0.0])
def test_look_alikes_that_noise_hides_in_every_pair_are_two_heaps(apart: float) -> None:
    """No pair of the first group differs by more than equals do, but its halves do."""
    rng = np.random.default_rng(5)
    cells = np.repeat(np.arange(8), [24, *[12] * 7])
    same = cells[:, None] == cells
    noise = rng.normal(0.3, 0.03, (3, *same.shape))
    parts = np.where(same, (noise + noise.swapaxes(1, 2)) / 2, 1.0)
    parts[0, :12, 12:24] += apart
    parts[0, 12:24, :12] += apart
    parts[:, np.arange(len(cells)), np.arange(len(cells))] = 0
    slack = np.full((3, len(cells)), 0.1, np.float32)
    look = tiles.Differences(
        parts.astype(np.float32), np.zeros((*same.shape, 2), np.float32), slack
    )
    found = group(look, even)
    alone = cells + 8 * (np.arange(len(cells)) < 12) if apart else cells
    assert same_partition(found.labels, alone)


def grouped(apart: np.ndarray) -> Grouping:
    """Cells whose shape, chroma and tone are (N, N) apart alike."""
    n = len(apart)
    parts, slack = np.stack([apart] * 3).astype(np.float32), np.full((3, n), 0.1, np.float32)
    return group(tiles.Differences(parts, np.zeros((n, n, 2), np.float32), slack), even)


def odds_of_kinds(sizes: list[int], off: float = 0.03, apart: int = 2) -> np.ndarray:
    """Log odds of the cells of kinds; `apart` cells of the first are `off` the others in tone."""
    cells = np.repeat(np.arange(len(sizes)), sizes)
    n = len(cells)
    same = np.where(cells[:, None] == cells, 0.03, 1.0) * (1 - np.eye(n))
    tone = same.copy()
    tone[:apart, apart : sizes[0]] = tone[apart : sizes[0], :apart] = off
    slack = np.full((3, n), 0.1, np.float32)
    parts = np.stack([same, same, tone]).astype(np.float32)
    look = tiles.Differences(parts, np.zeros((n, n, 2), np.float32), slack)
    return group(look, even).margin


@pytest.mark.parametrize("apart", [1, 2])
def test_a_kind_that_nearly_falls_apart_is_less_sure(apart: int) -> None:
    odds = odds_of_kinds([4] * 10, 0.2, apart)
    assert odds[:4].max() < odds[4:].min() - 2
    assert odds_of_kinds([4] * 10).min() == pytest.approx(odds[4:].min(), abs=0.5)


@pytest.mark.parametrize(("off", "is_joined"), [(0.1, True), (0.3, False)])
def test_a_tile_that_looks_like_no_other_leaves_its_kind_odd(off: float, is_joined: bool) -> None:
    """It may be hidden in part: its kind is not made even with what is unlike it."""
    cells = np.repeat(np.arange(10), 4)
    apart = np.where(cells[:, None] == cells, 0.03, 1.0) * (1 - np.eye(40))
    apart[3, :3] = apart[:3, 3] = off
    found = grouped(apart)
    assert same_partition(found.labels, cells) == is_joined
    assert (found.margin[[0, 1, 2, *range(4, 40)]] > 0).all()


@pytest.mark.parametrize("hidden", [0, 2])
def test_two_odd_kinds_are_not_joined_where_tiles_are_hidden(hidden: int) -> None:
    """Without any hidden tile these would be one kind in two shades."""
    cells = np.repeat(np.arange(10), [3, 3, 4, 4, 4, 4, 4, 4, 4, 4])
    apart = np.where(cells[:, None] == cells, 0.03, 1.0)
    apart[:3, 3:6] = apart[3:6, :3] = 0.25
    if hidden:
        apart = np.pad(apart, (0, hidden), constant_values=1.0)
    found = grouped(apart * (1 - np.eye(len(apart))))
    assert (found.labels[0] != found.labels[3]) == (hidden > 0)
    sure = found.margin[:6] > 0
    assert sure.all() if hidden else not sure.any()


def test_groups_are_clear_though_lamps_hide_some_of_many_tiles() -> None:
    """What is hidden by chance grows with a board, and how clearly the others fall into kinds is
    no matter of its size."""
    cells = np.concatenate([np.repeat(np.arange(10), 14), 10 + np.arange(18)])
    rng = np.random.default_rng(1)
    noise = rng.uniform(0.8, 1.2, (158, 158))
    apart = np.where(cells[:, None] == cells, 0.05, 0.25) * (noise + noise.T)
    found = grouped(apart * (1 - np.eye(158)))
    assert found.clear > found.score + 4 > 5
    anywhere = rng.normal(size=(158, 12))
    chance = grouped(np.linalg.norm(anywhere[:, None] - anywhere, axis=2))
    assert chance.clear < CHANCE


@pytest.mark.parametrize("equals", [0.05, 0.1])
def test_pairs_tell_how_equals_vary_where_most_large_groups_are_two_kinds(equals: float) -> None:
    """Gems of one colour, cut otherwise: two in each of two groups."""
    groups = np.repeat(np.arange(6), [4, 4, 4, 2, 2, 2])
    kinds = np.repeat(np.arange(9), 2)
    same_group, same_kind = (of[:, None] == of for of in (groups, kinds))
    apart = np.where(same_kind, equals, np.where(same_group, 0.25, 1.0))
    apart[8:12, 8:12] = equals + 0.04
    apart *= 1 - np.eye(18)
    look = tiles.Differences(
        np.stack([apart] * 3).astype(np.float32),
        np.zeros((18, 18, 2), np.float32),
        np.full((3, 18), 0.02, np.float32),
    )
    found = group(look, even)
    mixed = np.array([len({*kinds[found.labels == label]}) > 1 for label in found.labels[:8]])
    assert (found.margin[:8][mixed] < 0).all()
    assert same_partition(found.labels[8:], groups[8:])


def test_a_kind_with_many_cells_is_less_sure() -> None:
    odds = odds_of_kinds([12] + [4] * 10)
    assert odds[:12].max() < odds[12:].min() - 2


@pytest.mark.parametrize("colour", [1.0, 0.9])
def test_kinds_that_differ_in_tone_alone_doubt_a_picture_without_colour(colour: float) -> None:
    cells = np.repeat(np.arange(1, 9), [4, 4, 4, 4, 4, 4, 4, 2])
    seen = np.stack([pattern(int(kind)) for kind in cells]).mean(-1, keepdims=True)
    seen[cells == 1, 6:-6, 6:-6] = 110
    seen[cells == 2, 6:-6, 6:-6] = 140
    noisy = seen + np.random.default_rng(1).normal(0, 2, seen.shape)
    strip = np.concatenate(list(noisy), 1).clip(0, 255).astype(np.uint8)
    image = cv2.merge([strip, strip, strip])
    some = slice(12 * PITCH)  # three kinds
    image[:, some, 0] = colour * image[:, some, 0]
    cut = tiles.cut(image, Lattice((-0.5, -0.5), (PITCH, PITCH), 1, len(cells)))[0]
    look = finely(tiles.compare(cut, reach=1), cut)
    found = group(look, even)
    assert same_partition(found.labels, cells)
    assert (found.margin > 2).all()
    hides = may_hide_colour(found, look)
    assert not hides.any() if colour < 1 else hides[:-2].all() and not hides[-2:].any()


@pytest.mark.parametrize("colour", [(110, 140, 170), (140, 140, 140)])
def test_a_tile_that_is_marked_in_colour_hides_none_on_a_board_without(
    colour: tuple[int, int, int],
) -> None:
    """Marked in grey it may be another kind, of a colour that is not seen."""
    cells = np.repeat(np.arange(1, 9), 4)
    seen = np.stack([pattern(int(kind)) for kind in cells]).mean(-1, keepdims=True).repeat(3, -1)
    seen[:4, 6:-6, 6:-6] = 110
    seen[2:4, 6:-6, 6:-6] = colour
    noisy = seen + np.random.default_rng(1).normal(0, 2, (*seen.shape[:3], 1))
    strip = np.concatenate(list(noisy), 1).clip(0, 255).astype(np.uint8)
    cut = tiles.cut(strip, Lattice((-0.5, -0.5), (PITCH, PITCH), 1, len(cells)))[0]
    look = finely(tiles.compare(cut, reach=1), cut)
    hides = may_hide_colour(group(look, even), look)[4:]
    assert not hides.any() if len(set(colour)) > 1 else hides.all()


def test_squares_of_which_most_are_grey_hide_no_colour_where_others_show_theirs() -> None:
    """Most pairs differ in tone alone; that the camera sees colours is seen by the few that do."""
    colours = np.array([[0] * 3, [25] * 3, [70] * 3, [180] * 3, [240] * 3, [160, 90, 20]])
    for kinds, told in (5, False), (6, True):
        cells = np.repeat(np.arange(kinds), 6)
        image, lattice = picture(np.zeros((1, len(cells)), int), ground=120)
        paint_squares(image, cells[None] + 1, np.insert(colours, 0, 0, axis=0))
        noisy = image + np.random.default_rng(1).normal(0, 2, (*image.shape[:2], 1))
        cut = tiles.cut(noisy.clip(0, 255).astype(np.uint8), lattice)[0]
        look = finely(tiles.compare(cut, reach=1), cut)
        found = group(look, even)
        assert same_partition(found.labels, cells)
        assert may_hide_colour(found, look).any() != told


@pytest.mark.parametrize("lights", [0.0, 1.0])
def test_kinds_are_not_sure_by_their_colour_where_the_ground_drowns_their_shapes(
    lights: float,
) -> None:
    """Diamonds and discs of seven colours: before lights as bright as they are only the colours
    are alike."""
    rng = np.random.default_rng(5)
    cells = shuffled(8, 14, 14, 5)
    image, lattice = picture(np.zeros_like(cells), ground=45)
    lit = np.zeros_like(image)
    for x, y in rng.integers(0, image.shape[1::-1], (400, 2)).tolist():
        cv2.circle(lit, (x, y), int(rng.integers(5, 15)), rng.integers(0, 255, 3).tolist(), -1)
    image = np.maximum(image, (lights * lit).astype(np.uint8))
    hues = cv2.applyColorMap(np.arange(0, 252, 36, np.uint8), cv2.COLORMAP_HSV)
    inks = hues.reshape(-1, 3).tolist()
    for (r, c), kind in np.ndenumerate(cells - 1):
        x, y = int((c + 3.5) * PITCH), int((r + 3.5) * PITCH)
        if kind < 7:
            cv2.circle(image, (x, y), 14, inks[kind], -1)
        else:
            around = [(x - 14, y), (x, y - 14), (x + 14, y), (x, y + 14)]
            cv2.fillConvexPoly(image, np.int32(around), inks[kind - 7])
    seen = cv2.GaussianBlur(image, (0, 0), 1.5)
    cut = tiles.cut(seen, lattice).reshape(-1, tiles.CELL, tiles.CELL, 3)
    found = group(finely(tiles.compare(cut, reach=1), cut), even)
    alike = found.labels == found.labels[:, None]
    is_mixed = (alike & (cells.ravel() != cells.ravel()[:, None])).any(1)
    assert is_mixed.any() == (lights > 0)
    assert (found.margin[is_mixed] < 0).all()
    assert lights > 0 or (found.margin > 0).all()


def test_distances_are_symmetric_and_zero_to_itself() -> None:
    cut = tiles.cut(*picture(shuffled(4, 4, 4, 1))).reshape(-1, tiles.CELL, tiles.CELL, 3)
    look = finely(tiles.compare(cut, reach=1), cut)
    assert look.parts.shape == (len(tiles.PARTS), 16, 16)
    for part in look.parts:
        np.testing.assert_allclose(part, part.T, atol=1e-3)
        np.testing.assert_allclose(np.diag(part), 0, atol=1e-3)


@pytest.mark.parametrize("bend_px", [2.0, 4.0])
def test_bent_lines_are_straightened(bend_px: float) -> None:
    cells = shuffled(7, 10, 12, 2)
    image, lattice = picture(cells)
    h, w = image.shape[:2]
    y, x = np.mgrid[:h, :w].astype(np.float32)
    bent = cv2.remap(image, x, y + bend_px * ((x / w - 0.5) * 2) ** 2, cv2.INTER_LINEAR)

    def spread(cut: np.ndarray) -> float:
        """How much the tiles of a kind differ."""
        flat = cut.reshape(-1, tiles.CELL, tiles.CELL, 3)
        return float(np.mean([flat[cells.ravel() == k].std(0).mean() for k in range(1, 13)]))

    assert spread(straightened(bent, lattice)) < 0.6 * spread(tiles.cut(bent, lattice))


def off_level(cut: np.ndarray, kinds: np.ndarray) -> float:
    """Grey levels that the tiles of a kind (R, C) differ by, but for 0, which is none."""
    level = tiles.face(cut.reshape(-1, tiles.CELL, tiles.CELL, 3)).mean((1, 2, 3))
    return float(np.mean([level[kinds.ravel() == k].std() for k in np.unique(kinds[kinds > 0])]))


def test_light_is_evened() -> None:
    cells = shuffled(7, 10, 12, 3)
    image, lattice = picture(cells)
    fall = np.linspace(1.0, 0.55, image.shape[1])[None, :, None]
    dark = (image * fall).astype(np.uint8)

    seen = off_level(tiles.cut(dark, lattice), cells)
    assert off_level(straightened(dark, lattice), cells) < 0.4 * seen


def test_light_is_evened_where_dark_tiles_lose_less_of_it() -> None:
    """Falling light takes a share of what a tile shows, and not so many grey levels."""
    cells = shuffled(7, 10, 12, 3)
    image, lattice = picture(cells)
    for r, c in np.argwhere(cells % 2 == 0):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] //= 3
    y, x = (np.linspace(-1, 1, n) for n in image.shape[:2])
    fall = 1 - 0.25 * (x**2 + y[:, None] ** 2)
    dim = (image * fall[..., None]).astype(np.uint8)

    dark = np.where(cells % 2 == 0, cells, 0)
    seen = off_level(tiles.cut(dim, lattice), dark)
    assert off_level(straightened(dim, lattice), dark) < 0.4 * seen


def test_light_on_squares_of_one_colour_each_is_evened() -> None:
    cells = shuffled(7, 10, 12, 5)
    image, lattice = picture(cells)
    image[:] = 30
    paint_squares(image, cells, np.random.default_rng(7).integers(40, 240, (13, 3)))
    dim = (image * np.linspace(1.0, 0.8, image.shape[1])[:, None]).astype(np.uint8)

    seen = off_level(tiles.cut(dim, lattice), cells)
    assert off_level(straightened(dim, lattice), cells) < 0.3 * seen


def test_an_uneven_ground_without_tiles_is_no_light() -> None:
    cells = np.zeros((7, 10), int)
    image, lattice = picture(cells)
    ramp = (200 * np.linspace(1.0, 0.5, image.shape[1])[:, None]).astype(np.uint8)
    ground = np.broadcast_to(ramp, image.shape).copy()
    as_seen = tiles.cut(tiles.softened(ground, lattice), lattice)
    assert np.abs(straightened(ground, lattice) - as_seen).max() < 0.1


def test_evened_light_makes_no_steps_between_cells() -> None:
    """Else a ground that runs on would end at borders as tiles do."""
    cells = shuffled(7, 10, 12, 3)
    cells[3, 4:6] = 0
    image, lattice = picture(cells, ground=170)
    fall = np.linspace(1.0, 0.55, image.shape[1])[None, :, None]
    left, right = straightened((image * fall).astype(np.uint8), lattice)[3, 4:6].mean(1)
    assert np.abs(left[-1] - right[0]).max() < 2


@pytest.mark.parametrize("seed", [1, 2])
def test_light_is_not_evened_by_cells_of_other_colours(seed: int) -> None:
    """Balls have one shape, so that any two may pass for mates: they tell nothing of the light."""
    cells = shuffled(5, 12, 10, seed)
    image, lattice = picture(np.zeros_like(cells), ground=170)
    rng = np.random.default_rng(seed + 50)
    colours = rng.integers(50, 170, (11, 3)).tolist()
    there = rng.random(cells.shape) < 0.6
    for row, col in np.argwhere(there).tolist():
        middle = int((col + 3.5) * PITCH), int((row + 3.5) * PITCH)
        cv2.circle(image, middle, PITCH // 3, colours[cells[row, col]], -1, cv2.LINE_AA)
    noisy = np.clip(image + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)
    as_seen = tiles.cut(tiles.softened(noisy, lattice), lattice)
    assert np.abs(straightened(noisy, lattice) - as_seen).mean() < 0.3


def test_unlike_cells_that_come_out_even_with_all_others_are_equals() -> None:
    """What has no equal would be nearest to another such one by chance."""
    merges, unlike = np.array([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]), np.arange(5) > 1
    even = np.array([0, 0, 1, 1, 2, 2])
    assert grouping._evenly(merges, unlike, even) == pytest.approx(np.log(3))
    assert grouping._evenly(merges, unlike, np.array([0, 0, 1, 1, 2, 3])) == -np.inf
    astray = np.array([[0, 1], [2, 6], [3, 4], [7, 8], [5, 9]])
    assert grouping._evenly(astray, unlike, np.array([0, 0, 0, 1, 1, 2])) == -np.inf
    assert grouping._evenly(astray, unlike, np.zeros(6, int)) == -np.inf


def test_kinds_that_are_odd_for_what_is_hidden_are_not_joined() -> None:
    kinds = np.repeat(np.arange(8), [3, 3, 4, 4, 4, 4, 4, 4])
    apart = np.where(kinds[:, None] == kinds, 0.1, 0.8)
    apart[:6, :6] = np.where(apart[:6, :6] > 0.1, 0.45, 0.1)
    apart += np.random.default_rng(0).uniform(0, 0.01, apart.shape)
    apart = (apart + apart.T) * (1 - np.eye(30)) / 2
    look = tiles.Differences(
        np.stack([apart] * 3).astype(np.float32),
        np.zeros((30, 30, 2), np.float32),
        np.full((3, 30), 0.02, np.float32),
    )
    joined = [group(look, lambda size: -4.0 * (size % 2), hidden).labels for hidden in (0, 2)]
    assert not same_partition(joined[0], kinds) and same_partition(joined[1], kinds)
