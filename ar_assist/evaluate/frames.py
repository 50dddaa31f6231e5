"""Score one frame: one line of a log against what is so at that frame. No pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ar_assist.evaluate import geometry
from ar_assist.evaluate.match import FOUND_IOU, match_boards
from ar_assist.evaluate.placed import Cells, PlacedBoard
from ar_assist.evaluate.rules import hint_exists, hint_is_right, nonogram_answer
from ar_assist.evaluate.truth import Record, TrueFrame, Truth, hint_cells
from ar_assist.types import Cell, Points, transform


@dataclass(frozen=True, eq=False)
class FrameScore:
    """What one frame of the log is worth. None stands where a figure does not apply."""

    frame: int
    time: float  # s
    has_board: bool  # the truth has a board here
    in_view: bool  # ... and all its cells lie in the picture
    still: bool
    cut: bool  # some of a board without truth is in view: nothing shown here is right or wrong
    board_id: int  # hash of the true board; changes when a move was made
    shows_board: bool  # the log has a board
    screen_iou: float | None = None
    board_iou: float | None = None
    corner_tiles: float | None = None  # mean distance of the four corners
    drift: Points | None = None  # (4, 2) px, drawn corners minus true ones
    shape: bool = False  # rows and columns are right
    exact: bool = False
    wrong_cells: float | None = None  # share
    hint: tuple[Cell, ...] | None = None  # cells of the hint on show, in the true board
    hint_right: bool = False
    can_hint: bool = False  # there is something to advise
    confidence: float = 0.0
    ms: float | None = None
    look_ms: float | None = None
    tile_px: float | None = None
    blur_tiles: float | None = None
    tilt_deg: float | None = None
    cause: str = ""  # why the reading is not exact

    @property
    def false_lock(self) -> bool:
        """A board is shown where there is none, or quite elsewhere."""
        placed = self.has_board and (self.board_iou or 0) >= FOUND_IOU
        return self.shows_board and not self.cut and not placed


def score_frame(record: Record | None, true: TrueFrame, truth: Truth) -> FrameScore:
    """Hold one line of a log against the truth of its frame; None: the log has no such line."""
    board, read = true.board, record.board if record else None
    match = match_boards(read, board, truth.game, true.unsure) if board and read else None
    cells, answer = _position(board, truth)
    spots = _hint_spots(record, board)
    return FrameScore(
        frame=true.frame,
        time=record.time if record else true.time,
        has_board=board is not None,
        in_view=board is not None and _in_view(board, truth.size_wh),
        still=true.still,
        cut=true.cut,
        board_id=hash(cells),
        shows_board=read is not None,
        screen_iou=_screen_iou(record, true),
        board_iou=None if board is None else match.iou if match else 0.0,
        corner_tiles=match.corner_tiles if match else None,
        drift=match.drift if match else None,
        shape=bool(match and match.shape),
        exact=bool(match and not match.cause),
        wrong_cells=match.wrong_cells if match else None,
        hint=spots,
        hint_right=bool(
            record
            and record.hint
            and spots
            and hint_is_right(truth.game, record.hint, spots, cells, answer)
        ),
        can_hint=hint_exists(truth.game, cells, answer),
        confidence=read.confidence if read else 0.0,
        ms=record.ms if record else None,
        look_ms=record.look_ms if record else None,
        tile_px=true.tile_px or (_tile_px(board) if board else None),
        blur_tiles=true.blur_tiles,
        tilt_deg=true.tilt_deg,
        cause=match.cause if match else "no board shown" if board else "",
    )


def _position(board: PlacedBoard | None, truth: Truth) -> tuple[Cells, Cells]:
    """The true cells, and for a nonogram what they must become; empty where there is nothing."""
    if board is None:
        return (), ()
    blank = ((0,) * board.cols,) * board.rows
    if truth.game != "nonogram":
        return board.cells or blank, ()
    return board.cells or blank, nonogram_answer(truth.solution, board.row_clues, board.col_clues)


def _in_view(board: PlacedBoard, size_wh: tuple[int, int] | None) -> bool:
    """Whether every cell's centre lies in the picture."""
    if size_wh is None:
        return True
    return bool(geometry.inside(board.centres, size_wh).all())


def _tile_px(board: PlacedBoard) -> float:
    """Side of a square tile of the board's mean tile area."""
    return float(np.sqrt(abs(geometry.area(board.corners)) / (board.rows * board.cols)))


def _screen_iou(record: Record | None, true: TrueFrame) -> float | None:
    if true.screen is None:
        return None
    if record is None or record.screen is None:
        return 0.0
    return geometry.iou(record.screen, true.screen)


def _hint_spots(record: Record | None, board: PlacedBoard | None) -> tuple[Cell, ...] | None:
    """The cells of the hint on show, carried into the true board through where it is drawn."""
    if record is None or record.hint is None:
        return None
    spots = hint_cells(record.hint)
    read = record.board
    if not (read and board and read.has_place):
        return tuple(spots)
    centres = np.array(spots, np.float64)[:, ::-1] + 0.5
    drawn = transform(board.grid_from_frame @ read.frame_from_grid, centres)
    return tuple((int(r), int(c)) for c, r in np.floor(drawn))
