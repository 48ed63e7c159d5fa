"""A real HTTP server on this machine that takes events of hooks, and can be slow, refuse, lead elsewhere or go away."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class HookServer:
    """Keeps the bodies of all requests that it has answered with success."""

    def __init__(self, port: int = 0) -> None:
        """Listen on a port of this machine; 0 chooses a free one."""
        self.status = 204
        self.delay_s = 0.0
        self.location = ""
        self.requests = 0
        self.taken: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._news = threading.Condition()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer._answer(self, body)

            def do_GET(self) -> None:
                outer._answer(self, b"{}")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?key=secret"

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait_for(self, taken: int = 0, requests: int = 0) -> list[dict[str, Any]]:
        """Wait until so many messages were taken, and so many requests made; return the messages."""
        with self._news:
            arrived = self._news.wait_for(lambda: len(self.taken) >= taken and self.requests >= requests, 20.0)
        assert arrived, (self.requests, self.taken)
        return list(self.taken)

    def _answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        time.sleep(self.delay_s)
        status = self.status
        with self._news:
            self.requests += 1
            if status < 300:
                self.taken.append(json.loads(body))
                self.headers.append(dict(handler.headers.items()))
            self._news.notify_all()
        try:
            handler.send_response(status)
            if self.location:
                handler.send_header("Location", self.location)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        except OSError:
            pass  # the sender no longer waits
