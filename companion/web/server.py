"""Serves the app with cheroot: finds a port, says the address, and goes down cleanly."""

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
from tilekeeper.companion.web.connections import BoundedServer
from tilekeeper.engine.language import gettext

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

DEFAULT_PORT = 8645
# How many ports are tried where none was asked for.
MORE_PORTS = 10
SWITCH_S = 0.0005
"""How long a thread that computes keeps the interpreter while others wait for it. Python's own 5 ms are waited for
after every query and every read of a socket; beside a busy judge that makes an action several times as long."""


class CannotServe(Exception):  # noqa: N818, the name says it
    """Why the app can't be reached at the asked-for address; the message is one line for people."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that is bound to its port and waits for `serve`."""

    server: BoundedServer
    host: str
    port: int
    encrypted: bool = False
    """Whether others than this machine come in over https."""

    @property
    def address(self) -> str:
        """The address to open on this machine, such as `http://127.0.0.1:8645/`."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{_in_url(host)}:{self.port}/"

    @property
    def address_for_others(self) -> str | None:
        """The address for tablets in the same network, or None where they can't reach this one."""
        if self.host not in ("0.0.0.0", "::"):
            own = None if is_this_machine(self.host) or self.host == "localhost" else self.host
        else:
            own = own_address()
        return None if own is None else f"http{'s' * self.encrypted}://{_in_url(own)}:{self.port}/"


def listen(
    app: Flask,
    host: str,
    port: int | None,
    certificates: Certificates | None = None,
    default_port: int | None = None,
) -> Listening:
    """Bind a server to a port; where none is given, to the first free one from the default on.

    Args:
        app: what answers.
        host: where to listen.
        port: none for the first free one.
        certificates: with which others than this machine come in over https; none where they come in plainly.
        default_port: the first that is tried; by default `DEFAULT_PORT`.

    Raises:
        CannotServe: where the port is taken or the host is none of this machine's.
    """
    first = DEFAULT_PORT if default_port is None else default_port
    ports = range(first, first + MORE_PORTS) if port is None else (port,)
    error = 0
    for candidate in ports:
        error = _bind_error(host, candidate)
        if error == 0:
            return _bound(app, host, candidate, certificates)
        if error != errno.EADDRINUSE:
            break
    raise CannotServe(_why(error, host, ports))


def _bound(app: Flask, host: str, port: int, certificates: Certificates | None) -> Listening:
    sys.setswitchinterval(SWITCH_S)
    server = BoundedServer((host, port), app, certificates)
    try:
        server.prepare()
    except OSError as error:  # somebody was quicker since the port was tried
        server.stop()
        raise CannotServe(
            gettext("{host}:{port} can't be used: {reason}", host=host, port=port, reason=" ".join(str(error).split()))
        ) from None
    return Listening(server, host, server.bind_addr[1], certificates is not None)


def _bind_error(host: str, port: int) -> int:
    """Return why the system would not let a server listen there, or 0.

    It is tried before cheroot does, which sums up in words what went wrong and leaves its sockets open.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
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
