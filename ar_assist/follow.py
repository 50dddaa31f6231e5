"""A plane that is followed from frame to frame, with the looks at it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from ar_assist.errors import UserError
from ar_assist.look import Sight
from ar_assist.track import Tracker
from ar_assist.types import Frame, Homography, Image, Plane, Points, homography

VIEWS = 4  # frames that a look at the plane averages: eight read no board better
VIEW_EVERY = 2  # frames from one of them to the next: noise and refresh bands differ more
SHOWS_LESS = 0.01  # of the plane: less is tremor
OUTLINE_PARTS = 8  # of a side of a plane, which a lens bends
STEP_S = 0.2  # s of hand-held motion that optical flow bridges for certain
TRAIL = 20  # frames kept of each look's time, 55 MB at 720p: 4 s in such steps, then longer ones
BY_HAND_PX = 1000  # longer side of the rectified picture of a plane set by hand


class Followed:
    """The plane of a sight, kept up to date by its tracker."""

    def __init__(self, sight: Sight, tracker: Tracker, plane: Plane | None, now: float) -> None:
        self.sight = replace(sight, tracker=None)  # looks at it bring no tracker of their own
        self.tracker = tracker
        self.plane = plane  # in the newest frame; None: out of sight
        self.seen_at = now  # s
        self.is_back = False  # in the newest frame, and not in the one before
        self.looks, self.confidence = 0, sight.reading.confidence  # of the last one
        self.blind_since: float | None = None  # s; None: the last look saw a board
        self._views: list[tuple[int, Image, Plane]] = []  # newest first; frame number, …
        self._fullest: tuple[Image, Plane] | None = None  # the last that showed the most of it
        self._most_shown = 0.0  # share of the plane that a picture showed

    def update(self, frame: Frame) -> None:
        """Find the plane in the next frame."""
        was_there, self.plane = self.plane is not None, self.tracker.update(frame)
        self.is_back = self.plane is not None and not was_there
        if self.plane is None:
            self._views.clear()  # what comes after a jerk or a hand may show something else
            return
        self.seen_at = frame.time
        image, plane = frame.sharpest(self.plane)
        if not self._views or frame.index - self._views[0][0] >= VIEW_EVERY:
            self._views = [(frame.index, image, plane), *self._views[: VIEWS - 1]]
        shown = _share_in(plane, image)
        if shown > self._most_shown - SHOWS_LESS:
            # of a slow pan each frame shows hardly less than the one before: the most counts
            self._fullest = image, plane
            self._most_shown = max(self._most_shown, shown)

    def blind_s(self, now: float) -> float:
        """S since looks see no board there, though it is followed."""
        return 0.0 if self.blind_since is None else now - self.blind_since

    def views(self, frame: Frame) -> tuple[tuple[Image, Plane], ...]:
        """The newest frame's sharpest picture and the plane in it, and earlier ones."""
        assert self.plane is not None
        older = [(image, plane) for index, image, plane in self._views if index < frame.index]
        return (frame.sharpest(self.plane), *older[: VIEWS - 1])

    def fuller(self, frame: Frame) -> tuple[Image, Plane] | None:
        """An earlier picture and plane that show what lies beyond the edge of this one's."""
        is_this = self._fullest is not None and self._fullest[0] is frame.image
        return None if is_this else self._fullest


def _share_in(plane: Plane, image: Image) -> float:
    """Of the plane's area as it is seen, how much lies in the picture."""
    h, w = image.shape[:2]
    edge = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - np.float32(0.5)
    outline = cv2.convexHull(plane.outline(OUTLINE_PARTS))
    area, _ = cv2.intersectConvexConvex(outline, edge)
    return area / max(cv2.contourArea(outline), 1.0)


class Trail:
    """Frames since one that is looked at, by which optical flow leads from there to now."""

    def __init__(self, frame: Frame) -> None:
        self._frames, self._step_s = [frame], STEP_S

    def leave(self, frame: Frame) -> None:
        """A busy machine may look for half a minute: beyond TRAIL frames the steps double."""
        if abs(frame.time - self._frames[-1].time) >= self._step_s:
            self._frames.append(frame)
            if len(self._frames) > TRAIL:
                self._frames, self._step_s = self._frames[::2], 2 * self._step_s

    def lead(
        self, found: Plane, tracker: Tracker, guess: Homography | None, now: Frame
    ) -> Plane | None:
        """The plane `found` in the first frame, in the newest one.

        `guess` is frame_from_plane there, where another track tells the motion: then one hop is
        enough.
        """
        first, *between = self._frames
        if first.index == now.index:
            return found
        if guess is None:
            for frame in between:
                if frame.index != now.index:
                    tracker.update(frame)
        return tracker.update(now, guess)


def plane_by_hand(corners: Points) -> Plane:
    """The plane in a quad that was set by hand: (4, 2) frame px, top left, then clockwise."""
    if not cv2.isContourConvex(np.asarray(corners, np.float32)):
        raise UserError("the four corners cross over: please go round the board, clockwise")
    w, h = (float(np.linalg.norm(corners[i] - corners[0])) for i in (1, 3))
    scale = BY_HAND_PX / max(w, h)
    size = (max(1, round(w * scale)), max(1, round(h * scale)))
    outer = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32) - 0.5
    return Plane(homography(outer, corners), size)
