"""Jobs for another process whose pictures go through shared memory.

A pipe wants all in one piece: the pictures of a look, 11 MB at 720p, are pickled and written for
some 8 ms by a thread, which holds the interpreter's lock meanwhile, so that the step and the
drawing of the next frame wait. Copying arrays into memory that both see needs no lock.
"""

from __future__ import annotations

import itertools
import pickle
import shutil
from contextlib import closing, suppress
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGE_BYTES = 1 << 16  # arrays from here on go through shared memory
SPARE = 1.25  # times what is needed: looks differ by a few small arrays
FREE = 0.5  # of the memory that is free for this: beyond, writing is death, and others write too
LINUX = Path("/dev/shm")  # where that can be asked; other systems page it like any memory

Packed = tuple[bytes, str, tuple[int, ...]]  # pickled, its memory's name, where arrays end there


class Packer:
    """Packs one job after another: the one before has to be done, for its memory is used anew."""

    def __init__(self) -> None:
        self._memory: SharedMemory | None = None

    def pack(self, job: object) -> Packed:
        """What `opened` makes the job of.

        Where there is no room for it, as in a small container, a job has no such memory.
        """
        large: list[memoryview] = []

        def stays(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes >= LARGE_BYTES:
                large.append(raw)
            return raw.nbytes < LARGE_BYTES

        pickled = pickle.dumps(job, protocol=5, buffer_callback=stays)
        ends = tuple(itertools.accumulate(raw.nbytes for raw in large))
        memory = self._room(ends[-1]) if ends else None
        if memory is None:
            return pickle.dumps(job), "", ()
        room = _bytes_of(memory)
        for raw, end in zip(large, ends, strict=True):
            room[end - raw.nbytes : end] = np.frombuffer(raw, np.uint8)
        return pickled, memory.name, ends

    def close(self) -> None:
        """Give the memory back."""
        if self._memory is not None:
            self._memory.close()
            self._memory.unlink()
            self._memory = None

    def _room(self, size: int) -> SharedMemory | None:
        """Memory of at least this many bytes; None where it cannot be had."""
        if self._memory is None or self._memory.size < size:
            self.close()
            wanted = round(SPARE * size)
            with suppress(OSError):
                if not LINUX.is_dir() or wanted < FREE * shutil.disk_usage(LINUX).free:
                    self._memory = SharedMemory(create=True, size=wanted)
        return self._memory


def opened(pickled: bytes, name: str, ends: tuple[int, ...]) -> Any:
    """The job that was packed so, with arrays of its own."""
    if not name:
        return pickle.loads(pickled)
    with closing(SharedMemory(name)) as memory:
        arrays = np.split(_bytes_of(memory)[: ends[-1]].copy(), ends[:-1])
    return pickle.loads(pickled, buffers=arrays)


def _bytes_of(memory: SharedMemory) -> NDArray[np.uint8]:
    return np.frombuffer(memory.buf, np.uint8)  # type: ignore[arg-type] # None once it is closed
