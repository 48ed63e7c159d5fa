"""Benches of a club night with many tables: `python -m tests.benchmarks.club [ROW...] [--count N]`.

Each row prints its cases and its failures; the exit code is 1 if any row has a failure.
"""

import sys

from tests.benchmarks.rows import Row, main

ROWS = {
    "championship": Row("championship", 200, "a championship of so many players in 7 rounds, with the random player"),
    "formats": Row(
        "formats", 1000, "200 players in each ready-made format, and so many random events with planted errors"
    ),
    "checks": Row("checks", 1000, "so many random events in a database, each checked with and without planted errors"),
    "intake": Row("intake", 1000, "events of ten to so many simulated tables into one hub"),
    "pace": Row("pace", 50, "so many tables at tournament pace, sped up 20 times, and the projector"),
    "disturbed": Row("disturbed", 200, "kills of broker, database, hub and tables, and cuts of networks"),
    "streams": Row("streams", 8, "so many tables with 1080p cameras on one machine"),
}

if __name__ == "__main__":
    sys.exit(main("tests.benchmarks.club", ROWS, __doc__))
