"""Telling tiles from ground by how cells are made."""

from collections.abc import Iterable

import cv2
import numpy as np
import pytest
from drawn import (
    PITCH,
    amid_noise,
    cleared,
    paint_squares,
    pattern,
    picture,
    same_partition,
    shuffled,
)

from ar_assist.games.link import framing, ground, reader
from ar_assist.games.link.board import LinkBoard
from ar_assist.games.straightening import straightened
from ar_assist.games.tiles import CELL, NOISE, SIDE, Array
from ar_assist.types import Image, Lattice, Reading


def seen_cells(image: Image, lattice: Lattice) -> tuple[np.ndarray, np.ndarray]:
    """(rows, cols) which cells of a board are taken for ground, and by their colour alone."""
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    rows, cols = lattice.rows + 2, lattice.cols + 2
    cells = straightened(image, Lattice((x - dx, y - dy), (dx, dy), rows, cols), rim=1)
    inside = np.zeros((rows, cols), bool)
    inside[1:-1, 1:-1] = True
    seen = ground.shown(cells, inside.ravel())
    empty, guessed = (m.reshape(rows, cols)[1:-1, 1:-1] for m in (seen.empty, seen.guessed))
    return empty, guessed


def paint(image: Image, cells: Iterable[tuple[int, int]], grey: int) -> None:
    """Make tiles plain."""
    for r, c in cells:
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = grey


def sprites(count: int, rng: np.random.Generator) -> Array:
    """Dark tiles with a faint line at their border; some pictures are large, and reach near it."""
    cells = np.full((count, CELL, CELL, 3), 26, np.float32)
    cells[:, :2] = cells[:, -2:] = cells[:, :, :2] = cells[:, :, -2:] = 44
    for cell in cells:
        margin = rng.choice([3, 9], p=[0.3, 0.7])
        size = CELL - 2 * margin
        colour = rng.uniform(80, 250, 3)
        cell[margin:-margin, margin:-margin][rng.random((size, size)) < 0.6] = colour
    return cells


def test_a_faint_frame_tells_where_pictures_reach_into_the_rim() -> None:
    rng = np.random.default_rng(0)
    tiles, bare = sprites(90, rng), np.full((70, CELL, CELL, 3), 24, np.float32)
    cells = np.concatenate([tiles, bare]) + rng.normal(0, 4, (160, CELL, CELL, 3))
    is_tile = np.arange(160) < 90
    inside = np.arange(160) < 110
    found = framing.frame(cells.astype(np.float32), inside, inside & ~is_tile, ~is_tile)
    assert found
    assert ((found.off < 1) == is_tile).all()


def test_there_is_no_frame_where_tiles_have_none() -> None:
    rng = np.random.default_rng(0)
    cells = rng.normal(60, 30, (160, CELL, CELL, 3)).astype(np.float32)
    inside = np.arange(160) < 110
    nothing = np.zeros(160, bool)
    assert framing.frame(cells, inside, nothing, nothing) is None


def textured(cells: np.ndarray, relief: int) -> tuple[Image, Lattice]:
    """Grey squares with a texture for each kind and a bevel, on a grey that falls off: some squares
    have the tone of the ground beside them."""
    image, lattice = picture(np.zeros_like(cells))
    h, w = image.shape[:2]
    image[:] = (90 + 60 * (np.arange(h)[:, None] / h + np.arange(w) / w))[..., None]
    for (r, c), kind in np.ndenumerate(cells):
        if not kind:
            continue
        rng = np.random.default_rng(int(kind))
        grain = cv2.resize(rng.normal(0, 4, (9, 9)), (PITCH, PITCH), interpolation=cv2.INTER_CUBIC)
        square = 90 + 10 * kind + grain
        square[:3] += relief
        square[:, :3] += relief
        square[-3:] -= relief
        square[:, -3:] -= relief
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = square[..., None].clip(0, 255)
    noisy = image + np.random.default_rng(0).normal(0, 2, (h, w, 1))
    return noisy.clip(0, 255).astype(np.uint8), lattice


def test_squares_of_many_textures_share_their_bevel_alone() -> None:
    """Of the tone of the ground nearby many are taken for it, without what tiles share."""
    truth = cleared(shuffled(8, 10, 12, 1), 8)
    image, lattice = textured(truth, 22)
    reading = reader.read(image, lattice)
    assert reading is not None
    assert ((reading.cells > 0) == (truth > 0)).all()
    assert (reading.certainty[truth == 0] > 0.9).all()


