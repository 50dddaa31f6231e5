"""The slow half of seeing, a function of values for another process: find, rectify, read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.find import Quad, find, found_again, outlines, whole, within
from ar_assist.flare import without_flare
from ar_assist.fusion import averaged, fuse
from ar_assist.track import Tracker
from ar_assist.types import (
    AnyGame,
    Candidate,
    Frame,
    Image,
    Lattice,
    Plane,
    Points,
    Reading,
    homography,
    transform,
)
from ar_assist.warp import Box, Mask, completed, rectify, shown

TRUST = 0.7  # confidence from which hints are shown: then no other plane or game is tried
SURE = 0.9  # confidence that a find must have to challenge a board that is believed
SAME_PLACE = 0.3  # of a cell: boards whose corners are this close are one board
FAINT = 0.2  # confidence under which what is read is no board but the known one: that looks at
# nearly the same picture agree proves nothing. Of 94 stills of boards one was read so, and wrongly;
# icons of a home screen always are
LEAD = 0.1  # of confidence, by which a find has to beat the board that is followed
SMALLER = 0.5  # of the cells: a find of fewer does not challenge the board that is followed
BETTER = 0.05, 0.5  # of a cell: a board that lies otherwise by less once its tiles are known is not
# worth a reading, and by more another one
ON_NODE = 0.01  # of a cell: rounding moves no corner further
OTHER_PITCH = 0.25  # share by which cells are larger or smaller than the finder's: not just placed
FEW = 6  # cells of which half the credit is chance
EVEN = 0.5  # certainty under which a cell may well be something else
NO_CHANCE = 6  # cells that are read as a move leaves them: not by chance, though few look otherwise
LIKELY = 3  # lattices that games which find their boards by themselves are asked of beside others
IN_VAIN = 4  # planes in which games that find their boards read one without trust: a fifth rarely
# shows more, and to look through all of them may take a minute
BESIDE = 3  # cells that are seen around a board whose picture ended at it


@dataclass(frozen=True)
class Orientation:
    """How the player wants the board turned, over what the finder takes for upright."""

    quarter_turns: int = 0  # clockwise
    mirrored: bool = False


UPRIGHT = Orientation()


@dataclass(frozen=True, eq=False)
class Sight:
    """A board in one frame: all that is known of where and what it is."""

    game: AnyGame
    plane: Plane  # in the frame that was looked at
    lattice: Lattice | None  # as the finder saw it
    screen: Points | None  # (4, 2) plane px of the lit screen or window around it
    reading: Reading[Any]
    natural: NDArray[np.bool_] | None = None  # cells that show what follows from the known board
    in_view: NDArray[np.bool_] | None = None  # cells that the frame shows; None: all
    tracker: Tracker | None = None  # follows a plane that is new; None: the one followed already


@dataclass(frozen=True, eq=False)
class Task:
    """What to look at. A tracked plane is read where it is, and found anew only when asked."""

    frame: Frame
    games: tuple[AnyGame, ...]
    orientation: Orientation = UPRIGHT
    given: Plane | None = None  # set by hand: read there, find nothing
    tracked: Sight | None = None  # with its plane in `frame`
    views: tuple[tuple[Image, Plane], ...] = ()  # of the tracked plane, newest first, as
    # `Frame.sharpest` gives them
    fuller: tuple[Image, Plane] | None = None  # shows what lies beyond the newest one's edge
    believed: Reading[Any] | None = None  # of the tracked plane, in its px
    changed: NDArray[np.bool_] | None = None  # its cells that do not look as they did when read
    remembered: Reading[Any] | None = None  # of a plane that was lost
    anew: bool = True
    earlier: tuple[Frame, ...] = ()  # newest first: a find averages them in, for noise and moire

    @property
    def known(self) -> Reading[Any] | None:
        """The board that a look may see again."""
        return self.believed or self.remembered


def look(task: Task) -> Sight | None:
    """The most credible board in the frame; None: no board of these games."""
    here = _read_tracked(task, task.tracked) if task.tracked else None
    unbeatable = here is not None and here.reading.confidence + LEAD >= 1
    if unbeatable or not task.anew:
        return here
    found = _find(task)
    if found and here:
        found = _with_cleared_lines(found, here, task.known)
    if found is None or not _beats(found, here, task.believed):
        return here
    return replace(found, tracker=Tracker(task.frame, found.plane, found.reading.corners))


def _read_tracked(task: Task, sight: Sight) -> Sight | None:
    reading = _read_near(task, sight.game)
    if reading is None:
        picture = _picture(task)
        reading = _read_known(sight.game, picture, sight.lattice, task.believed)
        if reading is None:
            return None
        if task.believed is None:
            reading = _remembered(sight.game, picture, sight.lattice, reading, task.remembered)
        if _is_faint(reading, task.known):
            return None
    reading, in_view = _as_far_as_seen(reading, sight.plane, task.frame.shown, task.believed)
    natural = _natural(sight.game, reading, task.known, task.changed)
    return replace(sight, reading=reading, natural=natural, in_view=in_view)


def _read_near(task: Task, game: AnyGame) -> Reading[Any] | None:
    """The believed board, read in no more of its plane than the game needs; None: it wants all."""
    known, margin = task.believed, game.margin
    if known is None or margin is None:
        return None
    corners, shape = known.corners, known.certainty.shape[::-1]
    around = margin * np.ptp(corners, axis=0) / shape
    size = task.views[0][1].size_wh
    low = np.floor(np.clip(corners.min(0) - around, 0, size)).astype(int)
    high = np.ceil(np.clip(corners.max(0) + around, 0, size)).astype(int)
    part = (*low.tolist(), *high.tolist())
    here = replace(known, corners=corners - low.astype(np.float32))
    reading = _read_known(game, _picture(task, part), None, here)
    return reading and replace(reading, corners=reading.corners + low.astype(np.float32))


def _read_known(
    game: AnyGame, picture: Image, lattice: Lattice | None, known: Reading[Any] | None
) -> Reading[Any] | None:
    """What the game reads in the picture of a plane that is followed; where that is not trusted,
    what it reads without what the screen mirrors, if that is."""
    reading = game.read(picture, lattice, known)
    grid = known.lattice if known else lattice
    if grid is None or game.finds_board or (reading and reading.confidence >= TRUST):
        return reading
    again = game.read(without_flare(picture, grid), lattice, known)
    return again if again and again.confidence >= TRUST else reading


def _picture(task: Task, part: Box | None = None) -> Image:
    """The tracked plane's picture or a part of it, of all views."""
    newest, *older = (rectify(image, plane, part) for image, plane in task.views)
    if task.fuller:
        there = shown(*task.views[0], part)
        newest = completed(newest, there, rectify(*task.fuller, part))
    return fuse([newest, *older])


