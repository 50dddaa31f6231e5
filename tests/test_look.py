"""Looks: what is read where, challenging the track, the screen around the board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from drawn import picture as tile_picture
from drawn import shuffled
from lens import straight_px
from toy import (
    COLS,
    LATTICE,
    PLANE_WH,
    PX,
    ROWS,
    START,
    ToyBoard,
    ToyGame,
    ToySource,
    screen_picture,
    sight_of,
)

from ar_assist import look as look_module
from ar_assist.find import Quad, found_again, whole
from ar_assist.follow import plane_by_hand
from ar_assist.games.link import LinkGame
from ar_assist.games.link.board import LinkBoard
from ar_assist.games.nonogram import NonogramGame
from ar_assist.games.nonogram.board import puzzle_of
from ar_assist.games.nonogram.drawing import Style, draw, to_image
from ar_assist.games.othello import board as othello
from ar_assist.look import Orientation, Sight, Task, look
from ar_assist.types import Candidate, Frame, Lattice, Plane, Reading, transform
from ar_assist.warp import rectify
from calibration import Camera

PICTURE = screen_picture(START)
RNG = np.random.default_rng(3)


class _Shown(ToyGame):
    """Keeps the pictures that it reads."""

    def read(self, picture, lattice, before=None):
        SEEN.append(picture)
        return super().read(picture, lattice, before)


SEEN: list[np.ndarray] = []


@pytest.mark.parametrize("gain", [1.0, 0.7])
def test_what_lies_beyond_the_edge_is_seen_in_a_fuller_view_as_bright_as_this(source, gain: float):
    task = _task(source, 0.0, anew=False)
    plane, image = task.tracked.plane, task.frame.image
    aside = np.array([[1, 0, 240], [0, 1, 0], [0, 0, 1]]) @ plane.frame_from_plane
    moved = Plane(aside, PLANE_WH)
    cut = cv2.warpAffine(image, np.array([[1, 0, 240.0], [0, 1, 0]]), image.shape[1::-1])
    fuller = (image * gain).astype(np.uint8), plane
    tracked = replace(task.tracked, plane=moved, game=_Shown())
    for view in (None, fuller):
        frame = replace(task.frame, image=cut)
        look(replace(task, frame=frame, tracked=tracked, views=((cut, moved),), fuller=view))
    bare, whole = (np.abs(seen.astype(float) - rectify(image, plane)).mean() for seen in SEEN)
    SEEN.clear()
    assert bare > 30
    assert whole < 3


@pytest.mark.parametrize("is_tracked", [False, True])
def test_through_a_lens_a_board_is_read_in_what_was_interpolated_once(
    monkeypatch, is_tracked: bool
):
    """Straightened first, and then rectified, small tiles lose the detail that tells them apart."""
    monkeypatch.setattr(look_module, "outlines", lambda image: [])
    monkeypatch.setattr(look_module, "find", lambda image, _: [Candidate(plane, LATTICE, 1.0)])
    camera = Camera(640, 480, 500, 500, 320, 240, (-0.35, 0.12))
    plane = Plane(np.array([[1.1, 0.05, 130], [0, 1.1, 90], [0, 1e-4, 1]]), PLANE_WH)
    picture = cv2.GaussianBlur(RNG.integers(0, 255, PICTURE.shape, np.uint8), (0, 0), 1)
    shown = plane.to_plane(straight_px(camera))
    bent = cv2.remap(picture, shown, None, cv2.INTER_LINEAR)
    frame = Frame(0, 0.0, bent, lens=camera)
    reading = ToyGame().read(PICTURE, LATTICE)
    sight = Sight(_Shown(), plane, LATTICE, None, reading) if is_tracked else None
    look(Task(frame, (_Shown(),), tracked=sight, views=(frame.sharpest(plane),), anew=not sight))
    once, twice = (
        np.abs(seen.astype(float) - picture).mean()
        for seen in (SEEN[0], rectify(frame.undistorted, plane))
    )
    SEEN.clear()
    assert once < 0.9 * twice


def _task(source: ToySource, shift: float, **changes) -> Task:
    """A look at frame 0 on a track that is off by `shift` cells."""
    frame, plane = source.frame(0), source.plane(0.0)
    move = np.eye(3)
    move[0, 2] = shift * LATTICE.pitch_xy[0]
    tracked = Plane(plane.frame_from_plane @ move, PLANE_WH)
    reading = ToyGame().read(PICTURE, LATTICE)
    assert reading is not None
    sight = Sight(ToyGame(confidence=0.8), tracked, LATTICE, None, reading)  # can be beaten
    task = Task(frame, (ToyGame(),), tracked=sight, views=((frame.image, tracked),))
    return replace(task, **changes)


@pytest.fixture
def source(monkeypatch):
    source = ToySource(lambda t: START)
    source.replace_finder(monkeypatch)
    return source


@pytest.mark.parametrize(("believed", "is_taken"), [(0.8, True), (0.86, False)])
def test_a_track_that_is_right_outlives_the_challenge_of_all_but_a_far_surer_find(
    source, believed: float, is_taken: bool
):
    task = _task(source, 0.0)
    known = replace(task.tracked.reading, confidence=believed)
    seen = look(replace(task, believed=known))
    assert seen is not None
    assert (seen.tracker is not None) == is_taken
    assert seen.reading.board == START


def test_a_track_that_slipped_by_a_cell_is_replaced(source):
    task = _task(source, 1.0, games=(ToyGame(confidence=0.99),))
    unsure = replace(task.tracked, game=ToyGame(confidence=0.7))
    seen = look(replace(task, tracked=unsure))
    assert seen is not None
    assert seen.tracker is not None
    assert seen.reading.board == START


@pytest.mark.parametrize(("sure", "is_taken"), [(0.8, False), (0.95, True)])
def test_a_look_that_sees_nothing_gives_a_believed_board_up_for_a_sure_find_only(
    source, sure: float, is_taken: bool
):
    """A pair that fades may hide it for a moment; without a belief there is nothing to lose."""

    class Blind(ToyGame):
        def read(self, picture, lattice, before=None):
            return None

    task = _task(source, 0.0, games=(ToyGame(confidence=sure),))
    task = replace(task, tracked=replace(task.tracked, game=Blind()))
    assert look(task) is not None
    assert (look(replace(task, believed=task.tracked.reading)) is not None) == is_taken


def test_a_find_that_is_only_turned_is_no_challenge(source):
    task = _task(source, 0.0, orientation=Orientation(quarter_turns=2))

    class Surer(ToyGame):
        def read(self, picture, lattice, before=None):
            reading = super().read(PICTURE, lattice, before)  # any side up, it reads the same
            return replace(reading, confidence=0.99)

    seen = look(replace(task, games=(Surer(),)))
    assert seen is not None
    assert seen.tracker is None


@pytest.mark.parametrize(("cols", "beats"), [(5, False), (6, True)])
def test_a_find_of_fewer_cells_does_not_challenge_a_board(cols: int, beats: bool):
    """A few icons in a row are easily alike, and so is a part of the board itself."""
    here, corners = sight_of(START), LATTICE.corners[[0, 0, 2, 2]]
    part = np.ones((2, cols), np.float32)
    there = replace(here.reading, corners=corners, certainty=part, confidence=0.99)
    here = replace(here, reading=replace(here.reading, confidence=0.8))
    assert look_module._beats(replace(here, reading=there), here, None) == beats


@pytest.mark.parametrize("is_cleared", [True, False])
def test_a_find_without_a_line_that_was_cleared_has_it_still(is_cleared: bool):
    """Without one that holds tiles it is as it was found."""
    cells = np.arange(1, ROWS * COLS + 1).reshape(ROWS, COLS)
    cells[:, -1] = 0
    cells[2, -1] = 0 if is_cleared else 5
    ours = Reading(
        ToyBoard(tuple(map(tuple, cells.tolist()))), LATTICE.corners, np.ones(cells.shape), 0.8
    )
    here = Sight(ToyGame(), Plane(np.eye(3), PLANE_WH), LATTICE, None, ours)
    smaller = replace(LATTICE, cols=COLS - 1)
    part = ToyBoard(tuple(map(tuple, cells[:, :-1].tolist())))
    theirs = Reading(part, smaller.corners + 1, np.full((ROWS, COLS - 1), 0.9), 0.95)
    found = replace(here, lattice=smaller, reading=theirs)
    extended = look_module._with_cleared_lines(found, here, ours).reading
    assert (extended.cells.shape == cells.shape) == is_cleared
    if is_cleared:
        assert (extended.cells == cells).all()
        assert extended.corners == pytest.approx(LATTICE.corners + 1)
        assert (extended.certainty[:, :-1] == 0.9).all() and extended.confidence == 0.95


def test_what_is_read_faintly_is_no_board_but_the_known_one(source):
    frame, known = source.frame(0), sight_of(START).reading
    for confidence, remembered, is_seen in (
        (0.3, None, True),
        (0.1, None, False),
        (0.1, known, True),
    ):
        games = (ToyGame(confidence=confidence),)
        assert (look(Task(frame, games, remembered=remembered)) is not None) == is_seen


def test_without_a_challenge_nothing_is_found(source, monkeypatch):
    monkeypatch.setattr(
        look_module, "find", lambda image, outlined: pytest.fail("looked elsewhere")
    )
    seen = look(_task(source, 0.0, anew=False))
    assert seen is not None
    assert seen.reading.board == START


def test_a_board_that_is_surely_read_is_not_challenged(source, monkeypatch):
    task, finds = _task(source, 0.0), []
    monkeypatch.setattr(look_module, "find", lambda image, outlined: finds.append(image) or [])
    for confidence, challenges in ((0.95, 0), (0.8, 1)):
        tracked = replace(task.tracked, game=ToyGame(confidence=confidence))
        assert look(replace(task, tracked=tracked)) is not None
        assert len(finds) == challenges


def test_what_follows_from_the_known_board_is_natural(source):
    after = START.put({(0, 0): 0, (1, 5): 0})
    strange = START.put({(0, 0): 0, (0, 1): 0})
    both = strange.put({(1, 5): 0})
    gone = np.zeros((ROWS, COLS), bool)
    gone[0, 0] = gone[1, 5] = True
    one = gone & (np.arange(ROWS) == 0)[:, None]
    everything, nothing = np.ones_like(gone), np.zeros_like(gone)
    for board, changed, natural in (
        (START, everything, nothing),
        (after, everything, gone),
        (after, gone, gone),
        (after, one, gone),  # the other hardly shows: a black disc on dark felt
        (after, nothing, nothing),
        (strange, everything, nothing),
        (both, everything, nothing),
        (both, gone, gone),  # a cell that looks as before is only misread
        (both, one, nothing),
    ):
        task = _task(ToySource(lambda t, b=board: b), 0.0, anew=False)
        believed = task.tracked.reading
        seen = look(replace(task, believed=believed, changed=changed))
        assert seen is not None
        assert seen.reading.board == board
        explained = nothing if seen.natural is None else seen.natural
        assert (explained == natural).all()


def _slid(columns: int) -> ToyBoard:
    """The last tiles of a row have slid along by one."""
    first = COLS - columns
    return START.put({(1, c): START.cells[1][c - 1] * (c > first) for c in range(first, COLS)})


@dataclass(frozen=True)
class _Sliding(ToyGame):
    """A move after which a row slides along."""

    def follows(self, before, after):
        return before == START and after in map(_slid, range(1, COLS + 1))


@pytest.mark.parametrize("columns", [COLS, COLS - 1])
def test_a_long_slide_of_tiles_that_hardly_differ_is_known_by_the_cell_it_frees(columns: int):
    after = _slid(columns)
    task = _task(ToySource(lambda t: after), 0.0, anew=False)
    believed = replace(task.tracked.reading, board=START)
    otherwise = np.array(after.cells) != START.cells
    changed = np.zeros((ROWS, COLS), bool)
    tracked = replace(task.tracked, game=_Sliding())
    for looks_otherwise in (False, True):
        changed[1, COLS - columns] = looks_otherwise
        seen = look(replace(task, tracked=tracked, believed=believed, changed=changed))
        assert seen is not None and seen.reading.board == after
        is_known = looks_otherwise and columns == COLS
        assert (seen.natural is not None and bool(seen.natural.any())) == is_known
        assert not is_known or (seen.natural == otherwise).all()


@pytest.mark.parametrize(
    ("game", "cell", "certainty", "is_known"),
    [
        (_Sliding(), (3, 0), 0.3, True),
        (_Sliding(), (3, 0), 0.9, False),
        (_Sliding(), (1, 3), 0.3, True),
        (ToyGame(), (3, 0), 0.3, True),
    ],
)
def test_a_steady_cell_that_is_read_doubtfully_has_changed_if_a_move_needs_it_and_else_not(
    game: ToyGame, cell: tuple[int, int], certainty: float, is_known: bool
):
    after = _slid(COLS) if isinstance(game, _Sliding) else START.put({(0, 0): 0, (1, 5): 0})
    moved = np.array(START.cells) != after.cells
    read = after if moved[cell] else after.put({cell: 1 + START.cells[cell[0]][cell[1]] % 6})
    known, seen = (
        Reading(board, LATTICE.corners, np.ones((ROWS, COLS), np.float32), 0.95)
        for board in (START, read)
    )
    seen.certainty[cell] = certainty
    changed = moved & (np.array(after.cells) == 0)
    natural = look_module._natural(game, seen, known, changed)
    assert (natural == moved).all() if is_known else natural is None


@pytest.mark.parametrize(("pairs", "is_known"), [(1, True), (2, True), (4, True), (4, False)])
def test_a_board_is_known_again_though_the_last_tiles_of_a_line_went_unseen(
    pairs: int, is_known: bool
):
    """If they went by moves, and no other tile without its mate."""
    cells = np.zeros((7, 8), int)
    cells[1:6] = shuffled(5, 8, 10, 0)
    cells[0, 4:6], cells[6, 2:4] = 11, 12
    after = cells.copy()
    after[6, 2:4] = 0
    for _ in range(pairs - 1):
        move = LinkGame().advise([LinkBoard(tuple(map(tuple, after.tolist())))]).moves[0].link
        after[move.a] = after[move.b] = 0
    if not is_known:
        after[tuple(np.argwhere(after)[0])] = 0
    game, (image, lattice) = LinkGame(), tile_picture(cells)
    known = game.read(image, lattice)
    image, _ = tile_picture(after)
    now = game.read(image, lattice)
    assert known is not None and known.certainty.shape == (7, 8)
    assert now is not None and now.certainty.shape != (7, 8)
    again = look_module._remembered(game, image, lattice, now, known)
    assert again.certainty.shape == (known if is_known else now).certainty.shape
    if is_known:
        assert again.board == known.board.with_cells(np.where(after > 0, known.cells, 0).tolist())


@pytest.mark.parametrize("rows", [7, 8])
def test_a_board_of_another_game_is_not_the_one_that_was_lost(rows: int):
    image, lattice = tile_picture(shuffled(rows, 8, 14, 0))
    reading = LinkGame().read(image, lattice)
    assert reading is not None and reading.certainty.shape == (rows, 8)
    known = Reading(othello.START, lattice.corners, np.ones((8, 8), np.float32), 0.99)
    again = look_module._remembered(LinkGame(), image, lattice, reading, known)
    assert again.board == reading.board
    assert look_module._natural(LinkGame(), reading, known) is None


class _Bend:
    """Px to the right, the more the further down."""

    def bent(self, points):
        return points + np.float32([3, 0]) * points[..., 1:] / 100


@pytest.mark.parametrize("bend", [None, _Bend()])
def test_a_part_of_a_plane_shows_what_the_whole_does(bend):
    plane = Plane(np.array([[0.9, 0.1, 20], [-0.1, 0.8, 40], [0, 1e-4, 1]]), (300, 200), bend)
    whole = rectify(PICTURE, plane)
    part = rectify(PICTURE, plane, (40, 30, 240, 180)).astype(int)
    assert np.abs(part - whole[30:180, 40:240]).mean() < 0.5  # weights of px are rounded


@dataclass(frozen=True)
class _Seeing(LinkGame):
    """Notes the sizes of what it reads."""

    sizes: list[tuple[int, int]] = field(default_factory=list, compare=False)

    def read(self, picture, lattice, before=None):
        self.sizes.append(picture.shape[1::-1])
        return super().read(picture, lattice, before)


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_known_board_is_read_in_no_more_of_its_plane_than_it_takes(is_hidden: bool):
    image, lattice = tile_picture(shuffled(6, 8, 8, 2))
    game, plane = _Seeing(), Plane(np.eye(3), image.shape[1::-1])
    known = game.read(image, lattice)
    game.sizes.clear()
    shown = np.zeros_like(image) if is_hidden else image
    sight = Sight(game, plane, lattice, None, known)
    frame = ToySource(lambda t: START).frame(0)
    task = Task(frame, (game,), tracked=sight, views=((shown, plane),), believed=known, anew=False)
    again = look(task)
    near = np.array(game.sizes[0])
    assert (near < plane.size_wh).all() and (near > (lattice.cols, lattice.rows)).all()
    if is_hidden:  # it is looked for in the whole plane before it is given up
        assert again is None and game.sizes[1:] == [game.sizes[0], *[plane.size_wh] * 2]
    else:
        assert again.reading.board == known.board and len(game.sizes) == 1
        assert np.abs(again.reading.corners - known.corners).max() < 0.1


def test_the_smallest_quad_around_the_board_is_its_screen(source, monkeypatch):
    frame, plane = source.frame(0), source.plane(0.0)

    def quad(margin: float) -> Quad:
        w, h = PLANE_WH
        around = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
        around = around + np.float32([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.float32(margin)
        return Quad(transform(plane.frame_from_plane, around), 1.0)

    quads = [quad(60), quad(10), quad(-90)]
    monkeypatch.setattr(look_module, "outlines", lambda image: quads)
    seen = look(Task(frame, (ToyGame(),)))
    assert seen is not None
    assert seen.screen is not None
    assert np.abs(seen.plane.to_frame(seen.screen) - quads[1].corners).max() < 0.1


def test_four_quarter_turns_are_none(source):
    seen = []

    class Spy(ToyGame):
        def read(self, picture, lattice, before=None):
            seen.append((picture, lattice))

    for turns in (0, 4):
        look(Task(source.frame(0), (Spy(),), Orientation(quarter_turns=turns)))
    half = len(seen) // 2
    for (picture, lattice), (again, lattice_again) in zip(seen[:half], seen[half:], strict=True):
        assert np.array_equal(picture, again)
        assert lattice == lattice_again


@pytest.mark.parametrize("mirrored", [False, True])
def test_corners_by_hand_are_not_turned_once_more(source, monkeypatch, mirrored: bool):
    as_set = lambda image, plane: iter([Candidate(plane, None, 1.0)])  # noqa: E731
    monkeypatch.setattr(look_module, "within", as_set)
    seen = []

    class Spy(ToyGame):
        def read(self, picture, lattice, before=None):
            seen.append(picture)

    frame, plane = source.frame(0), source.plane(0.0)
    for turns in (0, 1):
        look(Task(frame, (Spy(),), Orientation(turns, mirrored), given=plane))
    straight = rectify(frame.undistorted, plane)
    assert np.abs(seen[0].astype(int) - (straight[:, ::-1] if mirrored else straight)).max() <= 1
    assert np.array_equal(seen[0], seen[1])


def tilted(cells: np.ndarray) -> tuple[np.ndarray, Plane, Lattice]:
    """A board of tiles seen at an angle: the frame, the picture's plane and the lattice in it."""
    picture, lattice = tile_picture(cells)
    h, w = picture.shape[:2]
    whole = np.float32([[0, 0], [w, 0], [w, h], [0, h]])
    seen = cv2.getPerspectiveTransform(
        whole, np.float32([[90, 70], [830, 40], [850, 600], [60, 570]])
    )
    return cv2.warpPerspective(picture, seen, (960, 640)), Plane(seen, (w, h)), lattice


