"""User-facing words for criteria, ways of pairing, byes, conflicts and formats, in the current language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilekeeper.companion.tournament.conflicts import Conflict, ConflictKind
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import Format
from tilekeeper.companion.tournament.pairing import Pairing
from tilekeeper.companion.tournament.record import ByeKind, Player
from tilekeeper.engine.language import gettext, gettext_noop, ngettext

_CRITERIA: Final[Mapping[Criterion, str]] = {
    Criterion.TILE_POINTS: gettext_noop("Points"),
    Criterion.PLACEMENT_POINTS: gettext_noop("Placement points"),
    Criterion.WINS: gettext_noop("Won"),
    Criterion.DIRECT_ENCOUNTER: gettext_noop("Direct encounter"),
    Criterion.BEST_GAME: gettext_noop("Best game"),
    Criterion.BUCHHOLZ: gettext_noop("Buchholz"),
    Criterion.BUCHHOLZ_CUT_1: gettext_noop("Buchholz Cut-1"),
    Criterion.BUCHHOLZ_MEDIAN: gettext_noop("Buchholz Median"),
    Criterion.PROGRESSIVE: gettext_noop("Progressive score"),
    Criterion.LOT: gettext_noop("Lot"),
    Criterion.BY_HAND: gettext_noop("Decision of the referee"),
    Criterion.KNOCK_OUT_ROUND: gettext_noop("Round reached"),
    Criterion.KNOCK_OUT_RESULT: gettext_noop("Last knock-out round"),
}
_WAYS: Final[Mapping[Pairing, str]] = {
    Pairing.RANDOM: gettext_noop("At random; no two players meet twice"),
    Pairing.SWISS: gettext_noop("By points (Swiss)"),
    Pairing.FIXED: gettext_noop("Fixed tables"),
    Pairing.KNOCK_OUT: gettext_noop("Knock-out: the best of each table go on"),
}
_BYES: Final[Mapping[ByeKind, str]] = {
    ByeKind.ALLOCATED: gettext_noop("bye from the draw, counts as a win"),
    ByeKind.FULL: gettext_noop("full bye, counts as a win"),
    ByeKind.HALF: gettext_noop("half bye, counts as half a win"),
    ByeKind.ZERO: gettext_noop("absent, counts nothing"),
}
# Each sentence takes `name`, `other` or `names`.
_CONFLICTS: Final[Mapping[ConflictKind, str]] = {
    ConflictKind.MISSING: gettext_noop("{name} has no seat."),
    ConflictKind.TWICE: gettext_noop("{name} has two seats."),
    ConflictKind.STRANGER: gettext_noop("{name} does not play in this round."),
    ConflictKind.LEFT: gettext_noop("{name} has left and still has a seat. Press “Pair again”."),
    ConflictKind.TABLE_SIZE: gettext_noop("{names}: this table has too many or too few players."),
    ConflictKind.FORBIDDEN: gettext_noop("{name} and {other} must never meet."),
    ConflictKind.UNWANTED: gettext_noop("{name} and {other} are of one club."),
    ConflictKind.MET_BEFORE: gettext_noop("{name} and {other} have met before."),
    ConflictKind.SECOND_BYE: gettext_noop("{name} has had a bye before."),
}


def criterion_words(criterion: Criterion) -> str:
    """Return the name of a criterion, as arbiters know it."""
    return gettext(_CRITERIA[criterion])


def pairing_words(way: Pairing) -> str:
    """Return the name of a way of pairing."""
    return gettext(_WAYS[way])


def bye_words(kind: ByeKind) -> str:
    """Return the name of a kind of bye."""
    return gettext(_BYES[kind])


def conflict_words(conflict: Conflict, name: Callable[[Player], str]) -> str:
    """Return a conflict of a pairing as a sentence; `name` returns the name of a player."""
    names = [name(player) for player in conflict.players]
    return gettext(_CONFLICTS[conflict.kind], name=names[0], other=names[-1], names=", ".join(names))


def format_sentences(chosen: Format) -> Iterator[str]:
    """Yield sentences that describe a format."""
    yield ngettext(
        "{count} player at each table; some tables have fewer if the numbers don't fit.",
        "{count} players at each table; some tables have fewer if the numbers don't fit.",
        chosen.table_size,
    )
    if chosen.pairing is not Pairing.KNOCK_OUT:
        yield ngettext("{count} round.", "{count} rounds.", chosen.rounds)
    yield f"{pairing_words(chosen.pairing)}."
    if chosen.games > 1:
        yield ngettext(
            "{count} game in each round; then the left neighbour begins.",
            "{count} games in each round; after each game the left neighbour begins.",
            chosen.games,
        )
        if chosen.games % chosen.table_size == 0:
            yield gettext("So each player at a full table begins equally often.")
    if chosen.finalists:
        yield ngettext(
            "The best {count} player goes to the final.", "The best {count} players go to the final.", chosen.finalists
        )
    if chosen.finalists or chosen.pairing is Pairing.KNOCK_OUT:
        yield ngettext(
            "{count} player of each table goes on.", "{count} players of each table go on.", chosen.advancing
        )
    yield from _criteria_sentences(chosen)
    yield from _scoring_sentences(chosen)


def _criteria_sentences(chosen: Format) -> Iterator[str]:
    if not chosen.criteria:
        yield gettext("The box decides what counts: points or rounds won.")
        return
    score, *tie_breaks = map(criterion_words, chosen.criteria)
    if tie_breaks:
        yield gettext("What counts first: {score}. Then: {tie_breaks}.", score=score, tie_breaks=", ".join(tie_breaks))
    else:
        yield gettext("Only this counts: {score}.", score=score)


def _scoring_sentences(chosen: Format) -> Iterator[str]:
    scoring = chosen.scoring
    if Criterion.PLACEMENT_POINTS in chosen.criteria:
        yield gettext("Points for the places in a game: {points}.", points=", ".join(map(str, scoring.placement)))
    if scoring.loss_cap is not None:
        yield gettext("Nobody loses more than {points} points in a game.", points=scoring.loss_cap)
    if scoring.win_bonus:
        yield ngettext("A win gives {count} extra point.", "A win gives {count} extra points.", scoring.win_bonus)
    if scoring.unopened_points is not None:
        yield gettext(
            "A player who never opened pays {points} points in place of the tiles on the rack.",
            points=scoring.unopened_points,
        )
    if scoring.best_games is not None:
        yield ngettext(
            "Only the best {count} game of each player counts.",
            "Only the best {count} games of each player count.",
            scoring.best_games,
        )
    yield gettext("A bye counts as a win with {points} points.", points=scoring.bye_points)
