"""`ar-assist solve`: the clearing order of a link board, or of many."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ar_assist.errors import SourceError, UserError, writing
from ar_assist.games.link import drawing, solver
from ar_assist.games.link.board import GRAVITIES, GRAVITY_WORDS, LinkBoard, Rules
from ar_assist.games.link.files import load_boards
from ar_assist.games.link.paths import Link, links
from ar_assist.games.link.solver import Solution

# Under --seconds searches grow: the first one's nodes (0.1 s in plain Python), and how many times
# more the next one gets: too few more find nothing new, and a short one misjudges a long one.
FIRST_NODES, LEAST_GROWTH, MOST_GROWTH = 1_000, 2, 16
LOADING_S = 1.0  # what the accelerator takes to load, where it was compiled before


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("board", help="rows of whole numbers or JSON; .jsonl: one a line; -: stdin")
    words = f"{GRAVITY_WORDS} (as the file says)"
    parser.add_argument("--gravity", choices=list(GRAVITIES), metavar="RULE", help=words)
    parser.add_argument("--no-outside", action="store_true", help="paths stay within the board")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--seconds", type=float, help="search for about so long")
    budget.add_argument("--nodes", type=int, help=f"positions to look at ({solver.NODES})")
    parser.add_argument("--all-pairs", action="store_true", help="judge every legal pair")
    parser.add_argument("--json", action="store_true", help="one JSON object per board")
    parser.add_argument(
        "--out", type=Path, help="draw the order: .png or .gif; numbered for .jsonl"
    )


def run(args: argparse.Namespace) -> int:
    """Solve board by board; each is told as soon as it is solved."""
    if args.out and args.out.suffix.lower() not in (".png", ".gif"):
        raise UserError(f"{args.out}: the order is drawn as .png or .gif")
    budget = next((x for x in (args.seconds, args.nodes) if x is not None), 1)
    if not 0 < budget < math.inf:
        raise UserError("the budget must be more than nothing, and end")
    for number, (board, rules) in enumerate(_boards(args), 1):
        begin = time.perf_counter()
        found = _solve(board, rules, args)
        ms = 1000 * (time.perf_counter() - begin)
        solution = _finished(board, rules, found)
        order = [link for _, link in solver.replay(board, rules, solution.order)]
        nodes = args.nodes or solver.NODES
        judged = _judge(board, rules, found, nodes) if args.all_pairs else None
        if args.out:
            out = args.out.with_stem(f"{args.out.stem}-{number}") if _many(args) else args.out
            _draw(out, board, rules, solution)
        if args.json:
            print(json.dumps(_record(order, solution, ms, judged)), flush=True)
        else:
            _tell(rules.labels(board), order, solution, ms, judged)
    return 0


def _many(args: argparse.Namespace) -> bool:
    """Whether the file may hold several boards, one a line."""
    return bool(args.board.lower().endswith(".jsonl"))


def _boards(args: argparse.Namespace) -> Iterator[tuple[LinkBoard, Rules]]:
    """The boards of the file with the rules of the command line put over the file's."""
    if _many(args):
        solver.warm(wait=True)
    try:
        for board, rules in load_boards(_text(args.board), lines=_many(args)):
            if args.gravity:
                rules = replace(rules, gravity=args.gravity)
            if args.no_outside:
                rules = replace(rules, outside=False)
            yield board, rules
    except ValueError as error:
        raise UserError(f"{args.board}: {error}") from error


def _text(name: str) -> str:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        return text.removeprefix("\ufeff")
    except OSError as error:
        raise SourceError(f"{name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: not a text file") from error


def _solve(board: LinkBoard, rules: Rules, args: argparse.Namespace) -> Solution:
    """Solve within the budget."""
    if args.seconds:
        return _solve_for(args.seconds, board, rules)
    return solver.solve(board, rules, args.nodes or solver.NODES)


def _finished(board: LinkBoard, rules: Rules, solution: Solution) -> Solution:
    """What is said of the whole board: tiles without a partner make it lost."""
    if not solver.odd_kinds(rules.labels(board)):
        return solution
    order = solver.finish(board, rules, solution.order)
    return replace(solution, verdict="lost", order=order, left=board.left - 2 * len(order))


def _solve_for(seconds: float, board: LinkBoard, rules: Rules) -> Solution:
    """Solve for about so long: each search tells how many nodes the rest of the time is worth.

    The accelerator is loaded where that leaves time to use it. The last search gets most of it.
    """
    end = time.perf_counter() + seconds
    nodes, best = FIRST_NODES, None
    while True:
        begin = time.perf_counter()
        solution = solver.solve(board, rules, nodes)
        if best is None or solution.verdict != "unknown" or solution.left < best.left:
            best = solution
        now = time.perf_counter()
        times = (end - now) / (now - begin)
        if best.verdict != "unknown" or times < LEAST_GROWTH:
            return best
        if end - now > LOADING_S:
            solver.warm(wait=True)
        nodes = int(nodes * min(times, MOST_GROWTH))


def _judge(board: LinkBoard, rules: Rules, solution: Solution, nodes: int) -> list[dict[str, Any]]:
    """Every legal pair with its path and whether it is safe.

    Safe: all tiles that have a partner can go after it. Of a kind of odd number some tile was
    misread, so nothing is known of its pairs.
    """
    words = {True: "safe", False: "unsafe", None: "unknown"}
    labels = rules.labels(board)
    odd = solver.odd_kinds(labels)
    judged = []
    for link in links(board, rules):
        doubted = labels.at(link.a) in odd
        safe = None if doubted else solver.is_safe(board, rules, (link.a, link.b), solution, nodes)
        judged.append(_step(link) | {"verdict": words[safe]})
    return judged


def _step(link: Link) -> dict[str, Any]:
    return {"a": link.a, "b": link.b, "path": link.path}


def _record(
    order: list[Link], solution: Solution, ms: float, judged: list[dict[str, Any]] | None
) -> dict[str, Any]:
    """The JSON object of a board."""
    record = {
        "verdict": solution.verdict,
        "order": [_step(link) for link in order],
        "left": solution.left,
        "ms": round(ms, 3),
    }
    return record if judged is None else record | {"pairs": judged}


def _tell(
    board: LinkBoard,
    order: list[Link],
    solution: Solution,
    ms: float,
    judged: list[dict[str, Any]] | None,
) -> None:
    """The same for people; kinds that match each other bear one label here."""
    odd = [f"{count} of kind {kind}" for kind, count in board.counts.items() if count % 2]
    words = {
        "clears": f"clears all {board.left} tiles" if board.left else "no tile is left to clear",
        "lost": f"cannot be cleared; the best order found leaves {_tiles(solution.left)}",
        "unknown": f"no clearing order found; the best one leaves {_tiles(solution.left)}",
    }
    print(words[solution.verdict] + (f" ({', '.join(odd)})" if odd else "") + f", {ms:.1f} ms")
    for count, link in enumerate(order, 1):
        print(f"{count:3}. " + " - ".join(f"{r},{c}" for r, c in link.path))
    for pair in judged or ():
        print(f"{pair['verdict']:8} " + " - ".join(f"{r},{c}" for r, c in pair["path"]))


def _tiles(count: int) -> str:
    return "1 tile" if count == 1 else f"{count} tiles"


def _draw(path: Path, board: LinkBoard, rules: Rules, solution: Solution) -> None:
    """The order as a picture with numbers, or as an animation."""
    draw = drawing.animate if path.suffix.lower() == ".gif" else drawing.number
    with writing(path):
        draw(path, board, rules, solution.order)
