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
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class JokerOutcome:
    """The outcome of one joker of an old set."""

    origin: Place
    goal: Place | None
    """The place after the turn; None if it is not on the table."""
    release: Release
    replaced_by: Tile | None = None
    replaced_in: int | None = None
    """The new meld with the copy of the tile that replaced it; None if only one copy came from the rack."""

    @property
    def meld(self) -> int | None:
        """The new meld that holds the joker; None if it is not on the table."""
        return None if self.goal is None else self.goal.meld


@dataclass(frozen=True, slots=True)
class Scenario:
    """One outcome for every joker in a changed meld."""

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

    Args:
        board: the melds that changed.
        faults: an estimate of the rules that an outcome breaks; outcomes of one joker come in this order.
        budget: the steps that the list may take.

    Raises:
        BudgetExceeded: if there are too many scenarios.
    """
    options = [sorted(_outcomes_anywhere(origin, board), key=faults) for origin in board.set_jokers]
    return _scenarios(board, options, [None], budget)


def plausible_scenarios(board: Board, budget: Budget) -> Iterator[Scenario]:
    """Yield the scenarios in which no single outcome breaks a rule, fewest replaced jokers first.

    Raises:
        BudgetExceeded: if there are too many scenarios.
    """
    options = [
        [
            outcome
            for outcome in _outcomes_anywhere(origin, board)
            if outcome.release is not Release.FORBIDDEN and _is_plausible(outcome, board)
        ]
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
    """Yield the scenarios with one of its options for each joker; a single empty one without jokers.

    Scenarios in which a joker from an invalid row is missing come last, because no rule explains where it went.

    Args:
        board: the melds that changed.
        options: the outcomes of each joker of an old set.
        counts: the numbers of replaced jokers, in this order; None for any number.
        budget: the steps that the list may take.
    """
    if not options:
        yield Scenario()
        return
    missing = len(options) + board.loose_jokers + board.changes.placed[JOKER] - len(board.joker_goals)
    for loose_missing in range(min(board.loose_jokers, missing) + 1):
        for replaced in counts:
            for outcomes in _combinations(options, missing - loose_missing, replaced, budget):
                if _rack_suffices(outcomes, board) and _are_read_alike(outcomes, board):
                    yield from _with_rack_jokers(outcomes, board)


def _combinations(
    options: list[list[JokerOutcome]], missing: int, replaced: int | None, budget: Budget
) -> Iterator[tuple[JokerOutcome, ...]]:
    """Yield one option for each joker, with different goals: `missing` jokers are gone, `replaced` ones replaced."""

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
    """Return whether the rack held all tiles that replaced jokers, if the edition requires that."""
    if board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE:
        return True
    needed = Counter(outcome.replaced_by for outcome in outcomes if outcome.replaced_by)
    return all(count <= board.changes.placed[tile] for tile, count in needed.items())


def _are_read_alike(outcomes: tuple[JokerOutcome, ...], board: Board) -> bool:
    """Return whether all staying or replaced jokers of a set agree with one reading of it, and of their new melds."""
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
    """Return whether jokers of one set stayed, or were replaced, as in one reading of it.

    A run may be split between two jokers, a group can't.
    """
    staying = [
        (joker.origin.position, joker.goal)
        for joker in jokers
        if joker.release is Release.STAYED and joker.goal is not None and joker.meld in board.sets_after
    ]
    if was.kind is Kind.GROUP and len({goal.meld for _, goal in staying}) > 1:
        return False
    return all(_is_read_so(was, there, board) for there in _by_meld(staying).values()) and all(
        _is_one_of(was, joker.origin.position, joker.replaced_by) for joker in jokers if joker.replaced_by
    )


def _is_one_of(was: Reading, at: int, tile: Tile) -> bool:
    """Return whether a tile fits a place of a set: in a group any tile of its number does."""
    return tile is was.tiles[at] or (was.kind is Kind.GROUP and tile.number == was.tiles[at].number)


def _by_meld(places: list[tuple[int, Place]]) -> dict[int, list[tuple[int, Place]]]:
    """Return jokers with their positions before, by the new melds that hold them."""
    found: defaultdict[int, list[tuple[int, Place]]] = defaultdict(list)
    for at, goal in places:
        found[goal.meld].append((at, goal))
    return found


def _is_read_so(was: Reading, places: list[tuple[int, Place]], board: Board) -> bool:
    """Return whether jokers of one new meld can all be where a reading of their old set had them."""
    row = board.after[places[0][1].meld]
    return any(
        all(is_one_place(was, at, now, goal.position) for at, goal in places) for now in readings(row, board.rules)
    )


def _outcomes(origin: Place, goal: Place | None, board: Board) -> Iterator[JokerOutcome]:
    """Yield the possible outcomes of one joker of an old set that is now at a place."""
    ways = fates(board.before[origin.meld], origin.position, board.rules)
    for release, tiles in ways.items():
        match release:
            case Release.UNRESTRICTED:
                yield JokerOutcome(origin, goal, release)
            case Release.REPLACED:
                yield from _replacements(origin, goal, tiles, board)
            case _:
                if goal is not None and _may_end_at(release, origin, goal, board):
                    yield JokerOutcome(origin, goal, release)
    if Release.UNRESTRICTED not in ways:
        yield JokerOutcome(origin, goal, Release.FORBIDDEN)


def _may_end_at(release: Release, origin: Place, goal: Place, board: Board) -> bool:
    """Return whether a joker that was not replaced can be at a place after the turn."""
    match release:
        case Release.STAYED:
            return board.can_stay(origin, goal)
        case Release.SHIFTED:
            is_with_own = not set(board.plain_before[origin.meld]).isdisjoint(board.after[goal.meld])
            return goal.meld in board.sets_after and is_with_own
        case _:
            return True


def _replacements(origin: Place, goal: Place | None, tiles: Iterable[Tile], board: Board) -> Iterator[JokerOutcome]:
    """Yield an outcome for each tile that can have been laid in the place of a joker, and each copy that matters."""
    anywhere = board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE
    for tile in tiles:
        came = board.changes.placed[tile]
        if board.can_be_laid_for(origin, tile) and (
            came or (anywhere and tile in board.tiles and board.changes.counts_after[tile])
        ):
            told_apart = came > 1 and _is_told_which_copy(board.rules)
            for meld in board.goals_of(tile) if told_apart else (None,):
                yield JokerOutcome(origin, goal, Release.REPLACED, tile, meld)


def _is_told_which_copy(rules: RuleSet) -> bool:
    """Return whether the two copies of a tile must be told apart: one replaced a joker, the other is in a set."""
    return (
        rules.joker.sets is JokerSets.JOKER_STAYS
        or rules.joker.freed is FreedJoker.NEW_SET
        or rules.manipulation.staying_together > 0
    )


def _is_plausible(outcome: JokerOutcome, board: Board) -> bool:
    """Return whether an outcome can be part of a legal turn, judged by itself."""
    rules, old_meld = board.rules, board.plain_before[outcome.origin.meld]
    there = () if outcome.goal is None else board.after[outcome.goal.meld]
    match outcome.release:
        case Release.STAYED:
            whole = rules.joker.sets is JokerSets.LOCKED or (
                rules.manipulation.regrouping is Regrouping.EXTEND_ONLY
                and rules.joker.sets is not JokerSets.JOKER_MOVES
            )
            return not whole or all(tile in there for tile in old_meld)
        case Release.SHIFTED:
            return True
        case Release.TAKEN_OUT:
            return any(
                len(set(tiles).intersection(there)) + board.before[old].count(JOKER) >= rules.melds.shortest
                for old, tiles in board.plain_before.items()
            )
        case Release.UNRESTRICTED:
            return any(tile in there for tile in old_meld) or _may_be_there(outcome, board)
        case _:
            return _may_be_there(outcome, board)


def _may_be_there(outcome: JokerOutcome, board: Board) -> bool:
    """Return whether the edition lets a released joker be at its place."""
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
