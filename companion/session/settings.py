"""What the page is made from: the edition in play, the source it watches and what reads the tiles.

The source and the observer are named here by what the page asks of them, so that a test can hand in its own.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tilekeeper.companion.broker.broker import Link
from tilekeeper.companion.session.observer import Observer
from tilekeeper.companion.storage.examples import OUR_SET
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.vision.sources.camera import Source


@dataclass(frozen=True, slots=True)
class Settings:
    """All that `create_app` needs to know.

    Attributes:
        rules: the edition in play while no game night says otherwise.
        source: where the pictures come from first; it is closed with the app.
        observer: what reads the pictures, the only one of the process.
        watched: the source in a few words for people, such as "Camera 0" or "my-photos".
        data_folder: where evenings and their pictures are kept.
        notice: a plain sentence on the page that says why it watches what it watches; empty where there is no need.
        https: whether tablets come in over https, with a certificate that is kept in the data folder.
        authority: the folder of another app's authority, to share it; None for one in the data folder.
        now: the monotonic clock, in seconds, by which turns are timed.
        named: how the first source is named, so that its play area is found again.
        set_name: which set of tiles is played with: what people say of its tiles is kept under this name.
        heartbeat_s: how long an event stream may be silent before a sign of life is sent; a page misses it after
            three of them (`static/js/stream/feed.js`).
        hall: the table's way to the hall that it plays in; None where it plays alone.
        still_after_s: how long nothing may move before the table is read.
    """

    rules: RuleSet
    source: Source
    observer: Observer
    watched: str
    data_folder: Path
    notice: str = ""
    heartbeat_s: float = 0.5
    still_after_s: float = 0.25
    named: str = ""
    set_name: str = OUR_SET
    https: bool = False
    authority: Path | None = None
    hall: Link | None = None
    now: Callable[[], float] = time.monotonic
