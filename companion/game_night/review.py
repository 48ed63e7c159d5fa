"""The review of a game night: turns whose rack is known from the racks that were shown, and what could have been laid.

A rack that was shown at the end of a round tells the player's racks before it, back to the last tile that was drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tilekeeper.companion.adjudication.easiest_play import count_moved, largest_play, with_few_moves
from tilekeeper.companion.game_night.corrected_states import corrected_states
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.state import GameState, Round, TurnKind, TurnRecord
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import Play
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

MOST_TURNS_BACK: Final = 2
"""How many turns of a player are searched, counted from the end of the round; each search takes some milliseconds."""
MOST_MOVED: Final = 8
"""A turn that moves more tiles of the table is left out, since nobody finds it in a minute."""
MOST_PUZZLES: Final = 3
_MOVED_TILE_IS_WORTH: Final = 2
"""A tile of the table that must be moved makes a turn as hard to find as two tiles of the rack."""
_MISSED_TILE_IS_WORTH: Final = 2


@dataclass(frozen=True, slots=True)
class KnownTurn:
    """A turn before which the player's rack is known."""

    round: int
    """The round's number, from 1."""
    number: int
    """The turn's number in the round, from 1."""
    player: int
    before: Table
    rack: tuple[Tile, ...]
    """The rack before the turn; if the player drew, one of these tiles was drawn, and nobody knows which."""
    drew: bool
    """Whether the player drew a tile at the end of the turn."""
    laid: int
    """How many tiles the player laid."""
    opened: bool
    """Whether the player had opened before the turn."""
    went_out: bool
    """Whether the player emptied the rack in this round."""
    had_to_lay: bool
    """Whether the player passed with an empty pool, so that by `ending.must_lay` a possible play was missed wrongly."""
    rules: RuleSet
    """The rules when the turn was played, since players may change them later."""

    @property
    def context(self) -> TurnContext:
        """The rules of the turn, and whether the player had opened."""
        return TurnContext(self.rules, self.opened)


@dataclass(frozen=True, slots=True)
class FoundPlay:
    """A play of a known turn."""

    turn: KnownTurn
    play: Play
    moved: int
    """How many tiles of the table must be moved."""

    @property
    def missed(self) -> int:
        """How many more tiles than the player laid could have been laid."""
        return len(self.play.laid) - self.turn.laid

    @property
    def interest(self) -> int:
        """How interesting the turn is as a puzzle."""
        missed = max(0, self.missed)
        return len(self.play.laid) + _MOVED_TILE_IS_WORTH * self.moved + _MISSED_TILE_IS_WORTH * missed


@dataclass(frozen=True, slots=True)
class Review:
    """What players could have laid."""

    missed: tuple[FoundPlay, ...]
    """At most one turn in each round of each player: one in which the player had to lay, or else, if the player did not
    go out, the one in which the most more tiles could have been laid. If the player drew, at least as many were
    possible with any drawn tile."""
    puzzles: tuple[FoundPlay, ...]
    """The most interesting turns of the game night, the most interesting one first, with the best play of the whole
    rack."""


@dataclass(frozen=True, slots=True)
class TurnPlays:
    """The plays of a known turn."""

    possible: FoundPlay | None
    """The largest play that was possible for sure; None if there was none, or if it moves too many tiles."""
    whole: FoundPlay | None
    """The best play of the whole rack, with a tile that the player drew only at the end of the turn."""


def review(recorded: RecordedGame) -> Review:
    """Return the review of all rounds that are scored; it takes some seconds for an evening."""
    return review_of(find_plays(tuple(known_turns(recorded))))


def find_plays(turns: tuple[KnownTurn, ...]) -> tuple[TurnPlays, ...]:
    """Return the plays of each turn; it takes up to half a second a turn."""
    return tuple(TurnPlays(_find_possible(turn), _find(turn, _largest(turn, turn.rack))) for turn in turns)


def review_of(plays: Iterable[TurnPlays]) -> Review:
    """Return the review that shows the most telling of the plays."""
    missed: dict[tuple[int, int], FoundPlay] = {}
    puzzles: list[FoundPlay] = []
    for play in plays:
        found = play.possible
        if found is not None and found.missed > 0 and (found.turn.had_to_lay or not found.turn.went_out):
            key = (found.turn.round, found.turn.player)
            missed[key] = max(missed.get(key, found), found, key=lambda one: (one.turn.had_to_lay, one.missed))
        if play.whole is not None and len(play.whole.play.laid) > 1:
            puzzles.append(play.whole)
    puzzles.sort(key=lambda found: -found.interest)
    return Review(tuple(missed.values()), tuple(puzzles[:MOST_PUZZLES]))


