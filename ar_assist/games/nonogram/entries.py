"""What is entered in the cells of a nonogram: filled, crossed or open, told by colour.

Open cells look like the paper, whose light changes by little from cell to cell; filled ones all
differ from it in one way, whatever their colour; a mark is thin and leaves most of its cell as it
was. Or each of the three has a shade of its own: grey cells turn black or white.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import AgglomerativeClustering

from ar_assist.games.ink import MIN_CONTRAST, Glyph
from ar_assist.games.nonogram.board import CROSSED, DOUBTFUL, FILLED, UNKNOWN, Cells
from ar_assist.games.nonogram.layout import Layout
from ar_assist.games.nonogram.sheet import Sheet

INNER = 0.56  # of a cell's side: its middle, free of lines when the lattice is a little off
CROSS_INNER = 0.76  # likewise, as far out as bold crosses leave paper
CROSS_OUT = (0.2, 0.26, 0.32)  # of that middle, from its centre: where only the arms of a cross may
# be ink, small ones or large ones
CROSS_RING, CROSS_ASIDE = 0.18, 0.12  # … how far that goes, and half the width of what is asked
CROSS_OFF = 0.1  # of that middle: as far off its centre
CROSS_ENDS = 0.75  # quantile there that is ink: arms end at any length
CROSS_BARE = 0.7  # of the arms' depth: what is deeper between them all is rather filled
FILL_AT = 0.45  # of the way from paper to a filled cell; digits look paler than one does
MARK_AT = 0.15  # of the contrast of ink: marks are thin and often pale, paper is even
MARK_NOISE = 5.0  # times what paper differs from itself in the median: where that is less, paler
# marks stand out too. It reached 3 in the open cells of 45 pages
MARK_DEPTH = 3**0.5 * MIN_CONTRAST  # … but for what is too pale to be printed
MARK_AREA = (0.02, 0.07)  # of a cell's middle: below nothing, above a mark
MOST_FILLED = 1.3  # of the usual filled cell's difference from paper: what differs more is none
MOST_UNEVEN = 0.4  # of a filled cell that may differ from the rest of it: a line, if it lies askew
ASIDE = 0.25  # of that middle, from its centre: crosses and dots stand in a cell's centre
MARK_RATIO = 1.8  # between the area of a mark and of the usual one: what differs more is none
PALE = 0.5  # of the deepest mark: what is less is none of the same hand
ALIKE = 3  # filled cells or more tell what one looks like: a frame around it is no unevenness
STEP = 0.3  # of the contrast of ink: from one cell to the next, by light alone; entries differ more
REACH = 2.0  # cells: standard deviation of the neighbourhood that tells the paper's colour
TRACE = 1e-3  # weight of the whole board's paper there
ROUNDS = 3  # of telling what paper looks like and what is none
SLIPS = 0.05  # of the cells that a player fills, which are wrong: few who solve one make more
AGAINST = 5  # more wrong entries or fewer: seldom a player's, nor of what a hand covers
WHOLE = 0.8  # of a line: tinted where the cursor is
OVERFULL = 2  # bare cells of a line that is filled: one may be a slip
MARGIN = 3.0  # nats: fillings 20 times likelier by chance than by a player are no player's

Colours = NDArray[np.float32]  # (…, 3) BGR


def read_entries(
    picture: NDArray[np.uint8],
    sheet: Sheet,
    layout: Layout,
    digits: list[Glyph],
    known: Cells | None = None,
    open_shade: Colours | None = None,
) -> Entries:
    """What the cells hold.

    `picture` is the sheet in colour, (H, W, 3) sheet px. `known`: the cells that follow from the
    clues. Where clues are light on dark panels, cells may be dark on light, and crossed cells may
    have a shade of their own: all ways are tried, and that is right whose entries are likeliest a
    player's. `open_shade`: that of open cells, where it was told before from the others' shades.
    """
    colours = cv2.GaussianBlur(picture, (3, 3), 0).astype(np.float32)
    middles, wide = (_middles(colours, sheet, layout, inner) for inner in (INNER, CROSS_INNER))
    ink, clue_paper = _printed(colours, sheet, digits)
    ways = [_told(middles, wide, ink, clue_paper), _told(middles, wide, clue_paper, ink)]
    solved = np.zeros(middles.shape[:2], int) if known is None else np.array(known)
    best = max(ways, key=lambda way: way.odds(solved) - MARGIN * way.is_strange)
    contrast = float(np.linalg.norm(ink - clue_paper))
    if open_shade is not None or best.against(solved) >= AGAINST:
        shades = [
            way
            for way in _by_shade(middles, contrast)
            if not _by_chance(way.values, solved).any() and way.is_open_as(open_shade, contrast)
        ]
        likely = min(shades, key=lambda way: way.against(solved), default=best)
        gain = best.against(solved) - likely.against(solved)
        if open_shade is not None or gain >= AGAINST:
            best = likely
    chance = _by_chance(best.values, solved)
    best.certainty[chance] = 0
    filled = best.values == FILLED
    cursor = _whole_lines(chance & filled) | _whole_lines(filled, bare=solved < 0)
    best.values[cursor], best.certainty[cursor] = UNKNOWN, DOUBTFUL
    return best


def _whole_lines(
    marked: NDArray[np.bool_], bare: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """(rows, cols) those that make up most of their row or column; if it is told which are `bare`
    in the solution, of lines with several of them, for a player who fills most of a line rightly
    does not fill all of it.
    """
    rows, cols = (marked.mean(axis, keepdims=True) > WHOLE for axis in (1, 0))
    if bare is not None:
        overfull = ((marked & bare).sum(axis, keepdims=True) >= OVERFULL for axis in (1, 0))
        rows, cols = (line & is_over for line, is_over in zip((rows, cols), overfull, strict=True))
    return np.asarray(marked & (rows | cols))


def _by_chance(values: NDArray[np.int64], solved: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(rows, cols) entries of a kind whose solution is rather that of cells anywhere: what looks
    filled is the cursor's row and column then, or a shadow, what looks crossed a wallpaper's
    picture, and nothing that a player entered.
    """
    found = np.zeros(values.shape, bool)
    for entry in FILLED, CROSSED:
        entered, rightly = values == entry, solved * entry
        bare, wrong, right = (
            int(np.count_nonzero(cells == value))
            for cells, value in ((rightly, -1), (rightly[entered], -1), (rightly[entered], 1))
        )
        chance = np.clip(bare / max(int(np.count_nonzero(rightly)), 1), SLIPS, 1 - SLIPS)
        found |= entered & (_odds_of_player(right, wrong, float(chance)) < -MARGIN)
    return found


