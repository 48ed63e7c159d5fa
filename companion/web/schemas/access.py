"""Answers about who may see and steer."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class DeviceJson(TypedDict):
    """A tablet that has joined."""

    id: str
    name: str
    controls: bool
    """Whether it may press buttons where only the host's tablet may."""


@with_config(DESCRIBED)
class YouJson(TypedDict):
    """The tablet that asks."""

    id: str
    name: str
    host: bool
    """Whether it is the machine at which the app runs."""
    controls: bool
    """Whether it may press buttons now."""


@with_config(DESCRIBED)
class TrustJson(TypedDict):
    """How a tablet learns to trust this machine, once, before it comes in over https."""

    address: str
    """Where it is walked through it, over plain http."""
    fingerprint: str
    """The SHA-256 digest of what it then trusts: pairs of digits parted by spaces."""


@with_config(DESCRIBED)
class AccessJson(TypedDict):
    """Who may see and steer."""

    you: YouJson
    address: str | None
    """The address for tablets in the network; null where nobody but this machine gets in."""
    trust: TrustJson | None
    """Null where tablets come in over plain http."""
    code: str | None
    """The join code; null for all but the host."""
    devices: list[DeviceJson]
    """Those who have joined; empty for all but the host."""
