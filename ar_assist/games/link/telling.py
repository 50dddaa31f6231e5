"""Tell which cells of a lattice are tiles, and which are ground.

A tile has mates, pictures equal to its own, and is made as most tiles are: its rim is the frame
that they share, or is as unlike the ground as theirs. `ground` says what cells show by themselves,
`framing` how they are made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ar_assist.games import tiles
from ar_assist.games.centres import few_kinds
from ar_assist.games.grouping import cluster
from ar_assist.games.link import framing, ground
from ar_assist.games.link.borders import borders
from ar_assist.games.link.colours import SAME, Mask, has_colour_of_ground, is_one_ground
from ar_assist.games.link.framing import Frame
from ar_assist.games.link.ground import BUSIER, USUALLY
from ar_assist.games.link.memory import SAME_KIND
from ar_assist.games.tiles import CELL, NOISE, Array

ODD_AT_FIRST = -1.0  # log odds of an odd kind: cells beside the board may still be among them
CHANCE = 2.5  # log odds of the groups: lattices that are none have less, boards 5 and more
MATE = 6.0  # times the usual distance to the nearest cell: no mate
MATE_LEAST = 0.3  # more for cells of the lattice: of what parts kinds
CLEANEST = 0.03  # of what parts kinds: pixels that fall between others differ by as much
MOST_MARKED = 2  # tiles: the chosen one, or a pair that the game's own hint names
SHOWS = 0.3, 1.3  # of a picture through a colour laid over it, but for the light; less is lost
DOUBTFUL = 0.3  # certainty of a cell that is made unlike the others or has no mate
DROPPED = 0.7  # … of a picture that is both: it lies on the ground; of ground that may be stone
MOST_DOUBT = 0.2  # of all tiles may look unlike the rest
MANY_BARE = 0.25  # of a board's cells are not all dark drawings on dark faces
MOST_MATES = 0.25  # of a board's pictures: it has four kinds at least
TILES = 0.9  # of the tiles of a board have mates: kinds are even, but for what is misread
STRAYS = 3.0  # times what ground usually shows: what shows more by that …
FAINTEST = 1.0  # … and by so many grey levels may be a faint tile where ground is clean
# Spreads (of the logarithm) above what ground shows, where so many cells tell; none is narrower.
# Of 4147 cells of ground on 114 photographed boards one in a thousand lies beyond 4, and a faint
# picture of thin lines at 6.
STANDS_OUT, TELL_SPREAD, LEAST_SPREAD = 5.0, 16, 0.05
LEAST = 0.25  # quantile of the contrast of tiles: an empty cell does not show as much
CLEAR = 16.0  # log odds of tile against empty per e-fold of contrast from the limit


@dataclass(frozen=True, eq=False)
class Told:
    """What cells are, (N,) each."""

    empty: Mask  # they show the ground
    tile: Mask
    odd: Mask  # made unlike most tiles
    spared: Mask  # … but pictures that come again amid plain ground; they are no proof of a line
    alike: Mask  # (N, N) mates of a cell inside
    vouched: Mask  # they have a mate that is made as tiles are
    certainty: Array  # of being a tile or not
    drawn: Array  # certainty that they show more than a plain ground
    framed: bool  # tiles share a frame that tells
    cells: Array  # (N, CELL, CELL, 3) without marks
    marked: Mask  # a mark lay over their frame
    may_be_ground: Mask  # by how they are made, where no frame tells
    sockets: Mask  # empty, though made as tiles are
    open_: Mask  # they lack a border that tiles have, where these tell
    is_plain: bool  # the ground is, and of one colour

    @property
    def mated(self) -> Mask:
        """(N,) they have a mate."""
        mated: Mask = np.any(self.alike, axis=1)
        return mated

    @property
    def made_alike(self) -> Mask:
        """(N,) they or their mates are made as most tiles are, or need not be."""
        return self.vouched | ~self.odd | self.spared


def tell(cells: Array, inside: Mask) -> Told | None:
    """Tiles and ground among (R, C, CELL, CELL, 3) cells; None where cells make no groups."""
    seen = ground.shown(cells, inside)
    frame = _shared_frame(cells, seen, inside)
    told = _told(cells, seen, inside, frame)
    if told is None or frame is None or not _are_kinds_unlike(told, inside):
        return told
    bare = _told(cells, seen, inside, None)
    if bare is None or not _are_pictures_behind(seen, told.odd, told.mated, inside):
        return bare
    unproved = told.odd & ~told.vouched & bare.tile
    most = np.where(unproved, DOUBTFUL, 1.0)
    return replace(bare, certainty=np.minimum(bare.certainty, most))


def _are_kinds_unlike(told: Told, inside: Mask) -> bool:
    """Whether so many tiles have mates, but none that has the frame, that there is no board if that
    is shared by all: textures that fill their squares have rims of their own."""
    tile = told.tile & inside
    unlike = tile & told.mated & ~told.made_alike
    return bool(unlike.sum() > MOST_DOUBT * tile.sum())


def _told(cells: Array, seen: ground.Shown, inside: Mask, frame: Frame | None) -> Told | None:
    """The same by the frame that tiles share, if one tells."""
    flat = cells.reshape(-1, CELL, CELL, 3)
    odd, empty = _by_frame(flat, seen, inside, frame)
    sockets = _sockets(flat, seen, empty, inside)
    empty = empty | sockets
    found = _with_mates(flat, seen, odd, empty, inside, bool(frame))
    if found is None:
        return None
    flat, marked, alike = found
    odd = odd & ~marked
    mated: Mask = np.any(alike, axis=1)
    made = (
        _amid_frames(flat, seen, odd, mated, inside) if frame else _bare(flat, seen, mated, inside)
    )
    over = ground.overhanging(cells, alike, inside & mated)
    made = replace(made, odd=made.odd | over, spared=made.spared & ~over)
    sockets &= ~made.unframed
    made = replace(made, unframed=made.unframed | sockets)
    empty = empty | made.unframed
    own = ~made.odd & ~frame.shared if frame else ~made.odd
    vouched: Mask = np.any(alike[:, own], axis=1)
    tile = ~empty & _may_be_tiles(seen, made, mated, vouched, inside, frame)
    certainty, drawn = _certainties(flat, seen, made, tile, vouched, empty & inside, inside, frame)
    return Told(
        empty=empty,
        tile=tile,
        odd=made.odd,
        spared=made.spared,
        alike=alike,
        vouched=vouched,
        certainty=certainty,
        drawn=drawn,
        framed=bool(frame),
        cells=flat,
        marked=marked,
        may_be_ground=np.zeros_like(tile) if frame else _may_be_ground(flat, seen, inside),
        sockets=sockets,
        open_=frame.open_ if frame else np.zeros_like(tile),
        is_plain=seen.is_plain,
    )


def _shared_frame(cells: Array, seen: ground.Shown, inside: Mask) -> Frame | None:
    """What tiles have in common and ground has not, if it tells: a frame, but for that of some
    tiles of one colour, or else a relief; and borders all around."""
    flat = cells.reshape(-1, CELL, CELL, 3)
    bare = seen.empty | seen.chequered
    frame = framing.frame(flat, inside, bare, seen.plain)
    pictures = inside & ~bare & ~seen.plain
    if frame is None or _is_of_one_colour(flat, ~bare, inside, pictures, frame.off):
        relief = framing.relief(flat, inside, bare)
        frame = relief.frame(seen.quiet) if relief and relief.is_clear else None
    if seen.is_plain and 2 * seen.plain[~inside].sum() > (~inside).sum():
        return frame  # over a plain ground all that shows is a tile, elsewhere what has borders
    found = borders(cells, inside, seen.plain)
    return found.frame(frame) if found else frame


def _may_be_ground(cells: Array, seen: ground.Shown, inside: Mask) -> Mask:
    """(N,) cells that look like ground where no frame tells: plain ones that run on into another,
    and those that lack the relief of most tiles, though it is too faint to tell all."""
    relief = framing.relief(cells, inside, seen.empty | seen.chequered)
    runs_on: Mask = seen.plain & seen.quiet.any(1)
    return runs_on if relief is None else runs_on | (relief.share < framing.QUARTER)


def _by_frame(
    cells: Array, seen: ground.Shown, inside: Mask, frame: Frame | None
) -> tuple[Mask, Mask]:
    """(N,) cells that are odd by their frame, and those that show ground, also for want of it."""
    if frame is None:
        return np.zeros(len(cells), bool), seen.empty
    odd = frame.off > 1
    around = seen.empty | (odd & ~inside)
    is_odder = odd & (frame.off > _times(seen.apart, seen.limit))  # than it is busy
    is_coloured = seen.beside | has_colour_of_ground(cells, around)
    shows_ground = seen.empty & ~frame.proved
    return odd, shows_ground | (seen.faint & is_odder & is_coloured) | (seen.chequered & odd)


def _sockets(cells: Array, seen: ground.Shown, empty: Mask, inside: Mask) -> Mask:
    """(N,) what tiles were taken from, where that has the frame of tiles: squares of one colour
    with nothing on them, more than any kind has tiles, on a board where nothing else is `empty`.
    Plain squares of several colours are tiles."""
    plain = inside & seen.plain & ~seen.quiet.any(1)
    if not plain.any() or (empty & inside).any():
        return np.zeros_like(plain)
    level = tiles.level(tiles.face(cells))
    off = np.linalg.norm(level - np.median(level[plain], axis=0), axis=1)
    alike: Mask = plain & (off < SAME)
    are_many = alike.sum() >= MANY_BARE * inside.sum() and 2 * alike.sum() > plain.sum()
    return alike & bool(are_many)


def _times(contrast: Array, limit: float) -> Array:
    """(N,) how busy cells are: over 1, they show a picture."""
    times: Array = (contrast + 1) / (limit + 1)
    return times


def _chance(clear: Array) -> Array:
    """(N,) the chance of tile against empty, by the e-folds that cells are off the limit."""
    chance: Array = special.expit(CLEAR * clear)
    return chance


def _with_mates(
    cells: Array, seen: ground.Shown, odd: Mask, empty: Mask, inside: Mask, has_frame: bool
) -> tuple[Array, Mask, Mask] | None:
    """The cells without marks, (N,) which had one, and (N, N) mates among those that are not empty;
    None where nothing stands apart in groups."""
    alike = _alike(cells, ~empty, inside, odd)
    if alike is None:
        return None
    some = inside & ~empty
    pictures = some & ~seen.plain
    alone = pictures & ~alike.any(1)
    if has_frame:  # two marked ones are mates
        alone |= pictures & odd & ~alike[:, ~odd].any(1)
    cells, marked = _unmarked(cells, alone, some & ~odd & ~alone)
    if marked.any():
        alike = _alike(cells, ~empty, inside, odd & ~marked)
    return None if alike is None else (cells, marked, alike)


def _may_be_tiles(
    seen: ground.Shown,
    made: _Made,
    mated: Mask,
    vouched: Mask,
    inside: Mask,
    frame: Frame | None,
) -> Mask:
    """(N,) cells that have a mate where they need one, and are made as tiles are."""
    # Pieces of ground are mates too, and one of its colour may look framed by chance.
    must_have_mate = ~inside | made.blank | (seen.plain & ~vouched) | seen.empty
    if frame:
        mated = mated & ~(frame.shared & seen.plain & ~vouched)
        pictures = inside & ~seen.plain & ~seen.empty
        mated = mated & ~_are_pieces(frame.open_ & ~vouched, pictures, mated)
    # Beside the board a blank tile must show the frame, on every side.
    is_blank = ~made.odd & ~seen.quiet.any(1) & bool(frame)
    may_be: Mask = np.where(must_have_mate, mated & ~made.odd, mated | ~made.odd)
    return may_be & (inside | ~seen.plain | is_blank)


def _are_pieces(open_: Mask, pictures: Mask, mated: Mask) -> Mask:
    """(N,) which cells are pieces of what lies behind, though some of it comes again: they and
    their mates are `open_`, and few of the `pictures` with mates are, or many that are have none.
    """
    are_few = (open_ & pictures & mated).sum() < MOST_DOUBT * (pictures & mated).sum()
    are_alone = (open_ & pictures & ~mated).sum() > MOST_DOUBT * (open_ & pictures).sum()
    return open_ & bool(are_few or are_alone)


def _certainties(
    cells: Array,
    seen: ground.Shown,
    made: _Made,
    tile: Mask,
    vouched: Mask,
    bare: Mask,
    inside: Mask,
    frame: Frame | None,
) -> tuple[Array, Array]:
    """(N,) how certain cells are tiles or, within the board, `bare`; and that they show more than a
    plain ground."""
    shows = np.log(_times(seen.contrast, seen.limit))
    clear = shows
    if frame:
        by_show = made.blank | made.spared | (frame.shared & ~(tile & vouched))
        clear = np.where(by_show, -shows, np.log(frame.off + 0.01))
        # What runs out of the board and has no frame: either may be the clearer sign of ground.
        runs_out = seen.empty & seen.quiet.any(1) & (clear > 0)
        clear = np.where(runs_out, np.maximum(clear, -shows), clear)
    certainty, drawn = _chance(np.abs(clear)), _chance(shows)
    if frame:
        certainty[tile & (clear > 0)] = DOUBTFUL  # for its mates' sake, against the frame
    certainty[tile & inside & seen.guessed] = DOUBTFUL  # its colour is near the ground's too
    # A tile, however pale, has the frame, and does not run on into ground.
    frameless = made.odd & seen.runs_into_ground & bool(frame)
    certainty = np.minimum(certainty, _most_of_ground(seen, tile, bare, made.unframed, frameless))
    known = (seen.empty | seen.chequered) & inside
    # Around a stone something ends.
    unproved = made.unframed & bare & ~known & ~seen.runs_into_ground
    certainty[_may_be_stones(cells, unproved, known & bare)] = DROPPED
    return certainty, drawn


def _is_of_one_colour(cells: Array, chosen: Mask, inside: Mask, pictures: Mask, off: Array) -> bool:
    """Whether the frame that few `pictures` have is that of tiles of one colour among others.

    If the other pictures are pieces of what lies behind, few of them have mates, or all are alike
    to a board that judges by them. Tiles have some mates, for there are a few kinds.
    """
    unlike = pictures & (off > 1)
    if 2 * unlike.sum() <= pictures.sum():
        return False
    alike = _alike(cells, chosen, inside, np.zeros_like(inside))
    if alike is None:
        return False
    mates = alike[unlike].sum(1)
    return bool(((mates > 0) & (mates < MOST_MATES * pictures.sum())).mean() > TILES)


@dataclass(frozen=True, eq=False)
class _Made:
    """How cells are made, (N,) each."""

    odd: Mask  # unlike most tiles
    blank: Mask  # of one colour, where few tiles are
    unframed: Mask  # ground, for they have no frame where tiles have one
    spared: Mask  # odd, but pictures that come again amid plain ground


def _amid_frames(cells: Array, seen: ground.Shown, odd: Mask, mated: Mask, inside: Mask) -> _Made:
    """Cells of which some are `odd` by the frame that tiles share.

    Ground has no frame; a tile of one colour shows it in another way. Pictures that come again are
    no ground where that is plain: they are tiles that have no frame but their own colour. Nor does
    any kind of tile have so many: sockets may show an edge where tiles were taken from.
    """
    plain, unlike = seen.plain, odd & inside
    unframed = unlike & plain & framing.frameless(cells, mated & inside & ~unlike & ~plain)
    bare = unlike & plain
    if bare.sum() >= MANY_BARE * inside.sum() and framing.are_of_one_colour(cells[bare]):
        unframed = bare
    blank = unlike & mated & plain & ~unframed & ~seen.quiet.any(1) & ~seen.beside
    may_be_spared = seen.is_plain and not _are_pictures_behind(seen, odd, mated, inside)
    spared = unlike & mated & ~plain & may_be_spared
    return _Made(odd & ~blank, blank, unframed, spared)


def _are_pictures_behind(seen: ground.Shown, odd: Mask, mated: Mask, inside: Mask) -> bool:
    """Whether what lies behind shows pictures too, in and around the board, though empty cells are
    plain: of all that are `odd` most have no mate. Some may have, of windows in a wall."""
    pictures = odd & ~seen.plain & ~seen.empty
    alone = pictures & ~mated
    are_behind = (alone & inside).sum() > MOST_MARKED and 2 * alone.sum() > pictures.sum()
    return seen.is_plain and bool(are_behind)


def _bare(cells: Array, seen: ground.Shown, mated: Mask, inside: Mask) -> _Made:
    """Cells of a board without a frame that tells."""
    sure, plain = inside & mated, seen.plain
    # A blank tile has mates and the frame of all; on a board of plain squares all are blank.
    blank = plain & (2 * (plain & inside).sum() < inside.sum())
    # Squares share no rim: there each has its own colour.
    are_squares = 2 * (plain & sure).sum() > sure.sum()
    off = np.zeros(len(cells), np.float32) if are_squares else framing.misfit(cells, sure)
    odd = framing.misfits(off, sure, seen)
    odd |= blank & framing.frameless(cells, sure)
    nothing = np.zeros(len(cells), bool)
    return _Made(odd, blank, nothing, nothing)


def _most_of_ground(
    seen: ground.Shown, tile: Mask, bare: Mask, unframed: Mask, frameless: Mask
) -> Array:
    """(N,) how certain it can be at most that cells of the board are `bare`; of others 1.

    Where `frameless` ones show more than ground usually does, that is no pale tile.
    """
    shows = np.quantile(seen.contrast[tile], LEAST) if tile.any() else np.inf
    if bare.any():  # one that shows far more than ground usually does may hold a pale tile
        around = seen.empty & ~bare  # where most that are bare do, what is ground beside them tells
        grounds = (seen.contrast[some] for some in (bare, around) if some.any())
        usual = min(float(np.quantile(shown, USUALLY)) for shown in grounds)
        shows = min(shows, BUSIER * usual + np.clip(STRAYS * usual, FAINTEST, NOISE / 2))
        shows = min(shows, _most_shown(seen.contrast[bare]))
    # By colour; in spite of a picture.
    guessed = seen.guessed | (bare & (seen.contrast > shows) & ~frameless)
    if not seen.is_plain:  # borders all around, and a colour that some ground has somewhere
        guessed = guessed | (bare & ~seen.quiet.any(1) & ~unframed)
    most = np.where(guessed, DROPPED, 1.0)
    if not (bare & seen.beside).any() and bare.sum() < MANY_BARE * (bare | tile).sum():
        most[bare & ~unframed] = DOUBTFUL  # they may be dark tiles
    return most


def _most_shown(contrast: Array) -> float:
    """Grey levels that a cell of ground shows at most, by what (N,) of them do; infinite, where too
    few tell. Noise and grain are much the same all over a ground."""
    if len(contrast) < TELL_SPREAD:
        return np.inf
    shown = np.log(contrast + FAINTEST)
    usual, spread = tiles.median_and_spread(shown, LEAST_SPREAD)
    return float(np.exp(usual + STANDS_OUT * spread) - FAINTEST)


def _may_be_stones(cells: Array, frameless: Mask, known: Mask) -> Mask:
    """(N,) which of the `frameless` cells, ground for want of a frame alone, are not proved to be.

    Stones amid pictures are as plain. Ground has the colour of what is `known` to be ground; where
    none is, what shows where tiles were taken from is of one colour and has no drawing.
    """
    if not frameless.any():
        return frameless
    if known.any():
        return frameless & ~has_colour_of_ground(cells, known)
    faces = tiles.face(cells[frameless])
    is_drawn = ground.contrasts(faces.mean(0)[None])[0] > NOISE / 2
    return frameless & (is_drawn or not is_one_ground(tiles.level(faces)))


def _unmarked(cells: Array, odd: Mask, usual: Mask) -> tuple[Array, Mask]:
    """(N, CELL, CELL, 3) cells, without what a game has laid over those that it has marked.

    Around the tile that the player has chosen, or two that a hint names, it draws a frame, or it
    lays a colour over them. Below, its middle shows what `usual` tiles do; where more cells are
    odd, they are so for another reason.
    """
    marked = np.zeros(len(cells), bool)
    some, others = np.flatnonzero(odd), np.flatnonzero(usual)
    if not 0 < len(some) <= MOST_MARKED or not len(others):
        return cells, marked
    ring = framing.ring(CELL // 4)  # on a round tile a mark lies further in
    untinted = [_untinted(cells[i], cells[others], ~ring) for i in some]
    shown = np.stack([cells[some], untinted], 1)  # the first is taken if both will do
    bare = np.concatenate([*shown, cells[others]])
    bare[:, ring] = tiles.common(cells[others][:, ring])
    apart = tiles.apart(bare[: -len(others)], bare[-len(others) :])
    unmarked = cells.copy()
    for i, ways, off in zip(some, shown, apart.reshape(len(some), 2, -1), strict=True):
        fit = off.min(1) < SAME_KIND
        if fit.any():
            unmarked[i] = ways[fit.argmax()]
            unmarked[i, ring] = cells[others[off[fit.argmax()].argmin()], ring]
            marked[i] = True
    return unmarked, marked


def _untinted(cell: Array, others: Array, within: Mask) -> Array:
    """The (CELL, CELL, 3) cell without a colour that is laid over it; as it is, where no other
    shows through.

    A share of the picture does, and the colour adds the rest: one gain and an offset for each
    channel, fitted to the likest of (N, CELL, CELL, 3) others by least squares `within` (CELL,
    CELL). Nothing shows through where there is no picture.
    """
    seen, pictures = cell[within], others[:, within]
    level, levels = seen.mean(0), pictures.mean(1)
    off = (seen - level).ravel()
    of_others = (pictures - levels[:, None]).reshape(len(others), -1)
    energy = np.einsum("nd,nd->n", of_others, of_others) + NOISE**2 * off.size
    gain = of_others @ off / energy
    explained = np.where((gain > SHOWS[0]) & (gain < SHOWS[1]), gain**2 * energy, 0)
    best = explained.argmax()
    untinted: Array = (cell - level) / gain[best] + levels[best] if explained[best] else cell
    return untinted


def _alike(cells: Array, chosen: Mask, inside: Mask, unlike: Mask) -> Mask | None:
    """(N, N) which cells are mates of a cell inside; None where nothing stands apart in groups.

    Only cells inside judge what is near: what lies around may be anything. Those
    with an `unlike` frame must be nearly as near as mates usually are.
    """
    some = np.nonzero(chosen)[0]
    within = inside[some]
    judge = within & ~unlike[some]
    if within.sum() - judge.sum() <= MOST_MARKED:
        judge = within  # more are pieces of what lies behind
    if judge.sum() < 3:
        return None
    look = tiles.compare(cells[some], reach=1)
    found = cluster(look.among(judge), _first_odds)
    if found.clear < CHANCE and few_kinds(look.among(judge).parts, found.labels) is None:
        return None
    apart = np.tensordot(found.weights, look.parts, 1) ** 2
    np.fill_diagonal(apart, np.inf)
    nearest = apart[np.ix_(judge, judge)].min(1)
    usual = max(float(np.median(nearest)), CLEANEST)
    limit = min(MATE * usual, max(1.0, MATE / 2 * usual))
    foreign = unlike[some] & ~within
    limits = np.where(foreign, min(2 * usual, limit), limit + np.where(within, MATE_LEAST, 0))
    near = apart < limits[:, None]
    if near[np.ix_(within, within)].any(1).sum() < 2:
        return None
    # Pieces of one wallpaper are like each other too, and like those around the board.
    near[near[:, foreign].any(1) & unlike[some]] = False
    alike = np.zeros((len(cells), len(cells)), bool)
    alike[np.ix_(some, some[within])] = near[:, within]
    return alike


def _first_odds(size: int) -> float:
    return ODD_AT_FIRST if size % 2 and size > 1 else 0.0
