"""What the cells of a lattice are, tiles or not, and which of its lines hold some: the evidence of
which a reading is made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ar_assist.games import tiles
from ar_assist.games.grouping import Grouping, group, may_hide_colour
from ar_assist.games.link.clipping import ceiling, overexposed
from ar_assist.games.link.colours import Mask
from ar_assist.games.link.evening import even_faces, even_ground
from ar_assist.games.link.framing import are_of_one_colour
from ar_assist.games.link.lines import Lines, tiles_held, to_themselves
from ar_assist.games.link.sides import even_sides
from ar_assist.games.link.strokes import crossed
from ar_assist.games.link.telling import DOUBTFUL, DROPPED, tell
from ar_assist.games.residuals import finely
from ar_assist.games.straightening import straight_and_lit
from ar_assist.games.tiles import NOISE, Array, Differences, Indices
from ar_assist.types import Image, Lattice

ODD = -4.0  # log odds of an odd kind: a tile hidden, half removed or misread
LEAST_FILL = 0.15  # of the least count of tiles in a line: one beside the board has more

Value = TypeVar("Value", np.float32, np.bool_)


@dataclass(frozen=True, eq=False)
class Survey:
    """A lattice's cells with a rim of one cell around, and what they are. (R + 2, C + 2) each."""

    lattice: Lattice
    cells: Array  # (R + 2, C + 2, CELL, CELL, 3)
    raw: Array  # the same as the picture has them
    tile: Mask
    suspect: Mask  # shows a picture, but is made unlike the others or has no mate at first sight
    mateless: Mask  # … of these, what has the frame that tiles share
    seems: Array  # certainty of being a tile or not, but for what is in doubt
    drawn: Array  # certainty that it shows more than a plain ground
    spared: Mask  # made unlike most tiles, but a picture that comes again amid plain ground
    marked: Mask  # a mark was taken off its frame
    may_be_ground: Mask  # by how it is made
    sockets: Mask  # empty, though made as tiles are
    bordered: bool  # the borders of tiles tell them from what lies behind
    open_: Mask  # pictures without a mate that lack a border which all tiles have
    held: tuple[Indices, Indices]  # good tiles: (R + 2,) by row, (C + 2,) by column
    framed: bool  # most of what lies around is made unlike tiles: an odd one out would be known
    has_frame: Mask  # has the frame that tiles share, where one tells
    on_picture: bool  # the ground is not known to be plain

    @cached_property
    def clipped(self) -> Mask:
        """(R + 2, C + 2, CELL, CELL, 3) where the camera gives no more."""
        return np.asarray(self.raw >= ceiling(self.raw) - NOISE)

    @cached_property
    def doubt(self) -> Mask:
        """(R + 2, C + 2) what is `suspect`, but for tiles whose mate the finer comparison finds: a
        lamp's light on one of a pair makes it unlike the other at first sight."""
        paired = np.zeros_like(self.tile)
        labels = self.grouped.labels
        has_mate = (np.bincount(labels)[labels] > 1) & (self.grouped.margin > 0)
        inner(paired)[inner(self.tile)] = has_mate
        return self.suspect & ~(self.mateless & paired)

    @cached_property
    def certainty(self) -> Array:
        """(R + 2, C + 2) of being a tile or not."""
        doubtful = np.where(self.tile, DOUBTFUL, DROPPED)
        return np.where(self.doubt, doubtful, self.seems).astype(np.float32)

    @cached_property
    def vacant(self) -> Mask:
        """(R, C) cells of the board that are no tiles, without a doubt."""
        return ~inner(self.tile) & ~inner(self.doubt)

    @property
    def is_uneven(self) -> bool:
        """Whether the ground is of several colours in the picture, before it is made even."""
        return bool(self.vacant.any()) and not are_of_one_colour(inner(self.raw)[self.vacant])

    @property
    def bare(self) -> Mask:
        """(N,) which tiles of the lattice, row by row, show no drawing."""
        return np.asarray(inner(self.drawn)[inner(self.tile)] < 0.5)

    @cached_property
    def shown(self) -> Array:
        """(N, CELL, CELL, 3) the tiles of the lattice, whatever neighbours they have."""
        return even_sides(self.cells, self.tile)

    @cached_property
    def compared(self) -> Differences:
        """How the tiles of the lattice, row by row, differ."""
        return finely(tiles.compare(self.shown, reach=1), self.shown)

    @cached_property
    def grouped(self) -> Grouping:
        """The tiles of the lattice, (N,) row by row, in kinds."""
        hidden = int(inner(self.suspect & ~self.tile).sum())
        return group(self.compared, size_odds, hidden)

    @cached_property
    def colourless(self) -> Mask:
        """(R, C) tiles of kinds that may be several, of colours which a grey picture lacks."""
        unseen = np.zeros_like(inner(self.tile))
        unseen[inner(self.tile)] = may_hide_colour(self.grouped, self.compared)
        return unseen


