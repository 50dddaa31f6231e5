"""Tell tiles from empty cells: what cells show, and where the ground runs on.

Cells are (R, C, CELL, CELL, 3) as `straightened` cuts them, flat where the shape is (N, …).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ar_assist.games import tiles
from ar_assist.games.link.colours import (
    EVERYWHERE,
    ONE_GROUND,
    SAME,
    Mask,
    colours_beside,
    colours_between,
    evenly_lit,
    has_colour_around,
    is_one_ground,
    levels,
    middles,
    off_colours,
    off_nearest,
)
from ar_assist.games.tiles import CELL, EDGE, NOISE, Array

PLAIN = 0.15, 0.55  # of the usual contrast: between these lies the limit of plain cells
BLEED = 2  # px of a rim into which blur carries the neighbour's frame
SEAM = EDGE + 2  # px on either side of a border between cells
QUIET = 2 * NOISE  # grey levels across a border, averaged along it: nothing ends there
FLATTER = 0.75  # of such pairs, the cell that runs on shows less than the one that doesn't: ground
USUALLY = 0.25  # quantile of what ground shows among cells that run on: drawings do too
BUSIER = 2.0  # times what ground usually shows: no ground
ENOUGH = 0.25  # of the cells have borders all around: they tell what tiles look like
NO_MORE = 1.5  # times what the ground shows, which is noise: tiles show nothing either
BY_CHANCE = 0.2  # of the tiles with pictures have a colour of the ground: it tells little
ENOUGH_OPEN, MOST_OPEN = 16, 2 / 3  # squares that run together: by chance most have not one colour
SHADED = 4  # rounds in which the light over a chequered ground is found
LIKER = 0.5  # so much nearer in colour to a square than to the ground: a square


@dataclass(frozen=True, eq=False)
class Shown:
    """What cells show, (N,) each."""

    contrast: Array  # grey levels of detail and colour
    limit: float  # the contrast below which there is no picture
    plain: Mask  # they show none
    faint: Mask  # they show none in the middle, where no neighbour's shadow reaches
    apart: Array  # contrast; of those without a picture in the middle, where they show least: what
    # hangs in covers a side, or two that meet
    quiet: Mask  # (N, 4) they run on into their neighbour: above, right, below, left
    runs_into_ground: Mask  # they run on into ground or out of the board
    beside: Mask  # their middle has a colour that shows right beside the board or between tiles
    empty: Mask  # they are ground
    guessed: Mask  # they may be, or are by their colour alone, which tiles have too, or in spite of
    # what shows
    chequered: Mask  # plain, and of the shade that every second cell of the board has
    is_plain: bool  # the ground is, and of one colour: in the board, or around one that is full


def shown(cells: Array, inside: Mask) -> Shown:
    """What (R, C, CELL, CELL, 3) cells show; (N,) `inside` the board."""
    flat, grid = cells.reshape(-1, CELL, CELL, 3), cells.shape[:2]
    contrast, middle = contrasts(tiles.face(flat)), contrasts(middles(flat))
    (quiet, sloping), board = _quiet_seams(cells), inside.reshape(grid)
    of_squares = _are_squares(quiet, middle.reshape(grid), board)
    if of_squares:
        contrast = middle  # blur lets their sides into the face
    least = NOISE if of_squares else _noise(contrast.reshape(grid), quiet)
    limit = _plain_limit(contrast[inside], least)
    plain, beside = contrast < limit, has_colour_around(cells)
    level = levels(cells)
    quiet = quiet | (sloping & (plain.reshape(*grid, 1) | _neighbours(plain.reshape(grid))))
    if of_squares:
        empty, guessed = _amid_squares(level, quiet, plain.reshape(grid), board)
    else:
        shows = contrast.reshape(grid), plain.reshape(grid), beside.reshape(grid)
        empty, guessed = _amid_pictures(level, quiet, *shows, board)
    guessed = guessed | _may_hold_pale(middle.reshape(grid), empty, quiet, board)
    bare = empty & board
    guessed = guessed | _may_lie_over(cells, level, quiet, bare)
    faint = plain | (middle < limit)
    chequered = _chequered(level, plain.reshape(grid) & board).ravel()
    apart, hung = contrast.copy(), faint & ~plain
    if hung.any():
        apart[hung] = _least_corner(flat[hung])
    return Shown(
        contrast=contrast,
        limit=limit,
        plain=plain,
        faint=faint,
        apart=apart,
        quiet=quiet.reshape(-1, 4),
        runs_into_ground=(quiet & _neighbours(empty | ~board)).any(2).ravel(),
        beside=beside,
        empty=empty.ravel(),
        guessed=guessed.ravel(),
        chequered=chequered,
        is_plain=_is_plain(level, bare if bare.any() else ~board, plain),
    )


def _is_plain(level: Array, bare: Mask, plain: Mask) -> bool:
    """Whether the `bare` ones of (R, C) cells are (N,) `plain` and of one colour."""
    colours, all_plain = level[bare], bool(plain[bare.ravel()].all())
    return all_plain and len(colours) > 1 and is_one_ground(colours)


def _may_hold_pale(middle: Array, empty: Mask, quiet: Mask, board: Mask) -> Mask:
    """(R, C) `empty` cells that may be pale pictures on faces that run together.

    They show far more in their `middle` (R, C), where nothing hangs in, than what runs on around
    the board does; and nothing runs out of it but such cells, which may be pictures as well.
    """
    around = middle[quiet.any(2) & ~board]
    if not len(around):
        return np.zeros_like(empty)
    busier = middle > BUSIER * np.quantile(around, USUALLY) + NOISE / 2
    pale: Mask = busier & empty & board
    return pale & ~_running(quiet, empty & ~pale, board)[1].any()


def _may_lie_over(cells: Array, level: Array, quiet: Mask, bare: Mask) -> Mask:
    """(R, C) `bare` cells of the board that a hand may show, which comes in over one side or two
    that meet, and what has its colour.

    Ground goes on behind the tiles from one side to the other, or shows between those near, or is a
    large part of the board. `level` (R, C, 3) is the mean colour of each.
    """
    over, ground = np.zeros_like(bare), np.zeros_like(bare)
    part = _parts(quiet, bare)
    sides, between = colours_beside(cells), colours_between(cells)
    large = ENOUGH * (bare.shape[0] - 2) * (bare.shape[1] - 2)
    for number in np.unique(part[bare]):
        some = part == number
        shows = [bool((off_colours(level[some], side) < SAME).any()) for side in sides]
        above, below, left, right = shows
        goes_on = (above and below) or (left and right)
        near = between[_meet_near(some)]
        is_between = len(near) > 0 and bool((off_colours(near, level[some]) < SAME).mean() > 0.5)
        if goes_on or is_between or some.sum() >= large:
            ground |= some
            continue
        comes_in = 0 < sum(shows) <= some.sum()  # a corner cell lies at two sides by itself
        if comes_in and any(_ends_beside(side, level[some]) for side in sides):
            over |= some
    if not over.any():
        return over
    return over | (bare & ~ground & (off_colours(level, level[over]) < SAME))


def _meet_near(some: Mask) -> Mask:
    """(R - 3, C - 3) where cells of the board meet near some of (R, C), but none of these."""
    touched = some[:-1, :-1] | some[:-1, 1:] | some[1:, :-1] | some[1:, 1:]
    near: Mask = (ndimage.binary_dilation(touched, np.ones((3, 3), bool)) & ~touched)[1:-1, 1:-1]
    return near


def _ends_beside(side: Array, colours: Array) -> bool:
    """Whether some of the (N, 3) colours show on a side (K, 3) of the board and end there within
    two cells, where light and sky change less: one cell may be half covered."""
    shows = off_colours(side, colours) < SAME
    steps = np.linalg.norm(side[2:] - side[:-2], axis=-1)
    return bool((steps[shows[2:] != shows[:-2]] > ONE_GROUND).any())


def _chequered(level: Array, plain: Mask) -> Mask:
    """(R, C) the plain cells that are a ground of two shades which take turns; none, if it is none.

    Of n cells of two colours all go by the diagonals once in 2 ^ (n - 1). `level` (R, C, 3) is the
    mean colour of each, and light may fall off over them.
    """
    row, col = np.indices(plain.shape)
    odd = (row + col) % 2 == 1
    shades = [plain & odd, plain & ~odd]
    if min(some.sum() for some in shades) < ENOUGH_OPEN / 2:
        return np.zeros_like(plain)
    usual = np.where(odd[..., None], *(np.median(level[some], axis=0) for some in shades))
    step = usual[0, 1] - usual[0, 0]
    terms = np.stack([np.ones(plain.shape), row, col, odd], -1)
    for _ in range(SHADED):  # from amid the board outward; other plain cells must not decide
        fits = plain & (np.linalg.norm(level - usual, axis=-1) < np.linalg.norm(step) / 2)
        found = np.linalg.lstsq(terms[fits], level[fits], rcond=None)[0]
        usual, step = terms @ found, found[-1]
    return fits if fits.sum() > EVERYWHERE * plain.sum() else np.zeros_like(plain)


def contrasts(faces: Array) -> Array:
    """(N,) grey levels of detail and colour that each face (N, H, H, 3) shows."""
    grey, colour = tiles.opponent(faces)
    of_grey = tiles.spread(tiles.detail(grey)[..., None])[:, 0]
    contrast: Array = np.hypot(of_grey, tiles.spread(_level_out(colour)).max(1))
    return contrast


def _level_out(planes: Array) -> Array:
    """(N, H, H, K) pictures less their slopes: the colour of a ground may change across a cell."""
    n, side, _, k = planes.shape
    x = np.linspace(-1, 1, side, dtype=np.float32)
    x /= np.sqrt((x**2).sum() * side)  # of length 1 over the picture
    slopes = np.stack(np.broadcast_arrays(x, x[:, None])).reshape(2, -1)
    flat = planes.reshape(n, -1, k)
    level = flat - slopes.T @ (slopes @ flat)
    return np.asarray(level.reshape(planes.shape), np.float32)


def _least_corner(cells: Array) -> Array:
    """(N,) contrast of faces (N, CELL, CELL, 3) without the two sides that leave least."""
    ends = slice(EDGE, -CELL // 4), slice(CELL // 4, -EDGE)
    corners = [contrasts(cells[:, y, x]) for y in ends for x in ends]
    least: Array = np.min(corners, axis=0)
    return least


def _noise(contrast: Array, quiet: Mask) -> float:
    """Contrast that is none: of (R, C) cells that run on, those that show least.

    Half of NOISE at least: antialiasing and JPEG leave as much in the cells of a drawing. NOISE at
    most: ground may be a picture itself.
    """
    open_ = quiet.any(2)
    least = NO_MORE * float(np.quantile(contrast[open_], USUALLY)) if open_.any() else NOISE
    return float(np.clip(least, NOISE / 2, NOISE))


def _plain_limit(contrast: Array, least: float) -> float:
    """The contrast below which cells show no picture: the widest gap under the usual contrast."""
    busy = contrast[contrast > 2 * least]
    if not len(busy):
        return 2 * least
    low, high = (share * float(np.median(busy)) for share in PLAIN)
    between = contrast[(contrast > low) & (contrast < high)]
    steps = np.sort(np.concatenate([[low], between, [high]]))
    widest = int(np.argmax(steps[1:] / steps[:-1]))
    return max(float(np.sqrt(steps[widest] * steps[widest + 1])), least)


def seams(cells: Array) -> tuple[Array, Array]:
    """(R, C - 1, K, 3) and (R - 1, C, K, 3): what cells show across their borders, SEAM px on
    either side, to the right and downward; means along the border."""
    inner = slice(EDGE, -EDGE)
    beside = [cells[:, :-1, inner, -SEAM:], cells[:, 1:, inner, :SEAM]]
    below = [cells[:-1, :, -SEAM:, inner], cells[1:, :, :SEAM, inner]]
    return np.concatenate(beside, 3).mean(2), np.concatenate(below, 2).mean(3)


def _quiet_seams(cells: Array) -> tuple[Mask, Mask]:
    """(R, C, 4) where a cell runs on into its neighbour: above, right, below, left; and where it
    does but for a slope, as a ground has that changes from place to place, and blurred drawings."""
    across, down = seams(cells)
    # What is left of a slope that ends nowhere is noise, for a step keeps its height.
    return _by_side(across, down, QUIET), _by_side(_less_slope(across), _less_slope(down), NOISE)


def _by_side(across: Array, down: Array, limit: float) -> Mask:
    """(R, C, 4) where profiles across borders, (R, C - 1, K, 3) and (R - 1, C, K, 3), change by
    less."""
    quiet = np.zeros((*across.shape[:1], *down.shape[1:2], 4), bool)
    quiet[:, :-1, 1] = quiet[:, 1:, 3] = np.ptp(across, 2).max(-1) < limit
    quiet[:-1, :, 2] = quiet[1:, :, 0] = np.ptp(down, 2).max(-1) < limit
    return quiet


def _less_slope(profiles: Array) -> Array:
    """(R, C, K, 3) less the straight line through each (least squares): a step is as high after
    it as before, and a slope is gone."""
    x = np.linspace(-1, 1, profiles.shape[2], dtype=np.float32)
    slope = np.einsum("rcik,i->rck", profiles, x) / (x @ x)
    level: Array = profiles - slope[:, :, None] * x[:, None]
    return level


def _neighbours(some: Mask) -> Mask:
    """(R, C, 4) whether a cell's neighbour above, right, below, left is one of (R, C)."""
    around = np.pad(some, 1)
    sides = around[:-2, 1:-1], around[1:-1, 2:], around[2:, 1:-1], around[1:-1, :-2]
    return np.stack(sides, -1)


