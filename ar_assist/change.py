"""Notice that the view no longer shows what was read: cell by cell, in a fraction of a ms.

The tracker rectifies every frame anyway; here its small grey picture is cut into the board's cells
and compared with the picture of the frame that was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.types import Homography, Mark, Reading, transform

CELL_PX = 8  # side of a cell in the compared pictures: detail finer than that is noise and blur
# A cell counts as changed when it differs by this share of the board's own contrast (a tile that
# goes or is covered differs by about all of it), …
CHANGE = 0.45
# …and by so many times what touches all cells: what blur and a small shift make of its detail, and
# what noise and fine moire make of any.
BLUR = 2.2
# Share of the contrast by which a tile has begun to go: a pale one soon differs by no more. Waves
# of strong moire make the typical cell differ by as much; BLUR times what they do is more.
BEGUN = 0.2
# Px that blur or a shift can make of a cell's detail (tracked clips: 0.3 at most); more is no blur
# but other content in most cells.
MOST_BLUR = 0.5
# Correlation of what a cell shows of its own, beyond what all have in common, with what it showed
# or another did: half of its variance.
ALIKE = 0.7
# Another's picture leaves less than this share of what the cell's own former one leaves
# unexplained: waves of moire and blur make a cell hardly liker to others than to itself.
UNEXPLAINED = 0.5
# Share of the cells with another picture than they had that show what others did, and how many at
# least: blur makes cells like none, and a move changes few. What was dealt its like, and the ground
# of holes, say nothing.
DEALT, FEWEST_DEALT = 1 / 3, 6
# Of its own picture a tile that is there shows at least so much: waves of strong moire make cells
# differ by as much as tiles that go, but do not look like what these showed.
SHOWN = 0.5
# Of the board's contrast: less is hardly a picture of a cell's own. Squares of plain colour show
# 0.07 in their seams, other ways round with every small shift; tiles with pictures 0.2 to 1.
OWN = 0.1
NOISE = 1.0  # grey levels: less is noise, as far as these small pictures have any
FAINT = 4.0  # grey levels: contrast taken for a board of hardly any
GAINS = (0.4, 2.5)  # of the exposure between two frames that can be compared
# A frame is drawn around the tile that the player has chosen. Its middle shows the picture it did,
# if it differs by no more than this share of what it shows: a tile that fades soon differs by more.
SAME_MIDDLE = 0.2
STILL = 0.15  # of the board's contrast: a tile that fades soon changes by more from look to look
# A pale tile that goes differs by less than others: of what it differs by from empty cells the same
# share counts, unless a still cell may differ by as much.
PALE = STILL / CHANGE
CHANGED_BOARD = 0.5  # share of changed cells from which it is another board altogether
# Cells of a line that tell how bright it is: no move changes as many as half of them.
LONG = 6
PATH_WIDTH = 0.5  # cells: what a path needs to be seen of the cells it crosses


T = TypeVar("T", bound=np.generic)


def cells(
    seen: NDArray[np.uint8], seen_from_plane: Homography, reading: Reading[Any]
) -> NDArray[np.float32]:
    """The board in a (H, W) grey picture, resampled: (rows · CELL_PX, cols · CELL_PX)."""
    rows, cols = reading.certainty.shape
    seen_from_grid = seen_from_plane @ reading.plane_from_grid
    grid_from_px = np.diag([1 / CELL_PX, 1 / CELL_PX, 1.0])
    grid_from_px[:2, 2] = 0.5 / CELL_PX
    board = cv2.warpPerspective(
        cv2.blur(seen, (3, 3)),
        seen_from_grid @ grid_from_px,
        (cols * CELL_PX, rows * CELL_PX),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(board, np.float32)


@dataclass(frozen=True, eq=False)
class Reference:
    """How a board's cells looked when they were read, and what follows from that alone."""

    picture: NDArray[np.float32]  # as `cells` makes it
    kinds: NDArray[np.integer[Any]]  # (rows, cols) as read: equal ones look alike

    @cached_property
    def contrast(self) -> float:
        """Grey levels of the board."""
        return _contrast(self.picture)

    @cached_property
    def going(self) -> NDArray[np.float32]:
        """(rows, cols) grey levels by which cells differ at most, as far as is known, if their tile
        goes: a typical empty cell is what they look like then. If a tile comes, an empty one
        differs by what the palest of them shows; of a board of few tiles that is more than the
        contrast, and a cursor is less."""
        going = np.full(self.kinds.shape, self.contrast, np.float32)
        empty = self.kinds == 0
        if empty.any() and not empty.all():
            cells = _cut(self.picture).swapaxes(1, 2)
            ground = np.median(cells[empty], axis=0)
            off = np.abs(cells - ground).mean((2, 3))
            going[~empty] = np.clip(off[~empty], PALE * self.contrast, self.contrast)
            going[empty] = max(off[~empty].min(), self.contrast)
        return going

    @cached_property
    def detail(self) -> NDArray[np.float32]:
        """(rows, cols) grey levels a px."""
        down, across = np.gradient(self.picture)
        return _by_cell(np.abs(down) + np.abs(across))

    @cached_property
    def in_middle(self) -> NDArray[np.float32]:
        """(rows, cols) grey levels that cells show in their middle."""
        middle = _middles(self.picture)
        off = np.abs(middle - middle.mean((1, 3), keepdims=True))
        return np.asarray(off.mean((1, 3)))

    @cached_property
    def own(self) -> _Own:
        """What cells show of their own."""
        return _Own.of(self.picture)

    @property
    def has_own(self) -> NDArray[np.bool_]:
        """(rows, cols): which cells show a picture of their own."""
        return np.asarray(self.own.length > max(OWN * self.contrast, NOISE) * CELL_PX)


