"""Networks that can be cut: each is a local proxy that forwards connections to another port."""

from __future__ import annotations

import contextlib
import socket
import threading


class Wire:
    """Forwards its own port to another; `cut` breaks all connections, `mend` accepts new ones."""

    def __init__(self, to_port: int) -> None:
        """Listen on a free port."""
        self._to_port = to_port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = int(self._listener.getsockname()[1])
        self._whole = threading.Event()
        self._whole.set()
        self._lock = threading.Lock()
        self._ends: set[socket.socket] = set()
        threading.Thread(target=self._accept, name="wire", daemon=True).start()

    def cut(self) -> None:
        """Close all connections and refuse new ones."""
        self._whole.clear()
        with self._lock:
            ends, self._ends = self._ends, set()
        for end in ends:
            _end(end)

    def mend(self) -> None:
        """Accept new connections."""
        self._whole.set()

    def close(self) -> None:
        """Close all connections and the port."""
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._whole.is_set():
                _end(near)
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._to_port), 2)
            except OSError:
                _end(near)
                continue
            far.settimeout(None)
            with self._lock:
                self._ends |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._lead, args=(one, other), daemon=True).start()

    def _lead(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        _end(one)
        _end(other)
        with self._lock:
            self._ends -= {one, other}


def _end(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
