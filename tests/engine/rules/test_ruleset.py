"""Rule sets: the editions by name, their fields, and what is in the box."""

import pytest

from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

RULES = rule_set("large-numbers")


def test_fields_are_listed_once_for_each_rule_set() -> None:
    """A page lists them with every answer, so a second call returns the same tuple; house rules get their own."""
    changed = with_house_rules(RULES, ("opening.minimum_points=50",))
    assert RULES.fields() is RULES.fields()
    assert {field.name for field in set(changed.fields()) ^ set(RULES.fields())} == {"opening.minimum_points"}


def test_box_of_large_numbers_has_104_tiles_and_two_jokers() -> None:
    """Two copies of each number from 1 to 13 in four colours."""
    stock = RULES.stock
    assert stock.size == 106
    assert [ink.word for ink in stock.inks] == ["black", "blue", "orange", "red"]
    assert [stock.copies_of(Tile(Colour.RED, number)) for number in (0, 1, 13, 14)] == [0, 2, 2, 0]
    assert (stock.copies_of(JOKER), stock.copies_of(Tile(Colour.YELLOW, 3))) == (2, 0)


def test_edition_is_found_by_its_name_and_the_table_is_read_only() -> None:
    """The default edition is among them."""
    assert DEFAULT_EDITION in RULE_SETS
    assert {name: rule_set(name).name for name in RULE_SETS} == {name: name for name in RULE_SETS}
    with pytest.raises(TypeError):
        RULE_SETS["mine"] = RULES  # type: ignore[index]


def test_unknown_edition_is_refused_with_the_names_of_all_editions() -> None:
    """The error keeps the name."""
    with pytest.raises(UnknownEdition, match=r"^there is no edition 'klingon'; choose .*large-numbers") as caught:
        rule_set("klingon")
    assert caught.value.name == "klingon"