@pytest.mark.parametrize("aside_px", [0, 8])
def test_a_link_board_is_read_in_corners_by_hand_though_nothing_is_found(monkeypatch, aside_px):
    """Its reader wants to know where cells are."""
    monkeypatch.setattr(look_module, "find", lambda image, outlined: iter(()))
    cells = shuffled(5, 8, 10, 0)
    image, plane, lattice = tilted(cells)
    corners = plane.to_frame(lattice.corners)
    by_hand = corners + np.float32([[1, -1], [-1, 1], [1, 1], [-1, -1]]) * aside_px
    task = Task(Frame(0, 0.0, image), (LinkGame(),), Orientation(1), given=plane_by_hand(by_hand))
    sight = look(task)
    assert sight is not None
    found = sight.reading.cells
    assert np.array_equal(found[..., None, None] == found, cells[..., None, None] == cells)
    assert np.abs(sight.plane.to_frame(sight.reading.corners) - corners).max() < 3


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(("pieces", "off", "wider"), [(2, 0.15, 0.0), (1, 0.0, 0.015)])
def test_a_board_is_found_again_by_its_tiles(
    monkeypatch, pieces: int, off: float, wider: float, mirrored: bool
):
    """The finder saw halves of tiles, or was led askew by a few cells."""
    cells = shuffled(6, 8, 12, 0)
    image, plane, lattice = tilted(cells)
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    saw = Lattice((x, y + off * dy), (dx, dy / pieces), 6 * pieces, 8)
    askew = plane.seen_as(np.diag([1 + wider, 1, 1]), plane.size_wh)
    found = Candidate(askew, saw, 1.0)
    monkeypatch.setattr(look_module, "find", lambda image, outlined: iter((found,)))
    sight = look(Task(Frame(0, 0.0, image), (LinkGame(),), Orientation(mirrored=mirrored)))
    assert sight is not None
    corners = plane.to_frame(lattice.corners)[[1, 0, 3, 2] if mirrored else [0, 1, 2, 3]]
    assert np.abs(sight.plane.to_frame(sight.reading.corners) - corners).max() < 2  # px
    assert sight.reading.cells.shape == cells.shape


