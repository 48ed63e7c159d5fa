"""Rule sets: every field has a witness, a turn, score or set-up that changes when that field alone is another."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass

import pytest

from tests.support.games import dealt, failed, laid, playing, rack, racks
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
from tilekeeper.engine.game.setup import dealing, lots, may_choose_starter, pairs
from tilekeeper.engine.game.stars import Bank, score_stars, turn_stars
from tilekeeper.engine.game.tile_finding import Finding
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

RULES = rule_set("large-numbers")


@dataclass(frozen=True, slots=True)
class Witness:
    """What an edition makes of something, and what it makes of it with another value of one field."""

    house: str
    edition: str
    probe: Callable[[RuleSet, str, tuple[str, ...]], object]
    """Looks at rules; a game is begun by the edition's name and house rules."""
    found: object
    found_otherwise: object

    @property
    def field(self) -> str:
        """The name of the field."""
        return self.house.partition("=")[0]


def turn(before: str, after: str, opened: bool = True) -> Callable[[RuleSet, str, tuple[str, ...]], str]:
    """What the judge finds."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> str:
        verdict = judge(parse_table(before), parse_table(after), TurnContext(rules, opened))
        return " ".join(violation.code.value for violation in verdict.violations)

    return probe


def of(look: Callable[[RuleSet], object]) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """What the rules alone give."""
    return lambda rules, edition, house: look(rules)


def game(
    *events: Event, table: str = "", see: Callable[[Game], object] = racks
) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """What is seen of a game of two after some events, or why one of them is refused."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> object:
        played = dealt(edition, *house, table=table)
        for event in events:
            try:
                played = played.record(event)
            except ValueError as error:
                return str(error)
        return see(played)

    return probe


def stars_of(before: str, after: str, emptied: bool = False) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """What a turn earns."""

    def probe(rules: RuleSet, edition: str, house: tuple[str, ...]) -> object:
        assert rules.stars is not None
        verdict = judge(parse_table(before), parse_table(after), TurnContext(rules, True))
        return turn_stars(verdict, emptied, rules.stars)

    return probe


def star_scores(out: int | None, purses: tuple[int, ...]) -> Callable[[RuleSet, str, tuple[str, ...]], object]:
    """The stars and the winners of a round of three, with 0, 2 and 1 tiles left."""

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