def surveyed(picture: Image, lattice: Lattice) -> Survey | None:
    """The lattice's cells, cut from a picture and told apart; None: they make no groups."""
    cells = evened(picture, lattice)
    grid = cells.shape[:2]
    square = np.zeros(grid, bool)
    square[1:-1, 1:-1] = True
    inside = square.ravel()
    told = tell(cells, inside)
    if told is None:
        return None
    mated = told.mated
    proof = mated | (inside & told.framed)
    good = told.tile & ~told.may_be_ground & (~told.odd | (inside & told.vouched))
    suspect = inside & ~told.empty & ~(told.tile & mated & told.made_alike)
    has_frame = ~told.odd & told.framed
    by_lines = [Lines.of(told.alike, line.ravel()) for line in np.indices(grid)]
    for lines in by_lines:
        suspect |= to_themselves(told.tile & inside, lines)
    lined = told.tile & inside & crossed(cells).ravel()
    mateless = told.tile & has_frame & ~mated & ~lined
    seems, bare = told.certainty, inside & ~told.tile
    raw = tiles.cut(picture, _with_rim(lattice))
    open_ = told.open_ & ~told.tile & ~told.empty & ~mated
    if bare.any():
        unseen = overexposed(raw, told.cells, bare, suspect)
        seems, open_ = np.where(unseen, np.minimum(seems, DROPPED), seems), open_ & ~unseen
    rows, cols = (tiles_held(good, mated, proof, lines) for lines in by_lines)
    return Survey(
        lattice=lattice,
        cells=told.cells.reshape(cells.shape),
        raw=raw,
        tile=told.tile.reshape(grid),
        suspect=(suspect | lined).reshape(grid),
        mateless=mateless.reshape(grid),
        seems=seems.reshape(grid),
        drawn=told.drawn.reshape(grid),
        spared=told.spared.reshape(grid),
        marked=told.marked.reshape(grid),
        may_be_ground=told.may_be_ground.reshape(grid),
        sockets=told.sockets.reshape(grid),
        bordered=bool(told.open_.any()),
        open_=open_.reshape(grid),
        held=(rows, cols),
        framed=bool(told.odd[~inside].mean() > 0.5),
        has_frame=has_frame.reshape(grid),
        on_picture=not told.is_plain,
    )


def evened(picture: Image, lattice: Lattice) -> Array:
    """(R + 2, C + 2, CELL, CELL, 3) of the lattice and its rim, evened out."""
    seen, lit = straight_and_lit(picture, _with_rim(lattice), rim=1)
    return even_faces(even_ground(lit, seen))


def extent(survey: Survey) -> Lattice:
    """The lattice with the rows and columns that hold good tiles, at most one more a side."""
    sides = []
    for count in survey.held:
        held = np.nonzero(count[1:-1])[0]
        if not len(held):
            return survey.lattice
        # One cell may look like a tile by chance; no line is nearly empty beside full ones.
        enough = max(1 if survey.framed else 2, LEAST_FILL * int(count[1:-1].min()))
        sides += [
            1 if count[0] >= enough else -int(held[0]),
            1 if count[-1] >= enough else int(held[-1]) + 3 - len(count),
        ]
    return grown(survey.lattice, *sides)


def inner(values: NDArray[Value]) -> NDArray[Value]:
    """(R, C, …) of the board's cells, without the rim around them."""
    return values[1:-1, 1:-1]


def _with_rim(lattice: Lattice) -> Lattice:
    return grown(lattice, 1, 1, 1, 1)


def grown(lattice: Lattice, top: int, bottom: int, left: int, right: int) -> Lattice:
    """The lattice with so many more lines at each side, or fewer if negative."""
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    rows, cols = lattice.rows + top + bottom, lattice.cols + left + right
    return Lattice((x - left * dx, y - top * dy), (dx, dy), rows, cols)


def size_odds(size: int) -> float:
    """Log odds that a kind has so many tiles."""
    return ODD if size % 2 else 0.0
