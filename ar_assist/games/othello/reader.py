"""Read an Othello board from a rectified picture: fit the grid, tell the discs, doubt everything.

A picture is taken for an Othello board only if all of this holds: its lines are those of an 8 x 8
grid (or its border is there and its discs stand on the grid), between the discs it shows one
even felt, nearly every square is felt or a disc, the discs are of two kinds at most, and the four
middle squares are taken, as they are from the first move of every game to its end - or there is
no disc at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello import canonical, grid
from ar_assist.games.othello.board import BLACK, WHITE, OthelloBoard
from ar_assist.games.othello.board import squares as squares_in
from ar_assist.games.othello.canonical import SIZE, FloatArray
from ar_assist.games.othello.coordinates import turn_of
from ar_assist.games.othello.discs import Squares, classify
from ar_assist.games.othello.felt import OPEN
from ar_assist.games.othello.kinds import alike, bare
from ar_assist.games.othello.laid import stray
from ar_assist.types import Image, Lattice, Points, Reading, homography, transform

SIZES = range(4, 14)  # rows and columns of a finder's lattice that may belong to an 8 x 8 board
REFINED = 2  # windows of a lattice that are fitted in full, the best of a first glance
ALL_AROUND = (SIZE + 2, SIZE + 2)  # a board and the cells around it …
ONE_AROUND = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])  # … that many from its corners
LINES_SEEN = 0.6  # share of the inner lines that an empty board shows; chance gives 0.2 to 0.4
SOME_LINES, SOME_BORDER = 0.5, 0.3  # shares of inner lines and border that do with discs on them
BORDER_SEEN = 0.8  # share of the border that a board without lines shows
FAINT_GRID, CLEAR_GRID = 0.6, 1.4  # shares of inner lines and border, added: chance, and sure
BY_CHANCE = 0.4  # share of the inner lines of one direction that chance gives at most
ROUGH_LINES = 1.0  # inner lines and half the border, before the fit: boards had 1.2 at least,
# three quarters of other pictures have less
ROUGH_BEYOND = 0.9  # share of a side's lines seen outside the board, likewise: boards had up to 0.8
GOES_ON = 0.75  # share of a side's lines seen outside the board from which the grid is larger
ONE_FELT = 0.2  # chroma over lightness: no felt's outer rows differ more from the rest of it
FRAME_TINT = 0.5  # likewise, of what lies just inside a side: glare there differs by up to 0.3
CLOSER = 0.2  # cells by which discs lie closer together than squares on a grid with a frame in it
DARK = 16.0  # L*: added to the lightness, for the tint of what is dark is mostly noise
UNEVEN = 8.0  # Lab units: no felt differs more from corner to corner of its squares
ODD = 4  # squares that may be neither felt nor disc: glare, a finger
DOUBTFUL = 6  # squares that may be doubtful: in a board that is right hardly any is
DOUBTED = 0.7  # confidence up to which squares are told by their kinds as well
DOUBT = 0.3  # certainty below which a square is doubtful
VARIETY = 0.2  # difference among discs of a colour, over their contrast: tiles differ more
SCORES = 2  # discs that a page shows beside a board, one of each side; a larger board has more
COLOURED = 12.0  # chroma of a felt that makes a board without discs believable; paper has less


@dataclass(frozen=True, eq=False)
class _Fit:
    """A grid that was fitted, and what its squares seem to hold."""

    corners: Points  # (4, 2) plane px
    lines: grid.Support
    squares: Squares

    @property
    def merit(self) -> float:
        return self.lines.merit - float(np.mean(self.squares.odd))

    @property
    def on_frame(self) -> bool:
        """Whether a frame is taken for a part of the outer squares."""
        return _tint_apart(self.squares.rims, self.squares.felt) > FRAME_TINT


def read(
    picture: Image, lattice: Lattice | None, before: Reading[OthelloBoard] | None = None
) -> Reading[OthelloBoard] | None:
    """The board in a rectified picture; None if it doesn't show one (see types.Game.read)."""
    if before is not None:
        again = _fit(picture, before.corners, rough=False)
        if again and _is_board(again):
            return _reading(picture, again)
    fits = [_fit(picture, corners) for corners in _starts(picture, lattice)]
    boards = [fit for fit in fits if fit and _is_board(fit)]
    best = max(boards, key=lambda fit: (not fit.on_frame, fit.merit), default=None)
    return _reading(picture, best) if best else None


