"""Clues out of glyphs: which digits form a number, which numbers a clue, and what else they may be.

Every line gets several guesses with a cost in nats (how much less likely than the best one), for
the rules of the game to choose from (repair.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ar_assist.games.ink import Glyph, Ink, patch_of
from ar_assist.games.nonogram.board import Clue, room
from ar_assist.games.nonogram.digits import NO_DIGIT, Probabilities, classify
from ar_assist.games.nonogram.layout import BESIDE, Layout
from ar_assist.games.nonogram.sheet import CLEAR, Sheet
from ar_assist.games.nonogram.strikes import parted

HEIGHTS = (0.7, 1.4)  # of the typical digit: other glyphs are dots, marks and letters
FAINT = 0.5  # of the depth of digits near by: weaker ink is texture beyond the sheet
PALE = 0.25  # …down to which it counts if it is most clearly a digit, of the others' height: apps
# dim the clues of complete lines
SAME_HEIGHT = 1.2  # ratio of heights
NEAR_BY = 7  # digits that tell how deep ink is where they stand: light falls off over a sheet
JOINED_WIDTH = 0.85  # of its height: a glyph wider than any digit may be two that touch
CUT_RANGE = (0.3, 0.7)  # of the width, where two joined digits are parted
CHAIN_STEP = 1.7  # of the usual step between numbers: a wider gap ends a clue
ODD_STEP = 1.35  # of the usual step: beyond a wider gap a title's words are as likely as a digit
FEW_STEPS = 3  # tell little of what is usual: so many of two heights, as most print it, speak too
DIGIT_STEP = (0.55, 1.9)  # of the digit height, between which digits part into numbers
USUAL_STEP = 1.0  # of the digit height: digits of one number stand at 0.6 to 0.85 in any font,
# those of two at least a space (a quarter of an em) further apart
GROUPS_APART = 0.2  # of the digit height: less parts no groups, a space is some 0.35
STEP_SCALE = 0.05  # of the digit height: how sharply the spacing tells
NO_DIGIT_PRIOR = 3.0  # nats: ink of a digit's size and depth at a digit's place is one, more often
# by so much than in the training, a fifth of which is no digit
MAX_COST = 9.0  # nats: less likely alternatives are dropped
BEAM = 40  # guesses kept per line


_Named = tuple[Glyph, Probabilities]  # (11,) its chances


@dataclass(frozen=True)
class Guess:
    """A possible clue; one that the digits look like, spaced as it may be, costs 0."""

    clue: Clue
    cost: float  # nats


@dataclass(frozen=True)
class _Digit:
    """A glyph of a clue: where it stands and its cost as each digit, and as none at all."""

    across: float  # px along the reading direction of a number (x)
    out: float  # px towards the outside of the clue area
    costs: NDArray[np.float32]  # (11,) nats
    glyph: Glyph


@dataclass(frozen=True)
class ClueReading:
    """Guesses for every row and column, best first, and the digits that they were made of."""

    rows: list[list[Guess]]
    cols: list[list[Guess]]
    glyphs: list[Glyph]


def read_clues(sheet: Sheet, layout: Layout) -> ClueReading | None:
    """The clues of the upright sheet's cells; None without digits."""
    glyphs, costs, height = _digits(sheet, layout)
    if not glyphs:
        return None
    x, y = np.array([glyph.centre for glyph in glyphs]).T
    left = (layout.left + sheet.origin[0]) * sheet.cell
    top = (layout.top + sheet.origin[1]) * sheet.cell
    row_of = np.floor((y + 0.5) / sheet.cell - sheet.origin[1]).astype(int)
    col_of = np.floor((x + 0.5) / sheet.cell - sheet.origin[0]).astype(int)
    rows = [
        [
            _Digit(x[i], left - x[i], costs[i], glyphs[i])
            for i in np.flatnonzero((row_of == r) & (x < left))
        ]
        for r in range(layout.top, sheet.rows)
    ]
    cols = [
        [
            _Digit(x[i], top - y[i], costs[i], glyphs[i])
            for i in np.flatnonzero((col_of == c) & (y < top))
        ]
        for c in range(layout.left, sheet.cols)
    ]
    nearest = BESIDE * sheet.cell
    if layout.reach > BESIDE:
        rows, cols = (
            _chains(lines, _depth(lines, nearest, height), height) for lines in (rows, cols)
        )
    else:
        rows, cols = (_chains(lines, nearest, height) for lines in (rows, cols))
    middle = _number_step(rows, height)
    return ClueReading(
        _unless_bare([_row_guesses(row, middle, height, len(cols)) for row in rows], rows),
        _unless_bare([_column_guesses(col, height, len(rows)) for col in cols], cols),
        [digit.glyph for line in (*rows, *cols) for digit in line],
    )


