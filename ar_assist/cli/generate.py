"""`ar-assist generate`: link boards with a known verdict and a measured difficulty."""

from __future__ import annotations

import argparse
import json
import random
import sys

from ar_assist.errors import UserError
from ar_assist.games.link import solver
from ar_assist.games.link.board import GRAVITIES, GRAVITY_WORDS, LONGEST, LinkBoard, Rules
from ar_assist.games.link.files import to_json
from ar_assist.games.link.generate import DIFFICULTIES, Difficulty, generate, measure

TRIES = 1000  # boards dealt before it gives up


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("--board", default="7x12", metavar="RxC", help="rows x columns (7x12)")
    parser.add_argument("--kinds", type=int, help="default: four tiles of each (--lost: two)")
    parser.add_argument(
        "--gravity", choices=list(GRAVITIES), default="none", metavar="RULE", help=GRAVITY_WORDS
    )
    parser.add_argument("--no-outside", action="store_true", help="paths stay within the board")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1, help="how many boards; more than 1: JSON")
    parser.add_argument("--difficulty", choices=list(DIFFICULTIES), help="deal until one is it")
    parser.add_argument("--lost", action="store_true", help="boards proved not clearable")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object a line, as solve reads"
    )


def run(args: argparse.Namespace) -> int:
    """Deal the boards and print them."""
    rows, cols = _size(args.board)
    usual = -(-rows * cols // (2 if args.lost else 4))
    kinds = usual if args.kinds is None else args.kinds
    if min(kinds, args.count) < 1:
        raise UserError("there must be at least one kind and one board")
    if args.lost and args.difficulty:
        raise UserError("a lost board has no difficulty: use --lost or --difficulty")
    rules = Rules(args.gravity, outside=not args.no_outside)
    solver.warm(wait=True)
    rng = random.Random(args.seed)
    for _ in range(args.count):
        board, difficulty = _wanted(rows, cols, kinds, rules, rng, args)
        name = "lost" if args.lost else difficulty.name
        _print(board, rules, name, difficulty, as_json=args.json or args.count > 1)
    return 0


def _size(words: str) -> tuple[int, int]:
    sides = words.split("x")
    if not (len(sides) == 2 and all(side.isdecimal() for side in sides)):
        raise UserError(f"--board {words}: rows x columns, as in 7x12")
    rows, cols = map(int, sides)
    if rows * cols < 2 or max(rows, cols) > LONGEST:
        raise UserError(f"--board {words}: from two cells up to {LONGEST} x {LONGEST}")
    return rows, cols


def _wanted(
    rows: int, cols: int, kinds: int, rules: Rules, rng: random.Random, args: argparse.Namespace
) -> tuple[LinkBoard, Difficulty]:
    """Deal until the board is what was asked for."""
    for tries in range(TRIES, 0, -1):
        found = generate(rows, cols, kinds, rules, rng, not args.lost, tries)
        if found is None:
            break
        difficulty = measure(found[0], rules, found[1], rng)
        if args.difficulty in (None, difficulty.name):
            return found[0], difficulty
    raise UserError(f"none of {TRIES} boards dealt was such a board: try another size or kinds")


def _print(
    board: LinkBoard, rules: Rules, name: str, difficulty: Difficulty, as_json: bool
) -> None:
    """The board on standard output; for people, what was measured on standard error."""
    if as_json:
        facts = {
            "difficulty": name,
            "random_wins": difficulty.wins,
            "forced_moves": difficulty.forced,
        }
        print(json.dumps(to_json(board, rules) | facts), flush=True)
        return
    print(rules)
    print(board)
    print(
        f"{name}: random play wins {difficulty.wins:.0%}, {difficulty.forced} forced moves",
        file=sys.stderr,
    )
