"""Answers about which tablets have joined and may press buttons."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class DeviceJson(TypedDict):
    """A tablet that has joined."""

    id: str
    name: str
    controls: bool
    """Whether the tablet may press buttons although the settings allow only the host to."""


@with_config(DESCRIBED)
class YouJson(TypedDict):
    """The requesting tablet."""

    id: str
    name: str
    host: bool
    """Whether the sender is the computer that runs the app."""
    controls: bool
    """Whether the tablet may press buttons now."""


@with_config(DESCRIBED)
class TrustJson(TypedDict):
    """How a person lets a tablet trust this computer; necessary once, before the tablet can use https."""

    address: str
    """The address of the page with the steps, on plain http."""
    fingerprint: str
    """The SHA-256 fingerprint of the certificate authority: pairs of hexadecimal digits separated by spaces."""


@with_config(DESCRIBED)
class AccessJson(TypedDict):
    """The rights of the requesting tablet; for the host also the join code and the other tablets."""

    you: YouJson
    address: str | None
    """The address for tablets in the network; null if the app admits only this computer."""
    trust: TrustJson | None
    """How to let a tablet trust this computer; null if tablets use plain http."""
    code: str | None
    """The join code; null for all but the host."""
    devices: list[DeviceJson]
    """The tablets that have joined; empty for all but the host."""
