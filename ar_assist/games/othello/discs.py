"""Tell black, white and empty squares apart in a canonical picture of an Othello board.

A disc is told by two things together: its middle differs from the felt around it, and it ends in
a round edge on all sides. Neither is enough alone: glare and shadow change the colour without an
edge, a marker or a letter has edges without the size. Everything is measured against the board's
own felt next to the square, since light is never even; and discs of a real board stand up from
it, so a disc is looked for up to a quarter of a square off its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.board import BLACK, WHITE
from ar_assist.games.othello.grid import CELL, MARGIN, SIDE, SIZE, FloatArray

FELT_AT = 0.38  # cells from the middle, in x and y: between a disc's edge and the grid line
TINT_AT = 0.42  # likewise, where a tint must still be: as near to the corner as lines allow …
OVER = 0.58  # … and where it has ended, on the other side of the line: a thing as round as a disc
# that reaches those corners reaches over the sides, too
MIDDLE = 0.30  # cells: the middle of a disc; dots that mark moves fill less than half of it
OFFSETS = np.linspace(-0.3, 0.3, 7)  # cells a disc's top may be off its place, in x and y
RADII = (0.30, 0.35, 0.40, 0.45)  # cells: discs fill 60 to 90 % of their square
RIM = 0.06  # cells from a disc's edge to where its inside and the felt outside are sampled
LINE = 0.04  # cells from a line's middle that may have its colour, which may be the disc's
IN_PLACE = 0.15  # cells, in x and y: a disc of an app is no further off, for want of a better fit
ANGLES = 12  # places around the edge; a quarter of them may be hidden by neighbours or glare
OFF_PLACE = 8.0  # Lab units per cell: an edge must be this much stronger to be taken farther off

FLAT = 0.5  # of the contrast to the felt around: a corner is more like its square than like that
DISTINCT = 10.0  # Lab units: a disc differs from its felt by more; texture and dust by less
NOISES = 2.5  # … and by so many times the felt's own unevenness
ROUND = 0.2  # share of the middle's contrast that three quarters of the edge show
EVEN = 0.75  # share of a disc's middle that shows its colour; highlights and letters take the rest
BARE = 0.5  # share of an empty square's middle that shows felt; a disc would cover all of it
UNEVEN = 0.25  # by so much less, a square says nothing
FOREIGN = 0.5  # of the felt's noise: by so much more, an empty square's corners show another thing
HIDDEN = 1.0  # likewise, its middle, unless light explains that: a finger may hide a disc there
OPEN = 0.3  # certainty left then: too little to be believed, too much for no square of a board
NEAR_PX = 2  # px of the canonical picture around a crossing in which its lines are sought
COVERED, CROSSED = 0.25, 0.5  # shares of what lines stand out by elsewhere: none is left, and sure
LAID = 0.08  # cells: discs that lie no further from where the others would have them are sure, …
LAID_USUAL = 1.5  # … nor those that lie no further than so many times what most of them do
MOST = 0.9  # of the discs
FEW_TELL = 16.0  # squared cells, added to what discs are apart: of few in the middle half is chance
PATTERN = 4  # squares, as the corners of the board: a tone of so many belongs to it
ALIKE = 0.25  # of the contrast: discs of a colour that differ by less are equally sure
COLOUR_GAP = 15.0  # L* between the darkest white and the lightest black disc

CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
INNER = np.s_[1:-1, 1:-1]  # the board's own squares, of those with one row more all around
SIDES = np.array([[0, -1], [-1, 0], [0, 1], [1, 0]])  # rows and columns to the next square
ACROSS = np.array(  # (4, 3, 2) cells from a square's middle to places beyond each side
    [[(c * OVER + r * to, r * OVER + c * to) for to in (-FELT_AT, 0, FELT_AT)] for r, c in SIDES]
)


@dataclass(frozen=True, eq=False)
class Squares:
    """What each of the 64 squares holds."""

    colours: NDArray[np.int64]  # (8, 8) 0 empty, 1 black, 2 white
    certainty: FloatArray  # (8, 8) 0 to 1
    odd: NDArray[np.bool_]  # (8, 8) differs from the felt, but is no disc: a hand, glare, a tile
    felt: FloatArray  # (8, 8, 3) L*a*b* of the felt beside each square
    rims: FloatArray  # (4, 16, 3) and of the felt just inside each side of the border
    unevenness: float  # Lab units: how much the felt differs from place to place
    variety: float  # how much discs of a colour differ, in units of their contrast to the felt
    closer: float  # cells by which discs lie closer together than squares, from side to side
    alone: NDArray[np.bool_]  # (8, 8) of one tone up to the corners that few squares have
    crossed: FloatArray  # (8, 8) certainty that lines cross at the corners as they do elsewhere


def _places(xy: NDArray[np.float64]) -> NDArray[np.int32]:
    """(...) the pixels, counted row by row, at (..., 2) points given in cells from the top left."""
    at = np.clip(np.rint((xy + MARGIN) * CELL - 0.5).astype(np.int32), 0, SIDE - 1)
    return np.asarray(at[..., 1] * SIDE + at[..., 0], np.int32)


def _sample(board: FloatArray, xy: NDArray[np.float64]) -> FloatArray:
    """(..., 3) colours at (..., 2) points given in cells from the grid's top left."""
    return board.reshape(-1, 3).take(_places(xy), axis=0)