@pytest.mark.parametrize("of_pieces", [False, True])
def test_a_board_without_tiles_is_not_found_again(of_pieces: bool):
    """As a puzzle in which nothing is entered, of whose cells the finder saw halves."""
    image, plane, lattice = tilted(shuffled(6, 8, 12, 0))
    assert found_again(image, plane, lattice, np.zeros((6, 8), bool), of_pieces) is None


@pytest.mark.parametrize("off", [0.0, 0.1])
def test_a_board_that_its_reader_placed_is_not_found_again(source, monkeypatch, off: float):
    """It knows its lines better than the finder does."""
    found = []
    monkeypatch.setattr(look_module, "found_again", lambda *of: found.append(of))

    class Placing(ToyGame):
        def read(self, picture, lattice, before=None):
            reading = super().read(picture, lattice, before)
            return replace(reading, corners=reading.corners + np.float32(off * PX))

    assert look(Task(source.frame(0), (Placing(),))) is not None
    assert bool(found) == (off == 0)


@dataclass(frozen=True)
class _Wavering(ToyGame):
    """Reads a board with these confidences, one after the other, or none."""

    to_say: Iterator[float | None] = field(default=iter(()), compare=False)

    def read(self, picture, lattice, before=None):
        confidence = next(self.to_say)
        reading = super().read(PICTURE, lattice, before)
        return None if confidence is None else replace(reading, confidence=confidence)


