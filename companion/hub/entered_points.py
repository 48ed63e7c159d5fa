"""Points typed from result slips: parsed, checked for their sum, and told in the journal when they are corrected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from sqlalchemy.orm import Session

from tilekeeper.companion.hub.fold import GameOutcome
from tilekeeper.companion.hub.journal import add_to_journal
from tilekeeper.companion.hub.schema import PlayerRow, SeatingRow
from tilekeeper.companion.hub.settings import HallSettings
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.text.scores import points_words
from tilekeeper.engine.game.scoring import simplify_points
from tilekeeper.engine.language import gettext, lazy_gettext
from tilekeeper.engine.rules.policies import EmptyPoolScore
from tilekeeper.engine.rules.ruleset import RuleSet

_POINTS: Final = re.compile(r"[+-]?\d{1,5}(/[1-9]\d?)?", re.ASCII)


def read_games(
    points: Sequence[str], unopened: Sequence[bool], players: int, settings: HallSettings, *, anyway: bool
) -> list[GameOutcome]:
    """Return the games of a table from the points that somebody has typed.

    Args:
        points: the points of each seat in the first game, then of each seat in the second, and so on.
        unopened: for each of `points` whether the player never opened; empty if all have opened.
        players: the number of players at the table.
        settings: the settings of the club night.
        anyway: whether to accept points that do not add up.

    Raises:
        Refused: if the points are not numbers for every seat, or do not add up.
    """
    numbers = [_read_number(word) for word in points]
    is_whole = len(numbers) % players == 0 and len(numbers) <= players * settings.format.games
    if not is_whole or (unopened and len(unopened) != len(numbers)):
        raise Refused(gettext("Enter points for every player at the table."), "bad-input")
    games = [numbers[begin : begin + players] for begin in range(0, len(numbers), players)]
    if not anyway:
        _expect_to_add_up(games, settings.rules)
    marks = [unopened[begin : begin + players] for begin in range(0, len(numbers), players)]
    return [_outcome(*game) for game in zip(games, marks, strict=True)]


def _read_number(word: str) -> Fraction:
    tidy = word.replace("−", "-").strip()
    if not _POINTS.fullmatch(tidy):
        raise Refused(gettext("{word!r} is not a number of points.", word=word[:20]), "bad-input")
    return Fraction(tidy)


def _expect_to_add_up(games: Sequence[Sequence[Fraction]], rules: RuleSet) -> None:
    """Raise `Refused` for the first game whose points contradict the rules: plus must equal minus."""
    if rules.stars is not None:
        return
    for number, game in enumerate(games, start=1):
        is_all_minus = rules.scoring.empty_pool is EmptyPoolScore.ALL_MINUS and max(game) <= 0
        if sum(game) and not is_all_minus:
            difference = points_words(simplify_points(sum(game, Fraction(0))))
            raise Refused(
                gettext(
                    "Game {number} does not add up: plus and minus differ by {points}. Correct it, or tick the box "
                    "below if it is right.",
                    number=number,
                    points=difference,
                ),
                "sum",
            )


def _outcome(points: Sequence[Fraction], unopened: Sequence[bool]) -> GameOutcome:
    """Return the result of a game; the seats with the most points win."""
    won = tuple(seat for seat, number in enumerate(points) if number == max(points))
    never_opened = tuple(seat for seat, is_marked in enumerate(unopened) if is_marked)
    return GameOutcome(tuple(map(str, points)), won, never_opened)


def note_changed_result(session: Session, seating: SeatingRow, before: Sequence[str], by: str) -> None:
    """Add a journal entry for a result that replaces another one, with each player's points now and `before`."""
    where = {"number": seating.round, "table": seating.table}
    if seating.points == before:
        return
    if seating.points is None:
        words = lazy_gettext("Round {number}, table {table}: the table's own points count again.", **where)
    else:
        words = lazy_gettext(
            "Round {number}, table {table}: the result is now {after} (before: {before}).",
            after=_result_words(session, seating, seating.points),
            before=_result_words(session, seating, before),
            **where,
        )
    add_to_journal(session, words, by)


def _result_words(session: Session, seating: SeatingRow, points: Sequence[str]) -> str:
    rows = (session.get(PlayerRow, player) for player in seating.players)
    return ", ".join(
        f"{'?' if row is None else row.name} {points_words(simplify_points(Fraction(number)))}"
        for row, number in zip(rows, points, strict=True)
    )
