"""The scorer against itself: truth is perfect, and damage lowers exactly the figures it should."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ar_assist.errors import UserError
from ar_assist.evaluate import figures, load_log, load_truth, parse_record, parse_truth, score
from ar_assist.evaluate.geometry import ORDERS, iou
from ar_assist.evaluate.rules import hint_is_right, nonogram_answer
from ar_assist.evaluate.score import NEVER, likeness
from ar_assist.evaluate.truth import hint_cells
from ar_assist.games.link.board import LinkBoard, Rules, play
from ar_assist.games.link.paths import links
from ar_assist.types import transform

Log = list[dict[str, Any]]
Damage = Callable[[Log], Any]

FPS, FRAMES, MOVE_AT = 15, 120, 60
START = LinkBoard(((1, 2, 3, 1, 4), (2, 3, 4, 4, 1), (5, 5, 3, 2, 4), (1, 3, 2, 6, 6)))
MOVE = links(START, Rules())[0]
AFTER = play(START, Rules(), MOVE.a, MOVE.b)


def corners_at(frame: int) -> list[list[float]]:
    """A tilted board on a camera that sways."""
    quad = np.array([[300, 150], [900, 190], [880, 640], [280, 600]], float)
    sway = [8 * np.sin(frame / 4.5), 5 * np.cos(frame / 3.5)]
    return [[float(x), float(y)] for x, y in quad + sway]


def hint_for(board: LinkBoard) -> dict[str, Any]:
    # A pair that stays legal over the move would hide a stale hint.
    best = MOVE if board is START else links(board, Rules())[0]
    return {"a": list(best.a), "b": list(best.b), "path": [list(p) for p in best.path]}


def truth_data(count: int = FRAMES) -> dict[str, Any]:
    frames = []
    for i in range(count):
        board = START if i < MOVE_AT else AFTER
        placed = {**board.record(), "corners": corners_at(i)}
        outer = np.add(placed["corners"], [[-40, -30], [40, -30], [40, 30], [-40, 30]])
        frames.append(
            {"frame": i, "t": i / FPS, "screen": outer.tolist(), "board": placed, "still": True}
        )
    return {"video": "clip.mp4", "fps": FPS, "size": [1280, 720], "game": "link", "frames": frames}


def perfect_log(count: int = FRAMES) -> Log:
    log = copy.deepcopy(truth_data(count)["frames"])
    for line in log:
        line["hint"] = hint_for(START if line["frame"] < MOVE_AT else AFTER)
        line["board"]["confidence"] = 1.0
        line |= {"state": "locked", "ms": 5.0, "look_ms": 40.0 if line["frame"] % 5 == 0 else None}
    return log


def measured(log: Log, truth: dict[str, Any] | None = None) -> dict[str, float | None]:
    records = [parse_record(json.loads(json.dumps(line))) for line in log]
    return figures([score(records, parse_truth(truth or truth_data()))])


PERFECT = measured(perfect_log())
ONES = {"screen_iou", "board_iou", "shape", "exact", "exact_settled", "hint_right"}
ZEROS = {
    *("corner_p50", "corner_p95", "false_lock", "wrong_cells", "sigma", "calibration", "dropped"),
    *("hint_missing", "hint_wrong", "hint_stale", "missing_s", "wrong_s", "stale_s"),
    *("first_hint_p50", "first_hint_p95", "outlived_p50", "outlived_p95"),
    *("new_hint_p50", "new_hint_p95", "hint_changes"),
}


def test_truth_as_a_log_is_perfect() -> None:
    assert {name: PERFECT[name] for name in ONES} == pytest.approx(dict.fromkeys(ONES, 1.0))
    assert {name: PERFECT[name] for name in ZEROS} == pytest.approx(
        dict.fromkeys(ZEROS, 0.0), abs=1e-4
    )
    assert PERFECT["right_s"] == pytest.approx(60)
    assert (PERFECT["step_p50"], PERFECT["look_p95"]) == (5.0, 40.0)


def shift_corners(log: Log) -> None:
    for line in log:
        line["board"]["corners"] = np.add(line["board"]["corners"], [30, 0]).tolist()


def shake_corners(log: Log) -> None:
    rng = np.random.default_rng(1)
    for line in log:
        quad = np.array(line["board"]["corners"])
        line["board"]["corners"] = (quad + rng.normal(0, 2.0, (4, 2))).tolist()


def merge_kinds(log: Log) -> None:
    for line in log:
        line["board"]["cells"] = [[5 if v == 6 else v for v in r] for r in line["board"]["cells"]]


def lose_a_tile(log: Log) -> None:
    for line in log[30:45]:
        line["board"]["cells"][2][0] = 0


def lose_a_row(log: Log) -> None:
    """Three rows where there are four, over the same area."""
    for line in log:
        line["board"]["rows"], line["board"]["cells"] = 3, line["board"]["cells"][:3]
        line["hint"] = None


def late_hint(log: Log) -> None:
    for line in log[:23]:
        line["hint"] = None


def keep_old_hint(log: Log) -> None:
    for line in log[MOVE_AT : MOVE_AT + 8]:
        line["hint"] = hint_for(START)


def pause_after_move(log: Log) -> None:
    for line in log[MOVE_AT : MOVE_AT + 8]:
        line["hint"] = None


def flicker(log: Log) -> None:
    for line in log[5:35:2]:
        line["hint"] = None


def bad_path(log: Log) -> None:
    for line in log[30:33]:
        line["hint"]["path"] = [[0, 0], [3, 0], [3, 4], [0, 4]]


def miss_frames(log: Log) -> None:
    for line in log[30:42]:
        line |= {"board": None, "screen": None, "hint": None, "state": "lost"}


def drop_frames(log: Log) -> None:
    del log[30:35]


def work_hard(log: Log) -> None:
    for line in log[::4]:
        line["ms"] = 30.0


def doubt(log: Log) -> None:
    for line in log:
        line["board"]["confidence"] = 0.6


FOUND = {"board_iou", "corner_p50", "corner_p95"}
READ = {"exact", "exact_settled", "wrong_cells"}
MISSING = {"hint_right", "hint_missing", "right_s", "missing_s"}
DAMAGES: list[tuple[Damage, set[str]]] = [
    (shift_corners, FOUND),
    (shake_corners, FOUND | {"sigma"}),
    (merge_kinds, READ),
    (lose_a_tile, READ),
    (lose_a_row, READ | MISSING | {"shape", "first_hint_p50", "first_hint_p95", "calibration"}
     | {"new_hint_p50", "new_hint_p95", "outlived_p50", "outlived_p95"}
     | {"hint_wrong", "hint_stale"}),
    (late_hint, MISSING | {"first_hint_p50", "first_hint_p95"}),
    (keep_old_hint, {"hint_right", "right_s", "wrong_s", "stale_s", "hint_wrong", "hint_stale"}
     | {"outlived_p50", "outlived_p95", "new_hint_p50", "new_hint_p95", "calibration"}
     | {"hint_changes"}),
    (pause_after_move, MISSING | {"new_hint_p50", "new_hint_p95"}),
    (flicker, MISSING | {"hint_changes"}),
    (bad_path, {"hint_right", "right_s", "wrong_s", "hint_wrong", "calibration"}
     | {"hint_changes"}),
    (miss_frames, MISSING | {"board_iou", "screen_iou", "shape", "exact", "exact_settled"}
     | {"hint_changes"}),
    (drop_frames, {"dropped"}),
    (work_hard, {"step_p95", "step_p99"}),
    (doubt, {"calibration"}),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "touched"), DAMAGES, ids=lambda v: getattr(v, "__name__", ""))
def test_damage_touches_exactly_its_figures(damage: Damage, touched: set[str]) -> None:
    log = perfect_log()
    damage(log)
    now = measured(log)
    changed = {name for name in PERFECT if now[name] != pytest.approx(PERFECT[name], abs=1e-4)}
    assert changed == touched


def test_times_of_hints() -> None:
    late, kept, paused = perfect_log(), perfect_log(), perfect_log()
    late_hint(late)
    keep_old_hint(kept)
    pause_after_move(paused)
    assert measured(late)["first_hint_p50"] == pytest.approx(23 / FPS)
    assert measured(paused)["new_hint_p50"] == pytest.approx(8 / FPS)
    stays = measured(kept)
    assert stays["outlived_p50"] == pytest.approx(8 / FPS)
    # 0.2 s of it are excused as stale, the rest is wrong
    assert stays["stale_s"] == pytest.approx(60 * 3 / FRAMES)
    assert stays["wrong_s"] == pytest.approx(60 * 5 / FRAMES)


def test_no_hint_ever_is_never() -> None:
    log = perfect_log()
    for line in log:
        line["hint"] = None
    assert measured(log)["first_hint_p50"] == NEVER


def test_sigma_is_that_of_the_shake() -> None:
    log = perfect_log()
    shake_corners(log)
    assert measured(log)["sigma"] == pytest.approx(2.0, rel=0.1)


def test_a_false_lock_is_seen_where_no_board_is() -> None:
    truth = truth_data()
    for entry in truth["frames"]:
        entry["board"] = None
    log = perfect_log()
    found = measured(log, truth)
    assert found["false_lock"] == 1.0
    assert found["hint_wrong"] == 1.0
    assert found["exact"] is None


def test_a_look_away_measures_the_return() -> None:
    truth, log = truth_data(), perfect_log()
    for i in range(75, 100):
        truth["frames"][i] |= {"board": None, "screen": None}
    for i in range(75, 106):
        log[i] |= {"board": None, "screen": None, "hint": None}
    found = measured(log, truth)
    assert found["return_p50"] == pytest.approx(6 / FPS)
    assert found["first_hint_p95"] == pytest.approx(6 / FPS)
    assert found["false_lock"] == 0


def test_a_pair_that_fades_may_be_read_either_way() -> None:
    truth, log = truth_data(), perfect_log()
    for entry in truth["frames"][55:MOVE_AT]:
        entry["link"] = [list(MOVE.a), list(MOVE.b)]
    for line in log[55:MOVE_AT]:
        line["board"]["cells"] = [list(row) for row in AFTER.cells]
    assert measured(log, truth)["exact"] == 1.0
    assert measured(log)["exact"] < 1.0


@given(st.sampled_from(ORDERS), st.permutations(range(1, 7)))
@settings(max_examples=20)
def test_a_reading_from_any_corner_with_any_labels_is_right(
    order: tuple[int, ...], names: list[int]
) -> None:
    """Turn or mirror cells, corners and hint together, and rename the kinds."""
    log, truth = perfect_log(3), truth_data(3)
    for line in log:
        turn(line, order, {0: 0, **dict(zip(range(1, 7), names, strict=True))})
    found = measured(log, truth)
    assert (found["exact"], found["shape"], found["hint_right"]) == (1, 1, 1)
    assert found["corner_p95"] == pytest.approx(0, abs=1e-4)


def turn(line: dict[str, Any], order: tuple[int, ...], names: dict[int, int]) -> None:
    """Let the reading begin at another corner: index maps go the way the corners go."""
    board = line["board"]
    where = np.stack(np.mgrid[: board["rows"], : board["cols"]], -1)
    corner_cells = [(0, 0), (0, -1), (-1, -1), (-1, 0)]
    tops = [tuple(where[corner_cells[i]]) for i in order]
    turned = next(
        grid
        for k in range(4)
        for grid in (np.rot90(where, k), np.rot90(where, k)[:, ::-1])
        if [tuple(grid[c]) for c in corner_cells] == tops
    )
    cells = np.array(board["cells"])
    board["cells"] = [[names[int(cells[tuple(rc)])] for rc in row] for row in turned]
    board["rows"], board["cols"] = turned.shape[:2]
    board["corners"] = [board["corners"][i] for i in order]
    # An affine map of cell indices: it also carries the margin over.
    origin, right, down = turned[0, 0], turned[0, 1] - turned[0, 0], turned[1, 0] - turned[0, 0]
    back = np.linalg.inv(np.stack([down, right], 1))
    for key in ("a", "b"):
        line["hint"][key] = carried(back, line["hint"][key], origin)
    line["hint"]["path"] = [carried(back, p, origin) for p in line["hint"]["path"]]


def carried(back: np.ndarray, cell: list[int], origin: np.ndarray) -> list[int]:
    return [int(v) for v in np.round(back @ (np.array(cell) - origin))]


@pytest.mark.parametrize(
    ("a", "b", "path", "right"),
    [
        ((2, 0), (2, 1), [(2, 0), (2, 1)], True),
        ((0, 0), (0, 3), [(0, 0), (-1, 0), (-1, 3), (0, 3)], True),
        ((0, 0), (0, 3), [(0, 0), (0, 3)], False),  # through tiles
        ((0, 0), (0, 3), [(0, 0), (-2, 0), (-2, 3), (0, 3)], False),  # beyond the margin
        ((0, 0), (0, 3), [(0, 0), (-1, 3), (0, 3)], False),  # slanting
        ((0, 0), (0, 3), [(-1, 0), (-1, 3), (0, 3)], False),  # does not start at a
        ((0, 0), (0, 1), [(0, 0), (0, 1)], False),  # unlike
        ((0, 0), (0, 0), [(0, 0)], False),  # one tile
        ((0, 0), (0, 3), [(0, 0), (-1, 0), (-1, -1), (-1, 3), (0, 3)], False),  # there and back
        ((0, 0), (3, 0), [(0, 0), (0, -1), (4, -1), (4, 0), (3, 0)], False),  # three turns
    ],
)
def test_legality_of_links(a: Any, b: Any, path: Any, right: bool) -> None:
    hint = {"a": a, "b": b, "path": path}
    assert hint_is_right("link", hint, hint_cells(hint), START.cells) is right


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_own_check_agrees_with_the_games_paths(seed: int) -> None:
    cells = np.random.default_rng(seed).choice([0, 0, 1, 2, 3, -1], (5, 6))
    board = LinkBoard(tuple(tuple(int(v) for v in row) for row in cells))
    for found in links(board, Rules()):
        hint = {"a": found.a, "b": found.b, "path": found.path}
        assert hint_is_right("link", hint, hint_cells(hint), board.cells)


def test_othello_and_nonogram_hints() -> None:
    start = [[0] * 8 for _ in range(8)]
    start[3][3] = start[4][4] = 2
    start[3][4] = start[4][3] = 1
    cells = tuple(map(tuple, start))
    legal = [[2, 3], [3, 2], [4, 5], [5, 4]]
    hint = {"best": [2, 3], "moves": legal, "to_move": 1}
    assert hint_is_right("othello", hint, hint_cells(hint), cells)
    hint = {**hint, "moves": legal[:3]}
    assert not hint_is_right("othello", hint, hint_cells(hint), cells)
    answer = nonogram_answer((), ((1,), (1,)), ((1,), (1,)))  # two solutions: nothing is certain
    fills = {"line": ["row", 0], "cells": [[0, 0, 1], [0, 1, -1]]}
    assert not hint_is_right("nonogram", fills, hint_cells(fills), ((0, 0), (0, 0)), answer)
    answer = nonogram_answer((), ((1,), ()), ((1,), ()))
    assert answer == nonogram_answer(("#.", ".."), (), ()) == ((1, -1), (-1, -1))
    assert hint_is_right("nonogram", fills, hint_cells(fills), ((0, 0), (0, 0)), answer)
    mistake = {"line": None, "cells": [], "mistakes": [[1, 1]]}
    assert hint_is_right("nonogram", mistake, hint_cells(mistake), ((0, 0), (0, 1)), answer)
    assert not hint_is_right("nonogram", mistake, hint_cells(mistake), ((0, 0), (0, -1)), answer)


def test_a_hint_of_another_game_is_wrong() -> None:
    """Two white discs with a path between them are no pair."""
    cells = ((2, 0, 2), (0, 0, 0), (1, 1, 1))
    hint = {"a": [0, 0], "b": [0, 2], "path": [[0, 0], [0, 2]]}
    assert hint_is_right("link", hint, hint_cells(hint), cells)
    assert not hint_is_right("othello", hint, hint_cells(hint), cells)


@given(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9), st.floats(0, 6.2))
def test_iou_of_shifted_squares(dx: float, dy: float, angle: float) -> None:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)
    spin = np.array([[np.cos(angle), -np.sin(angle), 3], [np.sin(angle), np.cos(angle), 4],
                     [0, 0, 1]])  # fmt: skip
    one, other = transform(spin, 100 * square), transform(spin, 100 * np.add(square, [dx, dy]))
    overlap = (1 - abs(dx)) * (1 - abs(dy))
    assert iou(one, other[::-1]) == pytest.approx(overlap / (2 - overlap), abs=1e-4)


def test_a_crossed_quad_overlaps_nothing() -> None:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    assert iou(square, square[[0, 2, 1, 3]]) == 0


def test_labels_do_not_matter_for_the_list_of_boards() -> None:
    log, other = perfect_log(), perfect_log()
    for line in other:
        line["board"]["cells"] = [[v and v + 7 for v in row] for row in line["board"]["cells"]]
    one, two = [parse_record(v) for v in log], [parse_record(v) for v in other[::3]]
    assert likeness(one, two) == 1
    assert likeness(one, two[: MOVE_AT // 3]) < 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"frame": 1, "t": 0, "state": "lost", "screen": [[1, 2]]}', "screen"),
        ('{"frame": 1, "t": 0, "state": "lost", "board": {"rows": 2, "cols": 2}}', "corners"),
        ('{"frame": 1, "t": 0, "state": "lost", "board": {"rows": 2, "cols": 2, "cells": [[1]], '
         '"corners": [[0,0],[1,0],[1,1],[0,1]]}}', "2 x 2"),
        ('{"frame": 1, "t": 0, "state": "lost", "board": {"rows": 0, "cols": 0, "cells": [], '
         '"corners": [[0,0],[1,0],[1,1],[0,1]]}}', "0 x 0"),
        ('{"frame": 1, "t": 0, "state": "lost", "hint": {"a": [0, 1], "b": [0, 2]}}', "cells"),
        ('{"frame": 1, "t": 0, "state": "lost", "hint": 5}', "hint"),
        ('{"frame": 1, "t": 0, "state": "lost", "hint": {"a": [0], "b": [1, 1], "path": []}}',
         "two whole numbers"),
        ('{"frame": 1, "t": 0, "state": "lost", "hint": {"best": [1, 1], "moves": []}}', "to_move"),
        ('{"frame": 1, "t": NaN, "state": "lost"}', "number"),
        ('{"frame": 1, "t": 0, "state": "lost", "ms": "x"}', "number"),
        ('{"frame": 0, "t": 0, "state": "lost"}', "after frame 0"),
        ('{"frame": 1, "t": 0,', "JSON"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    """By its number in the file, blank lines counted."""
    log = tmp_path / "run.jsonl"
    log.write_text('{"frame": 0, "t": 0, "state": "lost"}\n\n' + line + "\n")
    with pytest.raises(UserError, match=rf"run\.jsonl:3: .*{said}"):
        load_log(log)


def test_truth_that_does_not_fit_the_log() -> None:
    truth = truth_data()
    truth["frames"] = truth["frames"][:90]
    with pytest.raises(UserError, match=r"clip\.mp4 does not fit: it has 90 frames"):
        measured(perfect_log(), truth)


FRAME = {"frame": 0, "t": 0}
PUZZLE = {"rows": 1, "cols": 2, "corners": [[0, 0], [2, 0], [2, 1], [0, 1]]}
DISCS = {**PUZZLE, "cells": [[1, 3]]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "object"),
        ({}, "corners"),
        ({"frames": [{"t": 0}]}, "missing"),
        ({"frames": [1]}, "list of objects"),
        ({"frames": []}, "no frames"),
        ({"frames": [FRAME, FRAME]}, "after frame 0"),
        ({"frames": [FRAME, {"frame": 1, "t": -1}]}, "frame 1, at -1 s, is before 0"),
        ({"frames": [{**FRAME, "board": {**PUZZLE, "corners": [[1, 1]] * 4}}]}, "round no board"),
        ({"game": "othello", "frames": [{**FRAME, "board": DISCS}]}, "othello holds 3"),
        ({"frames": [FRAME], "size": [3]}, "two whole numbers"),
        ({"frames": [FRAME], "game": "chess"}, "none of: link"),
        ({"frames": [{**FRAME, "gravity": "sideways"}]}, "none of: none down"),
        ({"frames": [{**FRAME, "board": PUZZLE, "link": [[0, 2]]}]}, "not on the board"),
        ({"frames": [{**FRAME, "board": {**PUZZLE, "row_clues": [[1], [1]]}}]}, "1 lists, got 2"),
        ({"frames": [{**FRAME, "board": PUZZLE}], "solution": ["#"]}, "1 lines of 2"),
    ],
)
def test_bad_truth_is_one_clear_line(tmp_path: Path, data: Any, said: str) -> None:
    path = tmp_path / "clip.json"
    path.write_text(json.dumps(data))
    with pytest.raises(UserError, match=rf"clip\.json .*{said}"):
        load_truth(path)


def test_truth_that_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "clip.json").write_text("nonsense")
    with pytest.raises(UserError, match=r"clip\.json"):
        load_truth(tmp_path / "clip.json")


def test_truth_of_single_pictures(data: Path) -> None:
    photo = load_truth(data / "link" / "tsinghua_linkgame_partial.json")
    assert photo.frames[0].board and (photo.frames[0].board.rows, photo.game) == (7, "link")
    assert len(photo.frames[0].unsure) == 2
    assert load_truth(data / "othello" / "othello_phone_1.json").game == "othello"
    assert load_truth(data / "nonogram" / "nonogram_web_10x10.json").game == "nonogram"
    assert len(load_truth(data / "video" / "tablet_like_sheet_moving_camera.json").frames) == 109
