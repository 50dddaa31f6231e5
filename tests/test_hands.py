"""A hand that rests on a board which is known: drawn by the project's own renderer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest
from film import Film

from ar_assist.games.link import LinkGame
from ar_assist.look import TRUST, Sight, Task, look
from ar_assist.replay import LOOK_LATENCY_S, run
from ar_assist.types import Cell, Frame, Image

FPS = 5
SHOWN_S, COVERED_S = 2, 10  # a board's time, then with a hand over it


@pytest.fixture(scope="module")
def film() -> Film:
    return Film()


@pytest.fixture(scope="module")
def known(film: Film) -> Sight:
    film.show()
    sight = look(Task(Frame(0, 0.0, picture_of(film)), (LinkGame(),)))
    assert sight
    return replace(sight, tracker=None)


def picture_of(film: Film) -> Image:
    return cv2.imdecode(np.frombuffer(film.picture(0), np.uint8), cv2.IMREAD_COLOR)


@pytest.mark.parametrize("finger_on", [(0, 1), (0, 3), (1, 2), (2, 3), (2, 5)])
def test_a_known_board_is_trusted_under_a_hand(film: Film, known: Sight, finger_on: Cell) -> None:
    """Of the five rows it covers all below its finger, which is as wide as a tile."""
    film.show(hand_on=finger_on)
    picture = picture_of(film)
    seen = look(
        Task(
            Frame(1, 1.0, picture),
            (LinkGame(),),
            tracked=known,
            views=((picture, known.plane),),
            believed=known.reading,
            anew=False,
        )
    )
    assert seen and seen.reading.confidence >= TRUST
    sure = seen.reading.certainty >= 0.9
    assert sure.mean() > 0.5
    assert np.array_equal(seen.reading.cells[sure], known.reading.cells[sure])


def test_a_board_stays_known_for_as_long_as_a_hand_rests_on_it(film: Film) -> None:
    film.show()
    bare = picture_of(film)
    film.show(hand_on=(0, 3))
    covered = picture_of(film)
    views = list(run(Covered(bare, covered), (LinkGame(),), LOOK_LATENCY_S, 0.0))
    full = views[SHOWN_S * FPS - 1].reading
    assert full is not None
    for view in views[(SHOWN_S + 1) * FPS :]:
        assert view.state == "locked" and view.reading is not None
        assert view.reading.board.left >= full.board.left - 1
        assert view.advice is not None and view.marks, view.reason
        link = view.advice.moves[view.choice].link
        assert full.board.at(link.a) == full.board.at(link.b)


def test_what_comes_in_place_of_a_board_is_no_hand(film: Film) -> None:
    """Icons where the tiles were; no hint is on show over them, and the board is lost soon."""
    film.show()
    board = picture_of(film)
    icons, (left, top) = board.copy(), np.rint(film.corners()[0]).astype(int)
    right, bottom = np.rint(film.corners()[2]).astype(int)
    icons[top - 40 : bottom + 40, left - 60 : right + 60] = (120, 90, 60)
    colours = np.random.default_rng(1).integers(0, 255, (24, 2, 3))
    for (x, y), (square, disc) in zip(
        [(left + 20 + 80 * (i % 6), top + 20 + 75 * (i // 6)) for i in range(24)],
        colours.tolist(),
        strict=True,
    ):
        cv2.rectangle(icons, (x, y), (x + 45, y + 45), square, -1)
        cv2.circle(icons, (x + 22, y + 22), 12, disc, -1)
    views = list(run(Covered(board, icons), (LinkGame(),), LOOK_LATENCY_S, 0.0))
    assert views[SHOWN_S * FPS - 1].marks
    assert not any(view.marks for view in views[SHOWN_S * FPS :])
    assert all(view.state == "lost" for view in views[(SHOWN_S + 2) * FPS :])


class Covered:
    """The bare board, then the covered one; a source."""

    fps, live, size_wh = float(FPS), False, (1280, 720)

    def __init__(self, bare: Image, covered: Image) -> None:
        self._pictures = [bare] * SHOWN_S * FPS + [covered] * COVERED_S * FPS

    def __iter__(self) -> Iterator[Frame]:
        for i, picture in enumerate(self._pictures):
            yield Frame(i, i / FPS, picture)
