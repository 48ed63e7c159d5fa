"""Summaries of tables for the hub's pages: players, the next step of the game, and problems for arbiters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from tilekeeper.companion.doorkeeper.addresses import is_in_house
from tilekeeper.companion.hub.intake import WRONG_CLOCK_S
from tilekeeper.companion.hub.schema import PlayerRow, SeatingRow
from tilekeeper.companion.hub.times import clock_words
from tilekeeper.companion.text.kept import translate_lines
from tilekeeper.companion.text.scores import points_words
from tilekeeper.engine.game.scoring import simplify_points
from tilekeeper.engine.language import gettext, ngettext

SHORT_S: Final = 20.0
"""A clock at or below this time is yellow; the script of the pages repeats both limits."""
LAST_S: Final = 5.0
"""A clock at or below this time is red."""


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player at a table or in the list of players, as the pages show them."""

    id: int
    name: str
    gone: bool = False
    place: int | None = None
    """The place in the standings; None before the first round is scored."""
    points: str = ""
    """The player's points in the round, with a sign; empty until all games of the table are over."""
    won: bool = False
    on_turn: bool = False
    time_left: str = ""
    """The time left on the player's own clock, such as `9:05`; empty for a player without a clock."""
    club: str = ""
    category: str = ""
    more_min: int = 0
    """The minutes that the player's clock has more than others; as club and category, only in the list of players."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """The stored columns of a table, hashable, so that they can be the key of a cached summary."""

    id: str
    here: bool
    join: str
    skew_s: float
    state: str
    """The last `TableStatus` as JSON; empty before the first."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table as the pages show it."""

    id: str
    players: tuple[PlayerView, ...]
    here: bool
    standing: str
    """Whose turn it is, or another step of the game, in words."""
    clock: str
    clock_level: str
    """`plenty`, `short` or `last` by the time left for the turn; empty without a clock."""
    clock_ends: float | None
    """When a running clock reaches zero, in seconds since 1970 by the hub's clock; None for a stopped clock."""
    verdict: str
    troubles: tuple[str, ...]
    """Problems that an arbiter should look at, in sentences."""
    hands: int
    """The number of raised hands."""
    done: bool
    games: tuple[tuple[str, ...], ...]
    """The points of each seat in each game, as they are typed; empty until all games are over."""
    unopened: tuple[tuple[int, ...], ...]
    """For each of `games` the seats that never opened."""
    by_hand: str
    log: str
    seq: int
    join: str
    reports: tuple[ReportView, ...]
    """The table's logs for the round if there are several; empty otherwise."""
    row: StoredTable | None
    """The stored columns from which this summary was made; None before the table's first message."""


@dataclass(frozen=True, slots=True)
class ReportView:
    """One of several logs of a table for a round; only one of them counts."""

    log: str
    entries: int
    counts: bool


@dataclass(frozen=True, slots=True)
class Seats:
    """The data of the newest round that all table summaries share: seats, names, places, raised hands and logs."""

    revision: int
    """`NewsRow.night` when the seats were read."""
    seatings: Sequence[SeatingRow]
    names: Mapping[int, PlayerRow]
    places: Mapping[int, int]
    """The place in the standings by player id; empty before the first round is scored."""
    hands: Mapping[str, int]
    """The number of raised hands at each table."""
    reports: Mapping[str, tuple[ReportView, ...]]
    """By table: its logs for the round; only tables with several logs."""


