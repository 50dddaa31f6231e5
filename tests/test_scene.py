"""The rendered world: its truth is exact, its games are legal, its pictures repeat."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ar_assist.cli import main
from ar_assist.errors import UserError
from ar_assist.games.link.board import GRAVITIES, LinkBoard, Rules, play
from ar_assist.games.link.paths import links
from ar_assist.scene import open_scene
from ar_assist.scene.backdrop import Box
from ar_assist.scene.camera import Optics, to_frame
from ar_assist.scene.conditions import GAMES, draw
from ar_assist.scene.looks import LOOKS, tiles
from ar_assist.scene.render import Renderer
from ar_assist.scene.script import Script, opening, ways
from ar_assist.scene.show import NoGame, device_of
from ar_assist.scene.tiers import TIERS, Wanted
from ar_assist.scene.world import World

SMALL = "size=320x180,seconds=1,fps=6"
SQUARE_PX = 80  # of the chessboard that stands in for a game


class Chessboard(NoGame):
    """A screen whose corners can be located in the picture, to hold the truth against."""

    def __init__(self, size_wh: tuple[int, int], board: Box | None) -> None:
        width, height = size_wh
        y, x = np.mgrid[:height, :width] // SQUARE_PX
        self.picture = cv2.merge([np.where((x + y) % 2, 230, 40).astype(np.uint8)] * 3)
        self.size_wh, self.board, self.kept = size_wh, board, Box(0, 0, width, height)
        self.device = device_of(size_wh)

    def crossings(self) -> np.ndarray:
        """(N, 2) px of the screen's picture."""
        columns, rows = (np.arange(1, side // SQUARE_PX) for side in self.size_wh)
        x, y = np.meshgrid(columns, rows)
        return np.stack([x, y], -1).reshape(-1, 2) * SQUARE_PX - 0.5


@pytest.mark.parametrize(
    ("tier", "readout_s"),
    [("rotated", 0.0), ("oblique45", 0.0), ("handheld", 0.0), ("motionblur", 0.3)],
)
def test_truth_lies_where_the_picture_has_it(tier: str, readout_s: float) -> None:
    """Also as a rolling shutter shows it, here one so slow that its skew is many pixels."""
    world = replace(draw(Wanted(tier=tier, seed=2)), readout_s=readout_s, exposure_s=1 / 500)
    chessboard = Chessboard(world.show.size_wh, world.show.board)
    picture = Renderer(replace(world, show=chessboard)).frame(20)
    truth = world.seen(world.time(20), chessboard.crossings())
    assert truth is not None
    at_once = to_frame(world.optics, world.path.at(world.time(20)), chessboard.crossings())
    assert (np.abs(truth - at_once).max() > 3) == (readout_s > 0)
    inside = ((truth > 12) & (truth < np.array([1268, 708]))).all(1)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    start = truth[inside].reshape(-1, 1, 2).copy()
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 50, 1e-3)
    seen = cv2.cornerSubPix(grey, start, (5, 5), (-1, -1), stop).reshape(-1, 2)
    error = seen - truth[inside]
    assert inside.sum() > 50
    assert np.abs(np.median(error, axis=0)).max() < 0.1
    assert np.median(np.linalg.norm(error, axis=1)) < 0.25


@given(
    st.floats(-0.2, 0.05),
    st.floats(-0.02, 0.05),
    st.lists(st.tuples(st.floats(0, 1279), st.floats(0, 719)), min_size=1),
)
def test_undistort_is_the_inverse_of_distort(
    k1: float, k2: float, points: list[tuple[float, float]]
) -> None:
    radius_2 = 1.2**2  # in focal lengths: what the frame's corners show, and more
    assume(1 + radius_2 * (3 * k1 + radius_2 * 5 * k2) > 0.1)  # else it nearly folds over
    optics = Optics((1280, 720), 900.0, (650.0, 350.0), (k1, k2, 1e-3, -1e-3, 0.0))
    frame = np.array(points, np.float32)
    assert np.allclose(optics.distort(optics.undistort(frame)), frame, atol=0.02)


def test_distort_agrees_with_opencv() -> None:
    optics = Optics((1280, 720), 900.0, (650.0, 350.0), (-0.15, 0.04, 1e-3, -2e-3, 0.01))
    ideal = np.array([[0, 0], [400, 300], [1279, 719], [1500, -90]], np.float64)
    rays = np.c_[(ideal - optics.centre) / optics.focal, np.ones(len(ideal))]
    no_turn = np.zeros(3)
    theirs = cv2.projectPoints(rays, no_turn, no_turn, optics.matrix, np.array(optics.dist))[0]
    assert np.allclose(optics.distort(ideal), theirs.reshape(-1, 2), atol=1e-3)


@pytest.mark.parametrize("spec", [f"tier=glare,seed=5,{SMALL}", f"tier=gravity,seed=1,{SMALL}"])
def test_a_scene_repeats_to_the_byte(spec: str) -> None:
    one, other = open_scene(f"scene:{spec}"), open_scene(f"scene:{spec}")
    assert json.dumps(one.truth) == json.dumps(other.truth)
    pictures = [[frame.image.tobytes() for frame in scene] for scene in (one, other, one)]
    assert pictures[0] == pictures[1] == pictures[2]
    assert len(set(pictures[0])) > 1


@pytest.mark.parametrize("tier", TIERS)
def test_every_tier_opens_as_a_source_with_truth(tier: str) -> None:
    scene = open_scene(f"scene:tier={tier},seed=3,{SMALL}")
    frame = next(iter(scene))
    assert frame.image.shape == (180, 320, 3) and frame.image.dtype == np.uint8
    assert not frame.image.flags.writeable
    assert (scene.live, scene.fps, scene.size_wh) == (False, 6.0, (320, 180))
    assert [entry["frame"] for entry in scene.truth["frames"]] == list(range(6))
    assert frame.image.std() > 5
    assert (scene.truth["frames"][0]["board"] is None) == (tier == "negative")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_board_of_the_shape_it_says(game: str) -> None:
    scene = open_scene(f"scene:tier=oblique45,seed=4,game={game},{SMALL}")
    board = scene.truth["frames"][0]["board"]
    assert len(board["cells"]) == board["rows"] and len(board["cells"][0]) == board["cols"]
    assert scene.truth["game"] == game.split("-")[0]
    assert next(iter(scene)).image.std() > 5


def _entries(tier: str) -> list[dict[str, Any]]:
    """Frame truths of three clips of a tier."""
    worlds = [draw(Wanted(tier=tier, seed=seed, seconds=5.0, fps=8.0)) for seed in range(3)]
    return [entry for world in worlds for entry in world.truth()["frames"]]


def test_tiers_keep_what_their_names_say() -> None:
    assert all(entry["blur_tiles"] == 0 for entry in _entries("tripod"))
    assert all(45 < entry["tilt_deg"] < 68 for entry in _entries("oblique60"))
    assert all(16 < entry["tile_px"] < 27 for entry in _entries("farscreen"))
    assert any(entry["covered"] for entry in _entries("occlusion"))
    assert all(entry["board"]["rows"] >= 12 for entry in _entries("bigboard"))
    assert any(0 < entry["visible"] < 0.9 for entry in _entries("partial"))
    away = _entries("relock")
    assert any(entry["board"] is None for entry in away)
    assert all(not entry["still"] for entry in away if entry["board"] is None)


def test_usual_tiers_keep_the_board_in_view() -> None:
    for tier in ("handheld", "rotated", "oblique60", "phone"):
        assert all(entry["visible"] == 1 for entry in _entries(tier))


def test_still_means_that_nothing_moves() -> None:
    entries = _entries("gravity")
    assert all(not entry["still"] for entry in entries if entry["transition"])
    for before, after in pairwise(entries):
        if before["frame"] < after["frame"] and before["still"] and after["still"]:
            assert before["board"]["cells"] == after["board"]["cells"]


@settings(max_examples=40)
@given(st.sampled_from(sorted(GRAVITIES)), st.integers(0, 10**6))
def test_a_script_plays_by_the_rules(gravity: str, seed: int) -> None:
    rng, rules = np.random.default_rng(seed), Rules(gravity)
    start = opening(6, 8, 8, 0.3, rules, rng)
    script = Script(start, rules, (0.5, 1.0), 20.0, rng)
    boards = [act.board for act in script.acts]
    assert boards[0] == start
    for before, after in pairwise(boards):
        if before == after:
            continue
        followed = [play(before, rules, pair.a, pair.b) for pair in links(before, rules)]
        shuffled = not followed and before.counts == after.counts
        assert shuffled or after in followed


@given(st.integers(2, 9), st.integers(2, 5), st.integers(2, 20), st.integers(0, 10**6))
def test_a_started_game_has_pairs_and_shows_its_extent(
    rows: int, half: int, kinds: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    cols = 2 * half
    board = opening(rows, cols, kinds, 0.6, Rules(), rng)
    assert all(count % 2 == 0 for count in board.counts.values())
    assert links(board, Rules())
    for line in (
        board.cells[0],
        board.cells[-1],
        *list(zip(*board.cells, strict=True))[:: cols - 1],
    ):
        assert any(line)


def test_tiles_slide_to_where_gravity_takes_them() -> None:
    board = LinkBoard(((1, 2), (0, 2), (1, 0)))
    assert ways(board, "down") == {(0, 0): (1, 0), (0, 1): (1, 1), (1, 1): (2, 1), (2, 0): (2, 0)}


@pytest.mark.parametrize("name", LOOKS)
def test_kinds_of_a_look_can_be_told_apart(name: str) -> None:
    look = LOOKS[name]
    kinds = min(20, look.most_kinds)
    drawn = tiles(look, kinds, (48, round(48 / look.aspect)), np.random.default_rng(1))
    pictures = [even.astype(np.float32)[..., :3] * (even[..., 3:] / 255) for even, _ in drawn]
    for i, one in enumerate(pictures):
        for other in pictures[:i]:
            assert np.abs(one - other).mean() > 0.5


def test_empty_cells_show_what_is_behind() -> None:
    world = draw(Wanted(tier="tripod", seed=1, look="farm", taken=0.5))
    moment = world.show.at(0.0)
    picture, bare = world.show.paint(moment), world.show.paint(replace(moment, sprites=()))
    board, area = moment.board, world.show.board
    assert area
    height, width = area.height // board.rows, area.width // board.cols
    for r, row in enumerate(board.cells):
        for c, kind in enumerate(row):
            part = np.s_[
                area.y + r * height : area.y + (r + 1) * height,
                area.x + c * width : area.x + (c + 1) * width,
            ]
            assert (picture[part] == bare[part]).all() == (kind == 0)


def test_a_disc_of_a_table_leans_away_from_the_camera() -> None:
    """Tops of thick discs are shifted against the grid when the board is seen from the side."""
    world = draw(Wanted(tier="oblique45", seed=6, game="othello-table", size_wh=(640, 360)))
    flat = _flattened(world)
    pictures = [Renderer(w).frame(0).astype(int) for w in (world, flat)]
    assert np.abs(pictures[0] - pictures[1]).mean() > 0.5


def _flattened(world: World) -> World:
    """The same world with discs as thin as paper."""
    show = draw(world.wanted).show
    show.height = 1e-3  # type: ignore[attr-defined]
    return replace(world, show=show)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("tier=nowhere", "nowhere"),
        ("seed=many", "seed=many"),
        ("size=big", "size=big"),
        ("speed=3", "speed"),
        ("look=ugly", "ugly"),
        ("game=chess", "chess"),
        ("gravity=sideways", "sideways"),
        ("fps=0", "fps"),
        ("rows=1,cols=1", "rows"),
        ("rows=3,cols=5", "odd"),
        ("game=othello,rows=6", "rows is no setting of the game othello"),
        ("game=nonogram,taken=0.5", "taken is no setting of the game nonogram"),
        ("tier=tripod,seed=7,rows=7,cols=10,gravity=up,taken=0.95", "empty an outer row"),
    ],
)
def test_a_wrong_spec_is_one_clear_line(spec: str, word: str) -> None:
    with pytest.raises(UserError, match=word):
        open_scene(f"scene:{spec}")