def _centres(around: int = 0) -> NDArray[np.float64]:
    """(8, 8, 2) x, y of the squares' middles, in cells; or with so many more on every side."""
    along = np.arange(-around, SIZE + around)
    return np.asarray(np.stack(np.meshgrid(along, along), axis=-1) + 0.5, np.float64)


def _corners(board: FloatArray) -> FloatArray:
    """(10, 10, 4, 3) colours near the corners of the squares and of those around the board.

    No disc in its place reaches there.
    """
    return _sample(board, _centres(around=1)[:, :, None] + CORNERS * FELT_AT)


def _felt_beside(patches: FloatArray, tinted: NDArray[np.bool_]) -> FloatArray:
    """(8, 8, 3) felt colour around each square: of its corners and of neighbours not `tinted`."""
    felt = np.where(tinted[..., None, None], np.nan, patches)
    padded = np.pad(felt, ((1, 1), (1, 1), (0, 0), (0, 0)), constant_values=np.nan)
    around = [padded[r : r + SIZE, c : c + SIZE] for r in range(3) for c in range(3)]
    around[4] = patches  # its own count in any case
    return np.asarray(np.nanmedian(np.concatenate(around, axis=2), axis=2), np.float32)


def _off_felt(patches: FloatArray, felt: FloatArray) -> FloatArray:
    """(8, 8) Lab units by which the two corners of a square that are most like felt differ from it.

    The other two may be hidden by discs, which lean to one side in perspective. What all squares
    share does not count: many boards have cushions, lit above and shaded below.
    """
    differences = patches - felt[:, :, None]
    cushion = np.median(differences, axis=(0, 1))
    off = np.sort(np.linalg.norm(differences - cushion, axis=-1), axis=-1)[..., 1]
    return np.asarray(off, np.float32)


def _rims_of(patches: FloatArray) -> FloatArray:
    """(4, 16, 3) the corners that lie along the sides of the border."""
    sides = patches[0, :, :2], patches[-1, :, 2:], patches[:, 0, [0, 3]], patches[:, -1, [1, 2]]
    return np.stack([side.reshape(-1, 3) for side in sides])


def _tinted(
    board: FloatArray, felt: FloatArray, middle: FloatArray, noise: float
) -> NDArray[np.bool_]:
    """(8, 8) whether squares are of one tone to the corners, and it ends at their sides.

    A disc leaves felt in a corner at least. A fingertip may not, but a hand comes from outside the
    board: beyond some side its tone goes on, into a square that it does not fill or off the board.
    So does a round thing that is large enough to hide all corners, in the middle of a side first.
    """
    apart = np.linalg.norm(middle - felt, axis=-1)
    alike = FLAT * np.maximum(apart, noise)[:, :, None, None]
    places = np.concatenate([CORNERS[:, None] * TINT_AT, ACROSS], axis=1)  # (4, 4, 2)
    around = _sample(board, _centres()[:, :, None, None] + places)
    of_its_tone = np.linalg.norm(around - middle[:, :, None, None], axis=-1) < alike
    tinted, goes_on = of_its_tone[..., 0].all(axis=-1), of_its_tone[..., 1:].any(axis=-1)
    while True:
        padded = np.pad(tinted, 1)
        ends = np.stack([_next(padded, *to) for to in SIDES], axis=-1)
        spilt = tinted & (goes_on & ~ends).any(axis=-1)
        if not spilt.any():
            return np.asarray(tinted)
        tinted = tinted & ~spilt


