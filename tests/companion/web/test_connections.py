"""Requests that drip, never end or are never read are dropped, and delay nobody else."""

import contextlib
import http.client
import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Iterator

import pytest
from werkzeug.wsgi import ClosingIterator

from tilekeeper.companion.web import connections
from tilekeeper.companion.web.connections import THREADS, THREADS_A_PEER, THREADS_OF_HOST, BoundedServer

pytestmark = pytest.mark.slow  # real ports

HOST, OTHER, ATTACKER = "127.0.0.1", "127.0.0.2", "127.0.0.3"
MACHINES = 4
"""This many clients hold all threads except those of the host."""
FEW_THREADS = MACHINES * THREADS_A_PEER + THREADS_OF_HOST


def app(environ, start_response):
    """A WSGI app that returns the length of the body."""
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(len(body)).encode()]


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server with short deadlines, for which only 127.0.0.1 is the host."""
    monkeypatch.setattr(connections, "HEAD_WITHIN_S", 0.6)
    monkeypatch.setattr(connections, "BODY_WITHIN_S", 0.9)
    monkeypatch.setattr(connections, "is_this_machine", lambda peer: peer == HOST)
    with served(BoundedServer((HOST, 0), app, threads=FEW_THREADS)) as port:
        yield port


@contextlib.contextmanager
def served(server: BoundedServer) -> Iterator[int]:
    """Yield the port of a running server."""
    server.prepare()
    serving = threading.Thread(target=server.serve, daemon=True)
    serving.start()
    try:
        yield server.bind_addr[1]
    finally:
        server.stop()
        serving.join(timeout=10)


def connected(port: int, source: str = HOST) -> socket.socket:
    """Return a connection from one of several addresses."""
    return socket.create_connection((HOST, port), timeout=10, source_address=(source, 0))


def asks(port: int, source: str = HOST, body: bytes = b"") -> tuple[int, bytes]:
    """Return the answer to a correct request."""
    client = http.client.HTTPConnection(HOST, port, timeout=10, source_address=(source, 0))
    with contextlib.closing(client):
        client.request("POST" if body else "GET", "/", body or None)
        answer = client.getresponse()
        return answer.status, answer.read()


def rest(connection: socket.socket) -> bytes:
    """Return everything received until the other end closes."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def drip(connection: socket.socket, words: bytes, ended: threading.Event) -> None:
    """Send a request byte by byte as long as it is accepted."""
    with contextlib.suppress(OSError):
        for letter in words:
            connection.send(bytes([letter]))
            if ended.wait(0.05):
                return


def test_complete_bodies_are_read(port):
    assert asks(port) == (200, b"0")
    assert asks(port, OTHER, b"x" * 100_000) == (200, b"100000")


@pytest.mark.parametrize(
    ("begun", "rest_of_it"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"y" * 1000),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n", b"z" * 900),
        (b"", b""),
    ],
)
def test_dripping_request_is_dropped_in_time(port, begun, rest_of_it):
    ended = threading.Event()
    with connected(port) as connection:
        began_s = time.monotonic()
        connection.sendall(begun)
        dripping = threading.Thread(target=drip, args=(connection, rest_of_it, ended))
        dripping.start()
        rest(connection)
        assert time.monotonic() - began_s < 3
        ended.set()
        dripping.join()


def test_hundred_dripping_requests_delay_nobody(port):
    ended = threading.Event()

    def attack() -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError), connected(port, ATTACKER) as connection:
                drip(connection, b"GET / HTTP/1.1\r\nX: " + b"y" * 500, ended)

    attackers = [threading.Thread(target=attack) for _ in range(100)]
    for one in attackers:
        one.start()
    try:
        for _ in range(10):
            for source in (HOST, OTHER):
                began_s = time.monotonic()
                assert asks(port, source)[0] == 200
                assert time.monotonic() - began_s < 5
    finally:
        ended.set()
        for one in attackers:
            one.join()


def test_one_machine_holds_few_threads_and_the_host_always_gets_one(port, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_WITHIN_S", 600.0)
    with contextlib.ExitStack() as open_ones:

        def hold(machine: str) -> None:
            for _ in range(THREADS_A_PEER):
                open_ones.enter_context(connected(port, machine)).send(b"G")

        hold(ATTACKER)
        assert asks(port, OTHER)[0] == 200  # by now each earlier connection has its thread
        with connected(port, ATTACKER) as one_more:
            assert rest(one_more).startswith(b"HTTP/1.1 503")
        for number in range(1, MACHINES):
            hold(f"127.0.0.{number + 10}")
        assert asks(port)[0] == 200
        with connected(port, OTHER) as one_more:
            assert rest(one_more).startswith(b"HTTP/1.1 503")


def test_thread_that_began_to_wait_last_answers_next():
    """It uses the least memory: threads that took turns would all grow in the end.

    No thread is started without need.
    """
    answered = []

    def names_thread(environ, start_response):
        answered.append(threading.current_thread().name)
        return app(environ, start_response)

    server = BoundedServer((HOST, 0), names_thread, threads=FEW_THREADS)
    with served(server) as port:
        for _ in range(20):
            assert asks(port)[0] == 200
            time.sleep(0.01)  # until that thread waits again
        started = len(server.requests._threads)
    assert len(set(answered)) <= started < 5


def test_threads_are_enough_for_two_dozen_machines_and_the_host():
    server = BoundedServer((HOST, 0), app)
    assert server.requests.max == THREADS >= 24 * THREADS_A_PEER + THREADS_OF_HOST


def test_simultaneous_connections_are_all_accepted():
    """A client beyond the backlog would be tried again by its system only after a second."""
    server = BoundedServer((HOST, 0), app, threads=THREADS_OF_HOST)
    server.prepare()
    with contextlib.ExitStack() as open_ones:
        open_ones.callback(server.stop)
        for _ in range(60):
            # It does not accept yet.
            open_ones.enter_context(socket.create_connection(server.bind_addr, timeout=0.5))


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", b"411"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n", b"411"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", b"411"),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000, b"413"),
        (b"GET /" + b"y" * 200_000, b"414"),
    ],
)
def test_body_without_a_length_is_refused_at_once(port, head, status, monkeypatch):
    """Before the deadlines, so that it can not fill the memory."""
    monkeypatch.setattr(connections, "HEAD_WITHIN_S", 600.0)
    monkeypatch.setattr(connections, "BODY_WITHIN_S", 600.0)
    with connected(port) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(head)
        received = rest(connection)
    assert not received or received.split(b" ")[1] == status


