"""What a screen shows around a game: bars, buttons, other windows, a phone's status line."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from PIL import Image as Pil
from PIL import ImageDraw

from ar_assist.scene.backdrop import Backdrop, Box, ground, wallpaper
from ar_assist.scene.glyphs import Colour, font, hues, one_of
from ar_assist.scene.icons import SETS
from ar_assist.types import Image

MONITOR_WH = (1600, 900)
PHONES_WH = ((720, 1280), (720, 1480), (720, 1600))
TASK_BAR_PX = 46
TITLE_BAR_PX = 36
UI_FONT = "NotoSansCJK-ui.otf"
WORDS = ("开始游戏", "重排", "提示", "暂停", "设置", "返回", "Hint", "Shuffle", "Pause", "Undo")
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (30, 30, 30)

Pen = ImageDraw.ImageDraw


def surroundings(backdrop: Backdrop, window: float, rng: Generator) -> tuple[Image, Box]:
    """A screen with room for a board; `window` is the share of a desktop that its window takes."""
    if backdrop.layout == "phone":
        return phone(backdrop, rng)
    if backdrop.layout == "full":
        return full(backdrop, rng)
    return windowed(backdrop, window, rng)


def phone(backdrop: Backdrop, rng: Generator) -> tuple[Image, Box]:
    """A phone app: status line, level and steps above the board, buttons below."""
    width, height = one_of(PHONES_WH, rng)
    drawn, pen = pen_on(ground(backdrop, (width, height), rng))
    write(pen, (70, 30), f"{rng.integers(24):02d}:{rng.integers(60):02d}", 26, backdrop.ink)
    for k in range(4):  # signal strength
        x = width - 150 + 30 * k
        pen.rectangle((x, 40 - 5 * k, x + 18, 46), fill=backdrop.ink)
    accent, other = hues(2, rng, 0.7, 0.85)
    pen.rounded_rectangle((width * 0.25, 70, width * 0.75, 125), 28, fill=(0, 0, 0, 140))
    write(pen, (width / 2, 97), f"第{rng.integers(1, 40)}关 · {rng.integers(1, 99)}步", 30, WHITE)
    pen.ellipse((24, 70, 84, 130), fill=other, outline=WHITE, width=4)
    for k in range(3):
        left = int(width * (0.5 + (k - 1) * 0.28) - 60)
        button(pen, Box(left, height - 140, 120, 90), _word(rng)[:5], accent)
    margin = int(rng.uniform(0.02, 0.06) * width)
    return drawn_on(drawn), Box(margin, 150, width - 2 * margin, height - 320)


def full(backdrop: Backdrop, rng: Generator) -> tuple[Image, Box]:
    """A game that fills a monitor: score above, time bar below, buttons on one side."""
    width, height = MONITOR_WH
    drawn, pen = pen_on(ground(backdrop, MONITOR_WH, rng))
    accent, other = hues(2, rng, 0.8, 0.9)
    low, high = height - 62, height - 26
    pen.rounded_rectangle((60, low, width * 0.8, high), 16, fill=(0, 0, 0, 90))
    pen.rounded_rectangle((60, low, width * rng.uniform(0.3, 0.75), high), 16, fill=accent)
    text = f"Score {rng.integers(100, 9000)}   Level {rng.integers(1, 20)}"
    write(pen, (260, 38), text, 34, backdrop.ink)
    for k in range(5):
        button(pen, Box(width - 190, 150 + 120 * k, 160, 70), _word(rng), other)
    return drawn_on(drawn), Box(50, 75, width - 270, height - 160)


def windowed(backdrop: Backdrop, share: float, rng: Generator) -> tuple[Image, Box]:
    """A window on a desktop; the smaller its share, the more of the other windows shows."""
    width, height = MONITOR_WH[0], MONITOR_WH[1] - TASK_BAR_PX
    w, h = int(width * share**0.5), int(height * share**0.5)
    x, y = int(rng.uniform(0, width - w)), int(rng.uniform(0, height - h))
    drawn, pen = pen_on(desk_windows(rng))
    panel = int(w * rng.choice([0.0, 0.2]))
    window_frame(pen, Box(x, y, w, h), "连连看" if rng.random() < 0.5 else "Link Game")
    inner = ground(backdrop, (w - 4, h - TITLE_BAR_PX - 2), rng)
    drawn.paste(Pil.fromarray(inner[..., ::-1]), (x + 2, y + TITLE_BAR_PX))
    top = y + TITLE_BAR_PX
    if panel:
        side_panel(pen, Box(x + w - panel - 2, top, panel, h - TITLE_BAR_PX - 2), rng)
    write(pen, (x + 80, top + 20), f"时间 {rng.integers(10, 500)}", 22, backdrop.ink)
    return drawn_on(drawn), Box(x + 16, top + 40, w - panel - 32, h - TITLE_BAR_PX - 56)


def desk_windows(rng: Generator) -> Image:
    """A desktop with a few windows of code, sheets and files, and a task bar."""
    width, height = MONITOR_WH
    (tint,) = hues(1, rng, 0.5, 0.6)
    across, down = np.linspace(1.3, 0.7, 80), np.linspace(1.1, 0.9, 45)[:, None]
    slope = np.array(tint) * (across * down)[..., None]
    drawn = Pil.fromarray(slope.clip(0, 255).astype(np.uint8)).resize(MONITOR_WH)
    pen = ImageDraw.Draw(drawn, "RGBA")
    for _ in range(rng.integers(2, 5)):
        x, y = int(rng.uniform(-0.1, 0.6) * width), int(rng.uniform(0, 0.4) * height)
        w, h = int(width * rng.uniform(0.4, 0.8)), int(height * rng.uniform(0.4, 0.85))
        kind = one_of((text_window, sheet_window, file_window), rng)
        kind(drawn, pen, Box(x, y, w, h), rng)
    pen.rectangle((0, height - TASK_BAR_PX, width, height), fill=(225, 230, 240))
    for k, tone in enumerate(hues(9, rng)):
        x = int(width * 0.3) + 60 * k
        pen.rounded_rectangle((x, height - 40, x + 34, height - 6), 7, fill=tone)
    return drawn_on(drawn)


def home_screen(rng: Generator) -> Image:
    """A phone's home screen: icons in rows, each once."""
    size_wh = one_of(PHONES_WH, rng)
    drawn, pen = pen_on(wallpaper(size_wh, hues(1, rng, 0.5, 0.6)[0], rng))
    columns = int(rng.integers(4, 6))
    pitch = size_wh[0] // columns
    icons = SETS["things"](45, rng)
    for k in range(min(len(icons), columns * int(rng.integers(3, 7)))):
        x, y = (k % columns) * pitch + pitch // 6, 120 + (k // columns) * (pitch + 30)
        side = pitch * 2 // 3
        tone = hues(1, rng, 0.5, 0.95)[0]
        pen.rounded_rectangle((x, y, x + side, y + side), side // 4, fill=tone)
        small = icons[k].resize((side * 2 // 3, side * 2 // 3))
        drawn.paste(small, (x + side // 6, y + side // 6), small)
        write(pen, (x + side / 2, y + side + 18), WORDS[k % len(WORDS)], 20, WHITE)
    return drawn_on(drawn)


def calendar(rng: Generator) -> Image:
    """A month that fills the screen: equal cells with numbers and a few entries."""
    width, height = MONITOR_WH
    drawn, pen = pen_on(np.full((height, width, 3), 252, np.uint8))
    window_frame(pen, Box(0, 0, width, height), "Calendar", bool(rng.random() < 0.3))
    pitch_x, pitch_y = (width - 40) // 7, (height - 120) // 5
    first = int(rng.integers(7))
    for k in range(35):
        x, y = 20 + k % 7 * pitch_x, 80 + k // 7 * pitch_y
        pen.rectangle((x, y, x + pitch_x, y + pitch_y), fill=WHITE, outline=(190, 190, 190))
        write(pen, (x + 22, y + 22), str((k - first) % 31 + 1), 22, BLACK)
        for entry in range(int(rng.integers(0, 3))):
            top = y + 44 + 34 * entry
            box = (x + 8, top, x + pitch_x - 8, top + 26)
            pen.rounded_rectangle(box, 6, fill=hues(1, rng, 0.5, 0.9)[0])
    return drawn_on(drawn)


def text_window(_drawn: Pil.Image, pen: Pen, area: Box, rng: Generator) -> None:
    """An editor with lines of coloured words."""
    dark = bool(rng.random() < 0.5)
    window_frame(pen, area, "main.c", dark)
    inks = hues(5, rng, 0.6, 0.9 if dark else 0.5)
    for y in range(area.y + 50, area.y + area.height - 14, 22):
        x = area.x + 16 + 24 * int(rng.integers(4))
        for _ in range(rng.integers(0, 8)):
            word = "".join(chr(c) for c in rng.integers(97, 123, rng.integers(2, 10)))
            if x + 10 * len(word) > area.x + area.width - 10:
                break
            write(pen, (x, y), word, 15, inks[rng.integers(5)], "lm")
            x += 10 * len(word) + 8


def sheet_window(_drawn: Pil.Image, pen: Pen, area: Box, rng: Generator) -> None:
    """A spreadsheet: a lattice that is no game."""
    window_frame(pen, area, "Book1")
    for y in range(area.y + 44, area.y + area.height - 30, 26):
        for x in range(area.x + 10, area.x + area.width - 90, 84):
            pen.rectangle((x, y, x + 84, y + 26), outline=(205, 205, 205), fill=WHITE)
            if rng.random() < 0.6:
                write(pen, (x + 6, y + 13), str(rng.integers(1, 10**5)), 15, BLACK, "lm")


def file_window(drawn: Pil.Image, pen: Pen, area: Box, rng: Generator) -> None:
    """A folder of files, each an icon of its own with a name below."""
    window_frame(pen, area, "文件")
    places = [
        (x, y)
        for y in range(area.y + 50, area.y + area.height - 100, 110)
        for x in range(area.x + 30, area.x + area.width - 80, 100)
    ]
    for (x, y), icon in zip(places, SETS["things"](len(places), rng), strict=False):
        small = icon.resize((56, 56))
        drawn.paste(small, (x, y), small)
        write(pen, (x + 28, y + 70), f"file {rng.integers(99)}", 14, BLACK)


def window_frame(pen: Pen, area: Box, title: str, dark: bool = False) -> None:
    """A window with its title bar."""
    back, ink = ((45, 45, 48), (230, 230, 230)) if dark else ((240, 240, 240), (20, 20, 20))
    right, bottom = area.x + area.width, area.y + area.height
    pen.rectangle((area.x - 1, area.y - 1, right, bottom), fill=back, outline=(120, 120, 120))
    write(pen, (area.x + 12, area.y + 18), title, 18, ink, "lm")
    write(pen, (right - 12, area.y + 18), "−    □    ×", 18, ink, "rm")


def side_panel(pen: Pen, area: Box, rng: Generator) -> None:
    """Settings beside the board: fields and push buttons."""
    left, right = area.x, area.x + area.width
    pen.rectangle((left, area.y, right, area.y + area.height), fill=(236, 236, 236))
    for y in range(area.y + 20, area.y + area.height - 50, 70):
        box = (left + 15, y, right - 15, y + 40)
        pen.rounded_rectangle(box, 6, fill=(250, 250, 250), outline=(170, 170, 170))
        write(pen, ((left + right) / 2, y + 20), _word(rng), 18, (40, 40, 40))


def button(pen: Pen, area: Box, word: str, colour: Colour) -> None:
    """A rounded push button."""
    right, bottom = area.x + area.width, area.y + area.height
    box = (area.x, area.y, right, bottom)
    pen.rounded_rectangle(box, area.height // 3, fill=colour, outline=WHITE, width=3)
    middle = area.x + area.width / 2, area.y + area.height / 2
    write(pen, middle, word, max(10, int(area.height * 0.42)), WHITE)


def write(
    pen: Pen, at: tuple[float, float], text: str, size: int, colour: Colour, anchor: str = "mm"
) -> None:
    """A line of the screen's own text, centred unless `anchor` says otherwise."""
    pen.text(at, text, colour, font(UI_FONT, size), anchor)


def _word(rng: Generator) -> str:
    return one_of(WORDS, rng)


def pen_on(picture: Image) -> tuple[Pil.Image, Pen]:
    """A picture to draw on, and the pen."""
    drawn = Pil.fromarray(picture[..., ::-1])
    return drawn, ImageDraw.Draw(drawn, "RGBA")


def drawn_on(drawn: Pil.Image) -> Image:
    return np.ascontiguousarray(np.asarray(drawn)[..., ::-1])
