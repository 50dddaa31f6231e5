"""Boards of photographs pasted on real hand-held motion, with the truth of every frame.

The sheet's brightness and noise in the clip multiply the pasted picture, and the paste is averaged
over half a frame's exposure, so that it is lit, noisy and blurred like the sheet it lies on.

Goals: the hint right on 95 % of frames after the first second, none wrong, corners within 5 % of
a tile (median).

    python benchmarks/video_paste.py DATA [--latency 0.1] [--boards '*'] [--record FOLDER]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ar_assist import replay, runlog
from ar_assist.evaluate.score import ClipScore, score
from ar_assist.evaluate.truth import Record, parse_record, parse_truth
from ar_assist.games import GAMES
from ar_assist.overlay import draw
from ar_assist.recorder import Recorder
from ar_assist.types import Frame, Image, Points, homography, transform

CAPTURES = ("tsinghua_colorcapture", "tsinghua_graycapture", "ldt_monitor_a")
MOTIONS = ("blank_sheet_moving_camera", "tablet_like_sheet_moving_camera")
WARM_UP_S = 1.0  # after which hints are to be there

SHEET_WH = (1100, 850)  # px a sheet of letter paper is painted with, 100 px an inch
BOARD_SHARE = 0.86  # of the sheet's width or height that the board fills, the tighter of both
SHUTTER = (-0.25, -0.125, 0.0, 0.125, 0.25)  # moments of the exposure, in frames
PAPER = 215.0  # grey of paper that leaves the pasted picture as it is


class PastedClip:
    """A clip of a moving blank sheet with a photograph's board on it: a `Source` with truth."""

    live = False

    def __init__(self, video: Path, photo: Path) -> None:
        motion = json.loads(video.with_suffix(".json").read_text())
        self._board: dict[str, Any] = json.loads(photo.with_suffix(".json").read_text())
        self.name = f"{photo.stem} on {video.stem}"
        self.fps: float = motion["fps"]
        self.size_wh: tuple[int, int] = tuple(motion["size"])
        self._video = video
        self._quads = [None if q is None else np.array(q, np.float32) for q in motion["quads"]]
        self._sheet, self._board_on_sheet = _sheet_with(
            cv2.imread(str(photo)), np.array(self._board["corners"], np.float32)
        )

    def __iter__(self) -> Iterator[Frame]:
        capture = cv2.VideoCapture(str(self._video))
        for index in range(len(self._quads)):
            fine, image = capture.read()
            if not fine:
                break
            if self._quads[index] is not None:
                image = self._paste(image, index)
            image.flags.writeable = False
            yield Frame(index, index / self.fps, image)
        capture.release()

    def close(self) -> None:
        """Nothing is held between frames."""

    def corners(self, index: int) -> Points | None:
        """(4, 2) frame px of the board's true corners; None where the sheet is out of view."""
        quad = self._quads[index]
        if quad is None:
            return None
        return transform(_frame_from_sheet(quad), self._board_on_sheet)

    @property
    def truth(self) -> dict[str, Any]:
        """As a truth file has it."""
        frames = []
        for index, quad in enumerate(self._quads):
            board = None
            if quad is not None:
                board = {**self._board, "corners": self.corners(index).tolist()}
            frames.append(
                {
                    "frame": index,
                    "t": index / self.fps,
                    "board": board,
                    "link": self._board.get("link", []),
                }
            )
        return {"game": "link", "size": self.size_wh, "fps": self.fps, "frames": frames}

    def _paste(self, image: Image, index: int) -> Image:
        exposures = [self._quad_at(index, moment) for moment in SHUTTER]
        layers = np.zeros((*image.shape[:2], 4), np.float32)
        for quad in exposures:
            layers += cv2.warpPerspective(
                self._sheet, _frame_from_sheet(quad), self.size_wh, flags=cv2.INTER_AREA
            )
        layers /= len(exposures)
        lit = layers[..., :3] * (image / PAPER)
        cover = layers[..., 3:] / 255
        return np.clip(image * (1 - cover) + lit, 0, 255).astype(np.uint8)

    def _quad_at(self, index: int, moment: float) -> Points:
        """The sheet's quad a part of a frame before or after, where that neighbour has one."""
        here = self._quads[index]
        assert here is not None
        other = index + (1 if moment > 0 else -1)
        there = self._quads[other] if 0 <= other < len(self._quads) else None
        if there is None:
            return here
        quad: Points = here + np.float32(abs(moment)) * (there - here)
        return quad