def _sharing(tones: FloatArray, noise: float) -> NDArray[np.int64]:
    """(8, 8) how many squares have the tone of each, itself included; `tones` (8, 8, 3)."""
    flat = tones.reshape(-1, 3)
    apart = np.linalg.norm(flat[:, None] - flat, axis=-1)
    return np.asarray((apart < noise).sum(axis=1).reshape(SIZE, SIZE))


def _next(padded: NDArray[Any], row: int, col: int) -> NDArray[Any]:
    """(8, 8, ...) what lies a row and a column on from each square, of (10, 10, ...)."""
    return padded[1 + row : 1 + row + SIZE, 1 + col : 1 + col + SIZE]


@dataclass(frozen=True, eq=False)
class _Rims:
    """The edges that a disc may have in each square: S squares, O offsets, R radii, A angles."""

    offsets: NDArray[np.float64]  # (O, 2) cells that a disc's middle is off its square's
    inside: NDArray[np.int32]  # (S, O, R, A) pixels next to the edge, in the disc
    beyond: NDArray[np.int32]  # … and on the felt
    on_felt: NDArray[np.bool_]  # … whether they are: beside the board and on its lines is none
    quarter: NDArray[np.int64]  # (S, O, R, 1) of the places on felt


def _around() -> NDArray[np.float64]:
    """(A, 2) the ways from a disc's middle to its edge."""
    turn = np.arange(ANGLES) * 2 * np.pi / ANGLES
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


@cache
def _rims() -> _Rims:
    around = _around()
    radii = np.array(RADII)[:, None, None]
    offsets = np.stack(np.meshgrid(OFFSETS, OFFSETS), axis=-1).reshape(-1, 2)
    middles = _centres().reshape(-1, 1, 1, 1, 2) + offsets[:, None, None]
    beyond = middles + around * (radii + RIM)
    # A large disc in its place reaches up to the lines on all four sides, one astray to two.
    astray = (np.abs(offsets).max(axis=-1) > IN_PLACE)[:, None, None, None]
    off_lines = (np.abs(beyond - np.rint(beyond)) > LINE) | astray
    on_felt = np.all((beyond >= 0) & (beyond <= SIZE) & off_lines, axis=-1)
    quarter = on_felt.sum(axis=-1, keepdims=True) // 4
    inside = _places(middles + around * (radii - RIM))
    return _Rims(offsets, inside, _places(beyond), on_felt, quarter)


def _edges(board: FloatArray) -> tuple[FloatArray, NDArray[np.float64], NDArray[np.float64]]:
    """The best round edge in each square.

    (8, 8) its strength, Lab units; (8, 8, 2) its middle and (8, 8) its radius, in cells.
    """
    rims = _rims()
    planes = [np.ascontiguousarray(plane).ravel() for plane in board.transpose(2, 0, 1)]
    contrast = [plane.take(rims.inside) - plane.take(rims.beyond) for plane in planes]
    typical = [_median(each) for each in contrast]  # (S, O, R, 1) of each channel
    length = np.sqrt(sum(each**2 for each in typical)) + 1e-6
    along = sum(each * (way / length) for each, way in zip(contrast, typical, strict=True))
    along = np.sort(np.where(rims.on_felt, along, np.inf), axis=-1)
    strength = np.take_along_axis(along, rims.quarter, axis=-1)[..., 0]  # (S, O, R)
    strength = strength - OFF_PLACE * np.hypot(*rims.offsets.T)[:, None]
    offset, radius = np.divmod(strength.reshape(SIZE * SIZE, -1).argmax(axis=-1), len(RADII))
    squares = (SIZE, SIZE)
    return (
        strength.max(axis=(1, 2)).astype(np.float32).reshape(squares),
        _centres() + rims.offsets[offset].reshape(*squares, 2),
        np.array(RADII)[radius].reshape(squares),
    )


