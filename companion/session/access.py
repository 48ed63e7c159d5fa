"""Who may see and steer: this machine, and tablets in the network that have entered the join code."""

from __future__ import annotations

import hashlib
import ipaddress
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.game_night.player_names import LONGEST_NAME, tidy_name
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.storage.store import Store
from tilekeeper.engine.language import gettext

# No letter or digit that is taken for another when it is read aloud.
CODE_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH: Final = 6
MOST_WRONG: Final = 10
"""So many wrong codes of one address are tried, then none of its codes for `DEAF_S`: guessing takes for ever."""
DEAF_S: Final = 30.0
MOST_GUESSERS: Final = 1000
"""Of so many addresses wrong codes are counted; who made the fewest is forgotten for one more."""
MOST_DEVICES: Final = 256
"""One more takes the place of the one that has asked for nothing for the longest time."""
LONGEST_DEVICE_NAME: Final = 40
_KEY: Final = "access"
_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[0-9a-z._-]+))(?::\d{1,5})?")
"""A host as in an address (RFC 3986, 3.2.2), with its port."""


@dataclass(frozen=True, slots=True)
class Device:
    """A tablet that has joined."""

    id: str
    """Shown to people; no secret."""
    name: str
    token_sha256: str
    controls: bool = False
    """Whether it may press buttons even where only the host's tablet may."""


HOST: Final = Device("host", "", "", controls=True)
"""The machine at which the app runs."""


@dataclass(slots=True)
class _Guesses:
    wrong: int = 0
    deaf_until_s: float = float("-inf")


@dataclass(frozen=True, slots=True)
class _Kept:
    code: str
    devices: tuple[Device, ...]
    seen_in_plain: bool = True
    """Whether code and tablets' secrets may have gone over the network in plain."""

    def __post_init__(self) -> None:
        if len(self.code) != CODE_LENGTH or not set(self.code) <= set(CODE_ALPHABET):
            raise ValueError("that is no join code")


_KEPT: Final = TypeAdapter(_Kept)