def _as_far_as_seen(
    reading: Reading[Any], plane: Plane, shown: Mask, known: Reading[Any] | None
) -> tuple[Reading[Any], NDArray[np.bool_] | None]:
    """A reading that says nothing of cells beyond the picture's edge, and which are in it; None:
    all. `shown` (H, W) says where the frame has a picture.

    The others are as they are known to be; where nothing is known they are not certain.
    """
    h, w = shown.shape
    seen = plane.to_frame(reading.cell_quads())
    inside = ((seen >= -0.5) & (seen <= (w - 0.5, h - 0.5))).all(axis=3)
    x, y = np.moveaxis(np.rint(np.nan_to_num(seen).clip(0, (w - 1, h - 1))).astype(int), -1, 0)
    in_view = np.asarray((inside & shown[y, x]).all(axis=2))
    if in_view.all():
        return reading, None
    if known is not None and known.is_like(reading):
        return reading.patched(known, ~in_view), in_view
    certainty = np.where(in_view, reading.certainty, 0).astype(np.float32)
    return replace(reading, certainty=certainty), in_view


def _natural(
    game: AnyGame,
    reading: Reading[Any],
    known: Reading[Any] | None,
    changed: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_] | None:
    """(rows, cols) cells that moves explain: all that are read otherwise, or those that changed.

    Of the former most must look otherwise, or one if they are many and it alone is no move. Not all
    do: a black disc on dark felt hardly shows, nor does a row of balls or of bones that slid along.
    `changed` is None where nobody saw what became of the board that was known.
    """
    if known is None or not known.is_like(reading):
        return None
    otherwise = known.cells != reading.cells
    if changed is None:
        return otherwise if _follows(game, known, reading) else None
    seen = otherwise & changed
    # One that looks as it did and is read doubtfully is misread, or slid along with others.
    firm = otherwise & (changed | (reading.certainty >= EVEN))
    explained = [seen]
    if 2 * seen.sum() >= otherwise.sum():
        explained = [firm, otherwise, seen]
    elif seen.any() and otherwise.sum() >= NO_CHANCE:
        explained = [seen, firm, otherwise]
    for cells in explained:
        if game.follows(known.board, known.patched(reading, cells).board):
            return np.asarray(cells)
    return None


