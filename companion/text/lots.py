"""Words for lots that decided nothing: who drew the same, and who draws again."""

from __future__ import annotations

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.events import LotsDrawn
from tilekeeper.engine.language import gettext, join_with_and, ngettext


def undecided_lots(recorded: RecordedGame) -> tuple[Record, ...]:
    """Return the lots drawn for this round that left it open who begins, in the order in which they were drawn."""
    found: list[Record] = []
    for record in reversed(recorded.standing() if recorded.state.contenders else ()):
        if not isinstance(record.entry, LotsDrawn):
            break
        found.insert(0, record)
    return tuple(found)


def draw_again_words(recorded: RecordedGame) -> str:
    """Say who draws again and why; nothing where nobody has drawn yet."""
    lots = undecided_lots(recorded)
    if not lots:
        return ""
    entry, place = lots[-1].entry, recorded.records.index(lots[-1])
    assert isinstance(entry, LotsDrawn)  # there are no others among them
    state = recorded.state
    drawn = dict(zip(recorded.states[place - 1].contenders, entry.tiles, strict=True))
    names = [state.players[player] for player in state.contenders]
    tiles = [drawn[player] for player in state.contenders if player in drawn]
    if all(tile.is_joker for tile in tiles):
        return ngettext(
            "{names} drew a joker, which decides nothing, so {names} draws again. First put all "
            "drawn tiles back and mix them.",
            "{names} drew a joker, which decides nothing, so they draw again. First put all drawn "
            "tiles back and mix them.",
            len(names),
            names=join_with_and(names),
        )
    number = next(tile.number for tile in tiles if not tile.is_joker)
    if len(names) == 2:
        return gettext(
            "{names} both drew {number}: draw again. First put all drawn tiles back and mix them.",
            names=join_with_and(names),
            number=number,
        )
    return gettext(
        "{names} all drew {number}: draw again. First put all drawn tiles back and mix them.",
        names=join_with_and(names),
        number=number,
    )
