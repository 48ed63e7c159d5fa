"""cheroot with what a server in a house needs: bounds for what is sent, for how long, and by how many at once.

Each request holds a thread while it is read and answered, each open stream one for as long as its page is open. So
nobody may hold many: a request that is not there after some seconds is given up, whether it comes byte by byte or not
at all; one machine of the network may hold a few threads, and all of them together leave some to the host.

Where there is a certificate, encrypted and plain requests come to the same port. What is agreed on for encryption is
agreed on in the connection's own thread and time, so that nobody else waits for somebody who connects and says nothing.
"""

from __future__ import annotations

import errno
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
from cheroot.server import HTTPConnection
from cheroot.workers.threadpool import ThreadPool
from cheroot.wsgi import Gateway_10, Server

from tilekeeper.companion.doorkeeper.addresses import is_this_machine

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

THREADS: Final = 448
"""Most of them wait, each for news for an open page or for what somebody sends: that costs next to nothing."""
THREADS_OF_HOST: Final = 16
"""So many threads are left to the machine at which the app runs."""
THREADS_A_PEER: Final = 16
"""So many threads one machine of the network may hold: a browser opens six connections at once."""
HEAD_WITHIN_S: Final = 5.0
"""How long a request's first line and headers may take to come."""
BODY_WITHIN_S: Final = 30.0
"""How long its body may take, and what is done with it: a photo over a slow network."""
MOST_HEAD_BYTES: Final = 16 * 1024
MOST_UNREAD_BYTES: Final = 64 * 1024 * 1024
"""So much of a body that nobody wanted is let go by, so that whoever sent it hears why; pictures are smaller."""
PIECE_BYTES: Final = 64 * 1024
"""So much of a body or an answer the server holds at once, however long it is and however slow the reader."""
MOST_UNACCEPTED: Final = 128
"""So many connections may wait to be accepted: all tablets come back at once after their network was away, and whoever
finds no room is tried anew by its system after a second."""
_LOOK_EVERY_S: Final = 0.25
_STOPS_WITHIN_S: Final = 0.1
_TLS_HANDSHAKE: Final = b"\x16"
"""The first byte of whoever speaks TLS (RFC 8446, 5.1); no request begins with it."""
_TOO_MANY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 2\r\nConnection: close\r\n\r\n"
)


class EncryptedSocket(ssl.SSLSocket):
    """What breaks off in the midst of it is a connection that was lost, and no error of the server's."""

    def recv_into(self, *arguments: Any) -> int:
        """Read, as of any socket."""
        try:
            return super().recv_into(*arguments)
        except ssl.SSLError as error:
            raise ConnectionResetError(errno.ECONNRESET, str(error)) from None

    def send(self, *arguments: Any) -> int:
        """Write, as to any socket."""
        try:
            return super().send(*arguments)
        except ssl.SSLError as error:
            raise ConnectionResetError(errno.ECONNRESET, str(error)) from None


