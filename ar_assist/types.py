"""The values that pass between stages. Imports numpy only; everything else imports this.

Frames of reference: *frame px* are pixels of the (undistorted) camera picture, *plane px* those
of the rectified picture of a plane. Pixel centres are at integers: a picture spans -0.5 to
width - 0.5. Points are (x, y); cells are (row, column).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]  # (H, W, 3) BGR
Points = NDArray[np.float32]  # (..., 2) x, y px
Homography = NDArray[np.float64]  # (3, 3), named to_from_from: frame_from_plane
Cell = tuple[int, int]  # (row, column)
State = Literal["searching", "locked", "lost"]


class Lens(Protocol):
    """The camera's lens, as the source knows it: what is logged or drawn goes out distorted."""

    def undistort(self, image: Image) -> Image:
        """The picture as a lens without distortion makes it, all of it."""
        ...

    @property
    def shown(self) -> NDArray[np.bool_]:
        """(H, W) px of the undistorted frame that the original one has."""
        ...

    def distort(self, points: Points) -> Points:
        """Map (..., 2) px of the undistorted frame to px of the original one."""
        ...

    def straighten(self, points: Points) -> Points:
        """The inverse of `distort`."""
        ...


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a source."""

    index: int  # counts the source's frames from 0, dropped ones included
    time: float  # s on the source's own clock
    image: Image  # as the lens bends it, read-only
    lens: Lens | None = None  # None: it bends nothing, or nobody knows how
    note: str = ""  # what the source has to say ("camera stalled, …"); "": all is well
    name: str = ""  # path of the picture, for folders
    original: Image | None = None  # as the camera made it; None: `image` is

    @property
    def raw(self) -> Image:
        """The picture as the camera made it."""
        return self.image if self.original is None else self.original

    @cached_property
    def undistorted(self) -> Image:
        """The picture in frame px. To straighten all of one costs as much as to follow a board in
        it, so that only who seeks anywhere asks for it."""
        return self.image if self.lens is None else self.lens.undistort(self.image)

    @property
    def shown(self) -> NDArray[np.bool_]:
        """(H, W) which px show anything: a lens leaves none of some that a straight edge has."""
        return np.ones(self.image.shape[:2], bool) if self.lens is None else self.lens.shown

    def straight(self, points: Points) -> Points:
        """Map (..., 2) px of the picture as the camera made it to frame px."""
        return points if self.lens is None else self.lens.straighten(points)

    def sharpest(self, plane: Plane) -> tuple[Image, Plane]:
        """The picture to read a plane of this frame in, and the plane in that one's px.

        It is the one that nobody straightened: small tiles that are interpolated twice, once by
        that and once more by rectifying, can't be told apart any more.
        """
        return self.image, plane if self.lens is None else plane.through(self.lens)


class Source(Protocol):
    """Where frames come from: a camera, a file, a stream, pictures, a rendered scene."""

    name: str  # safe to show: credentials removed
    fps: float  # frames/s, never rounded
    size_wh: tuple[int, int]  # px
    live: bool  # frames pass whether we look or not: the newest wins

    def __iter__(self) -> Iterator[Frame]: ...
    def close(self) -> None: ...


class Bend(Protocol):
    """Where points of a plane are seen through a lens that nobody calibrated."""

    def bent(self, points: Points) -> Points:
        """(..., 2) plane px that a homography takes to where the plane's `points` are seen."""
        ...

    def straight(self, points: Points) -> Points:
        """The inverse of `bent`."""
        ...

    def __hash__(self) -> int:  # maps of a bend are remembered by it
        ...

    def under(self, plane_from_new: Homography) -> Bend:
        """The same for a plane with other px."""
        ...


