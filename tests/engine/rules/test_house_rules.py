"""House rules: change any field by name; every other text is refused with the allowed values."""

import pytest

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError, changed_fields, with_house_rules
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.tiles.tile import Colour

RULES = rule_set("large-numbers")


def test_house_rules_change_the_named_fields_only() -> None:
    """Spaces and case are ignored, the last text for a field counts, and the changes can be listed again."""
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
    ("house", "message"),
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
        (
            "stock.inks=KBO",
            "it must be 4 different letters of KBORY (K black, B blue, O orange, R red, Y yellow)",
        ),
        (
            "stock.inks=KBOQ",
            "it must be 4 different letters of KBORY (K black, B blue, O orange, R red, Y yellow)",
        ),
        ("setup.least_players=5", "these rules don't go together: setup.least_players must not be above"),
        ("setup.dealt=28", "these rules don't go together: the box must have setup.dealt tiles for each"),
        ("setup.stack_size=5", "these rules don't go together: setup.dealt must be a multiple of setup.stack_size"),
        ("melds.shortest=5", "these rules don't go together: melds.shortest must not be above melds.largest_group"),
    ],
)
def test_impossible_house_rule_is_refused_with_the_allowed_values(house: str, message: str) -> None:
    """The message gives the reason."""
    with pytest.raises(HouseRuleError) as caught:
        with_house_rules(RULES, (house,))
    assert message in str(caught.value)


def test_contradicting_house_rules_are_refused() -> None:
    """Runs longer than the highest number, and a bank without enough coins for the deal."""
    few = ("stock.numbers=4", "setup.dealt=4", "setup.stack_size=none", "melds.largest_group=none", "melds.shortest=5")
    with pytest.raises(HouseRuleError, match=r"melds\.shortest must not be above stock\.numbers"):
        with_house_rules(RULES, few)
    with pytest.raises(HouseRuleError, match=r"the bank must have stars\.dealt coins"):
        with_house_rules(rule_set("junior"), ("stars.dealt=15",))
