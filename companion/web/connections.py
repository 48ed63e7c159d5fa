"""The web server: cheroot with limits on the size, duration and number of requests, so that no client can block it.

Each request occupies a thread while it is read and answered, and each open stream occupies a thread while its page is
open. A request that is not complete after some seconds is dropped. One computer of the network may occupy a few
threads, and all of them together leave some threads to the host.

With certificates, encrypted and plain requests use the same port. The TLS handshake happens in the connection's own
thread, within the time limit of its request, so that a silent client makes nobody else wait.
"""

from __future__ import annotations

import errno
import logging
import socket
import ssl
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from cheroot.makefile import MakeFile
from cheroot.server import HTTPConnection, HTTPRequest
from cheroot.workers.threadpool import ThreadPool
from cheroot.wsgi import Gateway_10, Server

from tilekeeper.companion.doorkeeper.addresses import is_this_machine
from tilekeeper.companion.doorkeeper.repeat_limit import LIMIT

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

log = logging.getLogger(__name__)
log.addFilter(LIMIT)

THREADS: Final = 448
"""The most threads; most of them only wait for a newer state or for a client, which costs little."""
THREADS_OF_HOST: Final = 16
"""Threads reserved for the computer that runs the app."""
THREADS_A_PEER: Final = 16
"""The most threads for one computer of the network; a browser opens six connections at once."""
HEAD_WITHIN_S: Final = 5.0
"""The time limit for a request's first line and headers."""
BODY_WITHIN_S: Final = 30.0
"""The time limit for a request's body and its handling, enough for a photo over a slow network."""
MOST_HEAD_BYTES: Final = 16 * 1024
MOST_UNREAD_BYTES: Final = 64 * 1024 * 1024
"""A refused body of up to this size is read and discarded, so that its sender gets the answer; pictures are smaller."""
PIECE_BYTES: Final = 64 * 1024
"""Bodies and answers are read and written in pieces of this size, to bound the memory for slow clients."""
MOST_UNACCEPTED: Final = 128
"""The backlog of connections: after a network failure all tablets reconnect at once, and a client that is refused waits
a second before its system tries again."""
_LOOK_EVERY_S: Final = 0.25
_STOPS_WITHIN_S: Final = 0.1
_TLS_HANDSHAKE: Final = b"\x16"
"""The first byte of a TLS handshake (RFC 8446, 5.1); no plain request begins with it."""
_TOO_MANY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 2\r\nConnection: close\r\n\r\n"
)


class EncryptedSocket(ssl.SSLSocket):
    """A TLS socket that reports TLS errors as a lost connection, since the client causes them and not the server."""

    def recv_into(self, *arguments: Any) -> int:
        """Read like any socket; raise `ConnectionResetError` for a TLS error."""
        try:
            return super().recv_into(*arguments)
        except ssl.SSLError as error:
            raise ConnectionResetError(errno.ECONNRESET, str(error)) from None

    def send(self, *arguments: Any) -> int:
        """Write like any socket; raise `ConnectionResetError` for a TLS error."""
        try:
            return super().send(*arguments)
        except ssl.SSLError as error:
            raise ConnectionResetError(errno.ECONNRESET, str(error)) from None


class BoundedRequest(HTTPRequest):
    """An HTTP request; a malformed part is refused. cheroot alone would answer some of them with a server error."""

    def parse_request(self) -> None:
        """Read the request line and the headers; answer 400 if they are malformed."""
        try:
            super().parse_request()
        except (ValueError, UnboundLocalError):  # `UnboundLocalError` if the first header line is a continuation
            self.simple_response("400 Bad Request", "Malformed request.")