def test_where_squares_have_no_bevel_there_is_no_relief() -> None:
    truth = cleared(shuffled(8, 10, 12, 1), 8)
    found = []
    for relief in (0, 22):
        image, lattice = textured(truth, relief)
        (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
        around = Lattice((x - dx, y - dy), (dx, dy), lattice.rows + 2, lattice.cols + 2)
        cells = straightened(image, around, rim=1).reshape(-1, CELL, CELL, 3)
        inside = np.pad(np.ones(truth.shape, bool), 1).ravel()
        found.append(framing.relief(cells, inside, (np.pad(truth, 1) == 0).ravel()))
    none, some = found
    assert none is None and some is not None
    share, is_clear = some
    assert is_clear and ((share > framing.HALF) == (np.pad(truth, 1) > 0).ravel()).all()


def test_no_cell_lacks_a_frame_where_no_tile_has_one() -> None:
    cells = np.random.default_rng(0).normal(60, 2, (20, CELL, CELL, 3)).astype(np.float32)
    framed = cells.copy()
    framed[:10, 2:5] = framed[:10, -5:-2] = 200
    some = np.arange(20) < 10
    assert (framing.frameless(framed, some) == ~some).all()
    assert not framing.frameless(cells, some).any()
    assert not framing.frameless(framed, np.zeros(20, bool)).any()


def test_a_ground_whose_colour_changes_shows_nothing() -> None:
    x = np.linspace(-40, 40, SIDE, dtype=np.float32)
    ramp = np.stack([128 + x, 128 - x, 128 + 0 * x], 1) + np.zeros((1, SIDE, 1, 1), np.float32)
    drawn = ramp.copy()
    drawn[:, 8:16, 8:16] += (60, -30, 0)
    assert ground.contrasts(ramp)[0] < NOISE
    assert ground.contrasts(drawn)[0] > 2 * NOISE


def test_faint_pictures_are_parted_from_a_quiet_ground() -> None:
    rng = np.random.default_rng(0)
    is_tile = np.zeros((5, 6), bool)
    is_tile[1:4, 1:5] = True
    is_tile[2, 3] = False
    cells = rng.normal(120, 1, (5, 6, CELL, CELL, 3)).astype(np.float32)
    tiles = cells[is_tile]
    tiles[:, 2:-2, 2:-2] -= 12
    tiles[:, 10:22, 10:22] += rng.uniform(14, 22, (len(tiles), 1, 1, 1))
    cells[is_tile] = tiles
    inside = np.zeros((5, 6), bool)
    inside[1:-1, 1:-1] = True
    seen = ground.shown(cells, inside.ravel())
    assert (seen.plain == ~is_tile.ravel()).all()
    assert (seen.empty == ~is_tile.ravel()).all()
    assert (seen.contrast[is_tile.ravel()] < 2 * NOISE).all()  # beside a busier ground: nothing


def test_small_pictures_on_a_plain_ground_are_none_of_it() -> None:
    """They have no borders, as ground has none; but around the board it shows less than they do."""
    truth = cleared(shuffled(8, 9, 12, 3), 1)
    image, lattice = picture(np.zeros_like(truth), ground=150)
    for (r, c), kind in np.ndenumerate(truth):
        middle = int((c + 3.5) * PITCH), int((r + 3.5) * PITCH)
        if kind > 6:
            cv2.circle(image, middle, PITCH // 2, (20 * int(kind), 240, 60), -1)
            cv2.circle(image, middle, PITCH // 4, (20, 40, 16 * int(kind)), -1)
        elif kind:
            cv2.ellipse(image, middle, (12, 5), 30 * int(kind), 0, 360, (110, 120, 100), -1)
    empty, _ = seen_cells(image, lattice)
    assert not empty[truth > 0].any()


def test_tiles_of_one_colour_that_touch_are_no_ground_where_another_shows_beside() -> None:
    truth = shuffled(7, 10, 14, 6)
    cleared_ones, dark = ((3, 2), (3, 3)), ((1, 6), (1, 7), (5, 5))
    for cell in cleared_ones:
        truth[cell] = 0
    image, lattice = picture(truth, ground=200)
    paint(image, dark, 40)
    empty, _ = seen_cells(amid_noise(image), lattice)
    assert all(empty[cell] for cell in cleared_ones)
    assert not any(empty[cell] for cell in dark)


@pytest.mark.parametrize("grain", [0, 12])  # of a dark room; overexposed tiles show little
def test_blank_tiles_that_run_together_are_no_ground_where_that_runs_out_of_the_board(
    grain: int,
) -> None:
    truth = shuffled(7, 10, 14, 6)
    gaps = [*np.ndindex(2, 3), (6, 9), (6, 8)]  # they run out of the board
    for cell in (gaps := gaps if grain else [*gaps, (3, 4)]):
        truth[cell] = 0
    blank = [(5, 6), (5, 7), (2, 2)]
    for cell in blank:
        truth[cell] = 1
    image, lattice = picture(truth, ground=60)
    if grain:
        image = cv2.addWeighted(image, 0.35, image, 0, 60)
    noise = np.random.default_rng(0).normal(0, grain, image.shape)
    image = np.clip(image + noise, 0, 255).astype(np.uint8)
    paint(image, blank, 255)
    empty, _ = seen_cells(image, lattice)
    assert all(empty[cell] for cell in gaps)
    assert not any(empty[cell] for cell in blank)


@pytest.mark.parametrize("face", [120, 190])
def test_a_plain_cell_is_known_by_its_colour_where_few_tiles_have_that_of_the_ground(
    face: int,
) -> None:
    image, lattice = picture(np.zeros((7, 10), int), ground=120)
    rng = np.random.default_rng(0)
    hole, gap = (3, 4), [(0, 0), (1, 0)]  # the gap runs out of the board
    for r, c in np.ndindex(7, 10):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        if (r, c) not in gap:
            image[y : y + PITCH, x : x + PITCH] = 30
            image[y + 3 : y + PITCH - 3, x + 3 : x + PITCH - 3] = 120 if (r, c) == hole else face
        if (r, c) not in [*gap, hole]:
            bars = rng.permutation(np.repeat([-30, 30], 4))
            image[y + 8 : y + 40, x + 8 : x + 40] = (face + np.repeat(bars, 4))[:, None, None]
    empty, guessed = seen_cells(image, lattice)
    assert empty[hole]
    assert guessed[hole] == (face == 120)
    assert not guessed[tuple(np.transpose(gap))].any()


def on_panel(image: Image, lattice: Lattice, beside: int) -> Image:
    """The board on ground that ends where it does."""
    inner = tuple(slice(3 * PITCH, (3 + count) * PITCH) for count in (lattice.rows, lattice.cols))
    whole = np.full_like(image, beside)
    whole[inner] = image[inner]
    return whole


def assert_surely_read(reading: Reading[LinkBoard] | None, truth: np.ndarray) -> None:
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)
    assert (np.array(reading.board.cells)[truth == 0] == 0).all()
    assert (reading.certainty > 0.9).all()


def test_cells_of_a_panel_that_ends_with_the_board_are_empty() -> None:
    truth = shuffled(7, 10, 12, 3)
    truth[truth > 8] = 0
    image, lattice = picture(truth, ground=200)
    assert_surely_read(reader.read(on_panel(image, lattice, 120), lattice), truth)


@pytest.mark.parametrize("gap", [0, 4])
def test_empty_cells_that_touch_no_other_have_no_frame(gap: int) -> None:
    """They come again, as tiles do, and their ground shows nowhere else, or between tiles."""
    truth = shuffled(7, 10, 14, 6)
    picked = next(kind for kind in range(1, 15) if (truth == kind).sum() == 4)
    truth[truth == picked] = 0
    beside = np.argwhere(truth == 0)
    assert min(np.abs(a - b).sum() for a in beside for b in beside if (a != b).any()) > 1
    image, lattice = picture(truth, ground=200)
    for r, c in np.argwhere(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        tile = image[y : y + PITCH, x : x + PITCH].copy()
        image[y : y + PITCH, x : x + PITCH] = 200
        side = PITCH - 2 * gap
        image[y + gap : y + gap + side, x + gap : x + gap + side] = cv2.resize(tile, (side, side))
    assert_surely_read(reader.read(on_panel(image, lattice, 120), lattice), truth)


def test_bare_ground_is_sure_amid_the_last_tiles_though_their_frames_are_thin() -> None:
    """Thin frames around large pictures tell little of what has none; but ground shows nothing."""
    truth = np.zeros((7, 8), int)
    truth[[0, 3, 2, 4, 5, 6, 6, 1], [0, 5, 0, 7, 4, 2, 5, 3]] = [1, 1, 2, 2, 3, 3, 4, 4]
    image, lattice = picture(np.zeros_like(truth), ground=150)
    for r, c in np.argwhere(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        blocks = np.random.default_rng(truth[r, c]).integers(20, 255, (3, 3, 3), np.uint8)
        image[y + 3 : y + 45, x + 3 : x + 45] = 120
        image[y + 4 : y + 44, x + 4 : x + 44] = cv2.resize(
            blocks, (40, 40), interpolation=cv2.INTER_NEAREST
        )
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty[truth == 0] > 0.9).all()


@pytest.mark.parametrize("is_framed", [True, False])
def test_a_chequered_ground_of_which_most_is_empty(is_framed: bool) -> None:
    """Its squares have borders all around and come again more often than tiles do. Pieces that
    stand on such squares are no tiles: those share a frame."""
    truth = shuffled(8, 10, 20, 3)
    truth[truth > 4] = 0
    truth[0, 0] = truth[7, 9] = 5
    image, lattice = picture(truth, ground=60)
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        if not kind or not is_framed:
            image[y : y + PITCH, x : x + PITCH] = 120 if (r + c) % 2 else 150
        if kind and not is_framed:
            at = x + 8, y + 40
            cv2.putText(image, chr(ord("A") + int(kind)), at, 0, 1.4, (20, 20, 20), 4, cv2.LINE_AA)
    light = np.linspace(-30, 30, image.shape[1]).astype(np.int64)
    image = (image + light[:, None]).clip(0, 255).astype(np.uint8)
    reading = reader.read(image, lattice)
    if is_framed:
        assert_surely_read(reading, truth)
    else:
        assert reading is None


def sockets(truth: np.ndarray, seed: int) -> tuple[Image, Lattice]:
    """Tiles with a light rim; where none is, a socket with an edge of its own, on wood."""
    image, lattice = picture(truth, ground=90)
    rng = np.random.default_rng(seed)
    small = rng.normal(0, 45, (image.shape[0] // 16, image.shape[1] // 16))
    grain = cv2.resize(cv2.GaussianBlur(small, (0, 0), 1), image.shape[1::-1])
    bare = (image == 90).all(-1)
    image[bare] = (image + grain[..., None]).clip(0, 255)[bare]
    for r, c in np.ndindex(truth.shape):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        cell = image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2]
        if truth[r, c]:
            cv2.rectangle(image, (x + 3, y + 3), (x + PITCH - 4, y + PITCH - 4), (235,) * 3, 7)
        else:
            cell[:] = (cell * 0.8).astype(np.uint8)
            cv2.rectangle(image, (x + 2, y + 2), (x + PITCH - 3, y + PITCH - 3), (55,) * 3, 1)
    return image, lattice


def test_sockets_that_most_tiles_were_taken_from_are_surely_empty() -> None:
    truth = shuffled(8, 10, 20, 1)
    truth[truth > 9] = 0
    reading = reader.read(*sockets(truth, 1))
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty[truth == 0] > 0.9).all()


def on_slots(truth: np.ndarray) -> tuple[Image, Lattice]:
    """Coloured tiles, with drawings some of which hardly show, on squares that stay where a tile
    was taken from."""
    image, lattice = picture(np.zeros_like(truth))
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = 90
        if kind:
            face = np.random.default_rng(kind).integers(50, 120, 3)
            image[y + 6 : y + PITCH - 6, x + 6 : x + PITCH - 6] = face
            at, size, ink = (x + 24, y + 24), (12, 4 + int(kind) % 5), face + 9 * 1.18 ** int(kind)
            cv2.ellipse(image, at, size, 25 * int(kind), 0, 360, ink.tolist(), -1)
    return image, lattice


@pytest.mark.parametrize("taken", [slice(4), slice(6)])
def test_squares_that_stay_where_many_tiles_were_are_empty(taken: slice) -> None:
    truth = shuffled(8, 10, 16, 1)
    truth[np.isin(truth, np.arange(1, 17)[taken])] = 0
    reading = reader.read(*on_slots(truth))
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty[truth == 0] > 0.9).all()


def test_plain_squares_of_several_colours_are_tiles_however_many_are_of_one() -> None:
    rng = np.random.default_rng(0)
    truth = np.concatenate([np.full(30, 1), np.resize(np.repeat(np.arange(2, 6), 2), 30)])
    truth = rng.permutation(truth).reshape(6, 10)
    image, lattice = picture(np.zeros_like(truth))
    paint_squares(image, np.ones_like(truth), np.full((2, 3), 230))
    hues = [[60, 60, 220], [60, 200, 60], [220, 120, 60], [60, 200, 220], [200, 80, 200]]
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y + 5 : y + PITCH - 5, x + 5 : x + PITCH - 5] = hues[kind - 1]
    reading = reader.read(image, lattice)
    assert reading is not None
    assert reading.board.left == truth.size
    assert same_partition(np.array(reading.board.cells), truth)


@pytest.mark.parametrize("pairs", [1, 2, 4])
def test_no_advice_rests_on_squares_that_stay_where_few_tiles_were(pairs: int) -> None:
    """They are as alike and as even in number as tiles without a drawing would be."""
    truth = cleared(shuffled(8, 10, 16, 1), pairs)
    reading = reader.read(*on_slots(truth))
    assert reading is not None
    assert (reading.certainty[truth == 0] < 0.9).all()
    assert (reading.certainty[truth > 0] > 0.9).all()


@pytest.mark.parametrize("is_pair", [True, False])
def test_squares_that_no_tile_was_like_are_empty_if_a_pair_was_there(is_pair: bool) -> None:
    """Two tiles of two kinds may be hidden."""
    truth = shuffled(8, 10, 10, 1) + 6  # the drawings of these show
    known = reader.read(*on_slots(truth))
    for kind in (8, 12) if is_pair else (8,):
        went = np.argwhere(truth == kind)[:2]
        if not is_pair:
            went[0] = np.argwhere(truth == kind + 1)[0]
        truth[tuple(went.T)] = 0
        image, lattice = on_slots(truth)
        known = reader.read(image, lattice, known)
        assert known is not None
        assert ((np.array(known.board.cells) > 0) == ((truth > 0) | (not is_pair))).all()
        assert ((known.certainty[truth == 0] > 0.9) == is_pair).all()


def test_squares_that_tiles_fell_from_are_empty_though_others_than_a_pair_were_there() -> None:
    truth = shuffled(8, 10, 10, 1) + 6  # the drawings of these show
    known = reader.read(*on_slots(truth))
    for row, col in np.argwhere(truth == 8)[:2]:
        truth[1 : row + 1, col] = truth[:row, col]
        truth[0, col] = 0
    assert np.count_nonzero(truth == 0) == 2
    image, lattice = on_slots(truth)
    reading = reader.read(image, lattice, known)
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty[truth == 0] > 0.9).all()


