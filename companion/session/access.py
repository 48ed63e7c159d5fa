"""The join code for tablets, and the tablets that have joined with it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.doorkeeper.addresses import is_this_machine
from tilekeeper.companion.doorkeeper.codes import (
    CODE_ALPHABET,
    CodeCheck,
    digest,
    find_holder,
    must_renew_codes,
    new_code,
    new_token,
    visible_name,
)
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.private_pages import PrivatePages
from tilekeeper.companion.storage.schema import ACCESS
from tilekeeper.companion.storage.store import Store
from tilekeeper.engine.language import gettext

CODE_LENGTH: Final = 9
"""The number of characters of a join code, which give 44 bits, since a code may stay valid for months."""
MOST_DEVICES: Final = 256
"""The most joined tablets; if one more joins, the tablet that has been idle longest is removed."""
LONGEST_DEVICE_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Device:
    """A tablet that has joined."""

    id: str
    """An identifier that pages show, so it is not a secret."""
    name: str
    token_sha256: str
    controls: bool = False
    """Whether the tablet may press buttons although the settings allow only the host to."""


HOST: Final = Device("host", "", "", controls=True)
"""The browser of the person who runs the app; it shows the host's key and needs no token."""


@dataclass(frozen=True, slots=True)
class _StoredAccess:
    code: str
    devices: tuple[Device, ...]
    seen_in_plain: bool = True
    """Whether the code and tablets' tokens may have been sent over the network without encryption."""

    def __post_init__(self) -> None:
        if not self.code or not set(self.code) <= set(CODE_ALPHABET):
            raise ValueError("this is no join code")


_STORED: Final = TypeAdapter(_StoredAccess)


