"""Checks the addresses of requests: whether the sender is this machine, and whether the host is this machine."""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Final
from urllib.parse import urlsplit

_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[0-9a-z._-]+))(?::\d{1,5})?")
"""A host as in an address (RFC 3986, 3.2.2), with its port."""


def is_this_machine(peer: str | None) -> bool:
    """Return whether a request with this sender address comes from the machine on which the app runs."""
    address = _address(peer or "")
    return address is not None and address.is_loopback


def network_of(peer: str | None) -> str:
    """Return the network to which a sender belongs: an address of IPv4, or the 64 bits that one machine of IPv6 gets.

    Whoever has an IPv6 network has as many addresses as they like.
    """
    address = _address(peer or "")
    if address is None:
        return ""
    return str(address if address.version == 4 else ipaddress.ip_network((address, 64), strict=False))


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address without its zone, as IPv4 if it is that; None for anything else."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def is_in_house(address: str) -> bool:
    """Return whether a web address leads to a machine of the same network, and not to a site of the internet."""
    host = urlsplit(address).hostname or ""
    number = _address(host)
    return host.endswith(".local") if number is None else not (number.is_global or number.is_multicast)


def is_own_host(host: str) -> bool:
    """Return whether a `Host` header names this machine: by an IP address, as localhost, or by its host name.

    This prevents DNS rebinding: another site can let its own name point to this machine, and its pages could then send
    requests to this app from a browser in the house.
    """
    match = _HOST.fullmatch(host.lower())
    if match is None:
        return False
    name = match["address"] or match["name"].rstrip(".")
    address = _address(name)
    if address is not None:
        # 0.0.0.0 reaches this machine too, and so does 127.0.0.1 in the form of IPv6, but browsers treat these as other
        # machines and send no `Sec-Fetch-Site`.
        return not address.is_unspecified and not (address.version == 4 and ":" in name)
    hostname = socket.gethostname().lower()
    return name in ("localhost", hostname, f"{hostname.partition('.')[0]}.local")
