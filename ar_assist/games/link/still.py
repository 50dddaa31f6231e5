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
(The same observations: M. de Bondt, Solving Shisen-Sho boards, arXiv:1009.2014.)

A state is one array: row masks, column masks, row reach and column reach of every padded cell (see
paths.py), and for every tile whether it is there. Copying it is the only undo.
"""

from __future__ import annotations

from typing import NamedTuple

from ar_assist.games.link.lanes import ints, linked, random, vacate
from ar_assist.games.link.puzzle import CLEARS, LOST, UNKNOWN, Ints, Puzzle, Shape

RANDOM, NODES, WITNESS, MADE = range(4)  # places in Space.notes
TILES_A_NODE = 16  # a relaxation is about the work of looking at so many tiles' positions
WITNESSES = 60  # relaxations kept on record, one bit each
FINE = 1 << 10  # keeps quotients of small numbers apart
WHOLE = 4  # tiles of a kind that are tried to go all at once; more seldom do, and cost much
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
    trouble: Ints  # per kind: how many tiles of it stayed in relaxations that failed
    notes: Ints  # random state, nodes left, last record, bits of the records that hold


def open_state(puzzle: Puzzle) -> Ints:
    """The state of the board as it stands: every free cell vacated one by one."""
    shape = puzzle.shape
    state = ints(shape.size)
    for r in range(shape.height):
        for c in range(shape.width):
            state[shape.across + (r << shape.shift) + c] = 1 << c
            state[shape.down + (c << shape.shift) + r] = 1 << r
    for r in range(shape.height):
        for c in range(shape.width):
            if puzzle.grid[r << shape.shift | c] == 0:
                vacate(state, shape, r << shape.shift | c)
    for tile in range(len(puzzle.cell)):
        state[shape.there + tile] = 1
    return state


def vanish(state: Ints, shape: Shape, tile: int, cell: int) -> int:
    """Take one tile away, if it is there; says how many went."""
    if not state[shape.there + tile]:
        return 0
    state[shape.there + tile] = 0
    vacate(state, shape, cell)
    return 1


def remove(state: Ints, puzzle: Puzzle, pair: int) -> None:
    """Take a pair away and note it in the order."""
    shape, count = puzzle.shape, puzzle.shape.done
    a, b = puzzle.pair_a[pair], puzzle.pair_b[pair]
    vanish(state, shape, a, puzzle.cell[a])
    vanish(state, shape, b, puzzle.cell[b])
    state[count + 1 + state[count]] = a
    state[count + 2 + state[count]] = b
    state[count] += 2


def pair_of(puzzle: Puzzle, a: int, b: int) -> int:
    """The number of the pair of two tiles of one kind."""
    i = puzzle.mate_first[a]
    while puzzle.mate[i] != b:
        i += 1
    return puzzle.mate_pair[i]


def ready(state: Ints, puzzle: Puzzle, ban: Ints, pair: int) -> bool:
    """Whether a pair is there, not banned, and links."""
    a, b = puzzle.pair_a[pair], puzzle.pair_b[pair]
    there = puzzle.shape.there
    if ban[pair] or not state[there + a] or not state[there + b]:
        return False
    return linked(state, puzzle.shape, puzzle.cell[a], puzzle.cell[b])


def partner(state: Ints, puzzle: Puzzle, ban: Ints, tile: int) -> int:
    """The only tile that this one may still go with; -1: none, -2: there are several."""
    found = -1
    for i in range(puzzle.mate_first[tile], puzzle.mate_first[tile + 1]):
        if state[puzzle.shape.there + puzzle.mate[i]] and not ban[puzzle.mate_pair[i]]:
            if found >= 0:
                return -2
            found = puzzle.mate[i]
    return found


def close(state: Ints, spare: Ints, puzzle: Puzzle, ban: Ints, open_pairs: Ints) -> int:
    """Remove whatever can go without harm, again and again; `spare` is overwritten.

    Lists the pairs that link then but might do harm, and returns how many there are.
    """
    again = True
    count = 0
    while again:
        again = False
        count = 0
        for kind in range(len(puzzle.first) - 1):
            left = tiles_left(state, puzzle, kind)
            for pair in range(puzzle.pair_first[kind], puzzle.pair_first[kind + 1]):
                if left and ready(state, puzzle, ban, pair):
                    a, b = puzzle.pair_a[pair], puzzle.pair_b[pair]
                    settled = partner(state, puzzle, ban, a) == b
                    if settled and partner(state, puzzle, ban, b) == a:
                        remove(state, puzzle, pair)
                        left -= 2
                        again = True
                    elif left <= WHOLE and clear_kind(state, spare, puzzle, ban, kind, pair):
                        left = 0
                        again = True
                    else:
                        open_pairs[count] = pair
                        count += 1
    return count


def tiles_left(state: Ints, puzzle: Puzzle, kind: int) -> int:
    """How many tiles of a kind are there."""
    count = 0
    for tile in range(puzzle.first[kind], puzzle.first[kind + 1]):
        count += state[puzzle.shape.there + tile]
    return count


def clear_kind(state: Ints, spare: Ints, puzzle: Puzzle, ban: Ints, kind: int, pair: int) -> bool:
    """Remove all tiles of a kind, beginning with a pair that links; True if that worked."""
    spare[:] = state
    remove(spare, puzzle, pair)
    again = True
    while again:
        again = False
        for other in range(puzzle.pair_first[kind], puzzle.pair_first[kind + 1]):
            if ready(spare, puzzle, ban, other):
                remove(spare, puzzle, other)
                again = True
    if tiles_left(spare, puzzle, kind):
        return False
    state[:] = spare
    return True


def play_out(
    state: Ints, spare: Ints, puzzle: Puzzle, ban: Ints, open_pairs: Ints, rng: Ints
) -> int:
    """Remove at random what links until nothing does; how many tiles stay."""
    while True:
        count = close(state, spare, puzzle, ban, open_pairs)
        if count == 0:
            return len(puzzle.cell) - state[puzzle.shape.done]
        remove(state, puzzle, open_pairs[random(rng, count)])


def relax(
    state: Ints, puzzle: Puzzle, ban: Ints, open_pairs: Ints, used: Ints, mark: int, turn: int
) -> bool:
    """Let all tiles vanish that link to any partner, itself there or not; True if all go.

    `used` gets `mark` for the pairs that did it. Pairs that are both there go first, from
    `turn` on, so that each kind uses few of its pairs and different calls use different ones.
    """
    shape = puzzle.shape
    there = shape.there
    count = 0
    for shifted in range(len(puzzle.pair_a)):
        pair = (shifted + turn) % len(puzzle.pair_a)
        a, b = puzzle.pair_a[pair], puzzle.pair_b[pair]
        if not ban[pair] and (state[there + a] or state[there + b]):
            open_pairs[count] = pair
            count += 1
    left = len(puzzle.cell) - state[puzzle.shape.done]
    wanted = 2  # how many of a pair must be there
    while wanted and left:
        kept = 0
        gone = 0
        for i in range(count):
            pair = open_pairs[i]
            a, b = puzzle.pair_a[pair], puzzle.pair_b[pair]
            present = state[there + a] + state[there + b]
            if present >= wanted and linked(state, puzzle.shape, puzzle.cell[a], puzzle.cell[b]):
                gone += vanish(state, shape, a, puzzle.cell[a]) + vanish(
                    state, shape, b, puzzle.cell[b]
                )
                used[pair] |= mark
            elif present:
                open_pairs[kept] = pair
                kept += 1
        count = kept
        left -= gone
        wanted = 2 if gone else wanted - 1
    return left == 0


def forbid(state: Ints, puzzle: Puzzle, ban: Ints, trail: Ints, level: int, pair: int) -> bool:
    """Ban a pair and settle what follows; False: a tile of the kind has no partner left."""
    bar(ban, trail, level, pair)
    return settle(state, puzzle, ban, trail, level, puzzle.kind[puzzle.pair_a[pair]])


def commit(state: Ints, puzzle: Puzzle, ban: Ints, trail: Ints, level: int, pair: int) -> bool:
    """Let two tiles go together and settle what follows; False as in forbid."""
    a, b = puzzle.pair_a[pair], puzzle.pair_b[pair]
    bar_others(puzzle, ban, trail, level, a, b)
    bar_others(puzzle, ban, trail, level, b, a)
    return settle(state, puzzle, ban, trail, level, puzzle.kind[a])


def settle(state: Ints, puzzle: Puzzle, ban: Ints, trail: Ints, level: int, kind: int) -> bool:
    """A tile with one partner left takes it from all others of the kind, and so on."""
    there = puzzle.shape.there
    again = True
    while again:
        again = False
        for tile in range(puzzle.first[kind], puzzle.first[kind + 1]):
            if state[there + tile]:
                other = partner(state, puzzle, ban, tile)
                if other == -1:
                    return False
                if other >= 0 and partner(state, puzzle, ban, other) != tile:
                    bar_others(puzzle, ban, trail, level, other, tile)
                    again = True
    return True


def bar_others(puzzle: Puzzle, ban: Ints, trail: Ints, level: int, tile: int, mate: int) -> None:
    """Ban all pairs of a tile but the one with its mate."""
    for i in range(puzzle.mate_first[tile], puzzle.mate_first[tile + 1]):
        if puzzle.mate[i] != mate:
            bar(ban, trail, level, puzzle.mate_pair[i])


def bar(ban: Ints, trail: Ints, level: int, pair: int) -> None:
    """Note a ban at a level of the search."""
    if not ban[pair]:
        ban[pair] = level
        trail[trail[-1]] = pair
        trail[-1] += 1


def lift(ban: Ints, trail: Ints, level: int) -> None:
    """Take back all bans from a level on."""
    while trail[-1] and ban[trail[trail[-1] - 1]] >= level:
        trail[-1] -= 1
        ban[trail[trail[-1]]] = 0


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
