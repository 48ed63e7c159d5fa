"""The highlights of a game night in words: the best turn, the longest run and the longest thinking time."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.companion.game_night.played_turns import PlayedTurn, new_runs, played_turns
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Highlight:
    """One highlight: its title, a sentence, and its tiles if there are any."""

    title: str
    text: str
    tiles: tuple[Tile, ...] = ()


def highlights(recorded: RecordedGame) -> tuple[Highlight, ...]:
    """Return the highlights among the turns that were not undone; among equal turns the first one counts."""
    turns = tuple(played_turns(recorded))
    players = recorded.state.players
    found: list[Highlight] = []
    best = max(turns, key=lambda turn: len(turn.placed), default=None)
    if best is not None and best.placed:
        text = ngettext(
            "{name} laid {count} tile in round {round}",
            "{name} laid {count} tiles in round {round}",
            len(best.placed),
            name=players[best.player],
            round=best.round,
        )
        found.append(Highlight(gettext("Best turn"), text, best.placed))
    runs = [(run, turn) for turn in turns for run in new_runs(recorded, turn)]
    if runs:
        run, turn = max(runs, key=lambda run_and_turn: len(run_and_turn[0]))
        text = gettext("{name}, in round {round}", name=players[turn.player], round=turn.round)
        found.append(Highlight(gettext("Longest run"), text, run))
    slowest = max(turns, key=_thought_s, default=None)
    if slowest is not None and _thought_s(slowest) >= 1:
        minutes, seconds = divmod(round(_thought_s(slowest)), 60)
        text = gettext(
            "{name} thought for {minutes}:{seconds} minutes in round {round}",
            name=players[slowest.player],
            minutes=minutes,
            seconds=f"{seconds:02}",
            round=slowest.round,
        )
        found.append(Highlight(gettext("Longest thinking time"), text))
    return tuple(found)


def _thought_s(turn: PlayedTurn) -> float:
    return turn.seconds or 0.0
