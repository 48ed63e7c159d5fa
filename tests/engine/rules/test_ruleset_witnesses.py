"""Each field of a rule set has a witness: a turn, score or setup that changes when that field changes."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass

import pytest

from tests.support.games import deal_game, failed, playing, rack, racks, tiles_laid
from tilekeeper.engine.game.events import (
    Event,
    GameStarted,
    Passed,
    PoolCounted,
    RackCounted,
    RackShown,
    RedealClaimed,
    TileDrawn,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.scoring import RackLeft, rack_left, score_round
from tilekeeper.engine.game.setup import count_pairs, may_choose_starter, plan_dealing, start_lots
from tilekeeper.engine.game.stars import Bank, score_stars, turn_stars
from tilekeeper.engine.game.tile_finding import Finding
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

RULES = rule_set("large-numbers")


@dataclass(frozen=True, slots=True)
class Witness:
    """A result under an edition, and another result after one field has changed."""

    house: str
    edition: str
    probe: Callable[[RuleSet, str, tuple[str, ...]], object]
    """Returns a result for rules; a game starts from the name of the edition and house rules."""
    found: object
    found_otherwise: object

    @property
    def field(self) -> str:
        """The name of the field."""
        return self.house.partition("=")[0]


def probe_turn(before: str, after: str, opened: bool = True) -> Callable[[RuleSet, str, tuple[str, ...]], str]:
    """Probe the codes of the judge for a turn."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> str:
        verdict = judge(parse_table(before), parse_table(after), TurnContext(rules, opened))
        return " ".join(violation.code.value for violation in verdict.violations)

    return probe


def probe_rules(look: Callable[[RuleSet], object]) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """Probe a function of the rules alone."""
    return lambda rules, edition, house: look(rules)


def probe_game(
    *events: Event, table: str = "", see: Callable[[Game], object] = racks
) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """Probe a game of two players after some events, or the message if an event is refused."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> object:
        played = deal_game(edition, *house, table=table)
        for event in events:
            try:
                played = played.record(event)
            except ValueError as error:
                return str(error)
        return see(played)

    return probe


def probe_turn_stars(
    before: str, after: str, emptied: bool = False
) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """Probe the stars that a turn earns."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> object:
        assert rules.stars is not None
        verdict = judge(parse_table(before), parse_table(after), TurnContext(rules, True))
        return turn_stars(verdict, emptied, rules.stars)

    return probe


def probe_star_scores(out: int | None, purses: tuple[int, ...]) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """Probe the stars and the winners of a round of three with 0, 2 and 1 tiles left."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> object:
        assert rules.stars is not None
        _, score = score_stars(Bank(20, purses), (0, 2, 1), out, rules.stars)
        return score.points, score.winners

    return probe


def purses(played: Game) -> object:
    bank = playing(played).bank
    return None if bank is None else tuple(bank.stars(player) for player in range(len(bank.purses)))


def pool(played: Game) -> int:
    return playing(played).pool


def whose_turn(played: Game) -> int:
    return playing(played).turn


def was_redealt(played: Game) -> bool:
    return played.state.redeal is not None and played.state.redeal.granted


def probe_start(players: int) -> Callable[[RuleSet, str, tuple[str, ...]], str]:
    """Probe the message if a game with some players is refused."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> str:
        try:
            Game.start(GameStarted(tuple("ABCDE"[:players]), edition, house))
        except ValueError as error:
            return str(error)
        return ""

    return probe


EMPTY_POOL = PoolCounted(0)
LEFT = (RackLeft(9, 1), RackLeft(12, 3), RackLeft(9, 2))
THREE_PAIRS = "B3 B3 R8 R8 O10 O10 K1 K2 K4 K5 K7 K8 K10 K11"

