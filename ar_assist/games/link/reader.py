"""Read a link board from a rectified picture: which cells hold equal tiles, which are empty.

Tiles are known by what a link game must have: pictures that come again, in even counts, all made
alike. The lattice is checked on the way: a row without such tiles goes, a further one with them
comes in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ar_assist.games import tiles
from ar_assist.games.grouping import Grouping, group, may_hide_colour
from ar_assist.games.link import dealing, suspects
from ar_assist.games.link.board import EMPTY, LinkBoard
from ar_assist.games.link.clipping import ceiling, overexposed
from ar_assist.games.link.confidence import (
    MANY_TILES,
    at_best,
    judged,
    mishaps,
    together,
    unexplained,
)
from ar_assist.games.link.dealing import LEAST_TILES
from ar_assist.games.link.ending import read_last
from ar_assist.games.link.evening import even_faces, even_ground
from ar_assist.games.link.framing import are_of_one_colour
from ar_assist.games.link.ground import Mask
from ar_assist.games.link.hidden import hidden_kinds
from ar_assist.games.link.lines import Lines, tiles_held, to_themselves
from ar_assist.games.link.memory import Memory, parted
from ar_assist.games.link.pieces import (
    cuts_pictures,
    differ_at_edges,
    edges_run_along,
    joined,
    may_be_pieces,
)
from ar_assist.games.link.sides import even_sides
from ar_assist.games.link.strokes import crossed
from ar_assist.games.link.telling import DOUBTFUL, DROPPED, MOST_DOUBT, tell
from ar_assist.games.residuals import finely
from ar_assist.games.straightening import straightened
from ar_assist.games.tiles import CELL, NOISE, Array, Differences, Indices
from ar_assist.types import Image, Lattice, Reading

ODD = -4.0  # log odds of an odd kind: a tile hidden, half removed or misread
LEAST_KINDS = 4  # fewer happen by chance; a board known from before may have them, …
LEAST_STREWN = 3  # … and what is left of one, if all its tiles have mates and lie as dealt ones do
MOST_ODD = 0.2  # of all kinds may be odd by a mishap: beyond, these are no pairs
MOST_ALIKE = 0.5  # of tiles and sockets may be alike: beyond, this is a chequered or an empty grid
HALF_BELIEVED = 0.5  # confidence: a board known from before that has less may be none after all
LEAST_FILL = 0.15  # of the least count of tiles in a line: one beside the board has more
LOOKS = 6  # at lattices one row or column larger or smaller
# Lines at the top, bottom, left and right in which mates of odd tiles are sought, and in the next:
# as far as pictures reach, but not on all sides at once, for most of what lies there is no board's.
AROUND = (1, 1, 1, 1), (3, 0, 0, 0), (0, 3, 0, 0), (0, 0, 3, 0), (0, 0, 0, 3)
# Kinds that go on in these lines, and are all even with what lies there: one in 64 is so by chance.
WHOLE_KINDS = 6

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
        _inner(paired)[_inner(self.tile)] = has_mate
        return self.suspect & ~(self.mateless & paired)

    @cached_property
    def certainty(self) -> Array:
        """(R + 2, C + 2) of being a tile or not."""
        doubtful = np.where(self.tile, DOUBTFUL, DROPPED)
        return np.where(self.doubt, doubtful, self.seems).astype(np.float32)

    @cached_property
    def vacant(self) -> Mask:
        """(R, C) cells of the board that are no tiles, without a doubt."""
        return ~_inner(self.tile) & ~_inner(self.doubt)

    @property
    def is_uneven(self) -> bool:
        """Whether the ground is of several colours in the picture, before it is made even."""
        return bool(self.vacant.any()) and not are_of_one_colour(_inner(self.raw)[self.vacant])

    @property
    def bare(self) -> Mask:
        """(N,) which tiles of the lattice, row by row, show no drawing."""
        return np.asarray(_inner(self.drawn)[_inner(self.tile)] < 0.5)

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
        hidden = int(_inner(self.suspect & ~self.tile).sum())
        return group(self.compared, size_odds, hidden)

    @cached_property
    def colourless(self) -> Mask:
        """(R, C) tiles of kinds that may be several, of colours which a grey picture lacks."""
        unseen = np.zeros_like(_inner(self.tile))
        unseen[_inner(self.tile)] = may_hide_colour(self.grouped, self.compared)
        return unseen


def read(
    picture: Image, lattice: Lattice | None, before: Reading[LinkBoard] | None = None
) -> Reading[LinkBoard] | None:
    """The link board in a rectified picture, or None where it shows none.

    `lattice` may be a row or column too large or too small; `before` is the last reading of the
    same board in the same plane px: its grid is kept while it explains the picture.
    """
    if before is not None:
        known = before.lattice
        survey = _survey(picture, known)
        again = _reading(survey, before) if survey else read_last(_cells(picture, known), before)
        if again:
            return again
    return _read_anew(picture, lattice) if lattice else None


def _read_anew(picture: Image, lattice: Lattice) -> Reading[LinkBoard] | None:
    """The board with all its lines; as it is given, where those that it seems to lack make it less
    credible: buttons, icons and ground under waves of moire look like tiles."""
    tried: list[Survey] = []
    whole = given = None
    while len(tried) < LOOKS and (survey := _survey(picture, lattice)) is not None:
        right = _extent(survey)
        if _is_larger(right, lattice) and any(_is_same(right, of.lattice) for of in tried):
            right = lattice  # from within that line is none of the board's
        tried.append(survey)
        if right == lattice:
            reading = _reading(survey, before=None)
            right = joined(lattice, reading.board.cells) if reading else lattice
            if right == lattice:
                whole = _credible(picture, survey, reading)
                break
        elif len(tried) == 1 and _is_larger(right, lattice):
            given = _reading(survey, before=None)
            if given and _is_wallpaper(survey, given):
                return None
        lattice = right
    if not tried or not _is_larger(tried[-1].lattice, tried[0].lattice):
        return whole
    given = _credible(picture, tried[0], given or _reading(tried[0], before=None))
    found = [reading for reading in (whole, given) if reading]
    return max(found, key=lambda reading: reading.confidence, default=None)


def _is_wallpaper(survey: Survey, reading: Reading[LinkBoard]) -> bool:
    """Whether tiles come again as an ornament's do, and are no pieces of larger ones: it goes on
    all around, and each look at more of it is dearer."""
    are_whole = joined(survey.lattice, reading.board.cells) == survey.lattice
    return are_whole and dealing.is_repeated(reading.board)


def _credible(
    picture: Image, survey: Survey, reading: Reading[LinkBoard] | None
) -> Reading[LinkBoard] | None:
    """What is read with the tiles that lie apart, if it may have been dealt."""
    if reading is None:
        reading = _of_part(picture, survey)
    else:
        reading = _with_islands(picture, survey.lattice, reading)
    return reading if reading and _is_dealt(reading.board) else None


def _is_dealt(board: LinkBoard) -> bool:
    """Whether tiles lie as dealt ones may, and are no pieces of larger ones."""
    return not (
        dealing.are_halves(board)
        or dealing.share_lines(board)
        or dealing.is_repeated(board)
        or may_be_pieces(board.cells)
    )


def size_odds(size: int) -> float:
    """Log odds that a kind has so many tiles."""
    return ODD if size % 2 else 0.0


def _grown(lattice: Lattice, top: int, bottom: int, left: int, right: int) -> Lattice:
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    rows, cols = lattice.rows + top + bottom, lattice.cols + left + right
    return Lattice((x - left * dx, y - top * dy), (dx, dy), rows, cols)


def _is_larger(lattice: Lattice, than: Lattice) -> bool:
    return lattice.rows * lattice.cols > than.rows * than.cols


def _is_same(lattice: Lattice, other: Lattice) -> bool:
    """But for what is left of steps there and back."""
    return bool(np.allclose(lattice.corners, other.corners, atol=0.1))


def _with_rim(lattice: Lattice) -> Lattice:
    return _grown(lattice, 1, 1, 1, 1)


def _cells(picture: Image, lattice: Lattice) -> Array:
    """(R + 2, C + 2, CELL, CELL, 3) of the lattice and its rim, evened out."""
    return even_faces(even_ground(straightened(picture, _with_rim(lattice), rim=1)))


def _survey(picture: Image, lattice: Lattice) -> Survey | None:
    """Cut the cells and tell tiles from the rest."""
    cells = _cells(picture, lattice)
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
    suspect = inside & ~told.empty & ~(mated & told.made_alike)
    has_frame = ~told.odd & told.framed
    by_lines = [Lines.of(told.alike, line.ravel()) for line in np.indices(grid)]
    for lines in by_lines:
        suspect |= to_themselves(told.tile & inside, lines)
    lined = told.tile & inside & crossed(cells).ravel()
    mateless = told.tile & has_frame & ~mated & ~lined
    seems, bare = told.certainty, inside & ~told.tile
    raw = tiles.cut(picture, _with_rim(lattice))
    if bare.any():
        unseen = overexposed(raw, told.cells, bare, suspect)
        seems = np.where(unseen, np.minimum(seems, DROPPED), seems)
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
        held=(rows, cols),
        framed=bool(told.odd[~inside].mean() > 0.5),
        has_frame=has_frame.reshape(grid),
        on_picture=not told.is_plain,
    )


def _inner(values: NDArray[Value]) -> NDArray[Value]:
    """(R, C, …) of the board's cells, without the rim around them."""
    return values[1:-1, 1:-1]


