"""Measure the time of the judge on full tables: `make bench-judge`.

Turns of every kind (`tests.benchmarks.engine.hard_turns`) are judged by the rules of every edition, and by house rules
on request. A column counts the verdicts that are not proved (`Verdict.proved`).
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.benchmarks.engine.hard_turns import TURNS, Turn, turns
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError, with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext

WORST_MS: Final = 200.0
"""The longest time of a turn on any table, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The times of the judge for some turns."""

    times_s: tuple[float, ...]
    unproved: int
    """The number of verdicts that are not proved."""

    @property
    def median_ms(self) -> float:
        """The median time, in milliseconds."""
        return statistics.median(self.times_s) * 1000

    @property
    def worst_ms(self) -> float:
        """The longest time, in milliseconds."""
        return max(self.times_s) * 1000


def measure(turns_to_judge: Sequence[Turn], rules: RuleSet, clock_s: Callable[[], float]) -> Measured:
    """Judge turns one by one and return the times."""
    times_s, unproved = [], 0
    for before, after, opened in turns_to_judge:
        context = TurnContext(rules, opened)
        start = clock_s()
        verdict = judge(before, after, context)
        times_s.append(clock_s() - start)
        unproved += not verdict.proved
    return Measured(tuple(times_s), unproved)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the median and the worst time for each edition and kind of turn; return 1 if one took more than 200 ms."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.judge_times", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=100, help="turns of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other tables (default: %(default)s)")
    parser.add_argument("--rules", action="append", choices=tuple(RULE_SETS), help="this edition alone; repeatable")
    parser.add_argument("--house", action="append", default=[], help="a house rule, part.field=value; repeatable")
    parser.add_argument(
        "--cpu", action="store_true", help="measure processor time, for a machine on which other work is done"
    )
    args = parser.parse_args(argv)
    try:
        rule_sets = [with_house_rules(rule_set(name), args.house) for name in args.rules or RULE_SETS]
    except HouseRuleError as error:
        parser.error(str(error))
    clock_s = time.process_time if args.cpu else time.perf_counter
    print(f"{'edition':<14} {'turn':<14} {'median ms':>10} {'worst ms':>9} {'unproved':>9}")
    total: list[Measured] = []
    for rules in rule_sets:
        for kind in TURNS:
            turns_to_judge = turns(kind, args.count, args.seed, rules)
            gc.collect()
            gc.freeze()  # garbage collection must not walk through the objects of the bench while the judge is timed
            total.append(measure(turns_to_judge, rules, clock_s))
            print(_line(rules.name, kind, total[-1]), flush=True)
    total_measured = Measured(
        tuple(time_s for each in total for time_s in each.times_s), sum(each.unproved for each in total)
    )
    gc.unfreeze()
    print(_line("all", "", total_measured))
    return 1 if total_measured.worst_ms > WORST_MS else 0


def _line(edition: str, kind: str, measured: Measured) -> str:
    unproved = f"{measured.unproved} of {len(measured.times_s)}"
    return f"{edition:<14} {kind:<14} {measured.median_ms:>10.3f} {measured.worst_ms:>9.3f} {unproved:>13}"


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())