class BoundedConnection(HTTPConnection):
    """A connection with deadlines for its requests."""

    RequestHandlerClass = BoundedRequest
    server: BoundedServer
    deadline_s: float | None = None
    """When the connection is dropped, by the monotonic clock; None while the answer is sent or no request is read."""

    def communicate(self) -> bool:
        """Read a request and answer it; return whether the connection stays open."""
        self.deadline_s = time.monotonic() + HEAD_WITHIN_S
        try:
            # cheroot's stub has no types for `communicate`.
            return self._has_begun() and bool(super().communicate())  # type: ignore[no-untyped-call]
        finally:
            self.deadline_s = None
            self.server.release(self)

    def give_up(self) -> None:
        """Shut the connection down, which wakes the thread that reads from it."""
        self.deadline_s = None
        with suppress(OSError):
            # `SSLSocket.shutdown` would remove the TLS state that the other thread is using.
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)

    def _close_kernel_socket(self) -> None:
        """Close the socket; ignore errors if a reset during the TLS handshake has closed it already.

        An error here would end cheroot's whole server.
        """
        with suppress(OSError):
            super()._close_kernel_socket()  # type: ignore[misc]

    def _has_begun(self) -> bool:
        """Wait for the first byte and do a TLS handshake if the client begins it; return whether a request follows."""
        if self.ssl_env:
            return True
        try:
            first = self.socket.recv(1, socket.MSG_PEEK)
            if first == _TLS_HANDSHAKE and self.server.certificates is not None:
                self._encrypt(self.server.certificates.context(str(self.socket.getsockname()[0])))
        except OSError:
            return False
        self.ssl_env = {"wsgi.url_scheme": "https" if isinstance(self.socket, ssl.SSLSocket) else "http"}
        return bool(first)

    def _encrypt(self, context: ssl.SSLContext) -> None:
        context.sslsocket_class = EncryptedSocket
        encrypted = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.socket = encrypted
        self.rfile = MakeFile(encrypted, "rb", self.rbufsize)
        self.wfile = MakeFile(encrypted, "wb", self.wbufsize)
        encrypted.do_handshake()