def _starts(picture: Image, lattice: Lattice | None) -> list[Points]:
    """Quads that may be the board, roughly: the windows of a lattice that look best at a glance."""
    if lattice is None:
        height, width = picture.shape[:2]
        return [Lattice((-0.5, -0.5), (width, height), 1, 1).corners]
    if lattice.rows == lattice.cols == 1:
        return [lattice.corners]
    if lattice.rows not in SIZES or lattice.cols not in SIZES:
        return []
    row, col = (min(0, count - SIZE) for count in (lattice.rows, lattice.cols))
    rows, cols = max(lattice.rows, SIZE) - row, max(lattice.cols, SIZE) - col
    whole = Lattice(_shifted(lattice, row, col), lattice.pitch_xy, rows, cols)
    if rows == cols == SIZE:
        return [whole.corners]
    windows = _glance(picture, whole)
    return [
        Lattice(_shifted(whole, *window), lattice.pitch_xy, SIZE, SIZE).corners
        for window in windows[:REFINED]
    ]


def _shifted(lattice: Lattice, row: int, col: int) -> tuple[float, float]:
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    return x + col * dx, y + row * dy


def _glance(picture: Image, lattice: Lattice) -> list[tuple[int, int]]:
    """First row and column of the windows of 8 x 8, the one that looks best first."""
    cells = (lattice.cols, lattice.rows)
    small, corners = canonical.shrunk(picture, lattice.corners, cells)
    supports = grid.supports(*_views(small, corners, cells))
    return sorted(supports, key=lambda window: -supports[window].merit)


def _fit(picture: Image, corners: Points, rough: bool = True) -> _Fit | None:
    """The grid near a quad and what its squares seem to hold; None if it's none of a board."""
    small, start = canonical.shrunk(picture, corners)
    near = _found(small, start) if rough else start
    if near is None:
        return None
    fit = _fitted(small, grid.fitted(small, near))
    if fit and fit.on_frame and _has_begun(fit.squares):
        # Discs that stand up end in a grid, too: it lies askew, and ends on the frame.
        by_border = grid.voted(small, fit.corners, lined=False)
        again = _fitted(small, grid.fitted(small, by_border, lined=False))
        fit = again if again and not again.on_frame else fit
    if fit is None:
        return None
    return replace(fit, corners=transform(homography(start, corners), fit.corners))


def _fitted(picture: Image, corners: Points) -> _Fit | None:
    """What the squares of a fitted grid seem to hold; None if it's none of a board."""
    board, shown = _views(picture, corners)
    lines = grid.support(board, shown)
    if not canonical.squares_of(shown).all() or not _is_grid(lines):
        return None
    colours = canonical.lab(board)
    squares = _laid_beside(_uncovered(classify(colours), lines))
    if not squares.colours.any():
        squares = replace(squares, certainty=np.minimum(squares.certainty, bare(colours)))
    fit = _Fit(corners, lines, squares)
    if _is_board(fit) and _confidence(fit) > DOUBTED:
        return fit
    told = _by_kinds(colours, fit.squares)
    return replace(fit, squares=_laid_beside(told)) if told else fit


def _by_kinds(board: FloatArray, squares: Squares) -> Squares | None:
    """The same squares, told by their kinds alone; None where any is of none."""
    told = alike(board)
    if told is None:
        return None
    nothing = np.zeros_like(squares.odd)
    return replace(
        squares,
        colours=told.colours,
        certainty=told.certainty,
        odd=nothing,
        variety=0.0,
        alone=nothing,
        outside=told.outside,
    )


def _found(picture: Image, corners: Points) -> Points | None:
    """The grid near rough corners, to a tenth of a cell; None where a fit isn't worth its time.

    A cell aside, if there is more of a board's lines: a row beside it may have its felt's colour.
    """
    voted = grid.voted(picture, corners)
    around = grid.shifted(voted, ONE_AROUND)
    supports = grid.supports(*_views(picture, around, ALL_AROUND), grid.VOTED_FOR_PX)
    row, col = best = max(supports, key=lambda window: supports[window].merit)
    if not _may_be_grid(supports[best]):
        return None
    return voted if best == (1, 1) else grid.shifted(voted, np.array([col - 1, row - 1]))


def _views(
    picture: Image, corners: Points, cells: canonical.Cells = canonical.EIGHT
) -> tuple[Image, NDArray[np.bool_]]:
    """The canonical picture, and where it shows anything."""
    return canonical.warped(picture, corners, cells), canonical.shown(picture, corners, cells)


def _uncovered(squares: Squares, lines: grid.Support) -> Squares:
    """The same, but less sure of empty squares that may lie under something.

    A cover of the felt's colour hides lines, on a board that shows them. One of another colour that
    fills a square looks like a tint, but those mark legal moves, or many squares alike.
    """
    board = OthelloBoard.from_cells(int(colour) for colour in squares.colours.ravel())
    legal = np.zeros(64, bool)
    legal[[*squares_in(board.moves(BLACK) | board.moves(WHITE))]] = True
    marked = np.where(squares.alone & ~legal.reshape(8, 8), OPEN, 1)
    seen = np.minimum(marked, squares.crossed if lines.inner > LINES_SEEN else 1)
    certainty = np.minimum(squares.certainty, np.where(squares.colours > 0, 1, seen))
    return replace(squares, certainty=certainty.astype(np.float32))