LARGE, FINNISH, TRAVEL, JUNIOR, CARDS = "large-numbers", "finnish", "travel", "junior", "cards"
WITNESSES = [
    Witness("stock.inks=KBYR", LARGE, probe_turn("", "K7 B7 O7"), "", "unknown-tile"),
    Witness("stock.numbers=12", LARGE, probe_turn("", "R11 R12 R13"), "", "unknown-tile"),
    Witness("stock.copies=3", LARGE, probe_turn("", "K7 B7 O7 | K7 B7 R7 | K7 K8 K9"), "too-many-copies", ""),
    Witness("stock.jokers=1", LARGE, probe_turn("", "R3 J R5 | J K7 B7"), "", "too-many-copies"),
    Witness("setup.least_players=3", LARGE, probe_start(2), "", "3 to 4 people can play this, not 2"),
    Witness("setup.most_players=5", LARGE, probe_start(5), "2 to 4 people can play this, not 5", ""),
    Witness("setup.dealt=7", LARGE, probe_rules(lambda rules: plan_dealing(2, rules).pool), 78, 92),
    Witness("setup.stack_size=none", LARGE, probe_rules(lambda rules: plan_dealing(2, rules).stacks_each), 2, 0),
    Witness(
        "setup.starter=highest-drawn", LARGE, probe_rules(lambda rules: may_choose_starter(rules.setup)), True, False
    ),
    Witness(
        "setup.joker_drawn=lowest",
        FINNISH,
        probe_rules(
            lambda rules: start_lots(2, rules.setup).draw([JOKER, Tile(Colour.RED, 1)], rules.setup.joker_drawn).starter
        ),
        None,
        1,
    ),
    Witness(
        "setup.redeal_pairs=4", LARGE, probe_game(RedealClaimed(0, rack(THREE_PAIRS)), see=was_redealt), True, False
    ),
    Witness("setup.jokers_pair=yes", LARGE, probe_rules(lambda rules: count_pairs([JOKER, JOKER], rules.setup)), 0, 1),
    Witness(
        "setup.next_round=left",
        TRAVEL,
        probe_game(RackCounted(0, 0), RackShown(1, rack("K1")), see=lambda played: played.state.starter),
        None,
        1,
    ),
    Witness("melds.shortest=4", LARGE, probe_turn("", "R3 R4 R5"), "", "meld-too-short"),
    Witness("melds.largest_group=3", LARGE, probe_turn("", "K7 B7 O7 R7"), "", "group-too-long"),
    Witness("melds.wraps=yes", LARGE, probe_turn("", "R12 R13 R1"), "wraps-past-highest", ""),
    Witness("opening.minimum_points=31", LARGE, probe_turn("", "K10 B10 O10", False), "", "opening-too-low"),
    Witness("opening.joker_points=9", LARGE, probe_turn("", "K10 B10 J", False), "", "opening-too-low"),
    Witness("opening.several_sets=no", LARGE, probe_turn("", "K7 B7 O7 | R3 R4 R5", False), "", "opening-too-low"),
    Witness(
        "opening.needs_empty_table=yes",
        LARGE,
        probe_turn("R1 R2 R3", "R1 R2 R3 | K10 B10 O10", False),
        "",
        "opening-table-not-empty",
    ),
    Witness(
        "opening.table=free-once-open",
        LARGE,
        probe_turn("R1 R2 R3", "R1 R2 R3 R4 | K10 B10 O10", False),
        "opening-used-table",
        "",
    ),
    Witness(
        "manipulation.regrouping=any",
        JUNIOR,
        probe_turn("R1 R2 R3 R4 R5 R6", "R1 R2 R3 | R4 R5 R6 R7"),
        "extend-only",
        "",
    ),
    Witness(
        "manipulation.staying_together=3",
        CARDS,
        probe_turn("R4 R5 R6 R7", "R4 R5 J R7 | R6 B6 K6"),
        "",
        "original-too-short",
    ),
    Witness("manipulation.take_back=yes", LARGE, probe_turn("R1 R2 R3 R4", "R1 R2 R3 | K1 B1 O1"), "tile-taken", ""),
    Witness("joker.most_in_set=1", LARGE, probe_turn("", "R3 J J"), "", "too-many-jokers"),
    Witness("joker.alone=yes", JUNIOR, probe_turn("", "J J J"), "not-a-meld", ""),
    Witness("joker.past_end=other-end", LARGE, probe_turn("", "R12 R13 J"), "wraps-past-highest", ""),
    Witness(
        "joker.sets=like-others",
        FINNISH,
        probe_turn("R4 J R6 R7 R8 R9", "R4 J R6 | R7 R8 R9 R10"),
        "joker-set-locked",
        "",
    ),
    Witness(
        "joker.replaced_from=anywhere",
        FINNISH,
        probe_turn("R4 J R6 | R5 R6 R7 R8", "R4 R5 R6 | R6 R7 R8 | J K8 K9"),
        "joker-not-from-rack",
        "",
    ),
    Witness(
        "joker.freed=any-meld", LARGE, probe_turn("R4 J R6 | K7 K8 K9", "R4 R5 R6 | K7 K8 K9 J"), "joker-not-reused", ""
    ),
    Witness(
        "joker.rack_tiles=1",
        CARDS,
        probe_turn("R4 J R6 | K8 B8 Y8 R8", "R4 R5 R6 | J K8 K9 | B8 Y8 R8"),
        "joker-needs-rack-tiles",
        "",
    ),
    Witness("turn.least_tiles=2", LARGE, probe_turn("R3 R4 R5", "R3 R4 R5 R6"), "", "nothing-placed"),
    Witness("turn.drawn=2", LARGE, probe_game(TileDrawn()), (15, 14), (16, 14)),
    Witness("turn.plays_on_after_draw=yes", LARGE, probe_game(TileDrawn(), see=whose_turn), 1, 0),
    Witness("turn.limit_s=90", LARGE, probe_rules(lambda rules: rules.turn.limit_s_for(True)), 60, 90),
    Witness("turn.timed_before_opening=no", LARGE, probe_rules(lambda rules: rules.turn.limit_s_for(False)), 60, None),
    Witness(
        "penalty.restore=everything",
        CARDS,
        probe_game(failed("K10 B10 Y10 | R1 R2 R3 R4 | R9"), see=lambda played: str(playing(played).table)),
        "K10 B10 Y10 | R1 R2 R3 R4",
        "",
    ),
    Witness(
        "penalty.tiles=5",
        LARGE,
        probe_game(tiles_laid("K10 B10 O10"), TileDrawn(), failed("K10 B10 O10 | R1"), see=racks),
        (14, 15),
        (16, 15),
    ),
    Witness("penalty.tiles_before_opening=5", LARGE, probe_game(failed("R1")), (17, 14), (19, 14)),
    Witness("penalty.for_wrong_layout=no", LARGE, probe_game(failed("R1", time_up=False)), (17, 14), (15, 14)),
    Witness(
        "penalty.forgotten_to_pool=no",
        LARGE,
        probe_game(failed("R1 R2 | R3", restored="R1 R2"), table="R1 R2 R3", see=racks),
        (17, 14),
        (18, 14),
    ),
    Witness(
        "ending.pool_empty=all-pass",
        LARGE,
        probe_game(EMPTY_POOL, see=lambda played: playing(played).last_turns),
        2,
        None,
    ),
    Witness(
        "ending.drawer_plays_last=no",
        LARGE,
        probe_game(PoolCounted(1), TileDrawn(), see=lambda played: playing(played).last_turns),
        2,
        1,
    ),
    Witness(
        "ending.must_lay=yes",
        LARGE,
        probe_game(EMPTY_POOL, Passed(can_lay=True), see=lambda played: playing(played).turn),
        1,
        "the pool is empty; a player who can lay a tile must lay",
    ),
    Witness(
        "scoring.tile_value=one",
        LARGE,
        probe_rules(lambda rules: rack_left(rack("R7 J"), rules.scoring).points),
        37,
        31,
    ),
    Witness(
        "scoring.joker_points=20",
        LARGE,
        probe_rules(lambda rules: rack_left(rack("R7 J"), rules.scoring).points),
        37,
        27,
    ),
    Witness(
        "scoring.empty_pool=differences",
        LARGE,
        probe_rules(lambda rules: score_round(LEFT, None, rules).points),
        (-9, -12, -9),
        (3, -3, 0),
    ),
    Witness(
        "scoring.lowest=tiles",
        LARGE,
        probe_rules(lambda rules: score_round((RackLeft(9, 2), RackLeft(12, 1)), None, rules).winners),
        (0,),
        (1,),
    ),
    Witness(
        "scoring.fewer_tiles_win=no",
        LARGE,
        probe_rules(lambda rules: score_round(LEFT, None, rules).winners),
        (0,),
        (0, 2),
    ),
    Witness(
        "scoring.totals=rounds-won",
        LARGE,
        probe_game(RackCounted(0, 0), RackShown(1, rack("K9")), see=lambda played: played.state.sheet.totals),
        (9, -9),
        (1, 0),
    ),
    Witness(
        "stars.bank=60",
        JUNIOR,
        probe_game(see=lambda played: playing(played).bank and playing(played).bank.coins),
        44,
        48,
    ),
    Witness("stars.dealt=7", JUNIOR, probe_game(see=purses), (6, 6), (7, 7)),
    Witness("stars.tile=2", JUNIOR, probe_turn_stars("", "R1 R2 R3"), 4, 7),
    Witness("stars.replacing=1", JUNIOR, probe_turn_stars("R1 J R3", "R1 R2 R3"), 0, 1),
    Witness("stars.new_run=2", JUNIOR, probe_turn_stars("", "R1 R2 R3"), 4, 5),
    Witness("stars.empty_rack=2", JUNIOR, probe_turn_stars("", "R1 R2 R3", emptied=True), 5, 6),
    Witness("stars.passing=2", JUNIOR, probe_game(TileDrawn(), see=purses), (5, 6), (4, 6)),
    Witness("stars.free_pass=no", JUNIOR, probe_game(EMPTY_POOL, Passed(can_lay=False), see=purses), (6, 6), (5, 6)),
    Witness(
        "stars.draw_unpaid=yes",
        JUNIOR,
        probe_game(*[TileDrawn()] * 13, see=pool),
        "this player has no star to pay, so draws nothing",
        19,
    ),
    Witness("stars.tile_left=2", JUNIOR, probe_star_scores(0, (3, 4, 5)), ((3, 2, 4), (2,)), ((3, 0, 3), (0,))),
    Witness(
        "stars.tiles_left_cost=no", JUNIOR, probe_star_scores(None, (3, 4, 5)), ((3, 2, 4), (2,)), ((3, 4, 5), (2,))
    ),
    Witness(
        "stars.finisher_wins_tie=no", JUNIOR, probe_star_scores(0, (4, 4, 5)), ((4, 2, 4), (0,)), ((4, 2, 4), (0, 2))
    ),
    Witness(
        "stars.debt_noted=no",
        JUNIOR,
        probe_rules(lambda rules: Bank.open(3, 2, 2, rules.stars.debt_noted if rules.stars else False).stars(1)),
        2,
        1,
    ),
    Witness("stars.found=2", JUNIOR, probe_rules(lambda rules: found_stars(rules)), 1, 2),
]