def _find(task: Task) -> Sight | None:
    frame = task.frame
    task = replace(task, frame=averaged(frame, task.earlier))
    outlined = outlines(task.frame.undistorted)
    best = _most_credible(task, _planes(task, outlined))
    if best is None or _is_faint(best.reading, task.known):
        return None
    best = _with_surroundings(task, best)
    natural = _natural(best.game, best.reading, task.known)
    reading, in_view = _as_far_as_seen(best.reading, best.plane, frame.shown, known=None)
    screen = _screen(best, outlined)
    return replace(best, screen=screen, reading=reading, natural=natural, in_view=in_view)


def _planes(task: Task, outlined: list[Quad]) -> Iterator[tuple[Candidate, tuple[AnyGame, ...]]]:
    """What to read, likely planes first, and which games to ask: those that find their boards by
    themselves of the frame as it is; where others were asked as well, of it once these were asked
    of a plane of theirs, and of few lattices, once each, for they need none."""
    image, orientation = task.frame.undistorted, task.orientation
    if task.given:  # who sets corners says which is the top left
        orientation = replace(orientation, quarter_turns=0)
        for candidate in within(image, task.given):
            yield _turned(candidate, orientation), task.games
        return
    finders = tuple(game for game in task.games if game.finds_board)
    others = tuple(game for game in task.games if not game.finds_board)
    is_asked, lattices, frame = not finders, 0, whole(image)
    for candidate in find(image, outlined):
        if not is_asked and not candidate.is_again and (lattices or not others):
            yield _turned(frame, orientation), finders
            is_asked = True
        lattices += candidate.lattice is not None and not candidate.is_again
        is_late = bool(others) and candidate.lattice is not None and lattices > LIKELY
        is_frame = np.array_equal(candidate.plane.frame_from_plane, frame.plane.frame_from_plane)
        is_again = candidate.is_again or (is_frame and is_asked)
        if games := others if is_late or is_again else task.games:
            yield _turned(candidate, orientation), games


