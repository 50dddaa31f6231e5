"""The frame that tiles share: how they are made, and cells that are not made so.

Cells are (N, CELL, CELL, 3) as `straightened` cuts them, masks and values (N,).
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games import tiles
from ar_assist.games.link.colours import Mask, is_one_ground
from ar_assist.games.link.ground import BLEED, Shown
from ar_assist.games.tiles import CELL, NOISE, Array

RIM = 6  # px of a cell's rim in which tiles are alike
NARROWER = 4, 2  # px of the rim that may be frame where large pictures leave little of it
PARTED = 0.9  # Youden's J of a frame that tells: narrower ones are not tried
MISFIT = 1.3  # times the rim of nearly all tiles: no tile of this board
NO_MISFIT = 0.1  # spreads: less is none
GAP = 0.3  # e-folds of misfit between tiles and ground: a wider gap is no better
FEWEST = 8  # tiles that are known by the frame they share: fewer pieces of a picture may have one
# Of how far their faces are apart: rims of tiles with a frame are nearer. On 48 boards before
# photographs these few are under 0.35 in 95 of 100, in 119 grids laid over mere pictures over 0.45.
FRAMED = 0.4
MOST = 0.8  # of the cells around a board are none of its tiles
FAINT = 0.4  # of the contrast in the rims of tiles: no frame
CLIP = 5.0  # spreads: one hint mark or pointer must not decide about a rim
# Px of a cell's side, from its border inward, that show a bevel or an edge (the outermost is mixed
# with the neighbour's), and further in what they are compared with; along it, without the corners.
SIDE_PX, INWARD_PX, ALONG = slice(1, 4), slice(5, 9), slice(CELL // 6, -CELL // 6)
LEAST_RELIEF = 2.5  # spreads: then a tile hardly shows less than a quarter of it by chance
HALF, QUARTER = 0.5, 0.25  # of that relief
NEARLY_ALL = 0.9  # of the tiles show half of a relief that parts them from ground


class Frame(NamedTuple):
    """What tiles have in common and ground has not. (N,) each."""

    off: Array  # of it, times what parts tiles from ground
    proved: Mask  # tiles, though they may have the colour of the ground
    shared: Mask  # it may be that of the tiles around, or of what lies behind
    open_: Mask  # a side has no border at all


class Relief(NamedTuple):
    """A bevel or an edge that tiles share, around faces of any colour and texture."""

    share: Array  # (N,) of it that cells have
    is_clear: bool  # it parts tiles from ground

    def frame(self, quiet: Mask) -> Frame:
        """The same as a frame; cells are `quiet` (N, 4) at sides where they run on."""
        off = np.asarray(np.maximum(1 - self.share, 0) / HALF, np.float32)
        return _by_itself(off, (off <= 1) & ~quiet.any(1))


def _by_itself(off: Array, proved: Mask) -> Frame:
    """A frame of which every cell has its own."""
    none = np.zeros_like(proved)
    return Frame(off, proved, none, none)


def misfit(cells: Array, sure: Mask, rim: int = RIM) -> Array:
    """(N,) how far the rims of cells are off those of `sure` tiles, in usual spreads, to CLIP."""
    row, col = np.nonzero(ring(rim))
    by_px = cells.reshape(len(cells), CELL * CELL, 3)
    rims: Array = np.zeros((len(cells), len(row), 3), np.float32)
    for down, along in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)):
        rims += by_px.take((row + down) % CELL * CELL + (col + along) % CELL, axis=1)
    rims = rims.reshape(len(cells), -1) / np.float32(5)
    usual = tiles.common(rims[sure])
    spread = np.hypot(1.48 * tiles.common(np.abs(rims[sure] - usual)), NOISE)
    off: Array = np.sqrt((np.minimum(np.abs(rims - usual) / spread, CLIP) ** 2).mean(1))
    return off


def frame(cells: Array, inside: Mask, empty: Mask, plain: Mask) -> Frame | None:
    """The frame that rims of cells show; None: none tells.

    Blurred pictures reach into the rim: where it parts cells, but not well, a narrower one may.
    """
    sure = inside & ~plain
    is_most = 2 * sure.sum() > (inside & ~empty).sum()
    bare = cells[inside & ~empty & plain]
    if not is_most and not (sure.sum() >= FEWEST and are_of_one_colour(bare)):
        return None  # a board of plain squares: sockets of tiles that are gone have one colour

    def parted(rim: int) -> tuple[float, Array, float] | None:
        off = misfit(cells, sure, rim)
        found = _frame_limit(off, inside, empty, plain)
        return found and (found[0], off, found[1])

    best = parted(RIM)
    if best and best[0] <= PARTED:
        best = max([best, *filter(None, map(parted, NARROWER))], key=lambda found: found[0])
    if best is None or best[0] <= PARTED:
        best = _frame_of_few(cells, sure, inside) or best
    if best is None:
        return None
    _, off, most = best
    times = off / max(most, 1e-6)  # drawn tiles have the very same rim
    return _by_itself(times, np.zeros_like(inside))  # its colour alone is the ground's


def relief(cells: Array, inside: Mask, empty: Mask) -> Relief | None:
    """The relief that tiles inside share, but for what is known to be empty; None: there is none.

    A matched filter: each side and depth counts by how far most cells inside have it in common.
    """
    shown, sure = _profiles(cells), inside & ~empty
    if sure.sum() < FEWEST:
        return None
    usual = np.median(shown[sure], 0)
    spread = np.hypot(1.48 * np.median(np.abs(shown[sure] - usual), 0), NOISE)
    weight = usual / spread**2
    energy = float(usual @ weight)
    if energy < LEAST_RELIEF**2:
        return None
    share = (shown @ weight / energy).astype(np.float32)
    share = np.where(share < -1, -share, share)  # gaps are dark around a pale face amid dark ones
    shared = (share[sure] > HALF).mean()
    if shared < MOST:
        return None
    has_none = (share < HALF) | (share > 1 / HALF)  # more is a picture of another thing
    grounds = (has_none[ground] for ground in (~inside, inside & empty) if ground.any())
    parts = shared > NEARLY_ALL and max(ground.mean() for ground in grounds) > MOST
    return Relief(share, bool(parts))


def _profiles(cells: Array) -> Array:
    """(N, K) what each side of cells shows, depth by depth, off what lies further in."""
    turned = [np.rot90(cells, turn, (1, 2))[:, :, ALONG] for turn in range(4)]
    sides = [side[:, SIDE_PX].mean(2) - side[:, INWARD_PX].mean((1, 2))[:, None] for side in turned]
    return np.stack(sides, 1).reshape(len(cells), -1)


def are_of_one_colour(cells: Array) -> bool:
    """Whether the faces of cells are, but for the light."""
    return is_one_ground(tiles.level(tiles.face(cells)))


def _frame_of_few(cells: Array, sure: Mask, inside: Mask) -> tuple[float, Array, float] | None:
    """The same where most of the `sure` pictures are no tiles but pieces of what lies behind.

    Tiles are known by having one frame around different pictures, while no two pieces have: by the
    few that are most alike in that, and then by all that are made as these (Otsu's cut, 1979).
    """
    rim = NARROWER[-1]  # pictures hardly reach there, and few tiles can't tell how far they do
    few = _framed_alike(cells, np.flatnonzero(sure), rim) if sure.sum() >= 2 * FEWEST else None
    if few is None:
        return None
    off = misfit(cells, few, rim)
    levels = (off * (255 / CLIP)).astype(np.uint8)
    most, _ = cv2.threshold(levels[sure | ~inside], 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    fit = sure & (levels <= most)
    if not FEWEST <= fit.sum() <= sure.sum() / 2:
        return None
    off = misfit(cells, fit, rim)
    parts, limit = _parting(off, fit, ~fit)
    return (parts, off, limit) if parts > PARTED and (off[~inside] > limit).mean() > MOST else None


def _framed_alike(cells: Array, places: NDArray[np.intp], rim: int) -> Mask | None:
    """(N,) the FEWEST of the cells at these places whose rims are most alike, for how unlike their
    faces are; None where no frame does so."""
    outer = ring(rim)
    share = _apart(cells[places][:, outer]) / _apart(cells[places][:, ~outer])
    np.fill_diagonal(share, np.inf)
    nearest = np.argsort(share, axis=1, kind="stable")[:, : FEWEST - 1]
    shares = np.take_along_axis(share, nearest, 1).mean(1)
    first = int(shares.argmin())
    if shares[first] > FRAMED:
        return None
    alike = np.zeros(len(cells), bool)
    alike[places[[first, *nearest[first]]]] = True
    return alike


def _apart(parts: Array) -> Array:
    """(N, N) grey levels between the parts (N, K, 3) of cells, root mean square; NOISE at least."""
    flat = parts.reshape(len(parts), -1)
    mean = tiles.squared(flat, flat) / flat.shape[1]
    return np.asarray(np.sqrt(np.maximum(mean, NOISE**2)), np.float32)


def _frame_limit(off: Array, inside: Mask, empty: Mask, plain: Mask) -> tuple[float, float] | None:
    """How well a misfit parts tiles from ground, and which; None where none tells.

    It parts pictures inside from what is `empty` or lies around.
    """
    picture, bare = inside & ~plain, ~inside | empty
    parts, limit = _parting(off, picture, bare)
    fit = off < limit
    is_frame = (
        (~fit[~inside]).mean() > MOST
        and (fit & inside & plain).sum() < (fit & inside).sum() / 2  # else plain squares: no frame
        and (fit & picture).sum() > picture.sum() / 2
        and (fit & inside & empty).sum() <= (inside & empty).sum() / 2
    )
    return (parts, limit) if is_frame else None


def _parting(off: Array, picture: Mask, bare: Mask) -> tuple[float, float]:
    """How well a misfit parts pictures from what is bare at best (Youden's J, 1950), and which:
    as many of the one below it as may be, as few of the other, and in a gap."""
    order = np.argsort(off)
    below = np.cumsum(picture[order]) / picture.sum() - np.cumsum(bare[order]) / bare.sum()
    gap = np.diff(np.log(off[order] + NO_MISFIT))
    cut = int((below[:-1] + np.minimum(gap, GAP)).argmax())
    return float(below[cut]), float(np.sqrt(off[order[cut]] * off[order[cut + 1]]))


def misfits(off: Array, sure: Mask, seen: Shown) -> Mask:
    """(N,) cells that are not made as the `sure` tiles are: rim, borders or contrast differ."""
    sides, contrast = seen.quiet.sum(1), seen.contrast
    unlike: Mask = (
        (off > MISFIT * np.quantile(off[sure], 0.95))
        | (sides > np.quantile(sides[sure], 0.95))
        | (contrast > 2 * np.quantile(contrast[sure], 0.95) + NOISE)
    )
    return unlike


def frameless(cells: Array, sure: Mask) -> Mask:
    """(N,) cells with much less contrast in the rim than nearly all `sure` tiles have.

    None, where there are no such tiles or these show no more than noise there.
    """
    inner = ring() & ~ring(BLEED)
    edge = tiles.detail(tiles.opponent(cells)[0])[:, inner].std(1)
    least = np.quantile(edge[sure], 0.1) if sure.any() else 0.0
    bare: Mask = (edge < FAINT * least) & (least > NOISE)
    return bare


def ring(rim: int = RIM) -> Mask:
    """(CELL, CELL) the px of a cell's rim."""
    outer = np.ones((CELL, CELL), bool)
    outer[rim:-rim, rim:-rim] = False
    return outer
