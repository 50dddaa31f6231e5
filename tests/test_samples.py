"""The sample clips are whole, small, and fit their truth and cameras."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import cv2
import pytest

from ar_assist.evaluate import FIGURES, report

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
CLIPS = sorted(SAMPLES.glob("*.mp4"))
MOST_BYTES, MOST_BYTES_EACH = 25_000_000, 4_000_000  # a clone should stay light


def test_there_are_samples_and_they_are_small() -> None:
    assert len(CLIPS) >= 10
    assert all(clip.stat().st_size <= MOST_BYTES_EACH for clip in CLIPS)
    assert sum(path.stat().st_size for path in SAMPLES.iterdir()) <= MOST_BYTES


def test_checksums_are_of_the_files_that_lie_here() -> None:
    lines = (SAMPLES / "checksums.txt").read_text().splitlines()
    listed = {name: digest for digest, name in (line.split() for line in lines)}
    assert {clip.name for clip in CLIPS} <= set(listed)
    for name, digest in listed.items():
        assert hashlib.sha256((SAMPLES / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize("clip", CLIPS, ids=lambda clip: clip.stem)
def test_truth_and_camera_fit_the_clip(clip: Path) -> None:
    truth = json.loads(clip.with_suffix(".json").read_text())
    camera = json.loads(clip.with_suffix(".camera.json").read_text())
    video = cv2.VideoCapture(str(clip))
    size = [int(video.get(key)) for key in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
    frames = 0
    while video.grab():
        frames += 1
    assert frames == len(truth["frames"])
    assert video.get(cv2.CAP_PROP_FPS) == pytest.approx(truth["fps"])
    assert size == truth["size"] == [camera["width"], camera["height"]]


def test_the_baseline_is_of_these_clips() -> None:
    baseline = report.load(SAMPLES / "baseline.json")
    assert {clip["name"] for clip in baseline["clips"]} == {clip.stem for clip in CLIPS}
    assert baseline["all"].keys() == {figure.name for figure in FIGURES}
    assert baseline["all"]["hint_wrong"] == 0
