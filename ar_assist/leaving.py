"""The end of the program. Apart from the workers, whose import every `--help` would pay for."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn

LOOKER = "look"  # what the looking thread's name begins with


def leave(code: int) -> NoReturn:
    """End the program now, when all files are closed, also if a look is in flight.

    Python waits for threads to end; a look may take seconds, and no one wants its answer.
    """
    if any(thread.name.startswith(LOOKER) for thread in threading.enumerate()):
        atexit._run_exitfuncs()  # all that Python would do but wait
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
