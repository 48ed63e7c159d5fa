"""Checks the addresses of a request: whether its sender is this machine, and whether its `Host` names this machine."""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Final

_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[0-9a-z._-]+))(?::\d{1,5})?")
"""A host with an optional port, as in a `Host` header (RFC 3986, 3.2.2)."""
_WEB_ADDRESS: Final = re.compile(rf"https?://{_HOST.pattern}(?:[/?#][!-~]*)?")
"""A web address in a form that all programs read alike; some take `\\` for `/`, or read other hosts before an `@`."""


def is_this_machine(peer: str | None) -> bool:
    """Return whether a sender's address is a loopback address of the machine on which the app runs."""
    address = _address(peer or "")
    return address is not None and address.is_loopback


def network_of(peer: str | None) -> str:
    """Return the network of a sender, by which guesses are counted: the IPv4 address, or the /64 network of IPv6.

    One IPv6 machine can use all addresses of its /64 network. The result is empty for text that is not an address.
    """
    address = _address(peer or "")
    if address is None:
        return ""
    return str(address if address.version == 4 else ipaddress.ip_network((address, 64), strict=False))


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an IP address without its zone; IPv4 mapped into IPv6 becomes IPv4. Return None for other text."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def is_in_house(address: str) -> bool:
    """Return whether a web address leads to a machine of the same network, and not to a site of the internet."""
    match = _WEB_ADDRESS.fullmatch(address.lower())
    if match is None:
        return False
    host = match["address"] or match["name"]
    number = _address(host)
    return host.endswith(".local") if number is None else not (number.is_global or number.is_multicast)


def is_loopback_host(host: str) -> bool:
    """Return whether a `Host` header is a loopback address or localhost, which browsers trust without encryption."""
    match = _HOST.fullmatch(host.lower())
    return match is not None and (match["name"] == "localhost" or is_this_machine(match["address"] or match["name"]))


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
        # 0.0.0.0 and 127.0.0.1 written as IPv6 also reach this machine, but browsers treat them as other machines and
        # send no `Sec-Fetch-Site`.
        return not address.is_unspecified and not (address.version == 4 and ":" in name)
    hostname = socket.gethostname().lower()
    return name in ("localhost", hostname, f"{hostname.partition('.')[0]}.local")
