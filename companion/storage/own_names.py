"""Host names and IP addresses of this machine in its local network."""

import re
import socket
from typing import Final

HOST_NAME: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*")


def own_names() -> list[str]:
    """Return the host names and IP addresses of this machine, loopback included; nothing is sent."""
    host = own_host()
    names = ["localhost", "127.0.0.1", "::1", *([host, f"{host.partition('.')[0]}.local"] if host else [])]
    return names + [address for address in (own_address(), own_address(socket.AF_INET6)) if address is not None]


def own_address(family: socket.AddressFamily = socket.AF_INET) -> str | None:
    """Return this machine's address of a family in its network, or None if it has none; nothing is sent."""
    elsewhere = "192.0.2.1" if family == socket.AF_INET else "2001:db8::1"
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def own_host() -> str:
    """Return this machine's host name in lower case; empty if a certificate can't contain it."""
    name = socket.gethostname().lower().rstrip(".")
    return name if HOST_NAME.fullmatch(name) and not name.replace(".", "").isdigit() else ""