def _odds_of_player(right: int, wrong: int, chance: float) -> float:
    """Log odds that a player, who slips now and then, made entries, so many of them right and
    wrong, and not chance, by which such a share is wrong."""
    of_right, of_wrong = np.log((1 - SLIPS) / (1 - chance)), np.log(SLIPS / chance)
    return float(right * of_right + wrong * of_wrong)


@dataclass(frozen=True, eq=False)
class Entries:
    """One way to tell what the cells hold."""

    values: NDArray[np.int64]  # (rows, cols)
    certainty: NDArray[np.float32]  # (rows, cols)
    is_strange: bool  # whether open cells differ from the clues' paper by more than by light
    open_shade: Colours | None = None  # (3,) where it is told by the shades of all

    def is_open_as(self, shade: Colours | None, contrast: float) -> bool:
        """Whether open cells still have that shade, if any was known."""
        if shade is None or self.open_shade is None:
            return shade is None
        return float(np.linalg.norm(self.open_shade - shade)) < STEP * contrast

    def against(self, solved: NDArray[np.int64]) -> int:
        """How many entries are wrong. (rows, cols), zero where the solution is not known."""
        return int(np.count_nonzero(self.values * solved == -1))

    def odds(self, solved: NDArray[np.int64]) -> float:
        """Log odds that a player made these entries, and not chance, by which half are wrong.
        (rows, cols), zero where the solution is not known."""
        right = int(np.count_nonzero(self.values * solved == 1))
        return _odds_of_player(right, self.against(solved), chance=0.5)


