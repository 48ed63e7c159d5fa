"""TLS and plain requests on one port: silent clients and garbage delay nobody."""

import contextlib
import http.client
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.companion.web.test_connections import ATTACKER, FEW_THREADS, HOST, OTHER, connected, rest, served
from tilekeeper.companion.storage.certificates import Certificates
from tilekeeper.companion.web import connections
from tilekeeper.companion.web.connections import THREADS_A_PEER, BoundedServer

HELLO = b"\x16\x03\x01"
ENOUGH_S = 20.0


def app(environ, start_response):
    """A WSGI app that returns the URL scheme and the length of the body."""
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{environ['wsgi.url_scheme']} {len(body)}".encode()]


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    """The certificates of a machine that is only reached from itself."""
    return Certificates(tmp_path / "https", ("localhost",))


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch, certificates: Certificates) -> Iterator[int]:
    """The port of a server with a short deadline, for which only 127.0.0.1 is the host."""
    monkeypatch.setattr(connections, "HEAD_WITHIN_S", 1.5)
    monkeypatch.setattr(connections, "is_this_machine", lambda peer: peer == HOST)
    with served(BoundedServer((HOST, 0), app, certificates, FEW_THREADS)) as port:
        yield port


def asks(port: int, authority: Certificates | None, source: str = HOST, body: bytes = b"") -> bytes:
    """Return the answers to two requests on one connection, over TLS with an authority, or plain without one."""
    client: http.client.HTTPConnection
    if authority is None:
        client = http.client.HTTPConnection(HOST, port, timeout=ENOUGH_S, source_address=(source, 0))
    else:
        context = ssl.create_default_context(cadata=authority.authority_der())
        client = http.client.HTTPSConnection(HOST, port, timeout=ENOUGH_S, source_address=(source, 0), context=context)
    with contextlib.closing(client):
        answer = b""
        for _ in range(2):
            client.request("POST" if body else "GET", "/", body or None)
            answer = client.getresponse().read()
        return answer


def test_plain_and_encrypted_requests_use_the_same_port(port, certificates):
    assert asks(port, certificates) == b"https 0"
    assert asks(port, None) == b"http 0"
    assert asks(port, certificates, OTHER, b"x" * 100_000) == b"https 100000"


def test_certificate_has_the_address_of_the_connection(port, certificates):
    """It was made for `localhost` only; then the address of this connection is added."""
    with ssl.create_default_context(cadata=certificates.authority_der()).wrap_socket(
        connected(port), server_hostname=HOST
    ) as connection:
        names = connection.getpeercert()["subjectAltName"]
    assert ("IP Address", HOST) in names


@pytest.mark.parametrize("garbage", [b"", HELLO, b"\x16" * 2000])
def test_silent_handshakes_delay_nobody(port, certificates, garbage):
    with contextlib.ExitStack() as open_ones:
        for number in range(THREADS_A_PEER - 1):
            silent = open_ones.enter_context(connected(port, f"127.0.0.{number + 10}"))
            with contextlib.suppress(OSError):
                silent.sendall(garbage)
        began_s = time.monotonic()
        for source in (HOST, OTHER):
            assert asks(port, certificates, source) == b"https 0"
        # One after another, in the accepting thread, they would take the sum of their deadlines.
        assert time.monotonic() - began_s < (THREADS_A_PEER - 1) * connections.HEAD_WITHIN_S


@pytest.mark.parametrize("garbage", [b"", HELLO, HELLO + b"\x00\xff" + b"\x01" * 64])
def test_stalled_handshake_is_dropped(port, garbage, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_WITHIN_S", 0.3)
    with connected(port, ATTACKER) as connection:
        connection.sendall(garbage)
        connection.settimeout(ENOUGH_S)
        # Either a closed connection or a TLS alert, but never an answer of the app.
        assert b"HTTP/1.1 200" not in rest(connection)


def test_garbage_after_the_handshake_ends_only_that_connection(port, certificates, capfd):
    context = ssl.create_default_context(cadata=certificates.authority_der())
    plain = connected(port)
    encrypted = context.wrap_socket(plain, server_hostname=HOST)
    socket.socket.sendall(encrypted, b"this is not TLS at all, and long enough to be looked at as a record of it")
    with contextlib.suppress(OSError):
        assert b"200" not in encrypted.recv(1000)
    encrypted.close()
    assert asks(port, certificates) == b"https 0"
    assert "SSL" not in capfd.readouterr().err


def test_reset_during_the_handshake_ends_no_thread_and_no_server(port, certificates):
    """Some connections that wait for a thread are closed before it reads them."""
    for number in range(200):
        with connected(port, (ATTACKER, OTHER)[number % 2]) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(HELLO + b"\x02\x00\x01")
    time.sleep(0.5)
    assert asks(port, certificates) == b"https 0"