def _extent(survey: Survey) -> Lattice:
    """The lattice with the rows and columns that hold good tiles, at most one more a side."""
    sides = []
    for count in survey.held:
        inner = np.nonzero(count[1:-1])[0]
        if not len(inner):
            return survey.lattice
        # One cell may look like a tile by chance; no line is nearly empty beside full ones.
        enough = max(1 if survey.framed else 2, LEAST_FILL * int(count[1:-1].min()))
        sides += [
            1 if count[0] >= enough else -int(inner[0]),
            1 if count[-1] >= enough else int(inner[-1]) + 3 - len(count),
        ]
    return _grown(survey.lattice, *sides)


def _with_islands(
    picture: Image, lattice: Lattice, reading: Reading[LinkBoard]
) -> Reading[LinkBoard]:
    """The reading with the tiles beside it or beyond lines that are cleared, if these are the mates
    of odd ones.

    A board thins out as it is played, and its last lines hold single tiles. Where the thick sides
    of tiles are seen, a first line lacks those of neighbours, and is made unlike the others.
    """
    odd = _odd_kinds(reading)
    if not odd or at_best(reading) < HALF_BELIEVED:  # to seek is dear
        return reading
    further = (_beyond(picture, lattice, odd, lines) for lines in AROUND)
    return next(filter(None, further), reading)


