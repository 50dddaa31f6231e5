"""`ar-assist evaluate`: score clips with truth, rendered tiers or run logs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ar_assist.cli import options
from ar_assist.errors import UserError
from ar_assist.evaluate import baseline, report
from ar_assist.evaluate.jobs import Job, jobs_of_path, jobs_of_tiers, parse_seeds
from ar_assist.evaluate.run import Result, run_all
from ar_assist.evaluate.truth import load_truth
from ar_assist.games import GAMES
from ar_assist.replay import LOOK_LATENCY_S
from ar_assist.scene.tiers import TIERS

PICTURES_PER_CLIP = 3
FILE_COLUMNS = 110  # characters of a table that is written to a file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="folders of clips with truth, clips or pictures, run logs (.jsonl)",
    )
    add("--truth", type=Path, help="truth (or a log) for the one PATH")
    add("--tiers", help="render these tiers: handheld,tripod,… or all")
    add("--seeds", default="0-3", help="seeds of the clips of a tier: 100-111 or 3,5,8")
    add("--game", default="auto", choices=["auto", *GAMES])
    strides = (
        "also run every N-th frame and compare the boards, such as 2 3: each takes as long again"
    )
    add("--strides", type=int, nargs="*", default=[], metavar="N", help=strides)
    latency = f"seconds of the clip that a look takes which finds a board ({LOOK_LATENCY_S:g})"
    add("--latency", type=float, default=LOOK_LATENCY_S, metavar="S", help=latency)
    add("--repeat", type=int, default=1, metavar="N", help="run N times to learn the noise")
    add("--jobs", type=int, default=-1, help="clips at a time; -1: one per core")
    add("--dask", metavar="HOST:PORT", help="run on a Dask cluster")
    add("--json", type=Path, metavar="FILE", help="write all figures")
    add("--html", type=Path, metavar="FILE", help="write a report with pictures")
    against = "compare with an earlier --json; exit code 1 on a regression"
    add("--baseline", type=Path, metavar="FILE", help=against)


def run(args: argparse.Namespace) -> int:
    """Score, print, write; 1 if the baseline was better."""
    asked = {"game": args.game, "latency": args.latency}
    before = baseline.load(args.baseline, asked) if args.baseline else None
    _check_outputs(args)
    jobs = _jobs(args)
    for job in jobs:
        if job.truth:
            load_truth(job.truth)  # a broken one is said now, not after the clips before it
    console = Console(width=None if sys.stdout.isatty() else FILE_COLUMNS)
    results = _with_progress(jobs * args.repeat, args)
    rounds = [results[i : i + len(jobs)] for i in range(0, len(results), len(jobs))]
    summary = report.summarise([[result.score for result in one] for one in rounds])
    summary["asked"] = asked
    console.print(report.tables(summary))
    if args.json:
        report.save(summary, args.json)
    if args.html:
        from ar_assist.evaluate import html

        html.save(summary, rounds[0], args.html)
    if before is None:
        return 0
    differences = baseline.compare(before, summary)
    console.print(baseline.table(differences))
    if apart := baseline.not_compared(before, summary):
        console.print(f"not compared, for the clips are others: {' '.join(apart)}")
    return int(any(difference.worse for difference in differences))


def _check_outputs(args: argparse.Namespace) -> None:
    """Say what would go wrong at the end before minutes of work."""
    for path in filter(None, (args.json, args.html)):
        options.check_output(path)
    missing = [name for name in ("jinja2", "matplotlib") if not find_spec(name)]
    if args.html and missing:
        raise UserError("--html needs the extra: pip install 'ar-assist[report]'")
    if args.repeat < 1:
        raise UserError("--repeat is a number from 1 on")
    if args.jobs < 1 and args.jobs != -1:
        raise UserError("--jobs is a number from 1 on, or -1: one per core")


def _jobs(args: argparse.Namespace) -> list[Job]:
    if args.truth and len(args.paths) != 1:
        raise UserError("--truth goes with one PATH")
    if args.truth and args.paths[0].is_dir():
        raise UserError(f"--truth goes with a clip or a log, and {args.paths[0]} is a folder")
    jobs = [job for path in args.paths for job in jobs_of_path(path, args.truth)]
    if args.tiers:
        jobs += jobs_of_tiers(_tiers(args.tiers), parse_seeds(args.seeds))
    if not jobs:
        raise UserError("nothing to evaluate: name clips, folders or logs, or give --tiers")
    if any(n < 2 for n in args.strides):
        raise UserError("--strides are whole numbers from 2 on")
    options.check_latency(args.latency)
    pictures = PICTURES_PER_CLIP if args.html else 0
    return [
        replace(
            job,
            game=args.game,
            strides=() if job.is_picture else tuple(args.strides),
            pictures=pictures,
            look_latency_s=args.latency,
        )
        for job in jobs
    ]


def _tiers(text: str) -> Sequence[str]:
    tiers = list(TIERS) if text == "all" else text.split(",")
    for tier in tiers:
        if tier not in TIERS:
            raise UserError(f"--tiers: '{tier}' is none of: {' '.join(TIERS)}")
    return tiers


def _with_progress(jobs: Sequence[Job], args: argparse.Namespace) -> list[Result]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TextColumn("left"), TimeRemainingColumn())  # fmt: skip
    results, console = [], Console(stderr=True)
    away = not console.is_terminal  # in a file it would leave an empty line
    with Progress(*columns, console=console, transient=True, disable=away) as progress:
        task = progress.add_task("clips", total=len(jobs))
        for result in run_all(jobs, args.jobs, args.dask):
            results.append(result)
            progress.update(task, advance=1, description=result.score.name)
    return results
