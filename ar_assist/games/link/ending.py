"""The end of a game: the last pair, and the cleared board.

Tiles are told from ground, and kinds from each other, by what most of them do, and of one pair
nothing is most. But the board is known then: its cells, and how its tiles look.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ar_assist.games import tiles
from ar_assist.games.link import ground
from ar_assist.games.link.board import EMPTY, LinkBoard
from ar_assist.games.link.memory import SAME_KIND, Memory
from ar_assist.games.tiles import Array
from ar_assist.types import Reading

LAST = 2  # tiles


def read_last(cells: Array, before: Reading[LinkBoard]) -> Reading[LinkBoard] | None:
    """A known board of which a pair is left, or nothing; None: something else is seen.

    Of (R + 2, C + 2, CELL, CELL, 3) cells, with the rim, all but a pair of tiles have to show
    ground, and no more than a pair may have gone.
    """
    inside = np.zeros(cells.shape[:2], bool)
    inside[1:-1, 1:-1] = True
    known, left = before.evidence, before.board.left
    if not isinstance(known, Memory) or left > 2 * LAST:
        return None
    shown = ground.shown(cells, inside.ravel())
    tile = inside & ~shown.empty.reshape(inside.shape)
    count = int(tile.sum())
    if count not in (0, LAST) or left - count not in (0, LAST):
        return None
    board = np.full(before.certainty.shape, EMPTY)
    if count:
        apart = tiles.apart(cells[tile], known.pictures)
        kinds = known.labels[apart.argmin(1)]
        is_pair = len(set(kinds)) == 1 and kinds[0] in np.array(before.board.cells)
        if not is_pair or apart.min(1).max() > SAME_KIND:
            return None
        board[tile[1:-1, 1:-1]] = kinds
    return replace(before, board=LinkBoard(tuple(tuple(map(int, row)) for row in board)))
