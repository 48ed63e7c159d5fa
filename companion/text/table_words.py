"""The table in words, for players who hear it: whose turn it is, the last verdict, the sets and the scores."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from tilekeeper.companion.game_night.state import GameNightState, judged_player
from tilekeeper.companion.text.scores import leaders_sentence, points_words, standing_sentence
from tilekeeper.companion.text.verdict_card import melds_words, turn_verdict_words
from tilekeeper.engine.game.state import Phase, Round
from tilekeeper.engine.language import as_sentence, gettext, join_with_and, ngettext
from tilekeeper.engine.rules.meld import Kind, Reading, best_reading
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.words import colour_words, meld_words, numbers_words, tile_words


class Detail(StrEnum):
    """How much of the table is told."""

    SHORT = "short"
    """Whose turn it is, the last verdict, and how many sets and tiles there are."""
    SETS = "sets"
    """Each set in few words, and the totals as well."""
    ALL = "all"
    """Each tile, each fault, and how many tiles everybody has."""


def table_sentences(night: GameNightState, table: Table, detail: Detail) -> tuple[str, ...]:
    """Return the table in words.

    Args:
        night: the game night.
        table: the current table.
        detail: how much is told.
    """
    return tuple(map(as_sentence, filter(None, _sentences(night, table, detail))))


def _sentences(night: GameNightState, table: Table, detail: Detail) -> Iterator[str]:
    yield standing_sentence(night.recorded.game)
    if night.state.phase is Phase.TURNS:
        yield from _verdict(night, detail)
        yield from _table(table, night.state.rules, detail)
    if detail is Detail.SHORT:
        return
    yield from _totals(night)
    if detail is Detail.ALL and night.state.phase is Phase.TURNS:
        yield from _racks(night, night.round)


def _verdict(night: GameNightState, detail: Detail) -> Iterator[str]:
    judged, player = night.judged, judged_player(night)
    if judged is None or player is None:
        return
    headline, _ = turn_verdict_words(judged)
    yield gettext("{name}'s turn: {verdict}", name=night.state.players[player], verdict=headline)
    faults = judged.weighed.verdict.sentences
    yield from faults if detail is Detail.ALL else faults[:1]


def _table(table: Table, rules: RuleSet, detail: Detail) -> Iterator[str]:
    if not table.melds:
        yield gettext("The table is empty")
        return
    tiles = ngettext("{count} tile", "{count} tiles", table.counts.total())
    yield gettext("On the table: {sets} with {tiles}", sets=melds_words(len(table.melds)), tiles=tiles)
    if detail is Detail.SHORT:
        return
    words = _all_tiles if detail is Detail.ALL else _in_short
    for number, meld in enumerate(table.melds, start=1):
        yield gettext("Set {number}: {tiles}", number=number, tiles=words(meld, rules))


def _in_short(meld: Meld, rules: RuleSet) -> str:
    reading = best_reading(meld, rules)
    if reading is None:
        return gettext("{tiles}, which is not valid", tiles=meld_words(meld))
    jokers = _joker_words(meld, reading)
    if reading.kind is Kind.RUN:
        return f"{_run_words(reading)}{jokers}"
    colours = [colour_words(tile.colour) for tile in meld if tile.colour is not None]
    if len(colours) < len(meld):
        colours += [tile_words(tile) for tile in meld if tile.is_joker]
    # Translators: a group, such as "7 in red, blue and black".
    return gettext("{number} in {colours}", number=reading.tiles[0].number, colours=join_with_and(colours))


def _run_words(reading: Reading) -> str:
    first, *_, last = reading.tiles
    if reading.tiles[1].number == (first.number or 0) - 1:  # it falls along the row
        first, last = last, first
    assert first.colour is not None  # a reading has no jokers
    # Translators: the numbers of a run, from the first to the last, to be read aloud.
    return numbers_words(first.colour, gettext("{first} to {last}", first=first.number, last=last.number))


def _joker_words(meld: Meld, reading: Reading) -> str:
    """Return what the jokers of a run stand for, such as `, joker for red 5`; empty without jokers and for a group."""
    if reading.kind is not Kind.RUN:
        return ""
    stand_ins = [tile for tile, own in zip(reading.tiles, meld, strict=True) if own.is_joker]
    return "".join(gettext(", joker for {tile}", tile=tile_words(tile)) for tile in stand_ins)


def _all_tiles(meld: Meld, rules: RuleSet) -> str:
    reading = best_reading(meld, rules)
    if reading is None:
        return gettext("{tiles}, which is not valid", tiles=meld_words(meld))
    return f"{meld_words(meld)}{_joker_words(meld, reading)}"


def _totals(night: GameNightState) -> Iterator[str]:
    sheet = night.state.sheet
    if not sheet.rounds:
        return
    signed = sheet.counts is Totals.HIGHEST_TOTAL
    yield leaders_sentence(sheet)
    totals = zip(sheet.players, sheet.totals, strict=True)
    yield ", ".join(f"{name} {_spoken(points_words(points, signed))}" for name, points in totals)


def _spoken(points: str) -> str:
    """Return points for a voice, which would pass over a minus sign or read it as a dash."""
    return gettext("minus {points}", points=points[1:]) if points.startswith("-") else points.removeprefix("+")


def _racks(night: GameNightState, play: Round) -> Iterator[str]:
    opens = night.state.rules.opening.minimum_points > 0
    for player in play.present:
        seat, name = play.seats[player], night.state.players[player]
        tiles = ngettext("{count} tile", "{count} tiles", max(0, seat.rack))
        if not opens:
            yield gettext("{name} has {tiles}", name=name, tiles=tiles)
        elif seat.opened:
            yield gettext("{name} has {tiles} and has opened", name=name, tiles=tiles)
        else:
            yield gettext("{name} has {tiles} and has not opened", name=name, tiles=tiles)