def _most_credible(
    task: Task, planes: Iterable[tuple[Candidate, tuple[AnyGame, ...]]]
) -> Sight | None:
    """The first board that is trusted, or the best; where one was read without trust it is read
    once more, and counts if it is trusted then. If none is, likely planes are read without what the
    screen mirrors. If all games find their boards by themselves, one that is rather there than not
    will do, or the best of few planes in which it is doubted."""
    best: Sight | None = None
    sight: Sight | None = None
    find_boards = all(game.finds_board for game in task.games)
    enough = EVEN if find_boards else TRUST  # what they doubt is not where the board is
    in_vain = 0
    likely: list[Candidate] = []
    for candidate, games in planes:
        if candidate.is_again and sight is None:
            continue
        if candidate.lattice is not None and not candidate.is_again:
            likely.append(candidate)
        sight = _read(replace(task, games=games), candidate)
        if sight is None:
            continue
        sight = _placed_better(task, sight)
        if candidate.is_again and sight.reading.confidence < TRUST:
            continue
        best = max(filter(None, (best, sight)), key=_credit)
        in_vain += find_boards
        if best.reading.confidence >= enough or in_vain == IN_VAIN:
            return best
    if find_boards:
        return best
    others = replace(task, games=tuple(game for game in task.games if not game.finds_board))
    clear = (_read(others, candidate, is_clear=True) for candidate in likely[:LIKELY])
    trusted = (sight for sight in clear if sight and sight.reading.confidence >= TRUST)
    return next(trusted, best)


def _takes_for_pieces(lattice: Lattice, reading: Reading[Any]) -> bool:
    """Whether the finder's cells are only parts of those that were read."""
    return not np.allclose(reading.lattice.pitch_xy, lattice.pitch_xy, rtol=OTHER_PITCH)


def _lies_on(lattice: Lattice, reading: Reading[Any]) -> bool:
    """Whether the board that was read has its corners on nodes of the lattice."""
    nodes = (reading.corners - np.array(lattice.origin_xy)) / np.array(lattice.pitch_xy)
    return bool(np.abs(nodes - np.rint(nodes)).max() < ON_NODE)


def _placed_better(task: Task, sight: Sight) -> Sight:
    """A board that is trusted, or of whose tiles the finder saw pieces, where it is found again by
    the tiles that were read, if that is another place."""
    reading = sight.reading
    if sight.lattice is None or not _lies_on(sight.lattice, reading):
        return sight  # who placed the cells by what they show knows better
    of_pieces = _takes_for_pieces(sight.lattice, reading)
    if not of_pieces and reading.confidence < TRUST:
        return sight
    tiles = reading.cells != 0
    found = found_again(task.frame.undistorted, sight.plane, reading.lattice, tiles, of_pieces)
    if found is None or found.lattice is None:
        return sight
    was, now = sight.plane.to_frame(reading.corners), found.plane.to_frame(found.lattice.corners)
    cell = np.sqrt(cv2.contourArea(was) / tiles.size)
    if not BETTER[0] <= np.abs(now - was).max() / cell <= BETTER[1]:
        return sight
    again = _read(task, found)
    if again is None or _credit(again) < _credit(sight) - LEAD:
        return sight
    was_trusted, is_trusted = (s.reading.confidence >= TRUST for s in (sight, again))
    return again if is_trusted or not was_trusted else sight


def _is_faint(reading: Reading[Any], known: Reading[Any] | None) -> bool:
    """Whether so little speaks for a board that is not the known one that it is none."""
    return reading.confidence < FAINT and not (known is not None and known.is_like(reading))


def _with_surroundings(task: Task, sight: Sight) -> Sight:
    """A board that fills its picture is read again with what is beside it, which may tell more."""
    reading, size = sight.reading, np.array(sight.plane.size_wh)
    shape = np.array(reading.certainty.shape[::-1])
    inside = np.minimum(reading.corners + 0.5, size - 0.5 - reading.corners).min(axis=1)
    if sight.lattice is not None or inside.max() > (size / shape).min():
        return sight
    (px, py), (cols, rows) = (round(side) for side in size / shape), shape.tolist()
    origin = BESIDE * px - 0.5, BESIDE * py - 0.5
    lattice = Lattice(origin, (float(px), float(py)), rows, cols)
    plane_from_wider = homography(lattice.corners, reading.corners)
    wider = (cols + 2 * BESIDE) * px, (rows + 2 * BESIDE) * py
    plane = sight.plane.seen_as(plane_from_wider, wider)
    known = replace(reading, corners=lattice.corners)
    again = sight.game.read(rectify(*task.frame.sharpest(plane)), lattice, known)
    if again is None or again.confidence < reading.confidence - LEAD:
        return sight
    return replace(sight, plane=plane, lattice=lattice, reading=again)


