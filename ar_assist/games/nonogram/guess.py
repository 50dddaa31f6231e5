"""Solutions of large boards of which lines leave thousands of cells open, such as photographs.

A SAT solver alone finds none, though there are many. What helps is to know how likely each cell is
filled: rows and columns tell each other what they hold of their common cells, until they agree
(belief propagation; Pearl 1988), where a line weighs all its fillings at once. Lines side by side
know much the same and yet count as many witnesses, so that each counts for less (fractional belief
propagation; Wiegerinck & Heskes 2002). The surest cells are guessed, with all that follows, and the
rest is weighed anew (decimation; Mezard, Parisi & Zecchina 2002): more at a time while guesses
hold, fewer after a contradiction. Between guesses the SAT solver tries for a while to complete the
board. Where it finds that the guesses contradict each other, it names some that do (Een &
Sorensson, "Temporal induction by incremental SAT solving", 2003): the latest of them is given up,
and its opposite follows from the others. Work is counted in conflicts, so that the solver comes
back; it is Glucose, whose incremental mode keeps the guesses where the search begins anew
(Audemard, Lagniez & Simon, "Improving Glucose for incremental SAT solving with assumptions", 2013).

Where one solution is known, most others need no search in the whole board: they are looked for in
some of its rows at a time, the rest kept.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Timer

import numpy as np
from pysat.solvers import Glucose4

from ar_assist.games.nonogram import sat
from ar_assist.games.nonogram.board import CROSSED, FILLED, UNKNOWN, Cells
from ar_assist.games.nonogram.chances import Lines, Odds
from ar_assist.games.nonogram.grid import Grid, Propagator
from ar_assist.games.nonogram.sat import filled_in, formula_of

KNOWN = 30.0  # log odds of a cell that is entered
MOST = 8.0  # log odds that one line may tell another: no word is final
CERTAIN = 1e-9  # chances are kept so far from 0 and 1
DAMPING = 0.5  # share of what a line said before: undamped, rows and columns swing
FIRST_ROUNDS, ROUNDS = 100, 20  # of messages before the first guesses, and between later ones
WITNESS = 0.85  # what a line counts: 1 is plain belief propagation, too sure and often wrong
ECHO = 1 / WITNESS - 1  # share of its own words that a line takes out of what it hears
SHARE = 0.03  # of the open cells that are guessed at a time, to begin with
LEAST_SHARE, MOST_SHARE = 0.01, 0.1
BOLDER, SHYER = 1.2, 0.5  # factors of the share after guesses that may hold, and that can't
WORK = 3_000_000  # conflicts between guesses, times open cells: the more, the dearer and the vainer
BAND = 10  # rows at a time in which other solutions are looked for: a small board


def solutions(
    grid: Grid, lines_of: Propagator, wanted: int, seconds: float
) -> tuple[list[Cells], bool]:
    """Up to `wanted` solutions of a grid at line solving's fixed point; whether these are all."""
    end = time.monotonic() + seconds
    cells, formula = formula_of(lines_of.row_clues, lines_of.col_clues, grid)
    beliefs = _Beliefs(lines_of)
    found: list[Cells] = []
    with Glucose4(bootstrap_with=formula.clauses(), incr=True) as solver:
        guesses = _Guesses(solver, cells, grid)
        while len(found) < wanted and time.monotonic() < end:
            solved = guesses.tried(end - time.monotonic())
            if solved:
                found.append(guesses.taken())
                if len(found) == 1:  # next to others are mostly those that are next to this one
                    near = next_to(found[0], grid, lines_of, wanted, end - time.monotonic())
                    guesses.rule_out(near[1:])
                    found = near
            elif solved is None:
                guesses.add(beliefs, lines_of)
            elif not guesses.give_up():
                return found, True
    return found, False


def next_to(
    solution: Cells, grid: Grid, lines_of: Propagator, wanted: int, seconds: float
) -> list[Cells]:
    """This solution and others that differ from it in a few rows only, up to `wanted` in all.

    `grid`: what all solutions have in common.
    """
    end, known = time.monotonic() + seconds, grid.cells()
    found = {solution: None}
    for top in range(0, len(known), BAND):
        left = end - time.monotonic()
        if len(found) >= wanted or left <= 0:
            break
        below = top + BAND
        band = Grid.of((*solution[:top], *known[top:below], *solution[below:]))
        rows = range(top, min(below, len(known)))
        lines_of.run(band, rows, range(len(known[0])))  # the solution fits: no contradiction
        if band.open_cells():
            more = wanted - len(found) + 1
            near, _ = sat.solutions(lines_of.row_clues, lines_of.col_clues, band, more, left)
            found.update(dict.fromkeys(near))
    return list(found)[:wanted]


