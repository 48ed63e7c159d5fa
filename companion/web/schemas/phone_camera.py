"""Answers to a phone that is the camera, and about it."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class PhoneAskedJson(TypedDict):
    """What a phone is told that would be the camera."""

    chosen: bool
    """Whether it is, and may send pictures."""


@with_config(DESCRIBED)
class PhoneTakenJson(TypedDict):
    """A picture was taken."""

    wait_ms: int
    """After so long the next one is wanted: soon while hands move, later while the table lies still."""


@with_config(DESCRIBED)
class PhoneJson(TypedDict):
    """A phone that has joined."""

    id: str
    name: str
    """Empty for the machine at which the app runs."""


@with_config(DESCRIBED)
class PhonesJson(TypedDict):
    """Which phone is the camera, and which would be."""

    chosen: PhoneJson | None
    asking: list[PhoneJson]
    address: str | None
    """To be opened on the phone; null where nobody but this machine gets in."""
    secure: bool
    """Whether phones come in over https, without which no browser gives a camera."""
