"""Fields that games and scores read: for each a set-up, a turn or a score that is another when that field alone is."""

from collections.abc import Callable

import pytest

from tests.engine.games import NAMES, failed, laid, rack
from tilekeeper.engine.editions import rule_set
from tilekeeper.engine.events import (
    Dealt,
    Event,
    GameStarted,
    LotsDrawn,
    Passed,
    PoolCounted,
    RackCounted,
    RackShown,
    RedealClaimed,
    StarterChosen,
    TableCorrected,
    TileDrawn,
    TileFound,
    TilePointed,
)
from tilekeeper.engine.game import Game
from tilekeeper.engine.game_setup import dealing
from tilekeeper.engine.game_state import EventRefused
from tilekeeper.engine.notation import parse_table
from tilekeeper.engine.scoring import rack_left, score_round

PARTS = ("setup", "penalty", "ending", "scoring", "stars")
OTHERS = ("turn.drawn", "turn.plays_on_after_draw", "turn.limit_s", "turn.timed_before_opening")

CHOSEN = StarterChosen(0, overruled=True)
BEGUN: tuple[Event, ...] = (CHOSEN, Dealt())
PAIRS = "B3 B3 R8 R8 O10 O10 K1 K2 K3 K4 K5 K6"


def replayed(*events: Event, players: int = 2) -> Callable[[str, tuple[str, ...]], object]:
    """What a game comes to: its state without the rules, or why it can't be played."""

    def observe(edition: str, house: tuple[str, ...]) -> object:
        try:
            game = Game.start(GameStarted(NAMES[:players], edition, house))
            for event in events:
                game = game.record(event)
        except EventRefused as refused:
            return str(refused)
        state = game.state
        return state.phase, state.starter, state.contenders, state.redeal, state.round, state.sheet.rounds

    return observe


def scored(text: str) -> Callable[[str, tuple[str, ...]], object]:
    """What is noted where nobody is out, for racks parted by slashes."""

    def observe(edition: str, house: tuple[str, ...]) -> object:
        state = Game.start(GameStarted(NAMES[:2], edition, house)).state
        return score_round([rack_left(rack(part), state.rules.scoring) for part in text.split("/")], None, state.rules)

    return observe


def leaders(edition: str, house: tuple[str, ...]) -> object:
    """Who leads after one high win and two low ones."""
    game = Game.start(GameStarted(NAMES[:2], edition, house))
    for out, left in ((0, "R13 K13"), (1, "R1"), (1, "R2")):
        game = game.record(CHOSEN).record(Dealt()).record(RackCounted(out, 0)).record(RackShown(1 - out, rack(left)))
    return game.state.sheet.leaders


def stacks(edition: str, house: tuple[str, ...]) -> object:
    """How the tiles are dealt."""
    return dealing(2, Game.start(GameStarted(NAMES[:2], edition, house)).state.rules)


def found(edition: str, house: tuple[str, ...]) -> object:
    """What finding a tile brings."""
    game = Game.start(GameStarted(NAMES[:2], edition, house, first_acquaintance=True))
    game = game.record(TilePointed(rack("R5")[0])).record(TileFound(1, rack("R6")[0]))
    assert game.state.finding is not None
    return game.state.finding.bank.purses


def scored_once(*events: Event) -> Callable[[str, tuple[str, ...]], object]:
    """The first round's score of a game."""

    def observe(edition: str, house: tuple[str, ...]) -> object:
        game = Game.start(GameStarted(NAMES[:2], edition, house))
        for event in (*BEGUN, *events):
            game = game.record(event)
        return game.state.sheet.rounds

    return observe


TABLE = TableCorrected(parse_table("R3 R4 R5"))
EMPTY = (*BEGUN, PoolCounted(0))
BOTH_PASS = (PoolCounted(0), Passed(), Passed())

RED = "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10"
YELLOW = RED.replace("R", "Y")
# More is laid than the bank can pay for, whatever the judge says of it.
TOO_MUCH = tuple(laid(after, overruled=True) for after in (f"{RED} | K1 K2 K3", f"{RED} | {YELLOW}", YELLOW, RED))