class BoundedConnection(HTTPConnection):
    """A connection whose requests must be there in time."""

    server: BoundedServer
    deadline_s: float | None = None
    """When it is given up, by the monotonic clock; None while it is answered."""

    def communicate(self) -> bool:
        """Read a request and answer it; returns whether the connection stays open."""
        self.deadline_s = time.monotonic() + HEAD_WITHIN_S
        try:
            # Its stub has no types.
            return self._has_begun() and bool(super().communicate())  # type: ignore[no-untyped-call]
        finally:
            self.deadline_s = None
            self.server.release(self)

    def give_up(self) -> None:
        """End it; the thread that reads from it is woken by that."""
        self.deadline_s = None
        with suppress(OSError):
            # Not that of an encrypted socket, which would take away what the other thread reads with.
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)

    def _close_kernel_socket(self) -> None:
        """Say farewell, unless the other end was reset while encryption was agreed on: that closed the socket already.

        cheroot takes an error here for the end of the whole server.
        """
        with suppress(OSError):
            super()._close_kernel_socket()  # type: ignore[misc]

    def _has_begun(self) -> bool:
        """See whether what comes is encrypted, and agree on how; False where the other end does not."""
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
    """Tells a connection how far its request is, and refuses bodies that do not say how long they are.

    How long they may be is each route's own matter (`MAX_CONTENT_LENGTH`): nothing of a body is read before that, and
    what no route has read is not kept. Answers go out in pieces: cheroot copies whatever it is given at once.
    """

    def respond(self) -> None:
        """Answer the request whose head has come."""
        length = self.req.inheaders.get(b"Content-Length", b"0")
        if self.req.chunked_read or not length.isdigit():
            self.req.close_connection = True
            self.req.simple_response("411 Length Required", "Say how long the body is.")
            return
        self.req.conn.deadline_s = time.monotonic() + BODY_WITHIN_S if int(length) else None
        response = self.req.server.wsgi_app(self.env, self.start_response)
        try:
            for chunk in filter(None, response):
                self.write(chunk)
            self.req.ensure_headers_sent()
        finally:
            # Whoever asked may be gone before the first byte; cheroot would leave open then what the answer holds.
            getattr(response, "close", lambda: None)()

    def start_response(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[..., Any]:
        """Begin the answer; from here on the server's own time limit for each write holds."""
        self._let_rest_go_by()
        self.req.conn.deadline_s = None
        write: Callable[..., Any] = super().start_response(status, headers, exc_info)
        return write

    def write(self, chunk: bytes) -> None:
        """Send a part of the answer."""
        for at in range(0, len(chunk), PIECE_BYTES):
            super().write(chunk[at : at + PIECE_BYTES])

    def _let_rest_go_by(self) -> None:
        """Read what is left of the body and keep nothing of it; cheroot would read all of it at once, however long."""
        body = self.req.rfile
        if body.remaining <= MOST_UNREAD_BYTES:
            with suppress(OSError):
                while body.remaining and body.read(min(body.remaining, PIECE_BYTES)):
                    pass
        if body.remaining:  # it is too much, or does not come
            self.req.close_connection = True


class Handover:
    """A queue of connections from which the thread that began to wait last gets the next one.

    So no more threads do anything than must at once. Each that does keeps memory of its own, for its stack and for what
    the C library has at hand for it; if they took turns, an evening would grow until all have been through the worst.
    """

    def __init__(self) -> None:
        """Begin with nothing, and nobody who waits."""
        self._lock = threading.Lock()
        self._left: deque[object] = deque()
        self._waiting: list[SimpleQueue[object]] = []

    def put(self, one: object, block: bool = True, timeout: float | None = None) -> None:
        """Hand something to whoever waits, or keep it for whoever comes; there is always room."""
        with self._lock:
            if self._waiting:
                self._waiting.pop().put(one)
            else:
                self._left.append(one)

    def get(self) -> object:
        """Wait for the next one."""
        with self._lock:
            if self._left:
                return self._left.popleft()
            mine: SimpleQueue[object] = SimpleQueue()
            self._waiting.append(mine)
        return mine.get()

    def qsize(self) -> int:
        """How many wait for a thread."""
        return len(self._left)


class NewestFirst(ThreadPool):
    """cheroot's threads, each of which gets the next connection before those that have waited longer.

    One is started where a connection finds none that waits: to start all of them takes a twentieth of a second, and an
    evening never needs most.
    """

    def __init__(self, server: Server, threads: int) -> None:
        """Take the server and how many threads it has at most."""
        super().__init__(server, min=1, max=threads)
        self._queue = Handover()
        self.get = self._queue.get

    def start(self) -> None:
        """Begin with none; cheroot would start its fewest, and look every tenth of a second whether they run."""

    def put(self, obj: object) -> None:
        """Hand a connection to a thread."""
        super().put(obj)
        threads: list[threading.Thread] = self._threads  # type: ignore[attr-defined]  # not in its stub
        if self._queue.qsize() and len(threads) < self.max:
            threads.append(self._spawn_worker())  # type: ignore[attr-defined]


class BoundedServer(Server):
    """A server of which nobody can hold all threads."""

    ConnectionClass = BoundedConnection
    max_request_header_size = MOST_HEAD_BYTES
    expiration_interval = _STOPS_WITHIN_S
    """How often it looks whether it is to stop, and for connections that nobody uses any more."""

    def __init__(
        self,
        address: tuple[str, int],
        app: Callable[..., Any],
        certificates: Certificates | None = None,
        threads: int = THREADS,
    ) -> None:
        """Take the address to listen on and the app; nothing is bound before `prepare`.

        Args:
            address: host and port.
            app: what answers.
            certificates: for those who speak TLS; without any, all is plain.
            threads: how many there are, `THREADS_OF_HOST` of them for the host.
        """
        super().__init__(
            address,
            app,
            numthreads=threads,
            server_name="tilekeeper",
            request_queue_size=MOST_UNACCEPTED,
            shutdown_timeout=2,
        )
        self.requests = NewestFirst(self, threads)
        self.gateway = BoundedGateway
        self.certificates = certificates
        self._most_of_others = threads - THREADS_OF_HOST
        self._lock = threading.Lock()
        self._held: dict[BoundedConnection, str] = {}
        self._ended = threading.Event()

    def prepare(self) -> None:
        """Bind the port, and look after requests that take too long."""
        super().prepare()
        threading.Thread(target=self._watch, name="deadlines", daemon=True).start()

    def stop(self) -> None:
        """End the server."""
        self._ended.set()
        super().stop()

    def process_conn(self, conn: BoundedConnection) -> None:
        """Let a thread read the next request of a connection, unless its machine holds too many threads."""
        peer = "" if is_this_machine(conn.remote_addr) else str(conn.remote_addr)
        with self._lock:
            held = Counter(self._held.values())
            others = held.total() - held[""]
            full = bool(peer) and (held[peer] >= THREADS_A_PEER or others >= self._most_of_others)
            if not full:
                self._held[conn] = peer
        if full:
            with suppress(OSError):
                conn.socket.settimeout(0.0)
                conn.socket.send(_TOO_MANY)
            conn.close()
            return
        super().process_conn(conn)

    def release(self, conn: BoundedConnection) -> None:
        """Let another connection have its thread."""
        with self._lock:
            self._held.pop(conn, None)

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_EVERY_S):
            now_s = time.monotonic()
            with self._lock:
                late = [conn for conn in self._held if conn.deadline_s is not None and conn.deadline_s < now_s]
            for conn in late:
                conn.give_up()