def _unless_bare(guesses: list[list[Guess]], digits: list[list[_Digit]]) -> list[list[Guess]]:
    """The guesses; none for lines without digits that are not just lines without blocks.

    At the border it is rather no line of the puzzle, or its clue was not seen: what stands there
    must clearly be a 0, and nothing else that is no clue. And who prints a 0 for one line without
    blocks does so for all.
    """
    zeros = any(
        own and line[0].clue == () for line, own in zip(guesses, digits, strict=True) if line
    )
    last = len(guesses) - 1
    found = []
    for i, (line, own) in enumerate(zip(guesses, digits, strict=True)):
        if i not in (0, last):
            found.append(line if own or not zeros else [])
        elif any(digit.costs[0] < -np.log(CLEAR) for digit in own):
            found.append(line)
        else:
            is_empty = bool(line) and line[0].clue == ()
            found.append([] if is_empty else [guess for guess in line if guess.clue])
    return found


def _digits(sheet: Sheet, layout: Layout) -> tuple[list[Glyph], NDArray[np.float32], float]:
    """The glyphs of the clue areas, joined ones parted; their costs; the typical height, px."""
    places = sheet.places()
    x, y = places.T
    outside = ((x < layout.left) & (y >= layout.top)) | ((y < layout.top) & (x >= layout.left))
    outside &= (x < sheet.cols) & (y < sheet.rows)
    near = outside & (x > layout.left - BESIDE) & (y > layout.top - BESIDE)
    seen = np.zeros((len(places), NO_DIGIT + 1), np.float32)
    seen[outside] = classify(sheet.patches(np.flatnonzero(outside)))
    likely = near & (seen[:, NO_DIGIT] < 0.5)
    if not likely.any():
        return [], seen[:0], 0.0
    height = float(np.median([sheet.glyphs[i].height for i in np.flatnonzero(likely)]))
    strength = sheet.strengths()
    strong = strength > FAINT * _usual_strength(places, strength, likely)
    heights = np.array([glyph.height for glyph in sheet.glyphs])
    alike = np.abs(np.log(heights / height)) < np.log(SAME_HEIGHT)
    pale = alike & (seen[:, :NO_DIGIT].max(axis=1) > CLEAR)
    pale &= strength > PALE * _usual_strength(places, strength, likely)
    glyphs: list[Glyph] = []
    chances = []
    for i in np.flatnonzero(outside & (strong | pale)):
        for glyph, chance in _named(sheet.ink, sheet.glyphs[i], seen[i], HEIGHTS[1] * height):
            is_digit = glyph.is_struck or chance[NO_DIGIT] < 0.98
            if is_digit and HEIGHTS[0] <= glyph.height / height <= HEIGHTS[1]:
                glyphs.append(glyph)
                chances.append(_as_digit(chance) if glyph.is_struck else chance)
    costs = -np.log(np.maximum(np.array(chances).reshape(-1, NO_DIGIT + 1), np.exp(-MAX_COST)))
    costs[:, NO_DIGIT] += NO_DIGIT_PRIOR
    return glyphs, costs.astype(np.float32), height


