"""Where the cells of a grown lattice begin, which way its rows run, and how far it reaches.

A lattice vector says nothing of where a cell starts. Two facts do: what cells share (gaps, frames,
grid lines) lies on their borders, so that the variance *across* cells is least there; and a cell
that is cut in the right place has equals elsewhere on a board of equal tiles, while one that is cut
through the middle is made of two neighbours and has none.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from ar_assist.find.lattice import Box, Fit, Maps, Mask, bends_little, completed, rectified
from ar_assist.find.period import strongest_channel
from ar_assist.registration import MIN_BETWEEN, between_others
from ar_assist.types import Homography, Image

CELL_PX = 24  # side of a cell here: a pixel is 4 % of a tile, sub-pixel fits do the rest
HALF_PX = CELL_PX // 2  # the same where contents are compared: detail enough
RIM_PX = 1  # of such a cell, left out: frames and gaps are on all
COMPARED = 150  # cells compared with each other: pairs enough, and quick
MIN_FILL = 0.8  # of the best basis' fill: others may be the board's own down to this
PHASES = np.arange(0, CELL_PX, 0.25)  # px of CELL_PX: where cells may begin
PLACED = 1 / 6  # of a cell: it begins no further from where a rough lattice tells
NEARBY = 0.03  # of a cell: the middle of a border is no further from where it is strongest
SHIFTS = ((PHASES + 0.5) / CELL_PX + 0.5) % 1 - 0.5  # cells: of one that begins at a phase
PHASE_STEP_PX = 2  # of HALF_PX, a sixth of a cell: contents agree over a quarter
EQUALS = 0.5  # per e-fold of the contents' distance, against one of edges or variance
SYMMETRY = (2.0, 1.0, 0.5)  # worth of that of edges, level and variance; sprites hide the latter
PHASE_CELLS = 80  # cells compared at each phase: enough to hold equals
AS_ALIKE = 0.9  # of what half as large cells have, of content or score: chance may take the rest
ALTERNATING, CLEARLY = 3.0, 8.0  # times what chance makes of the difference of two means
STRAY = 0.05  # of the cells are no tiles though they look like them
MIN_SURROUNDED = 16  # cells: fewer hold too few equals
NOISE = 0.02  # of the mean distance or variance: equal cells differ by no less
NO_EDGE = 0.01  # of the mean strength
NO_VARIANCE = 0.05  # of the mean: a plain face has less in a clean picture, and is no border for it

SHEARS = [
    np.array([[1, x, 0], [y, 1, 0], [0, 0, 1]], np.float64)
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
]
QUINCUNX = np.array([[1, -1, 0], [1, 1, 0], [0, 0, 1]], np.float64)  # its cells: every other one


def settle(image: Image, fit: Fit) -> Fit | None:
    """The same lattice with cell borders on integer grid units and its box around the board."""
    settled = _settled(image, fit)
    if settled is None:
        return None
    *along, of_diagonals = _alternations(image, settled)
    for limit, as_alike in ((CLEARLY, 0.0), (ALTERNATING, AS_ALIKE)):
        cells = np.where(np.array(along) > limit, 2.0, 1.0)  # that make one, along x and y
        if (cells == 1).all():
            continue
        joined = _settled(image, _rebased(settled, np.diag([*cells, 1.0])))
        if joined is None and (cells == 1).any():  # too thin for a tile: these are quarters of one
            joined = _settled(image, _rebased(settled, np.diag([2.0, 2.0, 1.0])))
            as_alike = AS_ALIKE
        # Halves have equals, and whole tiles too, but not two tiles that are taken for one.
        if joined and joined.content >= as_alike * settled.content:
            return joined
    if of_diagonals > ALTERNATING:
        joined = settle(image, _rebased(settled, QUINCUNX))
        # Tiles on faces of two tones alternate too; but then these cells fill half of their box.
        if joined and joined.score >= AS_ALIKE * settled.score:
            return joined
    return settled


def parted(image: Image, fit: Fit) -> Fit | None:
    """The lattice with cells of half the width or height, where those that there are hold two tiles
    each: of tiles that touch, pairs may be outlined as one.

    Halves of a tile alternate, for its frame or gap is on one side of either. And two tiles that
    are taken for one have no equals, but each of them has: the rule of `settle`, the other way.
    Of a few drawings neither tells, and their halves make no lattice that is as likely.
    """
    finer = (_in_two(fit, across) for across in (True, False))
    likely = [f for n, f in enumerate(finer) if _alternations(image, f)[n] < ALTERNATING]
    halves = filter(None, (measured(image, half) for half in likely))
    have_equals = (half for half in halves if fit.content < AS_ALIKE * half.content)
    best = max(have_equals, key=lambda half: half.score, default=fit)
    return best if best.score > fit.score else None


def _in_two(fit: Fit, across: bool) -> Fit:
    """The same cells, each cut in two beside or above each other."""
    wide, high = (2, 1) if across else (1, 2)
    box = fit.box
    cut = Box(wide * box.x, high * box.y, wide * box.cols, high * box.rows)
    frame_from_grid = fit.frame_from_grid @ np.diag([1 / wide, 1 / high, 1.0])
    support = fit.support.repeat(wide, axis=1).repeat(high, axis=0)
    return replace(fit, frame_from_grid=frame_from_grid, box=cut, support=support, bend=None)


def _settled(image: Image, fit: Fit) -> Fit | None:
    bases = _bases(fit)
    least = _least_fill(bases)
    settled = begun(image, _shortest([b for b in bases if b.support.mean() >= least]))
    if settled is None:
        return None
    # Cells that looked like the board's until its own were known may have chosen the basis; and a
    # board that is half cleared may fill several, and a diagonal's better than its own. Cut askew,
    # cells hold pieces of their neighbours: they are less alike in frame and in content, fill less
    # and are longer. Each may mislead.
    _, *askew = bases = _bases(settled)
    least, side = _least_fill(bases), _length(settled)
    likely = (b for b in askew if b.support.mean() >= least or _length(b) < side)
    others = filter(None, (begun(image, basis) for basis in likely))
    better = (basis for basis in others if _is_likelier(basis, settled))
    best = max(better, key=lambda basis: basis.likeness * basis.content, default=settled)
    # Where cells begin was told by the few that were known first: now all are.
    x, y = _beginning(image, best)
    anew = measured(image, best.moved(x, y)) if max(abs(x), abs(y)) > PLACED else None
    return anew if anew and anew.score > best.score else best


def begun(image: Image, fit: Fit) -> Fit | None:
    """The same lattice with cells that begin where tiles do."""
    return measured(image, fit.moved(*_beginning(image, fit)))


def _beginning(image: Image, fit: Fit) -> tuple[float, float]:
    """Where cells begin along x and y, of a cell."""
    # Sample i of a profile is a pixel centre, (i + ½) / CELL_PX of a cell.
    x, y = (_phase(_smooth(image, fit), fit) + 0.5) / CELL_PX
    return float(x), float(y)


def measured(image: Image, fit: Fit) -> Fit | None:
    """A lattice whose cells begin right: completed, and its content compared."""
    final = completed(image, fit)
    return None if final is None else compared(image, final)


def compared(image: Image, fit: Fit) -> Fit:
    """A lattice with its cells' content compared, without a slight bend: it hardly moves content,
    and may be one basis' and not another's between which content decides."""
    seen = replace(fit, bend=None) if bends_little(fit) else fit
    return replace(fit, content=_content(image, seen))


def placed(image: Image, fit: Fit) -> Fit:
    """A lattice that is complete, its cells moved by a part of one to where their borders are.

    Where they begin was told when only its beginning was known, and no better than that fitted.
    """
    x, y = (_begins(*profiles) for profiles in _profiles(_smooth(image, fit), fit))
    return fit.moved(x, y)


def _begins(variance: Profile, edges: Profile, level: Profile) -> float:
    """Where cells begin along an axis, cells from where they were thought to: near the likeliest
    place, which is told to a pixel by strength, where a border is most symmetric."""
    asymmetry = _asymmetry(variance, edges, level)
    odds = _border(variance, edges) - asymmetry
    likeliest = SHIFTS[np.where(np.abs(SHIFTS) < PLACED, odds, -np.inf).argmax()]
    near = np.abs(SHIFTS - likeliest) < NEARBY
    return float(SHIFTS[np.where(near, asymmetry, np.inf).argmin()])


def _smooth(image: Image, fit: Fit) -> Maps:
    """The box's cells with a margin of one, noise and moire smoothed."""
    picture = rectified(image, fit.frame_from_grid, fit.box.grown(1), CELL_PX, fit.bend)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.float32)


