"""Read Othello boards of random styles: web pages that a browser paints, as a camera sees them.

The rendered world's boards were at hand while the reader was made. These are not: boards of any
felt, lines, frame, discs, marks and coordinates, chequered or of tiles with gaps, with scores,
buttons and players beside them, in a window or on a phone; as a screenshot, or before a camera,
which may be held sideways. Other games with discs and squares are among them, on which no board may
be claimed. Prints the pages that are not read exactly, the shares of exact boards and of wrong ones
that would be shown, claims on other games, and how boards with coordinates were turned.

    python benchmarks/othello_pages.py --count 60 --seed 1 [--out FOLDER]
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from pages import PAGE, arguments, colour, ground, keep, painted, seen

from ar_assist.games.othello import OthelloGame
from ar_assist.games.othello.board import BLACK, START, WHITE, OthelloBoard, squares
from ar_assist.look import TRUST, Task, look
from ar_assist.types import Frame, Image, Reading

OTHERS = 0.2  # share of the pages that show another game
SCREENSHOTS = 0.3  # share of the pages that no camera is needed for
TURNED = 0.3  # share of photographs for which the camera was held sideways or upside down
FELTS = (120, 130, 145, 100, 165, 180, 30, 210, 225, 0)  # hues: greens mostly, teal, brown, blue
DISCS = (  # black, white
    ("#000", "#fff"),
    ("#111", "#eee"),
    ("#222", "#f4f1e4"),
    ("#2b2b2b", "#fffff0"),
    ("#36312e", "#e8dcc0"),
    ("#0b1e4a", "#fff"),
    ("#1a1a2e", "#dfe6ee"),
)
CENTRED = 'text-anchor="middle" dominant-baseline="central"'
DOCUMENT = """<!doctype html><meta charset="utf-8"><style>* {{margin: 0}}
body {{width: {w}px; height: {h}px; overflow: hidden; background: {page}; font: 16px {family}}}
div, svg {{position: absolute; box-sizing: border-box}} button, span {{margin: 4px}}
</style>{phone}
<div style="left: {x}px; top: {y}px; width: {side}px; height: {side}px; {frame}"></div>
<svg style="left: {x}px; top: {y}px" width="{side}" height="{side}"
viewBox="{low} {low} {high} {high}" font-family="{family}">{board}</svg>{panels}"""


def game(rng: Random, plies: int) -> OthelloBoard:
    """A position after so many plies of random play, or at the end of the game."""
    board, mover = START, BLACK
    for _ in range(plies):
        board = board.play(mover, rng.choice(list(squares(board.moves(mover)))))
        turn = board.next_to_move(mover)
        if turn is None:
            break
        mover = turn
    return board


@dataclass(frozen=True)
class Discs:
    """How discs look; a square is 1 wide."""

    fills: dict[int, str]
    radius: float
    stroke: str
    height: float  # to which the disc's other side shows below it
    gloss: str
    shadow: str
    numbers: int  # written on the discs, up to this; 0: none

    @classmethod
    def any(cls, rng: Random) -> Discs:
        black, white = rng.choice(DISCS)
        return cls(
            {BLACK: black, WHITE: white},
            rng.uniform(0.30, 0.475),
            rng.choice(["", "", f'stroke="{rng.choice(["#000", "#888", "#c33"])}"']),
            rng.choice([0, 0, 0, 0.05, 0.08]),
            rng.choice(["", "", 'fill="url(#gloss)"', 'fill="url(#cushion)"']),
            rng.choice(["", "", 'filter="url(#shadow)"']),
            60 if rng.random() < 0.08 else 0,
        )

    def svg(self, kind: int, x: float, y: float) -> str:
        place = f'cx="{x}" cy="{y - self.height / 2}" r="{self.radius}"'
        parts = [f'<circle {place} fill="{self.fills[kind]}" {self.stroke} stroke-width=".03"/>']
        if self.height:
            below = f'cx="{x}" cy="{y + self.height / 2}" r="{self.radius}"'
            parts.insert(0, f'<circle {below} fill="{self.fills[BLACK + WHITE - kind]}"/>')
        if self.gloss:
            parts.append(f"<circle {place} {self.gloss}/>")
        if self.numbers:
            number, ink = int(17 * x + 29 * y) % self.numbers + 1, self.fills[BLACK + WHITE - kind]
            text = f'{CENTRED} font-size=".42" fill="{ink}"'
            parts.append(f'<text x="{x}" y="{y}" {text}>{number}</text>')
        return f"<g {self.shadow}>{''.join(parts)}</g>"


DEFINITIONS = """<defs><radialGradient id="gloss" cx=".35" cy=".3"><stop stop-color="#fff"
stop-opacity=".6"/><stop offset=".5" stop-color="#fff" stop-opacity="0"/></radialGradient>
<linearGradient id="cushion" x2="0" y2="1"><stop stop-color="#888" stop-opacity=".5"/>
<stop offset="1" stop-color="#888" stop-opacity="0"/></linearGradient>
<linearGradient id="lit" x2=".7" y2="1"><stop stop-color="#fff" stop-opacity=".2"/>
<stop offset="1" stop-color="#000" stop-opacity=".25"/></linearGradient>
<filter id="shadow" x="-.5" y="-.5" width="2" height="2"><feDropShadow dx=".03" dy=".05"
stdDeviation=".03"/></filter>
<filter id="grain"><feTurbulence type="fractalNoise" baseFrequency=".4" numOctaves="2"/>
<feColorMatrix values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 .25 .25 .25 0 -.1"/></filter></defs>"""