@pytest.mark.parametrize(("kinds", "missing"), [(10, 0), (4, 1)])
def test_a_grid_of_bare_squares_is_no_board(kinds: int, missing: int) -> None:
    """Most of it is bare, as a table is, or what is in it is not in pairs, as letters are not."""
    truth = shuffled(8, 10, 16, 1)
    truth[truth <= kinds] = 0
    truth[tuple(np.argwhere(truth)[:missing].T)] = 0
    assert reader.read(*on_slots(truth)) is None


@pytest.mark.parametrize("is_cleared", [False, True])
def test_stones_amid_pictures_are_not_surely_empty(is_cleared: bool) -> None:
    """They are plain and have no frame, but bricks show on them or they have not the colour of the
    ground; sockets have neither."""
    truth = shuffled(8, 10, 20, 1)
    stones = np.zeros(truth.shape, bool)
    stones[[1, 4, 6, 2], [2, 8, 5, 5]] = True
    truth[stones] = 0
    if is_cleared:
        truth[truth > 15] = 0
    image, lattice = picture(truth, ground=60)
    for r, c in np.argwhere(stones):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = 100
        if not is_cleared:
            image[y + 10 : y + PITCH : 12, x : x + PITCH] = 70
            image[y : y + PITCH, x + 16 : x + PITCH : 16] = 70
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty[stones] < 0.9).all()
    assert (reading.certainty[(truth == 0) & ~stones] > 0.9).all()


