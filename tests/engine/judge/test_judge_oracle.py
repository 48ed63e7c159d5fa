"""The judge agrees with an oracle that tries everything, by printed rules and by house rules."""

import random
from collections import Counter

import pytest

from tests.benchmarks.engine.oracle import judge_pairs
from tests.support.judge_oracle import count_identities, is_legal
from tests.support.oracle_pairs import KINDS
from tests.support.single_moves import TooManyMoves
from tests.support.small_turns import shuffle_and_mirror, small_turn
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import format_table

pytestmark = pytest.mark.slow

SMALL = ("stock.numbers=6", "setup.dealt=5", "setup.stack_size=none", "opening.minimum_points=20")
# A joker counts by the best reading; the printed editions themselves are in `tests.benchmarks.engine.oracle`.
RULES = {
    "finnish": with_house_rules(rule_set("finnish"), SMALL),
    "cards": with_house_rules(rule_set("cards"), (*SMALL, "opening.joker_points=8")),
    "junior": with_house_rules(rule_set("junior"), ("stock.numbers=6", "stock.jokers=2")),
    "junior with two of each": with_house_rules(
        rule_set("junior"), ("stock.numbers=5", "stock.copies=2", "stock.jokers=2")
    ),
    "large numbers, any meld": with_house_rules(rule_set("large-numbers"), (*SMALL, "joker.freed=any-meld")),
    "locked, into a new set": with_house_rules(
        rule_set("finnish"), (*SMALL, "joker.freed=new-set", "joker.rack_tiles=1")
    ),
    "large numbers, parts stay": with_house_rules(
        rule_set("large-numbers"), (*SMALL, "manipulation.staying_together=3")
    ),
    "stays, any meld": with_house_rules(rule_set("cards"), (*SMALL, "joker.freed=any-meld", "joker.rack_tiles=0")),
    "extend only, opening": with_house_rules(rule_set("cards"), (*SMALL, "manipulation.regrouping=extend-only")),
    "groups to extend": with_house_rules(
        rule_set("junior"), ("stock.numbers=4", "stock.jokers=2", "stock.copies=2", "melds.largest_group=4")
    ),
}
MOST_IDENTITIES = 600


def agree(name: str, count: int, seed: int) -> Counter[tuple[bool, bool]]:
    """Compare the judge with the oracle on `count` turns; count them by opened and legal."""
    rng = random.Random(f"{name} {seed}")
    rules = RULES[name]
    counts: Counter[tuple[bool, bool]] = Counter()
    while counts.total() < count:
        before, after = small_turn(rng, rules)
        if count_identities(before, after) > MOST_IDENTITIES:
            continue
        opened = rng.random() < 0.7
        after = shuffle_and_mirror(rng, after)
        verdict = judge(before, after, TurnContext(rules, opened))
        try:
            wanted = is_legal(before, after, rules, opened)
        except TooManyMoves:
            continue
        codes = [str(violation.code) for violation in verdict.violations]
        assert verdict.legal == wanted, (
            f"{name}, opened {opened}: {format_table(before)} -> {format_table(after)} {codes}"
        )
        counts[opened, wanted] += 1
    return counts


@pytest.mark.parametrize("name", RULES)
def test_judge_agrees_with_the_oracle_on_200_turns(name: str) -> None:
    """Many of them are legal, and many are not."""
    counts = agree(name, 200, seed=1)
    assert sum(count for (_, legal), count in counts.items() if legal) >= 15
    assert sum(count for (_, legal), count in counts.items() if not legal) >= 15


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", RULES)
def test_judge_agrees_with_the_oracle_on_20000_turns(name: str, seed: int) -> None:
    """On 20,000 turns in all."""
    agree(name, 200, seed)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("edition", RULE_SETS)
def test_judge_agrees_with_the_oracle_on_hard_pairs(edition: str, kind: str, whole: bool) -> None:
    """In every edition, on each kind of pair, with few numbers and with the whole box; in `junior` stars, too."""
    assert not [str(one) for one in judge_pairs(edition, kind, 12, 1, whole) if one.is_wrong]


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("edition", RULE_SETS)
def test_judge_agrees_with_the_oracle_on_20000_pairs_with_the_whole_box(edition: str, kind: str, seed: int) -> None:
    """20,000 pairs in each edition; an undecided turn is a fault."""
    assert not [str(one) for one in judge_pairs(edition, kind, 400, seed, whole=True) if one.is_wrong]
