"""Read link games of random styles: web pages that a browser paints, as a camera sees them.

The rendered world's looks were at hand while the reader was made. These pages are not: letters,
numbers, cards, signs or shapes on tiles of any colour, form, border, shadow and gap, some of them
cleared, one perhaps chosen, on any ground, in a window or on a phone. Every page is painted by
Chromium, tilted, blurred and darkened, with noise. Prints the pages that are not read exactly, and
the shares of exact boards and of wrong hints.

    python benchmarks/link_pages.py --count 60 --seed 1 [--out FOLDER]
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from link_variants import judge, look
from pages import PAGE, arguments, colour, ground, keep, painted, seen

FORMS = (
    '<circle cx="50" cy="50" r="40"/>',
    '<rect x="14" y="14" width="72" height="72"/>',
    '<polygon points="50,8 92,88 8,88"/>',
    '<polygon points="50,5 95,50 50,95 5,50"/>',
    '<polygon points="50,5 61,38 95,38 67,59 78,92 50,71 22,92 33,59 5,38 39,38"/>',
    '<polygon points="25,8 75,8 97,50 75,92 25,92 3,50"/>',
    '<path d="M50 90 C-30 40 25 -15 50 25 C75 -15 130 40 50 90Z"/>',
)
INKS = "#e33", "#3a3", "#36e", "#fb0", "#a3c", "#0bb", "#f70", "#222"
DOCUMENT = """<!doctype html><meta charset="utf-8"><style>* {{margin: 0}}
body {{width: {w}px; height: {h}px; overflow: hidden; background: {page}; font: 16px DejaVu Sans}}
div {{position: absolute; box-sizing: border-box}}
.tile {{{tile} font: {weight} {size}px '{family}'; line-height: 1; overflow: hidden;
display: flex; align-items: center; justify-content: center}} svg {{width: 78%; height: 78%}}
</style>{around}<div style="left: {x}px; top: {y}px; width: {bw}px; height: {bh}px;
padding: {pad}px; background: {board}"><div>{tiles}</div></div>"""


def pictures(rng: Random) -> list[str]:
    """Pictures of kinds in one style, as HTML, in any order."""
    shapes = [
        f'<svg viewBox="0 0 100 100"><g fill="{ink}">{form}</g></svg>'
        for form in FORMS
        for ink in rng.sample(INKS, rng.choice([2, 4, 8]))
    ]
    cards = [rank + suit for suit in "♠♥♦♣" for rank in "A23456789TJQK"]
    letters, numbers = list("ABCDEFGHIJKLMNPQRSTUVWXYZ"), [str(n) for n in range(1, 40)]
    greek, signs = list("αβγδεζηθλμξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"), list("♠♥♦♣★☀☁☂☎☯☮♞♛♝♜⚓⚔⚙⚡✈✉✂❄❤♫⚑⚖☢")
    style = rng.choice([shapes, shapes, cards, letters, numbers, greek, signs])
    return rng.sample(style, len(style))


