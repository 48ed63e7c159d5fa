"""The state of the app as JSON text for pages, cached by version and language."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass

from tilekeeper.companion.hub_link.link import Hall
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.session.access import Access
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.text.boxes import plays_with_cards
from tilekeeper.companion.web.schemas.state import StateJson
from tilekeeper.companion.web.schemas.table import HallJson, StorageJson
from tilekeeper.engine.language import use_language

FRESH_S = 0.2
"""While a clock runs, a cached text is valid for this many seconds."""


@dataclass(frozen=True, slots=True)
class StateText:
    """A state as JSON text; `made_s` is the time at which it was made, by the session's clock."""

    version: int
    text: str
    made_s: float


class StateFeed:
    """Makes and caches the JSON text of the newest state; may be used by several threads."""

    def __init__(self, session: Session, access: Access, game_nights: GameNights, hall: Hall | None) -> None:
        """Make texts from the session's state, tablets' access, the storage of game nights and the link to the hall."""
        self.session = session
        self._access = access
        self._game_nights = game_nights
        self._hall = hall
        self._lock = threading.Lock()
        self._boot = secrets.token_hex(4)
        self._newest: dict[str, StateText] = {}
        """The newest text by language."""

    def newest(self, language: str) -> StateText:
        """Return the current state as JSON text in a language."""
        return self._text_of(self.session.state, language)

    def newer(self, language: str, after: int, timeout_s: float = 0.0) -> StateText | None:
        """Wait for a state with a version above `after` and return its text; None after `timeout_s` seconds."""
        state = self.session.wait(after, timeout_s)
        return None if state is None else self._text_of(state, language)

    def refresh(self) -> None:
        """Let all pages get the state again, since the access of tablets, which is part of it, has changed."""
        self.session.announce()

    def _text_of(self, state: TableState, language: str) -> StateText:
        with self._lock:
            moment, newest = self.session.moment(), self._newest.get(language)
            if newest is not None and newest.version >= state.version:
                if not state.activity.ticking or moment.now_s - newest.made_s <= FRESH_S:
                    return newest
                state = self.session.state
            with use_language(translations_of(language, plays_with_cards(state.activity.rules))):
                storage = StorageJson.from_game_nights(self._game_nights)
                hall = None if self._hall is None else HallJson.from_hall(self._hall, state)
                answer = StateJson.from_state(state, moment, self._access.steering(), storage, hall, self._boot)
            text = answer.model_dump_json()
            self._newest[language] = StateText(state.version, text, moment.now_s)
            return self._newest[language]
