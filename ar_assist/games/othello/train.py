"""Train the evaluation's weights from games that the program plays against itself.

    python -m ar_assist.games.othello.train [--games N] [--rounds N] [--out FILE]

Each round plays games from random openings with the weights so far and some random moves; the
endgame solver gives the exact result once few squares are free, and that result labels every
position of the game before it. Later positions are labelled by solving them. Weights of a stage
are the damped least-squares fit (LSMR, Fong & Saunders 2011) of the positions in and next to it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsmr

from ar_assist.games.othello import endgame, evaluation, midgame, positions
from ar_assist.games.othello.board import START
from ar_assist.games.othello.fast import ONE, ZERO, U, after, legal_moves, lowest, popcount

SOLVED = 13  # empties from which games are solved: about a millisecond each
FIRST, LAST = 4, 24  # plies of random moves at the start, so that games differ
START_BLACK, START_WHITE = START.black, START.white
DEPTH = 2  # plies that the players look ahead
RANDOM_MOVE = 0.06  # share of moves played at random: the fit must know bad positions as well
BLEND = 3  # discs beyond a stage from which it learns, too: its neighbours mean nearly the same
DAMPING = 6.0  # about how many positions a weight must be seen in to be believed
FIT_STEPS = 80  # of LSMR; more only fits noise


@njit(cache=True)
def best_move(own: U, theirs: U, table: Any, tables: Any, rows: Any, nodes: Any) -> int:
    """The move that a search of DEPTH plies prefers."""
    moves, best, chosen = legal_moves(own, theirs), -midgame.STOPPED, -1
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        yours, mine = after(own, theirs, square)
        value = -midgame.search(
            yours, mine, DEPTH - 1, -midgame.WORST, -best, table, tables, rows, nodes
        )
        if value > best:
            best, chosen = value, square
    return chosen


@njit(cache=True)
def random_move(moves: U, rng: np.random.Generator) -> int:
    """One of the moves."""
    for _ in range(rng.integers(0, popcount(moves))):
        moves &= moves - ONE
    return lowest(moves)


@njit(cache=True)
def play_game(
    rng: np.random.Generator, table: Any, solver: Any, tables: Any, rows: Any, out: Any
) -> int:
    """Play a game; fill in its positions, side to move first, with labels; returns how many.

    From the first position that is solved on, moves are random and every position is solved.
    """
    owns, thems, labels = out
    own, theirs, mover = U(START_BLACK), U(START_WHITE), 1
    opening, count, plies, solved = rng.integers(FIRST, LAST), 0, 0, False
    nodes = np.array([0, 1 << 60])
    table.depth[:] = -1
    while True:
        moves = legal_moves(own, theirs)
        if moves == ZERO:
            own, theirs, mover = theirs, own, -mover
            moves = legal_moves(own, theirs)
            if moves == ZERO:
                return count
        late = 64 - popcount(own | theirs) <= SOLVED
        if plies >= opening:
            owns[count], thems[count], labels[count] = own, theirs, mover
            count += 1
        if late:
            value = endgame.solve(own, theirs, -64, 64, solver, table, tables, rows, nodes)
            if solved:
                labels[count - 1] = value
            else:
                labels[:count] *= mover * value  # till now, labels say who moves
            solved = True
        if late or plies < opening or rng.random() < RANDOM_MOVE:
            square = random_move(moves, rng)
        else:
            square = best_move(own, theirs, table, tables, rows, nodes)
        own, theirs = after(own, theirs, square)
        mover, plies = -mover, plies + 1


def play_games(
    seeds: range, weights: NDArray[np.int16]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int16]]:
    """Own discs, opponent's discs and labels of all positions of many games."""
    table, solver = positions.new_table(12), positions.new_table(16)
    tables, rows = evaluation.tables(weights), positions.new_rows()
    out = np.zeros(64, np.uint64), np.zeros(64, np.uint64), np.zeros(64, np.int16)
    games = []
    for seed in seeds:
        count = play_game(np.random.default_rng(seed), table, solver, tables, rows, out)
        games.append(tuple(column[:count].copy() for column in out))
    owns, thems, labels = (np.concatenate(columns) for columns in zip(*games, strict=True))
    return owns, thems, labels


@njit(cache=True)
def all_states(owns: Any, thems: Any, rank_states: Any, out: Any) -> None:
    """The pattern states of many positions."""
    for index in range(len(owns)):
        evaluation.states(owns[index], thems[index], rank_states, out[index])


def fit(
    owns: NDArray[np.uint64], thems: NDArray[np.uint64], labels: NDArray[np.int16]
) -> NDArray[np.int16]:
    """(STAGES, WEIGHTS) weights in 1/UNIT discs, by damped least squares stage by stage."""
    weights = np.zeros((evaluation.STAGES, evaluation.WEIGHTS), np.int16)
    discs = np.bitwise_count(owns | thems).astype(int)
    for stage in range(evaluation.STAGES):
        first = 5 + stage * evaluation.STAGE_DISCS
        near = (discs >= first - BLEND) & (discs < first + evaluation.STAGE_DISCS + BLEND)
        features = np.zeros((int(near.sum()), evaluation.LANES), np.uint16)
        all_states(owns[near], thems[near], evaluation.RANK_STATES, features)
        columns = (features[:, : evaluation.COUNT] + evaluation.OFFSETS).ravel()
        rows = np.arange(len(features) + 1) * evaluation.COUNT
        shape = (len(features), evaluation.WEIGHTS)
        matrix = csr_array((np.ones(columns.size), columns, rows), shape=shape)
        found = lsmr(matrix, labels[near].astype(float), damp=DAMPING, maxiter=FIT_STEPS)[0]
        error = np.sqrt(np.mean((matrix @ found - labels[near]) ** 2))
        print(f"stage {stage}: {len(features)} positions, error {error:.1f} discs", flush=True)
        weights[stage] = np.rint(found * evaluation.UNIT)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the Othello evaluation.")
    parser.add_argument("--games", type=int, default=30000, help="games of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("weights.npz"))
    args = parser.parse_args()
    weights = np.zeros((evaluation.STAGES, evaluation.WEIGHTS), np.int16)
    seen: list[Any] = []
    for turn in range(args.rounds):
        seeds = range(turn * args.games, (turn + 1) * args.games)
        seen.append(play_games(seeds, weights))
        owns, thems, labels = (np.concatenate(part) for part in zip(*seen[-2:], strict=True))
        print(f"round {turn}: {len(owns)} positions", flush=True)
        weights = fit(owns, thems, labels)
        np.savez_compressed(args.out, weights=weights)


if __name__ == "__main__":
    main()
