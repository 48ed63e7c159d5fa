"""Answers about the access of tablets."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class DeviceJson(TypedDict):
    """A tablet that has joined."""

    id: str
    name: str
    controls: bool
    """Whether it may press buttons although only the host's tablet may."""


@with_config(DESCRIBED)
class YouJson(TypedDict):
    """The requesting tablet."""

    id: str
    name: str
    host: bool
    """Whether it is the machine at which the app runs."""
    controls: bool
    """Whether it may press buttons now."""


@with_config(DESCRIBED)
class TrustJson(TypedDict):
    """How a tablet learns to trust this machine, once, before it can use https."""

    address: str
    """The page about trust, on plain http."""
    fingerprint: str
    """The SHA-256 fingerprint of the authority: pairs of digits separated by spaces."""


@with_config(DESCRIBED)
class AccessJson(TypedDict):
    """The access of the requesting tablet; for the host also of the others."""

    you: YouJson
    address: str | None
    """The address for tablets in the network; null if they have no access."""
    trust: TrustJson | None
    """Null if tablets use plain http."""
    code: str | None
    """The join code; null for all but the host."""
    devices: list[DeviceJson]
    """The tablets that have joined; empty for all but the host."""