def overhanging(cells: Array, alike: Mask, tile: Mask) -> Mask:
    """(N,) `tile` cells at the border of the board whose picture runs on out of it, and those of
    all their mates too: pieces of what lies around. The outer of (R, C, CELL, CELL, 3) cells do.

    On that side the picture is unlike the cell's other sides: more so than what lies beyond, and
    than most tiles are there, for these may have a thick or shaded side. Mates are `alike` (N, N).
    """
    grid = cells.shape[:2]
    border = np.ones(grid, bool)
    border[2:-2, 2:-2] = False
    some = tile & border.ravel()
    if not (some & ~np.any(alike[:, ~some], axis=1)).any():
        return np.zeros_like(tile)
    over = np.zeros(grid, bool)
    for turn in range(4):
        turned = np.rot90(np.rot90(cells, turn, (0, 1)), turn, (2, 3))
        unlike, usual = (
            _unlike_at_top(of) for of in (turned[1], turned[np.rot90(tile.reshape(grid), turn)])
        )
        step = np.abs(turned[1, :, :BLEED] - turned[0, :, -BLEED:]).mean((1, 2, 3))
        least = max(QUIET, 2 * float(np.median(usual)))
        np.rot90(over, turn)[1] |= (unlike > least) & (step < unlike / 2)
    hangs: Mask = tile & over.ravel()
    hangs &= ~np.any(alike[:, ~hangs], axis=1)
    return hangs


