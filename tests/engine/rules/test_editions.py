"""The printed editions: each value has its source, quotes are what the rulebooks print, and the boxes add up."""

import os
from collections import Counter
from pathlib import Path

import pytest

from tilekeeper.engine.rules.editions import RULE_SETS, SOURCES, TITLES, rule_set
from tilekeeper.engine.rules.editions.sources import Kind
from tilekeeper.engine.rules.fields import value_text
from tilekeeper.engine.rules.house_rules import with_house_rules

EDITIONS = tuple(RULE_SETS)


@pytest.fixture(scope="module")
def rulebooks_folder(repository: Path) -> Path:
    """The folder of the printed rulebooks as text, which lies beside the checkout and is not part of it."""
    folder = Path(os.environ.get("TILEKEEPER_RULEBOOKS", repository.parent / "shared" / "rulebooks"))
    if not (folder / "travel.txt").is_file():
        pytest.skip("no rulebooks here; lay them in ../shared/rulebooks or name their folder in TILEKEEPER_RULEBOOKS")
    return folder


def test_the_editions() -> None:
    """Each has a title and sources, and rules that go together."""
    assert tuple(RULE_SETS) == tuple(SOURCES) == tuple(TITLES)
    assert all(TITLES.values())
    assert all(with_house_rules(rules, ()) == rules for rules in RULE_SETS.values())


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_tiles_of_a_box(edition: str) -> None:
    """As many of each as there are copies, sorted, and no other."""
    stock = rule_set(edition).stock
    assert len(stock.tiles) == stock.size
    assert all(count == stock.copies_of(tile) for tile, count in Counter(stock.tiles).items())
    assert list(stock.tiles) == sorted(stock.tiles)
    assert repr(rule_set(edition)) == f"<RuleSet {edition}>"


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_value_has_its_source(edition: str) -> None:
    """No field is without one, no source is of no field, and each says something."""
    assert {name for name, _, _, _ in rule_set(edition).fields()} == SOURCES[edition].keys()
    for name, source in SOURCES[edition].items():
        assert source.quote if source.kind is Kind.PRINTED else source.why, name
        assert bool(source.quote) == bool(source.section), name


@pytest.mark.parametrize("edition", EDITIONS)
def test_quotes_are_what_the_rulebook_prints(edition: str, rulebooks_folder: Path) -> None:
    """Word for word, but for the breaks of lines."""
    if not (rulebooks_folder / f"{edition}.txt").is_file():
        pytest.skip(f"the folder of the rulebooks has no {edition}.txt")
    printed = " ".join((rulebooks_folder / f"{edition}.txt").read_text(encoding="utf-8").split())
    missing = [name for name, source in SOURCES[edition].items() if " ".join(source.quote.split()) not in printed]
    assert missing == []


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_value_is_one_that_is_allowed(edition: str) -> None:
    """Each value is in its range, can be written as a house rule, and is read back from that."""
    rules = rule_set(edition)
    for name, value, allowed, says in rules.fields():
        assert value in allowed, name
        assert says, name
        assert allowed.parse(value_text(value)) == value, name
    every = [f"{name}={value_text(value)}" for name, value, _, _ in rules.fields()]
    assert with_house_rules(rules, every) == rules


@pytest.mark.parametrize(
    ("edition", "size"), [("large-numbers", 106), ("finnish", 106), ("travel", 106), ("junior", 44), ("cards", 106)]
)
def test_the_size_of_the_box(edition: str, size: int) -> None:
    """As many tiles as the rulebooks count."""
    assert rule_set(edition).stock.size == size


@pytest.mark.parametrize(
    ("edition", "before_opening", "after_opening"),
    [("large-numbers", 60, 60), ("travel", 60, 60), ("junior", None, None), ("cards", 120, 120)],
)
def test_time_limits(edition: str, before_opening: int | None, after_opening: int | None) -> None:
    """How long a turn may last."""
    turn = rule_set(edition).turn
    assert (turn.limit_s_for(False), turn.limit_s_for(True)) == (before_opening, after_opening)