def felt(rng: Random, rows: int = 8, cols: int = 8) -> str:
    """Squares: one colour or two in turn, with lines or gaps between them, lit or textured."""
    hue, light = rng.choice(FELTS), rng.randint(25, 60)
    depth = rng.choice([rng.randint(40, 90), rng.randint(30, 70), rng.randint(0, 15)])
    other = light + rng.choice([0, 0, 0, 4, 7, -6])
    gap = rng.choice([0, 0, 0, 0.02, 0.04, 0.06])
    line = rng.choice(["#000", "#0008", "#fff8", f"hsl({hue}, 40%, {max(5, light - 18)}%)"])
    corner = rng.choice([0, 0, 0.1])
    parts = [f'<rect width="{cols}" height="{rows}" fill="{line if gap else colour(rng, 20)}"/>']
    for row in range(rows):
        for col in range(cols):
            tone = other if (row + col) % 2 else light
            size = f'width="{1 - gap}" height="{1 - gap}" rx="{corner * (gap > 0)}"'
            place = f'x="{col + gap / 2}" y="{row + gap / 2}"'
            parts.append(f'<rect {place} {size} fill="hsl({hue}, {depth}%, {tone}%)"/>')
    whole = f'width="{cols}" height="{rows}"'
    parts.append(rng.choice(["", "", f'<rect {whole} fill="url(#lit)"/>']))
    parts.append(rng.choice(["", "", "", f'<rect {whole} filter="url(#grain)"/>']))
    if not gap and rng.random() < (0.95 if other == light else 0.5):
        level, upright = (f"M0 {k}H{cols}" for k in range(rows + 1)), range(cols + 1)
        path = "".join([*level, *(f"M{k} 0V{rows}" for k in upright)])
        width = rng.choice([0.015, 0.02, 0.03, 0.05])
        parts.append(f'<path d="{path}" stroke="{line}" stroke-width="{width}" fill="none"/>')
        if rng.random() < 0.6:
            spots = ((x, y) for x in (2, cols - 2) for y in (2, rows - 2))
            parts += (f'<circle cx="{x}" cy="{y}" r=".07" fill="{line}"/>' for x, y in spots)
    return "".join(parts)