def _unlike_at_top(cells: Array) -> Array:
    """(N,) grey levels between the upper side of cells (N, CELL, CELL, 3) and what the others
    show."""
    others = cells[:, -BLEED:], cells[:, :, :BLEED], cells[:, :, -BLEED:]
    shown_there = np.concatenate([side.reshape(len(cells), -1, 3) for side in others], 1)
    usual = np.median(shown_there, 1)[:, None, None]
    apart: Array = np.abs(cells[:, :BLEED] - usual).mean((1, 2, 3))
    return apart


def _are_squares(quiet: Mask, middle: Array, inside: Mask) -> bool:
    """Whether tiles are squares of plain colour, by the contrast (R, C) of their middles."""
    open_ = quiet.any(2)
    bordered = inside & ~open_
    if bordered.sum() < ENOUGH * inside.sum():
        return False
    noise = float(np.quantile(middle[open_], USUALLY)) if open_.any() else 0.0
    return bool(np.median(middle[bordered]) < max(NOISE, NO_MORE * noise))


def _amid_squares(level: Array, quiet: Mask, plain: Mask, inside: Mask) -> tuple[Mask, Mask]:
    """(R, C) cells of ground amid squares of plain colour, and which of them are guessed.

    Ground runs on from cell to cell, without a border between them. Equal squares may run together
    too, but not most be of one colour, nor out of the board. A cell enclosed by squares is ground
    where it has the colour of ground; beside ground it would run on into it. One that has rather
    the colour of a square may be that. What the cells around the board show further out is no
    matter. `level` (R, C, 3) is the mean colour of each.
    """
    runs_on, runs_out = _running(quiet, plain | ~inside, inside)
    level = evenly_lit(level, runs_out & inside)
    open_ = runs_on & inside
    panel = _of_most(level, open_)
    tells = bool(panel.any()) or is_one_ground(level[quiet.any(2) & inside])
    known = runs_out
    if not runs_out.any() and tells:
        known = panel if panel.any() else runs_on
    if not known.any():
        return known, known
    known = known | (runs_on & (off_colours(level, level[known]) < SAME))
    square = plain & ~known & (tells & inside & ndimage.binary_dilation(known))
    off = off_nearest(level, known)
    near, others = off < SAME / 2, plain & inside & ~known
    rather = others & near & _are_nearer(level, off, others & ~near)
    empty, guessed = _with_guesses(known, plain & ~square & ~rather, near, inside & ~plain)
    return empty, guessed | rather