def _median(values: FloatArray) -> FloatArray:
    """(..., 1) of (..., ANGLES); numpy's own takes four times as long."""
    sides = ANGLES // 2 - 1, ANGLES // 2
    middle = np.partition(values, sides, axis=-1)[..., list(sides)]
    return np.asarray(middle.mean(axis=-1, keepdims=True), np.float32)


def _middles(
    board: FloatArray, middles: NDArray[np.float64], reach: NDArray[np.float64] | float = MIDDLE
) -> FloatArray:
    """(8, 8, K, 3) colours from the middle of a disc at each place, `reach` cells around it."""
    grid = np.linspace(-1, 1, 9)
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    points = points[np.hypot(*points.T) <= 1]
    away = np.broadcast_to(reach, (SIZE, SIZE))[..., None, None] * points
    return _sample(board, middles[:, :, None] + away)


@dataclass(frozen=True, eq=False)
class _Ground:
    """What the squares show apart from discs."""

    own: FloatArray  # (8, 8, 4, 3) colours near the corners of each
    bare: FloatArray  # (8, 8, K, 3) of its middle, where a disc in its place would be
    tone: FloatArray  # (8, 8, 3) the usual one of these
    tinted: NDArray[np.bool_]  # (8, 8) see _tinted
    beside: FloatArray  # (8, 8, 3) the felt around each
    unevenness: float  # Lab units: how much the felt differs from place to place
    noise: float  # Lab units by which a disc has to differ from its felt at least


def _ground_of(board: FloatArray) -> _Ground:
    own = _corners(board)[INNER]
    around = _felt_beside(own, np.zeros((SIZE, SIZE), bool))
    unevenness = float(np.median(_off_felt(own, around)))
    noise = max(DISTINCT, NOISES * unevenness)
    bare = _middles(board, _centres())
    tone = np.asarray(np.median(bare, axis=2), np.float32)
    tinted = _tinted(board, around, tone, noise)
    return _Ground(own, bare, tone, tinted, _felt_beside(own, tinted), unevenness, noise)


def classify(board: FloatArray) -> Squares:
    """Read the 64 squares of a canonical picture (see grid.canonical)."""
    smooth = np.asarray(cv2.blur(board, (3, 3)), np.float32)
    ground = _ground_of(smooth)
    own, tinted, beside, noise = ground.own, ground.tinted, ground.beside, ground.noise
    felt = np.where(tinted[..., None], np.median(own, axis=2), beside)
    edge, places, radii = _edges(smooth)
    inside = _middles(smooth, places, radii - RIM)  # all of a disc: signs in its middle are less
    middle = np.asarray(np.median(inside, axis=2), np.float32)
    contrast = np.linalg.norm(middle - felt, axis=-1)
    edge = np.where(_is_disc_wide(smooth, places, middle, felt), edge, 0)
    needed = _needed(middle - felt, contrast, edge, noise)
    presence = _presence(contrast, edge, needed)
    typical = _typical(middle, _colours(middle, felt, presence > 1)[0])
    near, in_view = _near_corners(smooth, own, middle, noise)
    alike = np.minimum(_alike(middle, near, typical), _presence(contrast, edge, noise))
    faint = in_view & (contrast > noise) & (contrast <= needed)
    felt = np.where(faint[..., None], near, felt)
    presence = np.where(faint, alike, np.where(in_view, np.maximum(presence, alike), presence))
    discs = presence > 1
    colours, colour_certainty = _colours(middle, felt, discs)
    typical = _typical(middle, colours)
    # Where there is no disc, the best edge means nothing.
    middles = np.where(discs[..., None, None], inside, ground.bare)
    shares = _own_share(middles, felt, typical, colours)
    evenness = np.clip((shares - np.where(discs, EVEN, BARE)) / UNEVEN + 1, 0, 1)
    certainty = np.clip(np.abs(np.log2(np.maximum(presence, 0.25))), 0, 1) * evenness
    bareness = np.clip((1 - _off_felt(own, felt) / noise) / FOREIGN + 1, 0, 1)
    foreign = _foreign(smooth, ground.tone, felt)
    explained = np.clip((1 - np.where(in_view, 0, foreign / noise)) / HIDDEN + 1, OPEN, 1)
    unlike = _unlike(middle, felt, typical, colours)
    sure = np.minimum(certainty, colour_certainty)
    sure = sure * np.clip(2 - unlike / ALIKE, 0, 1) * np.clip(2 - _astray(places, discs), 0, 1)
    sure = sure * _round(own, middle, contrast)
    return Squares(
        colours,
        np.where(discs, sure, np.minimum(certainty * bareness, explained)).astype(np.float32),
        (np.minimum(contrast, foreign) > needed) & ~discs,
        beside,
        _rims_of(np.where(tinted[..., None, None], beside[:, :, None], own)),
        ground.unevenness,
        float(unlike[discs].mean()) if discs.any() else 0.0,
        _closer(places, discs),
        tinted & (_sharing(np.median(own, axis=2), noise) < PATTERN),
        _crossed(smooth, own, tinted),
    )


