"""The search without gravity: over pairings, not orders. Runs as plain Python and compiled alike.

Without gravity a removal only frees cells, so a link that is open stays open: an order of removals
matters no more once it is settled who goes with whom. Hence:

* A kind whose remaining tiles can all go now is taken at once; that never harms.
* What is searched is the set of *bans*: pairs that will not go together. A tile with one partner
  left is settled, and goes with it as soon as they link.
* Relaxation: let every tile vanish that links to any partner not banned, itself gone or not. No
  real order ever clears more, so a tile left over proves that the position is lost.
* Probing: settle a pair for trial; when the relaxation then leaves a tile, the pair is banned.
  No partner left: lost. One left: settled. This is failed-literal probing as in SAT solvers.

First come greedy restarts with noise, then depth-first search with probing at every node.
(The same observations: M. de Bondt, Solving Shisen-Sho boards, arXiv 2010.09014.)
"""

from __future__ import annotations

from typing import NamedTuple

from ar_assist.games.link.lanes import ints, random
from ar_assist.games.link.pairings import (
    close,
    commit,
    forbid,
    lift,
    open_state,
    pair_of,
    partner,
    play_out,
    ready,
    relax,
)
from ar_assist.games.link.puzzle import CLEARS, LOST, UNKNOWN, Ints, Puzzle

RANDOM, NODES, WITNESS, MADE = range(4)  # places in Space.notes
TILES_A_NODE = 16  # a relaxation is about the work of looking at so many tiles' positions
WITNESSES = 60  # relaxations kept on record, one bit each
FINE = 1 << 10  # keeps quotients of small numbers apart
PATIENCE = 20  # dead ends before the first restart; half as many more before each next one
PLAYOUTS = 24  # greedy restarts before the depth-first search: most boards fall to the first few


class Space(NamedTuple):
    """What the search writes on."""

    ban: Ints  # per pair: the level that banned it, 0 where it may go together
    trail: Ints  # the banned pairs in order of level; its last entry is their number
    used: Ints  # per pair: the recorded relaxations that need it, one bit each
    open_pairs: Ints  # a list of pairs
    spare: Ints  # a state
    trial: Ints  # another one
    choice: Ints  # per level of the search: the pair that opened it
    trouble: Ints  # per kind: how many of its probes failed
    notes: Ints  # random state, nodes left, last record, bits of the records that hold


def probe(state: Ints, space: Space, puzzle: Puzzle, level: int) -> int:
    """Close the state and ban every pair that no clearing can contain."""
    ban, trail, used = space.ban, space.trail, space.used
    while True:
        close(state, space.spare, puzzle, ban, space.open_pairs)
        if state[puzzle.shape.done] == len(puzzle.cell):
            return CLEARS
        valid = witnesses(space)
        unsettled = 0
        banned = 0
        for pair in range(len(puzzle.pair_a)):
            if is_open(state, puzzle, ban, pair):
                unsettled += 1
                begin = trail[-1]
                possible = commit(state, puzzle, ban, trail, level + 1, pair)
                hit = 0
                for i in range(begin, trail[-1]):
                    hit |= used[trail[i]]
                if possible and valid & ~hit == 0:
                    space.notes[NODES] -= 1 + len(puzzle.cell) // TILES_A_NODE
                    mark = witness(state, space, puzzle)
                    valid = valid & ~(1 << space.notes[WITNESS]) | mark
                    possible = mark != 0
                lift(ban, trail, level + 1)
                if not possible:
                    space.trouble[puzzle.kind[puzzle.pair_a[pair]]] += 1
                    if not forbid(state, puzzle, ban, trail, level, pair):
                        return LOST
                    banned += 1
                    valid &= witnesses(space)
                if space.notes[NODES] <= 0:
                    return UNKNOWN
        if unsettled == 0:
            return LOST
        if banned == 0:
            return UNKNOWN


def is_open(state: Ints, puzzle: Puzzle, ban: Ints, pair: int) -> bool:
    """Whether a pair may go together, but its tiles have other partners as well."""
    a, b = puzzle.pair_a[pair], puzzle.pair_b[pair]
    there = puzzle.shape.there
    if ban[pair] or not state[there + a] or not state[there + b]:
        return False
    return partner(state, puzzle, ban, a) == -2 or partner(state, puzzle, ban, b) == -2


def witnesses(space: Space) -> int:
    """The relaxations on record that use no banned pair."""
    valid = (1 << WITNESSES) - 1
    for i in range(space.trail[-1]):
        valid &= ~space.used[space.trail[i]]
    return valid & space.notes[MADE]


