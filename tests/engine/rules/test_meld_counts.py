"""The number of melds in each edition, counted in two ways, agrees with the docs."""

import pytest

from tests.support.meld_counts import DOCS, counts, replace_table, table
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet

JUNIOR_WITH_GROUPS = with_house_rules(rule_set("junior"), ("melds.largest_group=4",))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param(rule_set("large-numbers"), (329, 1582, 4390), id="large-numbers"),
        pytest.param(rule_set("finnish"), (329, 1582, 0), id="finnish"),
        pytest.param(rule_set("travel"), (329, 1582, 4390), id="travel"),
        pytest.param(rule_set("junior"), (144, 656, 1496), id="junior"),
        pytest.param(JUNIOR_WITH_GROUPS, (194, 756, 1556), id="junior with groups"),
        pytest.param(rule_set("cards"), (329, 1582, 4390), id="cards"),
    ],
)
def test_number_of_melds_of_each_edition(rules: RuleSet, expected: tuple[int, ...]) -> None:
    """As sets of numbered tiles: without a joker, with one, and with two."""
    assert counts(rules) == expected


@pytest.mark.slow
def test_docs_contain_the_table_that_the_command_prints() -> None:
    """The command replaces an outdated table."""
    text = DOCS.read_text(encoding="utf-8")
    assert table() in text
    assert replace_table(text.replace("| `junior` | 144", "| `junior` | 99"), table()) == text