# field, edition, another value, what is looked at
WITNESSES: list[tuple[str, str, str, Callable[[str, tuple[str, ...]], object]]] = [
    ("setup.least_players", "travel", "3", replayed()),
    ("setup.most_players", "travel", "3", replayed(players=4)),
    ("setup.dealt", "travel", "13", replayed(*BEGUN)),
    ("setup.stack_size", "large-numbers", "2", stacks),
    ("setup.starter", "travel", "chosen", replayed(StarterChosen(0))),
    ("setup.joker_drawn", "travel", "again", replayed(LotsDrawn(rack("J R1")))),
    ("setup.next_round", "travel", "left", replayed(*BEGUN, RackCounted(0, 0), RackShown(1, rack("R1")))),
    ("setup.redeal_pairs", "large-numbers", "4", replayed(*BEGUN, RedealClaimed(0, rack(f"{PAIRS} K7 J")))),
    ("setup.jokers_pair", "large-numbers", "yes", replayed(*BEGUN, RedealClaimed(0, rack(f"{PAIRS[6:]} K7 K8 J J")))),
    ("turn.drawn", "travel", "2", replayed(*BEGUN, TileDrawn())),
    ("turn.plays_on_after_draw", "travel", "yes", replayed(*BEGUN, TileDrawn())),
    ("turn.limit_s", "travel", "90", replayed(*BEGUN, laid("K10 B10 O10", seconds=75))),
    ("turn.timed_before_opening", "travel", "no", replayed(*BEGUN, laid("K10 B10 O10", seconds=75))),
    ("penalty.restore", "large-numbers", "loose-tiles", replayed(*BEGUN, failed("K10 B10 O10 | K1"))),
    (
        "penalty.tiles",
        "large-numbers",
        "2",
        replayed(*BEGUN, laid("K10 B10 O10"), TileDrawn(), failed("K10 B10 O10 | K1")),
    ),
    ("penalty.tiles_before_opening", "large-numbers", "2", replayed(*BEGUN, failed("K1"))),
    ("penalty.for_wrong_layout", "large-numbers", "no", replayed(*BEGUN, failed("K1", time_up=False))),
    ("penalty.forgotten_to_pool", "large-numbers", "no", replayed(*BEGUN, TABLE, failed("R3 R4 K1", restored=""))),
    ("ending.pool_empty", "large-numbers", "all-pass", replayed(*EMPTY, Passed())),
    ("ending.drawer_plays_last", "large-numbers", "no", replayed(*BEGUN, PoolCounted(1), TileDrawn())),
    ("scoring.tile_value", "large-numbers", "one", scored("R5/R6")),
    ("scoring.joker_points", "large-numbers", "20", scored("J/R6")),
    ("scoring.empty_pool", "large-numbers", "differences", scored("R5/R6")),
    ("scoring.lowest", "travel", "tiles", scored("R2 R3/R6")),
    ("scoring.fewer_tiles_win", "travel", "no", scored("R2 R4/R6")),
    ("scoring.totals", "large-numbers", "rounds-won", leaders),
    ("stars.bank", "junior", "50", replayed(*BEGUN)),
    ("stars.dealt", "junior", "5", replayed(*BEGUN)),
    ("stars.tile", "junior", "2", replayed(*BEGUN, laid("R2 R3 R4"))),
    ("stars.replacing", "junior", "1", replayed(*BEGUN, laid("R2 J R4"), laid("R2 R3 R4"))),
    ("stars.new_run", "junior", "2", replayed(*BEGUN, laid("R2 R3 R4"))),
    ("stars.empty_rack", "junior", "2", replayed(*BEGUN, RackCounted(0, 3), laid("R2 R3 R4"))),
    ("stars.passing", "junior", "2", replayed(*BEGUN, TileDrawn())),
    ("stars.free_pass", "junior", "no", replayed(*EMPTY, Passed())),
    ("stars.draw_unpaid", "junior", "yes", replayed(*BEGUN, *[TileDrawn()] * 13)),
    ("stars.tile_left", "junior", "2", scored_once(RackCounted(0, 0), RackCounted(1, 2))),
    ("stars.tiles_left_cost", "junior", "no", scored_once(*BOTH_PASS, RackCounted(0, 1), RackCounted(1, 2))),
    (
        "stars.finisher_wins_tie",
        "junior",
        "no",
        scored_once(RackCounted(0, 0), RackCounted(1, 0)),
    ),
    ("stars.debt_noted", "junior", "no", replayed(*BEGUN, *TOO_MUCH)),
    ("stars.found", "junior", "2", found),
]


@pytest.mark.parametrize(("field", "edition", "other", "observe"), WITNESSES, ids=[field for field, *_ in WITNESSES])
def test_witness(field: str, edition: str, other: str, observe: Callable[[str, tuple[str, ...]], object]) -> None:
    """What is seen turns on the field."""
    assert observe(edition, ()) == observe(edition, ())
    assert observe(edition, ()) != observe(edition, (f"{field}={other}",))


def test_every_field_has_a_witness() -> None:
    """Everything that a game reads and the judge does not."""
    names = [name for name, *_ in rule_set("junior").fields()]
    wanted = {name for name in names if name.partition(".")[0] in PARTS or name in OTHERS}
    assert wanted == {field for field, *_ in WITNESSES}
    assert len(WITNESSES) == len(wanted)
