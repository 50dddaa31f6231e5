"""Follow a plane from frame to frame: optical flow from a fixed anchor, so nothing drifts.

The anchor is the plane's surroundings as one frame showed them, rectified once into a small grey
*template*. Every new frame is first seen through the anchor's eyes (warped by the predicted
homography), so what optical flow has left to find is a small, unrotated, undistorted motion
(Baker & Matthews, "Lucas-Kanade 20 Years On", 2004). A robust homography of that motion corrects
the prediction; forward-backward flow (Kalal et al. 2010) and the likeness of template and picture
check that it is true. Points of the board tell the motion: what is seen around it may lie on a desk
behind the screen, which moves otherwise.

Pictures are sampled as the lens bends them: to straighten all of one first takes longer than all
else here.

Frames of reference: *template px* (small, rectified), *plane px*, *frame px*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.types import Frame, Homography, Lens, Plane, Points, transform, within_quad
from ar_assist.warp import mapped

Grey = NDArray[np.uint8]  # (H, W)
Mask = NDArray[np.bool_]

TEMPLATE_PX = 448  # longer side of the template: flow is good to 0.05 px there, 0.15 px in 720p
BORDER = 0.06  # of the plane's sides: the bezel around it moves with it and never changes
BUCKETS_WH = (14, 10)  # at most one point in each bucket of the board, so points are spread
AROUND_WH = (10, 7)  # …and of the whole template, for points around the board
LEAST_BUCKET_PX = 10  # template px: nearer points see much the same
CORNERNESS = 0.01  # of the best point's least eigenvalue: weaker ones are noise or a straight edge
FLOW_WINDOW_PX = 13
FLOW_LEVELS = 2  # pyramid levels for what velocity leaves: some 25 px in the template
# Template px, of flow there and back: wrong points miss by many, blur alone by one.
ROUND_TRIP_PX = 2.0
INLIER_PX = 1.5  # template px: lens distortion bends a plane by about one
FLOW_ERROR = 0.15  # of the motion that is left: by so much flow is off, so both bounds grow by it
SETTLED_PX = 3.0  # template px: motion left that flow finds as well as none at all
ROUNDS = 3
LENS_PX = 16  # template px from one place to the next that is led through the lens: those between
# are off by less than a tenth of a px, and by as much in the template
COARSE_PX = 8  # frame px to a px of the picture that is searched after a jerk, for the place alone
MIN_POINTS = 12  # a homography of fewer points is not believed
MIN_INLIERS = 0.3  # of the points in view: under this the plane is not what moves
# Of the board's area: points in less of it don't tell how the rest lies. Where what is around it
# does not either: of the area on which the anchor has points, for few tiles may be left.
SPREAD = 0.5
TRUST_DECAY = 0.9  # per frame: a point that stops moving with the plane is out in some 15 frames
MIN_TRUST = 0.2
BLOCKS_WH = (12, 9)  # blocks of the template whose likeness is looked at one by one
MIN_LIKENESS = 0.5  # normalised cross-correlation of a block that shows the same thing
MIN_ALIKE = 0.4  # share of blocks in view: hands and removed tiles may take the rest
SLIP_PX = 8.0  # template px: flow over a longer way may slip to the next cell, which looks alike
SLIPS = 0.2  # of the template's sides: as far a slip is looked for, and farther than flow reaches
SLIP_SCALE = 0.5  # of the template, in which it is: cells of two dozen columns are 9 px there
REANCHOR_SHARE = 0.5  # of the points of the anchor: with fewer trusted ones take a new anchor
REANCHOR_ALIKE = 0.7  # …but only from a frame that the old anchor is sure of


@dataclass(frozen=True, eq=False)
class _Pose:
    """Where a frame shows the template, and how well."""

    frame_from_template: Homography
    seen: Grey  # the frame rectified to the template
    quality: float  # share of what is in view that looks as it did
    by_board: bool  # points of the board told it, and not what is around alone


@dataclass(frozen=True, eq=False)
class _Picture:
    """A frame in grey, as its lens bends it."""

    grey: Grey
    lens: Lens | None

    @classmethod
    def of(cls, frame: Frame) -> _Picture:
        return cls(np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8), frame.lens)

    def warped(self, frame_from_seen: Homography, size_wh: tuple[int, int]) -> Grey:
        """What a homography leads to frame px, of that size."""
        border = cv2.BORDER_REPLICATE
        if self.lens is None:
            inverse = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            seen = cv2.warpPerspective(
                self.grey, frame_from_seen, size_wh, flags=inverse, borderMode=border
            )
        else:
            lens = self.lens
            places = mapped(
                lambda px: lens.distort(transform(frame_from_seen, px)), size_wh, LENS_PX
            )
            seen = cv2.remap(
                self.grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=border
            )
        return np.asarray(seen, np.uint8)

    def shows(self, points: Points) -> Mask:
        """Which (..., 2) frame px it shows, a flow window from its border."""
        seen = points if self.lens is None else self.lens.distort(points)
        near, upper = FLOW_WINDOW_PX / 2, np.array(self.grey.shape[::-1]) - FLOW_WINDOW_PX / 2
        return np.asarray(((seen > near) & (seen < upper)).all(axis=-1))

    def coarse(self) -> Grey:
        """All of the frame, COARSE_PX of its px wide each."""
        if self.lens is None:
            return _smaller(self.grey, 1 / COARSE_PX)
        h, w = self.lens.shown.shape
        blurred = replace(self, grey=np.asarray(cv2.blur(self.grey, (COARSE_PX,) * 2), np.uint8))
        frame_from_coarse = np.diag([COARSE_PX, COARSE_PX, 1.0])
        return blurred.warped(frame_from_coarse, (w // COARSE_PX, h // COARSE_PX))


class Tracker:
    """Follows a plane from the frame where it was found; `update` is drift-free.

    `board` (4, 2) are the corners of what is to be followed, plane px; None: all of the plane.
    `quality` is the share of the board in view that looks as it did, or of the whole template if
    that is more, 0 to 1, and `seen` the frame rectified to the template, (H, W) grey: of the newest
    frame in which the plane was made out.
    """

    def __init__(self, frame: Frame, plane: Plane, board: Points | None = None) -> None:
        self.plane = plane
        self.quality = 1.0
        w, h = _sides_px(plane.corners)
        scale = min(1.0, TEMPLATE_PX / max(w, h))
        self.template_from_plane = _with_border(plane.size_wh, (w * scale, h * scale))
        inner = np.array([w, h]) * scale * (1 + 2 * BORDER)
        self.template_wh = (round(float(inner[0])), round(float(inner[1])))
        frame_from_template = plane.frame_from_plane @ np.linalg.inv(self.template_from_plane)
        self._now: Homography = frame_from_template
        self._before: Homography = frame_from_template
        seen = plane.corners if board is None else plane.to_frame(board)
        self._board = _grown(transform(np.linalg.inv(frame_from_template), seen))
        self._anchor(_Picture.of(frame))

    def update(self, frame: Frame, guess: Homography | None = None) -> Plane | None:
        """Where the plane is in `frame`; None: lost. `guess` is frame_from_plane, if known better.

        After None the tracker still looks where the plane was last seen.
        """
        picture = _Picture.of(frame)
        pose = self._aligned(picture, self._steady(guess))
        pose = pose or self._aligned(picture, self._jerked(picture))
        if pose is None:
            self._before = self._now
            return None
        self._before, self._now = self._now, pose.frame_from_template
        self.seen, self.quality = pose.seen, pose.quality
        self.plane = replace(self.plane, frame_from_plane=self._now @ self.template_from_plane)
        self._renew(picture, pose)
        return self.plane

    def _steady(self, guess: Homography | None) -> Homography:
        """frame_from_template where the motion goes on, or as guessed from outside."""
        if guess is not None:
            return np.asarray(guess @ np.linalg.inv(self.template_from_plane))
        motion = self._now @ np.linalg.inv(self._before)
        return np.asarray(motion @ self._now)

    def _jerked(self, picture: _Picture) -> Homography:
        """frame_from_template after a jerk: the old pose, shifted to where it looks most alike."""
        small = picture.coarse()
        coarse_from_template = np.diag([1 / COARSE_PX, 1 / COARSE_PX, 1.0]) @ self._now
        w, h = self.template_wh
        quarter = np.array([[1, 1], [3, 1], [3, 3], [1, 3]], np.float64) / 4 * (w, h)
        x, y, bw, bh = cv2.boundingRect(transform(coarse_from_template, quarter))
        if min(bw, bh) < 4 or bw >= small.shape[1] or bh >= small.shape[0]:
            return self._now
        patch = cv2.warpPerspective(
            self._template, _shifted(-x, -y) @ coarse_from_template, (bw, bh)
        )
        jump = COARSE_PX * (_best_place(small, np.asarray(patch, np.uint8)) - (x, y))
        return np.asarray(_shifted(*jump) @ self._now)

    def _anchor(self, picture: _Picture) -> None:
        self._template = picture.warped(self._now, self.template_wh)
        in_view = picture.shows(transform(self._now, _block_centres(self.template_wh)))
        self._points = _corners(self._template, in_view, self._board)
        self._trust = np.ones(len(self._points))
        ours = within_quad(self._board, self._points)
        enough = _area(self._points[ours]) >= SPREAD * _area(self._board)
        self._ours = ours if enough else np.ones_like(ours)
        self._spread_px2 = _area(self._points[self._ours])
        self._anchored_points = int(self._ours.sum())
        self._template_blocks = _blocks(self._template)
        self._blocks_ours = within_quad(self._board, _block_centres(self.template_wh))
        self.seen = self._template

    def _aligned(self, picture: _Picture, prediction: Homography) -> _Pose | None:
        """Where flow leads from the prediction, or some cells from there if that is more alike."""
        pose = self._align(picture, prediction)
        if pose is None:
            return None
        found = np.linalg.inv(prediction) @ pose.frame_from_template
        if _moved_px(found, self.template_wh) < SLIP_PX:
            return pose
        slip = _slip(self._template, pose.seen)
        if np.abs(slip).max() < SLIP_PX:
            return pose
        rival = self._align(picture, pose.frame_from_template @ _shifted(*slip))
        return rival if rival and rival.quality > pose.quality else pose

    def _align(self, picture: _Picture, prediction: Homography) -> _Pose | None:
        """Where flow leads from the prediction; None where the plane cannot be made out."""
        now = prediction
        for _ in range(ROUNDS):
            seen = picture.warped(now, self.template_wh)
            step = self._step(seen, picture.shows(transform(now, self._points)))
            if step is None:
                return None
            motion, by_board = step
            now = now @ motion
            if _moved_px(motion, self.template_wh) < SETTLED_PX:
                break
        seen = picture.warped(now, self.template_wh)
        in_view = picture.shows(transform(now, _block_centres(self.template_wh)))
        blocks = _blocks(seen)
        quality = max(  # what lies around may move otherwise; and tiles go, or a hand hides them
            _alike(self._template_blocks, blocks, in_view & self._blocks_ours),
            _alike(self._template_blocks, blocks, in_view),
        )
        return _Pose(now, seen, quality, by_board) if quality >= MIN_ALIKE else None

    def _step(self, seen: Grey, inside: Mask) -> tuple[Homography, bool] | None:
        """seen_from_template: the motion that the prediction left, by flow of the points that lie
        `inside` the picture; and whether those of the board told it."""
        if inside.sum() < MIN_POINTS:
            return None
        start = self._points[inside]
        end, back = _flow(self._template, _as_bright_as(self._template, seen), start)
        slack = FLOW_ERROR * float(np.median(np.abs(end - start).max(-1)))
        true = np.abs(back - start).max(-1) < ROUND_TRIP_PX + slack
        bound, ours = INLIER_PX + slack, self._ours[inside]
        for among, least in self._witnesses(ours):
            motion = self._motion(start, end, true, bound, among, least)
            if motion is not None:
                break
        else:
            return None
        by_board = bool((among & ours).any())
        moved_with_plane = true & (np.abs(transform(motion, start) - end).max(-1) < bound)
        trust = TRUST_DECAY * self._trust[inside] + (1 - TRUST_DECAY) * moved_with_plane
        judged = among | by_board  # a hidden board may show again
        self._trust[inside] = np.where(judged, trust, self._trust[inside])
        exact, _ = cv2.findHomography(start[moved_with_plane], end[moved_with_plane])
        return motion if exact is None else np.asarray(exact, np.float64), by_board

    def _witnesses(self, ours: Mask) -> list[tuple[Mask, float]]:
        """Which of the points in view, of which some are the board's, may tell the motion, if they
        lie on so many template px² at least; the best first."""
        around = ~ours if (~ours).sum() >= MIN_POINTS else np.ones_like(ours)
        whole, part = (SPREAD * area for area in (_area(self._board), self._spread_px2))
        return [(ours, whole), (around, 0.0), (ours, part)]

    def _motion(
        self,
        start: Points,
        end: Points,
        true: Mask,
        bound_px: float,
        among: Mask,
        least_px2: float,
    ) -> Homography | None:
        """end_from_start that enough `among` the points share, on an area of so much at least.

        `true` are those that flow found.
        """
        known = among & true
        if known.sum() < MIN_POINTS:
            return None
        motion, fits = cv2.findHomography(
            start[known], end[known], cv2.RANSAC, bound_px, maxIters=300, confidence=0.99
        )
        if motion is None:
            return None
        share = start[known][fits.ravel() > 0]
        if len(share) < max(MIN_POINTS, MIN_INLIERS * among.sum()) or _area(share) < least_px2:
            return None
        moved = np.asarray(motion, np.float64)
        return moved if _is_sane(moved, self.template_wh) else None

    def _renew(self, picture: _Picture, pose: _Pose) -> None:
        """Drop points that no longer move with the plane; too few left: take a new anchor."""
        trusted = self._trust >= MIN_TRUST
        if not trusted.all():
            self._points, self._trust = self._points[trusted], self._trust[trusted]
            self._ours = self._ours[trusted]
        if (
            pose.by_board
            and self._ours.sum() < REANCHOR_SHARE * self._anchored_points
            and self.quality >= REANCHOR_ALIKE
        ):
            self._anchor(picture)


def _sides_px(corners: Points) -> tuple[float, float]:
    """Mean width and height of a (4, 2) quad."""
    w = np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[2] - corners[3])
    h = np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])
    return float(w) / 2, float(h) / 2


def _with_border(size_wh: tuple[int, int], inner_wh: tuple[float, float]) -> Homography:
    """template_from_plane: the plane scaled to `inner_wh`, a border around it."""
    scale = np.array(inner_wh) / size_wh
    offset = np.array(inner_wh) * BORDER
    matrix = np.diag([*scale, 1.0])
    matrix[:2, 2] = offset + scale * 0.5 - 0.5
    return matrix


def _as_bright_as(template: Grey, seen: Grey) -> Grey:
    """`seen` with the template's mean and contrast: flow takes brightness for constant."""
    mean, contrast = (float(value.item()) for value in cv2.meanStdDev(template))
    seen_mean, seen_contrast = (float(value.item()) for value in cv2.meanStdDev(seen))
    gain = contrast / max(seen_contrast, 1.0)
    return np.asarray(cv2.addWeighted(seen, gain, seen, 0.0, mean - gain * seen_mean), np.uint8)


