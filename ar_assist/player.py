"""What the player does with keys and mouse, and what the picture has to show for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np

from ar_assist.assistant import Assistant
from ar_assist.errors import UserError
from ar_assist.overlay import Look
from ar_assist.types import Cell, Correction, Mark, View, transform

ESCAPE = "\x1b"
HELP = (
    "q Esc   quit",
    "space   pause",
    "n   another move",
    "t   side to move (Othello), all cells (nonogram)",
    "f   find the board anew",
    "c   set the corners by mouse",
    "r   turn the reading by 90°",
    "m   mirror the reading",
    "v   hint on or off",
    "d   show what is read",
    "s   save this picture",
    "R   record",
    "b   save a bug bundle",
    "h   this help",
    "click a tile to correct it",
)
SAID = {"f": "searching anew"}
CORNERS = ("top left", "top right", "bottom right", "bottom left")


class Screen(Protocol):
    """Where pictures are shown and keys come from; `window.Window` is one."""

    def show(self, image: np.typing.NDArray[np.uint8]) -> None: ...
    def keys(self, wait_s: float) -> list[str]: ...
    def clicks(self) -> list[tuple[float, float]]: ...
    @property
    def is_closed(self) -> bool: ...


class Player:
    """Turns keys and clicks into calls of the assistant, and keeps the state of the window."""

    def __init__(
        self, assistant: Assistant, scale: float, actions: dict[str, Callable[[], str]]
    ) -> None:
        """`actions`: further keys; each gives back what it has to say."""
        self._assistant = assistant
        self.look = Look(scale=scale)
        self.has_left = False
        self._holds = self._asks_corners = self._shows_help = False
        self._corners: list[tuple[float, float]] = []
        self._selected: Cell | None = None
        self._actions: dict[str, Callable[[], str | None]] = {
            "q": self._leave,
            ESCAPE: self._escape,
            " ": self._pause,
            "n": assistant.another,
            "t": assistant.vary,
            "f": assistant.find_anew,
            "c": self._ask_corners,
            "r": assistant.turn,
            "m": assistant.mirror,
            "v": lambda: self._change(marks=not self.look.marks),
            "d": lambda: self._change(debug=not self.look.debug),
            "h": self._toggle_help,
            **actions,
        }

    @property
    def is_paused(self) -> bool:
        """Whether the picture stands still: also that all corners are set in one frame."""
        return self._holds or self._asks_corners

    def listen(self, screen: Screen, view: View, wait_s: float) -> str:
        """Do what the player asked for; returns what there is to say about it."""
        said = ""
        for key in screen.keys(wait_s):
            said = self._press(key, view) or said
        for point in screen.clicks():
            said = self._click(point, view) or said
        self.has_left = self.has_left or screen.is_closed
        return said

    def dressed(self, view: View) -> View:
        """The view with the selected cell marked."""
        if self._selected is None or view.reading is None or not _has(view, self._selected):
            return view
        frame = Mark("frame", view.reading.cell_quads()[self._selected], role="selected")
        return replace(view, marks=(*view.marks, frame))

    def look_now(self, status: tuple[str, ...]) -> Look:
        """The look of the next picture."""
        corners = tuple(self._corners)
        shown = HELP if self._shows_help else ()
        if not self.look.marks:
            status = ("hint off", *status)
        return replace(
            self.look, status=status, help=shown, question=self._question(), corners=corners
        )

    def _question(self) -> tuple[str, ...]:
        if self._asks_corners:
            corner = CORNERS[len(self._corners)]
            return (f"click the board's {corner} corner (Esc: leave it)",)
        if self._selected is None:
            return ()
        row, col = self._selected
        return (
            f"row {row + 1} column {col + 1}:   e   it is empty    x   it is blocked",
            "click another tile that is the same (Esc: nothing)",
        )

    def _press(self, key: str, view: View) -> str:
        if self._selected is not None and key in ("e", "x"):
            says: Literal["empty", "blocked"] = "empty" if key == "e" else "blocked"
            return self._correct(Correction(self._selected, says), view)
        action = self._actions.get(key)
        try:
            return (action() if action else None) or SAID.get(key, "")
        except UserError as error:  # a full disk is no reason to stop
            return str(error)

    def _click(self, point: tuple[float, float], view: View) -> str:
        if point[0] > view.frame.raw.shape[1] - 0.5:
            return ""  # into the debug view, which is no part of the frame
        if self._asks_corners:
            return self._add_corner(point)
        cell = cell_at(view, point)
        if cell is not None and self._selected not in (None, cell):
            assert self._selected is not None
            return self._correct(Correction(self._selected, "same", cell), view)
        self._selected = None if cell == self._selected else cell
        return ""

    def _add_corner(self, point: tuple[float, float]) -> str:
        self._corners.append(point)
        if len(self._corners) < len(CORNERS):
            return ""
        corners = np.array(self._corners, np.float32)
        self._end_questions()
        if not _is_convex(corners):
            return "these corners do not go round a board: top left first, then clockwise"
        self._assistant.set_corners(corners)
        return "reading the board in these corners"

    def _correct(self, correction: Correction, view: View) -> str:
        self._selected = None
        if not _has(view, correction.cell):
            return "not corrected: the board is not in view"
        try:
            self._assistant.correct(correction)
        except ValueError as error:  # such as a blocked square in Othello
            return f"not corrected: {error}"
        return "corrected"

    def _leave(self) -> None:
        self.has_left = True

    def _escape(self) -> None:
        """Ends a question, if one is asked; else the program."""
        if not (self._asks_corners or self._shows_help or self._selected is not None):
            self._leave()
        self._end_questions()

    def _end_questions(self) -> None:
        self._asks_corners = self._shows_help = False
        self._selected = None
        self._corners.clear()

    def _pause(self) -> None:
        self._holds = not self._holds

    def _ask_corners(self) -> None:
        self._end_questions()
        self._asks_corners = True

    def _toggle_help(self) -> None:
        self._shows_help = not self._shows_help

    def _change(self, **changes: bool) -> None:
        self.look = replace(self.look, **changes)  # type: ignore[arg-type]


def cell_at(view: View, point: tuple[float, float]) -> Cell | None:
    """The board's cell under a point (px of the camera's picture)."""
    plane = view.original.plane
    if view.reading is None or plane is None:
        return None
    on_plane = plane.to_plane(np.array([point], np.float32))
    grid_from_plane = np.linalg.inv(view.reading.plane_from_grid).astype(np.float64)
    col, row = np.floor(transform(grid_from_plane, on_plane)[0]).astype(int)
    rows, cols = view.reading.certainty.shape
    return (int(row), int(col)) if 0 <= row < rows and 0 <= col < cols else None


def _has(view: View, cell: Cell) -> bool:
    """Whether the board on view has this cell: another one may have come since it was chosen."""
    return view.reading is not None and all(
        i < n for i, n in zip(cell, view.reading.certainty.shape, strict=True)
    )


def _is_convex(corners: np.typing.NDArray[np.float32]) -> bool:
    """Whether four points go round clockwise (y down) without a crossing or a dent."""
    sides = np.roll(corners, -1, axis=0) - corners
    after = np.roll(sides, -1, axis=0)
    return bool((sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0] > 1).all())
