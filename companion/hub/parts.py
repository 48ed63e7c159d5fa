"""The hub's shared objects, stored in its Flask app, so that a request can reach them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from flask import Flask, current_app

if TYPE_CHECKING:
    from tilekeeper.companion.hub.access import SignIns
    from tilekeeper.companion.hub.fragments import Fragments
    from tilekeeper.companion.hub.hub import Hub

_KEY: Final = "tilekeeper-club"
T = TypeVar("T")


class PerNight:
    """Values that are computed once after each change of the night and shared by all requests; threads may use it."""

    def __init__(self) -> None:
        """Start without values."""
        self._lock = threading.Lock()
        self._kept: dict[Hashable, tuple[int, Any]] = {}

    def get(self, key: Hashable, revision: int, compute: Callable[[], T]) -> T:
        """Return the value of a key as of a revision of the night; `compute` is called if it is not known."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != revision:
                kept = self._kept[key] = revision, compute()
            return cast(T, kept[1])


@dataclass(slots=True)
class HubParts:
    """The objects that all requests of one app share."""

    hub: Hub
    sign_ins: SignIns
    fragments: Fragments
    address: str = ""
    """The address for other devices, with a slash at its end; empty if only this machine can connect."""
    per_night: PerNight = field(default_factory=PerNight)
    trust: str = ""
    """The address of the page that explains how a device trusts the certificate; empty without https."""


def put_parts(app: Flask, parts: HubParts) -> None:
    """Store the parts in an app, for `parts_of` and `hub`."""
    app.extensions[_KEY] = parts


def parts_of(app: Flask) -> HubParts:
    """Return the parts of an app made by `create_app`."""
    return cast(HubParts, app.extensions[_KEY])


def hub() -> HubParts:
    """Return the parts of the app that handles the current request."""
    return parts_of(current_app)
