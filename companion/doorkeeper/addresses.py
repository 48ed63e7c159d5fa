"""Checks the addresses of requests: whether the sender is this machine, and whether the host is this machine."""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Final

_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[0-9a-z._-]+))(?::\d{1,5})?")
"""A host as in an address (RFC 3986, 3.2.2), with its port."""


def is_this_machine(peer: str | None) -> bool:
    """Return whether a request with this sender address comes from the machine on which the app runs."""
    try:
        address = ipaddress.ip_address((peer or "").partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback


def is_own_host(host: str) -> bool:
    """Return whether a `Host` header names this machine: by an IP address, as localhost, or by its host name.

    This prevents DNS rebinding: another site can let its own name point to this machine, and its pages could then send
    requests to this app from a browser in the house.
    """
    match = _HOST.fullmatch(host.lower())
    if match is None:
        return False
    name = match["address"] or match["name"].rstrip(".")
    try:
        # 0.0.0.0 reaches this machine too, but a browser treats it as another one and sends no `Sec-Fetch-Site`.
        return not ipaddress.ip_address(name).is_unspecified
    except ValueError:
        hostname = socket.gethostname().lower()
        return name in ("localhost", hostname, f"{hostname.partition('.')[0]}.local")
