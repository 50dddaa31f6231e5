"""The lens is recovered from real and from rendered views, and files and errors are as promised."""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from lens import straight_px

from calibration import Camera, Target, calibrate, greys, pictures
from calibration.__main__ import _live, add_arguments, main, run
from calibration.camera import STRAIGHT_PX
from calibration.guide import objection, wanted
from calibration.light import EVEN_BLACK, EVEN_WHITE, Light, measure
from calibration.pictures import CalibrationError
from calibration.target import View

LENS = Camera(1280, 720, 1000.0, 1000.0, 645.0, 352.0, (-0.35, 0.12, 0.0005, -0.0004))
SMALL = Camera(640, 480, 600.0, 600.0, 320.0, 242.0, (-0.2, 0.05))
LIGHT = """{"white": [210, 210, 210], "black": [20, 20, 20], "gamma": 1.1, "flicker": null,
"frames": 1, "date": ""}"""


def pose(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rotation vector and translation of a 9 x 6 target that fills much of the picture."""
    rotation = np.array([rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), rng.uniform(-3, 3)])
    shift = np.array([rng.uniform(-4, 4), rng.uniform(-2, 2), rng.uniform(9, 14)])
    middle = cv2.Rodrigues(rotation)[0] @ np.array([4, 2.5, 0])
    return rotation, shift - middle


def views(camera: Camera, count: int, seed: int, noise_px: float = 0.1) -> list[View]:
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:6, :9]
    flat = np.stack([x.ravel(), y.ravel(), np.zeros(54)], axis=1).astype(float)
    found = []
    for _ in range(count):
        rotation, shift = pose(rng)
        seen, _ = cv2.projectPoints(flat, rotation, shift, camera.matrix, camera.coefficients)
        seen = seen.reshape(-1, 2) + rng.normal(0, noise_px, (54, 2))
        inside = ((seen > 0) & (seen < (camera.width, camera.height))).all(axis=1)
        found.append(View(flat[inside], seen[inside]))
    return found


def pose_in_view(camera: Camera, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A pose in which the whole target is in the picture: a plain chessboard must be."""
    rim = np.array([[-1.0, -1, 0], [9, -1, 0], [9, 6, 0], [-1, 6, 0]])
    while True:
        rotation, shift = pose(rng)
        seen = cv2.projectPoints(rim, rotation, shift, camera.matrix, camera.coefficients)[0]
        if ((seen > 8) & (seen < (camera.width - 8, camera.height - 8))).all():
            return rotation, shift


def photograph(target: Target, camera: Camera, seed: int) -> np.ndarray:
    """The target's picture as the camera sees it, on grey."""
    square = 60
    picture = target.picture(square)
    rotation, shift = pose_in_view(camera, np.random.default_rng(seed))
    turn = cv2.Rodrigues(rotation)[0]
    frame_from_flat = camera.straight_matrix @ np.column_stack([turn[:, :2], shift])
    # The first inner corner lies one margin and one square into the picture.
    offset = 2 * square - 0.5
    flat_from_picture = np.array(
        [[1 / square, 0, -offset / square], [0, 1 / square, -offset / square], [0, 0, 1]]
    )
    picture_from_frame = np.linalg.inv(frame_from_flat @ flat_from_picture)
    source = cv2.perspectiveTransform(straight_px(camera).reshape(1, -1, 2), picture_from_frame)
    source = source.reshape(camera.height, camera.width, 2).astype(np.float32)
    shown = cv2.remap(
        picture, source[..., 0], source[..., 1], cv2.INTER_AREA, borderValue=(128,) * 3
    )
    return cv2.GaussianBlur(shown, (0, 0), 0.7)


def test_a_known_lens_is_recovered() -> None:
    camera = calibrate(views(LENS, 14, seed=1), (1280, 720))
    assert camera.fx == pytest.approx(LENS.fx, rel=0.003)
    assert abs(camera.cx - LENS.cx) < 2
    assert abs(camera.cy - LENS.cy) < 2
    grid = np.stack(np.meshgrid(np.linspace(60, 1220, 9), np.linspace(40, 680, 7)), axis=-1)
    away = np.hypot(*np.moveaxis(camera.distort(camera.straighten(grid)) - grid, -1, 0))
    assert away.max() < 0.3  # the two directions agree
    displaced = straightened(camera, grid) - straightened(LENS, grid)
    assert np.median(np.hypot(*np.moveaxis(displaced, -1, 0))) < 0.3


def straightened(camera: Camera, points: np.ndarray) -> np.ndarray:
    """Where a camera with its very matrix and no distortion has px of the original picture."""
    by_matrix = camera.matrix @ np.linalg.inv(camera.straight_matrix)
    straight = camera.straighten(points).astype(float)
    return cv2.perspectiveTransform(straight.reshape(-1, 1, 2), by_matrix).reshape(straight.shape)


@pytest.mark.parametrize("dist", [(-0.35, 0.12), (-0.1,), (), (0.1, 0.02)])
def test_undistorting_cuts_nothing_off(dist: tuple[float, ...]) -> None:
    camera = Camera(640, 360, 450.0, 450.0, 322.0, 176.0, dist)
    rim = [[x, y] for x in range(2, 638, 9) for y in (2, 357)]
    rim += [[x, y] for x in (2, 637) for y in range(2, 358, 9)]
    picture = np.zeros((360, 640, 3), np.uint8)
    for x, y in rim:
        cv2.circle(picture, (x, y), 2, (255, 255, 255), -1)
    straight = camera.undistort(picture)
    seen = np.rint(camera.straighten(np.array(rim, float))).astype(int)
    assert (straight[seen[:, 1], seen[:, 0]] > 150).all()
    assert camera.shown.shape == straight.shape[:2]
    assert camera.shown[seen[:, 1], seen[:, 0]].mean() > 0.95  # the outermost px blend with black
    middle = np.array([[322.0, 176.0], [323.0, 176.0]])
    assert np.diff(camera.straighten(middle)[:, 0])[0] == pytest.approx(1, abs=0.01)
    np.testing.assert_allclose(camera.distort(camera.straighten(rim)), rim, atol=0.01)


@pytest.mark.parametrize("size_wh", [(1920, 1080), (2160, 3840)])
def test_a_large_picture_is_undistorted_to_what_finding_needs(size_wh: tuple[int, int]) -> None:
    """Whatever the camera, a frame costs the same; places are as before."""
    width, height = size_wh
    camera = Camera(width, height, 1000.0 * width / 1280, 1000.0 * width / 1280,
                    width / 2 + 3, height / 2 - 7, (-0.2, 0.05))  # fmt: skip
    spots = np.array([[0.1, 0.1], [0.5, 0.5], [0.93, 0.2], [0.3, 0.8]]) * size_wh
    picture = np.zeros((height, width, 3), np.uint8)
    for x, y in spots.astype(int):
        cv2.circle(picture, (x, y), width // 100, (255, 255, 255), -1)
    straight = camera.undistort(picture)
    assert max(straight.shape) == STRAIGHT_PX and camera.shown.shape == straight.shape[:2]
    _, _, _, middles = cv2.connectedComponentsWithStats((straight[..., 0] > 127).astype(np.uint8))
    told = camera.straighten(spots.astype(int))
    away = np.hypot(*(middles[1:, None] - told[None]).transpose(2, 0, 1)).min(axis=0)
    assert away.max() < 0.5
    np.testing.assert_allclose(camera.distort(told), spots.astype(int), atol=0.02)


def test_a_lens_that_its_model_folds_back_shows_nothing_twice() -> None:
    camera = Camera(640, 360, 400.0, 400.0, 320.0, 180.0, (-0.35,))
    picture = np.zeros((360, 640, 3), np.uint8)
    cv2.circle(picture, (30, 180), 6, (255, 255, 255), -1)
    straight = camera.undistort(picture)
    assert straight.shape[0] < 1.6 * 360 and straight.shape[1] < 1.6 * 640
    assert cv2.connectedComponents((straight[..., 0] > 100).astype(np.uint8))[0] == 2


def test_a_plain_lens_gets_no_distortion() -> None:
    plain = Camera(1280, 720, 1100.0, 1100.0, 640.0, 360.0)
    camera = calibrate(views(plain, 12, seed=2), (1280, 720))
    corner = np.array([[20.0, 20.0]])
    assert np.abs(straightened(camera, corner) - corner).max() < 1.0


def test_a_bad_view_is_left_out() -> None:
    good = views(LENS, 10, seed=3)
    rng = np.random.default_rng(0)
    bent = View(
        good[0].object_points, good[0].image_points + rng.normal(0, 6, good[0].image_points.shape)
    )
    camera = calibrate([*good[1:], bent], (1280, 720))
    assert camera.evidence.rejected == 1
    assert camera.fx == pytest.approx(LENS.fx, rel=0.003)


def test_the_stated_uncertainty_holds() -> None:
    """The true focal length lies within two standard errors nearly always."""
    within = 0
    for seed in range(20, 30):
        camera = calibrate(views(LENS, 8, seed, noise_px=0.3), (1280, 720))
        within += abs(camera.fx - LENS.fx) < 2 * camera.evidence.focal_sigma_px
    assert within >= 8


def test_real_chessboards(data: Path) -> None:
    target = Target.parse("chessboard:9x6")
    paths = sorted((data / "planes").glob("chessboard_left*.jpg"))
    found = [target.detect(cv2.imread(str(p))) for p in paths]
    camera = calibrate([v for v in found if v], (640, 480))
    assert camera.evidence.views == 5
    assert camera.evidence.rms_px <= 0.3
    # OpenCV's published result for this camera.
    assert abs(camera.fx - 536) < 2 * camera.evidence.focal_sigma_px < 15


def test_corners_between_markers_are_seen_to_a_tenth_of_a_pixel() -> None:
    target, seed = Target.parse("charuco:9x6"), 3
    view = target.detect(photograph(target, LENS, seed))
    assert view is not None
    rotation, shift = pose_in_view(LENS, np.random.default_rng(seed))
    flat = view.object_points - (1, 1, 0)  # from the first inner corner
    seen, _ = cv2.projectPoints(flat, rotation, shift, LENS.matrix, LENS.coefficients)
    away = np.hypot(*(view.image_points - seen.reshape(-1, 2)).T)
    assert np.sqrt((away**2).mean()) < 0.1


@pytest.mark.parametrize("pattern", ["charuco:10x7", "chessboard:9x6"])
def test_pictures_to_camera_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pattern: str
) -> None:
    target = Target.parse(pattern)
    for i in range(8):
        cv2.imwrite(str(tmp_path / f"{i}.png"), photograph(target, SMALL, seed=40 + i))
    out = tmp_path / "camera.json"
    done = calibration("--from", str(tmp_path), "--pattern", pattern, "--out", str(out),
                       "--square-mm", "22.5")  # fmt: skip
    assert done.returncode == 0, done.stderr
    camera = Camera.load(out)
    assert camera.fx == pytest.approx(SMALL.fx, rel=0.01)
    assert json.loads(out.read_text())["evidence"]["target"] == f"{pattern} with squares of 22.5 mm"
    assert main(["--check", str(out)]) == 0
    told = capsys.readouterr().out
    assert "640x480" in told
    assert "fits the camera" in told
    cv2.imwrite(str(tmp_path / "0-another.png"), np.zeros((300, 200, 3), np.uint8))
    check = ["--check", str(out), "--with", str(tmp_path), "--pattern", pattern]
    assert main([*check, "--out", str(tmp_path / "checked")]) == 0
    assert (tmp_path / "checked.png").exists()


def test_pictures_of_another_size_are_told_of_and_do_not_set_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = Target.parse("chessboard:9x6")
    lens = Camera(640, 480, 600.0, 600.0, 320.0, 240.0)
    cv2.imwrite(str(tmp_path / "0-screenshot.png"), np.zeros((720, 1280, 3), np.uint8))
    views = [photograph(target, lens, seed=40 + i) for i in range(4)]
    for i in range(3):
        cv2.imwrite(str(tmp_path / f"{i + 1}.png"), views[i])
    cv2.imwrite(str(tmp_path / "4.png"), cv2.rotate(views[3], cv2.ROTATE_90_CLOCKWISE))
    out = tmp_path / "camera.json"
    words = ["--from", str(tmp_path), "--pattern", "chessboard:9x6", "--out", str(out)]
    assert main(words) == 0
    assert Camera.load(out).width == 640
    assert "of 5 pictures 1 are of another size than 640x480" in capsys.readouterr().err
    (tmp_path / "1.png").unlink()
    assert main(words) == 1
    assert "(1 are of another size than 640x480)" in capsys.readouterr().err


def test_views_of_a_camera_whose_size_changes_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "can_show", lambda: False)
    target = Target.parse("chessboard:9x6")
    lens = Camera(640, 480, 600.0, 600.0, 320.0, 240.0)
    upright = photograph(target, lens, seed=5)
    views, size_wh = _live(target, iter([upright, cv2.resize(upright, (512, 384))]))
    assert size_wh == (512, 384)
    assert len(views) == 1
    assert views[0].image_points.max(axis=0)[0] < 512


