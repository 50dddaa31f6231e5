"""What a screen shows around a game: bars, buttons, other windows, a phone's status line."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from PIL import Image as Pil
from PIL import ImageDraw

from ar_assist.scene.icons import SETS, Colour, font, hues
from ar_assist.scene.looks import Look, ground
from ar_assist.types import Image

Area = tuple[int, int, int, int]  # x, y, width, height, px

MONITOR_WH = (1600, 900)
PHONES_WH = ((720, 1280), (720, 1480), (720, 1600))
UI_FONT = "NotoSansCJK-ui.otf"
WORDS = (
    "开始游戏",
    "重排",
    "提示",
    "暂停",
    "设置",
    "返回",
    "Hint",
    "Shuffle",
    "Pause",
    "New game",
    "Undo",
)


def surroundings(look: Look, window: float, rng: Generator) -> tuple[Image, Area, Area]:
    """The screen without tiles, the game's area on it, and the room for the board."""
    if look.layout == "phone":
        return phone(look, rng)
    if look.layout == "full":
        return full(look, rng)
    return windowed(look, window, rng)


def _pen(picture: Image) -> tuple[Pil.Image, ImageDraw.ImageDraw]:
    drawn = Pil.fromarray(picture[..., ::-1])
    return drawn, ImageDraw.Draw(drawn, "RGBA")


def _done(drawn: Pil.Image) -> Image:
    return np.ascontiguousarray(np.asarray(drawn)[..., ::-1])


def button(pen: ImageDraw.ImageDraw, area: Area, word: str, colour: Colour) -> None:
    """A rounded push button."""
    x, y, w, h = area
    pen.rounded_rectangle(
        (x, y, x + w, y + h), h // 3, fill=colour, outline=(255, 255, 255), width=3
    )
    pen.text(
        (x + w / 2, y + h / 2),
        word,
        (255, 255, 255),
        font(UI_FONT, max(10, int(h * 0.42))),
        anchor="mm",
    )


def phone(look: Look, rng: Generator) -> tuple[Image, Area, Area]:
    """A phone app: status line, level and hearts above the board, round buttons below."""
    width, height = PHONES_WH[rng.integers(len(PHONES_WH))]
    cell = width // 10
    drawn, pen = _pen(ground(look, (width, height), cell, rng))
    ink = (255, 255, 255) if sum(look.ground_colour) < 380 else (30, 30, 30)
    pen.text((30, 16), f"{rng.integers(24):02d}:{rng.integers(60):02d}", ink, font(UI_FONT, 26))
    for k in range(4):
        pen.rectangle((width - 150 + 30 * k, 40 - 5 * k, width - 132 + 30 * k, 46), fill=ink)
    accent, other = hues(2, rng, 0.7, 0.85)
    pen.rounded_rectangle((width * 0.25, 70, width * 0.75, 125), 28, fill=(0, 0, 0, 140))
    pen.text(
        (width / 2, 97),
        f"第{rng.integers(1, 40)}关 · {rng.integers(1, 99)}步",
        (255, 255, 255),
        font(UI_FONT, 30),
        anchor="mm",
    )
    pen.ellipse((24, 70, 84, 130), fill=other, outline=(255, 255, 255), width=4)
    top, bottom = 150, height - 170
    for k in range(3):
        left = int(width * (0.5 + (k - 1) * 0.28) - 60)
        button(pen, (left, height - 140, 120, 90), WORDS[rng.integers(len(WORDS))][:5], accent)
    margin = int(rng.uniform(0.02, 0.06) * width)
    return _done(drawn), (0, 0, width, height), (margin, top, width - 2 * margin, bottom - top)


def full(look: Look, rng: Generator) -> tuple[Image, Area, Area]:
    """A game that fills a monitor: time bar below, score above, buttons on one side."""
    width, height = MONITOR_WH
    drawn, pen = _pen(ground(look, MONITOR_WH, 80, rng))
    accent, other = hues(2, rng, 0.8, 0.9)
    pen.rounded_rectangle((60, height - 62, width * 0.8, height - 26), 16, fill=(0, 0, 0, 90))
    pen.rounded_rectangle(
        (60, height - 62, width * rng.uniform(0.3, 0.75), height - 26), 16, fill=accent
    )
    ink = (255, 255, 255) if sum(look.ground_colour) < 500 else (40, 40, 40)
    pen.text(
        (70, 14),
        f"Score {rng.integers(100, 9000)}   Level {rng.integers(1, 20)}",
        ink,
        font(UI_FONT, 34),
    )
    for k in range(5):
        button(pen, (width - 190, 150 + 120 * k, 160, 70), WORDS[rng.integers(len(WORDS))], other)
    return _done(drawn), (0, 0, width, height), (50, 75, width - 270, height - 160)


def windowed(look: Look, share: float, rng: Generator) -> tuple[Image, Area, Area]:
    """A window on a desktop; the smaller its share, the more of the other windows shows."""
    picture = desk_windows(rng)
    width, height = MONITOR_WH
    w, h = int(width * share**0.5), int((height - 50) * share**0.5)
    x, y = int(rng.uniform(0, width - w)), int(rng.uniform(0, height - 50 - h))
    drawn, pen = _pen(picture)
    bar, panel = 36, int(w * rng.choice([0.0, 0.2]))
    window_frame(pen, (x, y, w, h), "连连看" if rng.random() < 0.5 else "Link Game")
    inner = ground(look, (w - 4, h - bar - 2), 60, rng)
    drawn.paste(Pil.fromarray(inner[..., ::-1]), (x + 2, y + bar))
    if panel:
        side_panel(pen, (x + w - panel - 2, y + bar, panel, h - bar - 2), rng)
    ink = (255, 255, 255) if sum(look.ground_colour) < 380 else (20, 20, 20)
    pen.text((x + 20, y + bar + 6), f"时间 {rng.integers(10, 500)}", ink, font(UI_FONT, 22))
    return _done(drawn), (x, y, w, h), (x + 16, y + bar + 40, w - panel - 32, h - bar - 56)