def _beyond(
    picture: Image, lattice: Lattice, odd: int, lines: tuple[int, int, int, int]
) -> Reading[LinkBoard] | None:
    """A reading with fewer `odd` kinds, for mates that lie in so many lines at the top, bottom,
    left or right, or in the next, or for whole lines of the board; None: none do."""
    around = _survey(picture, _grown(lattice, *lines))
    if around is None:
        return None
    ends = (held for count in around.held for held in (count, count[::-1]))
    top, bottom, left, right = (
        next((by + 1 - at for at in range(by + 1) if held[at]), 0)
        for held, by in zip(ends, lines, strict=True)
    )
    wider = _grown(lattice, top, bottom, left, right)
    survey = _survey(picture, wider) if wider != lattice else None
    again = _reading(survey, before=None) if survey else None
    if again is None or _odd_kinds(again) >= odd:
        return None
    inside = np.zeros(again.cells.shape, bool)
    inside[top : wider.rows - bottom, left : wider.cols - right] = True
    mates = int((again.cells[~inside] != EMPTY).sum())
    return again if 0 < mates <= odd or _goes_on(again, inside) else None


def _goes_on(reading: Reading[LinkBoard], inside: Mask) -> bool:
    """Whether the board's kinds go on beyond the cells `inside` (R, C) and are whole there: what
    lies beside a board has pictures of its own, or leaves some kinds odd."""
    within, beyond = (reading.cells[part] for part in (inside, ~inside))
    shared = np.intersect1d(within, beyond)
    return _odd_kinds(reading) == 0 and int((shared != EMPTY).sum()) >= WHOLE_KINDS


def _of_part(picture: Image, survey: Survey) -> Reading[LinkBoard] | None:
    """A board that is none without the tiles beside it: where few are left, one kind that is odd
    for one beyond a cleared line is a large share; where tiles share a frame, a line of them whose
    rims lack something may have been left out."""
    if survey.tile.sum() >= MANY_TILES and not survey.has_frame.any():
        return None
    part = _reading(survey, before=None, most_odd=1.0)
    whole = _with_islands(picture, survey.lattice, part) if part else None
    return None if whole is part else whole


def _odd_kinds(reading: Reading[LinkBoard]) -> int:
    return sum(size % 2 for size in reading.board.counts.values())