def found_stars(rules: RuleSet) -> int:
    """Return the stars of a player who found the tile next to red 5."""
    assert rules.stars is not None
    finding = Finding.begin(2, 0, rules.stars).point(Tile(Colour.RED, 5), rules)
    return finding.find(1, Tile(Colour.RED, 6), rules, rules.stars).bank.stars(1)


@pytest.mark.parametrize("witness", WITNESSES, ids=[witness.field for witness in WITNESSES])
def test_one_changed_field_changes_the_result_of_its_witness(witness: Witness) -> None:
    """The edition gives one result, and the house rule the other."""
    rules = rule_set(witness.edition)
    assert witness.probe(rules, witness.edition, ()) == witness.found
    changed = with_house_rules(rules, (witness.house,))
    assert witness.probe(changed, witness.edition, (witness.house,)) == witness.found_otherwise


def test_each_field_of_a_rule_set_has_a_witness() -> None:
    """No field is without effect, and every part is a dataclass."""
    names = {field.name for rules in RULE_SETS.values() for field in rules.fields()}
    assert sorted(witness.field for witness in WITNESSES) == sorted(names)
    parts = [getattr(rule_set(JUNIOR), field.name) for field in fields(RULES) if field.name != "name"]
    assert all(is_dataclass(part) for part in parts)