def _rim(board: FloatArray, middles: NDArray[np.float64]) -> FloatArray:
    """(8, 8, 3) the usual colour just inside the smallest disc at each place.

    A dot that marks a move is smaller: its edge is none but blur, and felt lies there.
    """
    rim = _sample(board, middles[:, :, None] + (min(RADII) - RIM) * _around())
    return np.asarray(np.median(rim, axis=2), np.float32)


def _is_disc_wide(
    board: FloatArray, middles: NDArray[np.float64], middle: FloatArray, felt: FloatArray
) -> NDArray[np.bool_]:
    """(8, 8) whether the rim of the smallest disc is more like the `middle` than like felt."""
    rim = _rim(board, middles)
    from_middle, from_felt = (np.linalg.norm(rim - other, axis=-1) for other in (middle, felt))
    return np.asarray(from_middle < from_felt)


def _foreign(board: FloatArray, tone: FloatArray, felt: FloatArray) -> FloatArray:
    """(8, 8) Lab units by which squares without a disc differ from felt.

    What hides a disc hides its middle and its rim; dots leave the one in view, rings the other.
    """
    off_felt = (np.linalg.norm(shown - felt, axis=-1) for shown in (tone, _rim(board, _centres())))
    return np.asarray(np.minimum(*off_felt), np.float32)


def _presence(contrast: FloatArray, edge: FloatArray, needed: FloatArray | float) -> FloatArray:
    """(8, 8) over 1 where a middle stands out enough for a disc, and has its round edge."""
    presence = np.minimum(contrast / needed, edge / (ROUND * np.maximum(contrast, needed)))
    return np.asarray(presence, np.float32)