def _by_shade(middles: Colours, contrast: float) -> list[Entries]:
    """The ways in which two or three shades of cells may be open, crossed and filled ones.

    A shade is what small steps lead to: single linkage.
    """
    level = np.median(middles, axis=2)
    linkage = AgglomerativeClustering(
        n_clusters=None, distance_threshold=MARK_AT * contrast, linkage="single"
    )
    shade = linkage.fit_predict(level.reshape(-1, 3)).reshape(level.shape[:2])
    if shade.max() not in (1, 2):
        return []
    colours = np.stack([level[shade == number].mean(0) for number in range(shade.max() + 1)])
    apart = np.linalg.norm(middles[:, :, :, None] - colours, axis=-1)
    other = (apart.argmin(-1) != shade[..., None]).mean(2)
    certainty = np.asarray(np.clip(1 - other / MOST_UNEVEN, 0, 1), np.float32)
    return [
        Entries(np.array(way)[shade], certainty, True, colours[way.index(UNKNOWN)])
        for way in permutations((UNKNOWN, CROSSED, FILLED), len(colours))
        if {UNKNOWN, CROSSED} <= set(way)
    ]


def _told(middles: Colours, wide: Colours, ink: Colours, clue_paper: Colours) -> Entries:
    """The cells, if ink and paper of the clues are those of the cells."""
    level = np.median(middles, axis=2)
    contrast = float(np.linalg.norm(ink - clue_paper))
    depth, blank = _depth(level, ink, clue_paper)
    bold, is_dark = np.zeros(depth.shape, np.float32), depth > FILL_AT
    light = _light(level, blank)[is_dark, None]
    bold[is_dark] = _bold_crosses(np.linalg.norm(wide[is_dark] - light, axis=-1))
    strays = middles - level[:, :, None]
    apart = np.linalg.norm(strays, axis=-1)
    # the other way it is a reflection
    is_mark, is_pale = _marks(apart, strays @ (ink - clue_paper) > 0, contrast, depth <= FILL_AT)
    values = np.full(level.shape[:2], UNKNOWN)
    values[_is_marked(is_mark)] = CROSSED
    values[depth > FILL_AT] = FILLED
    values[bold >= DOUBTFUL] = CROSSED
    uneven = (apart > MARK_AT * contrast).mean(2)
    if (filled := values == FILLED).sum() >= ALIKE:
        unlike = np.linalg.norm(middles - np.median(middles[filled], axis=0), axis=-1)
        uneven[filled] = np.minimum(uneven, (unlike > MARK_AT * contrast).mean(2))[filled]
    marks = is_mark.mean(2)
    certainty = np.where(bold > 0, bold, _certainty(depth, marks, uneven))  # either is doubtful
    is_slight = (values == UNKNOWN) & (marks > MARK_AREA[0])
    certainty[is_pale | (is_slight & _is_aside(is_mark))] = 0
    if is_slight.sum() >= (crossed := values == CROSSED).sum():
        certainty[crossed] = 0  # the paper has a picture
    away = float(np.linalg.norm(level[blank].mean(0) - clue_paper)) if blank.any() else np.inf
    return Entries(values, certainty, away > STEP * contrast)


def _bold_crosses(far: NDArray[np.float32]) -> NDArray[np.float32]:
    """(K,) how surely each cell holds two bold strokes that cross: 0 if there are none.

    They may cover most of its middle, but not the middles of its four sides. `far`: (K, N) how much
    the places in a square within every cell differ from paper.
    """
    y, x = (
        place - np.clip(far @ place / np.maximum(far.sum(1), 1), -CROSS_OFF, CROSS_OFF)[:, None]
        for place in _places(far.shape[1])
    )
    out, aside = np.maximum(abs(x), abs(y)), np.minimum(abs(x), abs(y))
    quarter, side = (x > 0) + 2 * (y > 0), (x > y) + 2 * (x > -y)
    shares = []
    for begin in CROSS_OUT:
        ring = (out > begin) & (out < begin + CROSS_RING)
        arm, between = ring & (out - aside < CROSS_ASIDE), ring & (aside < CROSS_ASIDE)
        arms = [np.where(arm & (quarter == number), far, np.nan) for number in range(4)]
        sides = [np.where(between & (side == number), far, np.nan) for number in range(4)]
        ink = np.nanquantile(arms, CROSS_ENDS, axis=2).min(0)
        shares.append(np.nanmean(sides, axis=2).max(0) / np.maximum(ink, 1))
    return np.asarray(np.clip(1 - np.min(shares, axis=0) / CROSS_BARE, 0, 1), np.float32)