class BoundedGateway(Gateway_10):
    """Sets a connection's deadlines, and refuses bodies without a length.

    Each route limits the length of its body (`MAX_CONTENT_LENGTH`) before it reads it; an unread body is discarded.
    Answers are written in pieces, since cheroot copies each write.
    """

    def respond(self) -> None:
        """Answer the request whose head has been read."""
        length = self.req.inheaders.get(b"Content-Length", b"0")
        if self.req.chunked_read or not length.isdigit():
            self.req.close_connection = True
            self.req.simple_response("411 Length Required", "Say how long the body is.")
            self.req.sent_headers = True  # else cheroot would send headers a second time
            return
        self.req.conn.deadline_s = time.monotonic() + BODY_WITHIN_S if int(length) else None
        response = self.req.server.wsgi_app(self.env, self.start_response)
        try:
            for chunk in filter(None, response):
                self.write(chunk)
            self.req.ensure_headers_sent()
        finally:
            # If the client disconnects before the first byte, cheroot does not close the response.
            getattr(response, "close", lambda: None)()

    def start_response(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[..., Any]:
        """Begin the answer; from here on only the server's time limit for each write applies."""
        self._discard_unread_body()
        self.req.conn.deadline_s = None
        write: Callable[..., Any] = super().start_response(status, headers, exc_info)
        return write

    def write(self, chunk: bytes) -> None:
        """Send a part of the answer."""
        for at in range(0, len(chunk), PIECE_BYTES):
            super().write(chunk[at : at + PIECE_BYTES])

    def _discard_unread_body(self) -> None:
        """Read and discard the rest of the body in pieces; cheroot would read all of it into memory."""
        body = self.req.rfile
        if body.remaining <= MOST_UNREAD_BYTES:
            with suppress(OSError):
                while body.remaining and body.read(min(body.remaining, PIECE_BYTES)):
                    pass
        if body.remaining:  # too large to discard, or the client has stopped sending
            self.req.close_connection = True


class NewestThreadQueue:
    """A queue of connections; of the waiting threads, the one that began to wait last gets the next connection.

    In this way as few threads as possible are in use. Each used thread keeps memory for its stack and its heap; if the
    threads took turns, the process would grow until all of them had handled the largest request.
    """

    def __init__(self) -> None:
        """Start without connections and waiting threads."""
        self._lock = threading.Lock()
        self._connections: deque[object] = deque()
        self._waiting: list[SimpleQueue[object]] = []

    def put(self, connection: object, block: bool = True, timeout: float | None = None) -> None:
        """Give a connection to a waiting thread, or keep it for the next one; the queue is never full."""
        with self._lock:
            if self._waiting:
                self._waiting.pop().put(connection)
            else:
                self._connections.append(connection)

    def get(self) -> object:
        """Wait for the next connection."""
        with self._lock:
            if self._connections:
                return self._connections.popleft()
            slot: SimpleQueue[object] = SimpleQueue()
            self._waiting.append(slot)
        return slot.get()

    def qsize(self) -> int:
        """Return how many connections wait for a thread."""
        return len(self._connections)


class GrowingThreadPool(ThreadPool):
    """cheroot's thread pool, with a `NewestThreadQueue` and with threads that start on demand.

    To start all threads takes a twentieth of a second, and most are never needed.
    """

    def __init__(self, server: Server, threads: int) -> None:
        """Handle the connections of `server` with at most `threads` threads."""
        super().__init__(server, min=1, max=threads)
        self._queue = NewestThreadQueue()
        self.get = self._queue.get

    def start(self) -> None:
        """Start without threads; cheroot would start its minimum and check every tenth of a second that they run."""

    def put(self, obj: object) -> None:
        """Give a connection to a thread, and start one if none is waiting."""
        super().put(obj)
        threads: list[threading.Thread] = self._threads  # type: ignore[attr-defined]  # not in its stub
        if self._queue.qsize() and len(threads) < self.max:
            threads.append(self._spawn_worker())  # type: ignore[attr-defined]


class BoundedServer(Server):
    """A cheroot server that no single client can block by occupying its threads."""

    ConnectionClass = BoundedConnection
    max_request_header_size = MOST_HEAD_BYTES
    expiration_interval = _STOPS_WITHIN_S
    """The interval, in seconds, of the checks for a stop and for unused connections."""

    def __init__(
        self,
        address: tuple[str, int],
        app: Callable[..., Any],
        certificates: Certificates | None = None,
        threads: int = THREADS,
    ) -> None:
        """Create a server; `prepare` binds it to its port.

        Args:
            address: host and port.
            app: the WSGI app.
            certificates: for TLS; None for plain http only.
            threads: the number of threads, `THREADS_OF_HOST` of them for the host.
        """
        super().__init__(
            address,
            app,
            numthreads=threads,
            server_name="tilekeeper",
            request_queue_size=MOST_UNACCEPTED,
            shutdown_timeout=2,
        )
        self.requests = GrowingThreadPool(self, threads)
        self.gateway = BoundedGateway
        self.certificates = certificates
        self._most_of_network = threads - THREADS_OF_HOST
        self._lock = threading.Lock()
        self._held: dict[BoundedConnection, str] = {}
        self._ended = threading.Event()

    def prepare(self) -> None:
        """Bind the port, and start to watch the deadlines of requests."""
        super().prepare()
        threading.Thread(target=self._watch, name="deadlines", daemon=True).start()

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        """Log an error of cheroot, which calls this method; a log filter drops most repetitions."""
        log.log(level, "%s", msg, exc_info=traceback)

    def stop(self) -> None:
        """End the server."""
        self._ended.set()
        super().stop()

    def process_conn(self, conn: BoundedConnection) -> None:
        """Read the next request of a connection; answer 503 if its computer occupies too many threads."""
        peer = "" if is_this_machine(conn.remote_addr) else str(conn.remote_addr)
        with self._lock:
            held = Counter(self._held.values())
            held_by_network = held.total() - held[""]
            is_full = bool(peer) and (held[peer] >= THREADS_A_PEER or held_by_network >= self._most_of_network)
            if not is_full:
                self._held[conn] = peer
        if is_full:
            with suppress(OSError):
                conn.socket.settimeout(0.0)
                conn.socket.send(_TOO_MANY)
            conn.close()
            return
        super().process_conn(conn)

    def release(self, conn: BoundedConnection) -> None:
        """Note that a connection no longer occupies a thread."""
        with self._lock:
            self._held.pop(conn, None)

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_EVERY_S):
            now_s = time.monotonic()
            with self._lock:
                late = [conn for conn in self._held if conn.deadline_s is not None and conn.deadline_s < now_s]
            for conn in late:
                conn.give_up()