def _named(ink: Ink, glyph: Glyph, chance: Probabilities, highest: float) -> list[_Named]:
    """A glyph as one digit, as two that touch, or as those that a line joins: the likeliest."""
    whole = _cut(ink, glyph, chance)
    is_high = glyph.height > highest
    if glyph.is_struck or not (is_high or _is_wide(glyph)):
        return whole
    parts = parted(ink, glyph, longest=0)
    if parts == [glyph]:
        return whole
    chances = classify(np.stack([patch_of(ink, part) for part in parts]))
    joined = [
        named for part, own in zip(parts, chances, strict=True) for named in _cut(ink, part, own)
    ]
    return joined if is_high or _likeliest(joined) > _likeliest(whole) else whole


def _as_digit(chance: Probabilities) -> Probabilities:
    """(11,) what a sign is if it is a digit: what is struck is one, though the line hides which."""
    digits = chance[:NO_DIGIT] + np.float32(np.exp(-MAX_COST))
    return np.append(digits / digits.sum(), chance[NO_DIGIT])


def _likeliest(named: Sequence[_Named]) -> float:
    """The chance of glyphs being the digits that they most likely are."""
    return float(np.prod([chance[:NO_DIGIT].max() for _, chance in named]))


def _is_wide(glyph: Glyph) -> bool:
    return glyph.width >= JOINED_WIDTH * glyph.height