@pytest.mark.parametrize("ground", [150, 253])
@pytest.mark.parametrize("is_taken", [False, True])
def test_pale_drawings_on_faces_that_run_together_are_not_surely_empty(
    is_taken: bool, ground: int
) -> None:
    """What shows a little, as none around the board does, may be tiles, also where these run out
    of it as ground does; but not where ground does that shows no more."""
    truth = shuffled(8, 8, 16, 2)
    image, lattice = picture(truth, ground=ground)
    board = image[3 * PITCH : -3 * PITCH, 3 * PITCH : -3 * PITCH]
    board[(board == 90).all(-1) | (board == 235).all(-1)] = 253
    for r, c in np.argwhere(truth <= 2):
        face = board[r * PITCH : (r + 1) * PITCH, c * PITCH : (c + 1) * PITCH]
        face[:] = 253 if is_taken else 253 - (253 - face.astype(int)) // 14
    image = cv2.GaussianBlur((image * [0.92, 1, 0.85]).astype(np.uint8), (0, 0), 2)
    reading = reader.read(image, lattice)
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), np.where(truth <= 2, 0, truth))
    assert ((reading.certainty[truth <= 2] > 0.9) == is_taken).all()


def test_kinds_of_other_colours_are_tiles_where_the_ground_is_plain() -> None:
    """Tiles without a border share a rim only where they share a colour."""
    rng = np.random.default_rng(4)
    truth = shuffled(6, 8, 8, 1)
    truth[truth > 6] = 0
    image, lattice = picture(truth, ground=200)
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        if kind:
            face = (90, 200, 120) if kind > 4 else (190, 120, 150 + 8 * kind)
            image[y : y + PITCH, x : x + PITCH] = face
            letter = chr(ord("A") + int(kind))
            cv2.putText(image, letter, (x + 12, y + 34), 0, 1.0, (20, 20, 20), 3, cv2.LINE_AA)
    noisy = np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)
    assert_surely_read(reader.read(noisy, lattice), truth)


