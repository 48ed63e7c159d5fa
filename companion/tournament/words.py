"""Names of criteria, ways of pairing, byes and conflicts, and formats as sentences, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never

from tilekeeper.companion.tournament.conflicts import Conflict, ConflictKind
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import Format
from tilekeeper.companion.tournament.pairing import Pairing
from tilekeeper.companion.tournament.record import ByeKind, Player
from tilekeeper.engine.language import gettext, ngettext


def criterion_words(criterion: Criterion) -> str:  # noqa: C901, PLR0912, a case for each criterion
    """Return the name of a criterion, as arbiters know it."""
    match criterion:
        case Criterion.TILE_POINTS:
            return gettext("Points")
        case Criterion.PLACEMENT_POINTS:
            return gettext("Placement points")
        case Criterion.WINS:
            return gettext("Won")
        case Criterion.DIRECT_ENCOUNTER:
            return gettext("Direct encounter")
        case Criterion.BEST_GAME:
            return gettext("Best game")
        case Criterion.BUCHHOLZ:
            return gettext("Buchholz")
        case Criterion.BUCHHOLZ_CUT_1:
            return gettext("Buchholz Cut-1")
        case Criterion.BUCHHOLZ_MEDIAN:
            return gettext("Buchholz Median")
        case Criterion.PROGRESSIVE:
            return gettext("Progressive score")
        case Criterion.LOT:
            return gettext("Lot")
        case Criterion.BY_HAND:
            return gettext("Decision of the referee")
        case Criterion.KNOCK_OUT_ROUND:
            return gettext("Round reached")
        case Criterion.KNOCK_OUT_RESULT:
            return gettext("Last knock-out round")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def pairing_words(way: Pairing) -> str:
    """Return the name of a way of pairing."""
    match way:
        case Pairing.RANDOM:
            return gettext("At random; nobody meets twice")
        case Pairing.SWISS:
            return gettext("By points (Swiss)")
        case Pairing.FIXED:
            return gettext("Fixed tables")
        case Pairing.KNOCK_OUT:
            return gettext("Knock-out: the best of each table go on")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def bye_words(kind: ByeKind) -> str:
    """Return the name of a kind of bye."""
    match kind:
        case ByeKind.ALLOCATED:
            return gettext("bye by the pairing, counts as a win")
        case ByeKind.FULL:
            return gettext("full bye, counts as a win")
        case ByeKind.HALF:
            return gettext("half bye, counts as half a win")
        case ByeKind.ZERO:
            return gettext("absent, counts nothing")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def conflict_words(conflict: Conflict, name: Callable[[Player], str]) -> str:
    """Return a conflict of a pairing as a sentence."""
    names = [name(player) for player in conflict.players]
    match conflict.kind:
        case ConflictKind.MISSING:
            return gettext("{name} has no seat.", name=names[0])
        case ConflictKind.TWICE:
            return gettext("{name} has two seats.", name=names[0])
        case ConflictKind.STRANGER:
            return gettext("{name} does not play in this round.", name=names[0])
        case ConflictKind.TABLE_SIZE:
            return gettext("{names}: this table has too many or too few players.", names=", ".join(names))
        case ConflictKind.FORBIDDEN:
            return gettext("{name} and {other} must never meet.", name=names[0], other=names[1])
        case ConflictKind.UNWANTED:
            return gettext("{name} and {other} are of one club.", name=names[0], other=names[1])
        case ConflictKind.MET_BEFORE:
            return gettext("{name} and {other} have met before.", name=names[0], other=names[1])
        case ConflictKind.SECOND_BYE:
            return gettext("{name} has had a bye before.", name=names[0])
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def format_sentences(chosen: Format) -> Iterator[str]:
    """Yield what a format means, in sentences."""
    yield ngettext(
        "{count} player at a table; fewer if they do not fill every table.",
        "{count} players at a table; fewer if they do not fill every table.",
        chosen.table_size,
    )
    if chosen.pairing is not Pairing.KNOCK_OUT:
        yield ngettext("{count} round.", "{count} rounds.", chosen.rounds)
    yield f"{pairing_words(chosen.pairing)}."
    if chosen.games > 1:
        yield ngettext(
            "{count} game in each round; the start moves to the left after each.",
            "{count} games in each round; the start moves to the left after each.",
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
        yield gettext("{score} count first, then {tie_breaks}.", score=score, tie_breaks=", ".join(tie_breaks))
    else:
        yield gettext("Only this counts: {score}.", score=score)


def _scoring_sentences(chosen: Format) -> Iterator[str]:
    scoring = chosen.scoring
    if Criterion.PLACEMENT_POINTS in chosen.criteria:
        yield gettext("The places of a game count {points}.", points=", ".join(map(str, scoring.placement)))
    if scoring.loss_cap is not None:
        yield gettext("Nobody loses more than {points} points in a game.", points=scoring.loss_cap)
    if scoring.win_bonus:
        yield gettext("A win counts {points} points more.", points=scoring.win_bonus)
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
    yield gettext("A bye counts as a win by {points} points.", points=scoring.bye_points)