def known_turns(recorded: RecordedGame) -> Iterator[KnownTurn]:
    """Yield the turns of all scored rounds whose rack is known, for each player from the last turn back."""
    for scored in _scored_rounds(corrected_states(recorded), len(recorded.state.sheet.rounds)):
        for player in scored.play.present:
            rack = scored.play.seats[player].shown or ()
            # If the count differs from the ledger, the app has missed a draw or a tile.
            if len(rack) == scored.counts[player]:
                turns = _turns_back(scored, player, rack)
                known = (turn for turn in turns if turn.number > scored.corrected[player])
                yield from islice(known, MOST_TURNS_BACK)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A scored round."""

    play: Round
    counts: tuple[int, ...]
    """How many tiles each rack had by the ledger before racks were counted."""
    corrected: tuple[int, ...]
    """How many turns of the round were finished when a person last corrected the ledger of each player's rack."""
    rules: tuple[RuleSet, ...]
    """The rules of each turn."""
    pools: tuple[int, ...]
    """The number of tiles in the pool after each turn."""


def _scored_rounds(states: Iterable[GameState], count: int) -> Iterator[_Scored]:
    scored: dict[int, _Scored] = {}
    earlier: Round | None = None
    counts: tuple[int, ...] = ()
    corrected: tuple[int, ...] = ()
    rules: tuple[RuleSet, ...] = ()
    pools: tuple[int, ...] = ()
    for state in states:
        play = state.round
        if play is None:
            earlier = None
            continue
        if not any(seat.counted for seat in play.seats):
            corrected = _corrected(earlier, play, corrected)
            counts = tuple(seat.rack for seat in play.seats)
        if earlier is None or earlier.number != play.number:
            rules, pools = (), ()
        more = len(play.turns) - len(rules)
        rules, pools = rules + (state.rules,) * more, pools + (play.pool,) * more
        earlier = play
        if len(state.sheet.rounds) == play.number:
            scored[play.number] = _Scored(play, counts, corrected, rules, pools)
    yield from (scored[number] for number in range(1, count + 1) if number in scored)


def _corrected(earlier: Round | None, play: Round, corrected: tuple[int, ...]) -> tuple[int, ...]:
    """Return `_Scored.corrected` after a change of the round; racks change without a person only when a turn ends."""
    turns, seats = len(play.turns), len(play.seats)
    if earlier is None or earlier.number != play.number or len(corrected) != seats:
        return (0,) * seats
    if turns != len(earlier.turns) or play.drew != earlier.drew:
        return corrected
    return tuple(
        turns if seat.rack != before.rack else at
        for seat, before, at in zip(play.seats, earlier.seats, corrected, strict=True)
    )


def _turns_back(scored: _Scored, player: int, rack: tuple[Tile, ...]) -> Iterator[KnownTurn]:
    play = scored.play
    opened = play.seats[player].opened
    turns = [(number, turn) for number, turn in enumerate(play.turns, 1) if turn.player == player]
    for number, turn in reversed(turns):
        placed = _placed(turn)
        if placed is None:
            return
        rack = tuple(sorted((*rack, *placed), key=lambda tile: tile.order))
        opened = opened and not (turn.verdict is not None and turn.verdict.opens)
        # If the player may lay after drawing, the drawn tile was on the rack during the turn.
        rules = scored.rules[number - 1]
        drew = turn.drawn > 0 and not rules.turn.plays_on_after_draw
        if turn.drawn <= 1 and rack:
            passed = turn.kind is TurnKind.PASSED and scored.pools[number - 1] <= 0
            yield KnownTurn(
                round=play.number,
                number=number,
                player=player,
                before=turn.before,
                rack=rack,
                drew=drew,
                laid=len(placed),
                opened=opened,
                went_out=player == play.out,
                had_to_lay=passed and rules.ending.must_lay,
                rules=rules,
            )
        if turn.drawn:
            return


def _placed(turn: TurnRecord) -> tuple[Tile, ...] | None:
    """Return the tiles that a turn laid from the rack; None if the rack before the turn can't be told from it."""
    if turn.kind is TurnKind.FAILED or turn.overruled or turn.before.counts - turn.after.counts:
        return None
    return () if turn.verdict is None else turn.verdict.placed


def _find_possible(turn: KnownTurn) -> FoundPlay | None:
    """Return a play that was possible; if the player drew, no larger one was possible for sure."""
    best = _largest(turn, turn.rack)
    if best is None or not turn.drew:
        return _find(turn, best)
    without_drawn = [_largest(turn, _without(turn.rack, drawn)) for drawn in dict.fromkeys(best.laid)]
    possible = [play for play in without_drawn if play is not None]
    if len(possible) < len(without_drawn):
        return None  # the drawn tile may have been needed
    return _find(turn, min(possible, key=lambda play: len(play.laid)))


def _find(turn: KnownTurn, play: Play | None) -> FoundPlay | None:
    """Return a play with few moved tiles; None without a play, or if it moves too many."""
    if play is None:
        return None
    play = with_few_moves(turn.before, play, turn.context)
    moved = count_moved(turn.before, play.after, turn.context)
    return None if moved > MOST_MOVED else FoundPlay(turn, play, moved)


def _largest(turn: KnownTurn, rack: tuple[Tile, ...]) -> Play | None:
    return largest_play(turn.before, rack, turn.context)


def _without(rack: tuple[Tile, ...], tile: Tile) -> tuple[Tile, ...]:
    place = rack.index(tile)
    return rack[:place] + rack[place + 1 :]