@pytest.mark.parametrize(
    ("said", "believed"),
    [
        pytest.param((0.3, 0.9), 0.9, id="trusted then"),
        pytest.param((0.3, 0.6, 0.6), 0.3, id="surer, but not trusted"),
        pytest.param((0.3, None, 0.8), 0.8, id="trusted without what the screen mirrors"),
        pytest.param((None, 0.6), None, id="not read before"),
        pytest.param((None, 0.8), 0.8, id="nor again, but without what the screen mirrors"),
    ],
)
def test_a_lattice_is_read_once_more_where_it_was_read_and_counts_if_it_is_trusted(
    source, monkeypatch, said: tuple[float | None, ...], believed: float | None
):
    plane = source.plane(0.0)
    offered = [Candidate(plane, LATTICE, 1.0), Candidate(plane, LATTICE, 1.0, is_again=True)]
    monkeypatch.setattr(look_module, "find", lambda image, outlined: iter(offered))
    monkeypatch.setattr(look_module, "found_again", lambda *of: None)
    game = _Wavering(to_say=iter(said))
    sight = look(Task(source.frame(0), (game,)))
    assert (sight and sight.reading.confidence) == believed
    assert not list(game.to_say), "all was asked"


@pytest.mark.parametrize(
    ("said", "believed"), [((0.8,), 0.8), ((0.4, 0.9), 0.9), ((0.4, 0.6), 0.4), ((0.4, None), 0.4)]
)
def test_a_board_that_is_followed_but_not_trusted_is_read_without_what_its_screen_mirrors(
    source, said: tuple[float | None, ...], believed: float
):
    task, game = _task(source, 0.0, anew=False), _Wavering(to_say=iter(said))
    sight = look(replace(task, tracked=replace(task.tracked, game=game)))
    assert sight is not None and sight.reading.confidence == believed
    assert not list(game.to_say), "all was asked"


