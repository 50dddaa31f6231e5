"""`ar-assist nonogram`: make nonograms of pictures, solve, check and convert puzzle files."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from ar_assist.cli.options import check_output
from ar_assist.errors import SourceError, UserError, writing
from ar_assist.games.nonogram.advice import advise
from ar_assist.games.nonogram.board import FILLED, Cells, NonogramBoard, puzzle_of
from ar_assist.games.nonogram.drawing import draw, to_image, to_pdf, to_svg
from ar_assist.games.nonogram.files import ENDINGS, read_puzzle, write_puzzle
from ar_assist.games.nonogram.make import Threshold, cells_of, make_unique
from ar_assist.games.nonogram.solver import solve
from ar_assist.video.files import read_picture

SECONDS = 60.0  # for solving, unless --time says otherwise
PNG_CELL_PX = 32
DRAWINGS = ".svg", ".pdf", ".png"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")
    make = actions.add_parser("make", help="a puzzle of a picture")
    make.add_argument("picture", type=Path)
    make.add_argument("--size", required=True, metavar="ROWSxCOLS", help="such as 40x60")
    make.add_argument(
        "--threshold", default="auto", help="auto (Otsu), adaptive, or a grey level 1 to 255"
    )
    make.add_argument(
        "--unique", action="store_true", help="alter cells until one solution is left"
    )
    make.add_argument("--time", type=float, default=SECONDS, help="seconds for --unique at most")
    make.add_argument("--solution", action="store_true", help="draw it filled in")
    make.add_argument(
        "--out",
        type=Path,
        action="append",
        help=".svg .pdf .png .non .nin .cwd .json, may be repeated; without it NON is printed",
    )
    for name, help_line in (
        ("solve", "the solution, or several"),
        ("check", "whether there is no solution, one or many (exit code 1 unless one)"),
        ("hint", "the next step, and why"),
    ):
        action = actions.add_parser(name, help=help_line)
        action.add_argument("puzzle", type=Path)
        if name != "hint":
            action.add_argument("--time", type=float, default=SECONDS, help="seconds at most")
        if name == "solve":
            action.add_argument("--count", type=int, default=1, help="how many solutions at most")
    convert = actions.add_parser("convert", help="from one file form to another, by the endings")
    convert.add_argument("puzzle", type=Path)
    convert.add_argument("out", type=Path, nargs="+")


def run(args: argparse.Namespace) -> int:
    """Do what was asked for; 1 where there is no solution (`check`: not just one) or no hint."""
    if not 0 < getattr(args, "time", SECONDS) < math.inf:
        raise UserError(f"--time must be seconds, more than nothing, not {args.time:g}")
    try:
        return {
            "make": _make,
            "solve": _solve,
            "check": _check,
            "hint": _hint,
            "convert": _convert,
        }[args.action](args)
    except ValueError as error:
        raise UserError(str(error)) from None


def _make(args: argparse.Namespace) -> int:
    _check_paths(args.out)  # before a minute's work
    rows, cols = _size(args.size)
    cells = cells_of(read_picture(args.picture), rows, cols, _threshold(args.threshold))
    if args.unique:
        cells, altered = make_unique(cells, args.time)
        print(f"one solution, {altered} of {rows * cols} cells altered")
    board = puzzle_of(cells)
    shown = board.with_cells([[v if v == FILLED else 0 for v in row] for row in cells])
    _write(board, shown if args.solution else board, args.out)
    return 0


def _solve(args: argparse.Namespace) -> int:
    if args.count < 1:
        raise UserError(f"--count must be 1 or more, not {args.count}")
    board = _load(args.puzzle)
    outcome = solve(board, max(args.count, 2), seconds=args.time)
    for cells in outcome.solutions[: args.count]:
        print(_picture(cells) + "\n")
    if outcome.verdict == "open":
        known = sum(value != 0 for row in outcome.known for value in row)
        total = board.size[0] * board.size[1]
        print(f"the time ended: {len(outcome.solutions)} found, {known} of {total} cells certain")
        if not outcome.solutions:
            print(_picture(outcome.known))
    else:
        print(
            {"none": "no solution", "one": "the only solution"}.get(outcome.verdict, "one of many")
        )
    return 0 if outcome.solutions else 1


def _check(args: argparse.Namespace) -> int:
    verdict = solve(_load(args.puzzle), 2, seconds=args.time).verdict
    print(verdict)
    return 0 if verdict == "one" else 1


def _hint(args: argparse.Namespace) -> int:
    advice = advise(_load(args.puzzle))
    if not advice.moves:
        print(advice.reason or advice.status)
        return 1
    move = advice.moves[0]
    print(move.why)
    for row, col, value in move.cells:
        print(f"row {row + 1}, column {col + 1}: {'filled' if value == FILLED else 'empty'}")
    return 0


def _convert(args: argparse.Namespace) -> int:
    _check_paths(args.out)
    board = _load(args.puzzle)
    _write(board, board, args.out)
    return 0


def _load(path: Path) -> NonogramBoard:
    try:
        return read_puzzle(path, path.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file") from None
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from None


def _check_paths(paths: list[Path] | None) -> None:
    for path in paths or ():
        if path.suffix.lower() not in (*ENDINGS, *DRAWINGS):
            raise UserError(
                f"{path}: unknown ending {path.suffix!r}, use {', '.join(ENDINGS)}; "
                f"drawings are {', '.join(DRAWINGS)}"
            )
        check_output(path)


def _write(board: NonogramBoard, shown: NonogramBoard, paths: list[Path] | None) -> None:
    """Each path by its ending: the puzzle's text, or the drawing of what is shown."""
    if not paths:
        print(write_puzzle(board, ".non"))
    for path in paths or ():
        ending = path.suffix.lower()
        with writing(path):
            if ending == ".svg":
                path.write_text(to_svg(draw(shown)), "utf-8")
            elif ending == ".pdf":
                to_pdf(draw(shown), path)
            elif ending == ".png":
                to_image(draw(shown), PNG_CELL_PX).save(path)
            else:
                path.write_text(write_puzzle(board, ending), "utf-8")


def _size(text: str) -> tuple[int, int]:
    try:
        rows, cols = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise UserError(f"--size is ROWSxCOLS, such as 40x60, not {text!r}") from None
    return rows, cols


def _threshold(text: str) -> Threshold:
    if text == "auto":
        return "otsu"
    if text == "adaptive":
        return "adaptive"
    if text.isdecimal() and 1 <= int(text) <= 255:
        return int(text)
    raise UserError(f"--threshold is auto, adaptive or 1 to 255, not {text!r}")


def _picture(cells: Cells) -> str:
    """# filled, . empty, ? unknown."""
    return "\n".join("".join("?#."[value] for value in row) for row in cells)
