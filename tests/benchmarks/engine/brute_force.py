"""The command of the benchmarks that compare a search with brute force, edition by edition."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from tilekeeper.engine.rules.editions import RULE_SETS


class Case(Protocol):
    """One case: the result of a search and of brute force; `str(case)` shows both."""

    @property
    def is_special(self) -> bool:
        """Whether the case counts in the special column."""

    @property
    def proved(self) -> bool:
        """Whether the search called its result the best."""

    @property
    def wrong(self) -> bool:
        """Whether the result is worse than the best, or impossible."""

    @property
    def is_best(self) -> bool:
        """Whether no result is better."""


def run_command(
    module: str,
    about: str | None,
    special: str,
    make_cases: Callable[[str, int, int], Iterable[Case]],
    argv: Sequence[str] | None,
) -> int:
    """Print the number of cases, proved ones and wrong ones for each edition; return 1 if one is wrong.

    Args:
        module: the module of the benchmark.
        about: its docstring.
        special: the head of the column for special cases.
        make_cases: yields cases of an edition, by number and seed.
        argv: the arguments of the command.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=(about or "").split("\n")[0])
    parser.add_argument("--cases", type=int, default=2_000, help="cases for each edition (default: %(default)s)")
    parser.add_argument("--edition", choices=RULE_SETS, action="append", help="one edition (default: all of them)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other cases (default: %(default)s)")
    args = parser.parse_args(argv)
    print(f"{'edition':<14} {'cases':>6} {special:>10} {'proved':>7} {'wrong':>6} {'proved wrong':>13} {'seconds':>8}")
    wrong = 0
    for edition in args.edition or RULE_SETS:
        start_s = time.perf_counter()
        counts: Counter[str] = Counter()
        for case in make_cases(edition, args.cases, args.seed):
            counts.update(cases=1, special=case.is_special, proved=case.proved, wrong=case.wrong)
            counts["proved wrong"] += case.proved and not case.is_best
            if case.wrong:
                print(f"  {case}", flush=True)
        print(
            f"{edition:<14} {counts['cases']:>6} {counts['special']:>10} {counts['proved']:>7} {counts['wrong']:>6} "
            f"{counts['proved wrong']:>13} {time.perf_counter() - start_s:>8.0f}",
            flush=True,
        )
        wrong += counts["wrong"]
    return 1 if wrong else 0