def _near_corners(
    board: FloatArray, own: FloatArray, middle: FloatArray, noise: float
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """(8, 8, 3) the corner of each square that is second nearest to its `middle`, by colour.

    And (8, 8) whether that one and the nearest are felt in view: lines cross beside them. A hand
    hides lines, light does not.
    """
    nearest = np.linalg.norm(own - middle[:, :, None], axis=-1).argsort(axis=-1)[..., :2]
    crossing = _sample(board, _centres()[:, :, None] + CORNERS / 2)
    lined = np.linalg.norm(crossing - own, axis=-1) > noise
    in_view = np.take_along_axis(lined, nearest, axis=2).all(axis=-1)
    near = np.take_along_axis(own, nearest[..., 1:, None], axis=2)[:, :, 0]
    return np.asarray(near, np.float32), np.asarray(in_view)


def _crossed(board: FloatArray, own: FloatArray, tinted: NDArray[np.bool_]) -> FloatArray:
    """(8, 8) certainty that lines cross at a square's corners, as they do at those of most others.

    Two corners do: where a cover ends amid a square, it leaves these in view.
    """
    near = np.arange(-NEAR_PX, NEAR_PX + 1) / CELL
    window = np.stack(np.meshgrid(near, near), axis=-1).reshape(-1, 2)
    crossings = _sample(board, (_centres()[:, :, None] + CORNERS / 2)[..., None, :] + window)
    stands_out = np.linalg.norm(crossings - own[..., None, :], axis=-1).max(axis=-1)
    second = np.sort(stands_out, axis=-1)[..., 1]
    usual = np.median(second[~tinted]) if not tinted.all() else 0.0
    share = second / (usual + 1e-6)
    return np.asarray(np.clip((share - COVERED) / (CROSSED - COVERED), OPEN, 1), np.float32)


def _alike(middle: FloatArray, felt: FloatArray, typical: dict[int, FloatArray]) -> FloatArray:
    """(8, 8) likeness to discs: 0 where a middle has the felt's colour, 1 halfway, 2 like a disc.

    A reflection or a shadow that is drawn over the board takes contrast from the discs in it, and
    where it ends, one half of an empty square differs from the other. Both show in a square's own
    corners: half of them are as the middle is, unless a disc is there, and discs are as elsewhere.
    """
    from_felt = np.linalg.norm(middle - felt, axis=-1)
    from_discs = [np.linalg.norm(middle - colour, axis=-1) for colour in typical.values()]
    nearest = np.min([*from_discs, np.full(from_felt.shape, np.inf)], axis=0)
    return np.asarray(2 * from_felt / (from_felt + nearest + 1e-6), np.float32)


def stray(discs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(8, 8) discs that no others join to the middle: no game leads to them."""
    groups = cv2.connectedComponents(discs.astype(np.uint8))[1]
    return np.asarray(discs & (groups != groups[SIZE // 2, SIZE // 2]))


def _astray(places: NDArray[np.float64], discs: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(8, 8) how far a disc lies from where the others would have it, over what is allowed.

    Discs stand up, so that their tops are shifted, but all of them nearly alike: by an affine map
    of their squares. A lamp's mirror image lies anywhere.
    """
    astray = np.zeros(discs.shape)
    if discs.any():
        _, away = _laid(places, discs, ridge=1.0)
        astray[discs] = away / max(LAID, LAID_USUAL * float(np.quantile(away, MOST)))
    return astray


def _closer(places: NDArray[np.float64], discs: NDArray[np.bool_]) -> float:
    """Cells by which discs lie closer together than squares, from side to side of the board.

    None do where the grid is right: tops are nearer to the camera, and further apart. A few discs
    in the middle tell little, for each may be laid a little astray.
    """
    shift, _ = _laid(places, discs, ridge=FEW_TELL)
    along = shift[1:]  # what a column and a row further on add to the shift in x and y
    return -SIZE * float(np.linalg.eigvalsh(along + along.T).min()) / 2


def _laid(
    places: NDArray[np.float64], discs: NDArray[np.bool_], ridge: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(3, 2) the affine map by which discs are shifted (once, by column and by row), in cells.

    And (N,) how far off it each lies. Stray ones have no say in it: far from all others they would
    bend it to themselves.
    """
    offsets = (places - _centres())[discs]
    row, col = np.nonzero(discs)
    design = np.stack([np.ones(len(row)), col - SIZE / 2, row - SIZE / 2], axis=1)
    shift: NDArray[Any] = np.zeros((3, 2))
    away, counts = np.zeros(len(row)), (~stray(discs))[discs]
    trust = counts.astype(np.float64)
    for _ in range(8):  # reweighted, so that what lies astray does not count
        normal = design.T * trust
        shift = np.linalg.solve(normal @ design + np.diag([1e-3, ridge, ridge]), normal @ offsets)
        away = np.hypot(*(design @ shift - offsets).T)
        trust = counts / (1 + (away / LAID) ** 2)
    return shift, away


def _needed(
    difference: FloatArray, contrast: FloatArray, edge: FloatArray, noise: float
) -> FloatArray:
    """(8, 8) contrast that a disc must have: half of what the board's own sure discs have.

    The two kinds each have their own, as felts are seldom halfway. `difference` (8, 8, 3) Lab units
    of a middle from the felt; felt itself may differ by `noise`.
    """
    needed = np.full(contrast.shape, noise, np.float32)
    is_sure = (contrast > 2 * noise) & (edge > 2 * ROUND * contrast)
    lighter = _towards_white(difference, is_sure)
    for kind in (lighter, ~lighter):
        sure = contrast[kind & is_sure]
        if sure.size:
            needed[kind] = max(noise, float(np.median(sure)) / 2)
    return needed


def _round(own: FloatArray, middle: FloatArray, contrast: FloatArray) -> FloatArray:
    """(8, 8) certainty that a disc is round, and no slip of paper that fills three corners."""
    apart = np.sort(np.linalg.norm(own - middle[:, :, None], axis=-1), axis=-1)[..., 2]
    return np.asarray(np.clip(2 * apart / (FLAT * contrast + 1e-6) - 1, 0, 1), np.float32)


def _towards_white(difference: FloatArray, discs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(8, 8) whether a square differs from the felt as white discs do, rather than as black ones.

    On felt as dark as the black ones, these are told by their hue and not by being darker.
    """
    lighter = difference[..., 0] > 0
    if not discs.any():
        return lighter
    whites, _ = _whites(difference[..., 0], np.zeros_like(difference[..., 0]), discs)
    kinds = [difference[discs & kind] for kind in (whites, ~whites)]
    if not all(map(len, kinds)):
        return lighter
    ways = [np.median(kind, axis=0) for kind in kinds]
    white, black = (difference @ (way / np.linalg.norm(way)) for way in ways)
    return np.asarray(white > black)


def _typical(middle: FloatArray, colours: NDArray[np.int64]) -> dict[int, FloatArray]:
    """The median colour of the black and of the white discs, where there are any."""
    kinds = [colour for colour in (BLACK, WHITE) if (colours == colour).any()]
    return {kind: np.median(middle[colours == kind], axis=0) for kind in kinds}


def _own_share(
    inside: FloatArray,
    felt: FloatArray,
    typical: dict[int, FloatArray],
    colours: NDArray[np.int64],
) -> FloatArray:
    """(8, 8) share of each middle that is more like discs of its colour than like all else."""
    kinds = {0: felt[:, :, None], **typical}
    away = {kind: np.linalg.norm(inside - colour, axis=-1) for kind, colour in kinds.items()}
    nearest = np.array(list(kinds))[np.argmin(np.stack(list(away.values())), axis=0)]
    return np.asarray((nearest == colours[:, :, None]).mean(axis=-1), np.float32)


def _unlike(
    middle: FloatArray,
    felt: FloatArray,
    typical: dict[int, FloatArray],
    colours: NDArray[np.int64],
) -> FloatArray:
    """(8, 8) how far a disc is from the typical one of its colour, over that one's contrast."""
    unlike = np.zeros(colours.shape, np.float32)
    for kind, colour in typical.items():
        its = colours == kind
        contrast = np.linalg.norm(colour - np.median(felt[its], axis=0))
        unlike[its] = np.linalg.norm(middle[its] - colour, axis=1) / contrast
    return unlike


def _colours(
    middle: FloatArray, felt: FloatArray, discs: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], FloatArray]:
    """(8, 8) the colour of each disc, 0 for none, and (8, 8) how clear that is."""
    whites, certainty = _whites(middle[..., 0], felt[..., 0], discs)
    return np.where(discs, np.where(whites, WHITE, BLACK), 0), certainty


def _whites(
    lightness: FloatArray, felt: FloatArray, discs: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Which discs are white, split at the widest gap in lightness; and how clear that is.

    Without two clear groups the felt's own lightness divides them.
    """
    levels = np.sort(lightness[discs])
    gaps = np.diff(levels)
    split = float(np.median(felt))
    if gaps.size and gaps.max() > COLOUR_GAP:
        widest = int(gaps.argmax())
        split = float(levels[widest] + levels[widest + 1]) / 2
    certainty = np.clip(np.abs(lightness - split) / COLOUR_GAP, 0, 1)
    return lightness > split, certainty.astype(np.float32)
