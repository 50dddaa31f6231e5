"""Measuring how old a picture is when it is shown, and how many are shown a second."""

from __future__ import annotations

from collections import deque

import numpy as np

REMEMBERED_S = 10.0  # figures speak of these last seconds
REFRESH_S = 0.5  # between changes of the words: numbers that flicker can't be read


class Meter:
    """Collects the latency of pictures: s from a frame's arrival until its picture is on show."""

    def __init__(self) -> None:
        self._latencies: deque[float] = deque()
        self._shown_at: deque[float] = deque()
        self._words: tuple[str, ...] = ()
        self._worded_at = -np.inf

    def add(self, latency_s: float, now: float) -> None:
        """A picture was shown `now` (s, rising)."""
        self._latencies.append(latency_s)
        self._shown_at.append(now)
        while now - self._shown_at[0] > REMEMBERED_S:
            self._shown_at.popleft()
            self._latencies.popleft()

    @property
    def fps(self) -> float:
        """Pictures a second, over the last ones."""
        if len(self._shown_at) < 2:
            return 0.0
        return (len(self._shown_at) - 1) / max(1e-6, self._shown_at[-1] - self._shown_at[0])

    def percentiles_ms(self) -> tuple[float, float]:
        """(p50, p95) of the latency, ms."""
        if not self._latencies:
            return 0.0, 0.0
        p50, p95 = np.percentile(np.array(self._latencies) * 1000, [50, 95])
        return float(p50), float(p95)

    def words(self) -> tuple[str, ...]:
        """For the status line; they change every REFRESH_S."""
        if not self._shown_at:
            return ()
        if self._shown_at[-1] - self._worded_at >= REFRESH_S:
            p50, p95 = self.percentiles_ms()
            self._words = (f"{self.fps:.0f} fps", f"latency {p50:.0f}/{p95:.0f} ms")
            self._worded_at = self._shown_at[-1]
        return self._words