def _block_centres(size_wh: tuple[int, int]) -> NDArray[np.float64]:
    """(rows, cols, 2) template px."""
    cols, rows = BLOCKS_WH
    x, y = np.meshgrid((np.arange(cols) + 0.5) / cols, (np.arange(rows) + 0.5) / rows)
    return np.stack([x, y], -1) * size_wh


def _grown(quad: Points) -> Points:
    """A (4, 2) quad with a border around it."""
    middle = quad.mean(0)
    return np.asarray(middle + (1 + 2 * BORDER) * (quad - middle), np.float32)


def _area(points: Points) -> float:
    """Px² of the convex hull of (N, 2) points."""
    return float(cv2.contourArea(cv2.convexHull(points))) if len(points) else 0.0


def _corners(template: Grey, in_view: Mask, board: Points) -> Points:
    """Corners (Shi & Tomasi 1994) all over the board and, fewer, around it: (N, 2) template px."""
    smooth = cv2.GaussianBlur(template, (3, 3), 0)
    h, w = template.shape
    view = cv2.resize(in_view.astype(np.float32), (w, h), interpolation=cv2.INTER_NEAREST)
    edge = FLOW_WINDOW_PX // 2
    response = np.asarray(cv2.cornerMinEigenVal(smooth, 5) * view)[edge : h - edge, edge : w - edge]
    low, high = (
        np.clip(np.rint(end(0)).astype(int) - edge, 0, response.shape[::-1])
        for end in (board.min, board.max)
    )
    ours = _best(response[low[1] : high[1], low[0] : high[0]], BUCKETS_WH) + low + edge
    around = _best(response, AROUND_WH) + edge
    points = ours[within_quad(board, ours)], around[~within_quad(board, around)]
    return np.concatenate(points).astype(np.float32)