@dataclass(frozen=True, eq=False)
class _Kinds:
    """The tiles of a lattice in kinds, (N,) row by row, and what was known of these."""

    groups: Indices
    joins: Mask  # in a group that holds what was told apart before
    laid_bare: Mask  # no tiles: squares that were under them
    pictures: Array  # (K, CELL, CELL, 3) what groups show
    memory: Memory  # of the groups first, under the labels they had, and of kinds that are gone

    @classmethod
    def of(cls, survey: Survey, before: Reading[LinkBoard] | None) -> _Kinds:
        """Kinds as they are seen; what was known `before` parts them further, and names them."""
        cells, groups = survey.shown, survey.grouped.labels
        if before is None or not isinstance(before.evidence, Memory):
            none, seen = np.zeros(len(groups), bool), Memory.of(cells, groups)
            return cls(groups, none, none, seen.pictures, seen)
        known, apart = before.evidence.seen_again(cells)
        groups, joins = parted(groups, apart)
        had = np.array(before.board.cells)[_inner(survey.tile)]
        laid_bare = suspects.are_laid_bare(groups, survey.bare, apart, had)
        seen = Memory.of(cells, groups)
        memory = seen.after(known, groups, had, joins)
        return cls(groups, joins, laid_bare, seen.pictures, memory)


def _reading(
    survey: Survey, before: Reading[LinkBoard] | None, most_odd: float = MOST_ODD
) -> Reading[LinkBoard] | None:
    """Group the tiles into kinds, of which a share of `most_odd` may be odd; None where they are no
    link board."""
    tile = _inner(survey.tile)
    if tile.sum() < (2 if before else LEAST_TILES):
        return None
    told = _Kinds.of(survey, before)
    kinds, hidden = _with_hidden(survey, told.groups)
    sizes = np.bincount(kinds[kinds >= 0], minlength=told.groups.max() + 1)
    if _are_no_pairs(survey, sizes, most_odd):
        return None
    is_doubtful = before is None or before.confidence < HALF_BELIEVED
    if is_doubtful and _is_no_board(survey, told.groups, sizes):
        return None
    laid_bare, dropped = np.zeros_like(tile), _alone_on_ground(survey, told.groups, sizes)
    laid_bare[tile] = told.laid_bare
    board = np.where(kinds >= 0, told.memory.labels[kinds], EMPTY)
    board[dropped | laid_bare] = EMPTY
    excused = hidden | survey.colourless
    certainty = np.where(excused, 1, _certainty(survey, told.groups))
    read_board = LinkBoard(tuple(tuple(map(int, row)) for row in board))
    memory = told.memory.without(told.groups[told.laid_bare])
    reading = judged(Reading(read_board, survey.lattice.corners, certainty, 0.0, memory))
    if before is not None:
        reading = _with_hand(reading, before)
    # Doubts from here on say nothing against the other cells.
    unsure = (excused | _may_be_else(survey, told)) & ~laid_bare
    unsure |= _came_under_mark(survey, board, before)
    most = np.where(unsure, DOUBTFUL, np.where(dropped, DROPPED, 1.0))
    return replace(reading, certainty=np.minimum(certainty, most).astype(np.float32))


def _are_no_pairs(survey: Survey, sizes: Indices, most_odd: float) -> bool:
    """Whether too many kinds, of such sizes (K,), are odd for no reason, or too many tiles are in
    doubt."""
    tile, doubt = _inner(survey.tile), _inner(survey.doubt)
    amiss = unexplained(mishaps(sizes), doubt & ~tile, int(tile.sum()))
    return bool(
        amiss > most_odd * np.count_nonzero(sizes) or (doubt & tile).sum() > MOST_DOUBT * tile.sum()
    )


def _is_no_board(survey: Survey, groups: Indices, sizes: Indices) -> bool:
    """Whether tiles in (N,) groups, of kinds of such sizes (K,), are no board of dealt tiles: asked
    of what is seen for the first time, or was hardly believed."""
    tile, doubt, cells = _inner(survey.tile), _inner(survey.doubt), _inner(survey.cells)
    is_remnant = _is_remnant(survey, groups, int((sizes % 2).sum()))
    sockets = int(_inner(survey.sockets).sum())
    return bool(
        np.count_nonzero(sizes) < (LEAST_STREWN if is_remnant else LEAST_KINDS)
        or max(int(sizes.max()), sockets) > MOST_ALIKE * (tile.sum() + sockets)
        or (sockets and (sizes % 2).any())  # letters in the squares of a word game, not pairs
        or dealing.is_too_fine(tile)
        or dealing.is_one_line(tile)
        or (dealing.is_sheared(tile & ~doubt) and not edges_run_along(cells, tile))
        or dealing.is_in_lines(tile, groups)
        or (not survey.on_picture and cuts_pictures(cells, survey.vacant))
        or differ_at_edges(cells[tile])
    )


