"""A fair share of the processor for each sender, so that nobody who asks often makes buttons of others slow."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

from flask import request

from tilekeeper.companion.capture.fair_turns import FairTurns
from tilekeeper.companion.doorkeeper.addresses import network_of
from tilekeeper.engine.language import lazy_gettext

WAITS_S: Final = 5.0
"""The hardest tables take half a second each."""
_judging: Final = FairTurns(
    WAITS_S,
    lazy_gettext("Your last table is still being judged."),
    lazy_gettext("Other tables are being judged. Try again in a moment."),
)
MOST_WAITING: Final = 6
"""A page asks for several things about an evening at once."""
_replaying: Final = FairTurns(
    WAITS_S,
    lazy_gettext("Your last evening is still being read."),
    lazy_gettext("Other evenings are being read. Try again in a moment."),
    most_waiting=MOST_WAITING,
)


def judging_turn() -> AbstractContextManager[None]:
    """Let one thread at a time judge a table for the sender of a request; the turn in play is judged beside it.

    Raises:
        Refused: if another table of the sender waits already, or those of others take too long.
    """
    return _judging.turn(network_of(request.remote_addr))


def replaying_turn() -> AbstractContextManager[None]:
    """Let one thread at a time replay stored game nights for the sender of a request; each takes a tenth of a second.

    Raises:
        Refused: if enough requests of the sender wait already, or those of others take too long.
    """
    return _replaying.turn(network_of(request.remote_addr))