def _credit(sight: Sight) -> float:
    """The confidence, less where few cells speak: some icons in a row are soon alike."""
    cells = sight.reading.certainty.size
    return sight.reading.confidence * cells / (cells + FEW)


def _read(task: Task, candidate: Candidate, is_clear: bool = False) -> Sight | None:
    """The most credible board of any of the games in the candidate's picture, or, if `is_clear`, in
    that without the light that the screen mirrors."""
    picture = rectify(*task.frame.sharpest(candidate.plane))
    if is_clear and candidate.lattice is not None:
        picture = without_flare(picture, candidate.lattice)
    sights = []
    for game in task.games:
        reading = game.read(picture, candidate.lattice)
        if reading:
            reading = _remembered(game, picture, candidate.lattice, reading, task.remembered)
            sights.append(Sight(game, candidate.plane, candidate.lattice, None, reading))
    return max(sights, key=_credit, default=None)


def _remembered(
    game: AnyGame,
    picture: Image,
    lattice: Lattice | None,
    reading: Reading[Any],
    known: Reading[Any] | None,
) -> Reading[Any]:
    """The known board is read again in its light: labels and doubts carry over.

    A board of another shape is the known one where it shows what moves make of that: the last
    tiles of a line at its border may be gone.
    """
    if known is None or not known.is_of_game(reading):
        return reading
    shape = known.certainty.shape
    if reading.certainty.shape == shape:
        return game.read(picture, lattice, replace(known, corners=reading.corners)) or reading
    places = (replace(known, corners=corners) for corners in _places(shape, reading))
    again = [game.read(picture, lattice, place) for place in places]
    known_again = [r for r in again if r is not None and _follows(game, known, r)]
    return max(known_again, key=lambda r: (r.cells == known.cells).sum(), default=reading)


def _follows(game: AnyGame, known: Reading[Any], reading: Reading[Any]) -> bool:
    """Whether a board is the known one, or what moves make of it."""
    return known.is_like(reading) and (
        known.board == reading.board or game.follows(known.board, reading.board)
    )


def _places(shape: tuple[int, ...], reading: Reading[Any]) -> Iterator[Points]:
    """(4, 2) plane px: corners of boards of a shape that share all lines they can with another,
    if they differ by no more than is seen beside a board."""
    rows, cols = np.subtract(shape, reading.certainty.shape).tolist()
    if max(abs(rows), abs(cols)) > BESIDE:
        return
    for y, x in product(_ends(rows), _ends(cols)):
        corners = Lattice((-x, -y), (1, 1), *shape).corners
        yield transform(reading.plane_from_grid, corners)


def _ends(more: int) -> range:
    """By how many of `more` lines (or fewer, if negative) a board may be longer at its start."""
    return range(min(more, 0), max(more, 0) + 1)


def _with_cleared_lines(found: Sight, here: Sight, known: Reading[Any] | None) -> Sight:
    """A find on the lattice of the board that is followed, with the lines that it lacks of it, if
    these are empty: lines at its border were cleared."""
    reading, ours = found.reading, here.reading
    (rows, cols), shape = reading.certainty.shape, ours.certainty.shape
    if (rows, cols) == shape or found.in_view is not None or not ours.is_of_game(reading):
        return found
    corners = found.plane.to_plane(here.plane.to_frame(ours.corners))
    seen = transform(np.asarray(np.linalg.inv(reading.plane_from_grid)), corners)
    left, top = np.rint(seen[0]).astype(int).tolist()
    whole = Lattice((left, top), (1, 1), *shape).corners
    inside = slice(-top, rows - top), slice(-left, cols - left)
    is_part = min(-left, -top) >= 0 and rows - top <= shape[0] and cols - left <= shape[1]
    if not is_part or np.abs(seen - whole).max() > SAME_PLACE:
        return found
    if np.count_nonzero(ours.cells) > np.count_nonzero(ours.cells[inside]):
        return found
    cells, certainty = np.zeros_like(ours.cells), ours.certainty.copy()
    cells[inside], certainty[inside] = reading.cells, reading.certainty
    board = ours.board.with_cells(cells.tolist())
    placed = transform(reading.plane_from_grid, whole)
    reading = replace(reading, board=board, corners=placed, certainty=certainty)
    return replace(found, reading=reading, natural=_natural(found.game, reading, known))