def witness(state: Ints, space: Space, puzzle: Puzzle) -> int:
    """Relax under the bans of the moment; the bit of its record, or 0 where tiles stay."""
    space.notes[WITNESS] = (space.notes[WITNESS] + 1) % WITNESSES
    mark = 1 << space.notes[WITNESS]
    for pair in range(len(space.used)):
        space.used[pair] &= ~mark
    space.notes[MADE] &= ~mark
    spare = space.spare
    spare[:] = state
    turn = random(space.notes, len(puzzle.pair_a))
    if not relax(spare, puzzle, space.ban, space.open_pairs, space.used, mark, turn):
        return 0
    space.notes[MADE] |= mark
    order = puzzle.shape.done
    for i in range(order + 1, order + 1 + state[order], 2):
        space.used[pair_of(puzzle, state[i], state[i + 1])] |= mark
    return mark


def search(puzzle: Puzzle, nodes: int, seed: int) -> tuple[int, Ints, int]:
    """Verdict, the best order found (cells, two by two) and the nodes that it took."""
    space = open_space(puzzle, nodes, seed)
    root = open_state(puzzle)
    state, best = ints(len(root)), ints(len(root))
    done = puzzle.shape.done
    verdict = UNKNOWN
    for _ in range(PLAYOUTS):
        if verdict == UNKNOWN and sample(root, best, space, puzzle):
            verdict = CLEARS
    level, dead_ends, patience = 1, 0, PATIENCE
    while verdict == UNKNOWN and space.notes[NODES] > 0:
        state[:] = root
        verdict = probe(state, space, puzzle, level)
        if state[done] > best[done]:
            best[:] = state
        if verdict == UNKNOWN and sample(state, best, space, puzzle):
            verdict = CLEARS
        if verdict == UNKNOWN:
            level += 1
            space.choice[level] = branch(state, space, puzzle)
            commit(state, puzzle, space.ban, space.trail, level, space.choice[level])
        elif verdict == LOST:
            state[:] = root
            level = back(state, space, puzzle, level)
            verdict = UNKNOWN if level else LOST
            dead_ends += 1
            if level > 1 and dead_ends == patience:
                lift(space.ban, space.trail, 2)
                level, dead_ends, patience = 1, 0, patience * 3 // 2
    order = ints(best[done])
    for i in range(best[done]):
        order[i] = puzzle.cell[best[done + 1 + i]]
    return verdict, order, nodes - space.notes[NODES]


def open_space(puzzle: Puzzle, nodes: int, seed: int) -> Space:
    """Room for a search."""
    pairs, size = len(puzzle.pair_a), puzzle.shape.size
    space = Space(
        ints(pairs),
        ints(pairs + 1),
        ints(pairs),
        ints(pairs),
        ints(size),
        ints(size),
        ints(len(puzzle.cell) + 2),
        ints(len(puzzle.first)),
        ints(4),
    )
    space.notes[RANDOM] = seed
    space.notes[NODES] = nodes
    return space


def back(state: Ints, space: Space, puzzle: Puzzle, level: int) -> int:
    """Ban the choices that led here until one leaves another way; its level, or 0."""
    while level > 1:
        lift(space.ban, space.trail, level)
        level -= 1
        if forbid(state, puzzle, space.ban, space.trail, level, space.choice[level + 1]):
            return level
    return 0


def sample(state: Ints, best: Ints, space: Space, puzzle: Puzzle) -> bool:
    """Play out at random from a state, keep the best result; True if it clears all."""
    space.notes[NODES] -= len(puzzle.cell)
    trial = space.trial
    trial[:] = state
    left = play_out(trial, space.spare, puzzle, space.ban, space.open_pairs, space.notes)
    if trial[puzzle.shape.done] > best[puzzle.shape.done]:
        best[:] = trial
    return left == 0


def branch(state: Ints, space: Space, puzzle: Puzzle) -> int:
    """A pair to try next: a tile of few partners and a kind of much trouble, open if one is.

    As dom/wdeg does for constraints: F. Boussemart and others, Boosting systematic search by
    weighting constraints, ECAI 2004.
    """
    best = -1
    most = -1
    for tile in range(len(puzzle.cell)):
        partners = 0
        chosen = -1
        for i in range(puzzle.mate_first[tile], puzzle.mate_first[tile + 1]):
            pair = puzzle.mate_pair[i]
            if is_open(state, puzzle, space.ban, pair):
                partners += 1
                if chosen < 0 or ready(state, puzzle, space.ban, pair):
                    chosen = pair
        if chosen >= 0 and (space.trouble[puzzle.kind[tile]] + 1) * FINE // partners > most:
            best = chosen
            most = (space.trouble[puzzle.kind[tile]] + 1) * FINE // partners
    return best