def _usual_strength(
    places: NDArray[np.float64], strength: NDArray[np.float32], likely: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """(N,) the depth of a digit at every glyph's place: the median of the likely ones nearest."""
    count = min(NEAR_BY, int(likely.sum()))
    nearest = cKDTree(places[likely]).query(places, k=range(1, count + 1))[1]
    return np.asarray(np.median(strength[likely][nearest], axis=1), np.float64)


def _cut(ink: Ink, glyph: Glyph, chance: Probabilities) -> list[_Named]:
    """A glyph, or two digits that touch, cut where both parts are digits most clearly.

    The thinnest ink tells less: it may be the middle of a 0.
    """
    whole = [(glyph, chance)]
    if not _is_wide(glyph):
        return whole
    low, high = (glyph.x0 + round(share * glyph.width) for share in CUT_RANGE)
    cuts = [
        (replace(glyph, x1=middle), replace(glyph, x0=middle + 1))
        for middle in range(max(low, glyph.x0 + 2), min(high, glyph.x1 - 3) + 1)
    ]
    if not cuts:
        return whole
    patches = np.stack([patch_of(ink, part) for parts in cuts for part in parts])
    chances = classify(patches).reshape(len(cuts), 2, -1)
    pairs = [list(zip(*each, strict=True)) for each in zip(cuts, chances, strict=True)]
    best = max(pairs, key=_likeliest)
    are_digits = all(chance[NO_DIGIT] < 0.5 for _, chance in best)
    return best if are_digits and _likeliest(best) > _likeliest(whole) else whole


def _depth(lines: list[list[_Digit]], nearest: float, height: float) -> float:
    """px from the grid to where the clues of all lines end, taken together: clues that begin
    further out than others are as deep as the longest, and between those are no wide gaps.
    """
    depth = nearest
    for out in sorted(digit.out for line in lines for digit in line):
        if out - depth > CHAIN_STEP * 2 * height:
            break
        depth = max(depth, out)
    return depth


def _chains(lines: list[list[_Digit]], nearest: float, height: float) -> list[list[_Digit]]:
    """Each line's digits outward from the grid, up to the first gap that is too wide.

    What stands off the steps of the sheet's own clues may be none; the rules will tell.
    """
    lines = [sorted(line, key=lambda digit: digit.out) for line in lines]
    steps = [b.out - a.out for line in lines for a, b in pairwise(line)]
    wide = [step for step in steps if step > USUAL_STEP * height]
    usual = float(np.median([*wide, *[2 * height] * FEW_STEPS]))
    odd = ODD_STEP * usual if len(wide) > FEW_STEPS else np.inf
    chains = []
    for line in lines:
        chain: list[_Digit] = []
        is_odd = False
        for digit in line:
            gap = digit.out - chain[-1].out if chain else digit.out
            if gap > (CHAIN_STEP * usual if chain else nearest):
                break
            is_odd = is_odd or (bool(chain) and gap > odd)
            chain.append(_perhaps_none(digit) if is_odd else digit)
        chains.append(chain)
    return chains


def _perhaps_none(digit: _Digit) -> _Digit:
    costs = digit.costs.copy()
    costs[NO_DIGIT] = min(costs)
    return replace(digit, costs=costs)


def _number_step(rows: list[list[_Digit]], height: float) -> float:
    """The distance, in digit heights, that parts digits of one number from those of two.

    The middle of the widest gap between the distances that occur, where they form two groups.
    """
    steps = np.sort([(b.out - a.out) / height for row in rows for a, b in pairwise(row)])
    steps = steps[(steps > DIGIT_STEP[0]) & (steps < DIGIT_STEP[1])]
    if len(steps) < 2 or np.diff(steps).max() < GROUPS_APART:
        return USUAL_STEP
    middles = (steps[1:] + steps[:-1]) / 2
    # Between two gaps alike the one nearer to what fonts do: a mild pull to the usual step.
    return float(middles[np.argmax(np.diff(steps) - 0.3 * np.abs(middles - USUAL_STEP))])


def _row_guesses(row: list[_Digit], middle: float, height: float, length: int) -> list[Guess]:
    digits = sorted(row, key=lambda digit: digit.across)
    if not digits:
        return [Guess((), 0.0)]
    joins = [(middle - (b.across - a.across) / height) / STEP_SCALE for a, b in pairwise(digits)]
    return _read(digits, [-np.inf, *joins], length)


def _column_guesses(column: list[_Digit], height: float, length: int) -> list[Guess]:
    """Digits of one height form a number, the highest number comes first."""
    numbers: list[list[_Digit]] = []
    for digit in sorted(column, key=lambda digit: -digit.out):
        if numbers and numbers[-1][-1].out - digit.out < 0.5 * height:
            numbers[-1].append(digit)
        else:
            numbers.append([digit])
    digits, joins = [], []
    for number in numbers:
        digits += sorted(number, key=lambda digit: digit.across)
        joins += [-np.inf, *[np.inf] * (len(number) - 1)]
    return _read(digits, joins, length)


def _read(digits: Sequence[_Digit], joins: Sequence[float], length: int) -> list[Guess]:
    """Beam search over what each glyph is and whether it joins the number before (log odds).

    Where the digits as they look fit no line of this length, all that does goes against them: the
    grid may be a line short.
    """
    beam: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, 0.0)}  # costs; of looks alone
    for digit, odds in zip(digits, joins, strict=True):
        longer: dict[tuple[int, ...], tuple[float, float]] = {}
        join, part = np.logaddexp(0, -odds), np.logaddexp(0, odds)  # costs
        for numbers, (cost, looks) in beam.items():
            options = [(numbers, 0.0, digit.costs[NO_DIGIT])]
            for value in range(10):
                options.append(((*numbers, value), part, digit.costs[value]))
                if numbers:
                    joined = (*numbers[:-1], 10 * numbers[-1] + value)
                    options.append((joined, join, digit.costs[value]))
            for option, spacing, look in options:
                price = float(cost + spacing + look)
                if option not in longer or price < longer[option][0]:
                    longer[option] = price, float(looks + look)
        ranked = sorted(longer.items(), key=lambda item: item[1])[:BEAM]
        beam = {option: each for option, each in ranked if each[0] - ranked[0][1][0] <= MAX_COST}
    found: dict[Clue, tuple[float, float]] = {}
    for numbers, each in beam.items():
        clue = () if numbers == (0,) else numbers
        if 0 not in clue and room(clue) <= length:
            found[clue] = min(each, found.get(clue, (np.inf, np.inf)))
    if not found:
        return []
    unlike = min(looks for _, looks in found.values()) - sum(min(d.costs) for d in digits)
    ranked_clues = sorted((cost, clue) for clue, (cost, _) in found.items())
    best = ranked_clues[0][0]
    return [Guess(clue, float(cost - best + unlike)) for cost, clue in ranked_clues]
