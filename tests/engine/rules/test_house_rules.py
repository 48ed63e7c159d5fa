"""House rules: any field by name, and an error that lists what is allowed for everything else."""

import pytest

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError, changed_fields, with_house_rules
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.tiles.tile import Colour

RULES = rule_set("large-numbers")


def test_fields_are_changed_by_name() -> None:
    """Only the fields that are named change, whatever they hold; spaces do no harm, and of two the last counts."""
    house = (
        "opening.minimum_points=40",
        " opening.minimum_points = 50 ",
        "melds.wraps=YES",
        "joker.freed=any-meld",
        "turn.limit_s=none",
        "stock.inks=kyro",
        "setup.joker_drawn=none",
    )
    rules = with_house_rules(RULES, house)
    assert (rules.opening.minimum_points, rules.melds.wraps, rules.turn.limit_s) == (50, True, None)
    assert rules.joker.freed is FreedJoker.ANY_MELD
    assert rules.stock.inks == (Colour.BLACK, Colour.YELLOW, Colour.RED, Colour.ORANGE)
    assert changed_fields(rules, RULES) == (
        "stock.inks=KYRO",
        "melds.wraps=yes",
        "opening.minimum_points=50",
        "joker.freed=any-meld",
        "turn.limit_s=none",
    )
    assert with_house_rules(RULES, changed_fields(rules, RULES)) == rules
    assert with_house_rules(RULES, ()) == RULES


@pytest.mark.parametrize(
    ("house", "told"),
    [
        ("opening", "'opening' is not a house rule; one looks like opening.minimum_points=50"),
        ("name=mine", "large-numbers has no rule 'name'; it has stock.inks, stock.numbers, "),
        ("opening.points=50", "large-numbers has no rule 'opening.points'; it has stock.inks, "),
        ("stars.bank=50", "large-numbers has no rule 'stars.bank'; it has stock.inks, "),
        ("opening.minimum_points=301", "can't be '301'; it must be a whole number from 0 to 300"),
        ("opening.minimum_points=-1", "can't be '-1'; it must be a whole number from 0 to 300"),
        ("opening.minimum_points=none", "can't be 'none'; it must be a whole number from 0 to 300"),
        ("opening.minimum_points=٣", "it must be a whole number from 0 to 300"),
        ("opening.minimum_points=" + "1" * 5000, "it must be a whole number from 0 to 300"),
        ("turn.limit_s=4", "can't be '4'; it must be a whole number from 5 to 3600, or none"),
        ("melds.wraps=maybe", "can't be 'maybe'; it must be yes or no"),
        ("joker.past_end=somewhere", "can't be 'somewhere'; it must be nothing or other-end"),
        ("setup.joker_drawn=x", "can't be 'x'; it must be again, lowest or none"),
        (
            "stock.inks=KBOO",
            ("can't be 'KBOO'; it must be 4 different letters of KBORY (K black, B blue, O orange, R red, Y yellow)"),
        ),
        ("stock.inks=KBO", "it must be 4 different letters of KBORY (K black, B blue, O orange, R red, Y yellow)"),
        ("stock.inks=KBOQ", "it must be 4 different letters of KBORY (K black, B blue, O orange, R red, Y yellow)"),
        ("setup.least_players=5", "these rules don't go together: setup.least_players must not be above"),
        ("setup.dealt=28", "these rules don't go together: the box must have setup.dealt tiles for each"),
        ("setup.stack_size=5", "these rules don't go together: setup.dealt must be a multiple of setup.stack_size"),
        ("melds.shortest=5", "these rules don't go together: melds.shortest must not be above melds.largest_group"),
    ],
)
def test_what_is_no_house_rule(house: str, told: str) -> None:
    """The message says what is wrong and what is allowed."""
    with pytest.raises(HouseRuleError) as caught:
        with_house_rules(RULES, (house,))
    assert told in str(caught.value)


def test_runs_are_no_longer_than_the_numbers_and_the_bank_holds_what_is_dealt() -> None:
    """Rules that no game can be played by together are refused."""
    few = ("stock.numbers=4", "setup.dealt=4", "setup.stack_size=none", "melds.largest_group=none", "melds.shortest=5")
    with pytest.raises(HouseRuleError, match=r"melds\.shortest must not be above stock\.numbers"):
        with_house_rules(RULES, few)
    with pytest.raises(HouseRuleError, match=r"the bank must have stars\.dealt coins"):
        with_house_rules(rule_set("junior"), ("stars.dealt=15",))
