"""The printed editions: each value has a source, quotes agree with the rulebooks, and the boxes have the right size."""

import os
from collections import Counter
from pathlib import Path

import pytest

from tilekeeper.engine.rules.editions import RULE_SETS, SOURCES, TITLES, SourceKind, rule_set
from tilekeeper.engine.rules.fields import value_text
from tilekeeper.engine.rules.house_rules import with_house_rules

EDITIONS = tuple(RULE_SETS)


@pytest.fixture(scope="module")
def rulebooks_folder(repository: Path) -> Path:
    """The folder of the printed rulebooks as text; it is beside the checkout and not part of it."""
    folder = Path(os.environ.get("TILEKEEPER_RULEBOOKS", repository.parent / "shared" / "rulebooks"))
    if not (folder / "travel.txt").is_file():
        pytest.skip("no rulebooks here; put them into ../shared/rulebooks or name their folder in TILEKEEPER_RULEBOOKS")
    return folder


def test_editions_have_titles_sources_and_consistent_rules() -> None:
    """The three tables name the same editions, and no edition breaks a check of house rules."""
    assert tuple(RULE_SETS) == tuple(SOURCES) == tuple(TITLES)
    assert all(TITLES.values())
    assert all(with_house_rules(rules, ()) == rules for rules in RULE_SETS.values())


@pytest.mark.parametrize("edition", EDITIONS)
def test_tiles_of_a_box_are_sorted_with_all_copies(edition: str) -> None:
    """Each tile appears once for each copy, and no other tile appears."""
    stock = rule_set(edition).stock
    assert len(stock.tiles) == stock.size
    assert all(count == stock.copies_of(tile) for tile, count in Counter(stock.tiles).items())
    assert list(stock.tiles) == sorted(stock.tiles)
    assert repr(rule_set(edition)) == f"<RuleSet {edition}>"


@pytest.mark.parametrize("edition", EDITIONS)
def test_each_value_of_an_edition_has_a_source(edition: str) -> None:
    """The sources and the fields have the same names, and each source has a quote or a reason."""
    assert {field.name for field in rule_set(edition).fields()} == SOURCES[edition].keys()
    for name, source in SOURCES[edition].items():
        assert source.quote if source.kind is SourceKind.PRINTED else source.why, name
        assert bool(source.quote) == bool(source.section), name


@pytest.mark.parametrize("edition", EDITIONS)
def test_quotes_agree_with_the_printed_rulebook(edition: str, rulebooks_folder: Path) -> None:
    """Word for word, except line breaks."""
    if not (rulebooks_folder / f"{edition}.txt").is_file():
        pytest.skip(f"the folder of the rulebooks has no {edition}.txt")
    printed = " ".join((rulebooks_folder / f"{edition}.txt").read_text(encoding="utf-8").split())
    missing = [name for name, source in SOURCES[edition].items() if " ".join(source.quote.split()) not in printed]
    assert missing == []


@pytest.mark.parametrize("edition", EDITIONS)
def test_each_value_survives_its_text_form(edition: str) -> None:
    """Writing the values as house rules and parsing them gives the same rules."""
    rules = rule_set(edition)
    for name, value, allowed, says in rules.fields():
        assert says, name
        assert allowed.parse(value_text(value)) == value, name
    house = [f"{field.name}={value_text(field.value)}" for field in rules.fields()]
    assert with_house_rules(rules, house) == rules


@pytest.mark.parametrize(
    ("edition", "size"), [("large-numbers", 106), ("finnish", 106), ("travel", 106), ("junior", 44), ("cards", 106)]
)
def test_box_has_as_many_tiles_as_the_rulebook_says(edition: str, size: int) -> None:
    """Jokers are included."""
    assert rule_set(edition).stock.size == size


@pytest.mark.parametrize(
    ("edition", "before_opening", "after_opening"),
    [("large-numbers", 60, 60), ("travel", 60, 60), ("junior", None, None), ("cards", 120, 120)],
)
def test_time_limit_before_and_after_the_opening(
    edition: str, before_opening: int | None, after_opening: int | None
) -> None:
    """In seconds; None for no limit."""
    turn = rule_set(edition).turn
    assert (turn.limit_s_for(False), turn.limit_s_for(True)) == (before_opening, after_opening)
