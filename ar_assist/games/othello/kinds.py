"""Tell discs by likeness: nearly all squares of a board are of three kinds, however they look.

What `discs.py` knows of felt and of discs holds for most boards. Programs draw others: bevelled or
scooped squares, white discs that are outlines on white, orange against blue, grey discs on empty
squares. There each square is held against the other squares as a whole. The middle four are taken
in every game, so the kind that is not among them is the empty one; where one colour has all four,
it's the kind that has no round edge. Discs are round all the same, and about as large as each
other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.board import BLACK, START, WHITE
from ar_assist.games.othello.canonical import CELL, MARGIN, SIZE, FloatArray
from ar_assist.games.othello.felt import DISTINCT, NOISES
from ar_assist.games.othello.ghosts import are_legal_moves, side_shown
from ar_assist.games.othello.laid import unplayable
from ar_assist.games.othello.outlines import Outline, are_discs, edge_of, outline_of

ROUNDS = 4  # of dealing squares to kinds and of fitting the light: they settle in two or three
APART = 3.0  # times what a square differs from its kind: by less, two kinds are one …
FAINTEST = 5.0  # Lab units: … and where they differ nowhere by as much; white on pale grey does
CORNER_PX = range(3, 7)  # from a square's sides: between its lines and any disc
PLAINER = 0.5  # of the edges of discs: no more has an empty square there that is told by that
FACE = 0.3  # share of the faces of discs in which two colours differ; marks take up to a fifth
UNMARKED = 0.7  # share of where two kinds differ that no mark hides
LIKE, HALFWAY = 0.2, 0.4  # of the way from its own kind to another: sure, and of neither
EXPLAINED, STRANGE = 0.9, 0.8  # share of a square that is like its kind, the rest being marks or
# blur: sure, and of no kind, for a slip of paper on a disc is unlike a fifth of it
LINED, COVERED = 0.6, 0.4  # likewise of each side, where something that hides a disc hides a line
SIDE_PX = 3  # of the square: the half of a line that belongs to it
MOST_OF_IT = 0.6  # share of a square beyond the border, where frames or pages lie beside it
REACH_PX = 0.3 * CELL  # from the middle of a square: signs that name it stand further out
NO_KIND = 0.5  # certainty below which a square is neither a disc nor like most empty ones
SHADE = 10.0  # L*: by less, shade does not tell which discs are black; by twice as much it does
DOT = 0.95  # quantile of what a middle differs by from its kind: the smallest dots take so little
MIDDLE = np.flatnonzero(START.cells)  # the squares that are taken when a game begins
_Y, _X = (np.mgrid[:SIZE, :SIZE] * 2 / (SIZE - 1) - 1).reshape(2, -1)
TONE = np.indices((SIZE, SIZE)).sum(axis=0).ravel() % 2  # (64,) of squares that may be chequered
CENTRE = np.hypot(*(np.indices((CELL, CELL)) - (CELL - 1) / 2).reshape(2, -1)) < REACH_PX  # (P,)
_NEAR = np.minimum(np.arange(CELL), CELL - 1 - np.arange(CELL))  # px to the nearer side
_AT_SIDE = np.isin(_NEAR, CORNER_PX)
IN_CORNERS = np.logical_and.outer(_AT_SIDE, _AT_SIDE).ravel()  # (P,) of a square
LIGHT = np.stack([np.ones_like(_X), _X, _Y, _X**2, _Y**2, _X * _Y], axis=1)  # (64, 6) smooth
EMPTY = 2  # the last of the kinds, once they are told


@dataclass(frozen=True, eq=False)
class Alike:
    """What the 64 squares hold by their kinds."""

    colours: NDArray[np.int64]  # (8, 8) 0 empty, 1 black, 2 white
    certainty: FloatArray  # (8, 8) 0 to 1
    outside: int  # discs like these beyond a side of the border

    @property
    def is_sure(self) -> bool:
        return bool(self.certainty.min() >= NO_KIND)


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Squares dealt to three kinds; P px of a square."""

    looks: FloatArray  # (3, P, 3) L*a*b*
    squares: FloatArray  # (64, P, 3) likewise, as if lit evenly
    kind: NDArray[np.int64]  # (64,) the nearest
    distinct: float  # Lab units by which kinds differ where one has a disc; at least
    noise: float  # … and by which what is of a kind may differ from it
    outlines: tuple[Outline, ...] = ()  # of the two that are discs, once they are told, …
    are_round: bool = False  # … and whether they look like discs


