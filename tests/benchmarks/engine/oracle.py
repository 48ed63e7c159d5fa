"""Holds the judge to the oracle, on small stocks, edition by edition: `make bench-oracle`.

    python -m tests.benchmarks.engine.oracle --pairs 20000 --edition junior

Pairs of tables of every kind (`tests.support.oracle_pairs`) are judged, and put to a referee that shares no code with
the judge and knows no shortcut (`tests.support.judge_oracle`). Every pair on which they disagree is printed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.support.judge_oracle import count_identities, is_legal
from tests.support.oracle_pairs import KINDS, pair
from tests.support.single_moves import TooManyMoves
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table

_FEW_TILES: Final = ("stock.numbers=6", "setup.dealt=5", "setup.stack_size=none", "opening.minimum_points=20")
_FEW_TILES_RUNS_ALONE: Final = ("stock.numbers=7", "stock.jokers=3")
_JOKER_OPENING: Final = ("opening.joker_points=8",)

_MOST_IDENTITIES: Final = 300
_MOST_TABLES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One pair of tables, what the judge says of it, and what the oracle says.

    Pairs before it may have been left out, since there were too many ways to try.
    """

    kind: str
    before: Table
    after: Table
    opened: bool
    judged: bool
    legal: bool
    codes: tuple[str, ...]
    left_out: int
    """How many pairs were left out since the one before it."""

    def __str__(self) -> str:
        who = "opened" if self.opened else "not opened"
        wants = "legal" if self.legal else "illegal"
        found = " ".join(self.codes) or "legal"
        return f"{self.kind}, {who}: {self.before} -> {self.after}: the oracle says {wants}, the judge {found}"


def small_rules(edition: str) -> RuleSet:
    """An edition with few tiles in its box, and an opening that these can reach."""
    rules = rule_set(edition)
    few = _FEW_TILES if rules.melds.largest_group else _FEW_TILES_RUNS_ALONE
    return with_house_rules(rules, few if rules.opening.joker_points is None else few + _JOKER_OPENING)


def ask(edition: str, kind: str, pairs: int, seed: int) -> Iterator[Asked]:
    """Put so many pairs of a kind to judge and oracle; those with too many ways to be tried are left out."""
    rng = random.Random(f"{edition} {kind} {seed}")
    rules = small_rules(edition)
    asked = left_out = 0
    while asked < pairs:
        before, after = pair(rng, kind, rules)
        opened = rng.random() < 0.75
        left_out += 1
        if count_identities(before, after) > _MOST_IDENTITIES:
            continue
        try:
            legal = is_legal(before, after, rules, opened, _MOST_TABLES)
        except TooManyMoves:
            continue
        verdict = judge(before, after, TurnContext(rules, opened))
        codes = tuple(dict.fromkeys(violation.code.value for violation in verdict.violations))
        yield Asked(kind, before, after, opened, verdict.legal and verdict.proved, legal, codes, left_out - 1)
        asked, left_out = asked + 1, 0


def main(argv: Sequence[str] | None = None) -> int:
    """Print for each edition and kind how many pairs were legal, and every disagreement; 1 where there is any.

    Seconds are of the processor.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.oracle", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--pairs", type=int, default=20_000, help="pairs for each edition, in all kinds (default: %(default)s)"
    )
    parser.add_argument("--edition", choices=RULE_SETS, action="append", help="one edition (default: all of them)")
    parser.add_argument("--kind", choices=KINDS, action="append", help="one kind of pairs (default: all of them)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other pairs (default: %(default)s)")
    args = parser.parse_args(argv)
    print(f"{'edition':<14} {'pairs':<12} {'asked':>6} {'legal':>6} {'disagree':>8} {'left out':>8} {'seconds':>8}")
    disagreed = 0
    for edition in args.edition or RULE_SETS:
        total: Counter[str] = Counter()
        for kind in args.kind or KINDS:
            start = time.process_time()
            seen: Counter[str] = Counter()
            for one in ask(edition, kind, args.pairs // len(KINDS), args.seed):
                seen.update(asked=1, legal=one.legal, disagree=one.legal != one.judged, left_out=one.left_out)
                if one.legal != one.judged:
                    print(f"  {one}", flush=True)
            print(_line(edition, kind, seen, time.process_time() - start), flush=True)
            total += seen
        print(_line(edition, "all", total))
        disagreed += total["disagree"]
    return 1 if disagreed else 0


def _line(edition: str, kind: str, seen: Counter[str], seconds: float | None = None) -> str:
    took = "" if seconds is None else f"{seconds:.0f}"
    counts = f"{seen['asked']:>6} {seen['legal']:>6} {seen['disagree']:>8} {seen['left_out']:>8}"
    return f"{edition:<14} {kind:<12} {counts} {took:>8}"


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())
