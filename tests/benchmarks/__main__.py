"""`python -m tests.benchmarks TOPIC`, see `command`."""

import sys

from tests.benchmarks.command import main

sys.exit(main())