def marks(rng: Random, board: OthelloBoard) -> str:
    """The last move and the legal ones, as apps mark them."""
    last = rng.choice(
        [
            "",
            '<circle r=".09" fill="#e22"/>',
            '<rect x="-.1" y="-.1" width=".2" height=".2" fill="#f33"/>',
            '<rect x="-.48" y="-.48" width=".96" height=".96" fill="none" stroke="#fd0" '
            'stroke-width=".05"/>',
            '<path d="M-.12 0H.12M0 -.12V.12" stroke="#e22" stroke-width=".05"/>',
            '<circle r=".2" fill="none" stroke="#2bf" stroke-width=".05"/>',
        ]
    )
    legal = rng.choice(
        [
            "",
            "",
            '<circle r=".1" fill="#0008"/>',
            '<circle r=".13" fill="#fff8"/>',
            '<circle r=".36" fill="#0003"/>',
            '<circle r=".36" fill="none" stroke="#0009" stroke-width=".04"/>',
            '<circle r=".3" fill="none" stroke="#fffa" stroke-width=".05"/>',
            '<rect x="-.5" y="-.5" width="1" height="1" fill="#ff03"/>',
            f'<text {CENTRED} font-size=".4" fill="#fe8">+4</text>',
            '<path d="M-.12 -.12L.12 .12M.12 -.12L-.12 .12" stroke="#0009" stroke-width=".05"/>',
        ]
    )
    moved = rng.choice(list(squares(board.occupied)))
    placed = [(moved, last), *((square, legal) for square in squares(board.moves(BLACK)))]
    return "".join(
        f'<g transform="translate({square % 8 + 0.5} {square // 8 + 0.5})">{mark}</g>'
        for square, mark in placed
    )


@dataclass(frozen=True)
class Coordinates:
    """Where coordinates stand, and how they run."""

    sides: str  # of "ltrb"; "i": within the squares; "": none
    from_below: bool
    from_whites_side: bool
    svg: str

    @classmethod
    def any(cls, rng: Random, ink: str) -> Coordinates:
        sides = rng.choice(["", "", "lt", "lt", "lt", "lb", "tr", "rb", "ltrb", "ltrb", "i"])
        from_below = rng.random() < 0.2
        turned = not from_below and rng.random() < 0.1
        letters, numbers = rng.choice(["abcdefgh", "ABCDEFGH"]), "12345678"
        if turned:
            letters, numbers = letters[::-1], numbers[::-1]
        if from_below:
            numbers = numbers[::-1]
        size, away = rng.uniform(0.22, 0.42), rng.uniform(0.28, 0.36)
        at = {"l": -away, "t": -away, "r": 8 + away, "b": 8 + away}
        signs = []
        for side in sides.replace("i", ""):
            places = [
                (k + 0.5, at[side]) if side in "tb" else (at[side], k + 0.5) for k in range(8)
            ]
            signs += zip(letters if side in "tb" else numbers, places, strict=True)
        if sides == "i":
            size = rng.uniform(0.18, 0.24)
            signs += [(letters[k], (k + 0.88, 7.86)) for k in range(8)]
            signs += [(numbers[k], (0.12, k + 0.14)) for k in range(8)]
        text = f'{CENTRED} font-size="{size}" fill="{ink}"'
        svg = "".join(f'<text x="{x}" y="{y}" {text}>{sign}</text>' for sign, (x, y) in signs)
        return cls(sides, from_below, turned, svg)


def frame(rng: Random) -> tuple[str, str]:
    """A frame's CSS, and the ink of what is written on it."""
    light = rng.choice([10, 20, 30, 80, 92])
    wood = f"repeating-linear-gradient({rng.choice([0, 92])}deg, #8a5a2b 0 7px, #7c4e22 7px 11px)"
    shine = f"linear-gradient(160deg, {colour(rng, 40)}, {colour(rng, 15)})"
    fill, ink = rng.choice(
        [(colour(rng, light), "#fff" if light < 50 else "#222"), (wood, "#fec"), (shine, "#eee")]
    )
    edge = rng.choice(["none", "1px solid #0008", "3px outset #ccc", "2px solid #000"])
    drop = rng.choice(["none", "0 4px 12px #0009", "inset 0 0 9px #000a"])
    rounded = rng.choice([0, 4, 14])
    return (
        f"background: {fill}; border: {edge}; border-radius: {rounded}px; box-shadow: {drop}",
        ink,
    )


