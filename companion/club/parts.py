"""The parts of a running hub's app, and how a request finds them."""

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
class Parts:
    """All that the app has one of."""

    hub: Hub
    sign_ins: SignIns
    fragments: Fragments
    address: str = ""
    """Where others in the network find it, with a slash at its end; empty where nobody else gets in."""
    trust: str = ""
    """Where they learn to trust this machine; empty where nothing is encrypted."""


def put_parts(app: Flask, parts: Parts) -> None:
    """Give an app its parts."""
    app.extensions[_KEY] = parts


def parts_of(app: Flask) -> Parts:
    """The parts of an app that `create_app` made."""
    return cast(Parts, app.extensions[_KEY])


def hub() -> Parts:
    """The parts of the app that answers just now."""
    return parts_of(current_app)