def _best(response: NDArray[np.float32], buckets_wh: tuple[int, int]) -> NDArray[np.int64]:
    """(N, 2) px of the best response in each bucket, where it is strong; in a template that is no
    larger than a flow window, none."""
    if not response.size:
        return np.empty((0, 2), np.int64)
    size = np.array(response.shape[::-1])
    cols, rows = np.clip(size // LEAST_BUCKET_PX, 1, buckets_wh).tolist()
    bw, bh = (size // (cols, rows)).tolist()
    buckets = response[: rows * bh, : cols * bw]
    buckets = buckets.reshape(rows, bh, cols, bw).transpose(0, 2, 1, 3).reshape(rows, cols, -1)
    best = buckets.argmax(-1)
    y = np.arange(rows)[:, None] * bh + best // bw
    x = np.arange(cols)[None, :] * bw + best % bw
    strong = buckets.max(-1) > CORNERNESS * float(response.max())
    return np.stack([x[strong], y[strong]], -1)


def _flow(template: Grey, seen: Grey, start: Points) -> tuple[Points, Points]:
    """Pyramidal Lucas-Kanade there and back: (N, 2) where the points are, where they return to."""
    ways = {
        "winSize": (FLOW_WINDOW_PX, FLOW_WINDOW_PX),
        "criteria": (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 10, 0.03),
        "flags": cv2.OPTFLOW_USE_INITIAL_FLOW,
    }
    flow: Any = cv2.calcOpticalFlowPyrLK
    end, there, _ = flow(template, seen, start, start.copy(), maxLevel=FLOW_LEVELS, **ways)
    back, here, _ = flow(seen, template, end, start.copy(), maxLevel=0, **ways)
    back[(there.ravel() == 0) | (here.ravel() == 0)] = np.inf
    return end, back


def _moved_px(step: Homography, size_wh: tuple[int, int]) -> float:
    """How far a template corner moves at most."""
    w, h = size_wh
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float64)
    return float(np.abs(transform(step, corners) - corners).max())


def _slip(template: Grey, seen: Grey) -> NDArray[np.float64]:
    """(2,) template px from where the template's middle should be to where it is seen best."""
    h, w = template.shape
    x, y = round(SLIPS * w), round(SLIPS * h)
    middle, around = (
        _smaller(picture, SLIP_SCALE) for picture in (template[y : h - y, x : w - x], seen)
    )
    slip: NDArray[np.float64] = _best_place(around, middle) / SLIP_SCALE - (x, y)
    return slip


def _best_place(picture: Grey, patch: Grey) -> NDArray[np.float64]:
    """(2,) x, y px of the picture at which the patch's top left is most alike (NCC)."""
    score = cv2.matchTemplate(picture, patch, cv2.TM_CCOEFF_NORMED)
    y, x = np.unravel_index(int(score.argmax()), score.shape)
    return np.array([x, y], np.float64)


def _shifted(x: float, y: float) -> Homography:
    """(3, 3) of a shift by px."""
    return np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1.0]])


