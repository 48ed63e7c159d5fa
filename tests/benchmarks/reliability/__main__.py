"""Reliability tests of a game night, all or by name: `python -m tests.benchmarks.reliability [ROW...] [--count N]`.

Each row prints its cases and its failures; the exit code is 1 if any row has a failure.
"""

import sys

from tests.benchmarks.rows import Row, main

ROWS = {
    "kills": Row("kills", 500, "kills under three clients"),
    "writes": Row("failing_writes", 0, "calls to the disk that fail, and a full disk (0: every call)"),
    "camera": Row("camera_faults", 1000, "a camera that does what bad cameras do"),
    "api": Row("api_cases", 20_000, "every endpoint of the document, in every role"),
    "routes": Row("routes", 0, "every route in every state of the table with every role"),
    "fuzz": Row("fuzzing", 200_000, "bytes that a fuzzer makes up"),
    "crowd": Row("crowd", 400, "actions while 200 tablets listen, 100 drip and 60 never read"),
    "evening": Row("long_evening", 400, "turns of an evening, with tablets that come and go"),
    "archives": Row("foreign_archives", 500, "archives that strangers made, by hand and by mutation"),
    "pictures": Row("lying_pictures", 200, "pictures, and a quarter as many streams, that lie about their size"),
    "tables": Row("hostile_tables", 100_000, "messages of hostile tables through a real broker to a hub"),
    "files": Row("damaged_files", 2000, "damaged files"),
}


if __name__ == "__main__":
    sys.exit(main("tests.benchmarks.reliability", ROWS, __doc__))
