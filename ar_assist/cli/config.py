"""`ar-assist config`: show the settings and where each comes from; keep some in a profile."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from ar_assist.errors import UserError
from ar_assist.settings import DEFAULT_PROFILE, ENVIRONMENT, gather, profile_path, save_profile
from ar_assist.video import safe_name


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
        print(save_profile(args.profile or DEFAULT_PROFILE, changes))
        return 0
    if args.changes:
        raise UserError("config show: takes no NAME=VALUE, `config set` does")
    found = gather({}, args.profile)
    table = Table("setting", "value", "from", "variable", box=None)
    for name, value in asdict(found.settings).items():
        shown = safe_name(value) if name == "source" else str(value)
        table.add_row(name, shown, found.origin[name], ENVIRONMENT + name.upper())
    Console().print(table)
    print(f"profile: {profile_path(args.profile or DEFAULT_PROFILE)}")
    return 0
