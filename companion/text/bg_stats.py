"""A game night as a play for BG Stats, in the form in which other programs may send plays to that app.

The app takes one play as JSON in a link to `createPlay.html`. It describes the form at
https://www.bgstatsapp.com/support/push-plays-to-bg-stats-from-other-apps-or-websites/
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from tilekeeper.companion.game_night.corrected_states import corrected_states, ended_rounds
from tilekeeper.companion.game_night.profiles import Profiles
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.names import edition_words
from tilekeeper.engine.game.scoring import Points

RUMMIKUB: Final = 811
"""The number of Rummikub at BoardGameGeek."""
SAME_GAME: Final = "rummikub"
"""One game for all editions: the app asks once which of its games this is; the edition is the `board`."""
LINK: Final = "bgstats://app.bgstatsapp.com/createPlay.html?data="
"""A link of the app's own scheme: no browser sends the play to a web site where the app is missing."""
_LONGEST_MIN: Final = 24 * 60
"""An evening that goes on another day has no length in minutes."""


def bg_stats_play(recorded: RecordedGame, evening: str, profiles: Profiles) -> dict[str, Any]:
    """Return the play of a game night; `evening` is its id, by which the app knows the play again.

    A player who has several names has the one of the profile, by which the app knows the player again.
    """
    state = recorded.state
    sheet = state.sheet
    begun, ended = (_moment(recorded.records[at].note.at) for at in (0, -1))
    first = next(iter(ended_rounds(corrected_states(recorded))), None)
    play: dict[str, Any] = {
        "sourceName": "Tilekeeper",
        "sourcePlayId": evening,
        "game": {
            "name": "Rummikub",
            "sourceGameId": SAME_GAME,
            "bggId": RUMMIKUB,
            "highestWins": True,
            "noPoints": not sheet.rounds,
        },
        "board": edition_words(recorded.start.edition),
        "players": [
            {
                "name": name,
                "sourcePlayerId": name,
                "startPlayer": first is not None and first.starter == seat,
                "winner": seat in sheet.leaders,
                "rank": 1 + sum(other > sheet.totals[seat] for other in sheet.totals),
                "score": _whole(sheet.totals[seat]),
            }
            for seat, name in enumerate(profiles.shown_names(state.players))
        ],
    }
    if ended is not None:
        play["playDate"] = ended.strftime("%Y-%m-%d %H:%M:%S")  # the form asks for the end of a play, in UTC
    if begun is not None and ended is not None:
        minutes = round((ended - begun).total_seconds() / 60)
        if 0 < minutes <= _LONGEST_MIN:
            play["durationMin"] = minutes
    return play


def bg_stats_link(play: dict[str, Any]) -> str:
    """Return the link that opens a play in the app BG Stats on the same device."""
    return LINK + quote(json.dumps(play, ensure_ascii=False, separators=(",", ":")), safe="")


def _whole(points: Points) -> int:
    """Return points without fractions, which the form does not have."""
    return round(points)


def _moment(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at).astimezone(UTC)
    except ValueError:
        return None
