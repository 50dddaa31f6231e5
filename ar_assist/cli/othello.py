"""`ar-assist othello`: positions and transcripts as text, and the game that a run log saw."""

from __future__ import annotations

import argparse
from itertools import groupby

from ar_assist import runlog
from ar_assist.errors import UserError
from ar_assist.games.othello import OthelloGame
from ar_assist.games.othello.board import BLACK, NAMES, WHITE, OthelloBoard, square_name
from ar_assist.games.othello.transcript import follow, replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")
    moves = actions.add_parser("moves", help="the legal moves of a position, and the best one")
    moves.add_argument("position", help="64 symbols (X O -), or a transcript such as f5d6c3")
    moves.add_argument("--side", choices=["black", "white"], help="who is to move")
    moves.add_argument("--strength", type=int, default=5, metavar="N", help="1 to 10")
    transcript = actions.add_parser("transcript", help="the game in a log of live or replay")
    transcript.add_argument("log", help="written by --log")


def run(args: argparse.Namespace) -> int:
    """Do what was asked for; `transcript` gives 1 where no game was seen."""
    return {"moves": _moves, "transcript": _transcript}[args.action](args)


def _moves(args: argparse.Namespace) -> int:
    if not 1 <= args.strength <= 10:
        raise UserError(f"--strength: 1 to 10, got {args.strength}")
    try:
        history = _history(args.position)
    except ValueError as error:
        raise UserError(str(error)) from None
    board = history[-1]
    advice = OthelloGame(side=args.side, strength=args.strength).advise(history)
    print(board.diagram())
    counts = f"black {board.count(BLACK)}, white {board.count(WHITE)}"
    if advice.moves:
        move = advice.moves[0]
        names = " ".join(map(square_name, move.legal))
        print(f"{counts}, {NAMES[move.colour]} moves {len(move.legal)}: {names}")
    else:
        print(counts)
    print(advice.reason)
    return 0


def _history(position: str) -> list[OthelloBoard]:
    """The boards of a transcript, or the one position; ValueError says what is wrong."""
    if any(map(str.isdecimal, position)):
        return [board for board, _ in replay(position)]
    return [OthelloBoard.parse(position)]


def _transcript(args: argparse.Namespace) -> int:
    """Print the longest rule-true game; exit code 1 where no two boards follow each other."""
    try:
        seen = [_board(line["board"]) for line in runlog.read(args.log) if _has_board(line)]
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{args.log}: a board of Othello has 8 rows of 8 cells") from None
    game = follow([board for board, _ in groupby(seen)])
    print(game.export() if game else "no moves were seen")
    return 0 if game else 1


def _has_board(line: dict[str, object]) -> bool:
    return line.get("game") == "othello" and line.get("board") is not None


def _board(record: dict[str, list[list[int]]]) -> OthelloBoard:
    cells = [value for row in record["cells"] for value in row]
    if len(cells) != 64:
        raise ValueError(f"{len(cells)} cells")
    return OthelloBoard.from_cells(iter(cells))