def _beats(found: Sight, here: Sight | None, believed: Reading[Any] | None) -> bool:
    """Whether a find elsewhere is more credible than the plane that is followed, in which one look
    may see nothing. At the same place it is one that lies better, if it is surer than looks here
    have ever been."""
    if here is None:
        return believed is None or found.reading.confidence >= SURE
    ours, theirs = (s.plane.to_frame(s.reading.corners) for s in (here, found))
    shape, their_shape = here.reading.certainty.shape, found.reading.certainty.shape
    cell = np.sqrt(cv2.contourArea(ours) / np.prod(shape))
    # what is upright to the finder changes by a quarter when the camera turns
    apart = [float(np.abs(ours - np.roll(theirs, turn, axis=0)).max()) for turn in range(4)]
    if sorted(shape) == sorted(their_shape) and min(apart) < SAME_PLACE * cell:
        ever = max(r.confidence for r in (here.reading, believed) if r is not None)
        is_upright = apart[0] == min(apart)
        return is_upright and found.reading.confidence >= max(SURE, ever + LEAD)
    is_part = np.prod(their_shape) < SMALLER * np.prod(shape)  # a few cells are easily sure of
    is_firm = believed is not None and believed.certainty.shape == shape
    enough = max(here.reading.confidence + LEAD, SURE if is_firm else 0.0)
    return not is_part and found.reading.confidence >= enough


def _screen(sight: Sight, outlined: list[Quad]) -> Points | None:
    """The smallest outline that has the board in it, in the board's plane px."""
    corners = sight.plane.to_frame(sight.reading.corners).tolist()
    quads = [quad.corners for quad in outlined]
    around = [q for q in quads if all(cv2.pointPolygonTest(q, p, False) >= 0 for p in corners)]
    return sight.plane.to_plane(min(around, key=cv2.contourArea)) if around else None


def _turned(candidate: Candidate, orientation: Orientation) -> Candidate:
    """The candidate's plane and lattice seen from another side."""
    plane, lattice = candidate.plane, candidate.lattice
    for _ in range(orientation.quarter_turns % 4):
        w, h = plane.size_wh
        # a picture turned clockwise has its new x where its y was, counted from below
        old_from_new = np.array([[0, 1.0, 0], [-1.0, 0, h - 1], [0, 0, 1]])
        plane, lattice = _seen_through(plane, lattice, old_from_new, (h, w))
    if orientation.mirrored:
        w, h = plane.size_wh
        old_from_new = np.array([[-1.0, 0, w - 1], [0, 1.0, 0], [0, 0, 1]])
        plane, lattice = _seen_through(plane, lattice, old_from_new, (w, h))
    return replace(candidate, plane=plane, lattice=lattice)


def _seen_through(
    plane: Plane,
    lattice: Lattice | None,
    old_from_new: NDArray[np.float64],
    size_wh: tuple[int, int],
) -> tuple[Plane, Lattice | None]:
    turned = plane.seen_as(old_from_new, size_wh)
    if lattice is None:
        return turned, None
    corners = transform(np.asarray(np.linalg.inv(old_from_new)), lattice.corners)
    (x, y), (dx, dy) = corners.min(0).tolist(), lattice.pitch_xy
    if old_from_new[0, 0] == 0:
        return turned, Lattice((x, y), (dy, dx), lattice.cols, lattice.rows)
    return turned, Lattice((x, y), (dx, dy), lattice.rows, lattice.cols)
