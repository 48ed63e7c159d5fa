"""Measures how often the best play is proved, in every edition, and how long it takes.

    python -m tests.benchmarks.engine.proofs --count 30

The tables are random and legal, jokers among them.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence

from tests.benchmarks.engine.questions import SIZES, Question, question
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import best_play


def sizes_of(rules: RuleSet) -> tuple[int, ...]:
    """The sizes of tables to measure: those of the other benchmark, fewer tiles where the box holds fewer."""
    return tuple(size * rules.stock.size // 106 for size in SIZES)


def main(argv: Sequence[str] | None = None) -> int:
    """Print for each edition and size how often the best play is proved, the median and the worst time."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.proofs", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=30, help="tables of each size (default: %(default)s)")
    parser.add_argument("--edition", choices=RULE_SETS, action="append", help="one edition (default: all of them)")
    parser.add_argument("--cpu", action="store_true", help="measure processor time, on a machine that is busy")
    args = parser.parse_args(argv)
    clock_s = time.process_time if args.cpu else time.perf_counter
    print(f"{'edition':<14} {'tiles':>5} {'proved':>10} {'median ms':>10} {'worst ms':>9}")
    for name in args.edition or RULE_SETS:
        rules = RULE_SETS[name]
        for size in sizes_of(rules):
            rng = random.Random(f"{name} {size}")
            asked = [question(rng, size, rules, min(14, rules.setup.dealt)) for _ in range(args.count)]
            times_s, proved = [], 0
            for each in asked:
                start_s = clock_s()
                proved += _is_proved(each, rules)
                times_s.append(clock_s() - start_s)
            print(
                f"{name:<14} {size:>5} {f'{proved} of {len(asked)}':>10} "
                f"{statistics.median(times_s) * 1000:>10.1f} {max(times_s) * 1000:>9.1f}",
                flush=True,
            )
    return 0


def _is_proved(asked: Question, rules: RuleSet) -> bool:
    play = best_play(asked.table, asked.rack, TurnContext(rules, True))
    return play is None or play.best


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())
