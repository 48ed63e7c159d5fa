"""The contents of a game night's film: title with the players, picture and caption of each turn, and the winners."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tilekeeper.companion.capture.time_lapse import Film, Shot
from tilekeeper.companion.game_night.played_turns import PlayedTurn, played_turns
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.scores import points_words
from tilekeeper.companion.text.turns import tiles_stay, turn_words
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.language import gettext, join_with_and, ngettext
from tilekeeper.engine.rules.policies import Totals

SEATS_RGB: Final = (
    *((0xC2, 0x41, 0x0C), (0x12, 0x56, 0xC4), (0x14, 0x72, 0x4A), (0x7B, 0x2A, 0x8C)),
    *((0x8A, 0x6A, 0x00), (0x0B, 0x6F, 0x85), (0xB3, 0x26, 0x1E), (0x4B, 0x55, 0x63)),
)
"""The colours of the seats, the same as in the light theme of `score.css`."""


def pictured_turns(recorded: RecordedGame, kept: Iterable[str]) -> list[PlayedTurn]:
    """Return the turns whose picture is among the stored pictures' names `kept`."""
    names = frozenset(kept)
    return [turn for turn in played_turns(recorded) if turn.record.note.picture in names]


def film_of(recorded: RecordedGame, kept: Mapping[str, Path], date: str) -> Film:
    """Return the film of a game night.

    Args:
        recorded: the game night.
        kept: the paths of the stored pictures, by name.
        date: the date of the game night, in words.
    """
    players, sheet = recorded.state.players, recorded.state.sheet
    shots = tuple(
        Shot(
            path=str(kept[turn.record.note.picture or ""]),
            name=players[turn.player],
            words=turn_words(turn),
            legal=tiles_stay(turn),
            colour_rgb=SEATS_RGB[turn.player % len(SEATS_RGB)],
        )
        for turn in pictured_turns(recorded, kept)
    )
    return Film((gettext("An evening at the table"), join_with_and(players), date), shots, _ending(sheet))


def _ending(sheet: ScoreSheet) -> tuple[str, ...]:
    if not sheet.rounds:
        return (gettext("No round was scored."),)
    leaders = [sheet.players[seat] for seat in sheet.leaders]
    headline = ngettext(
        "{names} wins the evening", "{names} win the evening", len(leaders), names=join_with_and(leaders)
    )
    signed = sheet.counts is Totals.HIGHEST_TOTAL
    best_first = sorted(zip(sheet.players, sheet.totals, strict=True), key=lambda entry: -entry[1])
    return headline, *(f"{name}  {points_words(points, signed)}" for name, points in best_first)