def test_what_the_finder_does_not_see_whole_is_sought_in_the_whole_picture(monkeypatch):
    """A window of nothing but the puzzle: its long clues reach beyond all that is proposed."""
    board = puzzle_of((np.random.default_rng(3).random((8, 12)) < 0.6).tolist())
    drawing = draw(board, Style())
    page = np.array(to_image(drawing, 30))[..., ::-1].copy()
    left, top = round(30 * drawing.left) - 20, round(30 * drawing.top) - 20
    cut = Quad(Lattice((left, top), (300, 200), 1, 1).corners, 1.0)
    monkeypatch.setattr(look_module, "outlines", lambda image: [cut] * 20)
    monkeypatch.setattr("ar_assist.find.lattices", lambda work, outlined: [])
    sight = look(Task(Frame(0, 0.0, page), (NonogramGame(),)))
    assert sight is not None
    assert sight.reading.board == board


@pytest.mark.parametrize(
    ("games", "asked"),
    [
        pytest.param(("finder",), ["finder whole", *["finder"] * 3], id="alone"),
        pytest.param(
            ("finder", "other"),
            [
                *("finder", "other", "other", "finder whole", *("finder", "other") * 2),
                *(*["other"] * 2, *["other clear"] * 3),
            ],
            id="with another",
        ),
        pytest.param(("other",), ["other"] * 6 + ["other clear"] * 3, id="another alone"),
    ],
)
def test_a_game_that_finds_its_board_is_asked_of_the_frame_as_it_is(
    source, monkeypatch, games: tuple[str, ...], asked: list[str]
):
    """First, or once others were asked of a plane of theirs, and of few lattices beside them, of
    none once more where its cells are told more exactly; alone of no more where it finds its board
    again and again and doubts it. Others are asked of likely planes without what the screen mirrors
    in the end."""
    plane, image = source.plane(0.0), source.frame(0).image
    pictures = {"": rectify(image, plane), " whole": image}
    again = (False, True, False, False, False, False)
    offered = [Candidate(plane, LATTICE, 1.0, is_again=known) for known in again]
    monkeypatch.setattr(look_module, "find", lambda image, outlined: iter(offered))
    monkeypatch.setattr(look_module, "found_again", lambda *of: None)
    got = []

    class Doubting(ToyGame):
        def read(self, picture, lattice, before=None):
            shown = (name for name, of in pictures.items() if np.array_equal(picture, of))
            got.append(self.name + next(shown, " clear"))
            return replace(super().read(pictures[""], LATTICE), confidence=0.4)

    look(Task(source.frame(0), tuple(Doubting(n, finds_board=n == "finder") for n in games)))
    assert got == asked


