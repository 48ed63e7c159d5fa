"""English words for scores: the sheet as a table, who leads, how a game stands, and what its ledger finds."""

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.log import LostLine
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.tiles.words import tile_words


def sheet_lines(sheet: ScoreSheet) -> list[str]:
    """The sheet as lines of equal columns: a head of names, a line for each round, and the totals."""
    signed = sheet.counts is Totals.HIGHEST_TOTAL
    rows = [["", *sheet.players]]
    for number, score in enumerate(sheet.rounds, start=1):
        rows.append([f"Round {number}", *(points_words(points, signed) for points in score.points)])
    total = "Total" if signed else "Rounds won"
    rows.append([total, *(points_words(points, signed) for points in sheet.totals)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join([name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))])
        for name, *cells in rows
    ]


def points_words(points: Points, signed: bool = True) -> str:
    """Points as on a sheet: `+24`, `-5`, `0`, or `+7 1/2` where several share them."""
    if isinstance(points, Fraction):
        whole, part = divmod(abs(points), 1)
        digits = f"{whole} {part}" if whole else str(part)
    else:
        digits = str(abs(points))
    sign = "-" if points < 0 else "+" if points and signed else ""
    return f"{sign}{digits}"


def leaders_sentence(sheet: ScoreSheet) -> str:
    """Say who leads."""
    names = [sheet.players[player] for player in sheet.leaders]
    if not names:
        return "No round is scored yet."
    return f"{_list(names)} {'leads' if len(names) == 1 else 'lead together'}."


def balance_sentences(sheet: ScoreSheet) -> list[str]:
    """Say whether plus equals minus, where it must; nothing where no round must."""
    if not any(score.zero_sum for score in sheet.rounds):
        return []
    wrong = [
        f"Round {at + 1} does not add up: plus and minus differ by {points_words(sum(sheet.rounds[at].points))}."
        for at in sheet.unbalanced_rounds
    ]
    if sheet.imbalance:
        wrong.append(f"The totals do not add up: plus and minus differ by {points_words(sheet.imbalance)}.")
    return wrong or ["Plus equals minus."]


def standing(game: Game) -> str:
    """Say in one sentence what a game waits for."""
    state = game.state
    number = len(state.sheet.rounds) + 1
    match state.phase:
        case Phase.STARTER:
            return f"Round {number}: who begins is to be found out."
        case Phase.DEAL:
            return f"Round {number}: the tiles are to be dealt."
        case Phase.TURNS:
            play = state.round
            assert play is not None  # one is being played
            last = "" if play.last_turns is None else f", {_count(play.last_turns, 'turn')} before the end"
            pool = _count(play.pool, "tile")
            return f"Round {number}: it is {state.players[play.turn]}'s turn, with {pool} in the pool{last}."
        case Phase.RACKS:
            return f"Round {number} is over, and the racks are to be shown."
        case Phase.FINDING:
            return "Tiles are being searched for."
        case Phase.OVER:
            return "The game is over."
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def alarm_sentence(alarm: Alarm, players: Sequence[str]) -> str:  # noqa: C901, PLR0912, a case for each code
    """Say in one sentence what a ledger found."""
    found, expected = alarm.found, alarm.expected
    who = "" if alarm.player is None else players[alarm.player]
    what = "" if alarm.tile is None else tile_words(alarm.tile)
    match alarm.code:
        case AlarmCode.UNKNOWN_TILE:
            return f"This edition has no {what}, though one was shown."
        case AlarmCode.TOO_MANY_COPIES:
            return f"{found} of {what} were shown, but the box holds {expected}."
        case AlarmCode.TOO_MANY_TILES:
            return f"{found} tiles are on the table, on racks and in the pool, but the box holds {expected}."
        case AlarmCode.UNACCOUNTED:
            return f"{_count(expected - found, 'tile')} of the box can't be accounted for."
        case AlarmCode.RACK_BELOW_ZERO:
            return f"{who} laid {_count(-found, 'tile')} more than there can have been on the rack."
        case AlarmCode.POOL_BELOW_ZERO:
            return f"{_count(-found, 'tile')} more than the pool can have held came from it."
        case AlarmCode.DEAL_DIFFERS:
            return f"{who} took {_count(found, 'tile')} to begin with, not {expected}."
        case AlarmCode.RACK_DIFFERS:
            return f"{who} has {_count(found, 'tile')} on the rack, where {expected} {_were(expected)} counted."
        case AlarmCode.POOL_DIFFERS:
            return f"There {_are(found, 'tile')} in the pool, where {expected} {_were(expected)} counted."
        case AlarmCode.TABLE_DIFFERS:
            return f"There {_are(found, 'tile')} on the table, where {expected} lay."
        case AlarmCode.NOT_RESTORED:
            return f"{_count(found, 'tile')} should have gone from the table after {who}'s failed turn."
        case AlarmCode.BANK_OWES:
            return f"The bank has no coins left and owes {who} {_count(found, 'star')}."
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def rack_exceeded_sentence(name: str, laid: int, rack: int) -> str:
    """Say that a player laid more tiles than there can have been on the rack; `rack` is below 0 where it was wrong."""
    had = f"had {_count(rack, 'tile')}" if rack > 0 else "should have had none left"
    return f"{_count(laid, 'tile')} {_were(laid)} laid, and {name} {had}."


def lost_sentence(lost: LostLine) -> str:
    """Say that the last line of a game's file was not written whole."""
    return f"Line {lost.number}, the last of the file, was not written whole and is lost: record anew what it said."


def _list(words: Sequence[str]) -> str:
    *first, end = words
    return f"{', '.join(first)} and {end}" if first else end


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _are(number: int, noun: str) -> str:
    return f"{'is' if number == 1 else 'are'} {_count(number, noun)}"
