"""Access rights in the hall: a code entered in a browser makes its user an organiser or an arbiter.

The browser of the person who runs the hub is the organiser's, which it proves by the host's key. All others begin as
guests, who see pairings and standings.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from flask import Flask, g, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.doorkeeper.addresses import is_this_machine
from tilekeeper.companion.doorkeeper.codes import CodeCheck, digest, must_renew_codes, new_token, visible_name
from tilekeeper.companion.doorkeeper.cookies import read_cookie, set_token_cookies
from tilekeeper.companion.doorkeeper.guard import TRUST, Guard, Rejected, expect_csrf_token
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE, HostKey
from tilekeeper.companion.game_night.player_names import LONGEST_NAME
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.parts import hub
from tilekeeper.companion.hub.schema import DeviceRow, HallRow
from tilekeeper.companion.hub.settings import CODE_LENGTH, Role, new_codes
from tilekeeper.companion.messaging.shared_key import table_key
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

COOKIE: Final = "tilekeeper-club"
COOKIE_AGE_S: Final = 3 * 24 * 3600
_IN_PLAIN: Final = frozenset((*TRUST, "assets.file"))
_OPEN_TO_GUESTS: Final = ("page.sign_in", "wire.take")


@dataclass(frozen=True, slots=True)
class Person:
    """The sender of a request, with role and name; a guest has no name."""

    role: Role
    name: str


GUEST: Final = Person(Role.GUEST, "")


class SignIns:
    """Checks sign-in codes, and recognises signed-in browsers by their tokens."""

    def __init__(
        self, database: Database, now: Callable[[], float] = time.monotonic, host_key: HostKey | None = None
    ) -> None:
        """Use the hub's database.

        Args:
            database: the hub's database.
            now: a monotonic clock, in seconds.
            host_key: proves that a browser of this machine is the organiser's; None if all of them are, and if all
                programs of this machine are tables.
        """
        self._database = database
        self._host_key = host_key
        self._codes = CodeCheck(now)

    def let_in_at(self, address: str) -> bool:
        """Prepare the codes for access by other devices at `address`; return whether all codes were renewed.

        All codes are renewed if `address` uses https and they were sent unencrypted before, since somebody may have
        read them. They are also renewed if a code is shorter than `CODE_LENGTH`.
        """
        with self._database.writing() as session:
            hall = session.get_one(HallRow, 1, with_for_update=True)
            is_short = any(
                len(code) < CODE_LENGTH for code in hall.codes.values()
            )  # earlier versions made shorter codes
            must_renew = is_short or must_renew_codes(address, hall.seen_in_plain)
            if must_renew:
                hall.codes = new_codes()
            hall.seen_in_plain = not address.startswith("https:")
        return must_renew

    def is_host(self, peer: str | None, shown_key: str | None) -> bool:
        """Return whether a request comes from the person who runs the hub, by its address and the key that it shows."""
        return is_this_machine(peer) and (self._host_key is None or self._host_key.is_shown_by(shown_key))

    def key_of_table(self, table: str) -> bytes | None:
        """Return the key by which a table of this machine proves itself; None if none is needed."""
        return None if self._host_key is None else table_key(self._host_key.value, table)

    def person(self, peer: str | None, token: str | None, shown_key: str | None = None) -> Person:
        """Return the sender of a request: by the token, else the host as an organiser, else a guest.

        Args:
            peer: the network address of the sender.
            token: the token in the cookie; ignored if it is unknown or its code was renewed.
            shown_key: the host's key, if the sender has shown one.
        """
        if token:
            with self._database.reading() as session:
                device = session.get(DeviceRow, digest(token))
                if device is not None and session.get_one(HallRow, 1).codes.get(device.role) == device.code:
                    return Person(Role(device.role), device.name)
        return Person(Role.ORGANISER, gettext("Organiser")) if self.is_host(peer, shown_key) else GUEST

    def sign_in(self, code: str, name: str, peer: str) -> str:
        """Sign somebody in, and return a new token that identifies the browser.

        Raises:
            Refused: for a wrong code, or after too many wrong codes from the address `peer`.
        """
        with self._database.reading() as session:
            codes: dict[str, str] = session.get_one(HallRow, 1).codes
        role = self._codes.match(code, codes, peer, gettext("That is not a code of this tournament."))
        token = new_token()
        shown = visible_name(name, LONGEST_NAME) or gettext("Referee")
        with self._database.writing() as session:
            # Stored with the code, so that `person` ignores the browser if the codes were renewed meanwhile.
            session.add(DeviceRow(token_sha256=digest(token), role=role, name=shown, code=codes[role]))
        return token


def guard(app: Flask, certificates: Certificates | None) -> None:
    """Make an app identify the sender of each request, and refuse changes by guests."""
    Guard(certificates is not None, _IN_PLAIN, _identify).protect(app)


def _identify() -> None:
    token, shown_key, sign_ins = read_cookie(COOKIE), read_cookie(HOST_COOKIE), hub().sign_ins
    g.person = sign_ins.person(request.remote_addr, token, shown_key)
    if request.method != "POST" or request.endpoint in _OPEN_TO_GUESTS:
        return
    if person().role is Role.GUEST:
        raise Rejected(gettext("First sign in as organiser or referee."), "join-first", 401)
    if token and not sign_ins.is_host(request.remote_addr, shown_key):
        expect_csrf_token(request, token)


def person() -> Person:
    """Return the sender of the current request."""
    return cast(Person, g.person)


def expect(*roles: Role) -> None:
    """Raise `Refused` unless the sender of the current request has one of these roles."""
    if person().role not in roles:
        raise Refused(gettext("Only the organiser may do that."), "no-control")


def with_cookies(response: AnyResponse, token: str) -> AnyResponse:
    """Set the cookies that identify the browser, and return the response."""
    set_token_cookies(response, COOKIE, token, COOKIE_AGE_S)
    return response
