"""Access control: the one list of the roles that may use each endpoint, and in which state of the table.

`docs/security.md` prints the list, and a test requests every endpoint in every state with every role. Nobody may use an
endpoint that is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tilekeeper.companion.doorkeeper.guard import TRUST
from tilekeeper.companion.game_night.commands import ACTIONS
from tilekeeper.companion.session.access import HOST, Device
from tilekeeper.companion.session.table_state import TableState


class DeviceRole(StrEnum):
    """The role of a request's sender."""

    STRANGER = "stranger"
    PLAYER = "player's phone"
    """A phone that has opened the link to one player's private page."""
    WATCHING = "watching tablet"
    """A joined tablet that may not press buttons, since the settings allow only the host and some tablets to."""
    TABLET = "tablet"
    """A joined tablet that may press buttons."""
    HOST = "host"
    """A browser of the machine at which the app runs, with the host's key."""


def role_of(device: Device | None, state: TableState) -> DeviceRole:
    """Return the role of a device in a state of the table; None as `device` is a stranger."""
    if device is None:
        return DeviceRole.STRANGER
    if device is HOST:
        return DeviceRole.HOST
    night = state.activity.game_night
    return DeviceRole.TABLET if night is None or night.all_tablets_control or device.controls else DeviceRole.WATCHING


@dataclass(frozen=True, slots=True)
class Permission:
    """Who may use an endpoint, and when.

    Attributes:
        roles: the roles that may use the endpoint.
        for_evening_in_play: further roles that may use it if the address names the game night in progress.
        shows_racks: whether the endpoint shows what is outside the play area, so that nobody may use it while racks may
        stand there.
    """

    roles: frozenset[DeviceRole]
    for_evening_in_play: frozenset[DeviceRole] = frozenset()
    shows_racks: bool = False

    def admits(self, role: DeviceRole, *, evening_in_play: bool) -> bool:
        """Return whether a role may use the endpoint; `shows_racks` is not considered."""
        return role in self.roles or (evening_in_play and role in self.for_evening_in_play)


EVERYBODY: Final = Permission(frozenset(DeviceRole))
JOINED: Final = Permission(frozenset({DeviceRole.WATCHING, DeviceRole.TABLET, DeviceRole.HOST}))
BUTTONS: Final = Permission(frozenset({DeviceRole.TABLET, DeviceRole.HOST}))
"""For endpoints that change what all tablets see."""
HOST_ONLY: Final = Permission(frozenset({DeviceRole.HOST}))
WHOLE_PICTURE: Final = Permission(HOST_ONLY.roles, shows_racks=True)
ONE_PLAYER: Final = Permission(frozenset({DeviceRole.PLAYER}))
"""For endpoints that serve one player's phone; not even the host may use them."""
OWN_PICTURES: Final = Permission(HOST_ONLY.roles, for_evening_in_play=JOINED.roles)
"""For pictures of game nights: the host sees all, tablets only those of the game night in progress."""
NOBODY: Final = Permission(frozenset())

_ENDPOINTS: Final[Mapping[Permission, str]] = {
    EVERYBODY: """
        access.join access.join_page assets.file host.enter private.enter shell.manifest shell.offline shell.worker
        """,
    ONE_PLAYER: """
        private.can_open private.edition private.hint private.mine private.page private.rack private.scan
        """,
    JOINED: """
        access.access cameras.scan cameras.sources cameras.test document.openapi evening.judge evenings.editions
        page.evening page.evenings page.first page.overlay page.scoreboard page.setup page.table past.bg_stats
        past.results past.review past.shared past.sheet page.player players.players players.record
        phone.ask phone.controls phone.page phone.photo phone.picture practice.judge practice.made_up
        record.export_csv record.export_jsonl record.export_sheet record.history record.picture rules.rules
        table.crop table.events table.picture table.rows_crop table.state words.table_words
        """,
    BUTTONS: """
        evenings.again evenings.begin evenings.leave evenings.open_evening hall.call players.change
        private.end private.show table.answer table.correct table.group table.step
        """,
    OWN_PICTURES: "past.picture past.time_lapse past.turns",
    HOST_ONLY: """
        access.control access.qr access.renew access.trust_qr cameras.camera cameras.play_area cameras.racks_away
        cameras.source evenings.demo examples.consent examples.examples phone.choose phone.phones
        """,
    WHOLE_PICTURE: "cameras.found_area cameras.preview cameras.whole",
}

PERMISSIONS: Final[Mapping[str, Permission]] = {
    **{name: permission for permission, names in _ENDPOINTS.items() for name in names.split()},
    **dict.fromkeys(TRUST, EVERYBODY),
    **{f"evening.{action.path.replace('-', '_')}": BUTTONS for action in ACTIONS},
}
"""The permission of each endpoint, by its name in Flask."""


def permission_of(endpoint: str | None) -> Permission:
    """Return the permission of an endpoint; `JOINED` for None, an unknown address, so that strangers learn nothing."""
    return JOINED if endpoint is None else PERMISSIONS.get(endpoint, NOBODY)