def table_view(row: StoredTable | None, seating: SeatingRow | None, seats: Seats) -> TableSummary:
    """Return a table's summary; `row` is None before the table's first message, `seating` is None without seats."""
    state: dict[str, Any] = {} if row is None or not row.state else json.loads(row.state)
    name = row.id if row is not None else seating.table if seating is not None else ""
    is_this_game = seating is not None and seating.log is not None and state.get("log") == seating.log
    if not is_this_game and seating is not None:
        state = {}  # the table still reports another game
    return TableSummary(
        id=name,
        players=_players(seating, state, seats.names, seats.places),
        here=row is not None and row.here,
        standing=_standing(state, seating, row),
        clock=clock_words(state.get("left_s")),
        clock_level=_clock_level(state.get("left_s")),
        clock_ends=_clock_ends(state, 0.0 if row is None else row.skew_s),
        verdict=translate_lines(str(state.get("verdict", ""))),
        troubles=tuple(_troubles(row, state)),
        hands=seats.hands.get(name, 0),
        done=seating is not None and seating.points is not None,
        games=tuple(tuple(game["points"]) for game in _games(seating)),
        unopened=tuple(tuple(game.get("unopened", ())) for game in _games(seating)),
        by_hand="" if seating is None else seating.entered_by,
        log=str(state.get("log") or ""),
        seq=int(state.get("last_seq") or 0),
        # A table's card could name any address, and the code at the table would lead everybody there.
        join=row.join if row is not None and is_in_house(row.join) else "",
        reports=seats.reports.get(name, ()),
        row=row,
    )


def _games(seating: SeatingRow | None) -> Sequence[Mapping[str, Any]]:
    return () if seating is None else seating.games or ()


def _clock_level(left_s: float | None) -> str:
    if left_s is None:
        return ""
    return "last" if left_s <= LAST_S else "short" if left_s <= SHORT_S else "plenty"


def _clock_ends(state: Mapping[str, Any], skew_s: float) -> float | None:
    """Return when a running clock reaches zero, in seconds since 1970 by the hub's clock; None for a stopped one.

    `skew_s` is by how much the table's clock is ahead of the hub's.
    """
    if not state.get("clock_runs") or state.get("left_s") is None:
        return None
    sent_s = datetime.fromisoformat(state["sent_at"]).timestamp()
    return round(sent_s - skew_s + float(state["left_s"]), 1)


def _players(
    seating: SeatingRow | None, state: Mapping[str, Any], names: Mapping[int, PlayerRow], places: Mapping[int, int]
) -> tuple[PlayerView, ...]:
    if seating is None:
        return ()
    points: Sequence[str] = seating.points or ()
    banks: Sequence[float] = state.get("banks_s") or ()
    return tuple(
        PlayerView(
            id_,
            names[id_].name if id_ in names else "?",
            names[id_].gone if id_ in names else True,
            places.get(id_),
            points_words(simplify_points(Fraction(points[seat]))) if seat < len(points) else "",
            seat in (seating.won or ()),
            state.get("phase") == "turns" and state.get("player") == seat and not points,
            clock_words(banks[seat]) if seat < len(banks) else "",
        )
        for seat, id_ in enumerate(seating.players)
    )


def _standing(state: Mapping[str, Any], seating: SeatingRow | None, row: StoredTable | None) -> str:
    if seating is not None and seating.points is not None:
        return gettext("Played")
    if row is None:
        return gettext("Not connected yet")
    if not row.here:
        return gettext("Not connected; the game goes on")
    return _phase_words(state)


def _phase_words(state: Mapping[str, Any]) -> str:
    players, player = state.get("players") or [], state.get("player")
    match state.get("phase"):
        case "turns" if player is not None and player < len(players):
            return gettext("It is {name}'s turn", name=players[player]["name"])
        case "starter" | "deal":
            return gettext("Choosing who begins, and dealing")
        case "racks":
            return gettext("Counting the racks")
        case "finding":
            return gettext("Searching for tiles")
        case "over":
            return gettext("Played")
    return gettext("Waiting for its players")


def _troubles(row: StoredTable | None, state: Mapping[str, Any]) -> list[str]:
    troubles = []
    if state.get("wrong"):
        troubles.append(gettext("The app says that something on this table is wrong"))
    if state.get("doubt"):
        troubles.append(gettext("The table has an open question"))
    if state.get("trouble"):
        troubles.append(str(state["trouble"]))
    if row is not None and abs(row.skew_s) > WRONG_CLOCK_S:
        minutes = round(abs(row.skew_s) / 60)
        troubles.append(
            ngettext(
                "Its clock is wrong by {count} minute, so it is not used",
                "Its clock is wrong by {count} minutes, so it is not used",
                minutes,
            )
        )
    return troubles
