"""What the long run calls memory is the program's own."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from soak import _memory_mb

READER = """
import mmap, sys
kept = bytes(range(256)) * (8 << 12)
with open(sys.argv[1], "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
print(sum(mapped[::4096]), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="Linux tells of pages")
def test_memory_does_not_change_when_strangers_end(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.write_bytes(bytes(64 << 20))

    def reader() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", READER, str(library)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        return process

    with reader() as program:
        with reader() as stranger:
            (beside,) = _memory_mb(program.pid)
            stranger.communicate()
        (alone,) = _memory_mb(program.pid)
        program.communicate()
    assert beside > 8  # the bytes that it made
    assert abs(alone - beside) < 1
