"""One picture from several frames, of a plane or all in view: what changes from frame to frame
averages out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.find import LEAST_PX
from ar_assist.track import Tracker
from ar_assist.types import Frame, Image, Plane
from ar_assist.warp import rectify

DETAIL_PX = 4  # plane px: pictures are compared at this size, where noise and blur hardly count
BLOCK = 4  # such details on a side of a block; pictures are averaged where blocks of them agree
AGREE = 6.0  # grey levels that blocks differ by which show the same, …
USUAL = 2.0  # …over so many times the typical block's difference: blur and exposure touch all
SHARPNESS_POWER = 4  # a picture half as sharp weighs a sixteenth: averaging it in would blur


def fuse(pictures: Sequence[Image], taken: Sequence[Image] | None = None) -> Image:
    """The average of pictures of one plane, newest first, wherever they show what the newest does.

    Noise, moire and refresh bands change from frame to frame and go. A move, a hand or a passing
    reflection leaves its blocks to the newest picture alone. Sharper pictures weigh more: as they
    were `taken`, if not all are interpolated alike, for that blurs too.
    """
    newest = pictures[0]
    if len(pictures) == 1:
        return newest
    sharpness = np.array([_sharpness(picture) for picture in taken or pictures])
    weights = (sharpness / sharpness.max()) ** SHARPNESS_POWER
    mean, other = newest.astype(np.float32), np.empty(newest.shape, np.float32)
    weight = np.full(newest.shape[:2], weights[0], np.float32)
    detail = _detail(newest)
    for picture, worth in zip(pictures[1:], weights[1:], strict=True):
        share = _agreement(detail, _detail(picture)) * np.float32(worth)
        share = np.asarray(cv2.resize(share, newest.shape[1::-1]), np.float32)
        np.copyto(other, picture)
        cv2.blendLinear(mean, other, weight, share, mean)
        weight += share
    return np.asarray(cv2.convertScaleAbs(mean), np.uint8)


def averaged(frame: Frame, earlier: Sequence[Frame]) -> Frame:
    """The frame, straight, with `earlier` ones averaged in, newest first, where they show the same.

    They are led to it by the motion that most of the view shares, as if all of it were a plane.
    """
    h, w = frame.shown.shape
    if not earlier or min(h, w) < LEAST_PX:  # no board is sought in it, and flow finds no hold
        return frame
    view = Plane(np.eye(3), (w, h))
    tracker = Tracker(frame, view)
    followed = ((one, tracker.update(one)) for one in earlier)
    planes = [(frame, view), *((one, plane) for one, plane in followed if plane is not None)]
    pictures = [rectify(*one.sharpest(plane)) for one, plane in planes]
    image = fuse(pictures, [one.image for one, _ in planes])
    return replace(frame, image=image, lens=None)


def _agreement(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> NDArray[np.float32]:
    """1 in blocks that show the same, as do the blocks around them, 0 elsewhere."""
    lit = theirs + np.median((ours - theirs)[::2, ::2], axis=(0, 1))  # a quarter will do
    difference = cv2.transform(cv2.absdiff(lit, ours), np.full((1, 3), 1 / 3))
    h, w = difference.shape
    size = (max(1, w // BLOCK), max(1, h // BLOCK))
    blocks = np.asarray(cv2.resize(difference, size, interpolation=cv2.INTER_AREA))
    agrees = (blocks < AGREE + USUAL * np.median(blocks)).astype(np.float32)
    return np.asarray(cv2.erode(agrees, np.ones((3, 3), np.uint8)), np.float32)


def _sharpness(picture: Image) -> float:
    """Energy of the finest detail."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return cv2.norm(cv2.Laplacian(grey, cv2.CV_16S), cv2.NORM_L1) / grey.size + 1e-6


def _detail(picture: Image) -> NDArray[np.float32]:
    h, w = (max(DETAIL_PX, side // DETAIL_PX * DETAIL_PX) for side in picture.shape[:2])
    whole = picture[:h, :w]  # details that lie on the px: these are averaged the fastest
    size = (w // DETAIL_PX, h // DETAIL_PX)
    return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), np.float32)
