"""Answers about a phone as the table camera."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class PhoneAskedJson(TypedDict):
    """Whether the requesting phone is the camera."""

    chosen: bool
    """Whether this phone is the camera, and so may send pictures."""


@with_config(DESCRIBED)
class PhoneTakenJson(TypedDict):
    """The answer to a picture: what the phone must do next."""

    wait_ms: int
    """The milliseconds to wait before the next picture; fewer while the table is moving than while it is settled."""
    refocus: bool
    """Whether to focus again, since the picture is blurred."""
    photo: bool
    """Whether to send a photo at full resolution (`POST /api/phone/photo`) before the next picture."""


@with_config(DESCRIBED)
class PhoneJson(TypedDict):
    """A phone that has joined."""

    id: str
    name: str
    """Empty for the computer that runs the app."""


@with_config(DESCRIBED)
class PhonesJson(TypedDict):
    """The phone that is the camera, and the phones that ask to become the camera."""

    chosen: PhoneJson | None
    asking: list[PhoneJson]
    address: str | None
    """The address to open on the phone; null if the app admits only its own computer."""
    secure: bool
    """Whether phones use https, without which browsers give no access to the camera."""