@dataclass(frozen=True, eq=False)
class Plane:
    """A planar region of a frame and the rectified picture that is made of it."""

    frame_from_plane: Homography  # (3, 3)
    size_wh: tuple[int, int]  # px of the rectified picture
    bend: Bend | None = None  # None: a homography alone says where its points are seen

    @property
    def corners(self) -> Points:
        """(4, 2) frame px of the rectified picture's outer corners: top left, then clockwise."""
        return self.outline(1)

    def outline(self, parts: int) -> Points:
        """(4 * parts, 2) frame px around the rectified picture, clockwise from its top left."""
        w, h = self.size_wh
        corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
        sides = np.roll(corners, -1, axis=0) - corners
        along = np.arange(parts, dtype=np.float32)[:, None] / parts
        return self.to_frame((corners[:, None] + sides[:, None] * along).reshape(-1, 2))

    def to_frame(self, points: Points) -> Points:
        """Map (..., 2) plane px to frame px."""
        return transform(self.frame_from_plane, self.bend.bent(points) if self.bend else points)

    def to_plane(self, points: Points) -> Points:
        """Map (..., 2) frame px to plane px."""
        seen = transform(np.linalg.inv(self.frame_from_plane).astype(np.float64), points)
        return self.bend.straight(seen) if self.bend else seen

    def seen_as(self, plane_from_new: Homography, size_wh: tuple[int, int]) -> Plane:
        """The same plane with other px."""
        bend = self.bend and self.bend.under(plane_from_new)
        return Plane(self.frame_from_plane @ plane_from_new, size_wh, bend)

    def through(self, lens: Lens) -> Plane:
        """The plane of an undistorted frame in the picture as the camera made it."""
        return Plane(self.frame_from_plane, self.size_wh, _Original(self, lens))


@dataclass(frozen=True, eq=False)
class _Original:
    """Where points of a plane are in the picture as the camera made it: `Bend`."""

    plane: Plane  # of the undistorted frame
    lens: Lens

    def bent(self, points: Points) -> Points:
        seen = self.lens.distort(self.plane.to_frame(points))
        return transform(np.asarray(np.linalg.inv(self.plane.frame_from_plane)), seen)

    def straight(self, points: Points) -> Points:
        seen = transform(self.plane.frame_from_plane, points)
        return self.plane.to_plane(self.lens.straighten(seen))

    def under(self, plane_from_new: Homography) -> _Original:
        return _Original(self.plane.seen_as(plane_from_new, self.plane.size_wh), self.lens)


