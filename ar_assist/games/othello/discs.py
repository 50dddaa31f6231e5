"""Tell black, white and empty squares apart in a canonical picture of an Othello board.

A disc is told by two things together: its middle differs from the felt around it, and it ends in
a round edge on all sides. Neither is enough alone: glare and shadow change the colour without an
edge, a marker or a letter has edges without the size. Everything is measured against the board's
own felt next to the square, since light is never even; and discs of a real board stand up from
it, so a disc is looked for up to a quarter of a square off its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.beyond import most_discs
from ar_assist.games.othello.board import BLACK, WHITE
from ar_assist.games.othello.canonical import FloatArray
from ar_assist.games.othello.felt import (
    FLAT,
    OPEN,
    Ground,
    along_border,
    crossed,
    ground_of,
    near_corners,
    off_felt,
    sharing,
)
from ar_assist.games.othello.ghosts import moves_shown, unexplained
from ar_assist.games.othello.laid import astray, closer
from ar_assist.games.othello.rims import RIM, between_rims, rim_colours, round_edges
from ar_assist.games.othello.sampling import centres, middle_colours

ROUND = 0.2  # share of the middle's contrast that three quarters of the edge show
EVEN = 0.75  # share of a disc's middle that shows its colour; highlights and letters take the rest
BARE = 0.5  # share of an empty square's middle that shows felt; a disc would cover all of it, or at
# least what lies around a mark on it
MARKED = 0.1  # share of an empty square's middle that a mark on it takes at least
STRONG = 1.5  # times the felt's noise: marks differ by more, the grain of wood does not
UNEVEN = 0.25  # by so much less, a square says nothing
FOREIGN = 0.5  # of the felt's noise: by so much more, an empty square's corners show another thing
HIDDEN = 1.0  # likewise, its middle, unless light explains that: a finger may hide a disc there
PATTERN = 4  # squares, as the corners of the board: a tone of so many belongs to it
ALIKE = 0.25  # of the contrast: discs of a colour that differ by less are equally sure
COLOUR_GAP = 15.0  # L* between the darkest white and the lightest black disc


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
    outside: int  # discs like these beyond a side of the border, in squares of felt


@dataclass(frozen=True, eq=False)
class _Middles:
    """What shows in the middle of each square: a disc, where there is one."""

    places: NDArray[np.float64]  # (8, 8, 2) where a disc would lie, in cells …
    radii: NDArray[np.float64]  # (8, 8) … and how large it would be
    inside: FloatArray  # (8, 8, K, 3) colours of its face …
    colour: FloatArray  # (8, 8, 3) … and the usual one
    felt: FloatArray  # (8, 8, 3) the felt around it
    contrast: FloatArray  # (8, 8) Lab units between these two
    edge: FloatArray  # (8, 8) Lab units: how strong its round edge is


def classify(board: FloatArray) -> Squares:
    """Read the 64 squares of a canonical picture (see canonical.py)."""
    smooth = np.asarray(cv2.blur(board, (3, 3)), np.float32)
    ground = ground_of(smooth)
    middles = _middles(smooth, ground)
    moves = _moves_shown(middles, ground.noise)
    middles = replace(middles, edge=np.where(moves, 0, middles.edge))
    needed = _needed(middles, ground.noise)
    presence, felt, in_view = _presences(smooth, ground, middles, needed)
    discs = presence > 1
    colours, colour_certainty = _colours(middles.colour, felt, discs)
    typical = _typical(middles.colour, colours)
    # Where there is no disc, the best edge means nothing.
    shown = np.where(discs[..., None, None], middles.inside, ground.bare)
    shares = _own_share(shown, felt, typical, colours)
    if discs.any():  # a highlight and a mark may leave a disc hardly more than its rim
        rims = between_rims(smooth, float(np.median(middles.radii[discs])))
        of_felt = _own_share(rims, felt, typical, np.zeros_like(colours))
        shares = np.where(discs, shares, np.minimum(shares, of_felt))
    evenness = np.clip((shares - np.where(discs, EVEN, BARE)) / UNEVEN + 1, 0, 1)
    decided = np.clip(np.abs(np.log2(np.maximum(presence, 0.25))), 0, 1) * evenness
    unlike = _unlike(middles.colour, felt, typical, colours)
    roundness = _round(ground.own, middles.colour, middles.contrast)
    as_others = np.clip(2 - unlike / ALIKE, 0, 1)
    in_place = np.clip(2 - astray(middles.places, discs), 0, 1)
    sure_discs = np.minimum(decided, colour_certainty) * as_others * in_place * roundness
    foreign = _foreign(smooth, ground.tone, felt)
    sure_empties = _sure_empties(decided, ground, felt, np.where(in_view, 0, foreign))
    sure_empties[moves] = 1 if moves.sum() > 1 else OPEN  # a single one may be chance
    marked = _are_marked(ground) & ~discs & ~moves
    sure_empties = np.where(
        unexplained(colours, marked), np.minimum(sure_empties, OPEN), sure_empties
    )
    tones = sharing(np.median(ground.own, axis=2), ground.noise)
    tinted, beside = ground.tinted, ground.beside
    return Squares(
        colours=colours,
        certainty=np.where(discs, sure_discs, sure_empties).astype(np.float32),
        odd=(np.minimum(middles.contrast, foreign) > needed) & ~discs & ~moves,
        felt=beside,
        rims=along_border(np.where(tinted[..., None, None], beside[:, :, None], ground.own)),
        unevenness=ground.unevenness,
        variety=float(unlike[discs].mean()) if discs.any() else 0.0,
        closer=closer(middles.places, discs),
        alone=tinted & (tones < PATTERN),
        crossed=crossed(smooth, ground.own, tinted),
        outside=most_discs(smooth, beside, ground.noise, typical.values()),
    )


def _middles(board: FloatArray, ground: Ground) -> _Middles:
    """The middles of all squares, beside the felt of each: a tinted one is its own."""
    own = np.median(ground.own, axis=2)
    felt = np.where(ground.tinted[..., None], own, ground.beside)
    edge, places, radii = round_edges(board)
    # All of a disc: signs in its middle are less.
    inside = middle_colours(board, places, radii - RIM)
    colour = np.asarray(np.median(inside, axis=2), np.float32)
    contrast = np.linalg.norm(colour - felt, axis=-1)
    edge = np.where(_is_disc_wide(board, places, colour, felt), edge, 0)
    return _Middles(places, radii, inside, colour, felt, contrast, edge)


def _moves_shown(middles: _Middles, noise: float) -> NDArray[np.bool_]:
    """(8, 8) what looks like discs, but only shows the legal moves."""
    contrast, difference = middles.contrast, middles.colour - middles.felt
    is_sure = (contrast > 2 * noise) & (middles.edge > 2 * ROUND * contrast)
    seeming = (contrast > noise) & (middles.edge > ROUND * contrast)
    return moves_shown(contrast, _towards_white(difference, is_sure), seeming)


def _presences(
    board: FloatArray, ground: Ground, middles: _Middles, needed: FloatArray
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """(8, 8) over 1 where there is a disc; (8, 8, 3) the felt to hold it against; (8, 8) whether
    felt is in view at its corners.

    Where the contrast is less than `needed` a disc may lie in a reflection or a shadow, and is held
    against two of its own corners and against the other discs.
    """
    middle, felt, contrast, edge = middles.colour, middles.felt, middles.contrast, middles.edge
    presence = _presence(contrast, edge, needed)
    typical = _typical(middle, _colours(middle, felt, presence > 1)[0])
    near, in_view = near_corners(board, ground.own, middle, ground.noise)
    alike = np.minimum(_alike(middle, near, typical), _presence(contrast, edge, ground.noise))
    faint = in_view & (contrast > ground.noise) & (contrast <= needed)
    presence = np.where(faint, alike, np.where(in_view, np.maximum(presence, alike), presence))
    return presence, np.where(faint[..., None], near, felt), in_view


def _sure_empties(
    decided: FloatArray, ground: Ground, felt: FloatArray, unexplained: FloatArray
) -> FloatArray:
    """(8, 8) certainty that an empty square is one, of how clearly it is `decided` to be.

    Its corners show felt, and its middle nothing else (`unexplained`, Lab units) that light does
    not explain.
    """
    bareness = np.clip((1 - off_felt(ground.own, felt) / ground.noise) / FOREIGN + 1, 0, 1)
    explained = np.clip((1 - unexplained / ground.noise) / HIDDEN + 1, OPEN, 1)
    return np.asarray(np.minimum(decided * bareness, explained))


def _are_marked(ground: Ground) -> NDArray[np.bool_]:
    """(8, 8) whether something in a square's middle is like none of its corners, as light would be.

    Marks are on the last disc that was laid or where a side may move. One that is elsewhere may be
    on a disc of nearly the felt's colour.
    """
    off = np.linalg.norm(ground.bare[:, :, :, None] - ground.own[:, :, None], axis=-1).min(axis=-1)
    return np.asarray((off > STRONG * ground.noise).mean(axis=-1) > MARKED)


def _is_disc_wide(
    board: FloatArray, middles: NDArray[np.float64], middle: FloatArray, felt: FloatArray
) -> NDArray[np.bool_]:
    """(8, 8) whether the rim of the smallest disc is more like the `middle` than like felt."""
    rim = rim_colours(board, middles)
    from_middle, from_felt = (np.linalg.norm(rim - other, axis=-1) for other in (middle, felt))
    return np.asarray(from_middle < from_felt)


def _foreign(board: FloatArray, tone: FloatArray, felt: FloatArray) -> FloatArray:
    """(8, 8) Lab units by which squares without a disc differ from felt.

    What hides a disc hides its middle and its rim; dots leave the one in view, rings the other.
    """
    shown = tone, rim_colours(board, centres())
    middle, rim = (np.linalg.norm(colours - felt, axis=-1) for colours in shown)
    return np.asarray(np.minimum(middle, rim), np.float32)


def _presence(contrast: FloatArray, edge: FloatArray, needed: FloatArray | float) -> FloatArray:
    """(8, 8) over 1 where a middle stands out enough for a disc, and has its round edge."""
    presence = np.minimum(contrast / needed, edge / (ROUND * np.maximum(contrast, needed)))
    return np.asarray(presence, np.float32)


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


def _needed(middles: _Middles, noise: float) -> FloatArray:
    """(8, 8) contrast that a disc must have: half of what the board's own sure discs have.

    The two kinds each have their own, as felts are seldom halfway. Felt itself may differ by
    `noise`, Lab units.
    """
    contrast = middles.contrast
    needed = np.full(contrast.shape, noise, np.float32)
    is_sure = (contrast > 2 * noise) & (middles.edge > 2 * ROUND * contrast)
    lighter = _towards_white(middles.colour - middles.felt, is_sure)
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
