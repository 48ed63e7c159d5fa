"""Answers about players' private pages."""

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class PrivateClockJson(TypedDict):
    """The clock of the player's turn."""

    running: bool
    left_s: float | None
    """The remaining seconds of the turn, negative once the time is up; null without a limit."""


@with_config(DESCRIBED)
class PrivatePageJson(TypedDict):
    """The contents of a player's private page; it has nothing that other players do not know."""

    name: str
    playing: bool
    """Whether a turn of the page's game night is being played."""
    mine: bool
    """Whether it is the player's turn."""
    whose: str
    """The name of the player in turn; empty if no turn is being played."""
    clock: PrivateClockJson | None
    """The clock of the turn; null if it is not this player's turn."""
    may_ask: bool
    """Whether the player may ask "Can I open?": during turns, until the player has opened."""
    opening_points: int


@with_config(DESCRIBED)
class AdviceJson(TypedDict):
    """Whether the tiles on the rack can make an opening."""

    answer: Literal["yes", "no", "unsure"]
    seen: int
    """How many tiles were read in the picture."""
    tiles: int
    """How many tiles the rack has by the ledger; below 0 if the ledger is wrong."""


@with_config(DESCRIBED)
class PrivateLinkJson(TypedDict):
    """A link to a player's private page."""

    player: int
    phones: int
    """How many phones show the page now."""
    address: str | None
    """The link to open on the player's phone within 15 minutes; null if no link was made."""
    qr: str | None
    """The link as a QR code, in a data URL (`data:image/svg+xml,…`); null if no link was made."""