def begun_by(players: int) -> Callable[[RuleSet, str, tuple[str, ...]], str]:
    """Why a game of so many is refused, if it is."""

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
    Witness("stock.inks=KBYR", LARGE, turn("", "K7 B7 O7"), "", "unknown-tile"),
    Witness("stock.numbers=12", LARGE, turn("", "R11 R12 R13"), "", "unknown-tile"),
    Witness("stock.copies=3", LARGE, turn("", "K7 B7 O7 | K7 B7 R7 | K7 K8 K9"), "too-many-copies", ""),
    Witness("stock.jokers=1", LARGE, turn("", "R3 J R5 | J K7 B7"), "", "too-many-copies"),
    Witness("setup.least_players=3", LARGE, begun_by(2), "", "3 to 4 people can play this, not 2"),
    Witness("setup.most_players=5", LARGE, begun_by(5), "2 to 4 people can play this, not 5", ""),
    Witness("setup.dealt=7", LARGE, of(lambda rules: dealing(2, rules).pool), 78, 92),
    Witness("setup.stack_size=none", LARGE, of(lambda rules: dealing(2, rules).stacks_each), 2, 0),
    Witness("setup.starter=highest-drawn", LARGE, of(lambda rules: may_choose_starter(rules.setup)), True, False),
    Witness(
        "setup.joker_drawn=lowest",
        FINNISH,
        of(lambda rules: lots(2, rules.setup).drawn([JOKER, Tile(Colour.RED, 1)], rules.setup.joker_drawn).starter),
        None,
        1,
    ),
    Witness("setup.redeal_pairs=4", LARGE, game(RedealClaimed(0, rack(THREE_PAIRS)), see=was_redealt), True, False),
    Witness("setup.jokers_pair=yes", LARGE, of(lambda rules: pairs([JOKER, JOKER], rules.setup)), 0, 1),
    Witness(
        "setup.next_round=left",
        TRAVEL,
        game(RackCounted(0, 0), RackShown(1, rack("K1")), see=lambda played: played.state.starter),
        None,
        1,
    ),
    Witness("melds.shortest=4", LARGE, turn("", "R3 R4 R5"), "", "meld-too-short"),
    Witness("melds.largest_group=3", LARGE, turn("", "K7 B7 O7 R7"), "", "group-too-long"),
    Witness("melds.wraps=yes", LARGE, turn("", "R12 R13 R1"), "wraps-past-highest", ""),
    Witness("opening.minimum_points=31", LARGE, turn("", "K10 B10 O10", False), "", "opening-too-low"),
    Witness("opening.joker_points=9", LARGE, turn("", "K10 B10 J", False), "", "opening-too-low"),
    Witness("opening.several_sets=no", LARGE, turn("", "K7 B7 O7 | R3 R4 R5", False), "", "opening-too-low"),
    Witness(
        "opening.needs_empty_table=yes",
        LARGE,
        turn("R1 R2 R3", "R1 R2 R3 | K10 B10 O10", False),
        "",
        "opening-table-not-empty",
    ),
    Witness(
        "opening.table=free-once-open",
        LARGE,
        turn("R1 R2 R3", "R1 R2 R3 R4 | K10 B10 O10", False),
        "opening-used-table",
        "",
    ),
    Witness(
        "manipulation.regrouping=any", JUNIOR, turn("R1 R2 R3 R4 R5 R6", "R1 R2 R3 | R4 R5 R6 R7"), "extend-only", ""
    ),
    Witness(
        "manipulation.staying_together=0",
        CARDS,
        turn("R4 R5 R6 R7", "R4 R5 J R7 | R6 B6 K6"),
        "original-too-short",
        "",
    ),
    Witness("manipulation.take_back=yes", LARGE, turn("R1 R2 R3 R4", "R1 R2 R3 | K1 B1 O1"), "tile-taken", ""),
    Witness("joker.most_in_set=1", LARGE, turn("", "R3 J J"), "", "too-many-jokers"),
    Witness("joker.alone=yes", JUNIOR, turn("", "J J J"), "not-a-meld", ""),
    Witness("joker.past_end=other-end", LARGE, turn("", "R12 R13 J"), "wraps-past-highest", ""),
    Witness(
        "joker.sets=like-others", FINNISH, turn("R4 J R6 R7 R8 R9", "R4 J R6 | R7 R8 R9 R10"), "joker-set-locked", ""
    ),
    Witness(
        "joker.replaced_from=anywhere",
        FINNISH,
        turn("R4 J R6 | R5 R6 R7 R8", "R4 R5 R6 | R6 R7 R8 | J K8 K9"),
        "joker-not-from-rack",
        "",
    ),
    Witness("joker.freed=any-meld", LARGE, turn("R4 J R6 | K7 K8 K9", "R4 R5 R6 | K7 K8 K9 J"), "joker-not-reused", ""),
    Witness(
        "joker.rack_tiles=1",
        CARDS,
        turn("R4 J R6 | K8 B8 Y8 R8", "R4 R5 R6 | J K8 K9 | B8 Y8 R8"),
        "joker-needs-rack-tiles",
        "",
    ),
    Witness("turn.least_tiles=2", LARGE, turn("R3 R4 R5", "R3 R4 R5 R6"), "", "nothing-placed"),
    Witness("turn.drawn=2", LARGE, game(TileDrawn()), (15, 14), (16, 14)),
    Witness("turn.plays_on_after_draw=yes", LARGE, game(TileDrawn(), see=whose_turn), 1, 0),
    Witness("turn.limit_s=90", LARGE, of(lambda rules: rules.turn.limit_s_for(True)), 60, 90),
    Witness("turn.timed_before_opening=no", LARGE, of(lambda rules: rules.turn.limit_s_for(False)), 60, None),
    Witness(
        "penalty.restore=everything",
        CARDS,
        game(failed("K10 B10 Y10 | R1 R2 R3 R4 | R9"), see=lambda played: str(playing(played).table)),
        "K10 B10 Y10 | R1 R2 R3 R4",
        "",
    ),
    Witness(
        "penalty.tiles=5",
        LARGE,
        game(laid("K10 B10 O10"), TileDrawn(), failed("K10 B10 O10 | R1"), see=racks),
        (14, 15),
        (16, 15),
    ),
    Witness("penalty.tiles_before_opening=5", LARGE, game(failed("R1")), (17, 14), (19, 14)),
    Witness("penalty.for_wrong_layout=no", LARGE, game(failed("R1", time_up=False)), (17, 14), (15, 14)),
    Witness(
        "penalty.forgotten_to_pool=no",
        LARGE,
        game(failed("R1 R2 | R3", restored="R1 R2"), table="R1 R2 R3", see=racks),
        (17, 14),
        (18, 14),
    ),
    Witness(
        "ending.pool_empty=all-pass",
        LARGE,
        game(EMPTY_POOL, see=lambda played: playing(played).last_turns),
        2,
        None,
    ),
    Witness(
        "ending.drawer_plays_last=no",
        LARGE,
        game(PoolCounted(1), TileDrawn(), see=lambda played: playing(played).last_turns),
        2,
        1,
    ),
    Witness("scoring.tile_value=one", LARGE, of(lambda rules: rack_left(rack("R7 J"), rules.scoring).points), 37, 31),
    Witness("scoring.joker_points=20", LARGE, of(lambda rules: rack_left(rack("R7 J"), rules.scoring).points), 37, 27),
    Witness(
        "scoring.empty_pool=differences",
        LARGE,
        of(lambda rules: score_round(LEFT, None, rules).points),
        (-9, -12, -9),
        (3, -3, 0),
    ),
    Witness(
        "scoring.lowest=tiles",
        LARGE,
        of(lambda rules: score_round((RackLeft(9, 2), RackLeft(12, 1)), None, rules).winners),
        (0,),
        (1,),
    ),
    Witness(
        "scoring.fewer_tiles_win=no", LARGE, of(lambda rules: score_round(LEFT, None, rules).winners), (0,), (0, 2)
    ),
    Witness(
        "scoring.totals=rounds-won",
        LARGE,
        game(RackCounted(0, 0), RackShown(1, rack("K9")), see=lambda played: played.state.sheet.totals),
        (9, -9),
        (1, 0),
    ),
    Witness(
        "stars.bank=60", JUNIOR, game(see=lambda played: playing(played).bank and playing(played).bank.coins), 44, 48
    ),
    Witness("stars.dealt=7", JUNIOR, game(see=purses), (6, 6), (7, 7)),
    Witness("stars.tile=2", JUNIOR, stars_of("", "R1 R2 R3"), 4, 7),
    Witness("stars.replacing=1", JUNIOR, stars_of("R1 J R3", "R1 R2 R3"), 0, 1),
    Witness("stars.new_run=2", JUNIOR, stars_of("", "R1 R2 R3"), 4, 5),
    Witness("stars.empty_rack=2", JUNIOR, stars_of("", "R1 R2 R3", emptied=True), 5, 6),
    Witness("stars.passing=2", JUNIOR, game(TileDrawn(), see=purses), (5, 6), (4, 6)),
    Witness("stars.free_pass=no", JUNIOR, game(EMPTY_POOL, Passed(can_lay=False), see=purses), (6, 6), (5, 6)),
    Witness(
        "stars.draw_unpaid=yes",
        JUNIOR,
        game(*[TileDrawn()] * 13, see=pool),
        "this player has no star to pay, so draws nothing",
        19,
    ),
    Witness("stars.tile_left=2", JUNIOR, star_scores(0, (3, 4, 5)), ((3, 2, 4), (2,)), ((3, 0, 3), (0,))),
    Witness("stars.tiles_left_cost=no", JUNIOR, star_scores(None, (3, 4, 5)), ((3, 2, 4), (2,)), ((3, 4, 5), (2,))),
    Witness("stars.finisher_wins_tie=no", JUNIOR, star_scores(0, (4, 4, 5)), ((4, 2, 4), (0,)), ((4, 2, 4), (0, 2))),
    Witness(
        "stars.debt_noted=no",
        JUNIOR,
        of(lambda rules: Bank.opened(3, 2, 2, rules.stars.debt_noted if rules.stars else False).stars(1)),
        2,
        1,
    ),
    Witness("stars.found=2", JUNIOR, of(lambda rules: found_stars(rules)), 1, 2),
]


