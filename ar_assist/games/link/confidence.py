"""How far a reading of a link board can be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import ndimage, special

from ar_assist.games.link.board import LinkBoard
from ar_assist.games.link.colours import Mask
from ar_assist.games.link.telling import DROPPED, MOST_DOUBT
from ar_assist.games.tiles import Array, Indices
from ar_assist.types import Reading

# Log odds that a pair the reading offers is one: a logistic fit, checked by
# benchmarks/link_confidence.py. It says too little since cells are judged one by one, but a new fit
# ranks readings worse; so its constant alone was raised, to where the share of wrong pairs begins
# to grow: of those that get 0.7 to 0.85 by it, 98 % were right.
BASE = 0.55
PER_FEATURE = (0.9, -12.0, -12.0, 0.6)
WEAK_SHARE = 5  # percent of the clear tiles: their certainty stands for the board's
MARGINS = 4.0  # log odds: more certainty adds nothing
SHARES = 0.3  # of doubtful cells, of mishaps by kinds: more take nothing more
MANY_TILES = 40  # on fewer, equal groups come by chance more easily


def mishaps(sizes: Indices) -> int:
    """How many tiles at least are hidden or misread, if kinds are of such sizes (K,): one that is
    alone may be the one that another kind misses."""
    alone = int((sizes == 1).sum())
    return max(alone, int((sizes % 2).sum()) - alone)


def unexplained(odd: int, unclear: Mask, count: int, most_hidden: float = MOST_DOUBT) -> int:
    """How many kinds are odd beside a count of tiles, if (R, C) unclear cells do not tell why.

    A hand or a reflection may hide a mate of each. What it covers lies together; the unclear cells
    of a wrong lattice lie anywhere, and are many: more than the share `most_hidden` of the count.
    Where more kinds are odd, that is no reason.
    """
    hidden = int(together(unclear).sum())
    return 0 if odd <= hidden <= most_hidden * count else odd


def together(some: Mask) -> Mask:
    """(R, C) those of some cells that touch others."""
    around = ndimage.correlate(some.astype(int), np.ones((3, 3), int), mode="constant")
    touching: Mask = some & (around > 1)
    return touching


def features(reading: Reading[LinkBoard]) -> Array:
    """(4,) what the confidence is made of.

    Log odds of the weakest clear tiles, shares of doubtful cells and of mishaps, log of the
    number of tiles against MANY_TILES. No advice rests on the doubtful cells themselves, but where
    many are, the lattice or the grouping is wrong.
    """
    tile = np.array(reading.board.cells) > 0
    clear = reading.certainty[tile & (reading.certainty >= 0.5)]
    weak = float(np.percentile(clear, WEAK_SHARE)) if len(clear) else 1e-3
    weak = min(weak, 1 - 1e-6)
    count = max(int(tile.sum()), 1)
    doubted = float((reading.certainty < 0.5).sum()) / count
    unclear = ~tile & (reading.certainty <= DROPPED)
    sizes = np.array([*reading.board.counts.values()], int)
    odd = unexplained(mishaps(sizes), unclear, count) / max(len(sizes), 1)
    margin = min(np.log(weak / (1 - weak)), MARGINS)
    size = np.log(count / MANY_TILES)
    return np.array([margin, min(doubted, SHARES), min(odd, SHARES), size], np.float32)


def judged(reading: Reading[LinkBoard]) -> Reading[LinkBoard]:
    """The reading with its confidence: the chance that a pair that it offers is one."""
    return replace(reading, confidence=_chance(features(reading)))


def at_best(reading: Reading[LinkBoard]) -> float:
    """The confidence if no kind were odd for a mate that is seen elsewhere."""
    return _chance(features(reading) * (1, 1, 0, 1))


def _chance(of: Array) -> float:
    return float(special.expit(BASE + float(of @ PER_FEATURE)))
