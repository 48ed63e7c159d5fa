"""Settings of one app: the edition, the source to watch, and how tiles are read.

`Source` and `Observer` are interfaces, so that a test can pass its own implementations.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tilekeeper.companion.broker.broker import Link
from tilekeeper.companion.capture.sources import Source
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.session.observer import Observer
from tilekeeper.companion.storage.examples import OUR_SET
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.engine.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Settings:
    """The inputs of `create_app`.

    Attributes:
        rules: the edition in play while there is no game night.
        source: the first source of frames; the app closes it at its end.
        observer: reads the frames; the only one of the process.
        watched: the source's name on the page, such as "Camera 0" or "my-photos".
        data_folder: the folder for game nights and their pictures.
        notice: why this source was chosen, as a sentence for the page; empty if that is clear.
        https: whether tablets must use https, with a certificate in the data folder.
        authority: the folder of another app's certificate authority, to share it; None to use the data folder.
        now: the monotonic clock, in seconds, by which turns are timed.
        named: the name by which the user chose the first source; its play area is stored under this name.
        set_name: the set of tiles in play; confirmed tiles are stored under this name.
        heartbeat_s: the interval of heartbeats in an event stream; a page reconnects after three missed ones
            (`static/js/stream/feed.js`).
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
    hall: Link | None = None
    now: Callable[[], float] = time.monotonic
    host_key: HostKey | None = None