@dataclass(frozen=True, eq=False)
class Compared:
    """A board's cells beside how they looked when they were read."""

    read: Reference
    now: NDArray[np.float32]  # as `cells` makes it
    restless: float = 0.0  # `usual` between looks at a board that did not change

    @cached_property
    def lit(self) -> NDArray[np.float32]:
        """`now` in the light of then."""
        return _lit_like(self.read.picture, self.now)

    @cached_property
    def _own(self) -> _Own:
        """What cells show of their own, now."""
        return _Own.of(self.lit)

    @cached_property
    def difference(self) -> NDArray[np.float32]:
        """(rows, cols) grey levels by which cells differ."""
        return _by_cell(np.abs(self.lit - self.read.picture))

    @cached_property
    def usual(self) -> float:
        """Share of the contrast by which the typical cell differs."""
        return float(np.median(self.difference)) / self.read.contrast

    def changed(self, share: float = CHANGE) -> NDArray[np.bool_]:
        """(rows, cols): which cells no longer look as they did when they were read, by a share of
        the board's contrast."""
        difference, detail = self.difference, self.read.detail
        least = share * self.read.going
        if self.dealt_anew.any():  # nothing touches all cells then
            differs = (difference > least) | self.dealt_anew
        else:
            blur = float(np.median(difference / (detail + FAINT)))
            waves = self.usual >= share and self._is_shown
            few = self.usual < share or waves  # else most cells have changed
            touched = BLUR * blur * (detail + FAINT) if few and blur < MOST_BLUR else 0.0
            noise = BLUR * self.usual * self.read.contrast if few else 0.0
            differs = difference > np.maximum(np.maximum(least, noise), touched)
            if waves:
                differs |= self._is_lost
        return np.asarray(differs & ~self._has_same_middle)

    @cached_property
    def _has_same_middle(self) -> NDArray[np.bool_]:
        """(rows, cols) cells whose middle shows something, and the same as before."""
        shown = self.read.in_middle
        off = np.abs(_middles(self.lit) - _middles(self.read.picture)).mean((1, 3))
        return np.asarray((shown > CHANGE / 2 * self.read.contrast) & (off < SAME_MIDDLE * shown))

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """(n,) of what `_tells` showed of their own, how much they show: the projection on it."""
        before, now, tells = self.read.own, self._own, self._tells
        both = np.einsum("rycx,rycx->rc", before.pictures, now.pictures)
        return np.asarray(both[tells] / np.square(before.length[tells]))

    @property
    def _tells(self) -> NDArray[np.bool_]:
        """(rows, cols) tiles that had a picture of their own."""
        return self.read.has_own & (self.read.kinds > 0)

    @cached_property
    def _is_shown(self) -> bool:
        """Whether most tiles that had a picture of their own still show it."""
        return len(self._shares) >= FEWEST_DEALT and bool(np.median(self._shares) >= SHOWN)

    @cached_property
    def _is_lost(self) -> NDArray[np.bool_]:
        """(rows, cols) tiles that show less of their picture than others do, by more than what
        touches all."""
        lost = np.zeros(self.read.kinds.shape, bool)
        off = 1 - self._shares / np.median(self._shares)  # waves take some contrast from all
        grey = np.abs(off) * self.read.own.length[self._tells]
        lost[self._tells] = (off > 1 - SHOWN) & (grey > BLUR * np.median(grey))
        return lost

    @cached_property
    def may_have_begun(self) -> NDArray[np.bool_]:
        """(rows, cols): which cells may have begun to look otherwise, with nothing allowed for what
        touches all but what always does: a camera that moves blurs them, but tiles that fly
        together do no less."""
        least = max(BEGUN, BLUR * self.restless) * self.read.contrast
        return np.asarray(self.difference > least)

    @property
    def may_fly(self) -> bool:
        """Whether cells are dealt anew; or most have begun to look otherwise, and many like others,
        if hardly more than like themselves: tiles may be on their way, or blur is all it is."""
        begun = is_another_board(self.may_have_begun) and _are_many(self._likeness.other > ALIKE)
        return begun or bool(self.dealt_anew.any())

    @cached_property
    def dealt_anew(self) -> NDArray[np.bool_]:
        """(rows, cols): cells that do not show what they did; none, unless many of those that had a
        picture of their own, and now have another, show that of others.

        Blur, noise and a hand make cells unlike what they were, but not like others. Waves of moire
        make them like their equals, over which these waves went before: others are of other kinds.
        """
        anew, own, other = self._likeness
        like_others = (other > ALIKE) & (1 - other < UNEXPLAINED * (1 - own))
        return anew & _are_many(like_others)

    @cached_property
    def _likeness(self) -> _Likeness:
        before, now, shows = self.read.own, self._own, self.read.has_own
        both = (before.length + NOISE) * (now.length + NOISE)
        alike = np.einsum("rycx,rycx->rc", before.pictures, now.pictures) / both
        anew = shows & (alike < ALIKE)
        if anew.sum() < FEWEST_DEALT:
            return _Likeness(anew, alike[anew], np.zeros_like(alike[anew]))
        likeness = now.units(anew) @ before.units(shows).T
        kinds = self.read.kinds
        likeness[kinds[anew][:, None] == kinds[shows]] = -1
        return _Likeness(anew, alike[anew], likeness.max(1))


