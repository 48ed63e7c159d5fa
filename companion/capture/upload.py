"""Decodes pictures that pages send, in a process of its own that can take neither much memory nor much time.

Run as `python -m tilekeeper.companion.capture.upload` it reads a picture's bytes from standard input and writes the
decoded one to standard output, as NumPy's format; exit code 1 and a line on standard error where it can't.
"""

import io
import os
import subprocess
import sys
from contextlib import suppress
from typing import Final

import numpy as np

from tilekeeper.companion.refusal import Refused
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.sources.photos import UnreadablePhoto, decode_photo

MOST_PX: Final = 40_000_000
MOST_MEMORY_BYTES: Final = 1_500_000_000
"""What the process may map; libraries alone take a third of it."""
LONGEST_S: Final = 15.0
_UNREADABLE: Final = 1


def decode_upload(data: bytes) -> Image:
    """Return the picture `(H, W, 3) uint8` BGR, upright.

    Raises:
        Refused: if it is no picture that can be read, or too large.
    """
    command = (sys.executable, "-P", "-m", __spec__.name)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=LONGEST_S, env=environment, check=False)
    except subprocess.TimeoutExpired:
        raise Refused("That picture takes too long to read: save it smaller.", "bad-input") from None
    if done.returncode == 0:
        return np.asarray(np.load(io.BytesIO(done.stdout), allow_pickle=False), np.uint8)
    why = "it takes too much memory; save it smaller"
    if done.returncode == _UNREADABLE:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    raise Refused(f"That picture can't be read: {why}.", "bad-input")


def _main() -> int:
    with suppress(ImportError):  # no such limits on Windows; what the file's head states is checked there, too
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    try:
        image = decode_photo(sys.stdin.buffer.read(), MOST_PX).image_bgr
        np.save(sys.stdout.buffer, image)
    except UnreadablePhoto as error:
        print(error, file=sys.stderr)
        return _UNREADABLE
    except MemoryError:
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(_main())
