"""Starts the app as a separate process with known tables instead of the networks."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from tests.benchmarks.companion.app_process import AppProcess, running_app

REPOSITORY = Path(__file__).parents[2]
KNOWN_TABLES = "tests.support.run_with_known_tables"


def running(*words: str, module: str = KNOWN_TABLES, data: Path | None = None) -> AbstractContextManager[AppProcess]:
    """Start the app on a free port with warnings as errors; end it with SIGTERM."""
    command = [sys.executable, "-u", "-W", "error", "-m", module, *(["run"] if module == "tilekeeper" else [])]
    return running_app(*words, command=command, data=data, cwd=REPOSITORY)