def _are_nearer(level: Array, off: Array, squares: Mask) -> Mask:
    """(R, C) cells that are by far nearer in colour to some of the squares than `off`, (R, C)."""
    if not squares.any():
        return squares
    nearer: Mask = off_colours(level, level[squares]) < LIKER * off
    return nearer


def _of_most(level: Array, open_: Mask) -> Mask:
    """(R, C) the `open_` cells of the colour that most of them have; none, where they are few.

    A panel with a border of its own runs on within the board alone, and so do some equal squares.
    """
    if open_.sum() < ENOUGH_OPEN:
        return np.zeros_like(open_)
    usual = np.median(level[open_], axis=0)[None]
    near: Mask = open_ & (off_colours(level, usual) < SAME)
    return near if near.sum() > MOST_OPEN * open_.sum() else np.zeros_like(near)


def _amid_pictures(
    level: Array, quiet: Mask, contrast: Array, plain: Mask, beside: Mask, inside: Mask
) -> tuple[Mask, Mask]:
    """(R, C) cells of ground amid tiles that show pictures, and which of them are guessed.

    Ground runs on from cell to cell. It may be a picture itself where it runs out of the board and
    shows less than tiles do, which have borders all around; and not much more than it does around
    the board, for small pictures have no borders either. A cell between tiles that shows no more
    than ground does is ground where it has the colour of the ground nearby.
    """
    open_ = quiet.any(2)
    inner, bordered = contrast[open_ & inside], contrast[~open_ & inside]
    smooth, even = np.zeros_like(plain), plain
    if _is_flatter(inner, bordered):
        # Drawings without frames run on as well, in the board and around it.
        around = contrast[_runs_in(quiet)]
        usual = min(np.quantile(some, USUALLY) for some in (inner, around) if len(some))
        if BUSIER * usual < np.median(bordered):  # else what runs on are tiles like the others
            smooth = open_ & (contrast < BUSIER * usual + NOISE)
            even = plain | (open_ & (contrast < NO_MORE * usual))  # in a dark room ground is noisy
    runs_on, runs_out = _running(quiet, plain | smooth, inside)
    islands = runs_on & even
    sure = islands & beside & inside
    if sure.any() and (not runs_out.any() or _is_plain(level, runs_out & inside, even.ravel())):
        islands &= off_colours(level, level[sure]) < ONE_GROUND  # others are blank tiles that touch
    known = runs_out | islands
    if not known.any():
        return known, known
    flat = plain | (contrast < NO_MORE * _usual(contrast[known & inside]))  # moire
    return _with_guesses(known, flat, off_nearest(level, known) < SAME, inside & ~flat)


