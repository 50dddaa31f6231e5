"""Read a link board from a rectified picture: which cells hold equal tiles, which are empty.

Tiles are known by what a link game must have: pictures that come again, in even counts, all made
alike. The lattice is checked on the way: a row without such tiles goes, a further one with them
comes in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import ndimage, special

from ar_assist.games.grouping import share_within
from ar_assist.games.link import dealing, suspects
from ar_assist.games.link.board import EMPTY, LinkBoard
from ar_assist.games.link.clipping import are_white
from ar_assist.games.link.colours import Mask
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
from ar_assist.games.link.hidden import hidden_kinds, mates_on_ground
from ar_assist.games.link.memory import SAME_KIND, Memory, parted
from ar_assist.games.link.pieces import (
    cuts_pictures,
    differ_at_edges,
    edges_run_along,
    joined,
    may_be_pieces,
    run_on,
)
from ar_assist.games.link.survey import (
    Survey,
    evened,
    extent,
    grown,
    inner,
    surveyed,
)
from ar_assist.games.link.telling import DOUBTFUL, DROPPED, MOST_DOUBT
from ar_assist.games.tiles import CELL, Array, Indices
from ar_assist.types import Image, Lattice, Reading

LEAST_KINDS = 4  # fewer happen by chance; a board known from before may have them, …
LEAST_STREWN = 3  # … and what is left of one, if all its tiles have mates and lie as dealt ones do
MOST_ODD = 0.2  # of all kinds may be odd by a mishap: beyond, these are no pairs
MOST_ALIKE = 0.5  # of tiles and sockets may be alike: beyond, this is a chequered or an empty grid
MOST_PLAIN = 0.5  # of tiles without a drawing: the game's tiles have none
MOST_WITHIN = 0.25  # of how far others are apart, in what tells best: equals of a board. Beyond, …
SURELY = 0.85  # … all else must speak for it: strong moire, and what a screen mirrors, part equals
MOST_COVERED = 1.0  # times the tiles that are seen may be hidden, of a board known from before
HALF_BELIEVED = 0.5  # confidence: a board known from before that has less may be none after all
LOOKS = 6  # at lattices one row or column larger or smaller
# Lines at the top, bottom, left and right in which mates of odd tiles are sought, and in the next:
# as far as pictures reach, but not on all sides at once, for most of what lies there is no board's.
AROUND = (1, 1, 1, 1), (3, 0, 0, 0), (0, 3, 0, 0), (0, 0, 3, 0), (0, 0, 0, 3)
# Kinds that go on in these lines, and are all even with what lies there: one in 64 is so by chance.
WHOLE_KINDS = 6


def read(
    picture: Image, lattice: Lattice | None, before: Reading[LinkBoard] | None = None
) -> Reading[LinkBoard] | None:
    """The link board in a rectified picture, or None where it shows none.

    `lattice` may be a row or column too large or too small; `before` is the last reading of the
    same board in the same plane px: its grid is kept while it explains the picture.
    """
    if before is not None:
        known = before.lattice
        survey = surveyed(picture, known)
        again = _reading(survey, before) if survey else read_last(evened(picture, known), before)
        if again:
            return again
    return _read_anew(picture, lattice) if lattice else None


def _read_anew(picture: Image, lattice: Lattice) -> Reading[LinkBoard] | None:
    """The board with all its lines; as it is given, where those that it seems to lack make it less
    credible: buttons, icons and ground under waves of moire look like tiles."""
    tried: list[Survey] = []
    whole = None

    @cache
    def as_given() -> Reading[LinkBoard] | None:
        return _reading(tried[0], before=None)

    while len(tried) < LOOKS and (survey := surveyed(picture, lattice)) is not None:
        right = extent(survey)
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
            given = as_given()
            if given and _is_wallpaper(survey, given):
                return None
        lattice = right
    if not tried or not _is_larger(tried[-1].lattice, tried[0].lattice):
        return whole
    given = _credible(picture, tried[0], as_given())
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


def _is_larger(lattice: Lattice, than: Lattice) -> bool:
    return lattice.rows * lattice.cols > than.rows * than.cols


def _is_same(lattice: Lattice, other: Lattice) -> bool:
    """But for what is left of steps there and back."""
    return bool(np.allclose(lattice.corners, other.corners, atol=0.1))


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
    around = surveyed(picture, grown(lattice, *lines))
    if around is None:
        return None
    ends = (held for count in around.held for held in (count, count[::-1]))
    top, bottom, left, right = (
        next((by + 1 - at for at in range(by + 1) if held[at]), 0)
        for held, by in zip(ends, lines, strict=True)
    )
    wider = grown(lattice, top, bottom, left, right)
    survey = surveyed(picture, wider) if wider != lattice else None
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
    recognised: Mask  # they show a picture that was known
    pictures: Array  # (K, CELL, CELL, 3) what groups show
    memory: Memory  # of the groups first, under the labels they had, and of kinds that are gone

    @classmethod
    def of(cls, survey: Survey, before: Reading[LinkBoard] | None) -> _Kinds:
        """Kinds as they are seen; what was known `before` parts them further, and names them."""
        cells, groups = survey.shown, survey.grouped.labels
        if before is None or not isinstance(before.evidence, Memory):
            none, seen = np.zeros(len(groups), bool), Memory.of(cells, groups)
            return cls(groups, none, none, none, seen.pictures, seen)
        known, apart = before.evidence.seen_again(cells)
        groups, joins = parted(groups, apart)
        board = np.array(before.board.cells)
        had = board[inner(survey.tile)]
        laid_bare = suspects.are_laid_bare(groups, survey.bare, apart, known.labels, had, board)
        seen = Memory.of(cells, groups)
        memory = seen.after(known, groups, had, joins)
        recognised = apart.min(1) < SAME_KIND
        return cls(groups, joins, laid_bare, recognised, seen.pictures, memory)


def _reading(
    survey: Survey, before: Reading[LinkBoard] | None, most_odd: float = MOST_ODD
) -> Reading[LinkBoard] | None:
    """Group the tiles into kinds, of which a share of `most_odd` may be odd; None where they are no
    link board."""
    tile = inner(survey.tile)
    if tile.sum() < (2 if before else LEAST_TILES):
        return None
    told = _Kinds.of(survey, before)
    kinds, hidden = _with_hidden(survey, told.groups)
    sizes = np.bincount(kinds[kinds >= 0], minlength=told.groups.max() + 1)
    board = np.where(kinds >= 0, told.memory.labels[kinds], EMPTY)
    believed = before if before and before.confidence >= HALF_BELIEVED else None
    known = believed if believed and _shows_most(believed, board, tile, told.recognised) else None
    if _are_no_pairs(survey, sizes, most_odd, board, known):
        return None
    if believed is None and _is_no_board(survey, told.groups, sizes):
        return None
    laid_bare, dropped = np.zeros_like(tile), _alone_on_ground(survey, told.groups, sizes)
    laid_bare[tile] = told.laid_bare
    board[dropped | laid_bare] = EMPTY
    excused = hidden | survey.colourless
    certainty = np.where(excused, 1, _certainty(survey, told.groups))
    read_board = LinkBoard(tuple(tuple(map(int, row)) for row in board))
    memory = told.memory.without(told.groups[told.laid_bare])
    reading = judged(Reading(read_board, survey.lattice.corners, certainty, 0.0, memory))
    is_unsure = believed is None and reading.confidence < SURELY
    if is_unsure and share_within(told.groups, survey.compared) > MOST_WITHIN:
        return None  # days of a calendar, and keys: alike in a bar's place or a shade
    # What follows says nothing for or against the other cells.
    certainty = _by_mates(survey, certainty, sizes, hidden, before)
    unsure = (excused | _may_be_else(survey, told)) & ~laid_bare
    unsure |= _came_under_mark(survey, board, before)
    most = np.where(unsure, DOUBTFUL, np.where(dropped, DROPPED, 1.0))
    doubted = np.minimum(certainty, most).astype(np.float32)
    if known:
        # What is read as it was is unclear only for what it shows.
        unclear = np.where(board == known.cells, certainty, doubted)
        covered = _covered(board, unclear, known)
        reading = _with_hand(reading, covered, known)
        doubted[covered] = np.minimum(doubted[covered], DOUBTFUL)
    return replace(reading, certainty=doubted)


def _are_no_pairs(
    survey: Survey,
    sizes: Indices,
    most_odd: float,
    board: Indices,
    known: Reading[LinkBoard] | None,
) -> bool:
    """Whether too many kinds, of such sizes (K,), are odd for no reason, or too many tiles are in
    doubt. Of a `known` board tiles are hidden where others are seen than it had, or none."""
    tile, doubt = inner(survey.tile), inner(survey.doubt)
    hidden, most_hidden = doubt & ~tile, MOST_DOUBT
    if known:
        others = ~tile | ~np.isin(board, known.cells)
        hidden, most_hidden = hidden | (known.cells != EMPTY) & others, MOST_COVERED
    amiss = unexplained(mishaps(sizes), hidden, int(tile.sum()), most_hidden)
    return bool(
        amiss > most_odd * np.count_nonzero(sizes) or (doubt & tile).sum() > MOST_DOUBT * tile.sum()
    )


def _is_no_board(survey: Survey, groups: Indices, sizes: Indices) -> bool:
    """Whether tiles in (N,) groups, of kinds of such sizes (K,), are no board of dealt tiles: asked
    of what is seen for the first time, or was hardly believed."""
    tile, doubt, cells = inner(survey.tile), inner(survey.doubt), inner(survey.cells)
    is_remnant = _is_remnant(survey, groups, int((sizes % 2).sum()))
    sockets = int(inner(survey.sockets).sum())
    return bool(
        np.count_nonzero(sizes) < (LEAST_STREWN if is_remnant else LEAST_KINDS)
        or max(int(sizes.max()), sockets) > MOST_ALIKE * (tile.sum() + sockets)
        or (sockets and (sizes % 2).any())  # letters in the squares of a word game, not pairs
        or dealing.is_too_fine(tile)
        or dealing.is_one_line(tile)
        or (dealing.is_sheared(tile & ~doubt) and not edges_run_along(cells, tile))
        or dealing.is_in_lines(tile, groups)
        or (not survey.on_picture and cuts_pictures(cells, survey.vacant))
        or run_on(cells, tile, groups)
        or differ_at_edges(survey.cells, survey.tile, ~survey.tile & ~survey.doubt)
    )


def _alone_on_ground(survey: Survey, groups: Indices, sizes: Indices) -> Mask:
    """(R, C) tiles that come once, if nothing else is odd: they cannot be removed, and are pictures
    on the ground."""
    tile = inner(survey.tile)
    alone = np.zeros(tile.shape, bool)
    may_be_ground = not survey.framed or survey.on_picture
    if (sizes % 2).sum() == (sizes == 1).sum() and may_be_ground:
        alone[tile] = sizes[groups] == 1
    return alone


def _may_be_else(survey: Survey, told: _Kinds) -> Mask:
    """(R, C) tiles that may be others that were known before, hide a drawing, be stones, or be
    pieces of what lies behind or of a gap; and empty cells that may be tiles."""
    tile, groups = inner(survey.tile), told.groups
    unsure: Mask = tile & inner(survey.may_be_ground)
    is_whole = not survey.vacant.any()
    unsure[tile] |= told.joins
    unsure[tile] |= suspects.may_hide_drawings(groups, survey.bare, is_whole)
    unsure[tile] |= suspects.may_be_stones(groups, inner(survey.spared)[tile])
    unsure[tile] |= suspects.are_washed_out(groups, inner(survey.raw)[tile])
    if survey.colourless.any():
        framed = tile & inner(survey.has_frame)
        unsure |= suspects.hide_tiles(inner(survey.cells), survey.vacant, framed)
    if survey.bare.mean() > MOST_PLAIN:  # squares of one colour each, of which one may be white
        unsure |= survey.vacant & are_white(inner(survey.raw))
    if survey.on_picture or survey.is_uneven:  # a piece of it has no frame
        little = suspects.show_little(told.pictures)[groups]
        unsure[tile] |= little & ~inner(survey.has_frame)[tile]
    return unsure


def _shows_most(before: Reading[LinkBoard], board: Indices, tile: Mask, recognised: Mask) -> bool:
    """Whether most tiles that were known before are read (R, C) as they were, by pictures that are
    `recognised` (N,): then others may be covered. Else something else is there."""
    same = board == before.cells
    same[tile] &= recognised
    return bool(2 * same[tile].sum() > np.count_nonzero(before.cells))


def _covered(board: Indices, certainty: Array, known: Reading[LinkBoard]) -> Mask:
    """(R, C) tiles of a `known` board that a hand or a message came over: cells that are unclear
    and lie together, and those among them that show nothing, as bare skin does."""
    tiles = (known.cells != EMPTY) & (known.certainty >= 0.5)
    bare = board == EMPTY
    unclear = tiles & np.where(bare, certainty <= DROPPED, certainty < 0.5)
    labels, _ = ndimage.label(unclear | tiles & bare, np.ones((3, 3)))
    return together(np.isin(labels, labels[unclear]))


def _with_hand(
    reading: Reading[LinkBoard], covered: Mask, known: Reading[LinkBoard]
) -> Reading[LinkBoard]:
    """The reading as confident as it were with all tiles that were `known` and are `covered` now,
    if these are no more than half of the board: neither they nor the mates that they leave alone
    say anything against the others."""
    if not 0 < 2 * covered.sum() <= covered.size:
        return reading
    sure = np.where(covered, 1, reading.certainty)
    whole = judged(replace(reading.patched(known, covered), certainty=sure))
    confidence = max(reading.confidence, min(whole.confidence, known.confidence))
    return replace(reading, confidence=confidence)


def _by_mates(
    survey: Survey,
    certainty: Array,
    sizes: Indices,
    hidden: Mask,
    before: Reading[LinkBoard] | None,
) -> Array:
    """(R, C) how certain cells are, by whether every tile that is seen has its mates.

    Before a picture, what has no borders is ground, or a hand or a message lies there. Tiles under
    these leave odd kinds, of such sizes (K,), but for two of one kind: that is the chance of two
    tiles to be equal. It is no proof that a tile which was there `before` has gone, and what was
    surely empty still is. Before a plain ground tiles that are `hidden` in part say nothing of it,
    if their mates are seen.
    """
    is_even = not (sizes % 2).any()
    if not survey.bordered or (is_even and hidden.any() and not survey.on_picture):
        return certainty
    empty, open_ = ~inner(survey.tile), inner(survey.open_)
    known = np.zeros(empty.shape, np.float32)
    if before is not None:
        known = np.where(before.cells == EMPTY, before.certainty, 0)
        open_ = open_ & (before.cells == EMPTY)
    if hidden.any() or not is_even:
        least, most = known, np.where(empty, np.maximum(known, DROPPED), 1)
    else:
        equal = (sizes * (sizes - 1)).sum() / (sizes.sum() * (sizes.sum() - 1))
        least, most = np.maximum(known, 1 - equal), np.ones_like(known)
    return np.clip(certainty, np.where(open_, least, 0), most).astype(np.float32)


def _came_under_mark(survey: Survey, board: Indices, before: Reading[LinkBoard] | None) -> Mask:
    """(R, C) cells of the board that are seen under a mark, unless they are what was surely there
    `before`."""
    marked = inner(survey.marked)
    if before is None:
        return marked
    new: Mask = marked & ((board != before.board.cells) | (before.certainty <= DOUBTFUL))
    return new


def _with_hidden(survey: Survey, groups: Indices) -> tuple[Indices, Mask]:
    """(R, C) groups of tiles, -1 for none, and which cells are so for what is missing: they are
    hidden in part, or passed for ground."""
    tile, doubt = inner(survey.tile), inner(survey.doubt)
    kinds = np.full(tile.shape, -1)
    kinds[tile] = groups
    passed = mates_on_ground(inner(survey.cells), tile, groups)
    kinds, is_mate = np.where(passed >= 0, passed, kinds), passed >= 0
    sizes = np.bincount(kinds[kinds >= 0])
    unclear = (tile & (sizes[kinds] == 1)) | (doubt & ~tile & ~is_mate)
    if not unclear.any():  # the rest is dear
        return kinds, is_mate
    told = hidden_kinds(
        inner(survey.cells).reshape(-1, CELL, CELL, 3),
        inner(survey.clipped).reshape(-1, CELL, CELL, 3),
        kinds.ravel(),
        unclear.ravel(),
        survey.vacant.ravel(),
    ).reshape(tile.shape)
    return np.where(told >= 0, told, kinds), (told >= 0) | is_mate


def _is_remnant(survey: Survey, groups: Indices, odd: int) -> bool:
    """Whether nothing at all speaks against tiles in so few groups."""
    is_clear = odd == 0 and survey.framed and not survey.doubt.any()
    return is_clear and dealing.are_strewn(inner(survey.tile), groups)


def _certainty(survey: Survey, groups: Indices) -> Array:
    """(R, C) of cells: that they are tiles or not, and of these kinds."""
    tile, certainty = inner(survey.tile), inner(survey.certainty).copy()
    # No ground, if it is not plain, shows the very picture of a sure tile.
    of_kind = np.zeros(groups.max() + 1, np.float32)
    np.maximum.at(of_kind, groups, certainty[tile])
    shown = np.minimum(of_kind[groups], inner(survey.drawn)[tile])
    is_tile = np.maximum(certainty[tile], shown)
    certainty[tile] = np.minimum(is_tile, special.expit(survey.grouped.margin))
    return certainty
