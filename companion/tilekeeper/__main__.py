"""`python -m tilekeeper` does what the command `tilekeeper` does."""

import sys

from tilekeeper.companion.cli import main

# A camera's process looks into this file as well, and is not to start a second app.
if __name__ == "__main__":
    sys.exit(main())
