"""Answers to a player's own phone, and about who shows which private page."""

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class PrivateClockJson(TypedDict):
    """The player's clock."""

    running: bool
    left_s: float | None
    """Until the turn's time is up, below 0 after that; null where nothing is counted."""


@with_config(DESCRIBED)
class PrivatePageJson(TypedDict):
    """What a player sees on the own phone: nothing that the others do not know."""

    name: str
    playing: bool
    """Whether the evening goes on to which the page belongs, and a turn is being played."""
    mine: bool
    """Whether it is the player's turn."""
    whose: str
    """Whose turn it is; empty where it is nobody's."""
    clock: PrivateClockJson | None
    """Null while it is not the player's turn."""
    may_ask: bool
    """Whether "can I open?" can be asked: not once the player has opened."""
    opening_points: int


@with_config(DESCRIBED)
class AdviceJson(TypedDict):
    """Whether the rack can open."""

    answer: Literal["yes", "no", "unsure"]


@with_config(DESCRIBED)
class PrivateLinkJson(TypedDict):
    """A link to a player's private page."""

    player: int
    phones: int
    """How many phones show the page now."""
    address: str | None
    """To be opened on the player's phone within 15 minutes; null where none was asked for."""
    qr: str | None
    """The same as a QR code: the address of a drawing, `data:image/svg+xml,…`."""
