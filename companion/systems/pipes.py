"""The type `Connection` of a `multiprocessing` pipe, which has another name on Windows."""

import sys

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection as Connection
else:
    from multiprocessing.connection import Connection

__all__ = ["Connection"]
