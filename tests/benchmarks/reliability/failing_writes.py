"""Every open, write, fsync and rename of a game night fails once, and a disk of 2 MB is full.

Requirements: every acknowledged action is stored or the page reports the error, no game night is lost, the game night
goes on, and nothing hangs. A library that is compiled here and loaded first makes the calls fail, including those of
SQLite.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.benchmarks.reliability.report import Outcome

SOURCE = Path(__file__).with_name("failing_calls.c")


class NoCompiler(Exception):  # noqa: N818, the name says it
    """There is no C compiler; the message is one line."""


def measure(cases: int, seed: int = 1) -> Outcome:
    """Let `cases` calls fail, each in its own game night; for 0 cases let every call fail, with two errors each.

    Raises:
        NoCompiler: if there is none, or this is not Linux.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        raise NoCompiler("calls can be made to fail only on Linux with a C compiler; apt-get install gcc")
    with tempfile.TemporaryDirectory() as scratch:
        library = Path(scratch, "failing_calls.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
        command = [sys.executable, "-m", "tests.benchmarks.reliability.failing_calls", str(cases), str(seed)]
        done = subprocess.run(
            command, env=os.environ | {"LD_PRELOAD": str(library)}, capture_output=True, text=True, check=False
        )
    if done.returncode:
        return Outcome(troubles=[f"the attack ended with {done.returncode}: {done.stderr[-2000:]}"])
    cases_, counts, figures, troubles = json.loads(done.stdout.splitlines()[-1])
    return Outcome(Counter(cases_), Counter(counts), figures, troubles)