def _alone_on_ground(survey: Survey, groups: Indices, sizes: Indices) -> Mask:
    """(R, C) tiles that come once, if nothing else is odd: they cannot be removed, and are pictures
    on the ground."""
    tile = _inner(survey.tile)
    alone = np.zeros(tile.shape, bool)
    if (sizes % 2).sum() == (sizes == 1).sum() and not survey.framed:
        alone[tile] = sizes[groups] == 1
    return alone


def _may_be_else(survey: Survey, told: _Kinds) -> Mask:
    """(R, C) tiles that may be others that were known before, hide a drawing, be stones, or be
    pieces of what lies behind or of a gap; and empty cells that may be tiles."""
    tile, groups = _inner(survey.tile), told.groups
    unsure: Mask = tile & _inner(survey.may_be_ground)
    is_whole = not survey.vacant.any()
    unsure[tile] |= told.joins
    unsure[tile] |= suspects.may_hide_drawings(groups, survey.bare, is_whole)
    unsure[tile] |= suspects.may_be_stones(groups, _inner(survey.spared)[tile])
    unsure[tile] |= suspects.are_washed_out(groups, _inner(survey.raw)[tile])
    if survey.colourless.any():
        framed = tile & _inner(survey.has_frame)
        unsure |= suspects.hide_tiles(_inner(survey.cells), survey.vacant, framed)
    if survey.on_picture or survey.is_uneven:  # a piece of it has no frame
        little = suspects.show_little(told.pictures)[groups]
        unsure[tile] |= little & ~_inner(survey.has_frame)[tile]
    return unsure


def _with_hand(reading: Reading[LinkBoard], before: Reading[LinkBoard]) -> Reading[LinkBoard]:
    """The reading as confident as it were with all tiles that were sure `before` and are unclear
    now, if these lie together and are no more than half of the board: a hand or a message came over
    them, and neither they nor the mates that they leave alone say anything against the others."""
    unclear = np.where(
        reading.cells == EMPTY, reading.certainty <= DROPPED, reading.certainty < 0.5
    )
    lost = together(unclear & (before.cells != EMPTY) & (before.certainty >= 0.5))
    if not 0 < 2 * lost.sum() <= lost.size or before.confidence < HALF_BELIEVED:
        return reading
    sure = np.where(lost, 1, reading.certainty)
    whole = judged(replace(reading.patched(before, lost), certainty=sure))
    confidence = max(reading.confidence, min(whole.confidence, before.confidence))
    return replace(reading, confidence=confidence)


def _came_under_mark(survey: Survey, board: Indices, before: Reading[LinkBoard] | None) -> Mask:
    """(R, C) cells of the board that are seen under a mark, unless they are what was surely there
    `before`."""
    marked = _inner(survey.marked)
    if before is None:
        return marked
    new: Mask = marked & ((board != before.board.cells) | (before.certainty <= DOUBTFUL))
    return new


def _with_hidden(survey: Survey, groups: Indices) -> tuple[Indices, Mask]:
    """(R, C) groups of tiles, -1 for none, and which cells are so for what is missing."""
    tile, doubt = _inner(survey.tile), _inner(survey.doubt)
    kinds = np.full(tile.shape, -1)
    kinds[tile] = groups
    single = tile & (np.bincount(groups)[kinds] == 1)
    unclear = single | (doubt & ~tile)
    if not unclear.any():  # the rest is dear
        return kinds, unclear
    told = hidden_kinds(
        _inner(survey.cells).reshape(-1, CELL, CELL, 3),
        _inner(survey.clipped).reshape(-1, CELL, CELL, 3),
        kinds.ravel(),
        unclear.ravel(),
        survey.vacant.ravel(),
    ).reshape(tile.shape)
    return np.where(told >= 0, told, kinds), told >= 0


def _is_remnant(survey: Survey, groups: Indices, odd: int) -> bool:
    """Whether nothing at all speaks against tiles in so few groups."""
    is_clear = odd == 0 and survey.framed and not survey.doubt.any()
    return is_clear and dealing.are_strewn(_inner(survey.tile), groups)


def _certainty(survey: Survey, groups: Indices) -> Array:
    """(R, C) of cells: that they are tiles or not, and of these kinds."""
    tile, certainty = _inner(survey.tile), _inner(survey.certainty).copy()
    # No ground, if it is not plain, shows the very picture of a sure tile.
    of_kind = np.zeros(groups.max() + 1, np.float32)
    np.maximum.at(of_kind, groups, certainty[tile])
    shown = np.minimum(of_kind[groups], _inner(survey.drawn)[tile])
    is_tile = np.maximum(certainty[tile], shown)
    certainty[tile] = np.minimum(is_tile, 1 / (1 + np.exp(-survey.grouped.margin)))
    return certainty
