"""`ar-assist calibrate`: the calibration package's own command line."""

from __future__ import annotations

import argparse

from ar_assist.errors import UserError
from calibration import __main__ as calibration
from calibration.pictures import CalibrationError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    calibration.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    try:
        return calibration.run(args)
    except CalibrationError as error:
        failure = UserError(str(error))
        failure.exit_code = error.exit_code
        raise failure from error
