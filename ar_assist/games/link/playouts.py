"""Games that learn: the search under gravity that finds. Plain or compiled alike.

Games are played to their end by chance. Which of the open pairs goes depends on a *liking* for
each pair of tiles, wherever they have slid to: with whom a tile goes decides more than when. After
every game the likings move towards the longest line so far, as in nested rollout policy adaptation
(C. Rosin, IJCAI 2011), here two levels deep: a round learns from nothing, and the best line of
every round teaches those to come.

Likings are whole numbers, so that plain and compiled searches choose alike: a pair liked by one
less is taken (1 - 1 / UNIT) times as often.
"""

from __future__ import annotations

from typing import NamedTuple

from ar_assist.games.link.lanes import ints, random
from ar_assist.games.link.positions import LOOSE, NODES, Field, list_moves, look, make
from ar_assist.games.link.puzzle import Ints, Puzzle

UNIT = 64  # steps of liking to a factor of e, and what a game teaches at most
SURE = 1 << 12  # chances of the pair that is liked best, as whole numbers


class Line(NamedTuple):
    """A game played to its end."""

    length: Ints  # the number of its moves, alone
    order: Ints  # the cells of every move, two by two
    chosen: Ints  # per move: the pair of tiles, numbered as in Puzzle
    open: Ints  # the pairs that were open, move after move
    ends: Ints  # per move: the end of its pairs in `open`


def learn(puzzle: Puzzle, field: Field, nodes: int, likings: Ints) -> Line:
    """Play for so many nodes, or until a game clears the board; the longest line found.

    There are as many rounds as games in a round. The likings, none at first, are what is learned.
    """
    plies, last = len(puzzle.cell) // 2, field.notes[NODES] - nodes
    games = 1
    while games * games * plies < nodes:
        games += 1
    chances = open_chances()
    taught = ints(len(puzzle.pair_a))
    line, longest, best = open_line(puzzle), open_line(puzzle), open_line(puzzle)
    while field.notes[NODES] > last and best.length[0] < plies:
        taught[:] = likings
        longest.length[0] = 0
        for _ in range(games):
            if field.notes[NODES] > last and longest.length[0] < plies:
                play_out(puzzle, field, taught, chances, line)
                if line.length[0] >= longest.length[0]:
                    copy_line(line, longest)
                teach(taught, chances, longest)
        if longest.length[0] >= best.length[0]:
            copy_line(longest, best)
        teach(likings, chances, best)
    return best


def open_line(puzzle: Puzzle) -> Line:
    """Room for a game."""
    plies = len(puzzle.cell) // 2
    return Line(
        ints(1), ints(2 * plies), ints(plies), ints(plies * len(puzzle.pair_a)), ints(plies)
    )


def open_chances() -> Ints:
    """How often a pair is taken, by how much less it is liked than the best one; to the first 0."""
    size, chance = 1, SURE
    while chance:
        chance = chance * (UNIT - 1) // UNIT
        size += 1
    chances = ints(size)
    chances[0] = SURE
    for i in range(1, size):
        chances[i] = chances[i - 1] * (UNIT - 1) // UNIT
    return chances


def play_out(puzzle: Puzzle, field: Field, likings: Ints, chances: Ints, line: Line) -> None:
    """Play a game by the likings."""
    grid = field.grid
    grid[:] = puzzle.grid
    field.notes[LOOSE] = 1
    ply, end = 0, 0
    while True:
        look(grid, field, puzzle)
        count = list_moves(field, puzzle, field.moves)
        line.length[0] = ply
        if count == 0:
            return
        line.open[end : end + count] = field.moves[:count]
        pair = line.open[draw(field, likings, chances, line.open, end, end + count)]
        line.chosen[ply] = pair
        end += count
        line.ends[ply] = end
        a, b = field.places[puzzle.pair_a[pair]], field.places[puzzle.pair_b[pair]]
        line.order[2 * ply] = a
        line.order[2 * ply + 1] = b
        make(grid, field, puzzle, a, b)
        field.notes[LOOSE] = len(puzzle.line_at) == 0
        ply += 1


def draw(field: Field, likings: Ints, chances: Ints, pairs: Ints, begin: int, end: int) -> int:
    """Choose one of some pairs by chance; returns its place."""
    best = most_liked(likings, pairs, begin, end)
    total = 0
    for i in range(begin, end):
        total += chance_of(chances, best - likings[pairs[i]])
    ticket = random(field.notes, total)
    for i in range(begin, end):
        ticket -= chance_of(chances, best - likings[pairs[i]])
        if ticket < 0:
            return i
    return end - 1


def most_liked(likings: Ints, pairs: Ints, begin: int, end: int) -> int:
    """The liking of the best of some pairs."""
    best = likings[pairs[begin]]
    for i in range(begin + 1, end):
        best = max(best, likings[pairs[i]])
    return best


def chance_of(chances: Ints, less: int) -> int:
    """How often a pair is taken that is liked so much less than the best one."""
    return chances[min(less, len(chances) - 1)]


def teach(likings: Ints, chances: Ints, line: Line) -> None:
    """Move the likings towards a line: each pair chosen gains what all that were open lose."""
    changes = ints(len(likings))
    begin = 0
    for ply in range(line.length[0]):
        end = line.ends[ply]
        best = most_liked(likings, line.open, begin, end)
        total = 0
        for i in range(begin, end):
            total += chance_of(chances, best - likings[line.open[i]])
        for i in range(begin, end):
            chance = chance_of(chances, best - likings[line.open[i]])
            changes[line.open[i]] -= UNIT * chance // total
        changes[line.chosen[ply]] += UNIT
        begin = end
    for pair in range(len(likings)):
        likings[pair] += changes[pair]


def copy_line(line: Line, to: Line) -> None:
    """Write a line over another."""
    plies = line.length[0]
    to.length[0] = plies
    to.order[: 2 * plies] = line.order[: 2 * plies]
    to.chosen[:plies] = line.chosen[:plies]
    to.ends[:plies] = line.ends[:plies]
    if plies:
        end = line.ends[plies - 1]
        to.open[:end] = line.open[:end]
