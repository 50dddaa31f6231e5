"""`ar-assist cameras`: list the cameras."""

from __future__ import annotations

import argparse

from ar_assist.video.devices import cameras


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb has no options."""


def run(args: argparse.Namespace) -> int:
    """Print index, name, sizes and rates."""
    found = cameras()
    for camera in found:
        print(f"{camera.index}: {camera.name}")
        for mode in camera.modes:
            print(f"   {mode}")
    if not found:
        print("no camera found; a phone can be one: see docs/on-your-desk.md")
    return 0