def _alternations(image: Image, fit: Fit) -> list[float]:
    """How clearly cells alternate along x, along y and from diagonal to diagonal, times what chance
    makes of it.

    At half a tile's pitch left and right halves alternate, and where middles of tiles and corners
    between them make a lattice these do, so that the mean of all even cells differs from that of
    all odd ones by more than chance makes of it (an F test). Cells at either end have no say: where
    the cut is a little off they hold a piece of the ground. Where all that look like a cell lie on
    every second line, those between show something else.
    """
    cells = _cut(_smooth(image, fit), fit.box)
    row, col = np.asarray(np.indices(fit.support.shape))
    amid_row, amid_col = (_amid(fit.support, axis) for axis in (1, 0))
    lines = (col, amid_row), (row, amid_col), (row + col, amid_row & amid_col)
    return [
        CLEARLY if _is_every_second(line[fit.support]) else _alternation(cells, line, amid)
        for line, amid in lines
    ]


def _is_every_second(lines: NDArray[np.intp]) -> bool:
    """Whether (N,) cells lie on lines of one parity alone."""
    odd = (lines % 2).mean()
    return bool(len(lines) >= MIN_BETWEEN and min(odd, 1 - odd) <= STRAY)


def _amid(support: Mask, axis: int) -> Mask:
    """(R, C) the supporting cells that have others before and behind them along an axis."""
    before = np.cumsum(support, axis=axis)
    amid: Mask = support & (before > 1) & (before < before.max(axis=axis, keepdims=True))
    return amid


