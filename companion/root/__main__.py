"""`python -m tilekeeper` does what the command `tilekeeper` does."""

import sys

from tilekeeper.companion.cli import main

sys.exit(main())
