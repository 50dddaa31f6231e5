"""Fragmented MP4 of JPEG pictures, written so that it plays whenever the writer dies.

Every picture is a fragment of its own (`moof` + `mdat`, ISO/IEC 14496-12:2015 §8.8) with its exact
time, handed to the system in one write. OpenCV's writer can't do that: its MP4 is unplayable until
it is finished (the index comes last), and it knows only constant frame rates. JPEG (object type
0x6C, ISO/IEC 14496-1 table 5) needs no encoder but OpenCV's and keeps every picture whole.
"""

from __future__ import annotations

import struct
from array import array
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

TICKS = 90_000  # a second; divides by all common frame rates
_MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
_TRACK = 1


class Mp4Writer:
    """Append JPEG pictures of one size with rising times; OSError when the disk says no."""

    def __init__(self, path: Path, size_wh: tuple[int, int]) -> None:
        self._file: BinaryIO = path.open("wb", buffering=0)
        self._entries = array("Q")  # ticks and offset of every fragment in turn, 16 bytes each
        self._end = 0  # ticks at which the last picture ends
        head = _box(b"ftyp", b"iso5", struct.pack(">I", 512), b"iso5iso6mp41")
        movie = _movie(size_wh)
        self._duration_at = len(head) + movie.index(b"mehd") + 8
        self._write(head + movie)

    def append(self, jpeg: bytes, time: float, duration: float) -> None:
        """Add a picture that is shown from `time` for about `duration` (s)."""
        ticks, length = round(time * TICKS), max(1, round(duration * TICKS))
        offset = self._file.tell()
        self._write(_fragment(len(self._entries) // 2 + 1, ticks, length, jpeg))
        self._entries.extend((ticks, offset))
        self._end = ticks + length

    def close(self) -> None:
        """Add what players use to jump about: a table of fragments, and the duration."""
        if self._file.closed:
            return
        with self._file:
            self._write(_access_table(self._entries))
            self._file.seek(self._duration_at)
            self._file.write(struct.pack(">Q", self._end))

    def _write(self, data: bytes) -> None:
        """Add all of it or nothing: a disk that gets full takes a part and then says no."""
        start, rest = self._file.tell(), memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            with suppress(OSError):  # devices can't be cut
                self._file.truncate(start)
                self._file.seek(start)
            raise


def _box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def _full(kind: bytes, version: int, flags: int, *parts: bytes) -> bytes:
    return _box(kind, struct.pack(">I", version << 24 | flags), *parts)


def _movie(size_wh: tuple[int, int]) -> bytes:
    """The `moov` box: one video track, and the promise of fragments."""
    header = struct.pack(">4IIH10x", 0, 0, TICKS, 0, 0x10000, 0x100) + _MATRIX + bytes(24)
    extends = _box(
        b"mvex",
        _full(b"mehd", 1, 0, struct.pack(">Q", 0)),
        _full(b"trex", 0, 0, struct.pack(">5I", _TRACK, 1, 0, 0, 0)),
    )
    next_track = struct.pack(">I", _TRACK + 1)
    return _box(b"moov", _full(b"mvhd", 0, 0, header, next_track), _track(size_wh), extends)


def _track(size_wh: tuple[int, int]) -> bytes:
    size = struct.pack(">2I", size_wh[0] << 16, size_wh[1] << 16)
    header = struct.pack(">5I16x", 0, 0, _TRACK, 0, 0) + _MATRIX + size
    undefined_language = 0x55C4
    media = _box(
        b"mdia",
        _full(b"mdhd", 0, 0, struct.pack(">4I2H", 0, 0, TICKS, 0, undefined_language, 0)),
        _full(b"hdlr", 0, 0, bytes(4), b"vide", bytes(12), b"video\0"),
        _box(
            b"minf",
            _full(b"vmhd", 0, 1, bytes(8)),
            _box(b"dinf", _full(b"dref", 0, 0, struct.pack(">I", 1), _full(b"url ", 0, 1))),
            _sample_table(size_wh),
        ),
    )
    enabled_and_used = 3
    return _box(b"trak", _full(b"tkhd", 0, enabled_and_used, header), media)


def _sample_table(size_wh: tuple[int, int]) -> bytes:
    jpeg, visual_stream = 0x6C, 0x11
    decoder = struct.pack(">2B3x2I", jpeg, visual_stream, 0, 0)
    stream = struct.pack(">HB", _TRACK, 0) + _descriptor(4, decoder) + _descriptor(6, b"\x02")
    entry = _box(
        b"mp4v",
        struct.pack(">6xH16x2H", 1, *size_wh),
        struct.pack(">2I4xH32xHh", 72 << 16, 72 << 16, 1, 24, -1),
        _full(b"esds", 0, 0, _descriptor(3, stream)),
    )
    nothing = bytes(4)
    return _box(
        b"stbl",
        _full(b"stsd", 0, 0, struct.pack(">I", 1), entry),
        _full(b"stts", 0, 0, nothing),
        _full(b"stsc", 0, 0, nothing),
        _full(b"stsz", 0, 0, nothing, nothing),
        _full(b"stco", 0, 0, nothing),
    )


def _descriptor(tag: int, body: bytes) -> bytes:
    return struct.pack(">2B", tag, len(body)) + body


def _fragment(number: int, ticks: int, length: int, jpeg: bytes) -> bytes:
    """One picture as `moof` + `mdat`."""
    default_base_is_moof, offset_duration_size = 0x020000, 0x000301

    def moof(data_offset: int) -> bytes:
        run = struct.pack(">IiII", 1, data_offset, length, len(jpeg))
        return _box(
            b"moof",
            _full(b"mfhd", 0, 0, struct.pack(">I", number)),
            _box(
                b"traf",
                _full(b"tfhd", 0, default_base_is_moof, struct.pack(">I", _TRACK)),
                _full(b"tfdt", 1, 0, struct.pack(">Q", ticks)),
                _full(b"trun", 0, offset_duration_size, run),
            ),
        )

    return moof(len(moof(0)) + 8) + _box(b"mdat", jpeg)


def _access_table(entries: array[int]) -> bytes:
    """The `mfra` box: time and place of every fragment."""
    one_byte_numbers = 0
    places = zip(entries[::2], entries[1::2], strict=True)
    rows = [struct.pack(">2Q3B", ticks, offset, 1, 1, 1) for ticks, offset in places]
    counts = struct.pack(">3I", _TRACK, one_byte_numbers, len(rows))
    table = _full(b"tfra", 1, 0, counts, b"".join(rows))
    size = 8 + len(table) + 16
    return _box(b"mfra", table, _full(b"mfro", 0, 0, struct.pack(">I", size)))
