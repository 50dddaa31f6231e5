"""`ar-assist config`: show the settings and where each comes from; keep some in a profile."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from ar_assist.cli import options
from ar_assist.errors import UserError
from ar_assist.settings import (
    DEFAULT_PROFILE,
    ENVIRONMENT,
    FILES,
    gather,
    parsed,
    profile_path,
    save_profile,
)
from ar_assist.video import safe_name
from ar_assist.video.feeds import camera_backend

HEADINGS = ("setting", "value", "from", "variable")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("what", choices=["show", "set"], help="show all, or set NAME=VALUE …")
    parser.add_argument("changes", nargs="*", metavar="NAME=VALUE", help="e.g. size=1920x1080")
    parser.add_argument("--profile", default="", metavar="NAME", help="which profile")


def run(args: argparse.Namespace) -> int:
    """Show or set."""
    if args.what == "set":
        if not args.changes or not all("=" in change for change in args.changes):
            raise UserError("config set: give NAME=VALUE, such as size=1920x1080")
        changes = dict(change.split("=", 1) for change in args.changes)
        print(_saved(args.profile or DEFAULT_PROFILE, changes))
        return 0
    if args.changes:
        raise UserError("config show: takes no NAME=VALUE, `config set` does")
    found = gather({}, args.profile)
    rows = [HEADINGS]
    for name, value in asdict(found.settings).items():
        shown = safe_name(value) if name == "source" else str(value)
        rows.append((name, shown, found.origin[name], ENVIRONMENT + name.upper()))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(map(str.ljust, row, widths)).rstrip())
    print(f"profile: {profile_path(args.profile or DEFAULT_PROFILE)}")
    return 0


def _saved(profile: str, changes: dict[str, str]) -> Path:
    """Keep what no run would refuse. Files are to be found from any folder."""
    for name in FILES:
        if changes.get(name):
            changes[name] = str(Path(changes[name]).expanduser().absolute())
    settings = parsed(changes)
    options.games(settings)
    options.check_files(settings)
    camera_backend(settings.backend)
    return save_profile(profile, changes)
