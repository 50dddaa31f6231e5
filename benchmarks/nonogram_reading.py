"""Reads seeded camera views of rendered nonograms, 200 unless told otherwise."""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from nonogram_views import NonogramView, make_view

from ar_assist.games.ink_training import fonts_in
from ar_assist.games.nonogram import NonogramGame
from ar_assist.games.nonogram.board import NonogramBoard
from ar_assist.games.nonogram.digits_training import DIGITS
from ar_assist.types import Reading

GAME = NonogramGame()


def judge(view: NonogramView, reading: Reading[NonogramBoard] | None) -> tuple[str, int, int]:
    """The verdict on the clues, wrong cells drawn by any hint, entries misread with certainty."""
    if reading is None:
        return "none", 0, 0
    if reading.board.size != view.board.size:
        verdict = "size"
    else:
        pairs = zip(
            (*reading.board.row_clues, *reading.board.col_clues),
            (*view.board.row_clues, *view.board.col_clues),
            strict=True,
        )
        wrong = [got for got, true in pairs if got != true]
        verdict = "right" if not wrong else "doubt" if None in wrong else "wrong"
    drawn = _wrong_cells(view, reading)
    misread = 0
    if verdict != "size":
        differ = np.array(reading.board.cells) != np.array(view.board.cells)
        misread = int((differ & (reading.certainty > 0.3)).sum())
    return verdict, drawn, misread


def _wrong_cells(view: NonogramView, reading: Reading[NonogramBoard]) -> int:
    """Cells of all advised moves that the solution contradicts, by their place in the frame."""
    moves = GAME.advise([reading.board], reading).moves
    same = reading.board.size == view.board.size
    entries = {entry for move in moves for entry in move.cells}
    return sum(not same or view.solution[i][j] != value for i, j, value in entries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("views", nargs="?", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--fonts", type=Path, help="folder of fonts; else Pillow's own")
    parser.add_argument("--save", type=Path, help="folder for views that were not read right")
    args = parser.parse_args()
    fonts = fonts_in([args.fonts], DIGITS) if args.fonts else [None]
    rows, times = [], []
    for seed in range(args.first, args.first + args.views):
        view = make_view(seed, fonts)
        start = time.process_time()
        reading = GAME.read(view.image, None)
        times.append(time.process_time() - start)
        verdict, drawn, misread = judge(view, reading)
        error = np.nan
        if reading is not None and verdict != "size":
            error = float(np.abs(reading.corners - view.corners).max() / view.cell_px)
        rows.append((verdict, drawn, misread, view.cell_px, view.tilt_deg, error))
        if verdict != "right" or drawn or misread:
            size = "x".join(map(str, view.board.size))
            print(
                f"{seed:4} {size:>6} {verdict:6} drawn wrong {drawn} misread {misread} "
                f"cell {view.cell_px:.0f} px tilt {view.tilt_deg:.0f}",
                flush=True,
            )
            if args.save:
                args.save.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(args.save / f"{seed}.png"), view.image)
    _report(rows, times)


def _report(rows: list[tuple[str, int, int, float, float, float]], times: list[float]) -> None:
    verdicts = [row[0] for row in rows]
    print(
        f"{len(rows)} views: "
        + ", ".join(f"{v} {verdicts.count(v)}" for v in sorted(set(verdicts)))
    )
    print(
        f"views with a wrong cell drawn {sum(row[1] > 0 for row in rows)}, "
        f"entries misread in {sum(row[2] > 0 for row in rows)}"
    )
    for name, column, edges in (
        ("cell px", 3, (0, 11, 14, 18, 25, 200)),
        ("tilt", 4, (0, 15, 30, 45)),
    ):
        for low, high in pairwise(edges):
            part = [row for row in rows if low <= row[column] < high]
            if part:
                good = sum(row[0] == "right" for row in part)
                print(f"  {name} {low}-{high}: {good} of {len(part)}")
    print(
        f"corner error, cells: median {np.nanmedian([row[5] for row in rows]):.3f}; "
        f"CPU per read: median {np.median(times) * 1e3:.0f} ms, worst {max(times) * 1e3:.0f} ms"
    )


if __name__ == "__main__":
    main()