def test_the_command_writes_clip_truth_and_camera(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["scene", "--tier", "tripod", "--seed", "7", "--size", "320x180", "--seconds", "1"]
    for folder in ("one", "other"):
        assert main([*words, "--out", str(tmp_path / folder)]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("tripod-7.mp4")
    truths = [(tmp_path / f / "tripod-7.json").read_bytes() for f in ("one", "other")]
    assert truths[0] == truths[1]
    truth = json.loads(truths[0])
    clip = cv2.VideoCapture(str(tmp_path / "one" / truth["video"]))
    assert clip.get(cv2.CAP_PROP_FRAME_COUNT) == len(truth["frames"]) == 30
    camera = json.loads((tmp_path / "one" / "tripod-7.camera.json").read_text())
    assert (camera["width"], camera["height"], len(camera["dist"])) == (320, 180, 5)


def test_a_clip_begins_in_mid_game_as_asked_for(tmp_path: Path) -> None:
    words = ["scene", "--size", "320x180", "--seconds", "0.1", "--out", str(tmp_path), "--taken"]
    left = []
    for taken in ("0", "0.5"):
        assert main([*words, taken]) == 0
        truth = json.loads((tmp_path / "handheld-0.json").read_text())
        board = truth["frames"][0]["board"]
        left.append(np.count_nonzero(board["cells"]) / (board["rows"] * board["cols"]))
    assert left[0] == 1 and 0.45 < left[1] < 0.55


def test_a_size_that_no_video_holds_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scene", "--size", "321x180"]) == 2
    assert "even" in capsys.readouterr().err


def test_an_unwritable_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["scene", "--out", str(tmp_path / "file"), "--seconds", "1"]) == 2
    assert "can't be written" in capsys.readouterr().err


def test_a_desk_in_view_to_its_horizon_sends_no_less_than_no_light() -> None:
    with np.errstate(invalid="raise"):
        for _ in open_scene(f"scene:tier=oblique60,seed=9838,{SMALL}"):
            pass


def test_a_pixel_on_the_horizon_spoils_no_frame() -> None:
    """Where the camera's horizon meets a pixel's middle, the desk behind has no place there."""
    renderer = Renderer(open_scene("scene:tier=oblique60,seed=9880,seconds=8").world)
    time = renderer.world.time(73)
    assert np.isfinite(renderer.stage.light(renderer.world.path.at(time), time)).all()