def test_a_mark_around_a_round_tile_leaves_its_middle() -> None:
    truth = cleared(shuffled(6, 8, 8, 1), 4)
    image, lattice = picture(truth, ground=200)
    for (r, c), kind in np.ndenumerate(truth):
        at = (c + 3) * PITCH + 24, (r + 3) * PITCH + 24
        image[at[1] - 24 : at[1] + 24, at[0] - 24 : at[0] + 24] = 200
        if kind:
            cv2.circle(image, at, 22, (90, 60, 40), -1, cv2.LINE_AA)
            letter, origin = chr(ord("A") + int(kind)), (at[0] - 10, at[1] + 10)
            cv2.putText(image, letter, origin, 0, 1.0, (230, 240, 240), 3, cv2.LINE_AA)
    row, col = np.argwhere(truth)[5]
    chosen = (col + 3) * PITCH + 24, (row + 3) * PITCH + 24
    cv2.circle(image, chosen, 20, (0, 0, 255), 4, cv2.LINE_AA)
    reading = reader.read(cv2.GaussianBlur(image, (0, 0), 1.2), lattice)
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)


@pytest.mark.parametrize("seed", range(2))
def test_ground_of_a_panel_with_a_border_runs_on_within_the_board_alone(seed: int) -> None:
    """So do some squares without gaps that are equal and touch."""
    truth = shuffled(8, 12, 12, seed)
    truth[truth > 5] = 0
    truth[2, 2:4], truth[5, 7:9] = 1, 2
    image, lattice = picture(np.zeros_like(truth), ground=40)
    image = on_panel(image, lattice, 120)
    far = ((lattice.cols + 3) * PITCH + 2, (lattice.rows + 3) * PITCH + 2)
    cv2.rectangle(image, (3 * PITCH - 3, 3 * PITCH - 3), far, (180, 180, 180), 3)
    colours = np.array(
        [[200, 60, 40], [40, 60, 220], [60, 180, 60], [40, 200, 240], [180, 60, 180]]
    )
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            image[y : y + PITCH, x : x + PITCH] = colours[kind - 1]
    empty, guessed = seen_cells(image, lattice)
    assert (empty == (truth == 0)).all()
    assert not guessed.any()


def test_light_that_falls_off_makes_no_tile_of_the_ground_s_colour() -> None:
    """At the other end of the board the ground is as bright as a tile is here."""
    rng = np.random.default_rng(3)
    truth = shuffled(7, 12, 12, 4)
    truth[truth > 8] = 0
    image, lattice = picture(np.zeros_like(truth), ground=200)
    colours = rng.integers(10, 240, (9, 3))
    colours[1] = 150
    paint_squares(image, truth, colours)
    falling = np.linspace(1.1, 0.6, image.shape[1])[:, None]
    empty, _ = seen_cells((image * falling).astype(np.uint8), lattice)
    assert (empty == (truth == 0)).all()