class _Guesses:
    """Cells that are guessed, the latest last, and a SAT solver that knows the clues."""

    def __init__(self, solver: Glucose4, cells: Sequence[tuple[int, int]], grid: Grid) -> None:
        self._solver = solver
        self._cells = cells
        self._variables = {cell: number for number, cell in enumerate(cells, 1)}
        self._known = grid.cells()
        self._places = np.array(cells, np.int64).reshape(-1, 2).T  # (2, cells) rows, columns
        self._made: dict[int, None] = {}  # literals, in order
        self._open = len(cells)  # cells, when guesses were last added
        self._share = SHARE

    def tried(self, seconds: float) -> bool | None:
        """Whether there is a solution with these guesses; None: that would take longer.

        The clock ends only the last try: its conflicts are so many that they may take seconds.
        """
        self._solver.conf_budget(max(1, WORK // max(1, self._open)))
        bell = Timer(seconds, self._solver.interrupt)
        bell.start()
        solved: bool | None = self._solver.solve_limited(list(self._made), expect_interrupt=True)
        bell.cancel()
        bell.join()  # it must not ring where the solver is gone
        return solved

    def taken(self) -> Cells:
        """The solution that was found; it is not found again."""
        model = self._solver.get_model()[: len(self._cells)]
        solution = filled_in(self._known, self._cells, [literal > 0 for literal in model])
        self.rule_out([solution])
        return solution

    def rule_out(self, solutions: Sequence[Cells]) -> None:
        """Let these solutions not be found again."""
        for cells in solutions:
            self._solver.add_clause([-cells[i][j] * n for (i, j), n in self._variables.items()])

    def give_up(self) -> bool:
        """Give up the latest of some guesses that contradict each other; False: there are none."""
        core = set(self._solver.get_core() or ())
        if not core:
            return False
        self._solver.add_clause([-literal for literal in core])
        del self._made[next(literal for literal in reversed(self._made) if literal in core)]
        self._share = max(LEAST_SHARE, SHYER * self._share)
        return True

    def add(self, beliefs: _Beliefs, lines_of: Propagator) -> None:
        """Guess the surest of the cells that are open still."""
        grid = self._followed(lines_of)
        if grid is None:
            self._solver.add_clause([-literal for literal in self._made])
            return
        odds = beliefs.odds(grid)
        self._open = int(np.count_nonzero(odds))
        count = max(1, round(self._share * self._open))
        self._share = min(MOST_SHARE, BOLDER * self._share)
        for place in np.argsort(-np.abs(odds), axis=None, kind="stable")[:count].tolist():
            i, j = divmod(place, odds.shape[1])
            if grid.value(i, j) != UNKNOWN:
                continue  # it has followed from another
            value = FILLED if odds[i, j] > 0 else CROSSED
            self._made[value * self._variables[i, j]] = None
            grid.set(i, j, value)
            if not lines_of.run(grid, [i], [j]):
                return

    def _followed(self, lines_of: Propagator) -> Grid | None:
        """The grid with the guesses and all that follows from them; None: a contradiction."""
        possible, literals = self._solver.propagate(assumptions=list(self._made))
        if not possible:
            return None
        entered = np.array([*self._made, *literals], np.int64)
        entered = entered[np.abs(entered) <= len(self._cells)]
        cells = np.array(self._known)
        cells[tuple(self._places[:, np.abs(entered) - 1])] = np.where(entered > 0, FILLED, CROSSED)
        grid = Grid.of(cells.tolist())
        return grid if lines_of.run_all(grid) else None


class _Beliefs:
    """What rows and columns tell each other of their common cells."""

    def __init__(self, lines_of: Propagator) -> None:
        self._row_clues, self._col_clues = lines_of.row_clues, lines_of.col_clues
        self._from_rows: Odds = np.zeros((len(self._row_clues), len(self._col_clues)))
        self._from_cols = self._from_rows
        self._rounds = FIRST_ROUNDS

    def odds(self, grid: Grid) -> Odds:
        """(rows, columns) log odds that each open cell is filled, after some more rounds."""
        rows = Lines(self._row_clues, len(self._col_clues), grid.rows)
        cols = Lines(self._col_clues, len(self._row_clues), grid.cols)
        cells = np.array(grid.cells())
        known, is_open = KNOWN * np.sign(cells), cells == UNKNOWN
        for _ in range(self._rounds):
            heard = np.where(is_open, self._from_cols - ECHO * self._from_rows, known)
            told = WITNESS * _told(rows, heard)
            self._from_rows = DAMPING * self._from_rows + (1 - DAMPING) * told
            heard = np.where(is_open, self._from_rows - ECHO * self._from_cols, known)
            told = WITNESS * _told(cols, heard.T).T
            self._from_cols = DAMPING * self._from_cols + (1 - DAMPING) * told
        self._rounds = ROUNDS
        return np.where(is_open, self._from_rows + self._from_cols, 0)


def _told(lines: Lines, heard: Odds) -> Odds:
    """What each line adds to the odds of its cells that the lines across have told it."""
    chance = np.clip(lines.chances(heard), CERTAIN, 1 - CERTAIN)
    return np.asarray(np.clip(np.log(chance / (1 - chance)) - heard, -MOST, MOST))