def alike(board: FloatArray) -> Alike | None:
    """The 64 squares of a canonical picture by their kinds; None if these are none of a board.

    They are dealt to kinds from several beginnings, and what these tell must not differ.
    """
    cells = _cells(np.asarray(cv2.blur(board, (3, 3)), np.float32))
    squares = _evened(cells[1:-1, 1:-1].reshape(SIZE * SIZE, -1, 3))
    dealt = [_dealt(squares, seeds) for seeds in _beginnings(_all_apart(squares))]
    kinds = [_with_empties(each) for each in dealt if each]
    told = [each for each in (_told(each, cells) for each in kinds if each) if each.is_sure]
    if not told or any((each.colours != told[0].colours).any() for each in told):
        return None
    return told[0]


def bare(board: FloatArray) -> FloatArray:
    """(8, 8) certainty that nothing lies on the squares of a canonical picture: in their middles
    they look as most others of their tone do, of two tones in turn, but for the light.

    Of an empty board all do, for it has no move that a mark could show.
    """
    cells = _cells(np.asarray(cv2.blur(board, (3, 3)), np.float32))
    squares = cells[1:-1, 1:-1].reshape(SIZE * SIZE, -1, 3)
    tones = [squares[tone == TONE] for tone in (0, 1)]
    usual = np.stack([np.median(each, axis=0) for each in tones])[TONE]
    even = squares - _light(np.median(squares - usual, axis=1))[:, None]
    away = _away(even, usual)
    noise = max(DISTINCT, NOISES * float(np.median(away)))
    share = (away[:, CENTRE] < noise).mean(axis=1).reshape(SIZE, SIZE)
    return np.asarray(np.clip((share - STRANGE) / (EXPLAINED - STRANGE), 0, 1), np.float32)


def _cells(board: FloatArray) -> FloatArray:
    """(10, 10, P, 3) the squares of a canonical picture and those around the board."""
    first, count = round((MARGIN - 1) * CELL), SIZE + 2
    part = board[first : first + count * CELL, first : first + count * CELL]
    return part.reshape(count, CELL, count, CELL, 3).swapaxes(1, 2).reshape(count, count, -1, 3)


def _apart(squares: FloatArray, look: FloatArray) -> FloatArray:
    """(...) Lab units by which (..., P, 3) squares differ from a look: a mean that minds lines."""
    return np.asarray(np.sqrt((_away(squares, look) ** 2).mean(axis=-1)), np.float32)


def _away(squares: FloatArray, look: FloatArray) -> FloatArray:
    """(..., P) the same of each place; einsum, as numpy's norm takes five times as long."""
    off = squares - look
    return np.asarray(np.sqrt(np.einsum("...c,...c->...", off, off)), np.float32)


def _all_apart(squares: FloatArray) -> FloatArray:
    """(64, 64) the same for all squares and each other."""
    flat = squares.reshape(len(squares), -1)
    products = flat @ flat.T
    own = np.diag(products)
    squared = np.maximum(own[:, None] + own - 2 * products, 0) / squares.shape[1]
    return np.asarray(np.sqrt(squared), np.float32)


def _beginnings(apart: FloatArray) -> set[frozenset[int]]:
    """Squares that may be of three kinds, of how far all are from each other.

    The middle ones mostly are of both colours; the third is the one that differs most from both, or
    the one that most squares are like (as in PAM, Kaufman & Rousseeuw 1990), for a mark may differ
    by more than an outline.
    """
    first = int(MIDDLE[0])
    seconds = int(MIDDLE[apart[first, MIDDLE].argmax()]), int(apart[first].argmax())
    nearest = [np.minimum(apart[first], apart[second]) for second in seconds]
    return {
        frozenset((first, second, int(third)))
        for second, near in zip(seconds, nearest, strict=True)
        for third in (near.argmax(), np.minimum(near, apart).sum(axis=1).argmin())
    }


def _evened(squares: FloatArray) -> FloatArray:
    """The squares as if lit evenly, as far as their corners tell, which most discs leave free.

    Light may differ more from side to side than pale discs from a pale ground.
    """
    ground = np.asarray(np.median(squares[:, IN_CORNERS], axis=1), np.float32)
    usual = np.asarray(np.median(ground, axis=0), np.float32)
    return np.asarray(squares - _light(ground - usual)[:, None], np.float32)


