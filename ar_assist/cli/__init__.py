"""`ar-assist`: parses, wires, prints. Each verb is a module here with `add_arguments` and `run`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from ar_assist import __version__
from ar_assist.addresses import without_credentials
from ar_assist.errors import UserError

# Matrices here are small: BLAS and OpenMP threads would take longer to wake than to work, and
# take the cores from the picture. Read by the libraries when they are loaded, so set before.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

ABOUT = """Sees a puzzle on a screen through a camera and draws the next move on the picture.
Without a verb it does so live; `ar-assist demo` shows it without a camera, `ar-assist VERB --help`
tells what a verb takes."""
BOARD = 64  # symbols of an Othello board, the shortest that may begin with a dash
VERBS: dict[str, str] = {  # name: one line of help
    "live": "see the board through a camera; this is what runs without a verb",
    "image": "find the board in photographs",
    "demo": "the whole program without a camera",
    "cameras": "list the cameras",
    "config": "show the settings, keep some in a profile",
    "doctor": "versions, display, cameras, latency: what a bug report needs",
    "evaluate": "score clips with truth, rendered tiers or run logs",
    "label": "write the truth of a clip by mouse and keys",
    "replay": "run the pipeline on a clip, with log and recording",
    "solve": "print the clearing order of a link board",
    "play": "clear the link board of a photograph, as an animation",
    "generate": "deal link boards of known difficulty",
    "nonogram": "make, solve, check and convert nonograms",
    "othello": "moves of a position; the transcript of a game that was seen",
    "scene": "write a rendered clip and its truth",
    "calibrate": "measure the camera's lens on a target, or the watched screen's light",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code. Without a verb it runs live."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "live")
    try:
        args = _parser(words[0]).parse_args(map(_told_from_options, words))
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except UserError as error:
        print(f"ar-assist: {without_credentials(str(error))}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _told_from_options(word: str) -> str:
    """The word; a board whose first square is empty begins with a dash, as options do.

    argparse takes no word with a space in it for an option, and no name of one is that long.
    """
    is_board = word.startswith("-") and len(word) >= BOARD and "=" not in word
    return f" {word}" if is_board else word


class _Parser(argparse.ArgumentParser):
    """One that says what is wrong in one line, as every other error is told."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} ({self.prog} --help tells more)")


def _parser(verb: str) -> argparse.ArgumentParser:
    """The parser; only the wanted verb's module is imported, so that start-up stays quick."""
    parser = _Parser(prog="ar-assist", description=ABOUT)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for name, help_line in VERBS.items():
        sub = verbs.add_parser(name, help=help_line, description=help_line)
        if name == verb:
            module = import_module(f"ar_assist.cli.{name}")
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    return parser
