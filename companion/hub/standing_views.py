"""The lines of standings as the pages show them: of all players, and of each category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tilekeeper.companion.hub.rounds import StoredTournament
from tilekeeper.companion.hub.standing_words import reason_words, value_words
from tilekeeper.companion.tournament.criteria import KNOCK_OUT
from tilekeeper.companion.tournament.standings import lead_over


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the standings, as the pages show it."""

    place: int
    name: str
    values: tuple[str, ...]
    """The player's value for each of the criteria of the standings."""
    why: str
    """Why the player is ahead of the next line, as a sentence; empty after a higher score or for a shared place."""
    gone: bool
    category: str


def view_lines(tournament: StoredTournament) -> tuple[LineView, ...]:
    """Return the lines of the standings of all players, best first."""
    lines, columns = tournament.standings, tournament.settings.ranking.criteria
    rows = {str(row.id): row for row in tournament.players}
    return tuple(
        LineView(
            line.place,
            rows[line.player].name,
            tuple(value_words(line, column) for column in columns),
            reason_words(line, lower, rows[lower.player].name) if lower is not None else "",
            rows[line.player].gone,
            rows[line.player].category,
        )
        for line, lower in zip_longest(lines, lines[1:])
    )


def view_categories(
    tournament: StoredTournament, views: Sequence[LineView]
) -> tuple[tuple[str, tuple[LineView, ...]], ...]:
    """Return each category with its standings: places counted anew, and why each is ahead of the next of the category.

    `views` is the result of `view_lines`.
    """
    found: dict[str, list[int]] = {}
    for index, view in enumerate(views):
        if view.category:
            found.setdefault(view.category, []).append(index)
    return tuple(
        (category, tuple(_lines_among(tournament, views, members))) for category, members in sorted(found.items())
    )


def _lines_among(tournament: StoredTournament, views: Sequence[LineView], members: Sequence[int]) -> Iterator[LineView]:
    """Yield the lines of some players, by their indices in the standings."""
    lines, criteria = tournament.standings, (*KNOCK_OUT, *tournament.settings.ranking.criteria)
    for index, lower in zip_longest(members, members[1:]):
        place = 1 + sum(views[one].place < views[index].place for one in members)
        why = ""
        if lower is not None:
            line = replace(lines[index], lead=lead_over(lines, index, lower, criteria))
            why = reason_words(line, lines[lower], views[lower].name)
        yield replace(views[index], place=place, why=why)
