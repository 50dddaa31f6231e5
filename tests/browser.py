"""A real browser without a screen, driven by the WebDriver protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from xvfb import wait_until

from ar_assist.types import Image

QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip


class Browser:
    """One page of Chromium."""

    def __init__(self, address: str, options: dict[str, Any]) -> None:
        self._address = address
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self._address += f"/session/{self._ask('POST', '/session', wanted)['sessionId']}"

    def open(self, url: str) -> None:
        self._ask("POST", "/url", {"url": url})

    def run(self, script: str) -> Any:
        """What the script returns in the page."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": []})

    def screenshot(self) -> Image:
        """The page's visible part."""
        png = base64.b64decode(self._ask("GET", "/screenshot"))
        picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        return np.asarray(picture, np.uint8)

    def click(self, x: float, y: float) -> None:
        """Press and release the mouse at px of the screenshot."""
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        mouse = {"type": "pointer", "id": "mouse", "actions": [move, *press]}
        self._ask("POST", "/actions", {"actions": [mouse]})

    def close(self) -> None:
        self._ask("DELETE", "")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._address + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]


@contextmanager
def browser(folder: Path, size_wh: tuple[int, int] = (1280, 900)) -> Iterator[Browser]:
    """Skips the test where Chromium or its driver is missing. Its profile stays in `folder`."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium and its driver are not installed")
    port = _free_port()
    window = f"--window-size={size_wh[0]},{size_wh[1]}"
    arguments = [*QUIET, window, f"--user-data-dir={folder / 'profile'}"]
    with (folder / "driver.txt").open("w") as output:
        server = subprocess.Popen(
            [driver, f"--port={port}"],
            env={**os.environ, "HOME": str(folder)},
            stdout=output,
            stderr=output,
        )
    try:
        wait_until(lambda: _answers(port), "the driver never answered")
        options = {"binary": chromium, "args": arguments}
        opened = Browser(f"http://127.0.0.1:{port}", options)
        try:
            yield opened
        finally:
            opened.close()
    finally:
        server.terminate()
        server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
