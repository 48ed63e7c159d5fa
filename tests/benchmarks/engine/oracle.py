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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
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

_SMALL: Final = ("stock.numbers=6", "setup.dealt=5", "setup.stack_size=none", "opening.minimum_points=20")
SMALL_STOCKS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "large-numbers": _SMALL,
        "finnish": _SMALL,
        "travel": _SMALL,
        "junior": ("stock.numbers=7", "stock.jokers=3"),
        "cards": (*_SMALL, "opening.joker_points=8"),
    }
)
"""For each edition the house rules that leave few tiles in its box, and an opening that these can reach."""

_MOST_IDENTITIES: Final = 300
_MOST_TABLES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One pair of tables, what the judge says of it, and what the oracle says."""

    kind: str
    before: Table
    after: Table
    opened: bool
    judged: bool
    legal: bool
    codes: tuple[str, ...]

    def __str__(self) -> str:
        who = "opened" if self.opened else "not opened"
        wants = "legal" if self.legal else "illegal"
        found = " ".join(self.codes) or "legal"
        return f"{self.kind}, {who}: {self.before} -> {self.after}: the oracle says {wants}, the judge {found}"


def small_rules(edition: str) -> RuleSet:
    """An edition with few tiles in its box."""
    return with_house_rules(rule_set(edition), SMALL_STOCKS[edition])


def ask(edition: str, kind: str, pairs: int, seed: int) -> Iterator[Asked]:
    """Put so many pairs of a kind to judge and oracle; those with too many ways to be tried are left out."""
    rng = random.Random(f"{edition} {kind} {seed}")
    rules = small_rules(edition)
    asked = 0
    while asked < pairs:
        before, after = pair(rng, kind, rules)
        opened = rng.random() < 0.75
        if count_identities(before, after) > _MOST_IDENTITIES:
            continue
        try:
            legal = is_legal(before, after, rules, opened, _MOST_TABLES)
        except TooManyMoves:
            continue
        verdict = judge(before, after, TurnContext(rules, opened))
        codes = tuple(dict.fromkeys(violation.code.value for violation in verdict.violations))
        yield Asked(kind, before, after, opened, verdict.legal and verdict.proved, legal, codes)
        asked += 1


def main(argv: Sequence[str] | None = None) -> int:
    """Print for each edition and kind how many pairs were legal, and every disagreement; 1 where there is any."""
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
    print(f"{'edition':<14} {'pairs':<12} {'asked':>6} {'legal':>6} {'disagree':>8} {'seconds':>8}")
    disagreed = 0
    for edition in args.edition or RULE_SETS:
        total: Counter[str] = Counter()
        for kind in args.kind or KINDS:
            start = time.perf_counter()
            seen: Counter[str] = Counter()
            for one in ask(edition, kind, args.pairs // len(KINDS), args.seed):
                seen.update(asked=1, legal=one.legal, disagree=one.legal != one.judged)
                if one.legal != one.judged:
                    print(f"  {one}", flush=True)
            print(_line(edition, kind, seen, time.perf_counter() - start), flush=True)
            total += seen
        print(_line(edition, "all", total))
        disagreed += total["disagree"]
    return 1 if disagreed else 0


def _line(edition: str, kind: str, seen: Counter[str], seconds: float | None = None) -> str:
    took = "" if seconds is None else f"{seconds:.0f}"
    return f"{edition:<14} {kind:<12} {seen['asked']:>6} {seen['legal']:>6} {seen['disagree']:>8} {took:>8}"


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())
