"""The objects of a running hub's app, and how a request finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from flask import Flask, current_app

if TYPE_CHECKING:
    from tilekeeper.companion.club.access import SignIns
    from tilekeeper.companion.club.fragments import Fragments
    from tilekeeper.companion.club.hub import Hub

_KEY: Final = "tilekeeper-club"


@dataclass(slots=True)
class HubParts:
    """The objects that the hub's app has once."""

    hub: Hub
    sign_ins: SignIns
    fragments: Fragments
    address: str = ""
    """The address for other devices, with a slash at its end; empty if they can't come in."""
    trust: str = ""
    """The address of the page about trust; empty without https."""


def put_parts(app: Flask, parts: HubParts) -> None:
    """Store the objects of an app."""
    app.extensions[_KEY] = parts


def parts_of(app: Flask) -> HubParts:
    """Return the parts of an app that `create_app` made."""
    return cast(HubParts, app.extensions[_KEY])


def hub() -> HubParts:
    """Return the parts of the app that handles the present request."""
    return parts_of(current_app)
