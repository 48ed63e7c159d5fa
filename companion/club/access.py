"""Who somebody is in the hall: organiser, arbiter or guest, by the word with which their browser came in.

The machine at which the hub runs is the organiser's. All others are guests at first, who see pairings and standings.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from flask import Flask, current_app, g, redirect, request
from sqlalchemy import delete
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.parts import hub
from tilekeeper.companion.club.schema import DeviceRow, HallRow
from tilekeeper.companion.club.settings import Role
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import DEAF_S, MOST_GUESSERS, MOST_WRONG, digest, is_own_name, is_this_machine
from tilekeeper.companion.web.api.errors import error_response
from tilekeeper.companion.web.api.origin import CSRF_COOKIE, csrf_token, has_csrf_token, is_from_another_site
from tilekeeper.companion.web.blueprints import trust
from tilekeeper.engine.language import gettext

COOKIE: Final = "tilekeeper-club"
COOKIE_AGE_S: Final = 3 * 24 * 3600
LONGEST_NAME: Final = 60
_IN_PLAIN: Final = ("trust.page", "trust.certificate", "trust.profile", "trust.seen", "assets.file")
"""What comes over plain http where others come in over https: nothing that anybody could read along with profit."""
_OPEN_TO_GUESTS: Final = ("page.sign_in", "wire.take")


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever asks."""

    role: Role
    name: str


GUEST: Final = Person(Role.GUEST, "")


class Doorkeeper:
    """Lets people in by their words, and makes those who guess wait; the counts of guesses are this process's own."""

    def __init__(self, database: Database, now: Callable[[], float] = time.monotonic) -> None:
        """Take the hub's database; `now` is a monotonic clock, in seconds."""
        self._database = database
        self._now = now
        self._lock = threading.Lock()
        self._wrong: dict[str, tuple[int, float]] = {}

    def person(self, peer: str | None, token: str | None) -> Person:
        """Who asks, by the peer's address and the token that it sent."""
        if token:
            with self._database.reading() as session:
                device = session.get(DeviceRow, digest(token))
                if device is not None and session.get_one(HallRow, 1).codes.get(device.role) == device.code:
                    return Person(Role(device.role), device.name)
        return Person(Role.ORGANISER, gettext("Organiser")) if is_this_machine(peer) else GUEST

    def sign_in(self, code: str, name: str, peer: str) -> str:
        """Let somebody in; returns the token by which the browser is known from then on.

        Raises:
            Refused: for a wrong word, or after too many of them.
        """
        entered = "".join(code.split()).upper()
        with self._lock:
            wrong, deaf_until_s = self._wrong.get(peer, (0, 0.0))
            if self._now() < deaf_until_s:
                raise Refused(gettext("Too many wrong codes. Wait half a minute and try again."), "join-first")
        token = secrets.token_urlsafe(32)
        with self._database.writing() as session:
            codes = session.get_one(HallRow, 1).codes
            role = next(
                (role for role, known in codes.items() if secrets.compare_digest(known.encode(), entered.encode())),
                None,
            )
            if role is None:
                self._count(peer, wrong + 1)
                raise Refused(gettext("That is not a code of this tournament."), "join-first")
            shown = " ".join(name.split())[:LONGEST_NAME] or gettext("Referee")
            session.add(DeviceRow(token_sha256=digest(token), role=role, name=shown, code=entered))
        with self._lock:
            self._wrong.pop(peer, None)
        return token

    def sign_out(self, token: str) -> None:
        """Forget a browser."""
        with self._database.writing() as session:
            session.execute(delete(DeviceRow).where(DeviceRow.token_sha256 == digest(token)))

    def _count(self, peer: str, wrong: int) -> None:
        with self._lock:
            if len(self._wrong) > MOST_GUESSERS:
                self._wrong.clear()
            deaf = wrong >= MOST_WRONG
            self._wrong[peer] = (0, self._now() + DEAF_S) if deaf else (wrong, 0.0)


def guard(app: Flask) -> None:
    """Let an app ask of every request who it is from."""
    app.before_request(_who)


def _who() -> AnyResponse | None:
    if not is_own_name(request.host):
        return error_response(gettext("This is not the address of this app."), "not-found", 421)
    # The plain page on which a phone learns to trust this machine is another site to what comes over https.
    if is_from_another_site(request) and request.endpoint != "trust.seen":
        return error_response(gettext("A page of another website may not do this."), "other-site", 403)
    if _must_be_encrypted() and request.endpoint not in _IN_PLAIN:
        return _led_to_https()
    token = request.cookies.get(COOKIE)
    g.person = hub().doorkeeper.person(request.remote_addr, token)
    if request.method != "POST" or request.endpoint in _OPEN_TO_GUESTS:
        return None
    if person().role is Role.GUEST:
        return error_response(gettext("First sign in as organiser or referee."), "join-first", 401)
    if token and not is_this_machine(request.remote_addr) and not has_csrf_token(request, token):
        return error_response(gettext("Please reload this page."), "other-site", 403)
    return None


def _must_be_encrypted() -> bool:
    """Whether this should have come over https: nobody listens in on what stays on this machine."""
    encrypts = current_app.config[trust.CERTIFICATES] is not None
    return encrypts and not request.is_secure and not is_this_machine(request.remote_addr)


def _led_to_https() -> AnyResponse:
    g.person = GUEST
    if request.method == "GET" and request.blueprint == "page" and request.endpoint != "page.events":
        return redirect("/trust")
    return error_response(gettext("Open https://{address}/ instead.", address=request.host), "not-encrypted", 403)


def person() -> Person:
    """Whoever made the present request."""
    return cast(Person, g.person)


def expect(*roles: Role) -> None:
    """Refuse whoever has none of these roles."""
    if person().role not in roles:
        raise Refused(gettext("Only the organiser may do that."), "no-control")


def with_cookies(response: AnyResponse, token: str) -> AnyResponse:
    """An answer after which a browser is known."""
    for name, value, hidden in ((COOKIE, token, True), (CSRF_COOKIE, csrf_token(token), False)):
        response.set_cookie(
            name, value, max_age=COOKIE_AGE_S, httponly=hidden, samesite="Strict", secure=request.is_secure
        )
    return response