def test_ground_that_squares_enclose_is_as_bright_as_light_makes_it_there() -> None:
    rng = np.random.default_rng(3)
    truth = shuffled(7, 14, 14, 4)
    truth[:, 10:] = 0
    truth[3, 3] = 0
    image, lattice = picture(np.zeros_like(truth), ground=200)
    colours = rng.integers(10, 240, (15, 3))
    paint_squares(image, truth, colours)
    down, along = (np.linspace(0, 0.35, size) for size in image.shape[:2])
    lit = 1.2 - down[:, None, None] - along[:, None]
    empty, _ = seen_cells((image * lit).astype(np.uint8), lattice)
    assert empty[3, 3]
    assert not empty[truth > 0].any()


def test_ground_that_slopes_within_a_cell_runs_on_out_of_the_board() -> None:
    """A wallpaper of soft lights, on which buttons lie beside the board."""
    rng = np.random.default_rng(3)
    truth = shuffled(7, 14, 14, 4)
    truth[:, 0] = truth[2:5, 1] = truth[6, 3:8] = truth[1, 13] = 0
    image, lattice = picture(np.zeros_like(truth), ground=200)
    h, w = image.shape[:2]
    places = np.indices((h, w)).astype(np.float32)[..., None] / PITCH
    waves = np.sin(places[0] * (0.9, 0.7, 0.5) + places[1] * (0.6, 0.9, 0.8))
    image = (130 + 60 * waves).astype(np.uint8)
    for r in range(7):
        y, x = (r + 3) * PITCH, 2 * PITCH
        image[y + 8 : y + PITCH - 8, x : x + PITCH - 8] = (200, 40, 220)
    paint_squares(image, truth, rng.integers(10, 240, (15, 3)))
    empty, _ = seen_cells(image, lattice)
    assert (empty == (truth == 0)).all()


def test_ground_amid_squares_is_known_by_its_colour_nearby() -> None:
    """On a wallpaper some tile has the colour of another place."""
    rng = np.random.default_rng(3)
    truth = shuffled(7, 14, 14, 4)
    truth[:, 12:] = truth[:, 6:8] = truth[2:4, 0] = 0
    truth[2, 2] = 20
    image, lattice = picture(np.zeros_like(truth), ground=200)
    image[:, 9 * PITCH : 11 * PITCH] = (20, 200, 20)
    colours = rng.integers(10, 240, (21, 3))
    colours[20] = 20, 200, 20
    paint_squares(image, truth, colours)
    empty, _ = seen_cells(image, lattice)
    assert not empty[truth > 0].any()


@pytest.mark.parametrize("has_equal", [True, False])
def test_a_square_amid_squares_that_is_nearer_in_colour_to_others_is_no_ground(
    has_equal: bool,
) -> None:
    """On a wallpaper that has nearly its colour there; what it is remains a guess."""
    level = np.random.default_rng(3).integers(10, 150, (7, 10, 3)).astype(np.float32)
    inside = np.zeros(level.shape[:2], bool)
    inside[1:-1, 1:-1] = True
    bare, green = ~inside, (20, 200, 20)
    bare[:, 5] = True
    level[bare] = 200
    level[:, 5] = green
    level[3, 3] = np.add(green, 4)
    if has_equal:
        level[3, 8] = level[3, 3]
    runs_on = bare[..., None] & ground._neighbours(bare)
    none = np.zeros_like(bare)
    empty, guessed = ground._amid_squares(level, runs_on, ~none, inside)
    assert empty[3, 3] != has_equal and guessed[3, 3] == has_equal


def test_plain_tiles_amid_pictures_are_no_ground_of_another_place() -> None:
    """On a wallpaper a tile without a drawing may have the colour that shows at the other end."""
    truth = shuffled(6, 14, 12, 3)
    truth[2:4, 5:7] = truth[1:5, 12:] = 0
    dark = [(0, 1), (5, 2), (3, 7), (2, 3)]
    image, lattice = picture(truth, ground=170)
    right = image[:, 14 * PITCH + 24 :]
    right[right == 170] = 40
    paint(image, dark, 40)
    empty, _ = seen_cells(image, lattice)
    assert empty[2:4, 5:7].all()
    assert empty[1:5, 12:].all()
    assert not any(empty[cell] for cell in dark)


def test_pockets_of_a_striped_ground_are_no_tiles() -> None:
    """Moire on an empty ground: stripes that end at the tiles around, alike in all pockets."""
    truth = shuffled(7, 8, 12, 4)
    truth[2, 2] = truth[4, 5] = truth[2, 6] = truth[:, 3] = 0
    image, lattice = picture(np.zeros_like(truth), ground=200)
    image[:] = 150 + 14 * np.sin(np.arange(image.shape[0]) * np.pi / 8)[:, None, None]
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = 235
            ink = np.random.default_rng(kind).integers(90, 210, 3).tolist()
            cv2.ellipse(image, (x + 24, y + 24), (14, 5), 20 * int(kind), 0, 360, ink, -1)
    empty, _ = seen_cells(image, lattice)
    assert (empty == (truth == 0)).all()


