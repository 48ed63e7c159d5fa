"""Binds the web server to a free port, and gives the addresses at which the app can be opened."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Flask

from tilekeeper.companion.doorkeeper.addresses import is_this_machine
from tilekeeper.companion.storage.own_names import own_address
from tilekeeper.companion.systems.system import this_system
from tilekeeper.companion.web.connections import BoundedServer
from tilekeeper.engine.language import gettext

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

DEFAULT_PORT = 8645
# How many ports are tried, one after the other, if none was requested.
MORE_PORTS = 10
SWITCH_S = 0.0005
"""For how many seconds a computing thread keeps the interpreter lock while other threads wait for it. A request may
wait that long after each query and socket read: with Python's default of 5 ms, an action takes several times as long
while the judge computes."""


class CannotServe(Exception):  # noqa: N818, the name says it
    """The app can't listen at the requested address; the message is one line for the terminal."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that is bound to its port, before `serve`."""

    server: BoundedServer
    host: str
    port: int
    encrypted: bool = False
    """Whether other computers must use https."""

    @property
    def address(self) -> str:
        """The address to open on this computer, such as `http://127.0.0.1:8645/`."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{_in_url(host)}:{self.port}/"

    @property
    def address_for_others(self) -> str | None:
        """The address for tablets in the same network; None if they can't reach this computer."""
        if self.host not in ("0.0.0.0", "::"):
            host = None if is_this_machine(self.host) or self.host == "localhost" else self.host
        else:
            host = own_address()
        return None if host is None else f"http{'s' * self.encrypted}://{_in_url(host)}:{self.port}/"


def listen(
    app: Flask,
    host: str,
    port: int | None,
    certificates: Certificates | None = None,
    default_port: int | None = None,
) -> Listening:
    """Bind a server to a port.

    Args:
        app: the app.
        host: the host to listen on.
        port: the port; None for the first free one from `default_port` on.
        certificates: for https with other computers; None for plain http.
        default_port: the first port to try; None for `DEFAULT_PORT`.

    Raises:
        CannotServe: if the port is taken, or the host is not an address of this computer.
    """
    return _bind(app, host, find_port(host, port, default_port), certificates)


def find_port(host: str, port: int | None, default_port: int | None = None) -> int:
    """Return a port on which a server can listen; arguments and errors as for `listen`."""
    first = DEFAULT_PORT if default_port is None else default_port
    ports = range(first, first + MORE_PORTS) if port is None else (port,)
    error = 0
    for candidate in ports:
        error = _bind_error(host, candidate)
        if error == 0:
            return candidate
        if error != errno.EADDRINUSE:
            break
    raise CannotServe(_why(error, host, ports))


def _bind(app: Flask, host: str, port: int, certificates: Certificates | None) -> Listening:
    sys.setswitchinterval(SWITCH_S)
    server = BoundedServer((host, port), app, certificates)
    try:
        server.prepare()
    except OSError as error:  # another program has taken the port since the check
        server.stop()
        raise CannotServe(
            gettext("{host}:{port} can't be used: {reason}", host=host, port=port, reason=" ".join(str(error).split()))
        ) from None
    return Listening(server, host, server.bind_addr[1], certificates is not None)


def _bind_error(host: str, port: int) -> int:
    """Try to bind the address; return the error number, 0 if listening is possible.

    The test comes before cheroot binds, since cheroot reports only a sentence and leaves its sockets open.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            if not this_system().shares_ports:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        return errno.EADDRNOTAVAIL
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def _why(error: int, host: str, ports: Sequence[int]) -> str:
    match error:
        case errno.EADDRINUSE:
            if len(ports) == 1:
                return gettext(
                    "port {port} is taken; end the program that uses it, or give another port with --port",
                    port=ports[0],
                )
            return gettext(
                "every port from {first} to {last} is taken; end a program that uses one, or give "
                "another port with --port",
                first=ports[0],
                last=ports[-1],
            )
        case errno.EADDRNOTAVAIL:
            return gettext(
                "{host} is not an address of this machine; give 127.0.0.1, or 0.0.0.0 for the whole network, as --host",
                host=host,
            )
        case errno.EACCES:
            return gettext("only the system may use port {port}; give one above 1023 with --port", port=ports[0])
    return gettext("{host}:{port} can't be used: {reason}", host=host, port=ports[0], reason=os.strerror(error))


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