def _alternation(cells: Maps, line: NDArray[np.intp], chosen: Mask) -> float:
    """Squared difference of the means of `chosen` (R, C, ...) cells on even and on odd ones of
    numbered lines (R, C), over chance.

    Chance is what the spread of the cells explains, or that of whole lines, for light falls off.
    """
    apart, chance = np.zeros(cells.shape[2:]), 1e-6
    for parity in (0, 1):
        lines = [cells[chosen & (line == n)] for n in range(parity, int(line.max()) + 1, 2)]
        lines = [some for some in lines if len(some)]
        some = np.concatenate(lines) if lines else cells[:0, 0]
        if len(lines) < 2 or len(some) < 3:
            return 0.0
        means = np.stack([of_line.mean(axis=0) for of_line in lines])
        spread = (
            some.var(axis=0).sum() / (len(some) - 1),
            means.var(axis=0).sum() / (len(lines) - 1),
        )
        apart = some.mean(axis=0) - apart
        chance += float(max(spread))
    return float((apart**2).sum()) / chance


def _bases(fit: Fit) -> list[Fit]:
    """The bases that a tilted view leaves open, its own first: seen from 60 degrees a square's
    diagonal may look shorter than its side."""
    return [fit, *(_rebased(fit, shear) for shear in SHEARS)]


def _least_fill(bases: list[Fit]) -> float:
    """What the board's own fills of its box, usually: a rectangular board under a sheared basis is
    a parallelogram, which fills little of it."""
    return MIN_FILL * float(max(basis.support.mean() for basis in bases))


def _is_likelier(fit: Fit, than: Fit) -> bool:
    """Whether cells are more alike in frame and in content, and fill more or have shorter sides."""
    more_alike = fit.likeness > than.likeness and fit.content > than.content
    return more_alike and (fit.support.mean() > than.support.mean() or _length(fit) < _length(than))


def _shortest(bases: list[Fit]) -> Fit:
    """The reduced basis (Lagrange and Gauss): it is likelier that the view is less tilted."""
    return min(bases, key=_length)


def _length(basis: Fit) -> float:
    return float((basis.sides**2).sum())