def test_a_wrong_camera_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = Target.parse("chessboard:9x6")
    for i in range(3):
        cv2.imwrite(str(tmp_path / f"{i}.png"), photograph(target, SMALL, seed=60 + i))
    replace(SMALL, dist=(0.3, 0.0)).save(tmp_path / "wrong.json")
    check = ["--check", str(tmp_path / "wrong.json"), "--with", str(tmp_path)]
    assert main([*check, "--pattern", "chessboard:9x6", "--out", str(tmp_path / "x")]) == 1
    assert "does NOT fit" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_targets_are_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"target.{suffix}"
    assert calibration("--target", str(path)).returncode == 0
    assert path.stat().st_size > 1000
    if suffix == "png":
        view = Target.parse("charuco:9x6").detect(cv2.imread(str(path)))
        assert view is not None
        assert len(view.image_points) == 8 * 5


@pytest.mark.parametrize("pattern", ["charuco:9x6", "chessboard:9x6"])
@pytest.mark.parametrize("size_wh", [(1366, 768), (720, 1280)])
def test_a_target_on_a_screen_has_equal_squares_of_whole_px(
    pattern: str, size_wh: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn for the screen, which is known once the window is there."""
    target, seen = Target.parse(pattern), []
    monkeypatch.setattr(pictures, "can_show", lambda: True)
    monkeypatch.setattr(pictures, "_is_closed", lambda: False)
    monkeypatch.setattr(cv2, "getWindowImageRect", lambda title: (0, 0, *size_wh))
    monkeypatch.setattr(pictures, "show", lambda page, ms: seen.append(page) or len(seen) == 2)
    pictures.show_until_key(target.page)
    assert seen[-1].shape == (size_wh[1], size_wh[0], 3)
    view = target.detect(seen[-1])
    assert view is not None
    steps = np.diff(view.image_points[: 8 if target.kind == "charuco" else 9, 0])
    assert np.abs(steps - round(steps.mean())).max() < 0.05
    assert abs(np.median(steps)) > min(size_wh[0] // 12, size_wh[1] // 9) - 0.05


def test_a_target_too_fine_for_the_screen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "can_show", lambda: True)
    with pytest.raises(CalibrationError, match="charuco:40x40 is too fine") as refused:
        pictures.show_until_key(lambda size_wh: Target.parse("charuco:40x40").page((400, 300)))
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--from", "/nowhere"], 3),
        (["--from", __file__], 3),
        (["--from", "/nowhere", "--out", "/nowhere/camera.json"], 2),
        (["--target", "t.png", "--square-mm", "nan"], 2),
        (["--target", "t.png", "--square-mm", "-1"], 2),
        (["--camera", "97"], 3),
        (["--camera", "-1"], 2),
        (["--camera", "rtsp://me:s3cret@host/x"], 2),
        (["--from", "rtsp://me:s3cret@host/x"], 3),
        (["--size", "me:s3cret@host", "--show"], 2),
        (["--show", "http://host/?password=s3cret"], 2),
        (["--light", "--camera", "-1"], 2),
        (["--light", "--from", "/nowhere", "--out", "/nowhere/light.json"], 2),
        (["--target", "t.png", "--pattern", "charuco:1x1"], 2),
        (["--target", "/nowhere/t.png"], 2),
        (["--check", "/nowhere.json"], 2),
    ],
)
def test_bad_input_is_one_clear_line(words: list[str], code: int) -> None:
    done = calibration(*words)
    assert done.returncode == code
    assert [line[:10] for line in done.stderr.splitlines()] == ["calibrate:"]
    assert "s3cret" not in done.stderr


def test_a_camera_file_survives_saving(tmp_path: Path) -> None:
    LENS.save(tmp_path / "c.json")
    assert Camera.load(tmp_path / "c.json") == LENS


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"fx": None}, "not a camera file"),
        ({"width": 0}, "must be positive"),
        ({"height": 1e400}, "not a camera file"),
        ({"fx": -1}, "must be positive"),
        ({"cx": float("nan")}, "finite"),
        ({"dist": [1e400]}, "finite"),
        ({"dist": [0] * 8}, "at most five"),
        ({"evidence": []}, "not a camera file"),
    ],
)
def test_a_wrong_camera_file_says_what_is_wrong(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    path = tmp_path / "c.json"
    LENS.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ValueError, match=says):
        Camera.load(path)


@pytest.mark.parametrize("text", ["[1]", "{}", "{", '{"width": 3}', "\udcff"])
def test_what_is_no_camera_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"camera file|not JSON"):
        Camera.load(path)


def test_another_size_scales_and_another_aspect_is_refused() -> None:
    half = LENS.at_size(640, 360)
    points = np.array([[200.0, 100.0]])
    here, there = straightened(half, (points + 0.5) / 2 - 0.5), straightened(LENS, points)
    np.testing.assert_allclose(here, (there + 0.5) / 2 - 0.5, atol=1e-2)
    with pytest.raises(ValueError, match="1280x720"):
        LENS.at_size(640, 480)


def test_guidance_ends_and_refuses_repeats() -> None:
    rich = views(LENS, 60, seed=5)
    assert "show the target in the" in wanted(rich[:1], (1280, 720))
    assert wanted(rich, (1280, 720)) == ""
    sharp = np.zeros((720, 1280, 3), np.uint8)
    sharp[:, ::2] = 255
    assert "like one" in objection(sharp, rich[0], [rich[0]], (1280, 720))
    flat = np.full((720, 1280, 3), 90, np.uint8)
    assert "blurred" in objection(flat, rich[0], [], (1280, 720))


def screen(
    black: float = 30.0,
    white: float = 210.0,
    gamma: float = 1.4,
    tint: tuple[float, float, float] = (0.8, 1.0, 1.0),
    hidden: bool = False,
    seed: int = 0,
) -> np.ndarray:
    """The greys on a screen seen from aside, with vignetting and noise."""
    level = black + (white - black) * (greys.picture() / 255) ** gamma
    if hidden:
        level[-300:, -300:] = 90  # something stands before a corner
    quad = np.array([[180, 90], [1090, 150], [1040, 640], [220, 560]], np.float32)
    height, width = level.shape[:2]
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    place = cv2.getPerspectiveTransform(flat, quad)
    seen = cv2.warpPerspective(level, place, (1280, 720), flags=cv2.INTER_AREA)
    y, x = np.mgrid[-1:1:720j, -1:1:1280j]
    seen *= (1 - 0.15 * (x * x + y * y))[..., None] * tint
    noise = np.random.default_rng(seed).normal(0, 4, seen.shape)
    return np.clip(cv2.GaussianBlur(seen, (0, 0), 1.2) + noise, 0, 255).astype(np.uint8)


def light_of(*pictures: np.ndarray) -> Light:
    seen = [greys.patches(picture) for picture in pictures]
    return measure([patches for patches in seen if patches is not None])


@pytest.mark.parametrize("hidden", [False, True])
def test_light_is_measured_from_aside(hidden: bool) -> None:
    light = light_of(screen(hidden=hidden))
    middle = 0.95  # of the light is left by the vignetting about the screen's middle
    tint = np.array([0.8, 1, 1])
    np.testing.assert_allclose(light.white, 210 * middle * tint, atol=6)
    np.testing.assert_allclose(light.black, 30 * middle * tint, atol=3)
    assert light.gamma == pytest.approx(1.4, abs=0.08)
    assert light.flicker is None, "one picture does not tell"
    assert light.advice() == []


def test_greys_that_are_not_in_view_are_not_measured() -> None:
    assert greys.patches(np.full((480, 640, 3), 128, np.uint8)) is None
    assert greys.patches(Target("charuco", 9, 6).picture(60)) is None
    assert greys.patches(screen()) is not None
    assert greys.patches(screen()[:, :960]) is None, "two markers and the last column are cut off"
    with pytest.raises(ValueError, match="greys"):
        measure([])
    with pytest.raises(ValueError, match="as bright as white"):
        measure([np.full_like(greys.patches(screen()), 90)])


def test_flicker_is_what_changes_from_picture_to_picture() -> None:
    bands = 1 + 0.06 * np.sin(np.linspace(0, 9, 720))[:, None, None]
    steady = [screen(seed=seed) for seed in range(4)]
    waving = [
        (picture * np.roll(bands, 190 * k, axis=0)).clip(0, 255).astype(np.uint8)
        for k, picture in enumerate(steady)
    ]
    assert light_of(*steady).flicker == pytest.approx(0, abs=0.01)
    assert light_of(*steady).advice() == []
    assert light_of(*waving).flicker == pytest.approx(0.06 / np.sqrt(2), abs=0.015)
    assert ["flickers" in line for line in light_of(*waving).advice()] == [True]


@pytest.mark.parametrize(
    ("tones", "says"),
    [
        ({"white": 300.0}, "clipped"),
        ({"white": 70.0, "black": 5.0}, "dark"),
        ({"black": 180.0}, "shade"),
    ],
)
def test_advice_against_bad_light(tones: dict[str, float], says: str) -> None:
    (line,) = light_of(screen(**tones)).advice()  # type: ignore[arg-type]
    assert says in line


def test_evened_pictures_show_black_as_black_and_white_as_white() -> None:
    dull = screen(black=120, white=170, gamma=1.0)
    even = light_of(dull).even(dull)
    again = light_of(even)
    np.testing.assert_allclose(again.black, 3 * (EVEN_BLACK,), atol=4)
    np.testing.assert_allclose(again.white, 3 * (EVEN_WHITE,), atol=4)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1]", "not a light file"),
        ("{", "not a light file"),
        ("{}", "'white' is missing"),
        ('{"white": [9, 9, 9], "black": [9, 9, 9]}', "missing"),
        (LIGHT.replace("210", "21"), "as bright as white"),
        (LIGHT.replace("210", "999"), "between 0 and 255"),
        (LIGHT.replace("210", "NaN"), "between 0 and 255"),
        (LIGHT.replace("20, 20]", "20]"), "not a light file|expected 3"),
    ],
)
def test_what_is_no_light_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "light.json"
    path.write_text(LIGHT)
    assert Light.load(path).white == (210, 210, 210)
    path.write_text(text)
    with pytest.raises(ValueError, match=says):
        Light.load(path)


def test_light_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, folder, out = tmp_path / "greys.png", tmp_path / "seen", tmp_path / "light.json"
    assert main(["--light", "--target", str(target)]) == 0
    assert (cv2.imread(str(target)) == greys.picture()).all()
    folder.mkdir()
    assert main(["--light", "--from", str(folder)]) == 1
    assert main(["--light", "--from", str(tmp_path / "missing")]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 2
    for seed in range(2):
        cv2.imwrite(str(folder / f"{seed}.png"), screen(black=185, seed=seed))
    assert main(["--light", "--from", str(folder), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "gamma 1.4" in said and "shade the screen" in said
    assert Light.load(out).frames == 2


def test_light_by_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The greys come into view after a while; those of a wrong exposure don't count."""

    class Camera:
        frames = (
            [np.zeros((720, 1280, 3), np.uint8)] * 5 + [screen(white=120)] * 30 + [screen()] * 30
        )

        def __init__(self, index: int) -> None:
            assert index == 0
            self.asked: dict[int, float] = {}

        def isOpened(self) -> bool:  # noqa: N802
            return True

        def set(self, key: int, value: float) -> None:
            self.asked[key] = value

        def read(self) -> tuple[bool, np.ndarray]:
            assert self.asked[cv2.CAP_PROP_FRAME_WIDTH] == 1280
            return True, self.frames.pop(0)

        def release(self) -> None:
            pass

    monkeypatch.setattr(cv2, "VideoCapture", Camera)
    monkeypatch.setattr(pictures, "can_show", lambda: False)
    out = tmp_path / "light.json"
    assert main(["--light", "--camera", "0", "--out", str(out)]) == 0
    assert Camera.frames == []
    assert Light.load(out).white[1] == pytest.approx(200, abs=6)
    assert "not in view" in capsys.readouterr().err


def test_what_was_seen_until_ctrl_c_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a window there is no other key."""
    found = views(LENS, 4, seed=3)

    def interrupted(index: str, size_wh: tuple[int, int]) -> Iterator[np.ndarray]:
        yield from [screen()] * 4
        raise KeyboardInterrupt

    def lit(index: str, size_wh: tuple[int, int]) -> Iterator[np.ndarray]:
        yield from [screen()] * 31  # of which the first 30 settle
        raise KeyboardInterrupt

    monkeypatch.setattr(pictures, "can_show", lambda: False)
    monkeypatch.setattr(Target, "detect", lambda target, picture: found.pop())
    monkeypatch.setattr("calibration.__main__.objection", lambda *_: "")
    camera, light = tmp_path / "camera.json", tmp_path / "light.json"
    words = ["--camera", "0", "--out"]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args([*words, str(camera)]), interrupted) == 0
    assert Camera.load(camera).evidence.views == 4
    assert run(parser.parse_args(["--light", *words, str(light)]), lit) == 0
    assert Light.load(light).frames == 1


@pytest.mark.parametrize("what", [[], ["--light"]])
def test_without_a_display_there_is_one_clear_line(
    what: list[str], no_display: dict[str, str]
) -> None:
    command = [sys.executable, "-m", "calibration", "--show", *what]
    done = subprocess.run(command, capture_output=True, text=True, env=no_display)
    if done.returncode == 0:
        pytest.skip("this system shows windows without DISPLAY")
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, "")


def calibration(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "calibration", *words], capture_output=True, text=True, timeout=300
    )


def test_guidance_is_written_on_a_copy_of_the_picture() -> None:
    picture = np.full((60, 400, 3), 128, np.uint8)
    shown = pictures.captioned(picture, "3 views; tilt the target")
    assert (picture == 128).all()
    assert shown.min() < 20 and shown.max() > 235
    assert (shown[45:] == 128).all()
