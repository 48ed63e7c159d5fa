"""The rules behind the faults of a turn: for each fault its rule in words, and the sentence of the rulebook.

A table sends its hall only the edition and the rules as `field=value`; each arbiter reads them in their own language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.text.rules_sheet import source_words
from tilekeeper.engine.judge.sentences import sentence
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.editions import RULE_SETS, SOURCES
from tilekeeper.engine.rules.fields import value_text
from tilekeeper.engine.rules.policies import Policy
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Violation
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.words import capitalize

_FIELDS: Final[Mapping[Code, tuple[str, ...]]] = MappingProxyType(
    {
        Code.UNKNOWN_TILE: ("stock.numbers", "stock.inks"),
        Code.TOO_MANY_COPIES: ("stock.copies", "stock.jokers"),
        Code.MELD_TOO_SHORT: ("melds.shortest",),
        Code.RUN_BROKEN: ("melds.shortest",),
        Code.WRAPS_PAST_HIGHEST: ("melds.wraps",),
        Code.GROUP_COLOUR_TWICE: ("melds.largest_group",),
        Code.GROUPS_NOT_PLAYED: ("melds.largest_group",),
        Code.GROUP_TOO_LONG: ("melds.largest_group",),
        Code.RUN_TOO_LONG: ("melds.wraps",),
        Code.TOO_MANY_JOKERS: ("joker.most_in_set",),
        Code.NOT_A_MELD: ("melds.shortest", "melds.largest_group"),
        Code.TILE_TAKEN: ("manipulation.take_back",),
        Code.EXTEND_ONLY: ("manipulation.regrouping",),
        Code.ORIGINAL_TOO_SHORT: ("manipulation.staying_together",),
        Code.JOKER_SET_LOCKED: ("joker.sets",),
        Code.NOTHING_PLACED: ("turn.least_tiles",),
        Code.OPENING_TOO_LOW: ("opening.minimum_points", "opening.joker_points"),
        Code.OPENING_USED_TABLE: ("opening.table",),
        Code.OPENING_TABLE_NOT_EMPTY: ("opening.needs_empty_table",),
        Code.JOKER_BEFORE_OPENING: ("opening.table",),
        Code.JOKER_NOT_FROM_RACK: ("joker.replaced_from", "joker.sets"),
        Code.JOKER_NOT_REUSED: ("joker.freed",),
        Code.JOKER_NEEDS_RACK_TILES: ("joker.rack_tiles", "joker.freed"),
    }
)
"""The fields of the rules that each fault breaks."""

_FAULTS: Final = TypeAdapter(tuple[Violation, ...])


@dataclass(frozen=True, slots=True)
class FaultRule:
    """One rule behind a fault, in the current language."""

    rule: str
    """The rule and its value, as a sentence."""
    source: str
    """The section and the words of the rulebook in its own language, or why the rule is as it is."""


def broken_rules(rules: RuleSet, codes: Iterable[Code]) -> tuple[str, ...]:
    """Return the rules that these faults break, each as `field=value`, without repetition."""
    values = {field.name: field.value for field in rules.fields()}
    return tuple(dict.fromkeys(f"{name}={value_text(values[name])}" for code in codes for name in _FIELDS[code]))


def fault_sentences(stored: Mapping[str, object]) -> tuple[str, ...]:
    """Return the sentences of faults in the current language; empty if they can't be made.

    Args:
        stored: the `faults`, and the notations of the tables `before` and `after` the turn, as JSON; they may come from
            an untrusted sender.
    """
    try:
        before, after = parse_table(str(stored["before"])), parse_table(str(stored["after"]))
        return tuple(sentence(fault, before, after) for fault in _FAULTS.validate_python(stored["faults"]))
    except (ValueError, TypeError, LookupError):
        return ()


def explain_rules(edition: str, broken: Iterable[str]) -> tuple[FaultRule, ...]:
    """Return rules from `broken_rules` in words, with their sources; rules that no edition has are left out.

    Args:
        edition: the key of the edition; an unknown one has no rules.
        broken: the rules, each as `field=value`; they may come from an untrusted sender.
    """
    return tuple(_explain(edition, broken)) if edition in RULE_SETS else ()


def _explain(edition: str, broken: Iterable[str]) -> Iterator[FaultRule]:
    printed = {field.name: field for field in RULE_SETS[edition].fields()}
    for text in broken:
        name, _, value = text.partition("=")
        field = printed.get(name)
        if field is None:
            continue
        try:
            in_play = field.allowed.parse(value)
        except ValueError:
            continue
        rule = f"{capitalize(gettext(field.says))}: {_value_words(in_play)}."
        if in_play == field.value:
            yield FaultRule(rule, source_words(SOURCES[edition][name]))
        else:
            yield FaultRule(rule, gettext("house rule; the edition has {value}", value=_value_words(field.value)))


def _value_words(value: object) -> str:
    if isinstance(value, Policy):
        return gettext(value.says)
    return gettext(value_text(value)) if isinstance(value, bool) or value is None else value_text(value)
