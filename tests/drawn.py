"""Boards drawn of seeded patterns, and what is read of them."""

from __future__ import annotations

import cv2
import numpy as np

from ar_assist.types import Image, Lattice, Reading

PITCH = 48


def pattern(kind: int) -> Image:
    """A tile picture (PITCH, PITCH, 3): a mirrored block pattern in the kind's own colour."""
    rng = np.random.default_rng(kind)
    half = rng.random((6, 3)) < 0.5
    half[rng.integers(6), rng.integers(3)] = True
    blocks = np.concatenate([half, half[:, ::-1]], 1).astype(np.float32)
    ink = cv2.resize(blocks, (36, 36), interpolation=cv2.INTER_NEAREST)[..., None]
    tile = np.full((PITCH, PITCH, 3), 90, np.uint8)
    tile[2:-2, 2:-2] = 235
    tile[6:-6, 6:-6] = (1 - ink) * 235 + ink * rng.integers(20, 200, 3)
    return tile


def picture(cells: np.ndarray, ground: int = 60) -> tuple[Image, Lattice]:
    """A board with three cells of ground around it; 0 is empty."""
    rows, cols = cells.shape
    whole = np.full(((rows + 6) * PITCH, (cols + 6) * PITCH, 3), ground, np.uint8)
    for (r, c), kind in np.ndenumerate(cells):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            whole[y : y + PITCH, x : x + PITCH] = pattern(int(kind))
    return whole, Lattice((3 * PITCH - 0.5, 3 * PITCH - 0.5), (PITCH, PITCH), rows, cols)


def paint_squares(image: Image, truth: np.ndarray, colours: np.ndarray) -> None:
    """Tiles of plain colour, by their kinds, on what the picture shows."""
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = colours[kind]


def amid_noise(image: Image) -> Image:
    """The board with a strip of what is around it, less than a cell; beyond is something else."""
    strip = slice(2 * PITCH + 32, -2 * PITCH - 32)
    noisy = np.random.default_rng(0).integers(0, 120, image.shape, np.uint8)
    noisy[strip, strip] = image[strip, strip]
    return noisy


def shuffled(rows: int, cols: int, kinds: int, seed: int) -> np.ndarray:
    """A full board of pairs."""
    pairs = np.resize(np.arange(1, kinds + 1), rows * cols // 2)
    return np.random.default_rng(seed).permutation(np.repeat(pairs, 2)).reshape(rows, cols)


def cleared(cells: np.ndarray, pairs: int, seed: int = 0) -> np.ndarray:
    """The board without some pairs."""
    rng, left = np.random.default_rng(seed), cells.copy()
    for kind in rng.permutation(np.unique(cells))[:pairs]:
        for cell in np.argwhere(left == kind)[:2]:
            left[tuple(cell)] = 0
    return left


def bordered(
    image: Image, cells: np.ndarray, colour: tuple[int, int, int], width: int = 4
) -> Image:
    """With a border drawn just inside each of those (r, c)."""
    drawn = image.copy()
    for r, c in cells:
        y, x, off = (r + 3) * PITCH, (c + 3) * PITCH, width // 2
        far = PITCH - 1 - off
        cv2.rectangle(drawn, (x + off, y + off), (x + far, y + far), colour, width)
    return drawn


def toned(truth: np.ndarray, tones: int) -> tuple[Image, Lattice]:
    """Letters on faces whose colours go by their kinds, with gaps of ground between."""
    colours = np.random.default_rng(0).integers(40, 160, (tones, 3)).tolist()
    image, lattice = picture(np.zeros_like(truth), ground=30)
    for (r, c), kind in np.ndenumerate(truth):
        x, y = (c + 3) * PITCH, (r + 3) * PITCH
        far = x + PITCH - 3, y + PITCH - 3
        cv2.rectangle(image, (x + 2, y + 2), far, colours[kind % tones], -1)
        letter, at = chr(64 + kind), (x + PITCH // 4, y + 3 * PITCH // 4)
        cv2.putText(image, letter, at, cv2.FONT_HERSHEY_SIMPLEX, PITCH / 45, (220, 220, 220), 2)
    return image, lattice


def on_waves(truth: np.ndarray, seed: int, white_from: int = 16) -> np.ndarray:
    """Sprites without frames on a picture of many colours, seen by a noisy camera.

    White from some column on, of (6, 10) sprites with three of ground around.
    """
    y, x = np.mgrid[: 12 * PITCH, : 16 * PITCH] / PITCH
    waves = [np.sin(y / 2 + x / 3 + k) * 30 + np.cos(x / 2 - y / 3 + 2 * k) * 24 for k in range(3)]
    image = np.stack(waves, -1) + 130
    image[:, white_from * PITCH :] = 270
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            rng = np.random.default_rng(kind)
            spots = rng.uniform(-11, 11, (3, 2)) + (np.array([c, r]) + 3.5) * PITCH
            for spot in spots.astype(int).tolist():
                cv2.circle(image, spot, 7, rng.integers(0, 256, 3).tolist(), -1)
    noise = np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 1) + noise, 0, 255).astype(np.uint8)


def cells_of(reading: Reading | None) -> np.ndarray:
    """Of a board that must have been read."""
    assert reading is not None
    return np.array(reading.board.cells)


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether cells are equal in one where they are in the other."""
    pairs = set(zip(a.ravel().tolist(), b.ravel().tolist(), strict=True))
    return len(pairs) == len(set(a.ravel().tolist())) == len(set(b.ravel().tolist()))


def even(size: int) -> float:
    """Log odds of a kind of so many tiles, as games of pairs have them."""
    return 0.0 if size % 2 == 0 else -4.0
