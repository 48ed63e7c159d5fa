"""A network between a page and the app that can fail silently, like Wi-Fi out of range."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class Network:
    """A TCP proxy; after `die` its connections stay open and carry nothing."""

    def __init__(self, target: str) -> None:
        """Start a proxy in front of a server, given its address."""
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._alive = threading.Event()
        self._alive.set()
        self._ended = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """The address of the server through the proxy."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/"

    def die(self) -> None:
        """Stop carrying data."""
        self._alive.clear()

    def come_back(self) -> None:
        """Carry the data of new connections again."""
        self._alive.set()

    def end(self) -> None:
        """Close all connections."""
        self._ended = True
        self._alive.set()
        for one in [self._listening, *self._open]:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                self._open.append(near)
                if self._alive.is_set():
                    far = socket.create_connection(self._target)
                    self._open.append(far)
                    for pair in ((near, far), (far, near)):
                        threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if not self._alive.is_set():
                    return
                other.sendall(data)
            if self._alive.is_set():
                other.shutdown(socket.SHUT_WR)


@contextmanager
def network_before(target: str) -> Iterator[Network]:
    """Yield a network in front of a server."""
    network = Network(target)
    try:
        yield network
    finally:
        network.end()
