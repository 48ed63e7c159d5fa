"""The settings of one app, such as its edition, its first source and its reader of tiles.

`Source` and `Observer` are interfaces, so that a test can pass its own implementations.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tilekeeper.companion.capture.sources import Source
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.messaging.broker import Link
from tilekeeper.companion.session.observer import Observer
from tilekeeper.companion.storage.examples import OUR_SET
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.engine.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Settings:
    """The inputs of `create_app`.

    Attributes:
        rules: the edition, with house rules, while there is no game night.
        source: the first source of frames; the app closes it.
        observer: reads tiles from frames; the process has only this one.
        watched: the source's name on the page, such as "Camera 0" or "my-photos".
        data_folder: the folder for game nights and their pictures.
        notice: why this source was chosen, as a sentence for the page; empty if the user named it.
        https: whether tablets must use https, with a certificate in the data folder.
        authority: the folder of the certificate authority, if it is shared with another app; None for the data folder.
        now: returns seconds of the monotonic clock that times turns.
        named: the first source as the user named it (`--source`); its play area is stored under this name.
        set_name: the name of the set of tiles in play; corrected tiles are stored under this name.
        heartbeat_s: the interval of heartbeats in an event stream; a page reconnects after three missed heartbeats
        (`static/js/stream/feed.js`).
        hooks: the addresses that get events of the game night, each one that `HookAddress.parse` accepts.
        hall: the table's link to its hall; None for a table that belongs to no hall.
        user: the values that the user set by options or in the settings file.
        host_key: proves that a browser of this machine is the host's. None lets all of them be the host's, which is for
            tests and demonstrations: `tilekeeper run` always has one.
    """

    rules: RuleSet
    source: Source
    observer: Observer
    watched: str
    data_folder: Path
    notice: str = ""
    heartbeat_s: float = 0.5
    user: UserSettings = UserSettings()  # noqa: RUF009, it is frozen
    named: str = ""
    set_name: str = OUR_SET
    https: bool = False
    authority: Path | None = None
    hooks: tuple[str, ...] = ()
    hall: Link | None = None
    now: Callable[[], float] = time.monotonic
    host_key: HostKey | None = None