class Access:
    """Identifies the sender of a request by its address or token; may be used by several threads.

    The joined tablets are stored, so they need not join again after a restart. A change takes effect only after it is
    stored, so a failing disk changes nothing.
    """

    def __init__(
        self,
        store: Store,
        private_pages: PrivatePages,
        now: Callable[[], float] = time.monotonic,
        host_key: HostKey | None = None,
    ) -> None:
        """Load the stored tablets.

        Args:
            store: where they are stored.
            private_pages: players' own pages, which a new code ends.
            now: a monotonic clock, in seconds.
            host_key: proves that a browser of this machine is the host's; None if all of them are.
        """
        self._store = store
        self._host_key = host_key
        self._private_pages = private_pages
        self._now = now
        self._lock = threading.Lock()
        self._codes = CodeCheck(now)
        self._last_seen_s: dict[str, float] = {}
        self.address: str | None = None
        """The address for tablets in the network; None if only this computer gets in."""
        stored = store.recall(ACCESS, _STORED)
        if stored is None:
            self._change(_StoredAccess(new_code(CODE_LENGTH), (), seen_in_plain=False))
        else:
            self._stored: _StoredAccess = replace(stored, devices=tuple(map(_with_visible_name, stored.devices)))
            if len(stored.code) < CODE_LENGTH:  # a code of an earlier version; its tablets stay joined
                self._change(replace(self._stored, code=new_code(CODE_LENGTH)))

    @property
    def code(self) -> str:
        """The join code."""
        return self._stored.code

    @property
    def devices(self) -> tuple[Device, ...]:
        """The tablets that have joined, first to last."""
        return self._stored.devices

    def let_in_at(self, address: str | None) -> bool:
        """Admit tablets at `address`, or only this computer if None; return whether all tablets must join again.

        They must if the address is https and the code was sent over http before, since somebody may have read it there.
        """
        must_renew = address is not None and must_renew_codes(address, self._stored.seen_in_plain)
        if must_renew:
            self._renew(address)
        elif _is_plain(address) and not self._stored.seen_in_plain:
            with self._lock:
                self._change(replace(self._stored, seen_in_plain=True))
        self.address = address
        return must_renew

    def device(self, peer: str | None, token: str | None, shown_key: str | None = None) -> Device | None:
        """Return the sender of a request: `HOST` for the host's browser, else by the token; None for a stranger.

        Args:
            peer: the network address of the sender.
            token: the token in the cookie of a tablet that has joined.
            shown_key: the host's key, if the sender has shown one.
        """
        if is_this_machine(peer) and (self._host_key is None or self._host_key.is_shown_by(shown_key)):
            return HOST
        device = find_holder(token, self.devices)
        if device is not None:
            self._last_seen_s[device.id] = self._now()
        return device

    def knows(self, device: Device) -> bool:
        """Return whether a device is `HOST` or is still joined; a new code removes all tablets."""
        is_known = device is HOST or any(joined.id == device.id for joined in self.devices)
        if is_known:
            self._last_seen_s[device.id] = self._now()  # a tablet that only listens to the stream is not idle
        return is_known

    def join(self, code: str, name: str, peer: str = "") -> str:
        """Let a tablet join with the join code.

        Args:
            code: the code as it was entered.
            name: the tablet's name; may be empty.
            peer: the address of the sender.

        Returns:
            The token that the tablet must send with each later request.

        Raises:
            Refused: if the code is wrong, or too many wrong codes were tried.
        """
        with self._lock:
            refusal = gettext("That is not the join code. It is on the screen at the table.")
            self._codes.match(code, {"join": self.code}, peer, refusal)
            token = new_token()
            name = visible_name(name, LONGEST_DEVICE_NAME) or gettext("tablet {number}", number=len(self.devices) + 1)
            device = Device(secrets.token_hex(4), name, digest(token))
            self._change(replace(self._stored, devices=(*self._devices_with_room(), device)))
            self._last_seen_s[device.id] = self._now()
            return token

    def steering(self) -> tuple[str, ...]:
        """Return the ids of the devices that may press buttons if the settings allow only the host to, `HOST` first."""
        return (HOST.id, *(device.id for device in self.devices if device.controls))

    def let_control(self, device: str, controls: bool) -> None:
        """Allow or forbid a tablet to press buttons while the settings allow only the host to.

        Raises:
            Refused: if there is no such tablet.
        """
        with self._lock:
            if device not in {joined.id for joined in self.devices}:
                raise Refused(gettext("There is no such device."), "not-found")
            devices = tuple(
                replace(joined, controls=controls) if joined.id == device else joined for joined in self.devices
            )
            self._change(replace(self._stored, devices=devices))

    def renew(self) -> None:
        """Make a new code; every tablet has to join again, and all private pages end."""
        self._renew(self.address)

    def join_address(self) -> str | None:
        """Return the address that contains the join code, for a QR code; None if only this computer is admitted."""
        return None if self.address is None else f"{self.address}join?code={self.code}"

    def _renew(self, address: str | None) -> None:
        with self._lock, self._private_pages.ending_all() as ended:
            self._change(_StoredAccess(new_code(CODE_LENGTH), (), seen_in_plain=_is_plain(address)), ended)

    def _devices_with_room(self) -> tuple[Device, ...]:
        if len(self.devices) < MOST_DEVICES:
            return self.devices
        idle_longest = min(self.devices, key=lambda device: self._last_seen_s.get(device.id, float("-inf")))
        return tuple(device for device in self.devices if device is not idle_longest)

    def _change(self, stored: _StoredAccess, besides: Mapping[str, object] = MappingProxyType({})) -> None:
        """Store the tablets and the further preferences `besides` in one transaction; then use the tablets."""
        self._store.remember_all({ACCESS: asdict(stored), **besides})
        self._stored = stored
        for removed in self._last_seen_s.keys() - {device.id for device in stored.devices} - {HOST.id}:
            del self._last_seen_s[removed]


def _with_visible_name(device: Device) -> Device:
    """Return a tablet with a name that earlier versions did not refuse."""
    return device if visible_name(device.name, LONGEST_DEVICE_NAME) else replace(device, name=device.id)


def _is_plain(address: str | None) -> bool:
    return address is not None and not address.startswith("https:")
