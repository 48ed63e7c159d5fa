"""Continues the demo film after each verdict was shown for a while, so that people can read the verdict."""

import time

from tilekeeper.companion.capture.recorded_table import Cue, RecordedTable
from tilekeeper.companion.session.session import Session

VERDICT_S = 6.0
"""For how many seconds a verdict is shown before the film continues."""


class DemoPlayer:
    """Continues the demo film, which pauses at each cue, once the verdict there was shown long enough."""

    def __init__(self, film: RecordedTable, session: Session) -> None:
        """Control `film`, which `session` shows."""
        self._film = film
        self._session = session
        self._cue: Cue | None = None
        self._judged_s: float | None = None
        """When the verdict at this cue became sure, by the monotonic clock; None until then."""

    def go_on_if_due(self) -> None:
        """Continue the film once the verdict has been shown for `VERDICT_S`; called after every frame."""
        cue, state = self._film.resting, self._session.state
        if cue is None or not state.at_rest:
            self._cue = None
            return
        if cue is not self._cue:
            self._cue, self._judged_s = cue, None
        if self._judged_s is None:
            if state.activity.verdict_stands(state.snapshot):
                self._judged_s = time.monotonic()
        elif time.monotonic() - self._judged_s >= VERDICT_S:
            self._film.go_on()
