"""Noticing that the view no longer shows what was read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from toy import COLS, LATTICE, MARGIN, PX, ROWS, START, ToyBoard, ToyGame, grey

from ar_assist import change
from ar_assist.types import Mark, Reading

BOARD = Reading(START, LATTICE.corners, np.ones((ROWS, COLS), np.float32), 1.0)
READ = grey(START)


def _compared(read: np.ndarray, now: np.ndarray, restless: float = 0.0) -> change.Compared:
    """Cells of which no two are equal."""
    shape = (read.shape[0] // change.CELL_PX, read.shape[1] // change.CELL_PX)
    kinds = np.arange(np.prod(shape)).reshape(shape)
    return change.Compared(change.Reference(read, kinds), now, restless)


def _changes(read: np.ndarray, now: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    return change.Compared(change.Reference(read, kinds), now).changed()


def _changed(now) -> set[tuple[int, int]]:
    read, seen = (change.cells(picture, np.eye(3), BOARD) for picture in (READ, now))
    changed = _changes(read, seen, BOARD.cells)
    return {(int(r), int(c)) for r, c in np.argwhere(changed)}


def _without(cells) -> np.ndarray:
    return grey(START.put(dict.fromkeys(cells, 0)))


def _waves(shape: tuple[int, int], cells: float) -> np.ndarray:
    """So many cells long, between -1 and 1."""
    y, x = np.indices(shape)
    return np.sin(2 * np.pi * (x + y / 2) / cells / PX)


def test_the_same_picture_has_not_changed():
    assert not _changed(READ)


@pytest.mark.parametrize("cells", [[(0, 0)], [(0, 0), (1, 5)], [(3, 2), (0, 5), (2, 2)]])
def test_removed_tiles_are_seen(cells):
    assert _changed(_without(cells)) == set(cells)


@pytest.mark.parametrize(
    "seen",
    [
        lambda p: cv2.GaussianBlur(p, (0, 0), 3.0),
        lambda p: np.clip(0.6 * p + 40, 0, 255).astype(np.uint8),
        lambda p: np.clip(p + np.random.default_rng(1).normal(0, 15, p.shape), 0, 255),
        lambda p: np.roll(p, 2, axis=1),
        lambda p: np.clip(p + 40 * _waves(p.shape, 8), 0, 255),
    ],
    ids=["blur", "exposure", "noise", "shift", "moire"],
)
def test_what_touches_the_whole_picture_is_no_change(seen):
    assert not _changed(seen(READ).astype(np.uint8))
    assert _changed(seen(_without([(2, 3)])).astype(np.uint8)) == {(2, 3)}


def test_a_frame_around_a_tile_that_is_chosen_is_no_change_but_a_fade_is():
    x, y = (MARGIN + 2) * PX, (MARGIN + 1) * PX
    chosen, covered = READ.copy(), READ.copy()
    cv2.rectangle(chosen, (x + 3, y + 3, PX - 6, PX - 6), 255, 7)
    cv2.rectangle(covered, (x, y, PX, PX), 255, -1)
    gone = _without([(1, 2)])
    assert not _changed(chosen)
    assert _changed(covered) == {(1, 2)}
    assert _changed(cv2.addWeighted(chosen, 0.75, gone, 0.25, 0)) == {(1, 2)}


def test_fine_noise_is_no_change_of_empty_cells_either():
    gone = [(r, c) for r in range(ROWS) for c in range(COLS) if (r + c) % 2]
    h, w = READ.shape
    fine = np.random.default_rng(2).normal(0, 24, (h // 4, w // 4)).astype(np.float32)
    fine = cv2.resize(fine, (w, h))
    for taken in ([], [(2, 2)]):
        before, after = (
            change.cells(np.clip(picture, 0, 255).astype(np.uint8), np.eye(3), BOARD)
            for picture in (_without(gone), _without([*gone, *taken]) + fine)
        )
        changed = _changes(before, after, BOARD.cells)
        assert np.argwhere(changed).tolist() == list(map(list, taken))


@pytest.mark.parametrize("goes", [True, False])
def test_a_pale_tile_that_goes_differs_by_less_than_others_would(goes: bool):
    rng = np.random.default_rng(2)
    kinds = np.arange(80).reshape(8, 10) % 9
    kinds[0] = 0
    tiles = (
        180
        + np.array([0, *[30] * 7, 8])[kinds.ravel(), None, None]
        * np.sign(rng.normal(0, 1, (9, 8, 8)))[kinds.ravel()]
    )

    def board(cells: np.ndarray) -> np.ndarray:
        picture = cells.reshape(8, 10, 8, 8).swapaxes(1, 2).reshape(64, 80)
        return (picture + rng.normal(0, 2, picture.shape)).astype(np.float32)

    after, pale = tiles.copy(), np.flatnonzero(kinds == 8)[:1]
    after[pale[: int(goes)]] = 180
    changed = _changes(board(tiles), board(after), kinds)
    assert np.flatnonzero(changed).tolist() == pale[: int(goes)].tolist()


@pytest.mark.parametrize("comes", [False, True])
def test_a_cursor_on_dark_ground_differs_by_less_than_the_tiles_there(comes: bool):
    """Of which few are left, so that the board has hardly any contrast; until another comes."""
    kinds = np.zeros((6, 12), int)
    kinds[::3, ::4] = 1
    tile = 30 + 60 * (np.indices((8, 8)).sum(0) % 4 < 2)
    before = np.where(kinds[:, None, :, None] > 0, tile[:, None], 20)
    now = before.copy()
    now[2, 1:5, 6, 1:4] = 90
    if comes:
        now[2, :, 6] = tile
    before, now = (cells.reshape(48, 96).astype(np.float32) for cells in (before, now))
    assert np.argwhere(_changes(before, now, kinds)).tolist() == ([[2, 6]] if comes else [])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("goes", [[], [(2, 3), (6, 1)]])
def test_bands_of_a_screen_that_flickers_are_no_change(turned: bool, goes: list[tuple[int, int]]):
    rng = np.random.default_rng(3)
    kinds = 1 + np.arange(80).reshape(8, 10) % 9
    tiles = 180 + 20 * np.sign(rng.normal(0, 1, (10, 8, 8)))
    tiles[0] = 180

    def board(cells: np.ndarray) -> np.ndarray:
        picture = tiles[cells].swapaxes(1, 2).reshape(64, 80)
        return (picture + rng.normal(0, 2, picture.shape)).astype(np.float32)

    after = kinds.copy()
    after[tuple(np.array(goes, int).reshape(-1, 2).T)] = 0
    bands = 1 + 0.15 * np.sin(np.arange(64) / 4)[:, None]  # three cells long
    before, now = board(kinds), (bands * board(after)).astype(np.float32)
    if turned:
        before, now, kinds = (np.ascontiguousarray(one.T) for one in (before, now, kinds))
    changed = np.argwhere(_changes(before, now, kinds)).tolist()
    assert sorted(cell[::-1] if turned else cell for cell in changed) == list(map(list, goes))


def test_another_board_is_seen_as_one():
    other = ToyBoard(tuple(tuple(1 + kind % 6 for kind in row) for row in START.cells))
    changed = _changed(grey(other))
    assert len(changed) == ROWS * COLS


@pytest.mark.parametrize(("strength", "share"), [(30, 1.0), (18, 0.4)])
def test_a_board_of_like_tiles_that_is_dealt_anew_is_no_blurred_one(strength: int, share: float):
    """Their frames make most of what they show, and what is inside differs by no more than blur
    would make of that; or they were read when they had faded to a share."""
    rng = np.random.default_rng(5)
    own = rng.normal(0, 1, (80, 3, 3)).astype(np.float32)
    tile = np.full((8, 8), 40, np.float32)
    tile[1:7, 1:7] = 210
    drawn = np.stack([tile + np.pad(cv2.resize(strength * kind, (6, 6)), 1) for kind in own])

    def board(order: np.ndarray) -> np.ndarray:
        return drawn[order].reshape(8, 10, 8, 8).swapaxes(1, 2).reshape(64, 80)

    whole = board(np.arange(80))
    read = 60 + share * (whole - 60)
    assert not _compared(read, cv2.GaussianBlur(whole, (0, 0), 0.6)).changed().any()
    assert not _compared(read, np.roll(whole, 1, 1) * 0.3 + whole * 0.7).changed().any()
    assert change.is_another_board(_compared(read, board(rng.permutation(80))).changed())


@pytest.mark.parametrize("is_dealt", [True, False])
def test_a_board_with_many_holes_that_is_dealt_anew_is_no_blurred_one(is_dealt: bool):
    """Its ground has a picture of its own, which stays, so that most cells show what they did."""
    rng = np.random.default_rng(3)
    ground, own = rng.normal(0, 1, (80, 3, 3)), rng.normal(0, 1, (6, 3, 3))
    tile = np.full((8, 8), 60.0)
    tile[1:7, 1:7] = 210
    kinds = np.zeros(80, int)
    kinds[rng.permutation(80)[:36]] = 1 + np.arange(36) % 6
    after = kinds.copy()
    if is_dealt:
        after[kinds > 0] = rng.permutation(kinds[kinds > 0])

    def board(kinds: np.ndarray) -> np.ndarray:
        drawn = [tile + np.pad(cv2.resize(18 * own[kind - 1], (6, 6)), 1) for kind in kinds]
        bare = [60 + cv2.resize(18 * picture, (8, 8)) for picture in ground]
        cells = np.where((kinds > 0)[:, None, None], drawn, bare)
        return cells.reshape(8, 10, 8, 8).swapaxes(1, 2).reshape(64, 80).astype(np.float32)

    now = cv2.GaussianBlur(board(after), (0, 0), 0.5)
    changed = _changes(board(kinds), now, kinds.reshape(8, 10)).ravel()
    assert not changed[kinds == after].any()
    assert changed[kinds != after].mean() > 0.7 if is_dealt else not changed.any()


@pytest.mark.parametrize(("strength", "is_picture"), [(12, False), (40, True)])
def test_what_cells_hardly_show_does_not_tell_that_they_are_dealt_anew(
    strength: int, is_picture: bool
):
    """The seams of plain squares differ by as much as a small shift makes of them."""
    rng = np.random.default_rng(5)
    own = [cv2.resize(one, (6, 6)) for one in rng.normal(0, strength, (80, 3, 3))]
    tile = np.full((8, 8), 40.0)
    tile[1:7, 1:7] = 210

    def board(order: np.ndarray) -> np.ndarray:
        cells = np.stack([tile + np.pad(own[n], 1) for n in order])
        return cells.reshape(8, 10, 8, 8).swapaxes(1, 2).reshape(64, 80).astype(np.float32)

    compared = _compared(board(np.arange(80)), board(rng.permutation(80)))
    assert compared.dealt_anew.mean() > 0.7 if is_picture else not compared.dealt_anew.any()


@pytest.mark.parametrize(("own_share", "other_share"), [(0.1, 0.9), (0.62, 0.73)])
def test_cells_that_are_hardly_liker_to_others_than_to_themselves_are_not_dealt_anew(
    own_share: float, other_share: float
):
    """What blur and waves make of them; tiles may be on their way, if most look otherwise."""
    own = np.random.default_rng(5).normal(0, 1, (80, 6, 6))
    other = np.roll(own, 1, 0)
    rest = np.random.default_rng(6).normal(0, np.sqrt(1 - own_share**2 - other_share**2), own.shape)

    def board(drawn: np.ndarray) -> np.ndarray:
        cells = 128 + 40 * np.pad(drawn, ((0, 0), (1, 1), (1, 1)))
        return cells.reshape(8, 10, 8, 8).swapaxes(1, 2).reshape(64, 80).astype(np.float32)

    compared = _compared(board(own), board(own_share * own + other_share * other + rest))
    is_dealt = other_share > 2 * own_share
    assert compared.dealt_anew.any() == is_dealt
    assert compared.may_fly


@pytest.mark.parametrize("is_flight", [True, False])
def test_tiles_on_their_way_differ_by_more_than_what_always_moves(is_flight: bool):
    """Cells show as much of others as of their own: tiles fly, or waves of moire always go."""
    own = np.random.default_rng(5).normal(0, 1, (80, 8, 8))

    def board(drawn: np.ndarray) -> np.ndarray:
        cells = 128 + 40 * drawn
        return cells.reshape(8, 10, 8, 8).swapaxes(1, 2).reshape(64, 80).astype(np.float32)

    read, now = board(own), board(0.62 * own + 0.73 * np.roll(own, 1, 0))
    usual = _compared(read, now).usual
    restless = usual / 5 if is_flight else 0.8 * usual
    compared = _compared(read, now, restless)
    assert compared.may_fly == is_flight and not compared.dealt_anew.any()


@pytest.mark.parametrize("is_dealt", [True, False])
def test_cells_that_waves_of_moire_make_alike_are_not_dealt_anew(is_dealt: bool):
    """They show what their equals did, over which the waves went before."""
    rng = np.random.default_rng(1)
    kinds = np.arange(80) % 20
    after = rng.permutation(kinds) if is_dealt else kinds
    own = np.stack([cv2.resize(one, (8, 8)) for one in rng.normal(0, 16, (20, 3, 3))])
    y, x = np.mgrid[:64, :80]
    read = kinds.reshape(8, 10)

    def board(kinds: np.ndarray, phase: float) -> np.ndarray:
        cells = 128 + own[kinds].reshape(8, 10, 8, 8).swapaxes(1, 2).reshape(64, 80)
        frame = np.where((x % 8 == 0) | (y % 8 == 0), -100, 0)
        wave = 5 * np.sin(0.55 * x + 0.32 * y + phase)
        return (cells + frame + wave).astype(np.float32)

    changed = [
        _changes(board(kinds, 0.0), board(after, phase), read) for phase in np.linspace(0.5, 6, 12)
    ]
    assert np.mean(changed) > 0.6 if is_dealt else not np.any(changed)


@pytest.mark.parametrize("gone", [[], [(1, 2), (4, 3)]], ids=["at rest", "a pair goes"])
def test_waves_that_differ_by_as_much_as_tiles_that_go_hide_none_and_take_none(gone):
    """Waves of strong moire, whose phase is another in every frame."""
    rng = np.random.default_rng(5)
    rows, cols, px = 6, 8, change.CELL_PX
    drawn = cv2.blur(rng.uniform(-1, 1, (rows * px, cols * px)), (3, 3)) * 140
    kinds = np.arange(1, rows * cols + 1).reshape(rows, cols)
    y, x = np.indices(drawn.shape)

    def board(without: list[tuple[int, int]], phase: float) -> np.ndarray:
        left = np.ones((rows, cols))
        for cell in without:
            left[cell] = 0
        tiles = drawn * np.kron(left, np.ones((px, px)))
        return (128 + tiles + 25 * np.sin(1.4 * x + 0.9 * y + phase)).astype(np.float32)

    compared = change.Compared(change.Reference(board([], 0.0), kinds), board(gone, 1.2))
    assert compared.usual > change.CHANGE
    assert [tuple(map(int, cell)) for cell in np.argwhere(compared.changed())] == gone


def test_what_most_cells_differ_by_as_much_as_tiles_that_go_is_no_blur():
    """Busy tiles of a new level that are there in part."""
    read, other = np.random.default_rng(0).normal(128, 30, (2, 64, 80)).astype(np.float32)
    in_part = (np.arange(64) % change.CELL_PX < 3)[:, None]
    assert change.is_another_board(_compared(read, np.where(in_part, other, read)).changed())


def test_a_change_touches_marks_only_where_they_lie():
    advice = ToyGame().advise([START])
    marks = ToyGame().marks(BOARD, advice, 0)  # (0, 0) and (1, 5)
    for cell, touched in (((0, 0), True), ((1, 5), True), ((0, 1), False), ((1, 4), False)):
        changed = np.zeros((ROWS, COLS), bool)
        changed[cell] = True
        assert change.touches(changed, marks, BOARD) == touched
        assert change.touches(changed, marks, BOARD, spreads=True)  # to the cells beside it
    changed = np.zeros((ROWS, COLS), bool)
    changed[0, 3] = True
    assert not change.touches(changed, marks, BOARD, spreads=True)


def test_a_path_rests_on_all_cells_that_it_crosses():
    centres = np.array([[0.5, 0.5], [3.5, 0.5], [3.5, 2.5]]) * PX + MARGIN * PX - 0.5
    path = Mark("path", centres.astype(np.float32))
    under = {(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3)}
    for r in range(ROWS):
        for c in range(COLS):
            changed = np.zeros((ROWS, COLS), bool)
            changed[r, c] = True
            assert change.touches(changed, [path], BOARD) == ((r, c) in under)


def test_when_most_changed_nothing_is_left_to_trust():
    changed = np.zeros((ROWS, COLS), bool)
    changed[2:] = True
    assert change.touches(changed, [], BOARD)
    assert change.is_another_board(changed)


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_is_kept_of_a_picture_takes_no_light_from_what_is_nothing_like_it(is_kept: bool):
    """A message over all of a board; of a few cells the rest tells how the light has changed."""
    read = change.cells(READ, np.eye(3), BOARD)
    where = np.full((ROWS, COLS), is_kept)
    where[1, 2] = True
    now = 255 - read[::-1] if is_kept else 0.6 * read + 40
    kept = change.patched(now, read, where)
    assert np.allclose(kept, read if is_kept else now, atol=5)
