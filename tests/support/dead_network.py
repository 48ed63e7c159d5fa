"""A network between a page and the app that goes dead without a word, as out of reach of the house's wireless."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class Network:
    """Carries bytes to and fro until it dies; what was connected then stays open and never says anything again."""

    def __init__(self, target: str) -> None:
        """Stand before a server, by its address."""
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
        """Where a page reaches the server through it."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/"

    def die(self) -> None:
        """Carry nothing any more."""
        self._alive.clear()

    def come_back(self) -> None:
        """Carry what connects from now on."""
        self._alive.set()

    def end(self) -> None:
        """Close all."""
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
    """A network before a server, until the block ends."""
    network = Network(target)
    try:
        yield network
    finally:
        network.end()