def test_malformed_head_is_refused_and_is_no_error_of_the_server(port, caplog):
    for head in (b"GET / HTTP/1.1\r\n continued\r\n\r\n", b"GET http://[::1/ HTTP/1.1\r\n\r\n"):
        with connected(port) as connection:
            connection.sendall(head)
            assert rest(connection).split(b" ")[1] == b"400"
    assert caplog.records == []


ANSWER = b"a" * 8_000_000
UNREAD_BYTES = 8_000_000
MOST_KEPT_BYTES = 2_000_000


def reads_nothing(environ, start_response):
    """A WSGI app that returns much and reads no body."""
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(ANSWER)))])
    return [ANSWER]


@pytest.fixture
def busy_port() -> Iterator[int]:
    """The port of a server with that app."""
    with served(BoundedServer((HOST, 0), reads_nothing, threads=FEW_THREADS)) as port:
        yield port


def test_unread_bodies_and_long_answers_take_no_memory(busy_port):
    """A refused body is not read; a film is sent as slowly as its reader reads it."""
    body = b"x" * 64_000
    tracemalloc.start()
    try:
        with connected(busy_port) as connection:
            connection.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {UNREAD_BYTES}\r\n\r\n".encode())
            for _ in range(UNREAD_BYTES // len(body)):
                connection.sendall(body)
            heard = 0
            while heard < len(ANSWER):
                heard += len(connection.recv(65536))
        assert tracemalloc.get_traced_memory()[1] < MOST_KEPT_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("length", [10**10, 10**19, 10**40])
def test_unread_body_that_is_too_long_is_not_waited_for(busy_port, length):
    with connected(busy_port) as connection:
        connection.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\nx".encode())
        received = rest(connection)
    assert received.startswith(b"HTTP/1.1 200")
    assert b"\r\nConnection: close\r\n" in received


def test_unread_dripping_body_is_dropped_in_time(busy_port, monkeypatch, capfd):
    monkeypatch.setattr(connections, "BODY_WITHIN_S", 0.6)
    ended = threading.Event()
    with connected(busy_port) as connection:
        began_s = time.monotonic()
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n")
        dripping = threading.Thread(target=drip, args=(connection, b"z" * 900, ended))
        dripping.start()
        rest(connection)
        assert time.monotonic() - began_s < 3
        ended.set()
        dripping.join()
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_response_is_closed_after_the_client_has_disconnected(method):
    """A stream frees its place when it is closed, and the number of streams is limited."""
    requested, disconnected, closed = threading.Event(), threading.Event(), threading.Event()

    def waits(environ, start_response):
        requested.set()
        disconnected.wait(10)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return ClosingIterator([b"x"] if environ["REQUEST_METHOD"] == "GET" else (), closed.set)

    with served(BoundedServer((HOST, 0), waits, threads=FEW_THREADS)) as port:
        with connected(port) as connection:
            connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )  # a reset instead of a regular close
            connection.sendall(f"{method} / HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert requested.wait(10)
        time.sleep(0.1)
        disconnected.set()
        assert closed.wait(10)


MALFORMED = (
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET http://[::/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
)


@pytest.mark.parametrize("request_", MALFORMED)
def test_malformed_request_is_refused_once_and_writes_no_traceback(port, request_, capfd, caplog):
    with connected(port) as connection:
        connection.sendall(request_)
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 4")
    assert answer.count(b"HTTP/1.1") == 1
    assert "Traceback" not in caplog.text + capfd.readouterr().err


def test_error_of_the_server_that_a_stranger_repeats_is_logged_once(monkeypatch, caplog):
    def fails(environ, start_response):
        raise RuntimeError("this app has a bug")

    monkeypatch.setattr(connections, "is_this_machine", lambda peer: peer == HOST)
    with served(BoundedServer((HOST, 0), fails, threads=FEW_THREADS)) as port:
        for _ in range(20):
            assert asks(port, ATTACKER)[0] == 500
    assert caplog.text.count("Traceback") == 1
