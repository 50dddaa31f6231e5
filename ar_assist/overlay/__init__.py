"""draw(view) -> picture: the only painter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ar_assist.overlay.debug import debug_picture
from ar_assist.overlay.lettering import fit, panel_px, put_panel
from ar_assist.overlay.marks import WHITE, YELLOW, draw_corners, draw_mark
from ar_assist.types import Image, Mark, View

__all__ = ["Look", "draw"]

TEXT_PX = 19.0  # letter size in a picture 720 px high at scale 1
CORNER_LINE = 0.13  # of it: width of the lines between corners set by hand
TEXT_MIN_PX = 11  # still readable
HELP_MIN_PX = 8  # … just so: in small pictures all of the help has to find room
STATUS_MOST = 1 / 3  # of the picture's height
DEFAULT_CELL_PX = 48.0  # plane px of a cell where no reading tells


@dataclass(frozen=True)
class Look:
    """What the window adds to a view."""

    scale: float = 1.0  # of text and lines
    marks: bool = True  # the hint is shown
    debug: bool = False  # the rectified picture with lattice, groups and certainty beside it
    status: tuple[str, ...] = ()  # more words for the status line
    help: tuple[str, ...] = ()  # lines in the middle
    question: tuple[str, ...] = ()  # to the player, lines above the status line
    corners: tuple[tuple[float, float], ...] = ()  # px of the picture, set by hand so far


DEFAULT_LOOK = Look()


def draw(view: View, look: Look = DEFAULT_LOOK) -> Image:
    """The camera's picture with hint, status line and whatever the window adds; a new picture."""
    image: Image = view.frame.raw.copy()
    height, width = image.shape[:2]
    text_px = max(TEXT_MIN_PX, round(TEXT_PX * look.scale * min(height / 720, width / 960)))
    if (plane := view.original.plane) is not None:
        cell_px = _cell_px(view)
        for mark in view.marks if look.marks else _chosen(view):
            draw_mark(image, mark, plane, cell_px, look.scale, text_px)
    if look.corners:
        line_px = CORNER_LINE * text_px
        draw_corners(image, np.array(look.corners, np.float32), line_px)
    above = _put_lines(image, [[*status_words(view), *look.status]], text_px)
    if look.question:
        above = _put_lines(above, [[line] for line in look.question], text_px, YELLOW)
    if look.help:
        room = (width, above.shape[0])
        put_panel(above, *fit([[line] for line in look.help], text_px, HELP_MIN_PX, room))
    if not look.debug:
        return image
    return np.hstack([image, debug_picture(view, height, text_px)])


def _put_lines(
    image: Image, rows: list[list[str]], text_px: int, bgr: tuple[int, int, int] = WHITE
) -> Image:
    """Words across the bottom; what is left of the picture above them."""
    height, width = image.shape[:2]
    lines, text_px = fit(rows, text_px, TEXT_MIN_PX, (width, int(STATUS_MOST * height)))
    put_panel(image, lines, text_px, bottom=True, bgr=bgr)
    return image[: max(0, height - panel_px(len(lines), text_px))]


def status_words(view: View) -> list[str]:
    """The status line: what is going on, and how sure the reading is."""
    words = [view.frame.note] if view.frame.note else []
    words += _state(view)
    if view.reading is not None and view.game is not None:
        words += _phrases(view.game.summary(view.reading, view.advice))
        words.append(f"{100 * view.reading.confidence:.0f} % sure")
        if view.age > 0:
            words.append(f"read {view.age:.1f} s ago")
    return words


def _state(view: View) -> list[str]:
    """The state in a word or by its reason; of a hint both."""
    why = _phrases(view.reason)
    if view.state != "locked":
        return why or [view.state]
    if view.reading is None:
        return why or ["reading"]
    if view.advice is not None and view.advice.status != "ready":
        return _phrases(view.advice.reason) or [view.advice.status]
    return ["ready", *why] if view.marks else why or ["thinking"]


def _phrases(text: str) -> list[str]:
    """What is told, part by part: lines are broken there first."""
    return text.split("; ") if text else []


def _chosen(view: View) -> list[Mark]:
    """The mark that is the player's own, and no part of a hint."""
    return [mark for mark in view.marks if mark.role == "selected"]


def _cell_px(view: View) -> float:
    """Side of a cell in plane px."""
    if view.reading is None:
        return DEFAULT_CELL_PX
    quad = view.reading.corners.astype(float)
    rows, cols = view.reading.certainty.shape
    across, down = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])
    return float(min(across / cols, down / rows))