def found_stars(rules: RuleSet) -> int:
    """What a player has who found the tile next to red 5."""
    assert rules.stars is not None
    begun = Finding.begun(2, 0, rules.stars).pointed(Tile(Colour.RED, 5), rules)
    return begun.found(1, Tile(Colour.RED, 6), rules, rules.stars).bank.stars(1)


@pytest.mark.parametrize("witness", WITNESSES, ids=[witness.field for witness in WITNESSES])
def test_witness(witness: Witness) -> None:
    """What is found turns on the field."""
    rules = rule_set(witness.edition)
    assert witness.probe(rules, witness.edition, ()) == witness.found
    changed = with_house_rules(rules, (witness.house,))
    assert witness.probe(changed, witness.edition, (witness.house,)) == witness.found_otherwise


def test_every_field_has_a_witness() -> None:
    """No field is there that nothing asks for, and every part is data."""
    every = {name for rules in RULE_SETS.values() for name, _, _, _ in rules.fields()}
    assert sorted(witness.field for witness in WITNESSES) == sorted(every)
    parts = [getattr(rule_set(JUNIOR), field.name) for field in fields(RULES) if field.name != "name"]
    assert all(is_dataclass(part) for part in parts)


def test_the_box_of_large_numbers() -> None:
    """The box holds 106 tiles: 104 and two jokers."""
    stock = RULES.stock
    assert stock.size == 106
    assert [ink.word for ink in stock.inks] == ["black", "blue", "orange", "red"]
    assert [stock.copies_of(Tile(Colour.RED, number)) for number in (0, 1, 13, 14)] == [0, 2, 2, 0]
    assert (stock.copies_of(JOKER), stock.copies_of(Tile(Colour.YELLOW, 3))) == (2, 0)


def test_editions_by_name() -> None:
    """Every edition is found by the name that it bears, and nobody can change the list."""
    assert DEFAULT_EDITION in RULE_SETS
    assert {name: rule_set(name).name for name in RULE_SETS} == {name: name for name in RULE_SETS}
    with pytest.raises(TypeError):
        RULE_SETS["mine"] = RULES  # type: ignore[index]


def test_an_unknown_edition() -> None:
    """The message names those that there are."""
    with pytest.raises(UnknownEdition, match=r"^there is no edition 'klingon'; choose .*large-numbers") as caught:
        rule_set("klingon")
    assert caught.value.name == "klingon"
