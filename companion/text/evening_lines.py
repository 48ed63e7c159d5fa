"""A game night in a few lines to paste: each player with the total and a row of coloured squares, one per turn."""

from __future__ import annotations

from typing import Final

from tilekeeper.companion.game_night.corrected_states import corrected_states, ended_rounds
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.scores import points_words
from tilekeeper.engine.game.state import Round, TurnKind, TurnRecord
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.policies import Totals

LAID: Final = "🟩"
WRONG: Final = "🟥"
NOTHING: Final = "⬜"
OUT: Final = "🏆"


def evening_lines(recorded: RecordedGame, date: str) -> str:
    """Return the lines of a game night, the best player first; a space divides rounds.

    Args:
        recorded: the game night.
        date: the date in words; empty if it is unknown.
    """
    state = recorded.state
    sheet, rounds = state.sheet, ended_rounds(corrected_states(recorded))
    signed = sheet.counts is Totals.HIGHEST_TOTAL
    best_first = sorted(range(len(state.players)), key=lambda seat: -sheet.totals[seat])
    lines = [" · ".join(filter(None, ("Tilekeeper", date)))]
    for seat in best_first:
        squares = " ".join(filter(None, (squares_of(play, seat) for play in rounds)))
        total = points_words(sheet.totals[seat], signed).replace("-", "−")
        lines.append(f"{state.players[seat]} {total}  {squares}".rstrip())
    # Translators: what the coloured squares mean.
    lines.append(
        gettext(
            "{laid} laid  {nothing} nothing laid  {wrong} did not count  {out} out",
            laid=LAID,
            nothing=NOTHING,
            wrong=WRONG,
            out=OUT,
        )
    )
    return "\n".join(lines)


def squares_of(play: Round, seat: int) -> str:
    """Return the squares of one player in one round."""
    squares = [_square(turn) for turn in play.turns if turn.player == seat]
    if play.out == seat:
        # The winner's last turn emptied the rack; if a count of the rack ended the round, no turn did.
        by_laying = bool(play.turns) and play.turns[-1].player == seat and squares[-1:] == [LAID]
        squares[len(squares) - by_laying :] = [OUT]
    return "".join(squares)


def _square(turn: TurnRecord) -> str:
    match turn.kind:
        case TurnKind.LAID:
            return LAID
        case TurnKind.FAILED:
            return WRONG
        case _:
            return NOTHING
