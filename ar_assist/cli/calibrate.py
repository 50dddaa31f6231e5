"""`ar-assist calibrate`: the calibration package's own command line, for any camera."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing

from ar_assist.errors import UserError
from ar_assist.types import Image
from ar_assist.video import open_source
from calibration import __main__ as calibration
from calibration.pictures import CalibrationError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    calibration.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure, or make what is needed for it."""
    try:
        return calibration.run(args, _pictures)
    except CalibrationError as error:
        failure = UserError(str(error))
        failure.exit_code = error.exit_code
        raise failure from error


def _pictures(camera: str, size_wh: tuple[int, int]) -> Iterator[Image]:
    """What comes from an index, a device or an address: a phone has no index."""
    with closing(open_source(camera, size_wh)) as source:
        newest = -1
        for frame in source:
            if frame.index != newest:  # a stream that stalls repeats its last picture
                yield frame.image
            newest = frame.index