def dealt(rng: Random, rows: int, cols: int, most_kinds: int) -> np.ndarray:
    """(rows, cols) kinds in pairs, some of which are cleared; 0 is empty."""
    pairs = rows * cols // 2
    kinds = max(4, min(most_kinds, 2 * pairs // rng.choice([2, 4, 4, 6, 8])))
    cells = [1 + pair % kinds for pair in range(pairs) for _ in range(2)]
    share = rng.choice([0, 0, rng.uniform(0, 0.6)])
    for pair in range(pairs):
        if rng.random() < share:
            cells[2 * pair : 2 * pair + 2] = [0, 0]
    return np.array(rng.sample(cells, len(cells))).reshape(rows, cols)


def page(seed: int) -> tuple[str, dict[str, Any]]:
    """A game's page, and its truth as the shared pictures have it: px centres at whole numbers."""
    rng = Random(seed)
    is_phone = rng.random() < 0.3
    rows, cols = rng.randint(5, 13), rng.choice([6, 8, 10]) if is_phone else 2 * rng.randint(3, 9)
    pool = pictures(rng)
    cells = dealt(rng, rows, cols, len(pool))
    aspect = rng.choice([1, 1, 1, 0.8, 1.2])
    room = (420, 600) if is_phone else (1000, 640)
    width = round(rng.uniform(0.6, 1) * min(room[0] / cols, room[1] / rows * aspect))
    height = round(width / aspect)
    gap = min(rng.choice([0, 0, 1, 2, 3, 4, 6, 8]), width // 5)
    light = rng.choice([rng.randint(70, 97), rng.randint(12, 35)])
    kinds = range(len(pool) + 1)
    faces = rng.choice([[colour(rng, light)] * len(kinds), [colour(rng, light) for _ in kinds]])
    size = min(width, height) * rng.uniform(0.5, 0.8) / max(1, 0.7 * len(pool[0]))
    chosen = rng.choice([-1, -1, rng.randrange(rows * cols)])
    tiles = []
    for number, kind in enumerate(cells.ravel().tolist()):
        row, col = divmod(number, cols)
        mark = "outline: 3px solid red; outline-offset: -3px" if number == chosen else ""
        place = f"left: {col * width + gap / 2}px; top: {row * height + gap / 2}px"
        if kind:
            style = f"{place}; background: {faces[kind]}; {mark}"
            tiles.append(f'<div class="tile" style="{style}">{pool[kind - 1]}</div>')
    pad = rng.choice([0, 6, 20])
    w, h = cols * width, rows * height
    x, y = rng.randint(20, PAGE[0] - w - 2 * pad - 40), rng.randint(50, PAGE[1] - h - 2 * pad - 20)
    phone = f"left: {x - 24}px; top: 10px; width: {w + 2 * pad + 48}px; height: 780px"
    body = f"background: {ground(rng)}; border: 10px solid #111; border-radius: 24px"
    buttons = "".join(f"<button>{name}</button>" for name in ("Hint", "Shuffle", "Level 3", "Undo"))
    border = rng.choice(["none", "1px solid #0006", "3px outset #ccc", f"4px ridge {colour(rng)}"])
    drop = rng.choice(["none", "2px 3px 4px #0008", f"0 {height // 10}px 0 {colour(rng, 45)}"])
    html = DOCUMENT.format(
        w=PAGE[0],
        h=PAGE[1],
        page=ground(rng),
        around=f'<div style="{phone}; {body}"></div>' if is_phone else buttons,
        tile=f"width: {width - gap}px; height: {height - gap}px; border: {border};"
        f" box-shadow: {drop}; border-radius: {rng.choice(['0', '10%', '6px', '50%'])};"
        f" color: {'#111' if light > 50 else '#eee'};",
        weight=rng.choice(["bold", "normal"]),
        size=round(size),
        family=rng.choice(["DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"]),
        x=x,
        y=y,
        bw=w + 2 * pad,
        bh=h + 2 * pad,
        pad=pad,
        board=rng.choice(["transparent", colour(rng), ground(rng)]),
        tiles="".join(tiles),
    )
    left, top = x + pad - 0.5, y + pad - 0.5
    corners = [[left, top], [left + w, top], [left + w, top + h], [left, top + h]]
    return html, {"rows": rows, "cols": cols, "cells": cells.tolist(), "corners": corners}


def main() -> None:
    args = arguments(__doc__.splitlines()[0])
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.count):
            html, truth = page(1000 * args.seed + number)
            picture = painted(html, args.chromium, Path(folder))
            frame = seen(picture, truth["corners"], np.random.default_rng([args.seed, number]))
            reading = look(frame)
            verdicts.append(judge(reading, truth))
            keep(args.out, number, frame, truth)
            if not verdicts[-1][0]:
                sure = f"{reading.confidence:.2f}" if reading else "not read"
                print(f"  {number:3} {sure} {'WRONG HINT' if verdicts[-1][1] else ''}", flush=True)
    exact, wrong = np.mean(verdicts, axis=0)
    print(f"{exact:.1%} exact, {wrong:.1%} wrong hints, of {args.count} pages")


if __name__ == "__main__":
    main()