def _laid_beside(squares: Squares) -> Squares:
    """The same, but sure of squares that have no disc beside them, and less sure of stray discs.

    Every disc is laid beside another, so those are empty, however a lamp's mirror image may look.
    And no game leads to discs that none joins to the middle: they are doubted twice as much.
    """
    taken = (squares.colours > 0).astype(np.uint8)
    beside = cv2.dilate(taken, np.ones((3, 3), np.uint8)) > 0
    certainty = np.where(beside | (not taken.any()), squares.certainty, 1)
    certainty = np.where(stray(taken > 0), np.maximum(0, 2 * certainty - 1), certainty)
    return replace(squares, certainty=certainty.astype(np.float32))


def _may_be_grid(lines: grid.Support) -> bool:
    """Whether a fit is worth its time: what voted corners show of the lines of a board."""
    some = lines.inner + lines.border / 2 > ROUGH_LINES or lines.border > BORDER_SEEN
    return some and lines.beyond <= ROUGH_BEYOND


def _is_grid(lines: grid.Support) -> bool:
    """Whether there are as many lines as any board shows, with discs or without, and no more."""
    inner, border = lines.inner, lines.border
    lined = inner > SOME_LINES and border > SOME_BORDER
    return lines.beyond <= GOES_ON and (lined or inner > LINES_SEEN or border > BORDER_SEEN)


def _is_board(fit: _Fit) -> bool:
    """Whether what was fitted can be an Othello board at all."""
    squares, lines = fit.squares, fit.lines
    if not _is_one_felt(squares.felt) or squares.outside > SCORES:
        return False
    taken = squares.colours > 0
    if squares.unevenness > UNEVEN or squares.odd.sum() > ODD:
        return False
    if (squares.certainty < DOUBT).sum() > DOUBTFUL or squares.variety > VARIETY:
        return False
    if not taken.any():
        coloured = np.hypot(*np.median(squares.felt.reshape(-1, 3), axis=0)[1:]) > COLOURED
        return bool(coloured) and lines.inner > LINES_SEEN
    lined = lines.inner > SOME_LINES and lines.border > SOME_BORDER
    return _has_begun(squares) and (lined or lines.border > BORDER_SEEN)


def _has_begun(squares: Squares) -> bool:
    """Whether the four middle squares are taken, as in every position of a game."""
    return bool((squares.colours[3:5, 3:5] > 0).all())


def _is_one_felt(felt: FloatArray) -> bool:
    """Whether the outer rows and columns have the tint of the rest, and aren't beside the board."""
    return _tint_apart(np.stack([felt[0], felt[-1], felt[:, 0], felt[:, -1]]), felt) < ONE_FELT


def _tint_apart(sides: FloatArray, felt: FloatArray) -> float:
    """How far the tint of a side, of (4, N, 3) colours, is from that of most felt, (8, 8, 3)."""
    ours, usual = (
        np.median(colours[..., 1:] / (colours[..., :1] + DARK), axis=axes)
        for colours, axes in ((sides, (1,)), (felt, (0, 1)))
    )
    return float(np.linalg.norm(ours - usual, axis=-1).max())


def _reading(picture: Image, fit: _Fit) -> Reading[OthelloBoard]:
    """The board as its coordinates turn it; without any, as the picture has it."""
    turn = turn_of(picture, fit.corners)
    colours, certainty = turn.apply(fit.squares.colours), turn.apply(fit.squares.certainty)
    board = OthelloBoard.from_cells(int(colour) for colour in colours.ravel())
    return Reading(board, turn.corners(fit.corners), certainty, _confidence(fit))


def _confidence(fit: _Fit) -> float:
    """Chance that all 64 squares are right and at their place: the worst square's word, less on a
    faint grid, where a frame is taken for a part of the outer squares, and where lines are seen in
    one direction only: a grid that is sheared along them has them, too. Where all discs are of one
    colour, those of the other are rather not seen, as outlines on white paper, than all turned.
    """
    low, high = FAINT_GRID, CLEAR_GRID
    grid_clear = np.clip((fit.lines.inner + fit.lines.border - low) / (high - low), 0, 1)
    squares_clear = min(1.0, 0.3 + fit.squares.certainty.min())  # which no faint grid is made up by
    sure = min(0.99, float(squares_clear * grid_clear))
    too_large = fit.squares.closer > CLOSER
    fewer, more = sorted((fit.lines.upright, fit.lines.level))
    sheared = fewer < BY_CHANCE and more > LINES_SEEN
    one_colour = len(np.unique(fit.squares.colours[fit.squares.colours > 0])) == 1
    return sure / 2 if fit.on_frame or sheared or too_large or one_colour else sure
