"""draw(view) -> picture: the only painter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ar_assist.overlay.debug import debug_picture
from ar_assist.overlay.lettering import put_panel, wrap
from ar_assist.overlay.marks import draw_corners, draw_mark
from ar_assist.types import Image, View

__all__ = ["Look", "draw"]

TEXT_PX = 19.0  # letter size in a picture 720 px high at scale 1
TEXT_MIN_PX = 11  # still readable
DEFAULT_CELL_PX = 48.0  # plane px of a cell where no reading tells


@dataclass(frozen=True)
class Look:
    """What the window adds to a view."""

    scale: float = 1.0  # of text and lines
    marks: bool = True  # the hint is shown
    debug: bool = False  # the rectified picture with lattice, groups and certainty beside it
    status: tuple[str, ...] = ()  # more words for the status line
    message: tuple[str, ...] = ()  # lines in the middle: help, a question to the player
    corners: tuple[tuple[float, float], ...] = ()  # frame px set by hand so far


DEFAULT_LOOK = Look()


def draw(view: View, look: Look = DEFAULT_LOOK) -> Image:
    """The frame with hint, status line and whatever the window adds; a new picture."""
    image: Image = view.frame.image.copy()
    height, width = image.shape[:2]
    text_px = max(TEXT_MIN_PX, round(TEXT_PX * look.scale * min(height / 720, width / 960)))
    if look.marks and view.plane is not None:
        cell_px = _cell_px(view)
        for mark in view.marks:
            draw_mark(image, mark, view.plane, cell_px, look.scale, text_px)
    if look.corners:
        draw_corners(image, np.array(look.corners, np.float32))
    if look.message:
        put_panel(image, [[line] for line in look.message], text_px)
    words = [*status_words(view), *look.status]
    put_panel(image, wrap(words, text_px, width), text_px, bottom=True)
    return np.hstack([image, debug_picture(view, height)]) if look.debug else image


def status_words(view: View) -> list[str]:
    """The status line: what is going on, and how sure the reading is."""
    words = [view.frame.note] if view.frame.note else []
    words.append(_state(view))
    if view.reading is not None and view.game is not None:
        words.append(view.game.summary(view.reading, view.advice))
        words.append(f"{100 * view.reading.confidence:.0f} % sure")
        if view.age > 0:
            words.append(f"read {view.age:.1f} s ago")
    return words


def _state(view: View) -> str:
    if view.state != "locked":
        return view.reason or view.state
    if view.reading is None:
        return view.reason or "reading"
    if view.advice is not None and view.advice.status != "ready":
        return view.advice.reason or view.advice.status
    return view.reason or ("ready" if view.marks else "thinking")


def _cell_px(view: View) -> float:
    """Side of a cell in plane px."""
    if view.reading is None:
        return DEFAULT_CELL_PX
    quad = view.reading.corners.astype(float)
    rows, cols = view.reading.certainty.shape
    across, down = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])
    return float(min(across / cols, down / rows))
