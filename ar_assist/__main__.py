"""`python -m ar_assist` is `ar-assist`."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from ar_assist.cli import main


def run() -> NoReturn:
    """The command. Logging off or `timeout` ends it as Ctrl-C does: recordings are finished."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = main()
    if any(thread.daemon for thread in threading.enumerate()):
        # In native code, as the one that compiles the link solver is for seconds, such a thread
        # works on while the libraries that it uses are taken down: LLVM then ended the program by
        # a failed assertion or a segmentation fault, once in some hundred times.
        with suppress(OSError):  # whoever read our output may be gone
            sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    run()
