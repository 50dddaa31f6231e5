"""`python -m ar_assist` is `ar-assist`."""

from __future__ import annotations

import signal
from typing import NoReturn

from ar_assist.cli import main
from ar_assist.leaving import leave


def run() -> NoReturn:
    """The command. Logging off or `timeout` ends it as Ctrl-C does: recordings are finished."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    leave(main())


if __name__ == "__main__":
    run()