def _dealt(squares: FloatArray, seeds: frozenset[int]) -> _Kinds | None:
    """The kinds that three squares begin (k-medians); None if two of them are hardly apart."""
    if len(seeds) < 3:
        return None
    looks, even = squares[sorted(seeds)], squares
    kind = np.full(len(squares), len(looks))
    for _ in range(ROUNDS):
        before, kind = kind, np.argmin([_apart(even, look) for look in looks], axis=0)
        if (kind == before).all():
            break
        if len(np.unique(kind)) < len(looks):
            return None
        looks = np.stack([np.median(even[kind == each], axis=0) for each in range(len(looks))])
        even = squares - _light(np.median(squares - looks[kind], axis=1))[:, None]
    apart = np.stack([_apart(even, look) for look in looks])
    usual = float(np.median(apart.min(axis=0)))
    pairs = [(looks[each], looks[each - 1]) for each in range(len(looks))]
    least = min(float(_apart(*pair)) for pair in pairs)
    if least < APART * usual or min(_away(*pair).max() for pair in pairs) < FAINTEST:
        return None
    distinct = min(DISTINCT, least)
    return _Kinds(looks, even, apart.argmin(axis=0), distinct, max(distinct, NOISES * usual))


def _light(off: FloatArray) -> FloatArray:
    """(64, 3) the smooth part of what squares differ from their kinds by: light is never even."""
    trust = np.ones((len(off), 1))
    smooth = np.zeros_like(off)
    for _ in range(ROUNDS):  # reweighted, so that squares of no kind do not count
        fit = np.linalg.lstsq(LIGHT * trust, off * trust, rcond=None)[0]
        smooth = np.asarray(LIGHT @ fit, np.float32)
        trust = 1 / (1 + (np.linalg.norm(off - smooth, axis=1, keepdims=True) / DISTINCT) ** 2)
    return smooth


def _with_empties(kinds: _Kinds) -> _Kinds | None:
    """The same with the empty kind last; None if nothing tells which that is."""
    taken = np.unique(kinds.kind[MIDDLE]).tolist()
    free = [each for each in range(len(kinds.looks)) if each not in taken]
    if not free:
        return None
    distinct = kinds.distinct
    beside = outline_of(kinds.looks[taken[0]] - kinds.looks[free[0]], distinct)
    edges = [edge_of(look, beside) for look in kinds.looks]
    empty = min(free, key=edges.__getitem__)
    discs = [each for each in range(len(kinds.looks)) if each != empty]
    if len(free) > 1 and edges[empty] > PLAINER * min(edges[each] for each in discs):
        return None
    outlines = [outline_of(kinds.looks[disc] - kinds.looks[empty], distinct) for disc in discs]
    own = [edge_of(kinds.looks[disc], each) for disc, each in zip(discs, outlines, strict=True)]
    apart = _away(kinds.looks[discs[0]], kinds.looks[discs[1]])
    are_two = min((apart[each.within] > distinct).mean() for each in outlines) > FACE
    if not are_two:
        return None
    order = np.array([*discs, empty])
    return replace(
        kinds,
        looks=kinds.looks[order],
        kind=order.argsort()[kinds.kind],
        outlines=tuple(outlines),
        are_round=are_discs(outlines) and min(own) >= distinct,
    )


def _told(kinds: _Kinds, cells: FloatArray) -> Alike:
    """What the squares hold, and how surely each is of its own kind.

    Those of no kind are empty if they are just the ones where a side may move, as marks show. That
    all may have been laid in a game is asked here, since other games have round things of two kinds
    on squares, too. They have filled squares as well: these are discs where marks show the moves.
    """
    kind, nearer = _nearest(kinds, kinds.squares)
    explained = _explained(_like(kinds, kinds.squares, kind))
    certainty = np.minimum(nearer.reshape(SIZE, SIZE), explained)
    names, clear = _by_shade(kinds.looks)
    strange = certainty < NO_KIND
    colours = np.where(strange, 0, names[kind].reshape(SIZE, SIZE))
    if strange.sum() > 1 and are_legal_moves(colours, strange):  # a single one may be chance
        certainty = np.where(strange, 1, certainty)
    mover = None if clear == 1 and kinds.are_round else side_shown(colours, _off_empty(kinds))
    if mover is not None and clear < 1:
        colours, clear = _by_rules(colours, clear, mover)
    certainty = np.where(colours > 0, np.minimum(certainty, clear), certainty)
    no_discs = unplayable(colours > 0) | (not kinds.are_round and mover is None)
    certainty = np.where(no_discs, 0, certainty)
    return Alike(colours, certainty.astype(np.float32), _outside(kinds, cells))