class _Own(NamedTuple):
    """What cells show of their own, beyond what all have in common."""

    pictures: NDArray[np.float32]  # (rows, CELL_PX, cols, CELL_PX)
    length: NDArray[np.float32]  # (rows, cols) grey levels, times CELL_PX

    @classmethod
    def of(cls, picture: NDArray[np.float32]) -> _Own:
        """That of a picture as `cells` makes it."""
        own = _less_common(_cut(picture))
        return cls(own, np.sqrt(np.einsum("rycx,rycx->rc", own, own)))

    def units(self, where: NDArray[np.bool_]) -> NDArray[np.float32]:
        """(n, CELL_PX²) the pictures of (rows, cols) cells, each of length 1 but for noise."""
        flat = self.pictures.swapaxes(1, 2).reshape(where.size, -1)
        units: NDArray[np.float32] = flat[where.ravel()] / (self.length[where] + NOISE)[:, None]
        return units


class _Likeness(NamedTuple):
    """Of what cells show of their own."""

    anew: NDArray[np.bool_]  # (rows, cols): had such a picture, and do not show it any more
    own: NDArray[np.float32]  # (n,) correlations of these with what they showed, …
    other: NDArray[np.float32]  # … and with what one of another kind did, at most


def _are_many(like_others: NDArray[np.bool_]) -> bool:
    return bool(like_others.sum() >= max(FEWEST_DEALT, DEALT * len(like_others)))


