"""Changes of the settings after the first pairing, as sentences for the journal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Final

from tilekeeper.companion.hub.settings import HallSettings
from tilekeeper.companion.text.boxes import BOXES
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.pairing import Pairing
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.words import bye_words, criterion_words, pairing_words
from tilekeeper.engine.language import STORED, LazyText, gettext_noop, lazy_gettext, use_language

_OF_FORMAT: Final[Mapping[str, str]] = {
    "pairing": gettext_noop("Pairing"),
    "rounds": gettext_noop("Rounds"),
    "table_size": gettext_noop("Players at a table"),
    "advancing": gettext_noop("Players who go on from each table in a knock-out"),
    "finalists": gettext_noop("Players in the final (0: no final)"),
    "clubs_apart": gettext_noop("Rounds in which players of one club do not meet"),
    "late_until": gettext_noop("Last round that a late player can join"),
    "late_bye": gettext_noop("A round that a late player missed"),
}
"""By field of `Format` its words on the organiser's page."""
_OF_SCORING: Final[Mapping[str, str]] = {
    "placement": gettext_noop("Placement points for the 1st, 2nd, 3rd and 4th"),
    "bye_points": gettext_noop("Points for a bye"),
    "win_bonus": gettext_noop("More points for a win"),
    "loss_cap": gettext_noop("Most points that a player can lose in a game (empty: no limit)"),
    "unopened_points": gettext_noop("A player who never opened pays (empty: the tiles on the rack)"),
    "best_games": gettext_noop("How many of a player's best games count (empty: all)"),
}
"""By field of `TournamentScoring` its words on the organiser's page."""


def change_sentences(before: HallSettings, after: HallSettings) -> list[LazyText]:
    """Return a sentence with the old and the new value for each setting that differs."""
    with use_language(STORED):  # each reader gets the sentences in their language
        old_values, new_values = _values(before), _values(after)
        return [
            lazy_gettext(
                "{setting}: {after} (before: {before})",
                setting=lazy_gettext(words),
                after=_words(value),
                before=_words(old_values[words]),
            )
            for words, value in new_values.items()
            if value != old_values[words]
        ]


def _values(settings: HallSettings) -> Mapping[str, object]:
    """Return the value of each setting that the public log tells of, by its words."""
    return {
        gettext_noop("What counts in the standings"): settings.ranking.criteria,
        **{words: getattr(settings.format.scoring, field) for field, words in _OF_SCORING.items()},
        **{words: getattr(settings.format, field) for field, words in _OF_FORMAT.items()},
        gettext_noop("Box"): BOXES[settings.edition].name,
        gettext_noop("House rules"): settings.house,
        gettext_noop("Minutes on each player's clock"): settings.bank_s // 60,
        gettext_noop("Seconds for each turn"): settings.added_s,
    }


def _words(value: object) -> str:
    """Return a value in words that can be translated later."""
    match value:
        case Pairing():
            return pairing_words(value)
        case ByeKind():
            return bye_words(value)
        case Criterion():
            return criterion_words(value)
        case None | ():
            return "–"
        case (Criterion(), *_):
            return reduce(_then, map(_words, value))
        case tuple():
            return ", ".join(map(str, value))
        case _:
            return value if isinstance(value, str) else str(value)


def _then(first: str, last: str) -> str:
    """Join two criteria in words, so that each of them can be translated later."""
    return lazy_gettext("{first}, then {last}", first=first, last=last)
