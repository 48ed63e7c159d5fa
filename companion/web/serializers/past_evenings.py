"""Past evenings and standings as plain data for JSON, and the film of an evening in words."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tilekeeper.companion.capture.time_lapse import Film, Shot
from tilekeeper.companion.game_night.played_turns import PlayedTurn, played_turns
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.standings import PlayerTotals
from tilekeeper.companion.session.past_evenings import PastEvening
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.text.scores import points_words
from tilekeeper.companion.text.turns import stands, turn_words
from tilekeeper.companion.web.schemas.past_evenings import PastEveningJson, PicturedTurnJson, StandingJson
from tilekeeper.companion.web.serializers.game_night import points_json
from tilekeeper.companion.web.serializers.tiles import tile_json
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.language import gettext, join_with_and, ngettext
from tilekeeper.engine.rules.policies import Totals

SEATS_RGB: Final = (
    *((0xC2, 0x41, 0x0C), (0x12, 0x56, 0xC4), (0x14, 0x72, 0x4A), (0x7B, 0x2A, 0x8C)),
    *((0x8A, 0x6A, 0x00), (0x0B, 0x6F, 0x85), (0xB3, 0x26, 0x1E), (0x4B, 0x55, 0x63)),
)
"""The colours of the seats, as in `score.css` by day."""


def past_evening_json(past: PastEvening, on_table: str | None) -> PastEveningJson:
    """What came of an evening; `on_table` is the id of the one that is played now."""
    sheet = None if past.result is None else past.result.sheet
    signed = sheet is not None and sheet.counts is Totals.HIGHEST_TOTAL
    return {
        "id": past.id,
        "begun_at": past.begun_at,
        "changed_at": past.changed_at,
        "edition_name": "" if past.result is None else edition_words(past.result.edition),
        "players": list(past.names),
        "rounds": 0 if sheet is None else len(sheet.rounds),
        "counts": (Totals.HIGHEST_TOTAL if sheet is None else sheet.counts).value,
        "totals": [] if sheet is None else [points_json(points, signed) for points in sheet.totals],
        "winners": [] if sheet is None else list(sheet.leaders),
        "over": past.over,
        "open": past.id == on_table,
        "trouble": past.trouble,
    }


def standing_json(one: PlayerTotals) -> StandingJson:
    """What somebody has come to."""
    return {
        "name": one.name,
        "evenings": one.evenings,
        "evenings_won": one.evenings_won,
        "rounds": one.rounds,
        "rounds_won": one.rounds_won,
        "points": points_json(one.points, signed=True),
        "turns": one.turns,
        "laid": one.laid,
        "best": one.best,
        "average_s": None if one.average_s is None else round(one.average_s, 1),
    }


def pictured_turns(recorded: RecordedGame, kept: Iterable[str]) -> list[PlayedTurn]:
    """The turns of which there is a picture; pictures of anything else, such as racks, are none of them."""
    names = frozenset(kept)
    return [turn for turn in played_turns(recorded) if turn.record.note.picture in names]


def pictured_turn_json(turn: PlayedTurn, recorded: RecordedGame, pictures: str) -> PicturedTurnJson:
    """A turn with its picture; `pictures` is the address below which they lie."""
    return {
        "player": turn.player,
        "name": recorded.state.players[turn.player],
        "text": turn_words(turn),
        "stands": stands(turn),
        "tiles": [tile_json(tile) for tile in turn.placed],
        "picture": f"{pictures}/{turn.record.note.picture}.jpg",
    }


def film_of(recorded: RecordedGame, kept: Mapping[str, Path], date: str) -> Film:
    """The film of an evening: its people, its turns, and who won.

    Args:
        recorded: the evening.
        kept: its pictures by name.
        date: when it was, in words.
    """
    players, sheet = recorded.state.players, recorded.state.sheet
    shots = tuple(
        Shot(
            path=str(kept[turn.record.note.picture or ""]),
            name=players[turn.player],
            words=turn_words(turn),
            legal=stands(turn),
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
