"""Sign-in codes that people enter, tokens that browsers store, and a limit on wrong codes."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from tilekeeper.companion.doorkeeper.addresses import network_of
from tilekeeper.companion.game_night.player_names import LONGEST_NAME, is_name_of_app, tidy_name
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

# Without letters and digits that are easy to confuse, such as O and 0.
CODE_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
MOST_WRONG_CODES: Final = 10
"""After this many wrong codes from one network, all codes from this network are refused for `GUESS_PAUSE_S`."""
MOST_WRONG_IN_ALL: Final = 100
"""After this many wrong codes from all networks within `GUESS_PAUSE_S`, all codes are refused for that time."""
GUESS_PAUSE_S: Final = 30.0
MOST_GUESSERS: Final = 1000
"""The maximum number of networks for which wrong codes are counted; a new network replaces the one with the fewest."""


class TokenHolder(Protocol):
    """Somebody whom a token identifies; only the token's digest is stored."""

    @property
    def token_sha256(self) -> str:
        """The token's digest, as `digest` returns it."""
        ...


Holder = TypeVar("Holder", bound=TokenHolder)


def new_code(length: int) -> str:
    """Return a random code of letters and digits that are easy to read aloud."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(length))


def new_token() -> str:
    """Return a random token of 256 bits that identifies a browser."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """Return the SHA-256 digest of a token, which is stored instead of the token."""
    return hashlib.sha256(token.encode()).hexdigest()


def find_holder(token: str | None, holders: Iterable[Holder]) -> Holder | None:
    """Return the holder of a token, by comparisons in constant time; None without a token or for an unknown token."""
    if not token:
        return None
    sent = digest(token)
    return next((holder for holder in holders if secrets.compare_digest(holder.token_sha256, sent)), None)


def normalize_code(entered: str) -> str:
    """Return an entered code in the stored form: without spaces, in capitals."""
    return "".join(entered.split()).upper()


def must_renew_codes(address: str, seen_in_plain: bool) -> bool:
    """Return whether codes must be renewed: they were sent unencrypted before, and `address` uses https."""
    return seen_in_plain and address.startswith("https:")


def visible_name(name: str, longest: int) -> str:
    """Return a name without invisible characters, cut to `longest` characters.

    It is empty if nothing visible is left, and for the name under which the app itself acts.
    """
    try:
        tidy = tidy_name(name[:LONGEST_NAME])[:longest]
    except Refused:
        return ""
    return "" if is_name_of_app(tidy) else tidy


@dataclass(slots=True)
class _Guesses:
    wrong: int = 0
    paused_until_s: float = float("-inf")


class CodeCheck:
    """Checks entered codes, and limits wrong codes per network and in total (rate limiting).

    Several threads may use it. The counts are only in memory.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start without counts; `now` is a monotonic clock, in seconds."""
        self._now = now
        self._lock = threading.Lock()
        self._guessers: dict[str, _Guesses] = {}
        self._in_all = _Guesses()
        self._counted_from_s = float("-inf")

    def match(self, entered: str, codes: Mapping[str, str], peer: str, refusal: str) -> str:
        """Return the key of the code in `codes` that equals the entered code.

        Args:
            entered: the code as it was entered.
            codes: the valid codes by key.
            peer: the network address of the sender.
            refusal: the message of the error for a wrong code.

        Raises:
            Refused: for a wrong code, or after too many wrong codes.
        """
        sent = normalize_code(entered).encode()
        with self._lock:
            guesses = self._guesses_of(network_of(peer))
            if self._now() < max(guesses.paused_until_s, self._in_all.paused_until_s):
                raise Refused(gettext("Too many wrong codes. Wait half a minute and try again."), "join-first")
            matches = [key for key, code in codes.items() if secrets.compare_digest(code.encode(), sent)]
            if not matches:
                self._note_wrong(guesses)
                raise Refused(refusal, "join-first")
            guesses.wrong = 0
            return matches[0]

    def _note_wrong(self, guesses: _Guesses) -> None:
        now_s = self._now()
        if now_s - self._counted_from_s > GUESS_PAUSE_S:
            self._in_all.wrong, self._counted_from_s = 0, now_s
        for counted, most in ((guesses, MOST_WRONG_CODES), (self._in_all, MOST_WRONG_IN_ALL)):
            counted.wrong += 1
            if counted.wrong >= most:
                counted.wrong, counted.paused_until_s = 0, now_s + GUESS_PAUSE_S

    def _guesses_of(self, peer: str) -> _Guesses:
        if peer not in self._guessers and len(self._guessers) >= MOST_GUESSERS:
            now_s, guessers = self._now(), self._guessers
            # Keep the paused addresses, and those with the most wrong guesses.
            del guessers[min(guessers, key=lambda peer: (now_s < guessers[peer].paused_until_s, guessers[peer].wrong))]
        return self._guessers.setdefault(peer, _Guesses())