def _usual(contrast: Array) -> float:
    return float(np.median(contrast)) if len(contrast) else 0.0


def _with_guesses(known: Mask, flat: Mask, near: Mask, pictures: Mask) -> tuple[Mask, Mask]:
    """(R, C) known ground and cells as flat `near` it in colour; and which of them are guessed.

    These are, where many cells with `pictures` are as near by chance.
    """
    by_colour = flat & near & ~known
    tells_little = near[pictures].sum() > BY_CHANCE * pictures.sum()
    return known | by_colour, by_colour & tells_little


def _runs_in(quiet: Mask) -> Mask:
    """(R, C) cells around the board, the outer ones, that run on into it."""
    into = np.zeros(quiet.shape[:2], bool)
    into[0, 1:-1], into[-1, 1:-1] = quiet[0, 1:-1, 2], quiet[-1, 1:-1, 0]
    into[1:-1, 0], into[1:-1, -1] = quiet[1:-1, 0, 1], quiet[1:-1, -1, 3]
    return into


def _is_flatter(open_: Array, bordered: Array) -> bool:
    """Whether cells that run on into others show less than those with borders all around."""
    if not len(open_) or len(bordered) < ENOUGH * (len(open_) + len(bordered)):
        return False
    return bool((open_[:, None] < bordered).mean() > FLATTER)


def _running(quiet: Mask, some: Mask, inside: Mask) -> tuple[Mask, Mask]:
    """(R, C) which of some cells run on into another, and of these, out of the board."""
    part = _parts(quiet, some)
    runs_on = np.bincount(part.ravel())[part] > 1
    return runs_on, runs_on & np.isin(part, np.intersect1d(part[~inside], part[inside]))


def _parts(quiet: Mask, some: Mask) -> NDArray[np.int32]:
    """(R, C) numbers of the parts that some cells make which run on into each other."""
    index = np.arange(some.size).reshape(some.shape)
    beside = quiet[:, :-1, 1] & some[:, :-1] & some[:, 1:]
    below = quiet[:-1, :, 2] & some[:-1] & some[1:]
    links = (
        np.concatenate([index[:, :-1][beside], index[:-1][below]]),
        np.concatenate([index[:, 1:][beside], index[1:][below]]),
    )
    graph = coo_array((np.ones(len(links[0])), links), (some.size, some.size))
    part: NDArray[np.int32] = connected_components(graph, directed=False)[1].reshape(some.shape)
    return part
