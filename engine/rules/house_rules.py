"""House rules: changes of single fields of an edition by name, such as `opening.minimum_points=50`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.fields import value_text
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.errors import ArgumentError, describe, expect


class HouseRuleError(ValueError):
    """A house rule that can't be applied; the message gives the reason, and the allowed values if there are any."""

    __module__ = "tilekeeper.engine"  # the import path that tracebacks show


def with_house_rules(rules: RuleSet, house: Iterable[str]) -> RuleSet:
    """Return an edition with some fields changed.

    Args:
        rules: the edition.
        house: the changes, each `part.field=value`; the last one for a field counts.

    Raises:
        HouseRuleError: if a text has another form, the edition does not have the field, the value is not allowed, or
            the rules contradict each other.
        ArgumentError: if an argument has another type.

    >>> with_house_rules(rule_set("travel"), ["opening.minimum_points=50"]).opening.minimum_points
    50
    """
    expect("rules", rules, RuleSet, "rule_set('large-numbers')")
    texts = None if isinstance(house, str) or not isinstance(house, Iterable) else tuple(house)
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise ArgumentError(f"house must be texts, such as ['opening.minimum_points=50'], not {describe(house)}")
    changed = rules
    for text in texts:
        changed = _with_house_rule(changed, text)
    if what := next(_contradictions(changed), None):
        raise HouseRuleError(gettext("these rules don't go together: {what}", what=what))
    return changed


def _with_house_rule(rules: RuleSet, text: str) -> RuleSet:
    """Return the rules with one field changed, without checking that the rules still go together.

    Raises:
        HouseRuleError: if the text has another form, there is no such field, or the value is not allowed.
    """
    name, equals, value = (piece.strip() for piece in text.partition("="))
    allowed = {field.name: field.allowed for field in rules.fields()}
    if not equals:
        raise HouseRuleError(
            gettext("{text!r} is not a house rule; one looks like opening.minimum_points=50", text=text)
        )
    if name not in allowed:
        raise HouseRuleError(
            gettext(
                "{edition} has no rule {name!r}; it has {allowed}",
                edition=rules.name,
                name=name,
                allowed=", ".join(allowed),
            )
        )
    try:
        parsed = allowed[name].parse(value)
    except ValueError:
        raise HouseRuleError(
            gettext("{name} can't be {value!r}; it must be {allowed}", name=name, value=value, allowed=allowed[name])
        ) from None
    part, _, field = name.partition(".")
    return dataclasses.replace(rules, **{part: dataclasses.replace(getattr(rules, part), **{field: parsed})})


def changed_fields(rules: RuleSet, edition: RuleSet) -> tuple[str, ...]:
    """Return the house rules that turn `edition` into `rules`, for `with_house_rules`."""
    printed = {field.name: field.value for field in edition.fields()}
    return tuple(
        f"{field.name}={value_text(field.value)}" for field in rules.fields() if field.value != printed[field.name]
    )


def _contradictions(rules: RuleSet) -> Iterator[str]:
    """Yield what is wrong with rules that contradict each other."""
    setup, melds, stars = rules.setup, rules.melds, rules.stars
    if setup.least_players > setup.most_players:
        yield gettext("setup.least_players must not be above setup.most_players")
    if setup.dealt * setup.most_players > rules.stock.size:
        yield gettext("the box must have setup.dealt tiles for each of setup.most_players")
    if setup.stack_size is not None and setup.dealt % setup.stack_size:
        yield gettext("setup.dealt must be a multiple of setup.stack_size")
    if melds.largest_group is not None and melds.shortest > melds.largest_group:
        yield gettext("melds.shortest must not be above melds.largest_group")
    if melds.shortest > rules.stock.numbers:
        yield gettext("melds.shortest must not be above stock.numbers")
    if stars is not None and stars.dealt * setup.most_players > stars.bank:
        yield gettext("the bank must have stars.dealt coins for each of setup.most_players")