def _nearest(kinds: _Kinds, squares: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """(N,) the kind of each of (N, P, 3) squares, and how clearly it is nearer than the others.

    Two kinds are held against each other where they differ.
    """
    away = np.stack([_away(squares, look) for look in kinds.looks])  # (3, N, P)
    way = np.zeros(away.shape[:2])
    for own, other in np.argwhere(~np.eye(len(away), dtype=bool)):
        tells = _away(kinds.looks[own], kinds.looks[other]) > kinds.distinct
        share = away[own][:, tells] / (away[own] + away[other] + 1e-6)[:, tells]
        way[own] = np.maximum(way[own], np.quantile(share, UNMARKED, axis=1))
    kind = way.argmin(axis=0)
    nearer = (HALFWAY - way.min(axis=0)) / (HALFWAY - LIKE)
    return kind, np.asarray(np.clip(nearer, 0, 1), np.float32)


def _like(kinds: _Kinds, squares: FloatArray, kind: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(N, CELL, CELL) where (N, P, 3) squares look as their kinds do."""
    return (_away(squares, kinds.looks[kind]) < kinds.noise).reshape(-1, CELL, CELL)


def _explained(like: NDArray[np.bool_]) -> FloatArray:
    """(8, 8) certainty that squares are as their kinds are, with at most a mark on them."""
    board = like.reshape(SIZE, SIZE, CELL, CELL)
    upper, lower = board[:, :, :SIDE_PX], board[:, :, -SIDE_PX:]
    left, right = board[..., :SIDE_PX], board[..., -SIDE_PX:]
    sides = np.stack([each.mean(axis=(2, 3)) for each in (upper, lower, left, right)])
    # At the border a frame, a gap or nothing may lie instead of a line.
    sides[0, 0] = sides[1, -1] = sides[2, :, 0] = sides[3, :, -1] = 1
    lined = (sides.min(axis=0) - COVERED) / (LINED - COVERED)
    whole = (board.mean(axis=(2, 3)) - STRANGE) / (EXPLAINED - STRANGE)
    return np.asarray(np.clip(np.minimum(lined, whole), 0, 1), np.float32)


def _by_shade(looks: FloatArray) -> tuple[NDArray[np.int64], float]:
    """(3,) what each kind is on a board, and how clearly the black discs are darker."""
    apart = _away(looks[0], looks[1])
    first, second = looks[:EMPTY, apart > apart.max() / 2, 0].mean(axis=1)
    names = [BLACK, WHITE, 0] if first < second else [WHITE, BLACK, 0]
    return np.array(names), float(np.clip((abs(first - second) - SHADE) / SHADE, 0, 1))


def _off_empty(kinds: _Kinds) -> FloatArray:
    """(8, 8) Lab units by which the middles of squares differ from empty ones, in a dot of them."""
    away = _away(kinds.squares[:, CENTRE], kinds.looks[EMPTY, CENTRE])
    return np.asarray(np.quantile(away, DOT, axis=1).reshape(SIZE, SIZE), np.float32)


def _by_rules(
    colours: NDArray[np.int64], clear: float, mover: int
) -> tuple[NDArray[np.int64], float]:
    """(8, 8) the colours as the mover's marked moves have them, and how clear these are then.

    Black is to move where the number of discs is even. After a pass it is not, but then the side
    that moves in the picture is the one that is taken to move. Shade may say otherwise: doubted.
    """
    is_blacks = np.count_nonzero(colours) % 2 == 0
    if (mover == BLACK) == is_blacks:
        return colours, 1.0
    if clear > 0:
        return colours, 0.0
    return np.where(colours > 0, BLACK + WHITE - colours, 0), 1.0


def _outside(kinds: _Kinds, cells: FloatArray) -> int:
    """Of the rows and columns next to the border, the most squares that look like a disc.

    A page of the discs' colour shows none of their edges.
    """
    sides = np.stack([cells[0, 1:-1], cells[-1, 1:-1], cells[1:-1, 0], cells[1:-1, -1]])
    squares = sides.reshape(4 * SIZE, -1, 3)
    kind, nearer = _nearest(kinds, squares)
    most = _like(kinds, squares, kind).mean(axis=(1, 2)) >= MOST_OF_IT
    holds = (kind != EMPTY) & (nearer >= NO_KIND) & most
    for square in np.flatnonzero(holds):
        edge = edge_of(squares[square], kinds.outlines[kind[square]])
        holds[square] = edge >= kinds.distinct
    return int(holds.reshape(4, SIZE).sum(axis=1).max())
