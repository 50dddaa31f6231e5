"""Seeds of lattices: where does the picture repeat in two directions?

The autocorrelation of a window's edge strength has peaks at the lattice vectors of whatever repeats
in it: tile frames, gaps, grid lines, the mere outlines of sprites. It needs no closed outline, no
corner and no colour, and holes in the board only lower the peaks. A window sees perspective as
nearly affine, so that windows are small and the picture is searched at several scales.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
import scipy.fft
from numpy.typing import NDArray

from ar_assist.types import Image

WINDOW_PX = 128  # side of a window at every scale; holds three periods of the longest vector
STRIDE_PX = 64
PERIOD_PX = (11, 44)  # shortest and longest lattice vector searched at one scale
SCALES = (1, 2, 4, 8)  # the picture is halved so often; together periods from 11 to 350 px
LOCAL_PX = 51  # side of the local mean: wider than the longest period, so that rhythm stays
MAX_WINDOWS = 96  # looked at more closely at one scale: those that promise the most
SECTORS = 6  # of the half-circle of directions: vectors lie 37 degrees apart at least
MAX_PEAKS = 14  # autocorrelation peaks tried as lattice vectors in one window
MIN_PEAK = 0.03  # of the autocorrelation at 0; lower ones are noise
MIN_SINE = 0.5  # between two lattice vectors: 60 degrees of tilt make no less than 37 degrees
MAX_COMBS = 5  # periods along one axis of a rectified picture that are tried with those across
MAX_AXIS_SEEDS = 2  # the likeliest of these couples by the slow rhythm, after one by the fast
PLACES = 2  # to grow from: a text beside the board has a rhythm too
# Sigma: slower changes are no rhythm, such as a board on a blank ground; nor is the mass of small
# tiles, which hides the gaps between them, but tiles that touch show best by what is drawn on them.
RHYTHMS_PX = 15.0, 5.0
MAX_ASPECT = 2.6  # of their lengths: foreshortening by 2 of a tile whose sides are as 1 to 1.3

Vector = NDArray[np.float64]  # (2,) px
Value = TypeVar("Value", np.float32, np.uint8)
Maps = NDArray[np.float32]  # (H, W), or (N, WINDOW_PX, WINDOW_PX)


@dataclass(frozen=True, eq=False)
class Seed:
    """A place where the picture repeats by two vectors."""

    centre: Vector  # px
    p: Vector  # px
    q: Vector  # px
    strength: float  # how far peaks stand above the values half-way between them


def seeds(image: Image, scale: int) -> list[Seed]:
    """Places that repeat, searched at 1/scale; those first whose period most windows back."""
    size = (image.shape[1] // scale, image.shape[0] // scale)
    if min(size) < WINDOW_PX // 3 or max(size) < WINDOW_PX * 2 // 3:
        return []
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    strength = edge_strength(np.asarray(small, np.uint8))
    right, below = max(0, WINDOW_PX - size[0]), max(0, WINDOW_PX - size[1])
    if right or below:
        padded = cv2.copyMakeBorder(strength, 0, below, 0, right, cv2.BORDER_REPLICATE)
        strength = np.asarray(padded, np.float32)
    corners, maps = _autocorrelations(strength)
    found = []
    for index in np.argsort(-_promise(maps), kind="stable")[:MAX_WINDOWS]:
        corner, vectors = corners[index], _lattice_vectors(maps[index])
        if vectors is not None:
            p, q, height = vectors
            centre = (corner + WINDOW_PX / 2 + 0.5) * scale - 0.5
            found.append(Seed(centre, *reduced(p * scale, q * scale), height))
    return _by_support(found, near_px=1.5 * WINDOW_PX * scale)


def edge_strength(image: Image) -> Maps:
    """0 to 1: gradient magnitude of the strongest channel against its local mean.

    It saturates, so that a tile's faint frame counts as much as the drawing in it, and it is even
    under uneven light.
    """
    smooth = cv2.GaussianBlur(image, (0, 0), 0.8)
    gx = cv2.Scharr(smooth, cv2.CV_32F, 1, 0)
    gy = cv2.Scharr(smooth, cv2.CV_32F, 0, 1)
    return against_local(np.sqrt(strongest_channel(gx * gx + gy * gy)))


def against_local(edges: NDArray[np.floating]) -> Maps:
    """0 to 1: (H, W) how strong edges are, one half where they are as strong as around."""
    # Noise alone must not look like edges: hence a share of the strongest edge.
    local = cv2.blur(edges, (LOCAL_PX, LOCAL_PX)) + 0.02 * float(edges.max()) + 1e-3
    return np.asarray(edges / (edges + local), np.float32)


def strongest_channel(values: NDArray[Value]) -> NDArray[Value]:
    """(H, W) maximum of (H, W, 3); ten times as fast as a reduction along the short last axis."""
    return np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2])


def _autocorrelations(strength: NDArray[np.float32]) -> tuple[list[Vector], Maps]:
    """Normalised autocorrelation of overlapping windows, lag 0 in the middle (Wiener-Khinchin)."""
    h, w = strength.shape
    corners = [np.array([x, y], np.float64) for y in _starts(h) for x in _starts(w)]
    hann = np.hanning(WINDOW_PX).astype(np.float32)
    windows = np.stack(
        [strength[int(y) : int(y) + WINDOW_PX, int(x) : int(x) + WINDOW_PX] for x, y in corners]
    )
    windows = (windows - windows.mean((1, 2), keepdims=True)) * (hann[:, None] * hann)
    spectra = scipy.fft.rfft2(windows)
    power = spectra.real**2 + spectra.imag**2
    maps = scipy.fft.fftshift(scipy.fft.irfft2(power, s=windows.shape[1:]), axes=(1, 2))
    middle = WINDOW_PX // 2
    maps /= maps[:, middle, middle][:, None, None] + 1e-9
    return corners, maps


def _starts(length: int) -> NDArray[np.int64]:
    """Window positions along one side, evenly spread so that the last one ends with the picture."""
    steps = -(-(length - WINDOW_PX) // STRIDE_PX)
    return np.linspace(0, length - WINDOW_PX, steps + 1).astype(np.int64)


_lag_y, _lag_x = np.mgrid[:WINDOW_PX, :WINDOW_PX] - WINDOW_PX // 2
_radius = np.hypot(_lag_x, _lag_y)
_half_ring = (
    (_radius >= PERIOD_PX[0])
    & (_radius <= PERIOD_PX[1])
    & ((_lag_y > 0) | ((_lag_y == 0) & (_lag_x > 0)))
)


_angle = np.arctan2(_lag_y, _lag_x) % np.pi
_sectors = [_half_ring & (_angle * SECTORS // np.pi == k) for k in range(SECTORS)]


def _promise(maps: Maps) -> NDArray[np.float32]:
    """(N,) how high autocorrelations (N, H, W) rise in a second direction, well off that in which
    they rise highest: the edge of a screen is like itself, but along itself alone."""
    highest = np.stack([maps[:, sector].max(axis=1) for sector in _sectors], axis=1)
    near = highest.argmax(axis=1)[:, None] + np.array([-1, 0, 1])
    np.put_along_axis(highest, near % SECTORS, 0, axis=1)
    second: NDArray[np.float32] = highest.max(axis=1)
    return second


def _lattice_vectors(autocorrelation: Maps) -> tuple[Vector, Vector, float] | None:
    """The two vectors whose whole lattice has peaks, and valleys half-way; None: nothing repeats.

    The valleys tell a lattice vector from its double, the weakest of the four peaks from a half.
    """
    peak_px = _peaks(autocorrelation)
    if len(peak_px) < 2:
        return None
    first, second = np.triu_indices(len(peak_px), 1)
    p, q = peak_px[first], peak_px[second]
    lengths = np.hypot(*p.T), np.hypot(*q.T)
    area = np.abs(p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
    shaped = (area > MIN_SINE * lengths[0] * lengths[1]) & (
        np.maximum(*lengths) < MAX_ASPECT * np.minimum(*lengths)
    )
    if not shaped.any():
        return None
    p, q = p[shaped], q[shaped]
    near = np.asarray(cv2.dilate(autocorrelation, np.ones((3, 3), np.uint8)), np.float32)
    lags = np.stack([p, q, p + q, p - q])
    on, between = _at(near, lags), _at(near, lags / 2)
    # The highest value half-way counts most: a peak there means that every second cell was missed.
    valley = 0.5 * (between.mean(axis=0) + between.max(axis=0))
    strength = on.min(axis=0) + 0.5 * on.mean(axis=0) - valley
    best = int(strength.argmax())
    if strength[best] <= 0:
        return None
    return p[best], q[best], float(strength[best])


def _peaks(autocorrelation: Maps) -> NDArray[np.float64]:
    """(N, 2) lags of the highest local maxima in half the ring (the other half mirrors it)."""
    summit = autocorrelation == cv2.dilate(autocorrelation, np.ones((5, 5), np.uint8))
    y, x = np.nonzero(summit & _half_ring & (autocorrelation > MIN_PEAK))
    order = np.argsort(-autocorrelation[y, x], kind="stable")[:MAX_PEAKS]
    return np.stack([x[order], y[order]], axis=1).astype(np.float64) - WINDOW_PX // 2


def _at(values: Maps, lags: NDArray[np.float64]) -> NDArray[np.float32]:
    """Values at (..., 2) lags, 0 beyond the window."""
    index = np.rint(lags).astype(int) + WINDOW_PX // 2
    inside = ((index >= 0) & (index < WINDOW_PX)).all(axis=-1)
    x, y = np.moveaxis(np.clip(index, 0, WINDOW_PX - 1), -1, 0)
    return np.where(inside, values[y, x], 0).astype(np.float32)


def reduced(p: Vector, q: Vector) -> tuple[Vector, Vector]:
    """The shortest basis of the same lattice (Lagrange-Gauss reduction), p to the right, q down."""
    while True:
        if p @ p > q @ q:
            p, q = q, p
        times = np.rint((p @ q) / (p @ p))
        if times == 0:
            break
        q = q - times * p
    if abs(p[0]) < abs(q[0]):
        p, q = q, p
    p = p if p[0] >= 0 else -p
    q = q if p[0] * q[1] - p[1] * q[0] > 0 else -q
    return p, q


def _by_support(found: list[Seed], near_px: float) -> list[Seed]:
    """Order seeds by their own strength and that of all seeds with nearly the same period.

    The best of every place and period comes before the second of any: what does not grow from its
    best seed hardly grows from the next, and a keyboard beside the screen would use up all tries.
    """
    if not found:
        return []
    bases = np.array([np.concatenate([s.p, s.q]) for s in found])
    centres = np.array([s.centre for s in found])
    strengths = np.array([s.strength for s in found])
    length = np.linalg.norm(bases, axis=1)
    apart = np.linalg.norm(bases[:, None] - bases[None], axis=2)
    alike = apart < 0.15 * np.minimum(length[:, None], length[None])
    support = strengths * np.sqrt(alike @ strengths)
    near = np.abs(centres[:, None] - centres[None]).max(axis=2) < near_px
    same = alike & near
    rank = [int((same[i] & (support > support[i])).sum()) for i in range(len(found))]
    return [found[i] for i in np.lexsort((-support, rank))]


def axis_seeds(picture: Image) -> Iterator[Seed]:
    """Seeds along the axes of a picture that is rectified already, the whole of it one window.

    All cells speak at once, so that this sees boards of few cells, or of cells whose drawings are
    stronger than their frames.
    """
    strength = edge_strength(picture)
    slow, fast = (sorted(_couples(strength, sigma), reverse=True) for sigma in RHYTHMS_PX)
    likely = [*slow[:1], *fast[:1], *slow[1:MAX_AXIS_SEEDS]]
    for (p, q), height in {(p, q): height for height, p, q in likely}.items():
        for centre in _densest(strength, p, q):
            yield Seed(centre, np.array([p, 0.0]), np.array([0.0, q]), height)


def _couples(strength: Maps, sigma: float) -> list[tuple[float, int, int]]:
    """Periods along x and y, px, by which a picture (H, W) repeats but for what changes more slowly
    than `sigma`, each couple with how it stands out."""
    h, w = strength.shape
    hann = (np.hanning(h)[:, None] * np.hanning(w)).astype(np.float32)
    rhythm = strength - cv2.GaussianBlur(strength, (0, 0), sigma)
    spectrum = scipy.fft.rfft2(rhythm * hann)
    autocorrelation = scipy.fft.irfft2(np.abs(spectrum) ** 2, s=strength.shape)
    autocorrelation /= autocorrelation[0, 0] + 1e-9
    middle = np.roll(autocorrelation, (h // 2, w // 2), (0, 1)).astype(np.float32)
    near = np.asarray(cv2.dilate(middle, np.ones((3, 3), np.uint8)), np.float32)[h // 2 :]
    right, left = near[:, w // 2 :], near[:, w // 2 :: -1]
    couples = []
    for p, along in _combs(right[0]):
        for q, down in _combs(right[:, 0]):
            if max(p, q) < MAX_ASPECT * min(p, q):
                on = right[q, p] + left[q, p]
                between = right[q, p // 2] + left[q, p // 2] + right[q // 2, p] + left[q // 2, p]
                couples.append((min(along, down) + float(on / 2 - between / 4), p, q))
    return couples


def _combs(autocorrelation: NDArray[np.float32]) -> list[tuple[int, float]]:
    """The likeliest periods along an axis, px, and how they stand out.

    High at the period and its double above what is around; not at its parts, or they are periods.
    """
    lags = np.arange(PERIOD_PX[0], len(autocorrelation) // 3)
    if len(lags) < 3:
        return []
    total = np.concatenate([[0], np.cumsum(autocorrelation, dtype=float)])

    def above(share: float, reach: float) -> NDArray[np.float64]:
        """At a share of the lags, over the mean within a reach of it."""
        at = np.rint(share * lags).astype(int)
        low = np.maximum(at - np.rint(reach * lags).astype(int), 0)
        high = np.minimum(2 * at - low, len(autocorrelation) - 1)
        mean = (total[high + 1] - total[low]) / (high + 1 - low)
        return np.asarray(autocorrelation[at] - mean, np.float64)

    parts = [above(1 / 2, 1 / 4), above(1 / 3, 1 / 6), above(2 / 3, 1 / 6)]
    score = above(1, 1 / 2) + above(2, 1 / 2) - np.maximum(np.max(parts, axis=0), 0)
    summit = np.flatnonzero((score[1:-1] >= score[:-2]) & (score[1:-1] > score[2:])) + 1
    best = summit[np.argsort(-score[summit], kind="stable")][:MAX_COMBS]
    return [(int(lags[i]), float(score[i])) for i in best if score[i] > 0]


def _densest(strength: Maps, p: int, q: int) -> list[Vector]:
    """The places where neighbours in all four directions are most alike, three cells each way."""
    h, w = strength.shape
    rhythm = strength - cv2.blur(strength, (p, q))
    dense = np.full((h, w), np.inf, np.float32)
    for dx, dy in ((p, 0), (0, q), (p, q), (-p, q)):
        here, there = slice(max(-dx, 0), w - max(dx, 0)), slice(max(dx, 0), w + min(dx, 0))
        alike = np.zeros((h, w), np.float32)
        alike[: h - dy, here] = rhythm[: h - dy, here] * rhythm[dy:, there]
        mean = cv2.blur(alike, (3 * p, 3 * q), borderType=cv2.BORDER_CONSTANT)
        dense = np.minimum(dense, mean)
    energy = cv2.blur(rhythm * rhythm, (3 * p, 3 * q), borderType=cv2.BORDER_CONSTANT)
    dense /= energy + float(energy.mean())
    left, top = min(2 * p, (w - 1) // 2), min(2 * q, (h - 1) // 2)  # so that cells around it exist
    inner = dense[top : h - top, left : w - left].copy()
    places = []
    for _ in range(PLACES):
        y, x = np.unravel_index(int(inner.argmax()), inner.shape)
        places.append(np.array([x + left, y + top], np.float64))
        inner[max(0, y - 2 * q) : y + 2 * q, max(0, x - 2 * p) : x + 2 * p] = -np.inf
    return places