def window_frame(pen: ImageDraw.ImageDraw, area: Area, title: str, dark: bool = False) -> None:
    """A window with its title bar."""
    x, y, w, h = area
    back, ink = ((45, 45, 48), (230, 230, 230)) if dark else ((240, 240, 240), (20, 20, 20))
    pen.rectangle((x - 1, y - 1, x + w, y + h), fill=back, outline=(120, 120, 120))
    pen.text((x + 12, y + 5), title, ink, font(UI_FONT, 18))
    pen.text((x + w - 110, y + 5), "−    □    ×", ink, font(UI_FONT, 18))


def side_panel(pen: ImageDraw.ImageDraw, area: Area, rng: Generator) -> None:
    """Settings beside the board: fields and push buttons."""
    x, y, w, h = area
    pen.rectangle((x, y, x + w, y + h), fill=(236, 236, 236))
    for k in range(int(h / 70)):
        top = y + 20 + 70 * k
        word = WORDS[rng.integers(len(WORDS))]
        pen.rounded_rectangle(
            (x + 15, top, x + w - 15, top + 40), 6, fill=(250, 250, 250), outline=(170, 170, 170)
        )
        pen.text((x + w / 2, top + 20), word, (40, 40, 40), font(UI_FONT, 18), anchor="mm")


def desk_windows(rng: Generator) -> Image:
    """A desktop with a few windows of text, code, sheets and pictures, and a task bar."""
    width, height = MONITOR_WH
    (tint,) = hues(1, rng, 0.5, 0.6)
    slope = (
        np.linspace(1.3, 0.7, width)[None, :, None] * np.linspace(1.1, 0.9, height)[:, None, None]
    )
    drawn, pen = _pen((np.array(tint[::-1]) * slope).clip(0, 255).astype(np.uint8))
    for _ in range(rng.integers(2, 5)):
        w, h = int(width * rng.uniform(0.4, 0.8)), int(height * rng.uniform(0.4, 0.85))
        area = int(rng.uniform(-0.1, 0.6) * width), int(rng.uniform(0, 0.4) * height), w, h
        (text_window, sheet_window, icon_window)[rng.integers(3)](pen, drawn, area, rng)
    pen.rectangle((0, height - 46, width, height), fill=(225, 230, 240))
    for k, tone in enumerate(hues(9, rng)):
        pen.rounded_rectangle(
            (width * 0.3 + 60 * k, height - 40, width * 0.3 + 60 * k + 34, height - 6), 7, fill=tone
        )
    return _done(drawn)


def text_window(pen: ImageDraw.ImageDraw, _drawn: Pil.Image, area: Area, rng: Generator) -> None:
    """An editor with lines of coloured words."""
    x, y, w, h = area
    dark = bool(rng.random() < 0.5)
    window_frame(pen, area, "main.c", dark)
    inks = hues(5, rng, 0.6, 0.9 if dark else 0.5)
    for row in range(int((h - 60) / 22)):
        left = x + 16 + 24 * int(rng.integers(4))
        for _ in range(rng.integers(0, 8)):
            letters = "".join(chr(c) for c in rng.integers(97, 123, rng.integers(2, 10)))
            pen.text((left, y + 44 + 22 * row), letters, inks[rng.integers(5)], font(UI_FONT, 15))
            left += 10 * len(letters) + 8
            if left > x + w - 90:
                break


def sheet_window(pen: ImageDraw.ImageDraw, _drawn: Pil.Image, area: Area, rng: Generator) -> None:
    """A spreadsheet: a lattice that is no game."""
    x, y, w, h = area
    window_frame(pen, area, "Book1")
    for row in range(int((h - 60) / 26)):
        for column in range(int((w - 20) / 84)):
            left, top = x + 10 + 84 * column, y + 44 + 26 * row
            pen.rectangle(
                (left, top, left + 84, top + 26), outline=(205, 205, 205), fill=(255, 255, 255)
            )
            if rng.random() < 0.6:
                pen.text(
                    (left + 6, top + 3),
                    str(rng.integers(1, 10**5)),
                    (30, 30, 30),
                    font(UI_FONT, 15),
                )


def icon_window(pen: ImageDraw.ImageDraw, drawn: Pil.Image, area: Area, rng: Generator) -> None:
    """A folder of files, each an icon of its own with a name below."""
    x, y, w, h = area
    window_frame(pen, area, "文件")
    places = [(r, c) for r in range(int((h - 60) / 110)) for c in range(int((w - 30) / 100))]
    for (r, c), icon in zip(places, SETS["things"](len(places), rng), strict=False):
        small = icon.resize((56, 56))
        drawn.paste(small, (x + 40 + 100 * c, y + 50 + 110 * r), small)
        pen.text(
            (x + 68 + 100 * c, y + 120 + 110 * r),
            f"file {rng.integers(99)}",
            (40, 40, 40),
            font(UI_FONT, 14),
            anchor="mm",
        )
