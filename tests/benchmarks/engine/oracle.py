"""Compare the judge with the oracle, on small boxes or the whole box, edition by edition: `make bench-oracle`.

    python -m tests.benchmarks.engine.oracle --pairs 20000 --edition junior --whole

The judge and a referee that shares no code with it and takes no shortcuts (`tests.support.judge_oracle`) judge pairs of
tables of every kind (`tests.support.oracle_pairs`). In `junior` the stars are compared, too. The command prints every
disagreement; an undecided turn is one.
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
from tests.support.single_moves import TooManyMoves, most_stars
from tilekeeper.engine.game.stars import turn_stars
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Outcome, Verdict
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
class JudgedPair:
    """One pair of tables with the results of the judge and of the oracle.

    Pairs with too many ways to try are skipped.
    """

    kind: str
    before: Table
    after: Table
    opened: bool
    verdict: Verdict
    legal: bool
    stars: tuple[int | None, int | None]
    """The stars by the verdict and by the oracle, without those for an empty rack; None without stars."""
    skipped: int
    """The number of pairs skipped before this one."""

    @property
    def is_wrong(self) -> bool:
        """Whether the judge disagrees with the oracle, or did not decide."""
        right = Outcome.LEGAL if self.legal else Outcome.ILLEGAL
        return self.verdict.outcome is not right or self.stars[0] != self.stars[1]

    def __str__(self) -> str:
        who = "opened" if self.opened else "not opened"
        wants = "legal" if self.legal else "illegal"
        codes = dict.fromkeys(violation.code.value for violation in self.verdict.violations)
        found = " ".join(codes) or self.verdict.outcome.value
        stars = "" if self.stars[0] == self.stars[1] else f" ({self.stars[0]} stars, not {self.stars[1]})"
        return f"{self.kind}, {who}: {self.before} -> {self.after}: the oracle says {wants}, the judge {found}{stars}"


def small_rules(edition: str) -> RuleSet:
    """Return an edition with few tiles, and an opening that they can reach."""
    rules = rule_set(edition)
    few = _FEW_TILES if rules.melds.largest_group else _FEW_TILES_RUNS_ALONE
    return with_house_rules(rules, few if rules.opening.joker_points is None else few + _JOKER_OPENING)


def judge_pairs(edition: str, kind: str, pairs: int, seed: int, whole: bool = False) -> Iterator[JudgedPair]:
    """Yield pairs of a kind, judged by judge and oracle; pairs with too many ways are skipped.

    Args:
        edition: the name of the edition.
        kind: the kind of the pairs.
        pairs: the number of pairs.
        seed: another seed draws other pairs.
        whole: whether the box holds all tiles of the edition.
    """
    rng = random.Random(f"{edition} {kind} {seed}")
    rules = rule_set(edition) if whole else small_rules(edition)
    count = skipped = 0
    while count < pairs:
        before, after = pair(rng, kind, rules)
        opened = rng.random() < 0.75
        skipped += 1
        if count_identities(before, after) > _MOST_IDENTITIES:
            continue
        try:
            legal = is_legal(before, after, rules, opened, _MOST_TABLES)
            stars = most_stars(before, after, rules, _MOST_TABLES) if legal and rules.stars else None
        except TooManyMoves:
            continue
        verdict = judge(before, after, TurnContext(rules, opened))
        judged_stars = turn_stars(verdict, False, rules.stars) if legal and rules.stars else None
        yield JudgedPair(kind, before, after, opened, verdict, legal, (judged_stars, stars), skipped - 1)
        count, skipped = count + 1, 0


def main(argv: Sequence[str] | None = None) -> int:
    """Print the number of legal pairs for each edition and kind, and every disagreement; return 1 if there is one.

    Seconds are processor time.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.oracle", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--pairs", type=int, default=20_000, help="pairs for each edition, in all kinds (default: %(default)s)"
    )
    parser.add_argument("--edition", choices=RULE_SETS, action="append", help="one edition (default: all of them)")
    parser.add_argument("--kind", choices=KINDS, action="append", help="one kind of pairs (default: all of them)")
    parser.add_argument("--whole", action="store_true", help="with all tiles of the box (default: few numbers)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other pairs (default: %(default)s)")
    args = parser.parse_args(argv)
    print(f"{'edition':<14} {'pairs':<12} {'asked':>6} {'legal':>6} {'disagree':>8} {'left out':>8} {'seconds':>8}")
    disagreed = 0
    for edition in args.edition or RULE_SETS:
        total: Counter[str] = Counter()
        for kind in args.kind or KINDS:
            start = time.process_time()
            counts: Counter[str] = Counter()
            for one in judge_pairs(edition, kind, args.pairs // len(KINDS), args.seed, args.whole):
                counts.update(asked=1, legal=one.legal, disagree=one.is_wrong, skipped=one.skipped)
                if one.is_wrong:
                    print(f"  {one}", flush=True)
            print(_line(edition, kind, counts, time.process_time() - start), flush=True)
            total += counts
        print(_line(edition, "all", total))
        disagreed += total["disagree"]
    return 1 if disagreed else 0


def _line(edition: str, kind: str, counts: Counter[str], seconds: float | None = None) -> str:
    took = "" if seconds is None else f"{seconds:.0f}"
    figures = f"{counts['asked']:>6} {counts['legal']:>6} {counts['disagree']:>8} {counts['skipped']:>8}"
    return f"{edition:<14} {kind:<12} {figures} {took:>8}"


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())