def _marks(
    apart: Colours, toward: NDArray[np.bool_], contrast: float, is_open: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """What is a mark's, (rows, cols, N), and the cells that only what is paler would make marked.

    One hand or program makes all marks; a wallpaper that shows through is paler than they are.
    """
    is_mark = toward & (apart > _least_mark(apart, contrast))
    marked = is_open & _is_marked(is_mark)
    if not marked.any():
        return is_mark, marked
    depth = np.where(is_mark, apart, 0).sum(2) / np.maximum(is_mark.sum(2), 1)
    is_mark &= apart > PALE * depth[marked].max()
    return is_mark, marked & ~_is_marked(is_mark)


def _is_marked(is_mark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(rows, cols) whether there is enough of a mark in a cell's middle."""
    return np.asarray((is_mark.mean(2) > np.mean(MARK_AREA)) & ~_is_aside(is_mark))


def _least_mark(apart: Colours, contrast: float) -> float:
    """How much marks differ from the cells that they are in; `apart`: what all cells do."""
    noise = MARK_NOISE * float(np.median(apart))
    return float(min(MARK_AT * contrast, max(noise, MARK_DEPTH)))


def _is_aside(is_mark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(rows, cols) whether what is other lies beside a cell's middle, as a bold line's blur does.

    `is_mark`: (rows, cols, N) in the square middle of every cell.
    """
    total = np.maximum(is_mark.sum(2), 1)
    y, x = (is_mark @ place / total for place in _places(is_mark.shape[2]))
    return np.asarray(np.hypot(x, y) > ASIDE)


def _places(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(count,) y and x of places in a square, from its middle and as shares of its side."""
    side = round(np.sqrt(count))
    at = (np.arange(side) + 0.5) / side - 0.5
    y, x = np.meshgrid(at, at, indexing="ij")
    return y.ravel(), x.ravel()


def _certainty(
    depth: NDArray[np.float32], marks: NDArray[np.float32], uneven: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How far each cell is from the nearest border between two values, 0 to 1.

    Filled cells are alike and even, and so are marks: a lamp's reflection is brighter, and a cell
    that a hand or a shadow covers in part has two colours.
    """
    fill = np.abs(depth - FILL_AT) / FILL_AT
    alike, even = (MOST_FILLED - depth) / (MOST_FILLED - 1), 1 - uneven / MOST_UNEVEN
    filled = np.minimum(fill, np.minimum(alike, even))
    low, high = MARK_AREA
    mark = np.abs(marks - (low + high) / 2) / (high - low) * 2
    crossed = (depth <= FILL_AT) & (marks > (low + high) / 2)
    if crossed.any():
        usual = np.median(marks[crossed])
        unlike = np.abs(np.log(np.maximum(marks, low) / usual)) / np.log(MARK_RATIO)
        mark = np.where(crossed, np.minimum(mark, 1 - unlike), mark)
    either = np.where(depth > FILL_AT, filled, np.minimum(fill, mark))
    return np.asarray(np.clip(either, 0, 1), np.float32)


def _middles(colours: Colours, sheet: Sheet, layout: Layout, inner: float) -> Colours:
    """(rows, cols, N, 3) what is in the middle of every cell, so much of its side."""
    offsets = np.linspace(-inner / 2, inner / 2, max(7, round(inner * sheet.cell)))
    rows = np.arange(layout.top, sheet.rows)[:, None] + 0.5 + offsets
    cols = np.arange(layout.left, sheet.cols)[:, None] + 0.5 + offsets
    ys = np.rint((rows + sheet.origin[1]) * sheet.cell - 0.5).astype(int)
    xs = np.rint((cols + sheet.origin[0]) * sheet.cell - 0.5).astype(int)
    cut = colours[ys[:, :, None, None], xs[None, None]]  # row, dy, column, dx, channel
    return np.asarray(cut.transpose(0, 2, 1, 3, 4).reshape(len(rows), len(cols), -1, 3), np.float32)


def _printed(colours: Colours, sheet: Sheet, digits: list[Glyph]) -> tuple[Colours, Colours]:
    """(3,) the colour of the clues' ink, and of the paper that they are printed on."""
    inks, papers = [], []
    for glyph in digits:
        area = np.s_[max(glyph.y0 - 1, 0) : glyph.y1 + 1, max(glyph.x0 - 1, 0) : glyph.x1 + 1]
        cut, weight = colours[area].reshape(-1, 3), sheet.ink[area].ravel()
        inks.append(cut[weight >= np.quantile(weight, 0.9)].mean(0))
        papers.append(cut[weight <= np.quantile(weight, 0.1)].mean(0))
    return np.median(inks, axis=0), np.median(papers, axis=0)


def _depth(
    level: Colours, ink: Colours, clue_paper: Colours
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """(rows, cols) how far each cell is from open, 0, to filled, 1; and which look like paper."""
    contrast = float(np.linalg.norm(ink - clue_paper))
    blank = _paper_like(level, clue_paper, STEP * contrast)
    way, full = (ink - clue_paper) / contrast, contrast
    for _ in range(ROUNDS):
        apart = level - _light(level, blank)
        far = np.linalg.norm(apart, axis=-1)
        # A cursor's cells may outnumber the filled ones: these differ towards the ink.
        is_full = apart @ (ink - clue_paper) > 0
        is_full &= far > FILL_AT * max(contrast, float(far.max()))
        filled = np.median(apart[is_full], axis=0) if is_full.any() else np.zeros(3)
        length = float(np.linalg.norm(filled))
        if length > FILL_AT * contrast:  # lighter and darker ones cancel out
            way, full = filled / length, length
        blank = far < FILL_AT * full
    return np.asarray(apart @ way / full, np.float32), np.asarray(blank)


def _paper_like(level: Colours, clue_paper: Colours, step: float) -> NDArray[np.bool_]:
    """(rows, cols) the cell likest to the clues' paper, and what small steps lead to from there.

    Light falls off by little from cell to cell, however much it does over the sheet.
    """
    cells = np.arange(level.shape[0] * level.shape[1]).reshape(level.shape[:2])
    joins = []
    for one, other in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        is_near = np.linalg.norm(level[one] - level[other], axis=-1) < step
        joins.append(np.stack([cells[one][is_near], cells[other][is_near]]))
    rows, cols = np.concatenate(joins, axis=1)
    links = coo_array((np.ones(len(rows)), (rows, cols)), shape=(cells.size, cells.size))
    part = connected_components(links, directed=False)[1].reshape(cells.shape)
    nearest = np.linalg.norm(level - clue_paper, axis=-1).argmin()
    return np.asarray(part == part.flat[nearest])


def _light(level: Colours, blank: NDArray[np.bool_]) -> Colours:
    """(rows, cols, 3) the paper's colour everywhere: that of the blank cells around.

    Normalised convolution (Knutsson & Westin 1993).
    """
    known = blank[..., None].astype(np.float32)
    weight = cv2.GaussianBlur(known, (0, 0), REACH, borderType=cv2.BORDER_CONSTANT)
    total = cv2.GaussianBlur(level * known, (0, 0), REACH, borderType=cv2.BORDER_CONSTANT)
    mean = level[blank].mean(0)  # where none is near
    return np.asarray((total + TRACE * mean) / (weight[..., None] + TRACE), np.float32)