class Access:
    """The join code and the tablets that have used it; kept from start to start, so that nobody joins anew."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        """Take what was kept; `now` is a monotonic clock, in seconds."""
        self._store = store
        self._now = now
        self._lock = threading.Lock()
        self._guessers: dict[str, _Guesses] = {}
        self._last_seen_s: dict[str, float] = {}
        kept = store.recall(_KEY, _KEPT)
        self.code: str = _new_code() if kept is None else kept.code
        self._devices: tuple[Device, ...] = () if kept is None else kept.devices
        self._seen_in_plain = kept is not None and kept.seen_in_plain
        self.address: str | None = None
        """The address for tablets in the network; None where nobody but this machine gets in."""
        if kept is None:
            self._keep()

    @property
    def devices(self) -> tuple[Device, ...]:
        """The tablets that have joined, in that order."""
        return self._devices

    def let_in_at(self, address: str | None) -> bool:
        """Let tablets in at an address, None for none; returns whether those that had joined must join anew.

        They must where it is encrypted and the code was used without that before: whoever listened then knows it.
        """
        self.address = address
        renewed = address is not None and address.startswith("https:") and self._seen_in_plain
        if renewed:
            self.renew()
        elif address is not None and not self._seen_in_plain and not address.startswith("https:"):
            with self._lock:
                self._seen_in_plain = True
                self._keep()
        return renewed

    def device(self, peer: str | None, token: str | None) -> Device | None:
        """Whose request it is, by the peer's address and the token that it sent; None for a stranger."""
        if is_this_machine(peer):
            return HOST
        if not token:
            return None
        sent = digest(token)
        found = next((one for one in self._devices if secrets.compare_digest(one.token_sha256, sent)), None)
        if found is not None:
            self._last_seen_s[found.id] = self._now()
        return found

    def knows(self, device: Device) -> bool:
        """Whether a device may still see anything: it is not, once the code was made anew."""
        known = device is HOST or any(one.id == device.id for one in self._devices)
        if known:
            self._last_seen_s[device.id] = self._now()  # who only listens is there as well
        return known

    def join(self, code: str, name: str, peer: str = "") -> str:
        """Let a tablet in that knows the code.

        Args:
            code: as it was entered.
            name: what the tablet is called; may be empty.
            peer: the address from which it asks.

        Returns:
            The token by which it is known from then on.

        Raises:
            Refused: for a wrong code, or after too many of them.
        """
        with self._lock:
            guesses = self._guesses_of(peer)
            if self._now() < guesses.deaf_until_s:
                raise Refused(gettext("Too many wrong codes. Wait half a minute and try again."), "join-first")
            entered = "".join(code.split()).upper()
            if not secrets.compare_digest(entered.encode(), self.code.encode()):
                guesses.wrong += 1
                if guesses.wrong >= MOST_WRONG:
                    guesses.wrong, guesses.deaf_until_s = 0, self._now() + DEAF_S
                raise Refused(gettext("That is not the join code. It is on the screen at the table."), "join-first")
            guesses.wrong = 0
            token = secrets.token_urlsafe(32)
            name = _visible(name) or gettext("tablet {number}", number=len(self._devices) + 1)
            device = Device(secrets.token_hex(4), name, digest(token))
            self._devices = (*self._with_room_for_one(), device)
            self._last_seen_s[device.id] = self._now()
            self._keep()
            return token

    def steering(self) -> tuple[str, ...]:
        """The ids of those that may press buttons even where only the host's tablet may, the host at the front."""
        return (HOST.id, *(device.id for device in self._devices if device.controls))

    def let_control(self, device: str, controls: bool) -> None:
        """Let a tablet press buttons where only the host's may, or no longer.

        Raises:
            Refused: if there is no such tablet.
        """
        with self._lock:
            if device not in {one.id for one in self._devices}:
                raise Refused(gettext("There is no such tablet."), "not-found")
            self._devices = tuple(replace(one, controls=controls) if one.id == device else one for one in self._devices)
            self._keep()

    def renew(self) -> None:
        """Make a new code, and let nobody in any more who knew the old one."""
        with self._lock:
            self.code = _new_code()
            self._devices = ()
            self._seen_in_plain = self.address is not None and not self.address.startswith("https:")
            self._keep()

    def join_address(self) -> str | None:
        """The address with the code in it, as a QR code shows it; None where nobody else gets in."""
        return None if self.address is None else f"{self.address}join?code={self.code}"

    def _guesses_of(self, peer: str) -> _Guesses:
        if peer not in self._guessers and len(self._guessers) >= MOST_GUESSERS:
            now_s, each = self._now(), self._guessers
            del each[min(each, key=lambda one: (now_s < each[one].deaf_until_s, each[one].wrong))]
        return self._guessers.setdefault(peer, _Guesses())

    def _with_room_for_one(self) -> tuple[Device, ...]:
        if len(self._devices) < MOST_DEVICES:
            return self._devices
        idle = min(self._devices, key=lambda device: self._last_seen_s.get(device.id, float("-inf")))
        return tuple(device for device in self._devices if device is not idle)

    def _keep(self) -> None:
        self._store.remember(_KEY, asdict(_Kept(self.code, self._devices, self._seen_in_plain)))


def _visible(name: str) -> str:
    """A tablet's name without what can't be seen, such as signs that turn text around; empty where nothing is left."""
    try:
        return tidy_name(name[:LONGEST_NAME])[:LONGEST_DEVICE_NAME]
    except Refused:
        return ""


def is_this_machine(peer: str | None) -> bool:
    """Whether a request comes from the machine at which the app runs."""
    try:
        address = ipaddress.ip_address((peer or "").partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback


def is_own_name(host: str) -> bool:
    """Whether a request names this machine as people do: by an address, as localhost, or by its own name.

    A site elsewhere can let its own name point here, and its pages would then speak to this app from a browser in the
    house; such a name is none of these.
    """
    found = _HOST.fullmatch(host.lower())
    if found is None:
        return False
    name = found["address"] or found["name"].rstrip(".")
    try:
        # 0.0.0.0 leads here as well, and to a browser it is not this machine, so that it says less of who asks.
        return not ipaddress.ip_address(name).is_unspecified
    except ValueError:
        own = socket.gethostname().lower()
        return name in ("localhost", own, f"{own.partition('.')[0]}.local")


def _new_code() -> str:
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def digest(token: str) -> str:
    """What is kept of a secret: enough to know it again, and nothing to use it with."""
    return hashlib.sha256(token.encode()).hexdigest()
