"""Random events in a database, played through the real desk: the check finds each planted error, and no other."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy.orm import Session

from tests.benchmarks.reliability.report import Outcome
from tests.support.random_tournaments import EVERY_FORMAT
from tilekeeper.companion.hub.check import check_event
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.rounds import rounds_of, seatings_of
from tilekeeper.companion.hub.simulate import simulate
from tilekeeper.companion.tournament.record import ByeKind


def measure(count: int, seed: int = 1) -> Outcome:
    """Simulate `count` events, check each, and then with each planted error."""
    outcome, rng = Outcome(), random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            name = rng.choice(list(EVERY_FORMAT))
            database = Database(f"sqlite:///{folder}/{number}.sqlite3")
            simulate(database, rng.randint(8, 24), rng.randint(2, 4), rng, EVERY_FORMAT[name])
            _check(outcome, database, f"event {number}, {name}")
            database.close()
            for file in Path(folder).iterdir():
                file.unlink()
    return outcome


def _check(outcome: Outcome, database: Database, event: str) -> None:
    outcome.cases["random events"] += 1
    with database.reading() as session:
        for difference in check_event(session):
            outcome.trouble(f"{event}: {difference}")
    for kind, plant in _ERRORS.items():
        outcome.cases[f"planted: {kind}"] += 1
        # A reading session is rolled back at its end, so that the errors are planted one at a time.
        with database.reading() as session:
            plant(session)
            if not list(check_event(session)):
                outcome.trouble(f"{event}: the {kind} was not found")


def _double_a_result(session: Session) -> None:
    seating = seatings_of(session, 1)[0]
    seating.games = [*(seating.games or ()), *(seating.games or ())]


def _swap_a_seat(session: Session) -> None:
    """Swap a player with one of the last table; if there is only one table, two of its players."""
    first, *_, last = 2 * seatings_of(session, 1)
    one, other = first.players[0], last.players[-1]
    for seating in {first.table: first, last.table: last}.values():
        seating.players = [{one: other, other: one}.get(player, player) for player in seating.players]


def _give_a_wrong_bye(session: Session) -> None:
    row, seating = rounds_of(session)[0], seatings_of(session, 1)[0]
    row.byes = [*row.byes, {"player": seating.players[0], "kind": ByeKind.FULL.value}]


_ERRORS: Final[Mapping[str, Callable[[Session], Any]]] = {
    "doubled result": _double_a_result,
    "swapped seat": _swap_a_seat,
    "wrong bye": _give_a_wrong_bye,
}