def _less_common(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """(rows, px, cols, px) cells without their grey level and as much of what all have in common as
    each has of it: an empty cell has no frame."""
    off = cells - cells.mean((1, 3), keepdims=True)
    common = off.mean((0, 2))
    share = np.einsum("rycx,yx->rc", off, common) / (np.square(common).sum() + NOISE)
    own: NDArray[np.float32] = off - share[:, None, :, None] * common[:, None]
    return own


def still(before: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(rows, cols): which cells look as they did a moment `before`."""
    difference = _by_cell(np.abs(_lit_like(before, now) - before))
    return np.asarray(difference < STILL * _contrast(before))


def _contrast(picture: NDArray[np.float32]) -> float:
    return max(float(np.abs(picture - picture.mean()).mean()), FAINT)


def patched(
    picture: NDArray[np.float32], old: NDArray[np.float32], where: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """A board's picture with (rows, cols) cells of an older one, in the newer one's light; where
    most are older, nothing that is in both tells that light."""
    lit = old if is_another_board(where) else _lit_like(picture, old)
    return np.where(_by_px(where), lit, picture)


def is_another_board(changed: NDArray[np.bool_]) -> bool:
    """Whether so much changed that nothing that was read is left to trust."""
    return bool(changed.mean() >= CHANGED_BOARD)


def touches(
    changed: NDArray[np.bool_], marks: Sequence[Mark], reading: Reading[Any], spreads: bool = False
) -> bool:
    """Whether a change meets what the marks rest on: the cells they lie in or pass through.

    One that `spreads` meets the cells beside it too: pieces that slide along may look alike.
    """
    if is_another_board(changed):
        return True
    if spreads:
        changed = cv2.dilate(changed.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return bool((changed & _under(marks, reading)).any())


def _under(marks: Sequence[Mark], reading: Reading[Any]) -> NDArray[np.bool_]:
    """(rows, cols): the cells that the marks cover."""
    rows, cols = reading.certainty.shape
    covered = np.zeros((rows * CELL_PX, cols * CELL_PX), np.uint8)
    px_from_plane = np.diag([CELL_PX, CELL_PX, 1.0]) @ np.linalg.inv(reading.plane_from_grid)
    for mark in marks:
        points = np.rint(transform(px_from_plane, mark.points) - 0.5).astype(np.int32)
        if mark.kind == "path":
            cv2.polylines(covered, [points], False, 1, round(PATH_WIDTH * CELL_PX))
        elif len(points) >= 3:
            inner = np.rint(points.mean(0) + 0.5 * (points - points.mean(0))).astype(np.int32)
            cv2.fillConvexPoly(covered, inner, 1)
    return np.asarray(_by_cell(covered.astype(np.float32)) > 0)


def _by_cell(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Means of the cells: (rows · CELL_PX, cols · CELL_PX) → (rows, cols)."""
    means: NDArray[np.float32] = _cut(picture).mean(axis=(1, 3))
    return means


def _cut(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """(rows · CELL_PX, cols · CELL_PX) → (rows, CELL_PX, cols, CELL_PX)."""
    h, w = picture.shape
    return picture.reshape(h // CELL_PX, CELL_PX, w // CELL_PX, CELL_PX)


def _middles(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """(rows · CELL_PX, cols · CELL_PX) → (rows, CELL_PX / 2, cols, CELL_PX / 2)."""
    inner = slice(CELL_PX // 4, -CELL_PX // 4)
    return _cut(picture)[:, inner, :, inner]


def _by_px(cells: NDArray[T]) -> NDArray[T]:
    """(rows, cols) → (rows · CELL_PX, cols · CELL_PX), each cell's value over all of it."""
    return np.repeat(np.repeat(cells, CELL_PX, axis=0), CELL_PX, axis=1)


def _lit_like(read: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.float32]:
    """`now` in the light of `read`; without the bands of a screen that flickers before a rolling
    shutter, where these are most of what differs. They lie along rows, or columns of a turned one.
    """
    lit = _lit_evenly(read, now)
    off = _typical(lit - read)
    along = (0, 1) if off >= STILL * _contrast(read) else ()  # less needs no explaining
    unbanded = (_without_bands(read, now, axis) for axis in along)
    again = (_lit_evenly(read, picture) for picture in unbanded if picture is not None)
    return next((one for one in again if _typical(one - read) < off / 2), lit)


def _typical(difference: NDArray[np.float32]) -> float:
    """Grey levels by which the typical cell differs."""
    return float(np.median(_by_cell(np.abs(difference))))


def _without_bands(
    read: NDArray[np.float32], now: NDArray[np.float32], axis: int
) -> NDArray[np.float32] | None:
    """`now` without what dims or brightens whole lines of cells along an axis; None: they are too
    short to tell."""
    if now.shape[axis] < LONG * CELL_PX:
        return None
    ours, theirs = (_by_line(picture, axis) + FAINT for picture in (read, now))
    gain = np.median(theirs / ours, axis=axis, keepdims=True)
    size = np.where(np.arange(2) == axis, 1, now.shape)
    lines = cv2.resize(gain / np.median(gain), size[::-1].tolist()).reshape(size)
    unbanded: NDArray[np.float32] = now / lines
    return unbanded


def _by_line(picture: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Means of what each of the lines along an axis, half a cell wide, shows of each cell."""
    h, w = picture.shape
    high, wide = (CELL_PX // (1 + (other != axis)) for other in (0, 1))
    means: NDArray[np.float32] = picture.reshape(h // high, high, w // wide, wide).mean((1, 3))
    return means


def _lit_evenly(read: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.float32]:
    """`now` in the light of `read`: its exposure, and how bright it is around each cell.

    The exposure is taken from the half of the cells that differ least. Waves of moire and soft
    reflections go over many cells alike, so that the median around one (Tukey's) tells them; a tile
    that goes is an outlier there.
    """
    centred = now - np.median(now) + np.median(read)
    difference = _by_cell(np.abs(centred - read))
    alike = _by_px(difference <= np.median(difference))
    ours, theirs = read[alike], now[alike]
    mean, mean_now = ours.mean(), theirs.mean()
    both, own = ((theirs - mean_now) * (ours - mean)).mean(), ((theirs - mean_now) ** 2).mean()
    gain = np.clip((both + FAINT**2) / (own + FAINT**2), *GAINS)
    lit: NDArray[np.float32] = (now - mean_now) * np.float32(gain) + mean
    around = cv2.medianBlur(_by_cell(lit - read), 3)
    return lit - _by_px(np.asarray(around, np.float32))
