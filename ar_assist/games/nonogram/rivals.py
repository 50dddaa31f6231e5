"""Other solutions of a picture's clues, next to the picture, which is one itself.

To find any solution of a large board may take minutes. But where one is known, a SAT solver that
takes its values first leaves it for the nearest other one within milliseconds: most differ in four
cells. It comes back after so many conflicts, so it needs no process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from pysat.solvers import Glucose4

from ar_assist.games.nonogram.board import FILLED, Cells, puzzle_of
from ar_assist.games.nonogram.grid import Grid, Propagator
from ar_assist.games.nonogram.sat import formula_of
from ar_assist.games.nonogram.solver import certain_clues
from ar_assist.types import Cell

CONFLICTS = 10_000  # of the SAT solver for each rival: a second or so


def rivals(
    cells: Sequence[Sequence[int]], seconds: float, most: int
) -> tuple[list[list[Cell]], Cells, bool]:
    """Up to `most` sets of cells: each of them flipped is another solution, and no two meet.

    Also what lines tell of the cells, and whether it is known that there is no other set.
    """
    end = time.monotonic() + seconds
    board = puzzle_of(cells)
    lines_of, grid = Propagator(*certain_clues(board)), Grid.of(board.cells)
    lines_of.run_all(grid)  # without contradiction, for the picture is a solution
    open_cells, formula = formula_of(lines_of.row_clues, lines_of.col_clues, grid)
    own = [n if cells[i][j] == FILLED else -n for n, (i, j) in enumerate(open_cells, 1)]
    found: list[list[Cell]] = []
    if not open_cells:
        return found, grid.cells(), True
    with Glucose4(bootstrap_with=formula.clauses()) as solver:
        solver.solve(assumptions=own)
        solver.set_phases(solver.get_model())
        solver.add_clause([-literal for literal in own])
        kept: list[int] = []
        while len(found) < most and time.monotonic() < end:
            solver.conf_budget(CONFLICTS)
            solved = solver.solve_limited(assumptions=kept)
            if not solved:
                return found, grid.cells(), solved is False
            other = solver.get_model()
            differ = [n for n, literal in enumerate(own) if other[n] != literal]
            found.append([open_cells[n] for n in differ])
            kept += [own[n] for n in differ]
    return found, grid.cells(), False
