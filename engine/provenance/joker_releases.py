"""Joker releases: whether each joker stayed in its set, was replaced or was taken out, and where it is now.

A *scenario* combines one outcome for every joker of an old set. `plausible_scenarios` leaves out outcomes that break a
rule by themselves, so that few remain to be searched; `all_scenarios` lists every one, for turns that are illegal.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.joker_fates import Release, fates
from tilekeeper.engine.provenance.rows import is_one_place
from tilekeeper.engine.rules.meld import Kind, Reading, readings
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, ReplacedFrom
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class JokerOutcome:
    """What happened to one joker of an old set, and where it is now."""

    origin: Place
    goal: Place | None
    """The place of the joker after the turn; None if it is not on the table."""
    release: Release
    replaced_by: Tile | None = None
    """The tile that was laid in the place of the joker; None if the joker was not replaced."""
    replaced_in: int | None = None
    """The new meld with the copy of `replaced_by` that replaced the joker; None if it does not matter which copy."""

    @property
    def meld(self) -> int | None:
        """The new meld that holds the joker; None if it is not on the table."""
        return None if self.goal is None else self.goal.meld


@dataclass(frozen=True, slots=True)
class Scenario:
    """One outcome for every joker of an old set, and a new meld for every joker from the rack."""

    outcomes: tuple[JokerOutcome, ...] = ()
    """The outcomes of the jokers that were in valid sets."""
    rack_jokers: tuple[int, ...] = ()
    """The new melds that hold jokers from the rack: one entry for each of these jokers."""

    @property
    def replaced(self) -> int:
        """The number of replaced jokers."""
        return sum(outcome.release is Release.REPLACED for outcome in self.outcomes)

    @property
    def forbidden(self) -> int:
        """The number of jokers that left their sets in a way that is not allowed."""
        return sum(outcome.release is Release.FORBIDDEN for outcome in self.outcomes)


def all_scenarios(board: Board, faults: Callable[[JokerOutcome], int], budget: Budget) -> Iterator[Scenario]:
    """Yield every scenario; a single empty one if no joker was in a valid set.

    `faults` estimates the number of rules that an outcome breaks; outcomes with fewer come first.

    Raises:
        BudgetExceeded: if there are too many scenarios.
    """
    options = [sorted(_outcomes_anywhere(origin, board), key=faults) for origin in board.set_jokers]
    return _scenarios(board, options, [None], budget)


def plausible_scenarios(board: Board, budget: Budget) -> Iterator[Scenario]:
    """Yield the scenarios in which no outcome breaks a rule by itself, fewest replaced jokers first.

    Scenarios in which a joker from an invalid row is missing come last.

    Raises:
        BudgetExceeded: if there are too many scenarios.
    """
    options = [
        [outcome for outcome in _outcomes_anywhere(origin, board) if _is_plausible(outcome, board)]
        for origin in board.set_jokers
    ]
    budget.spend(4 * (len(board.joker_goals) + 1) * len(options))
    return _scenarios(board, sorted(options, key=len), range(len(options) + 1), budget)


def _outcomes_anywhere(origin: Place, board: Board) -> Iterator[JokerOutcome]:
    for goal in (*board.joker_goals, None):
        yield from _outcomes(origin, goal, board)


def _scenarios(
    board: Board, options: list[list[JokerOutcome]], counts: Sequence[int | None], budget: Budget
) -> Iterator[Scenario]:
    """Yield the scenarios that choose one option for each joker; a single empty scenario if there are no jokers.

    The numbers of replaced jokers in `counts` are tried in this order; None stands for any number. Scenarios in which
    a joker from an invalid row is missing come last, because no rule explains where it went.
    """
    if not options:
        yield Scenario()
        return
    missing = len(options) + board.loose_jokers + board.changes.placed[JOKER] - len(board.joker_goals)
    for loose_missing in range(min(board.loose_jokers, missing) + 1):
        for replaced in counts:
            for outcomes in _combinations(options, missing - loose_missing, replaced, budget):
                if _rack_suffices(outcomes, board) and _fit_one_reading(outcomes, board):
                    yield from _with_rack_jokers(outcomes, board)


def _combinations(
    options: list[list[JokerOutcome]], missing: int, replaced: int | None, budget: Budget
) -> Iterator[tuple[JokerOutcome, ...]]:
    """Yield each choice of one option for every joker in which no two jokers have the same goal.

    In a choice exactly `missing` jokers are not on the table, and exactly `replaced` jokers (None: any number) were
    replaced.
    """

    def choose(depth: int, chosen: tuple[JokerOutcome, ...]) -> Iterator[tuple[JokerOutcome, ...]]:
        still_missing = missing - sum(outcome.goal is None for outcome in chosen)
        still_replaced = (replaced or 0) - sum(outcome.release is Release.REPLACED for outcome in chosen)
        remaining = len(options) - depth
        if not 0 <= still_missing <= remaining or (replaced is not None and not 0 <= still_replaced <= remaining):
            return
        if not remaining:
            yield chosen
            return
        occupied = {outcome.goal for outcome in chosen if outcome.goal is not None}
        for option in options[depth]:
            budget.spend(1)
            if option.goal not in occupied:
                yield from choose(depth + 1, (*chosen, option))

    return choose(0, ())


def _with_rack_jokers(outcomes: tuple[JokerOutcome, ...], board: Board) -> Iterator[Scenario]:
    """Yield the scenarios with these outcomes: one for each choice of melds for the jokers from the rack."""
    occupied = {outcome.goal for outcome in outcomes}
    melds = [goal.meld for goal in board.joker_goals if goal not in occupied]
    for racked in dict.fromkeys(combinations(sorted(melds), board.changes.placed[JOKER])):
        yield Scenario(outcomes, racked)


def _rack_suffices(outcomes: tuple[JokerOutcome, ...], board: Board) -> bool:
    """Return whether the rack held all tiles that replaced jokers; True if the edition allows tiles of the table."""
    if board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE:
        return True
    needed = Counter(outcome.replaced_by for outcome in outcomes if outcome.replaced_by)
    return all(count <= board.changes.placed[tile] for tile, count in needed.items())


def _fit_one_reading(outcomes: tuple[JokerOutcome, ...], board: Board) -> bool:
    """Return whether, for each old set, all its jokers that stayed or were replaced fit one reading of the set.

    Always True unless only jokers are bound to their set (`JokerSets.JOKER_STAYS`).
    """
    if board.rules.joker.sets is not JokerSets.JOKER_STAYS or len(outcomes) < 2:
        return True
    of_sets: defaultdict[int, list[JokerOutcome]] = defaultdict(list)
    for outcome in outcomes:
        of_sets[outcome.origin.meld].append(outcome)
    return all(
        any(is_reading_of(was, jokers, board) for was in readings(board.before[meld], board.rules))
        for meld, jokers in of_sets.items()
        if len(jokers) > 1
    )


def is_reading_of(was: Reading, jokers: Sequence[JokerOutcome], board: Board) -> bool:
    """Return whether the outcomes of the jokers of one old set fit the reading `was` of the set.

    Jokers that stayed must be in a place of this reading, and tiles that replaced jokers must fit it. A run may be
    split between two jokers; a group can't.
    """
    staying: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)  # for each new meld, places before and after
    for joker in jokers:
        if joker.release is Release.STAYED and joker.goal is not None and joker.meld in board.sets_after:
            staying[joker.goal.meld].append((joker.origin.position, joker.goal.position))
    if was.kind is Kind.GROUP and len(staying) > 1:
        return False
    for meld, places in staying.items():
        possible = readings(board.after[meld], board.rules)
        if not any(all(is_one_place(was, before, now, at) for before, at in places) for now in possible):
            return False
    return all(_fits_position(was, joker.origin.position, joker.replaced_by) for joker in jokers if joker.replaced_by)


def _fits_position(was: Reading, at: int, tile: Tile) -> bool:
    """Return whether a tile fits a position of a reading; in a group any tile of its number does."""
    return tile is was.tiles[at] or (was.kind is Kind.GROUP and tile.number == was.tiles[at].number)


def _outcomes(origin: Place, goal: Place | None, board: Board) -> Iterator[JokerOutcome]:
    """Yield the possible outcomes of a joker of an old set that is now at `goal` (None: not on the table)."""
    ways = fates(board.before[origin.meld], origin.position, board.rules)
    for release, tiles in ways.items():
        match release:
            case Release.UNRESTRICTED:
                yield JokerOutcome(origin, goal, release)
            case Release.REPLACED:
                yield from _replacements(origin, goal, tiles, board)
            case Release.STAYED if goal is not None and board.can_stay(origin, goal):
                yield JokerOutcome(origin, goal, release)
            case Release.SHIFTED if goal is not None and goal.meld in board.sets_after:
                if not set(board.plain_before[origin.meld]).isdisjoint(board.after[goal.meld]):
                    yield JokerOutcome(origin, goal, release)
            case Release.TAKEN_OUT if goal is not None:
                yield JokerOutcome(origin, goal, release)
    if Release.UNRESTRICTED not in ways:
        yield JokerOutcome(origin, goal, Release.FORBIDDEN)


def _replacements(origin: Place, goal: Place | None, tiles: Iterable[Tile], board: Board) -> Iterator[JokerOutcome]:
    """Yield an outcome for each tile that can have been laid in the place of a joker.

    If it matters which copy of a tile replaced the joker, yield one for each new meld with a copy.
    """
    anywhere = board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE
    for tile in tiles:
        came = board.changes.placed[tile]
        if board.can_be_laid_for(origin, tile) and (
            came or (anywhere and tile in board.tiles and board.changes.counts_after[tile])
        ):
            copy_matters = came > 1 and _does_copy_matter(board.rules)
            for meld in board.goals_of(tile) if copy_matters else (None,):
                yield JokerOutcome(origin, goal, Release.REPLACED, tile, meld)


def _does_copy_matter(rules: RuleSet) -> bool:
    """Return whether a rule can depend on which of two copies of a tile replaced a joker."""
    return (
        rules.joker.sets is JokerSets.JOKER_STAYS
        or rules.joker.freed is FreedJoker.NEW_SET
        or rules.manipulation.staying_together > 0
    )


def _is_plausible(outcome: JokerOutcome, board: Board) -> bool:
    """Return whether an outcome, judged by itself, can be part of a legal turn."""
    goal_meld = () if outcome.goal is None else board.after[outcome.goal.meld]
    match outcome.release:
        case Release.FORBIDDEN:
            return False
        case Release.UNRESTRICTED if not set(goal_meld).isdisjoint(board.plain_before[outcome.origin.meld]):
            return True
        case Release.UNRESTRICTED | Release.REPLACED:
            return _may_be_there(outcome, board)
        case Release.TAKEN_OUT:
            return any(
                len(set(tiles).intersection(goal_meld)) + board.before[old].count(JOKER) >= board.rules.melds.shortest
                for old, tiles in board.plain_before.items()
            )
        case _:
            return True


def _may_be_there(outcome: JokerOutcome, board: Board) -> bool:
    """Return whether the edition allows the place of a released joker, or its absence from the table."""
    rules, placed = board.rules, board.changes.placed
    if outcome.goal is None:
        to_rack = rules.joker.freed is FreedJoker.RACK and outcome.release is Release.REPLACED
        return to_rack or rules.manipulation.take_back
    if outcome.goal.meld not in board.sets_after:
        return False
    row = board.after[outcome.goal.meld]
    if rules.joker.freed is FreedJoker.SET_FROM_RACK and not any(
        all(row[at] is JOKER or placed[row[at]] for at in positions)
        for positions in (range(len(row)), *board.sets_around(outcome.goal))
    ):
        return False
    others = (tile for tile in row if tile is not JOKER)
    return sum(placed[tile] > 0 for tile in others) + placed[JOKER] >= rules.joker.rack_tiles
