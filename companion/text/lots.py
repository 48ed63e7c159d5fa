"""Sentences about drawn lots: what was drawn, who drew the same number, and who draws again."""

from __future__ import annotations

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.narration import event_words
from tilekeeper.engine.game.events import LotsDrawn
from tilekeeper.engine.language import gettext, join_with_and, ngettext


def undecided_lots(recorded: RecordedGame) -> tuple[Record, ...]:
    """Return the records of this round's lots that did not decide who begins, in order; empty once it is decided."""
    return _last_lots(recorded) if recorded.state.contenders else ()


def drawn_words(recorded: RecordedGame) -> str:
    """Describe the lots that decided who begins, from the first draw on; empty unless they are the last step."""
    places = [recorded.records.index(record) for record in _last_lots(recorded)]
    return " ".join(
        event_words(recorded.states[place - 1], recorded.records[place].entry, recorded.states[place])
        for place in places
    )


def _last_lots(recorded: RecordedGame) -> tuple[Record, ...]:
    """Return the lots after which nothing else has happened, in order."""
    lots: list[Record] = []
    for record in reversed(recorded.valid_records()):
        if not isinstance(record.entry, LotsDrawn):
            break
        lots.insert(0, record)
    return tuple(lots)


def draw_again_words(recorded: RecordedGame) -> str:
    """Return a sentence that says who draws again and why; empty if nobody has to draw again."""
    lots = undecided_lots(recorded)
    if not lots:
        return ""
    entry, place = lots[-1].entry, recorded.records.index(lots[-1])
    assert isinstance(entry, LotsDrawn)  # `undecided_lots` returns no others
    state = recorded.state
    before = recorded.states[place - 1].lots
    # Players who waited for those with a joker may tie although they drew nothing this time.
    numbers = dict(before.numbers)
    numbers |= {player: tile.number for player, tile in zip(before.contenders, entry.tiles, strict=True) if tile.number}
    names = [state.players[player] for player in state.contenders]
    number = numbers.get(state.contenders[0])
    if not number:
        return ngettext(
            "{names} drew a joker, which decides nothing, so {names} draws again. First put all "
            "drawn tiles back and mix them.",
            "{names} drew a joker, which decides nothing, so they draw again. First put all drawn "
            "tiles back and mix them.",
            len(names),
            names=join_with_and(names),
        )
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
