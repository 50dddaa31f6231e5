"""Icons that are drawn here: colours, stones, clocks, sprites, creatures, mahjong faces."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.random import Generator
from PIL import Image as Pil

from ar_assist.scene.glyphs import FINE, SIZE, Colour, Icon, glyph, hues, reduced, sheet

SUITS = "一二三四五六七八九"
HONOURS = {"東": "navy", "南": "navy", "西": "navy", "北": "navy", "中": "red", "發": "green"}


def squares(count: int, rng: Generator) -> list[Icon]:
    """Plain colour squares, with black, white and greys among them as real games have."""
    greys = [(0, 0, 0), (255, 255, 255), (70, 70, 70), (175, 175, 175)]
    colours = (greys + hues(max(1, count - 4), rng, 1.0, 1.0))[:count]
    return [Pil.new("RGBA", (SIZE, SIZE), (*colour, 255)) for colour in colours]


def balls(count: int, rng: Generator) -> list[Icon]:
    """Shaded balls that differ only in colour."""
    y, x = np.mgrid[-1 : 1 : SIZE * 1j, -1 : 1 : SIZE * 1j]
    radius = np.hypot(x, y)
    shade = 0.45 + 0.55 * np.clip(1 - np.hypot(x + 0.3, y + 0.35) / 1.3, 0, 1)
    shine = np.exp(-((x + 0.35) ** 2 + (y + 0.4) ** 2) / 0.03)
    alpha = np.clip((0.96 - radius) * SIZE / 2, 0, 1)
    icons = []
    for colour in hues(count, rng, 0.95, 0.95):
        body = np.array(colour) * shade[..., None]
        body += (255 - body) * 0.8 * shine[..., None]
        rgba = np.dstack([body, 255 * alpha]).clip(0, 255).astype(np.uint8)
        icons.append(Pil.fromarray(rgba, "RGBA"))
    return icons


def gems(count: int, rng: Generator) -> list[Icon]:
    """Cut stones: polygons of shaded facets, three to eight corners, in several colours."""
    icons = []
    for i, colour in enumerate(hues(count, rng, 0.85, 0.95)):
        picture, pen = sheet()
        corners, turn = 3 + i % 6, rng.choice([0.0, 0.5])
        middle = SIZE * FINE / 2
        ring = [2 * math.pi * (k + turn) / corners - math.pi / 2 for k in range(corners)]
        outer = [
            (middle * (1 + 0.95 * math.cos(a)), middle * (1 + 0.95 * math.sin(a))) for a in ring
        ]
        inner = [(middle * (1 + 0.5 * math.cos(a)), middle * (1 + 0.5 * math.sin(a))) for a in ring]
        for k in range(corners):
            light = 0.72 + 0.28 * math.cos(ring[k] + math.pi / corners + 2.2)
            facet = tuple(round(c * light) for c in colour)
            follow = (k + 1) % corners
            pen.polygon([outer[k], outer[follow], inner[follow], inner[k]], fill=facet)
        pen.polygon(inner, fill=tuple(min(255, round(c * 0.6 + 95)) for c in colour))
        icons.append(reduced(picture))
    return icons


def clocks(count: int, rng: Generator) -> list[Icon]:
    """Dials that differ only in where the hands stand."""
    (rim,) = hues(1, rng, 0.7, 0.6)
    icons = []
    for time in rng.permutation(48)[:count]:
        picture, pen = sheet()
        size = SIZE * FINE
        pen.ellipse((4, 4, size - 4, size - 4), fill="white", outline=rim, width=size // 12)
        for angle, length, width in (
            (2 * math.pi * time / 48, 0.26, 0.09),
            (2 * math.pi * (time % 4) / 4, 0.38, 0.05),
        ):
            tip = size * (0.5 + length * math.sin(angle)), size * (0.5 - length * math.cos(angle))
            pen.line((size / 2, size / 2, *tip), fill=(30, 30, 40), width=round(width * size))
        icons.append(reduced(picture))
    return icons


def dominoes(count: int, rng: Generator) -> list[Icon]:
    """Pairs of pip counts, 0 to 6 each, side by side."""
    spots = {
        1: [4],
        2: [0, 8],
        3: [0, 4, 8],
        4: [0, 2, 6, 8],
        5: [0, 2, 4, 6, 8],
        6: [0, 2, 3, 5, 6, 8],
        0: [],
    }
    pairs = [(a, b) for a in range(7) for b in range(a, 7)]
    icons = []
    for index in rng.permutation(len(pairs))[:count]:
        picture, pen = sheet()
        unit = SIZE * FINE / 6
        for half, value in enumerate(pairs[index]):
            for spot in spots[value]:
                x, y = (spot % 3 * 0.9 + 0.6 + 3 * half) * unit, (spot // 3 + 2) * unit
                pen.ellipse(
                    (x - unit * 0.36, y - unit * 0.36, x + unit * 0.36, y + unit * 0.36),
                    fill=(25, 25, 35),
                )
        pen.line((3 * unit, unit, 3 * unit, 5 * unit), fill=(25, 25, 35), width=FINE * 3)
        icons.append(reduced(picture))
    return icons


def pixels(count: int, rng: Generator) -> list[Icon]:
    """Mirrored 8 × 8 sprites, as old arcade games had."""
    icons = []
    for colour in hues(count, rng, 0.8, 0.9):
        half = (rng.random((8, 4)) < 0.52).astype(np.uint8)
        mask = np.hstack([half, half[:, ::-1]])
        eyes = np.zeros_like(mask)
        eyes[2, [2, 5]] = 1
        rgba = np.zeros((8, 8, 4), np.uint8)
        rgba[mask == 1] = (*colour, 255)
        rgba[eyes == 1] = (20, 20, 20, 255)
        icons.append(Pil.fromarray(rgba, "RGBA").resize((SIZE, SIZE), Pil.Resampling.NEAREST))
    return icons


def monsters(count: int, rng: Generator) -> list[Icon]:
    """Outlined creatures of a few pastel colours, much alike, as monster games have."""
    palette = hues(6, rng, 0.5, 0.95)
    return [_monster(palette[rng.integers(6)], palette[rng.integers(6)], rng) for _ in range(count)]


def _monster(body: Colour, spare: Colour, rng: Generator) -> Icon:
    """One creature: ears, feet, arms, a body and a face, each of a size of its own."""
    picture, pen = sheet()
    unit, dark = SIZE * FINE / 100, (35, 30, 45)
    line = round(4 * unit)

    def blob(x: float, y: float, rx: float, ry: float, fill: Colour, mirror: bool = False) -> None:
        for centre in (x, 100 - x) if mirror else (x,):
            box = [(centre - rx) * unit, (y - ry) * unit, (centre + rx) * unit, (y + ry) * unit]
            pen.ellipse(box, fill=fill, outline=dark, width=line)

    low, wide, tall = rng.uniform(55, 66), rng.uniform(20, 33), rng.uniform(20, 32)
    ear, spread = rng.uniform(5, 14), rng.uniform(10, 30)
    blob(50 - spread, low - tall - 4, ear, rng.uniform(8, 20), spare, mirror=True)
    blob(50 - wide, low + rng.uniform(-12, 10), rng.uniform(6, 15), rng.uniform(6, 13), spare, True)
    blob(50 - wide * 0.6, min(90, low + tall), rng.uniform(8, 14), 7, spare, mirror=True)
    blob(50, low, wide, tall, body)
    blob(50, low + tall * 0.35, wide * 0.6, tall * 0.5, tuple((c + 255) // 2 for c in body))  # type: ignore[arg-type]
    head, up = rng.uniform(18, 28), low - tall * rng.uniform(0.5, 1.0)
    blob(50, up, head, head * rng.uniform(0.7, 0.95), body)
    gaze, eye = rng.uniform(7, 13), rng.uniform(3.5, 6.5)
    blob(50 - gaze, up - 2, eye, eye * rng.uniform(0.9, 1.5), (255, 255, 255), mirror=True)
    blob(50 - gaze + rng.uniform(-2, 2), up - 1, eye * 0.3, eye * 0.4, dark, mirror=True)
    mouth = rng.uniform(4, 10)
    box = [(50 - mouth) * unit, (up + 4) * unit, (50 + mouth) * unit, (up + 12) * unit]
    pen.arc(box, 0, 180, fill=dark, width=line)
    return reduced(picture)


def textures(count: int, rng: Generator) -> list[Icon]:
    """Photo-like stuff that fills the tile: clouded noise in two or three colours."""
    icons = []
    for colour in hues(count, rng, 0.55, 0.8):
        stretch = 2.0 ** rng.uniform(-2.5, 2.5)
        coarse = rng.uniform(6, 20)
        noise = sum(
            cv2.GaussianBlur(
                rng.standard_normal((SIZE, SIZE)), (0, 0), s * stretch**0.5, sigmaY=s / stretch**0.5
            )
            * s
            for s in (coarse, coarse / 3, 1.0)
        )
        level = cv2.normalize(noise, None, 0, 1, cv2.NORM_MINMAX)[..., None]  # type: ignore[call-overload]
        far = np.array(hues(1, rng, 0.6, rng.uniform(0.3, 1.0))[0])
        rgb = level * np.array(colour) + (1 - level) * far
        icons.append(
            Pil.fromarray(np.dstack([rgb, np.full(rgb.shape[:2], 255)]).astype(np.uint8), "RGBA")
        )
    return icons


def mahjong(count: int, rng: Generator) -> list[Icon]:
    """The faces of a mahjong set: characters, dots, bamboo, winds and dragons, 3 : 4."""
    faces = [_character(k) for k in SUITS] + [
        _pips(n, bamboo) for n in range(1, 10) for bamboo in (0, 1)
    ]
    faces += [_wide(glyph(c, "NotoSerifCJK-tiles.otf", colour)) for c, colour in HONOURS.items()]
    faces.append(_wide(Pil.new("RGBA", (SIZE, SIZE))))  # the white dragon: a bare tile
    return [faces[i] for i in rng.permutation(len(faces))[:count]]


def _wide(icon: Icon) -> Icon:
    """A square icon on a face of 3 : 4."""
    face = Pil.new("RGBA", (96, SIZE))
    small = icon.resize((84, 84))
    face.alpha_composite(small, (6, 22))
    return face


def _character(numeral: str) -> Icon:
    face = Pil.new("RGBA", (96, SIZE))
    face.alpha_composite(
        glyph(numeral, "NotoSerifCJK-tiles.otf", (20, 30, 110)).resize((56, 56)), (20, 4)
    )
    face.alpha_composite(
        glyph("萬", "NotoSerifCJK-tiles.otf", (190, 20, 20)).resize((62, 62)), (17, 64)
    )
    return face


def _pips(number: int, bamboo: int) -> Icon:
    """Dots or bamboo sticks, in rows of up to three."""
    face, pen = sheet(96, SIZE)
    rows = {
        1: [1],
        2: [1, 1],
        3: [1, 1, 1],
        4: [2, 2],
        5: [2, 1, 2],
        6: [3, 3],
        7: [1, 3, 3],
        8: [3, 2, 3],
        9: [3, 3, 3],
    }[number]
    high = SIZE * FINE / len(rows)
    radius = FINE * min(13 + 8 * (number == 1), 46 / max(rows))
    for r, columns in enumerate(rows):
        for c in range(columns):
            x, y = (c + 0.5) * 96 * FINE / columns, (r + 0.5) * high
            colour = [(20, 120, 60), (25, 45, 130), (200, 35, 35)][(r + c + (number == 5) * r) % 3]
            if bamboo:
                box = (x - radius * 0.4, y - high * 0.44, x + radius * 0.4, y + high * 0.44)
                pen.rounded_rectangle(
                    box, radius * 0.35, fill=colour if colour[2] != 130 else (20, 120, 60)
                )
                pen.line((box[0], y, box[2], y), fill="white", width=2 * FINE)
            else:
                pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
                pen.ellipse(
                    (x - radius / 2, y - radius / 2, x + radius / 2, y + radius / 2),
                    outline="white",
                    width=2 * FINE,
                )
    return reduced(face)