def test_many_bare_cells_are_no_dark_drawings() -> None:
    """Tiles touch and have no frame, and the ground's colour shows nowhere else."""
    truth = shuffled(7, 12, 14, 3)
    truth[truth > 9] = 0
    image, lattice = picture(np.zeros_like(truth), ground=40)
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            image[y : y + PITCH, x : x + PITCH] = np.random.default_rng(kind).integers(60, 140, 3)
            ink = (240, 250 - 12 * int(kind), 15 * int(kind))
            cv2.ellipse(image, (x + 24, y + 24), (12, 6), 25 * int(kind), 0, 360, ink, -1)
    reading = reader.read(on_panel(image, lattice, 200), lattice)
    assert reading is not None
    bare = np.array(reading.board.cells) == 0
    assert (bare == (truth == 0)).all()
    assert (reading.certainty[bare] > 0.9).all()


def test_plain_cells_of_the_colour_that_round_corners_leave_are_empty() -> None:
    """They touch no other, tiles have no frame, and their colour shows nowhere beside the board."""
    truth = shuffled(7, 10, 14, 6)
    truth[truth == next(kind for kind in range(1, 15) if (truth == kind).sum() == 4)] = 0
    image, lattice = picture(np.zeros_like(truth), ground=200)
    for r, c in np.argwhere(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        corners = [(x + 7 + 33 * i, y + 7 + 33 * j) for i in (0, 1) for j in (0, 1)]
        for at in corners:
            cv2.circle(image, at, 7, (150, 230, 150), -1, cv2.LINE_AA)
        image[y : y + PITCH, x + 7 : x + PITCH - 7] = (150, 230, 150)
        image[y + 7 : y + PITCH - 7, x : x + PITCH] = (150, 230, 150)
        letter = chr(ord("A") + int(truth[r, c]))
        cv2.putText(image, letter, (x + 14, y + 34), 0, 1.0, (20, 20, 20), 3, cv2.LINE_AA)
    reading = reader.read(on_panel(image, lattice, 60), lattice)
    assert reading is not None
    assert ((np.array(reading.board.cells) == 0) == (truth == 0)).all()


def test_equal_pieces_of_a_frame_beside_the_board_are_no_tiles() -> None:
    """Between them its column is plain, and of one colour, as ground may be."""
    truth = shuffled(7, 10, 14, 6)
    image, lattice = picture(truth, ground=200)
    for r in (1, 2, 4):
        y, x = (r + 3) * PITCH, 2 * PITCH
        cv2.rectangle(image, (x + 12, y + 6), (x + 40, y + 30), (60, 90, 40), -1)
    (x, y), pitch = lattice.origin_xy, lattice.pitch_xy
    wider = Lattice((x - PITCH, y), pitch, 7, 11)
    reading = reader.read(image, wider)
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)