def _smaller(picture: Grey, scale: float) -> Grey:
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _is_sane(step: Homography, size_wh: tuple[int, int]) -> bool:
    """A motion from frame to frame keeps the plane convex, its way round and roughly its size."""
    w, h = size_wh
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float64)
    moved = transform(step, corners)
    side, following = np.roll(moved, -1, 0) - moved, np.roll(moved, -2, 0) - np.roll(moved, -1, 0)
    turns = side[:, 0] * following[:, 1] - side[:, 1] * following[:, 0]
    return bool((turns > 0.25 * w * h).all() and (turns < 4 * w * h).all())


def _blocks(picture: Grey) -> NDArray[np.float32]:
    """(rows, cols, N) zero-mean unit-norm values of the picture's blocks, finest detail left out.

    Left out because motion blur and refocusing take it, and the edges of a board's cells, which
    look alike one cell further, weigh too much in it.
    """
    cols, rows = BLOCKS_WH
    side = 8
    # much cheaper than INTER_AREA, which averages over the same 5 px or so
    small = cv2.resize(cv2.blur(picture, (5, 5)), (cols * side, rows * side))
    blocks = small.reshape(rows, side, cols, side).transpose(0, 2, 1, 3).reshape(rows, cols, -1)
    zero_mean = blocks - blocks.mean(-1, keepdims=True, dtype=np.float32)
    norm = np.linalg.norm(zero_mean, axis=-1, keepdims=True)
    unit: NDArray[np.float32] = zero_mean / np.maximum(norm, 1.0)
    return unit


def _alike(ours: NDArray[np.float32], theirs: NDArray[np.float32], in_view: Mask) -> float:
    """Share of the blocks in view whose normalised cross-correlation says the same thing."""
    likeness = (ours * theirs).sum(-1)[in_view]
    return float((likeness > MIN_LIKENESS).mean()) if likeness.size else 0.0
