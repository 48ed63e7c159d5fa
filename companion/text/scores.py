"""Text for scores: the sheet as a table, the leaders, the phase of a game, and the alarms of its ledger."""

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.log import LostLine
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext, join_with_and, ngettext
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.tiles.words import tile_words


def sheet_lines(sheet: ScoreSheet) -> list[str]:
    """Return the sheet as lines of text with aligned columns: the names, the rounds, and the totals."""
    signed = sheet.counts is Totals.HIGHEST_TOTAL
    rows = [["", *sheet.players]]
    for number, score in enumerate(sheet.rounds, start=1):
        rows.append(
            [gettext("Round {number}", number=number), *(points_words(points, signed) for points in score.points)]
        )
    total = gettext("Total") if signed else gettext("Rounds won")
    rows.append([total, *(points_words(points, signed) for points in sheet.totals)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join([name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))])
        for name, *cells in rows
    ]


def points_words(points: Points, signed: bool = True) -> str:
    """Return points as written on a sheet: `+24`, `-5`, `0`, or `+7 1/2` for shared points; no plus unless `signed`."""
    if isinstance(points, Fraction):
        whole, part = divmod(abs(points), 1)
        digits = f"{whole} {part}" if whole else str(part)
    else:
        digits = str(abs(points))
    sign = "-" if points < 0 else "+" if points and signed else ""
    return f"{sign}{digits}"


def leaders_sentence(sheet: ScoreSheet) -> str:
    """Return a sentence that says who leads."""
    names = [sheet.players[player] for player in sheet.leaders]
    if not names:
        return gettext("No round is scored yet.")
    return ngettext("{names} leads.", "{names} lead together.", len(names), names=join_with_and(names))


def balance_sentences(sheet: ScoreSheet) -> list[str]:
    """Return sentences that say whether plus equals minus; empty if the edition does not require it."""
    if not any(score.zero_sum for score in sheet.rounds):
        return []
    wrong = [
        gettext(
            "Round {number} does not add up: plus and minus differ by {points}.",
            number=at + 1,
            points=points_words(sum(sheet.rounds[at].points)),
        )
        for at in sheet.unbalanced_rounds
    ]
    if sheet.imbalance:
        points = points_words(sheet.imbalance)
        wrong.append(gettext("The totals do not add up: plus and minus differ by {points}.", points=points))
    return wrong or [gettext("All points add up to 0.")]


def standing_sentence(game: Game) -> str:
    """Return a sentence that says what the game waits for."""
    state = game.state
    number = len(state.sheet.rounds) + 1
    match state.phase:
        case Phase.STARTER:
            return gettext("Round {number}: who begins?", number=number)
        case Phase.DEAL:
            return gettext("Round {number}: the tiles are not dealt yet.", number=number)
        case Phase.TURNS:
            play = state.round
            assert play is not None  # a round is being played
            values = {"number": number, "name": state.players[play.turn], "pool": _tiles(play.pool)}
            if play.last_turns is None:
                return gettext("Round {number}: it is {name}'s turn, {pool} in the pool.", **values)
            return ngettext(
                "Round {number}: it is {name}'s turn, {pool} in the pool, {count} turn before the end.",
                "Round {number}: it is {name}'s turn, {pool} in the pool, {count} turns before the end.",
                play.last_turns,
                **values,
            )
        case Phase.RACKS:
            return gettext("Round {number} is over. Now show the racks.", number=number)
        case Phase.FINDING:
            return gettext("The players are looking for tiles.")
        case Phase.OVER:
            return gettext("The game is over.")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def alarm_sentence(alarm: Alarm, players: Sequence[str]) -> str:  # noqa: C901, PLR0912, a case for each code
    """Return an alarm of a ledger as a sentence; `players` are the names."""
    found, expected = alarm.found, alarm.expected
    values = {
        "name": "" if alarm.player is None else players[alarm.player],
        "tile": "" if alarm.tile is None else tile_words(alarm.tile),
        "found": found,
        "expected": expected,
    }
    match alarm.code:
        case AlarmCode.UNKNOWN_TILE:
            return gettext("The box has no {tile}, but one was shown.", **values)
        case AlarmCode.TOO_MANY_COPIES:
            return gettext("{tile} was shown {found} times, but the box has only {expected}.", **values)
        case AlarmCode.TOO_MANY_TILES:
            return gettext(
                "{found} tiles are on the table, on racks and in the pool, but the box has {expected}.", **values
            )
        case AlarmCode.UNACCOUNTED:
            return ngettext(
                "{count} tile of the box is missing.",
                "{count} tiles of the box are missing.",
                expected - found,
            )
        case AlarmCode.RACK_BELOW_ZERO:
            return ngettext(
                "{name} laid {count} tile too many: the rack can't have had that many.",
                "{name} laid {count} tiles too many: the rack can't have had that many.",
                -found,
                **values,
            )
        case AlarmCode.POOL_BELOW_ZERO:
            return ngettext(
                "The players drew {count} tile too many: the pool can't have had that many.",
                "The players drew {count} tiles too many: the pool can't have had that many.",
                -found,
            )
        case AlarmCode.DEAL_DIFFERS:
            return ngettext(
                "{name} started with {count} tile, not {expected}.",
                "{name} started with {count} tiles, not {expected}.",
                found,
                **values,
            )
        case AlarmCode.RACK_DIFFERS:
            counted = ngettext("there should be {count}", "there should be {count}", expected)
            return gettext("{name} has {tiles} on the rack; {counted}.", tiles=_tiles(found), counted=counted, **values)
        case AlarmCode.POOL_DIFFERS:
            return ngettext(
                "There is {count} tile in the pool; {counted}.",
                "There are {count} tiles in the pool; {counted}.",
                found,
                counted=ngettext("there should be {count}", "there should be {count}", expected),
            )
        case AlarmCode.TABLE_DIFFERS:
            return ngettext(
                "There is {count} tile on the table; there should be {expected}.",
                "There are {count} tiles on the table; there should be {expected}.",
                found,
                **values,
            )
        case AlarmCode.NOT_RESTORED:
            return ngettext(
                "{name}'s failed turn left {count} tile too many on the table.",
                "{name}'s failed turn left {count} tiles too many on the table.",
                found,
                **values,
            )
        case AlarmCode.BANK_OWES:
            return ngettext(
                "The bank has no coins left. It owes {name} {count} star.",
                "The bank has no coins left. It owes {name} {count} stars.",
                found,
                **values,
            )
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def rack_exceeded_sentence(name: str, laid: int, rack: int) -> str:
    """Return a sentence that says that a player laid more tiles (`laid`) than the rack had (`rack`).

    `rack` is below 0 if the ledger was wrong before.
    """
    if rack > 0:
        return ngettext(
            "{name} laid {count} tile, but had {had}.",
            "{name} laid {count} tiles, but had {had}.",
            laid,
            name=name,
            had=_tiles(rack),
        )
    return ngettext(
        "{name} laid {count} tile, but should have none left.",
        "{name} laid {count} tiles, but should have none left.",
        laid,
        name=name,
    )


def lost_sentence(lost: LostLine) -> str:
    """Return a sentence that says that the last line of a game file is incomplete."""
    return gettext(
        "The last line of the file ({number}) is incomplete. Enter that step again.",
        number=lost.number,
    )


def _tiles(count: int) -> str:
    return ngettext("{count} tile", "{count} tiles", count)
