"""The link solver beside re-implementations of other tools' methods, on seeded random boards.

    python benchmarks/link_solver.py [--boards N] [--rows WORD …] [--seed S]

Times are CPU seconds of one core, from board to order, the accelerator warm; the budget is in
nodes. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ar_assist.games.link import solver
from ar_assist.games.link.board import GRAVITIES, LinkBoard, Rules, play
from ar_assist.games.link.generate import deal
from ar_assist.games.link.paths import Link, links
from ar_assist.types import Cell

LONG = 4_000_000  # nodes where the goal is 10 s
BACKTRACKS = 300  # positions that the F-ordering with backtracking may visit


@dataclass(frozen=True)
class Row:
    """A row of the table: boards of one size, kinds and gravity. Sizes are rows x columns."""

    rows: int
    cols: int
    kinds: int
    gravity: str = "none"
    nodes: int = solver.NODES

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}, {self.kinds} kinds, {self.gravity}"


def table() -> Iterator[Row]:
    """All rows."""
    yield Row(7, 12, 19)
    yield Row(6, 14, 21)
    yield Row(8, 18, 36, nodes=LONG)
    yield Row(9, 16, 36)
    yield Row(10, 12, 30)
    yield Row(10, 16, 40)
    for rows, cols in ((12, 24), (14, 26), (16, 30)):
        yield Row(rows, cols, 36)
    for gravity in GRAVITIES:
        if gravity != "none":
            yield Row(7, 12, 19, gravity)
            yield Row(6, 14, 21, gravity)
    yield Row(8, 18, 36, "down")
    yield Row(8, 18, 36, "up")
    yield Row(8, 18, 36, "left", LONG)
    yield Row(8, 18, 36, "in-h", LONG)


Choice = Callable[[LinkBoard, list[Link]], Link]


def first_pair(board: LinkBoard, found: list[Link]) -> Link:
    """The first pair in reading order, as most tools do."""
    return found[0]


def kind_by_kind(board: LinkBoard, found: list[Link]) -> Link:
    """kshisen's check: the first pair of the first kind that has one, without looking ahead."""
    return min(found, key=lambda link: board.at(link.a))


def adjacent_border_rest(board: LinkBoard, found: list[Link]) -> Link:
    """Adjacent pairs first, then pairs with a tile at the border, then the rest."""

    def at_border(cell: Cell) -> bool:
        return cell[0] in (0, board.rows - 1) or cell[1] in (0, board.cols - 1)

    return min(
        found, key=lambda link: (link.length > 1, not (at_border(link.a) or at_border(link.b)))
    )


def f_value(board: LinkBoard, link: Link) -> float:
    """F(A, B) = (S/2 - 1) + G(A) + G(B) of Huang and Wang (2017); greater goes first.

    S is how many tiles of the kind are left. G, how much removing a tile loosens its row and
    column, is taken as the number of its neighbours, which it frees on one side.
    """

    def loosened(cell: Cell) -> int:
        r, c = cell
        sides = ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
        inside = [(i, j) for i, j in sides if 0 <= i < board.rows and 0 <= j < board.cols]
        return sum(board.at(side) > 0 for side in inside)

    kind = board.at(link.a)
    same = sum(row.count(kind) for row in board.cells)
    return same / 2 - 1 + loosened(link.a) + loosened(link.b)


def f_ordering(board: LinkBoard, found: list[Link]) -> Link:
    return max(found, key=lambda link: f_value(board, link))


PEERS: dict[str, Choice] = {
    "first pair": first_pair,
    "kind by kind": kind_by_kind,
    "adjacent, border, rest": adjacent_border_rest,
    "F": f_ordering,
}


def clears(board: LinkBoard, rules: Rules, choose: Choice) -> bool:
    """Whether a greedy game ends with an empty board."""
    while found := links(board, rules):
        link = choose(board, found)
        board = play(board, rules, link.a, link.b)
    return board.left == 0


def clears_backtracking(board: LinkBoard, rules: Rules) -> bool:
    """F-ordering as a depth-first search of so many positions."""
    stack, visited = [board], 0
    while stack and visited < BACKTRACKS:
        here = stack.pop()
        visited += 1
        if here.left == 0:
            return True
        moves = sorted(links(here, rules), key=lambda link: f_value(here, link))
        stack += [play(here, rules, link.a, link.b) for link in moves]
    return False


def measure(row: Row, boards: int, peer_boards: int, seed: int) -> str:
    """A line of the table."""
    rng = random.Random(seed)
    dealt = [deal(row.rows, row.cols, row.kinds, rng) for _ in range(boards)]
    rules = Rules(row.gravity)
    verdicts, seconds = [], []
    for board in dealt:
        begin = time.process_time()
        solution = solver.solve(board, rules, row.nodes)
        seconds.append(time.process_time() - begin)
        verdicts.append(solution.verdict)
        assert (solution.left == 0) == (solution.verdict == "clears")
        list(solver.replay(board, rules, solution.order))  # raises if a pair cannot be linked
    decided = np.array([verdict != "unknown" for verdict in verdicts])
    cleared = np.array([verdict == "clears" for verdict in verdicts])
    soon, later = np.array(seconds) <= 1, np.array(seconds) <= 10
    some = dealt[:peer_boards]
    peers = [np.mean([clears(board, rules, choose) for board in some]) for choose in PEERS.values()]
    peers.append(np.mean([clears_backtracking(board, rules) for board in some]))
    median, p99 = np.quantile(seconds, (0.5, 0.99)) * 1000
    figures = [
        *(f"{100 * share:.0f}" for share in peers),
        *(f"{100 * (cleared & when).mean():.1f}" for when in (soon, later)),
        *(f"{100 * (decided & when).mean():.1f}" for when in (soon, later)),
        f"{median:.1f}",
        f"{p99:.0f}",
        f"{1000 * max(seconds):.0f}",
    ]
    return f"| {row} | " + " | ".join(figures) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--boards", type=int, default=100, help="boards a row")
    parser.add_argument("--peer-boards", type=int, default=50, help="of them for the peers")
    parser.add_argument("--rows", nargs="*", default=[], help="only rows that contain such a word")
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    solver.warm(wait=True)
    heads = ["boards", *PEERS, "F, backtracking", "cleared in 1 s", "in 10 s"]
    heads += ["decided in 1 s", "in 10 s", "median ms", "p99 ms", "max ms"]
    print(f"| {' | '.join(heads)} |\n|---|{'--:|' * (len(heads) - 1)}")
    for row in table():
        if not args.rows or any(word in str(row) for word in args.rows):
            print(measure(row, args.boards, args.peer_boards, args.seed), flush=True)


if __name__ == "__main__":
    main()
