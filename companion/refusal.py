"""The exception for a request of a person that can't be fulfilled: a line for people, and a code for the page."""

from collections.abc import Mapping
from typing import Any


class Refused(Exception):  # noqa: N818, the name says it
    """A request can't be fulfilled now; nothing has changed.

    Args:
        message: why, in one line for people.
        code: the same for the page, so that it can offer a solution.
        details: what the page needs for that, as plain data for JSON.
    """

    def __init__(self, message: str, code: str = "not-now", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = dict(details or {})
