"""`python -m ar_assist` is `ar-assist`."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from ar_assist.cli import main


def run() -> NoReturn:
    """The command. Logging off or `timeout` ends it as Ctrl-C does: recordings are finished."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())


if __name__ == "__main__":
    run()