def homography(source: Points, target: Points) -> Homography:
    """target_from_source through four point pairs, exactly; (4, 2) each. Singular quads raise."""
    rows = []
    for (x, y), (u, v) in zip(source.astype(float), target.astype(float), strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    h = np.linalg.solve(np.array(rows), target.astype(float).ravel())
    return np.append(h, 1.0).reshape(3, 3)


def transform(to_from_from: Homography, points: NDArray[Any]) -> Points:
    """Apply a homography to (..., 2) points."""
    homogeneous = np.concatenate([points, np.ones_like(points[..., :1])], axis=-1) @ to_from_from.T
    return (homogeneous[..., :2] / homogeneous[..., 2:]).astype(np.float32)


def within_quad(quad: Points, points: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of (..., 2) points lie in a convex (4, 2) quad, whichever way round that goes."""
    side = np.roll(quad, -1, axis=0) - quad
    away = points[..., None, :] - quad
    turns = side[:, 0] * away[..., 1] - side[:, 1] * away[..., 0]
    return np.asarray((turns >= 0).all(-1) | (turns <= 0).all(-1))


@dataclass(frozen=True)
class Lattice:
    """A regular, axis-aligned grid of cells in a rectified picture."""

    origin_xy: tuple[float, float]  # plane px of the grid's outer top-left corner
    pitch_xy: tuple[float, float]  # plane px from cell to cell
    rows: int
    cols: int

    @property
    def corners(self) -> Points:
        """(4, 2) plane px of the outer border: top left, then clockwise."""
        (x, y), (dx, dy) = self.origin_xy, self.pitch_xy
        right, bottom = x + dx * self.cols, y + dy * self.rows
        return np.array([[x, y], [right, y], [right, bottom], [x, bottom]], np.float32)

    def quads(self) -> NDArray[np.float32]:
        """(rows, cols, 4, 2) plane px of every cell: top left, then clockwise."""
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        c, r = np.meshgrid(np.arange(self.cols), np.arange(self.rows))
        cells = np.stack([c, r], -1)[:, :, None, :] + unit
        points: Points = (self.origin_xy + cells * np.array(self.pitch_xy)).astype(np.float32)
        return points


@dataclass(frozen=True, eq=False)
class Candidate:
    """A plane that the finder proposes, with the grid in its rectified picture where it saw one."""

    plane: Plane
    lattice: Lattice | None  # None: a bare quad, the whole rectified picture
    score: float  # the finder's own belief, 0 to 1; orders candidates, decides nothing
    is_again: bool = False  # the one before once more, placed by what its cells share


class Board(Protocol):
    """A position: immutable, hashable, and written by str() in the game's own notation."""

    def __hash__(self) -> int: ...

    def record(self) -> dict[str, Any]:
        """The log's `board` without geometry and confidence: rows, cols, cells, …"""
        ...

    def with_cells(self, cells: Sequence[Sequence[int]]) -> Self:
        """The board with other cells, in number and meaning those of its record."""
        ...


class Move(Protocol):
    """What a game advises."""

    def record(self) -> dict[str, Any]:
        """The log's `hint`."""
        ...


B = TypeVar("B", bound=Board)
M = TypeVar("M", bound=Move)


@dataclass(frozen=True, eq=False)
class Reading(Generic[B]):
    """A board as read from one rectified picture."""

    board: B
    corners: Points  # (4, 2) plane px, outer border of the cell grid: top left, then clockwise
    # (rows, cols) 0 to 1: how far each cell is from its nearest rival
    certainty: NDArray[np.float32]
    # 0 to 1: chance that what is advised on it is right. Of a link board that is a pair that it
    # offers, for doubtful cells are left out; of the others all of it.
    confidence: float
    evidence: Any = None  # the game's own notes for its next read of the same board

    @property
    def cells(self) -> NDArray[np.int64]:
        """(rows, cols), as the board's record has them."""
        return np.array(self.board.record()["cells"])

    def is_like(self, other: Reading[B]) -> bool:
        """Whether the boards differ in their cells at most, and not in game, shape or clues."""
        if not self.is_of_game(other) or self.certainty.shape != other.certainty.shape:
            return False
        return bool(self.board.with_cells(other.cells.tolist()) == other.board)

    def is_of_game(self, other: Reading[Any]) -> bool:
        """Whether both are boards of one game."""
        return type(self.board) is type(other.board)

    def patched(self, other: Reading[B], where: NDArray[np.bool_]) -> Reading[B]:
        """With what another reading says of those of its (rows, cols)."""
        cells = np.where(where, other.cells, self.cells)
        certainty = np.where(where, other.certainty, self.certainty)
        return replace(self, board=self.board.with_cells(cells.tolist()), certainty=certainty)

    @property
    def lattice(self) -> Lattice:
        """The grid of a board that lies straight in its plane."""
        (x, y), (right, bottom) = self.corners[0].tolist(), self.corners[2].tolist()
        rows, cols = self.certainty.shape
        return Lattice((x, y), ((right - x) / cols, (bottom - y) / rows), rows, cols)

    @property
    def plane_from_grid(self) -> Homography:
        """(3, 3) plane px from grid units: the centre of cell (r, c) is (c + 0.5, r + 0.5)."""
        rows, cols = self.certainty.shape
        unit = Lattice((0, 0), (1, 1), rows, cols).corners
        return homography(unit, self.corners)

    def cell_quads(self) -> NDArray[np.float32]:
        """(rows, cols, 4, 2) plane px of every cell: top left, then clockwise."""
        rows, cols = self.certainty.shape
        return transform(self.plane_from_grid, Lattice((0, 0), (1, 1), rows, cols).quads())


@dataclass(frozen=True)
class Advice(Generic[M]):
    """What a game's solver says of a position."""

    moves: tuple[M, ...]  # best first; the player steps through them with a key
    status: Literal["ready", "no move", "solved"]
    reason: str = ""  # why there is no move, or what the player should know of the one shown
    slides: bool = False  # a move shifts other pieces too: a change may reach the cells beside it


MarkKind = Literal["frame", "path", "ring", "dot", "fill", "cross", "flip", "error", "text"]


@dataclass(frozen=True, eq=False)
class Mark:
    """Something to draw, by meaning; the overlay decides the look."""

    kind: MarkKind
    # (N, 2) plane px: a quad (frame, ring, fill, cross …), a polyline (path), an anchor (text)
    points: Points
    text: str = ""
    role: str = ""  # tells equal kinds apart: "a", "b", "black", "white", "best", …


@dataclass(frozen=True)
class Correction:
    """What the player says of a cell."""

    cell: Cell
    says: Literal["empty", "same", "blocked"]
    other: Cell | None = None  # for "same": the cell that it equals


class Game(Protocol[B, M]):
    """The rules, the reader and the solver of one game: a frozen value that holds its settings.

    It pickles, because advice is worked out in another process.
    """

    @property
    def name(self) -> str:
        """Its key in GAMES, as the log writes it."""
        ...

    @property
    def is_atomic(self) -> bool:
        """Whether a board is one whole: a part of a move is no board, and any move ends a hint.

        Where it is not, what has changed is so, whatever else has yet to change; and a hint holds
        while the cells that it touches do.
        """
        ...

    @property
    def finds_board(self) -> bool:
        """Whether it finds its board by itself in a picture taken from any side: it is asked first
        of the frame as it is, before planes are sought."""
        ...

    @property
    def margin(self) -> float | None:
        """Cells around a known board that reading it again needs; None: the whole picture."""
        ...

    def parse(self, notation: str) -> B:
        """The inverse of str(board); ValueError says what is wrong."""
        ...

    def read(
        self, picture: Image, lattice: Lattice | None, before: Reading[B] | None = None
    ) -> Reading[B] | None:
        """Read the board in a rectified picture; None: no board of this game here.

        `lattice` is the grid that the finder saw, if it saw one; `before` is the last accepted
        reading of the same board, in the same plane px.
        """
        ...

    def correct(self, reading: Reading[B], corrections: Sequence[Correction]) -> Reading[B]:
        """Put what the player said over what was read."""
        ...

    def advise(self, history: Sequence[B], reading: Reading[B] | None = None) -> Advice[M]:
        """Work out moves for history[-1]; earlier boards tell the gravity, the side to move, …

        `reading` carries the certainty of its cells: no move rests on a doubtful one.
        Bounded by nodes and not by the clock, so that it repeats.
        """
        ...

    def play(self, board: B, move: M) -> B:
        """The board after the move; ValueError if it is illegal."""
        ...

    def follows(self, before: B, after: B) -> bool:
        """Whether legal moves lead from one board to the other, few enough to be made at once."""
        ...

    def marks(self, reading: Reading[B], advice: Advice[M], choice: int = 0) -> tuple[Mark, ...]:
        """What to draw for the advised move number `choice`."""
        ...

    def varied(self) -> tuple[Self, str]:
        """With the next value of the setting that a key changes, and what that is, in words.

        Itself and "" where the game has no such setting.
        """
        ...

    def summary(self, reading: Reading[B], advice: Advice[M] | None) -> str:
        """A few words for the status line: `42 tiles left`, `black 12, white 15, moves 8`."""
        ...


AnyGame = Game[Any, Any]


@dataclass(frozen=True, eq=False)
class View:
    """What the assistant knows at one frame: all that is needed to draw it or log it."""

    frame: Frame
    state: State
    game: AnyGame | None = None
    plane: Plane | None = None  # where the rectified picture lies in this very frame
    screen: Points | None = None  # (4, 2) frame px of the lit screen or window, where it is known
    reading: Reading[Any] | None = None
    advice: Advice[Any] | None = None
    choice: int = 0  # which of advice.moves is on show
    marks: tuple[Mark, ...] = ()  # plane px
    reason: str = ""  # why there is no hint, where there is none
    age: float = 0.0  # s since the frame that the reading was made from
    ms: float = 0.0  # work spent on this frame in the step
    timing: dict[str, float] = field(default_factory=dict)  # ms by stage, for the debug view

    @property
    def original(self) -> View:
        """The same in the picture as the camera made it, and in its px."""
        plane, screen, lens = self.plane, self.screen, self.frame.lens
        if lens is not None:
            plane = plane and plane.through(lens)
            screen = None if screen is None else lens.distort(screen)
        frame = replace(self.frame, image=self.frame.raw, lens=None, original=None)
        return replace(self, frame=frame, plane=plane, screen=screen)