def panels(rng: Random, board: OthelloBoard, discs: Discs, x: int, y: int, side: int) -> str:
    """Scores with discs, players and buttons, beside or above the board."""
    disc = (
        f'<svg width="40" height="40" viewBox="0 0 1 1" style="position: static">'
        f"{DEFINITIONS}{discs.svg(kind, 0.5, 0.5)}</svg>"
        for kind in (BLACK, WHITE)
    )
    counts = (f"<b>{board.count(kind)}</b>" for kind in (BLACK, WHITE))
    words = "".join(
        f"{d}{c}<span>{n}</span>"
        for d, c, n in zip(
            disc, counts, rng.sample(["You", "CPU", "Guest", "taro"], 2), strict=True
        )
    )
    buttons = "".join(f"<button>{name}</button>" for name in ("Undo", "Pass", "New game", "Hint"))
    avatar = f"width: 44px; height: 44px; border-radius: 50%; background: {ground(rng)}"
    beside = rng.random() < 0.5 and x + side + 180 < PAGE[0]
    spot = (
        f"left: {x + side + 14}px; top: {y + 20}px" if beside else f"left: {x}px; top: {y - 50}px"
    )
    look = f"background: {colour(rng, 88)}; color: #111; width: {150 if beside else side}px"
    bar = f"left: {x}px; top: {min(y + side + 12, PAGE[1] - 30)}px; width: {side}px"
    return (
        f'<div style="{spot}; {look}">{words}</div><div style="{bar}">{buttons}</div>'
        f'<div style="left: {x - 60}px; top: {y + 40}px; {avatar}"></div>'
    )


def other_game(rng: Random, discs: Discs) -> str:
    """A board, 8 x 8 or so, of a game that is none of ours."""
    rows = cols = 8
    kind = rng.choice(["chess", "draughts", "go", "gomoku", "four", "large", "small"])
    stones = [BLACK, WHITE, 0]
    places: list[tuple[float, float]]
    if kind in ("go", "gomoku"):
        rows = cols = 8 if kind == "go" else 14
        places = [(x, y) for x in range(cols + 1) for y in range(rows + 1)]
    else:
        size = {"four": (6, 7), "large": (10, 10), "small": (6, 6)}
        rows, cols = size.get(kind, (8, 8))
        places = [(col + 0.5, row + 0.5) for row in range(rows) for col in range(cols)]
    board = felt(rng, rows, cols)
    if kind in ("chess", "draughts"):
        dark = "".join(f"M{c} {r}h1v1h-1z" for r in range(8) for c in range(8) if (r + c) % 2)
        board = f'<rect width="8" height="8" fill="#f0d9b5"/><path d="{dark}" fill="#a87850"/>'
    if kind == "chess":
        text = f'{CENTRED} font-size=".85"'
        men = [(place, rng.choice("♔♕♖♗♘♙♚♛♜♝♞♟")) for place in rng.sample(places, 24)]
        pieces = "".join(f'<text x="{x}" y="{y}" {text}>{man}</text>' for (x, y), man in men)
    else:
        if kind == "draughts":
            places = [(x, y) for x, y in places if int(x + y) % 2 == 0 and abs(y - 4) > 1]
        held = {place: rng.choice(stones) for place in places}
        pieces = "".join(discs.svg(stone, x, y) for (x, y), stone in held.items() if stone)
    return f'<g transform="scale({8 / cols} {8 / rows})">{board}{pieces}</g>'


