"""`ar-assist label`: write the truth of a clip with mouse and keys."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from ar_assist import replay, runlog
from ar_assist.cli import options
from ar_assist.errors import SourceError, UserError, writing
from ar_assist.evaluate.labelling import Labelling
from ar_assist.evaluate.pictures import draw_board
from ar_assist.evaluate.placed import PlacedBoard
from ar_assist.evaluate.truth import parse_record
from ar_assist.games import GAMES
from ar_assist.types import AnyGame, Frame, Image, Source
from ar_assist.video import open_source
from ar_assist.window import KIND, can_show

WINDOW = "ar-assist label"
HELP = "space, arrows: frame | shift-click: alike | e n x 0-9: label | []{}: size | p b w q"
LINE_PX = 22  # height of the status line
WAIT_MS = 20
# Codes of the arrow keys as cv2.waitKeyEx gives them on Linux (GTK, Qt), Windows and macOS.
ARROWS = {65361: "left", 65363: "right", 2424832: "left", 2555904: "right", 63234: "left",
          63235: "right"}  # fmt: skip
CORNER_PX = 7
ESCAPE = "\x1b"
GREEN, WHITE, BLACK = (80, 255, 80), (255, 255, 255), (0, 0, 0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("clip", type=Path, help="the clip or picture to label")
    parser.add_argument(
        "--every", type=float, default=1.0, metavar="S", help="s between key frames"
    )
    parser.add_argument("--game", default="link", choices=list(GAMES))
    parser.add_argument("--out", type=Path, metavar="FILE", help="the truth; else beside the clip")


def run(args: argparse.Namespace) -> int:
    """Let the user label; the truth is written by the key w."""
    if not args.every > 0:  # neither is nan; inf is the first frame alone
        raise UserError("--every is a time above 0 s")
    out = args.out or args.clip.with_suffix(".json")
    options.check_output(out)
    source = open_source(str(args.clip))
    try:
        frames = list(key_frames(source, args.every))
    finally:
        source.close()
    if not frames:
        raise SourceError(f"{args.clip}: not one frame")
    session = Labelling(frames, lambda image: propose(image, GAMES[args.game]))
    if not can_show():
        raise UserError("label needs a window: no display here, or OpenCV is headless")
    _edit(session, lambda: _write(session, source, args, out))
    return 0


def key_frames(source: Source, every_s: float) -> Iterator[Frame]:
    """The first frame, and each one that comes `every_s` or more after the last."""
    due = -np.inf
    for frame in source:
        if frame.time >= due:
            due = frame.time + every_s
            yield frame


def propose(image: Image, game: AnyGame) -> PlacedBoard | None:
    """The program's own reading of a picture."""
    return parse_record(runlog.record(replay.still(Frame(0, 0.0, image), (game,)))).board


def _write(session: Labelling, source: Source, args: argparse.Namespace, out: Path) -> None:
    truth = session.truth(args.clip.name, source.fps, source.size_wh, args.game)
    with writing(out):
        out.write_text(json.dumps(truth) + "\n", encoding="utf-8")
    print(f"wrote {out}: {len(truth['frames'])} key frames")


def _edit(session: Labelling, write: Callable[[], None]) -> None:
    """Show the session and pass on what the user does, until q, Esc or the window's end."""
    cv2.namedWindow(WINDOW, KIND)
    cv2.resizeWindow(WINDOW, session.frame.image.shape[1], session.frame.image.shape[0])
    cv2.setMouseCallback(WINDOW, lambda *event: _point(session, *event[:4]))
    try:
        while cv2.getWindowProperty(WINDOW, cv2.WND_PROP_VISIBLE) >= 1:
            cv2.imshow(WINDOW, drawn(session))
            code = cv2.waitKeyEx(WAIT_MS)
            key = ARROWS.get(code) or (chr(code & 0xFF) if code >= 0 else "")
            if key in ("q", ESCAPE):
                break
            if key == "w":
                write()
            session.press(key)
    finally:
        cv2.destroyWindow(WINDOW)


def _point(session: Labelling, event: int, x: int, y: int, flags: int) -> None:
    """A mouse event."""
    if event == cv2.EVENT_LBUTTONDOWN:
        session.click((x, y), alike=bool(flags & cv2.EVENT_FLAG_SHIFTKEY))
    elif event == cv2.EVENT_MOUSEMOVE and flags & cv2.EVENT_FLAG_LBUTTON:
        session.drag((x, y))
    elif event == cv2.EVENT_LBUTTONUP:
        session.release()


def drawn(session: Labelling) -> Image:
    """The key frame with its board, the chosen cell, handles and a line of help."""
    image = session.frame.image.copy()
    if session.board:
        draw_board(image, session.board)
        for x, y in session.board.corners:
            cv2.circle(image, (round(float(x)), round(float(y))), CORNER_PX, GREEN, 2, cv2.LINE_AA)
        if session.chosen:
            cell = session.board.quad(session.chosen).astype(np.int32)
            cv2.polylines(image, [cell], True, GREEN, 2, cv2.LINE_AA)
    where = f"{session.position + 1} of {len(session.frames)}"
    text = f"{where} | {HELP if session.board else 'no board in view | ' + HELP}"
    height, width = image.shape[:2]
    cv2.rectangle(image, (0, height - LINE_PX), (width, height), BLACK, -1)
    at = (6, height - 7)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, WHITE, 1, cv2.LINE_AA)
    return image
