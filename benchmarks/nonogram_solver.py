"""Speed of the nonogram solver, beside a plain reference, on photographs and on known puzzles.

The photographs are the two that come with scikit-learn, binarised by Otsu. The reference is line
solving as it is usually written: dynamic programming over cells and blocks in plain Python.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from sklearn.datasets import load_sample_image

from ar_assist.games.nonogram.board import (
    CROSSED,
    FILLED,
    UNKNOWN,
    Clue,
    NonogramBoard,
    puzzle,
    puzzle_of,
)
from ar_assist.games.nonogram.grid import Grid, Propagator
from ar_assist.games.nonogram.make import cells_of
from ar_assist.games.nonogram.solver import certain_clues, solve

SIZES = ((40, 40), (50, 50), (100, 70), (100, 100), (200, 100), (200, 200))
PHOTOS = ("china.jpg", "flower.jpg")
REFERENCE_CELLS = 10_000  # larger photographs are too slow for the reference
SURVEY = ("webpbn-", "gram-", "glpk-", "knotty")  # names of the survey of solvers


def plain_line(clue: Clue, line: tuple[int, ...]) -> tuple[int, ...] | None:
    """The reference: which values each cell can have, by recursion over (cell, block)."""
    length, can = len(line), [[False, False] for _ in line]

    @cache
    def fits(at: int, block: int) -> bool:
        if at >= length:
            return block == len(clue)
        found = False
        if line[at] != FILLED and fits(at + 1, block):
            can[at][0] = found = True
        if block < len(clue):
            end = at + clue[block]
            room = end <= length and CROSSED not in line[at:end]
            if room and (end == length or line[end] != FILLED) and fits(end + 1, block + 1):
                for cell in range(at, end):
                    can[cell][1] = True
                if end < length:
                    can[end][0] = True
                found = True
        return found

    if not fits(0, 0):
        return None
    return tuple(UNKNOWN if all(c) else FILLED if c[1] else CROSSED for c in can)


def plain(board: NonogramBoard) -> int:
    """Known cells after plain line solving of all lines until nothing changes."""
    grid = [list(row) for row in board.cells]
    row_clues, col_clues = certain_clues(board)
    dirty_rows, dirty_cols = set(range(len(grid))), set(range(len(grid[0])))
    while dirty_rows or dirty_cols:
        for i in sorted(dirty_rows):
            solved = plain_line(row_clues[i], tuple(grid[i]))
            assert solved
            dirty_cols |= {j for j, value in enumerate(solved) if value != grid[i][j]}
            grid[i] = list(solved)
        dirty_rows.clear()
        for j in sorted(dirty_cols):
            solved = plain_line(col_clues[j], tuple(row[j] for row in grid))
            assert solved
            for i, value in enumerate(solved):
                if value != grid[i][j]:
                    grid[i][j] = value
                    dirty_rows.add(i)
        dirty_cols.clear()
    return sum(value != UNKNOWN for row in grid for value in row)


def ours(board: NonogramBoard) -> int:
    """Known cells after our line solving."""
    grid = Grid.of(board.cells)
    assert Propagator(*certain_clues(board)).run_all(grid)
    return grid.count()


def cpu(work: Callable[[], object], times: int = 3) -> float:
    """The least CPU seconds of some runs."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def spent() -> float:
    """CPU seconds of this process and of its children that are alive (Linux)."""
    children = Path("/proc/self/task").glob("*/children")
    pids = [pid for path in children for pid in path.read_text().split()]
    ticks = 0
    for pid in pids:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])  # utime, stime (proc(5))
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def photographs(seconds: float) -> None:
    print("photo       size     open   lines: plain     ours   ratio    50 solutions: wall, CPU")
    for name in PHOTOS:
        picture = load_sample_image(name)[..., ::-1].copy()
        for rows, cols in SIZES:
            board = puzzle_of(cells_of(picture, rows, cols))
            known, fast = ours(board), cpu(lambda board=board: ours(board))
            text = f"{name:10} {rows:3}x{cols:<3} {1 - known / (rows * cols):6.1%}"
            if rows * cols <= REFERENCE_CELLS:
                assert plain(board) == known
                slow = cpu(lambda board=board: plain(board), 1)
                text += f" {slow * 1e3:9.0f} ms {fast * 1e3:5.1f} ms {slow / fast:6.0f}"
            else:
                text += f" {'':9}    {fast * 1e3:5.1f} ms {'':6}"
            start, begun = time.perf_counter(), spent()
            outcome = solve(board, 50, seconds=seconds)
            wall, used = time.perf_counter() - start, max(0.0, spent() - begun)
            text += f"    {len(outcome.solutions):2} in {wall:6.2f} s {used:6.2f} s"
            print(text, flush=True)


def known_puzzles(path: Path, seconds: float) -> None:
    """Uniqueness of every puzzle; wall time and CPU, the SAT solver's process included."""
    walls, cpus, open_names = {}, {}, []
    for name, stored in json.loads(path.read_text()).items():
        board = puzzle(stored["rows"], stored["cols"])
        start, begun = time.perf_counter(), spent()
        if solve(board, 2, seconds=seconds).verdict == "open":
            open_names.append(name)
        else:
            walls[name], cpus[name] = time.perf_counter() - start, spent() - begun
    print(f"open after {seconds:.0f} s: {', '.join(open_names) or 'none'}")
    for what, times in (("wall", walls), ("CPU", cpus)):
        for limit in (1, 3, 10):
            names = [name for name, each in times.items() if each <= limit]
            print(
                f"  within {limit:2} s of {what}: {len(names)} of all, "
                f"{sum(name.startswith(SURVEY) for name in names)} of the survey, "
                f"{sum(name.startswith('mzn-') for name in names)} of MiniZinc"
            )


def tournament(path: Path, count: int) -> None:
    """The set of 25x25 puzzles: one solution each, whichever comes first."""
    boards = []
    for part in path.read_text().split("$")[1:]:
        lines = [tuple(map(int, line.split())) for line in part.split("\n")[1:51]]
        clues = [tuple(block for block in line if block) for line in lines]
        boards.append(puzzle(clues[25:], clues[:25]))
    boards = boards[:count]
    start, begun = time.perf_counter(), spent()
    solved = sum(bool(solve(board, 1, seconds=60).solutions) for board in boards)
    wall, used = time.perf_counter() - start, spent() - begun
    print(f"tournament: {solved} of {len(boards)} in {wall:.1f} s, {used:.1f} s of CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=Path, help="JSON: {name: {rows, cols}}")
    parser.add_argument("--tournament", type=Path, help="text: $number, 50 lines of clues")
    parser.add_argument("--count", type=int, default=1000, help="puzzles of the tournament")
    parser.add_argument("--photo-seconds", type=float, default=60, help="for each photograph")
    parser.add_argument("--seconds", type=float, default=20, help="for each puzzle")
    args = parser.parse_args()
    photographs(args.photo_seconds)
    if args.puzzles:
        known_puzzles(args.puzzles, args.seconds)
    if args.tournament:
        tournament(args.tournament, args.count)


if __name__ == "__main__":
    main()
