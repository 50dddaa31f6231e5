"""What may be removed without gravity, and what follows from bans; the steps of still.py's search.

A state is one array: row masks, column masks, row reach and column reach of every padded cell (see
paths.py), which tiles are there, and the order in which the others went. Copying it is the only
undo. A ban is a pair that will not go together; `ban` keeps the level of the search that made it.
"""

from __future__ import annotations

from ar_assist.games.link.lanes import ints, linked, random, vacate
from ar_assist.games.link.puzzle import Ints, Puzzle, Shape

WHOLE = 4  # tiles of a kind that are tried to go all at once; more seldom do, and cost much


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