def page(seed: int) -> tuple[str, dict[str, Any]]:
    """A page, and its truth: cells as the coordinates name them, corners where px end."""
    rng = Random(seed)
    is_phone, is_othello = rng.random() < 0.3, rng.random() >= OTHERS
    square = rng.randint(30, 46) if is_phone else rng.randint(24, 72)
    style, ink = frame(rng)
    discs, coordinates = Discs.any(rng), Coordinates.any(rng, ink)
    margin = 0.7 if coordinates.sides else rng.choice([0, 0.1, 0.3, 0.6])
    side = round(square * (8 + 2 * margin))
    board = game(rng, rng.choice([rng.randint(2, 20), rng.randint(10, 50), rng.randint(40, 60)]))
    drawn = felt(rng) + "".join(
        discs.svg(board[k], k % 8 + 0.5, k // 8 + 0.5) for k in squares(board.occupied)
    )
    drawn += marks(rng, board) + coordinates.svg if is_othello else ""
    x, y = rng.randint(80, PAGE[0] - side - 20), rng.randint(60, max(61, PAGE[1] - side - 60))
    phone = f"left: {x - 24}px; top: 6px; width: {side + 48}px; height: 788px; background: "
    phone += f"{colour(rng)}; border: 10px solid #111; border-radius: 24px"
    html = DOCUMENT.format(
        w=PAGE[0],
        h=PAGE[1],
        page=ground(rng),
        family=rng.choice(["DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"]),
        phone=f'<div style="{phone}"></div>' if is_phone else "",
        x=x,
        y=y,
        side=side,
        frame=style,
        low=-margin,
        high=8 + 2 * margin,
        board=DEFINITIONS + (drawn if is_othello else other_game(rng, discs)),
        panels=panels(rng, board, discs, x, y, side),
    )
    cells = np.array(board.cells)
    cells = np.rot90(cells, 2) if coordinates.from_whites_side else cells
    corners = np.array([[0, 0], [8, 0], [8, 8], [0, 8]]) + margin
    return html, {
        "cells": cells.tolist() if is_othello else None,
        "coordinates": coordinates.sides if is_othello else "",
        "quarters": 2 * coordinates.from_whites_side,
        "corners": (corners * square + [x, y]).tolist(),
    }


def shot(picture: Image, truth: dict[str, Any], seed: tuple[int, int]) -> tuple[Image, int]:
    """A screenshot or a photograph, and the quarters by which it shows the page turned."""
    rng = np.random.default_rng(seed)
    if rng.random() < SCREENSHOTS:
        return picture, 0
    around = rng.choice([0.0, 0.0, 200.0])  # px: what else the camera has in view
    outer = np.array(truth["corners"]) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * around
    frame = seen(picture, outer.tolist(), rng)
    quarters = int(rng.integers(1, 4)) if rng.random() < TURNED else 0
    return np.ascontiguousarray(np.rot90(frame, quarters)), quarters


def apart(reading: Reading[OthelloBoard], cells: np.ndarray) -> tuple[int, int]:
    """How many squares are off, and the quarters by which the board was read turned."""
    read = np.array(reading.board.cells)
    return min((int((np.rot90(read, -turn) != cells).sum()), turn) for turn in range(4))


def turned(turn: int, seen_turned: int, has_coordinates: bool) -> str:
    """Whether the board was turned as its coordinates say, or as the camera has it."""
    if has_coordinates:
        return "right" if turn == 0 else "left to the camera" if turn == seen_turned else "wrong"
    return "none, as the camera" if turn == seen_turned else "none, wrong"


def main() -> None:
    args = arguments(__doc__.splitlines()[0])
    counts: Counter[str] = Counter()
    orientations: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.count):
            html, truth = page(1000 * args.seed + number)
            picture = painted(html, args.chromium, Path(folder))
            frame, quarters = shot(picture, truth, (args.seed, number))
            sight = look(Task(Frame(0, 0.0, frame), (OthelloGame(),)))
            reading = sight.reading if sight else None
            seen_turned = (quarters + truth["quarters"]) % 4
            keep(args.out, number, frame, truth | {"turned": seen_turned})
            shown = reading is not None and reading.confidence >= TRUST
            sure = f"sure {reading.confidence:.2f}" if reading else "not read"
            if truth["cells"] is None:
                counts["other games"] += 1
                counts["claimed"] += reading is not None
                counts["claimed and shown"] += shown
                if reading:
                    print(f"  {number:3} another game, {sure}", flush=True)
                continue
            counts["boards"] += 1
            counts["not read"] += reading is None
            off, turn = apart(reading, np.array(truth["cells"])) if reading else (64, 0)
            counts["exact"] += off == 0
            counts["exact and shown"] += off == 0 and shown
            counts["wrong and shown"] += off > 0 and shown
            if off or not shown:
                print(f"  {number:3} {sure}, {off} squares off", flush=True)
            if not off:
                orientation = turned(turn, seen_turned, bool(truth["coordinates"]))
                orientations[orientation] += 1
                if orientation not in ("right", "none, as the camera"):
                    print(f"  {number:3} coordinates {truth['coordinates']}: {orientation}")
    print(*(f"{name} {count}" for name, count in counts.items()), sep=", ")
    print("coordinates:", *(f"{name} {count}," for name, count in sorted(orientations.items())))


if __name__ == "__main__":
    main()
