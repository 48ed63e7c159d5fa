"""English words for lots that decided nothing: who drew the same, and who draws again."""

from __future__ import annotations

from collections.abc import Sequence

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.events import LotsDrawn


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
    mixed = "first all drawn tiles go back and are mixed"
    if all(tile.is_joker for tile in tiles):
        return f"{_list(names)} drew a joker, which decides nothing: {_they(names)} again; {mixed}."
    number = next(tile.number for tile in tiles if not tile.is_joker)
    together = "both" if len(names) == 2 else "all"
    return f"A tie: {_list(names)} {together} drew {number}. They draw again; {mixed}."


def _they(names: Sequence[str]) -> str:
    return f"{names[0]} draws" if len(names) == 1 else "they draw"


def _list(names: Sequence[str]) -> str:
    *first, end = names
    return f"{', '.join(first)} and {end}" if first else end
