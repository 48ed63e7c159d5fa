"""Random games of every edition: after each event all tiles and points add up."""

import random
from functools import cache
from itertools import pairwise

import pytest

from tests.support.random_games import Tiles, misplaced, random_game, whole_box
from tests.support.single_moves import TooManyMoves, most_stars
from tilekeeper.engine.game.events import TilesLaid, Undone
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import AlarmCode
from tilekeeper.engine.game.state import Phase, TurnKind
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld

pytestmark = pytest.mark.slow

ROUNDS = 2
VALID: dict[int, tuple[RuleSet, dict[Meld, bool]]] = {}


def check(game: Game, tiles: Tiles, every_tile: bool) -> None:
    """Compare the game with the real tiles, one by one or by their numbers."""
    assert all(alarm.code is AlarmCode.BANK_OWES for alarm in game.alarms), game.alarms
    state = game.state
    for score in state.sheet.rounds:
        assert not score.zero_sum or sum(score.points) == 0
        assert score.winners
    assert state.sheet.imbalance == 0
    play = state.round
    if play is None:
        return
    assert not every_tile or not misplaced(game, tiles)
    assert tuple(len(hand) for hand in tiles.hands) == tuple(seat.rack for seat in play.seats)
    assert len(tiles.pool) == play.pool
    assert all(is_valid_cached(meld, state.rules) for meld in play.table.melds)
    assert all(turn.after == then.before for turn, then in pairwise(play.turns[-2:]))
    assert play.drew or sum(turn.drawn for turn in play.turns) == sum(
        seat.drawn + seat.penalties for seat in play.seats
    )
    if play.bank is not None:
        assert state.rules.stars is not None
        assert play.bank.size == state.rules.stars.bank
        assert min(play.bank.coins, *play.bank.purses) >= 0


def check_stars(game: Game, most_tables: int) -> bool:
    """Compare the stars of the last turn with those of the way that earns the most; return whether that was possible.

    They can't be compared if a turn was overruled or illegal, or if more than `most_tables` can be reached in it.
    """
    play = game.state.round
    if play is None or play.bank is None or not play.turns:
        return False
    turn = play.turns[-1]
    if turn.kind is not TurnKind.LAID or turn.overruled:
        return False
    try:
        stars = most_stars(turn.before, turn.after, game.state.rules, most_tables)
    except TooManyMoves:
        return False
    assert stars is not None
    assert turn.stars == stars + (play.seats[turn.player].rack == 0), f"{turn.before} -> {turn.after}"
    return True


def is_valid_cached(meld: Meld, rules: RuleSet) -> bool:
    """Return whether a meld is valid; cached for each rule set, because melds stay for many turns."""
    known = VALID.setdefault(id(rules), (rules, {}))[1]  # the rules are kept, so that no others get their id
    if meld not in known:
        known[meld] = is_valid(meld, rules)
    return known[meld]


@cache
def play_out(edition: str, seed: int, rounds: int = 1, most_tables: int = 50) -> Game:
    """Play a whole game, checked after each event; stars only where single moves lead to at most so many tables."""
    rng = random.Random(f"{edition} {seed}")
    game = None
    prefix = rng.randint(1, 60)
    for game, tiles in random_game(rng, edition, rounds):
        check(game, tiles, every_tile=game.state.phase is not Phase.TURNS or len(game.entries) % 8 == 0)
        if edition == "junior" and isinstance(game.entries[-1], TilesLaid):
            check_stars(game, most_tables)
        if len(game.entries) == prefix:
            assert Game.replay(game.entries) == game
    assert game is not None
    assert game.state.phase is Phase.OVER
    assert len(game.state.sheet.rounds) == rounds
    return game


@pytest.mark.parametrize("edition", sorted(RULE_SETS))
def test_random_games_of_each_edition_keep_all_tiles_and_points(edition: str) -> None:
    """Twenty games of each edition."""
    for seed in range(20):
        play_out(edition, seed)


@pytest.mark.long
@pytest.mark.parametrize("batch", range(50))
@pytest.mark.parametrize("edition", sorted(RULE_SETS))
def test_ten_thousand_random_games_of_each_edition_keep_all_tiles_and_points(edition: str, batch: int) -> None:
    """The same at length, with the stars of more turns."""
    for seed in range(batch * 200, (batch + 1) * 200):
        play_out(edition, seed, most_tables=300)


def test_stars_of_random_games_are_those_of_the_best_way() -> None:
    """Of some turns in four games of `junior`; the long test compares more."""
    games = (random_game(random.Random(seed), "junior") for seed in range(4))
    laid = [game for each in games for game, _ in each if isinstance(game.entries[-1], TilesLaid)]
    assert sum(check_stars(game, 50) for game in laid) > 20


@pytest.mark.parametrize("edition", sorted(RULE_SETS))
def test_random_game_of_several_rounds_survives_a_round_trip(edition: str) -> None:
    """Written as JSON Lines and read again."""
    game = play_out(edition, -1, ROUNDS)
    assert Game.parse(game.format()) == game


def test_random_games_contain_all_kinds_of_turns_and_endings() -> None:
    """Redeals and undone events too."""
    kinds, outs, entries = set(), set(), set()
    for edition in ("large-numbers", "junior", "cards"):
        for seed in range(4):
            game = play_out(edition, seed)
            play = game.state.round
            assert play is not None
            kinds |= {turn.kind for turn in play.turns}
            outs.add(play.out is not None)
            entries |= {type(entry).__name__ for entry in game.entries}
    assert kinds == set(TurnKind)
    assert outs == {True, False}
    assert {"Dealt", "LotsDrawn", "Passed", "RackShown", "TilesLaid", "TurnFailed", Undone.__name__} <= entries


def test_same_seed_plays_the_same_random_game() -> None:
    """All chance comes from the seed."""
    assert play_out("travel", 7).entries == play_out.__wrapped__("travel", 7).entries


@pytest.mark.parametrize("edition", sorted(RULE_SETS))
def test_box_of_a_random_game_is_that_of_the_edition(edition: str) -> None:
    """With all copies and jokers."""
    assert len(whole_box(RULE_SETS[edition])) == RULE_SETS[edition].stock.size


def test_random_games_under_house_rules_keep_all_tiles_and_points() -> None:
    """Forgotten tiles go onto the rack, or there are no groups."""
    for house in (("penalty.forgotten_to_pool=no",), ("melds.largest_group=none",), ("turn.plays_on_after_draw=yes",)):
        for seed in range(3):
            for game, tiles in random_game(random.Random(seed), "large-numbers", house=house):
                check(game, tiles, every_tile=True)