def test_what_hangs_over_from_around_the_board_is_no_pair_of_it() -> None:
    """Two equal pieces of what lies around are as like each other as a pair of tiles."""
    truth = cleared(shuffled(8, 9, 12, 3), 1)
    over = [2, 6]
    truth[0, over] = 0
    image, lattice = picture(np.zeros_like(truth), ground=150)
    for (r, c), kind in np.ndenumerate(truth):
        middle = int((c + 3.5) * PITCH), int((r + 3.5) * PITCH)
        if kind:
            cv2.circle(image, middle, PITCH // 3, (20 * int(kind), 240, 60), -1)
            cv2.circle(image, middle, PITCH // 5, (20, 40, 16 * int(kind)), -1)
    for c in over:
        cv2.circle(image, (int((c + 3.5) * PITCH), 3 * PITCH - 8), PITCH // 2, (60, 200, 240), -1)
    reading = reader.read(image, lattice)
    assert reading is not None
    assert (reading.certainty[0, over] < 0.5).all()
    assert (reading.certainty[1:] > 0.9).all()


def test_pale_drawings_without_frames_are_no_ground_where_little_of_that_is_left() -> None:
    """They run on into what lies around, and show half as much as the others do."""
    rng = np.random.default_rng(4)
    grid = 11, 14
    inside = np.zeros(grid, bool)
    inside[1:-1, 1:-1] = True
    contrast = np.full(grid, 40.0)
    pale, bare = np.zeros(grid, bool), np.zeros(grid, bool)
    pale[1:-1, 1], bare[1, 4:7] = True, True
    contrast[pale], contrast[bare] = 20, 2
    around = ~inside & (rng.random(grid) < 0.8)  # a wallpaper with drawings of its own
    contrast[around], contrast[0, 4:8] = 22, 2
    quiet = np.zeros((*grid, 4), bool)
    quiet[1:-1, 0, 1] = quiet[1:-1, 1, 3] = True
    quiet[0, 4:8, 2] = quiet[1, 4:8, 0] = True
    plain = contrast < 8
    level = np.full((*grid, 3), 90.0, np.float32)
    empty, _ = ground._amid_pictures(level, quiet, contrast, plain, plain, inside)
    assert empty[bare].all()
    assert not empty[pale].any()


@pytest.mark.parametrize("gap", (0, 2))
def test_a_pale_square_amid_dark_ones_is_made_as_they_are(gap: int) -> None:
    """Its rim has another colour, as its face has."""
    rng = np.random.default_rng(3)
    truth = cleared(shuffled(5, 10, 10, 4), 8)
    image, lattice = picture(np.zeros_like(truth))
    places = np.indices(image.shape[:2])[..., None] / PITCH
    image = (120 + 30 * np.sin(places.sum(0) * (0.3, 0.25, 0.2))).astype(np.uint8)
    colours = rng.integers(30, 110, (truth.max() + 1, 3))
    colours[truth.max()] = 230
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            side = PITCH - 2 * gap
            face = cv2.GaussianBlur(rng.normal(0, 8, (side, side, 1)), (0, 0), 1.5)[..., None]
            image[y + gap : y + gap + side, x + gap : x + gap + side] = colours[kind] + face
    reading = reader.read(image, lattice)
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty[truth == truth.max()] > 0.9).all()


def test_ground_that_runs_on_out_of_the_board_in_another_colour_is_no_stone() -> None:
    """A light behind the corner, with icons all along it outside; a stone ends on all sides."""
    truth = shuffled(8, 10, 20, 17)
    truth[truth > 17] = 0
    bare, stone = (0, 0), (3, 5)
    assert truth[bare] == truth[stone] == 0
    image, lattice = picture(truth, ground=60)
    y, x = np.indices(image.shape[:2]) / PITCH - 3
    light = 50 * np.exp(-(np.square(y + 0.5) + np.square(x + 0.5)) / 8)
    is_ground = (image == 60).all(-1)
    image[is_ground] += light[is_ground, None].astype(np.uint8)
    for r, c in ((2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (1, 2), (3, 2), (4, 2), (5, 2)):
        icon = image[r * PITCH + 12 : r * PITCH + 36, c * PITCH + 12 : c * PITCH + 36]
        icon[:] = pattern(30)[12:36, 12:36]
    paint(image, [stone], 150)
    reading = reader.read(image, lattice)
    assert reading is not None
    assert reading.certainty[bare] > 0.9 > reading.certainty[stone]


@pytest.mark.parametrize("reach", [slice(4, 6), slice(8, 10)])
def test_a_hand_over_the_board_is_not_surely_ground(reach: slice) -> None:
    """It is as plain as the ground, and runs on out of the board, but over one side or a corner."""
    hidden = np.zeros((8, 10), bool)
    hidden[4:, reach] = True
    truth = np.zeros(hidden.shape, int)
    truth[~hidden] = shuffled(8, 9, 14, 5).ravel()
    truth[truth > 12] = 0
    image, lattice = picture(truth, ground=60)
    left = (3 + reach.start) * PITCH
    right = image.shape[1] if reach.stop == 10 else left + 2 * PITCH
    image[7 * PITCH :, left:right] = 90, 120, 180
    reading = reader.read(image, lattice)
    assert reading is not None
    assert same_partition(np.array(reading.board.cells), truth)
    assert (reading.certainty[~hidden] > 0.9).all()
    assert (reading.certainty[hidden] < 0.9).all()


def test_a_cleared_corner_of_a_plate_is_no_hand() -> None:
    """A plate before a soft picture is of many colours, and ends near the board on all sides."""
    corner = [(0, 1), (1, 0), (1, 1)]
    gone = np.zeros((8, 10), bool)
    for cell in (*corner, (5, 5), (5, 6), (5, 7), (6, 6), (7, 6)):
        gone[cell] = True
    truth = np.zeros(gone.shape, int)
    truth[~gone] = shuffled(8, 9, 18, 5).ravel()
    image, lattice = picture(truth, ground=60)
    y, x = np.indices(image.shape[:2]) / PITCH
    soft = np.stack([40 + 18 * x, 60 + 8 * y, 250 - 15 * x], -1).clip(0, 255)
    on_plate = (np.abs(y - 7) < 4.5) & (np.abs(x - 8) < 5.5)
    is_ground = (image == 60).all(-1)
    soft[on_plate] /= 2
    image[is_ground] = soft[is_ground].astype(np.uint8)
    gaps = np.minimum(np.mod(x, 1), 1 - np.mod(x, 1)) ** 2
    gaps += np.minimum(np.mod(y, 1), 1 - np.mod(y, 1)) ** 2
    image[gaps < 0.12**2] = soft[gaps < 0.12**2].astype(np.uint8)  # round corners
    reading = reader.read(image, lattice)
    assert reading is not None
    kept = np.array(reading.board.cells) > 0
    assert (kept == (truth > 0)).all()
    assert all(reading.certainty[cell] > 0.9 for cell in corner)


def test_faces_that_run_together_are_no_ground_where_they_show_what_others_do() -> None:
    """Ivory tiles without gaps; the ground beside the board is green and plain."""
    inside = np.zeros((8, 12), bool)
    inside[1:-1, 1:-1] = True
    level = np.where(inside[..., None], 200, np.array([40, 90, 40])).astype(np.float32)
    quiet = np.zeros((*inside.shape, 4), bool)
    quiet[2:5, 2:5, 1] = quiet[2:5, 3:6, 3] = True
    contrast = np.where(quiet.any(2), 13.5, 14.5).astype(np.float32)
    contrast[~inside] = 2
    bare = np.zeros_like(inside)
    empty, _ = ground._amid_pictures(level, quiet, contrast, bare, bare, inside)
    assert not empty.any()