def _frame_from_sheet(quad: Points) -> np.ndarray:
    w, h = SHEET_WH
    return homography(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5, quad)


def _sheet_with(photo: Image, corners: Points) -> tuple[Image, Points]:
    """The photograph laid on the sheet so that its board fits: (H, W, 4) with cover, (4, 2) px.

    Premultiplied by cover. What the photograph shows around the board comes along.
    """
    w = (np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[2] - corners[3])) / 2
    h = (np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    scale = BOARD_SHARE * min(SHEET_WH[0] / w, SHEET_WH[1] / h)
    half, centre = np.array([w, h]) * scale / 2, np.array(SHEET_WH) / 2
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    target = (centre + signs * half).astype(np.float32)
    covered = np.dstack([photo, np.full(photo.shape[:2], 255, np.uint8)])
    sheet = cv2.warpPerspective(
        covered, homography(corners, target), SHEET_WH, flags=cv2.INTER_CUBIC
    )
    return sheet.astype(np.float32), target


def run(clip: PastedClip, latency_s: float, film: Path | None) -> ClipScore:
    """Replay the clip, record it if wanted, and hold the log against the truth."""
    records: list[Record] = []
    with ExitStack() as stack:
        recorder = stack.enter_context(Recorder(film, clip.size_wh)) if film else None
        for view in replay.run(clip, [GAMES["link"]], latency_s):
            records.append(parse_record(runlog.record(view)))
            if recorder:
                recorder.write(draw(view), view.frame.time)
    return score(records, parse_truth(clip.truth), clip.name)


def report(scored: ClipScore) -> str:
    """One line: shares of frames after the first second, corner error in tiles, times."""
    late = [
        (frame, verdict)
        for frame, verdict in zip(scored.frames, scored.verdicts, strict=True)
        if frame.time >= WARM_UP_S and frame.has_board
    ]
    right = np.mean([verdict == "right" for _, verdict in late])
    exact = np.mean([frame.exact for frame, _ in late])
    wrong = sum(verdict == "wrong" for verdict in scored.verdicts)
    off = [f.corner_tiles for f in scored.frames if f.corner_tiles is not None]
    looks = [frame.look_ms for frame in scored.frames if frame.look_ms is not None]
    steps = [f.ms - (f.look_ms or 0) for f in scored.frames if f.ms is not None]
    return (
        f"{right:7.1%} {wrong:6d} {exact:7.1%} {np.median(off) if off else np.nan:7.3f}"
        f" {np.median(steps):6.1f} {np.median(looks):6.0f}  {scored.name}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of real pictures with truth")
    parser.add_argument("--latency", type=float, default=0.1, help="s of clip time a look takes")
    parser.add_argument("--boards", nargs="*", default=CAPTURES, help="names in link/, or '*'")
    parser.add_argument("--motions", nargs="*", default=MOTIONS, help="names in video/")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="write what was drawn")
    args = parser.parse_args()
    photos = [
        photo.with_suffix(suffix)
        for name in args.boards
        for photo in sorted((args.data / "link").glob(f"{name}.json"))
        for suffix in (".jpg", ".png")
        if photo.with_suffix(suffix).exists()
    ]
    print(f"{'right':>7} {'wrong':>6} {'exact':>7} {'corners':>7} {'step':>6} {'look':>6}")
    for motion in args.motions:
        for photo in photos:
            clip = PastedClip(args.data / "video" / f"{motion}.mp4", photo)
            film = args.record and args.record / f"{photo.stem}-{motion}.mp4"
            print(report(run(clip, args.latency, film)), flush=True)


if __name__ == "__main__":
    main()