@pytest.mark.parametrize(
    ("confidence", "reads"),
    [
        pytest.param(0.4, 2, id="doubted"),
        pytest.param(0.6, 1, id="rather there"),
    ],
)
def test_a_game_that_finds_its_board_sees_the_frame_once(
    source, monkeypatch, confidence: float, reads: int
):
    """And has done with it where it doubts cells, and not where the board is."""
    plane, image = source.plane(0.0), source.frame(0).image
    offered = [Candidate(plane, LATTICE, 1.0), whole(image)]
    monkeypatch.setattr(look_module, "find", lambda image, outlined: iter(offered))
    monkeypatch.setattr(look_module, "found_again", lambda *of: None)
    got = []

    class Finding(ToyGame):
        def read(self, picture, lattice, before=None):
            got.append(np.array_equal(picture, image))
            return replace(super().read(rectify(image, plane), LATTICE), confidence=confidence)

    look(Task(source.frame(0), (Finding(finds_board=True),)))
    assert got == [True, False][:reads]


def test_a_turned_lattice_covers_the_same_cells(source):
    board = source.find(source.frame(0).image)[0]
    straight = board.plane.to_frame(board.lattice.corners)
    for turns in range(4):
        for mirrored in (False, True):
            turned = look_module._turned(board, Orientation(turns, mirrored))
            assert isinstance(turned.lattice, Lattice)
            corners = turned.plane.to_frame(turned.lattice.corners)
            order = np.roll(straight[::-1] if mirrored else straight, -turns, axis=0)
            same = [np.abs(np.roll(order, k, 0) - corners).max() < 1e-2 for k in range(4)]
            assert any(same)
            assert turned.plane.corners.shape == (4, 2)
