"""A camera of the network kind: serves pictures as MJPEG over HTTP and cuts the line at will."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BOUNDARY = "frame"


@dataclass
class Served:
    """What the server did, and what it shall do."""

    url: str = ""
    connections: int = 0
    parts: int = 0
    paths: list[str] = field(default_factory=list)
    authorization: str | None = None
    stalled: threading.Event = field(default_factory=threading.Event)


@contextmanager
def mjpeg_server(
    pictures: Callable[[int], bytes],
    fps: float = 30.0,
    cut_after: Callable[[int], int | None] = lambda connection: None,
    length: bool = True,
    dashes: str = "",
) -> Iterator[Served]:
    """Serve `pictures(i)` (JPEG) to every client.

    `cut_after(connection)` says after how many pictures connection 1, 2, … is cut. Without
    `length` the parts have no Content-Length; `dashes` are put before the boundary's name, as
    some servers do.
    """
    served = Served()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.connections += 1
            served.paths.append(self.path)
            served.authorization = self.headers.get("Authorization")
            limit = cut_after(served.connections)
            self.send_response(200)
            kind = f"multipart/x-mixed-replace; boundary={dashes}{BOUNDARY}"
            self.send_header("Content-Type", kind)
            self.end_headers()
            try:
                self._send_parts(limit)
            except OSError:
                return  # the client went away

        def _send_parts(self, limit: int | None) -> None:
            sent, due = 0, time.monotonic()
            while limit is None or sent < limit:
                if not served.stalled.is_set():
                    self._send_part(pictures(served.parts))
                    sent += 1
                    served.parts += 1
                due = max(due + 1 / fps, time.monotonic() - 1)
                time.sleep(max(0.0, due - time.monotonic()))

        def _send_part(self, jpeg: bytes) -> None:
            head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\n"
            head += f"Content-Length: {len(jpeg)}\r\n" if length else ""
            self.wfile.write(head.encode() + b"\r\n" + jpeg + b"\r\n")

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/video"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
