"""What lies beyond the picture's edge of a board that is followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toy import (
    FPS,
    HINT,
    LATTICE,
    PLANE_WH,
    PX,
    START,
    ToyGame,
    ToySource,
    plane_at,
    screen_picture,
    shown,
    sight_of,
)

from ar_assist import look
from ar_assist.follow import Followed
from ar_assist.look import Sight
from ar_assist.track import Tracker
from ar_assist.types import Frame, Plane
from calibration import Camera


def _aside(columns: float, since: float, until: float):
    """A camera that shows the board so many columns further to the right for a while."""

    def plane(time: float) -> Plane:
        there = plane_at(time)
        share = np.clip(min(time - since, until - time) / 0.4, 0, 1)  # it takes its time to turn
        move = np.array([[1, 0, 1.2 * PX * columns * share], [0, 1, 0], [0, 0, 1]])
        return Plane(move @ there.frame_from_plane, PLANE_WH)

    return plane


@pytest.mark.parametrize("latency_s", [0.0, 0.2])
def test_what_lies_beyond_the_edge_of_the_picture_is_as_it_was(play, latency_s: float):
    source = ToySource(lambda t: START, 3.3, plane=_aside(4.5, since=0.5, until=2.5))
    views = play(source, look_latency_s=latency_s)
    cut = [v for v in views if v.frame.time >= 0.3 and source.corners(v.frame.index).max() > 640]
    assert len(cut) > 30
    assert all(view.reading and view.reading.board == START for view in cut)
    last = shown(cut[-1])
    assert last is not None and last != HINT, "a pair in view is pointed at in place of one beyond"
    assert all(shown(view) == last for view in views[-5:])


def test_a_move_on_the_part_in_view_is_believed(play):
    moved = START.put({(0, 2): 0, (2, 1): 0})
    plane = _aside(3.5, since=0.5, until=9)
    source = ToySource(lambda t: START if t < 1.5 else moved, 2.5, plane=plane)
    views = play(source)
    after = [v for v in views if v.frame.time >= 1.8]
    assert all(source.corners(v.frame.index).max() > 640 for v in after)
    assert all(v.reading.board == moved for v in after)


@pytest.mark.parametrize("pan_s", [0.4, 2.0])  # of a slow one each frame shows hardly less
def test_the_picture_that_showed_the_most_is_kept_while_the_board_moves_out(pan_s: float):
    def plane(time: float) -> Plane:
        move = np.array([[1, 0, 1.2 * PX * 4.5 * min(time / pan_s, 1)], [0, 1, 0], [0, 0, 1]])
        return Plane(move @ plane_at(0).frame_from_plane, PLANE_WH)

    source = ToySource(lambda t: START, pan_s + 0.2, plane=plane)
    first, *others = source
    sight = Sight(
        ToyGame(), plane(0), LATTICE, None, ToyGame().read(screen_picture(START), LATTICE)
    )
    followed = Followed(sight, Tracker(first, plane(0)), plane(0), 0.0)
    for frame in others:
        followed.update(frame)
        assert followed.plane is not None
    image, there = followed.fuller(frame)
    whole, cut = (seen.to_frame(LATTICE.corners).max() for seen in (there, followed.plane))
    assert whole < 640 < cut
    assert np.abs(there.corners - plane(source.time_of(image)).corners).max() < 2


class _Told:
    """A tracker that is told where the plane is."""

    def __init__(self, plane: Plane | None) -> None:
        self.plane = plane

    def update(self, frame: Frame) -> Plane | None:
        return self.plane


def test_views_from_before_the_plane_was_out_of_sight_are_not_averaged_in():
    """What comes after a jerk or a hand may show something else."""
    plane, views = plane_at(0), []
    tracker = _Told(plane)
    followed = Followed(sight_of(START), tracker, plane, 0.0)
    for index, is_seen in enumerate((True, True, True, False, True, True, True)):
        tracker.plane = plane if is_seen else None
        frame = Frame(index, index / FPS, np.zeros((480, 640, 3), np.uint8))
        followed.update(frame)
        views.append(len(followed.views(frame)) if is_seen else 0)
    assert views == [1, 2, 2, 0, 1, 2, 2]


def test_through_a_lens_what_its_picture_shows_counts_and_not_what_the_straight_one_holds():
    """The straight picture is black in its corners."""
    camera = Camera(640, 480, 500, 500, 320, 240, (-0.35, 0.12))
    bent = np.zeros((480, 640, 3), np.uint8)
    frame = Frame(0, 0.0, bent, lens=camera)
    h, w = camera.shown.shape
    middle, corner = (
        Plane(np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1]]), PLANE_WH)
        for x, y in ((w / 2 - 160, h / 2 - 120), (w - 320, h - 240))
    )

    sight, tracker = replace(sight_of(START), plane=middle), _Told(middle)
    followed = Followed(sight, tracker, middle, 0.0)
    followed.update(frame)
    assert followed.fuller(frame) is None
    tracker.plane = corner
    later = replace(frame, index=1, image=bent.copy())
    followed.update(later)
    assert followed.fuller(later)[0] is bent


def test_of_a_board_found_at_the_edge_what_lies_beyond_is_not_certain(monkeypatch):
    source = ToySource(lambda t: START, 0.1, plane=_aside(4.5, since=-1, until=9))
    source.replace_finder(monkeypatch)
    seen = look.look(look.Task(source.frame(0), (ToyGame(),)))
    in_frame = seen.plane.to_frame(seen.reading.cell_quads()).max((2, 3)) <= 639.5
    assert 0 < in_frame.sum() < in_frame.size
    assert (seen.reading.certainty == np.where(in_frame, 1, 0)).all()