def _rebased(fit: Fit, basis: Homography) -> Fit:
    """The same nodes under another basis."""
    grid = fit.box.centres()[fit.support]
    # Centres go to centres: without the half the floor would depend on rounding.
    nodes = np.rint((grid - 0.5) @ np.linalg.inv(basis)[:2, :2].T).astype(int)
    low, high = nodes.min(axis=0), nodes.max(axis=0) + 1
    support = np.zeros((high - low)[::-1], bool)
    support[nodes[:, 1] - low[1], nodes[:, 0] - low[0]] = True
    box = Box(int(low[0]), int(low[1]), support.shape[1], support.shape[0])
    frame_from_grid = fit.frame_from_grid @ basis
    return replace(fit, frame_from_grid=frame_from_grid, box=box, support=support, bend=None)


def _phase(smooth: Maps, fit: Fit) -> NDArray[np.float64]:
    """(2,) where cells begin, px of -CELL_PX / 2 … CELL_PX / 2 along x and y.

    Where the sum of what all evidence says is highest: none of it is right on every board. How far
    equals are apart is measured by the same at all phases: cut through the middle, cells beside
    the ground are half of it, differ the most from others, and would make equals of all the rest.
    """
    along_x, along_y = (_border(*p[:2]) - _asymmetry(*p) for p in _profiles(smooth, fit))
    small = _halved(smooth)
    where = np.argwhere(_surrounded(fit.support))
    few = where[:: max(1, len(where) // PHASE_CELLS)]
    steps = [*range(0, HALF_PX // 2, PHASE_STEP_PX), *range(-HALF_PX // 2, 0, PHASE_STEP_PX)]
    phases = np.stack(np.meshgrid(steps, steps), axis=-1)
    nearest, usual = _distances(_contents(small, few, phases))
    distance = nearest / (usual.mean() + 1e-6)
    at = np.meshgrid(*2 * [PHASES / PHASE_STEP_PX / 2], indexing="ij")
    content = ndimage.map_coordinates(np.log(distance + NOISE), at, order=1, mode="grid-wrap")
    odds = along_y[:, None] + along_x - EQUALS * content
    y, x = np.unravel_index(int(odds.argmax()), odds.shape)
    return np.asarray((PHASES[[x, y]] + HALF_PX) % CELL_PX - HALF_PX)


Profile = NDArray[np.float64]  # (CELL_PX,) by position in the mean cell


def _profiles(smooth: Maps, fit: Fit) -> list[tuple[Profile, Profile, Profile]]:
    """Along x and along y: variance across cells, strength of edges, mean level."""
    cells = _cut(smooth, fit.box)
    profiles = []
    for axis, step in enumerate(((1, 0), (0, 1))):
        chosen = between_others(fit.support, 1 - axis)
        variance, level = _variance(cells, chosen), cells[chosen].mean(axis=(0, 3))
        strength = strongest_channel(np.abs(cv2.Scharr(smooth, cv2.CV_32F, *step)))[..., None]
        edges = _cut(strength, fit.box)[chosen].mean(axis=0)[..., 0]
        profiles.append((variance.mean(axis), edges.mean(axis), level.mean(axis)))
    return profiles


def _variance(cells: Maps, support: Mask) -> Maps:
    """(CELL_PX, CELL_PX) across (R, C, CELL_PX, CELL_PX, 3) cells, by how neighbours differ (von
    Neumann 1941): light that changes slowly over the board is none of it.
    """
    rows = zip(cells, support, strict=True)
    cols = zip(cells.swapaxes(0, 1), support.T, strict=True)
    steps = np.concatenate([np.diff(line[some], axis=0) for line, some in (*rows, *cols)])
    if not len(steps):  # no two cells share a line
        steps = np.diff(cells[support], axis=0)
    variance: Maps = (steps**2).mean(axis=0).sum(axis=-1) / 2
    return variance


def _cut(picture: Maps, box: Box) -> Maps:
    """(rows, cols, CELL_PX, CELL_PX, C): cells of a picture of the box with a margin of one."""
    inner = picture[CELL_PX:-CELL_PX, CELL_PX:-CELL_PX]
    cells: Maps = inner.reshape(box.rows, CELL_PX, box.cols, CELL_PX, -1).transpose(0, 2, 1, 3, 4)
    return cells


def _border(variance: Profile, edges: Profile) -> NDArray[np.float64]:
    """At all PHASES: how like a border of cells.

    On a border little differs from cell to cell and the edges that all share are strong (compared
    as ratios: whichever of the two has the contrast decides).
    """
    lines, differ = (
        np.log(_softened(p / (p.mean() + 1e-6)) + least)
        for p, least in ((edges, NO_EDGE), (variance, NO_VARIANCE))
    )
    at = np.arange(CELL_PX)
    return np.asarray(np.interp(PHASES, at, lines - differ, period=CELL_PX), np.float64)


def _softened(profile: Profile) -> Profile:
    """Over a pixel to either side: no line is thinner."""
    soft: Profile = (np.roll(profile, 1) + 2 * profile + np.roll(profile, -1)) / 4
    return soft


def _asymmetry(variance: Profile, edges: Profile, level: Profile) -> NDArray[np.float64]:
    """At all PHASES: how unlike its mirror image each profile is there, for gaps are symmetric.

    A gap's middle is found so even where the variance is flat along the whole gap. Between tiles
    with a thick or shaded side it is the variance that is symmetric, not the level (its logarithm:
    what is drawn beside the gap does not matter). Roots of squares, so that a profile which is
    symmetric nowhere does not outvote the others.
    """
    reach = np.arange(0.25, CELL_PX / 2, 0.25)
    cost = np.zeros(len(PHASES))
    spread = np.log(variance / (variance.mean() + 1e-6) + NOISE)
    for values, worth in zip((edges, level, spread), SYMMETRY, strict=True):
        right, left = (
            np.interp(PHASES[:, None] + s * reach, np.arange(CELL_PX), values, period=CELL_PX)
            for s in (1, -1)
        )
        cost += worth * np.sqrt(((right - left) ** 2).mean(axis=1) / (values.var() + 1e-6))
    return cost


def _surrounded(support: Mask) -> Mask:
    """Cells with all eight neighbours, if there are enough: beside a hole the ground shows, and
    that differs more from tiles than tiles from each other."""
    inner = cv2.erode(support.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=0) > 0
    return inner if inner.sum() >= MIN_SURROUNDED else support


def _content(image: Image, fit: Fit) -> float:
    where = np.argwhere(fit.support)
    some = where[:: max(1, len(where) // COMPARED)]
    cells = _contents(_halved(_smooth(image, fit)), some, np.zeros(2, int))
    nearest, usual = map(float, _distances(cells))
    return float(max(0.0, 1 - 2 * np.sqrt(max(nearest, 0.0) / (usual + 1e-6))))


def _halved(smooth: Maps) -> Maps:
    size = smooth.shape[1] // 2, smooth.shape[0] // 2
    return np.asarray(cv2.resize(smooth, size, interpolation=cv2.INTER_AREA), np.float32)


def _contents(small: Maps, where: NDArray[np.int64], phases: NDArray[np.int64]) -> Maps:
    """(..., N, D) the inner parts of cells (N, 2) row, column, of a halved picture of the box, cut
    at phases (..., 2) x, y px."""
    side = HALF_PX - 2 * RIM_PX
    windows = np.lib.stride_tricks.sliding_window_view(small, (side, side), axis=(0, 1))
    y, x = np.moveaxis(HALF_PX * (where + 1) + RIM_PX + phases[..., None, ::-1], -1, 0)
    cells: Maps = windows[y, x].reshape(*y.shape, -1)
    return cells


def _distances(cells: Maps) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(...) squared distances among cells (..., N, D): median to the nearest other, and the mean.

    Less the mean cell: what all share says nothing.
    """
    features = cells - cells.mean(axis=-2, keepdims=True)
    energy = np.einsum("...nd,...nd->...n", features, features)
    apart = energy[..., None] + energy[..., None, :] - 2 * features @ features.swapaxes(-1, -2)
    itself = np.arange(cells.shape[-2])
    apart[..., itself, itself] = np.inf
    nearest = np.median(apart.min(axis=-1), axis=-1)
    return np.asarray(nearest, np.float64), np.asarray(2 * energy.mean(axis=-1), np.float64)
