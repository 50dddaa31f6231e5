"""The real window and loop around a cardboard assistant; tells its calls on stdout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

from cardboard import Assistants, Frames

from ar_assist.assistant import Assistant
from ar_assist.live import Outputs, Session
from ar_assist.window import Window


class Telling(Assistants):
    """Prints what it is told, and every hundredth frame."""

    def step(self, frame):  # type: ignore[no-untyped-def]
        if frame.index % 100 == 0:
            print(f"frame {frame.index}", flush=True)
        for call in self.calls:
            print(call, flush=True)
        self.calls.clear()
        self.stepped.clear()
        return super().step(frame)


if __name__ == "__main__":
    with Window(Frames.size_wh) as window:
        assistant = cast(Assistant, Telling())
        Session(
            Frames(10**6, live=False), assistant, window, Outputs(folder=Path(sys.argv[1]))
        ).run()
    print("left", flush=True)
