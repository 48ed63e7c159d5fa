"""Fuzzes images, notations, events, request bodies and streams with Atheris, each in its own process.

Requirements: no crash, at most two seconds of processor time for each case, and at most 600 MB.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.benchmarks.reliability.report import Outcome
from tests.support.scratch import scratch_folder

SHARES = {"notations": 0.3, "events": 0.3, "bodies": 0.2, "pictures": 0.1, "streams": 0.1}
MOST_MB = 600
HANGS_AFTER_S = 60
"""Limit of wall time, for cases that wait without computing."""
SIDE_BY_SIDE = 2


class NoFuzzer(Exception):  # noqa: N818, the name says it
    """Atheris is missing; the message is one line."""


def measure(count: int, seed: int = 1) -> Outcome:
    """Run `count` cases in all.

    Raises:
        NoFuzzer: if Atheris is not available for this machine.
    """
    if importlib.util.find_spec("atheris") is None:
        raise NoFuzzer("Atheris, the fuzzer, is not made for this machine or this Python")
    outcome = Outcome()
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for name, done in pool.map(lambda name: (name, _fuzz(name, round(count * SHARES[name]), seed)), SHARES):
            words = done.stderr
            ran = re.search(r"stat::number_of_executed_units:\s*(\d+)", words)
            most = re.search(r"stat::peak_rss_mb:\s*(\d+)", words)
            outcome.cases[name] = int(ran[1]) if ran else 0
            outcome.figures[f"MB at most, {name}"] = most[1] if most else "?"
            if done.returncode or not ran:
                outcome.trouble(f"{name}: {words[-1500:]}")
    return outcome


def _fuzz(name: str, runs: int, seed: int) -> subprocess.CompletedProcess[str]:
    # The fuzzer ends without clearing up after itself.
    with tempfile.TemporaryDirectory() as found, scratch_folder() as scratch:
        options = [
            f"-runs={runs}", f"-seed={seed}", f"-rss_limit_mb={MOST_MB}", f"-timeout={HANGS_AFTER_S}",
            "-max_len=20000", "-print_final_stats=1", f"-artifact_prefix={found}/",
        ]  # fmt: skip
        fuzzer = [sys.executable, "-m", "tests.benchmarks.reliability.fuzz_targets", name, *options]
        # Through a shell: a program inherits the peak memory of the process that starts it, and this process may have
        # used much before.
        command = ["sh", "-c", '"$@"; exit $?', "sh", *fuzzer]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env=os.environ | {"TMPDIR": str(scratch)},
            check=False,
        )
        for path in Path(found).iterdir():
            done.stderr += f"\nfound: {path.read_bytes()[:400]!r}"
        return done
