"""The one way in which the app says no to what a person asked for: a line for people, and a code for the page."""

from collections.abc import Mapping
from typing import Any


class Refused(Exception):  # noqa: N818, the name says it
    """Something that can't be done now; nothing has changed.

    Args:
        message: why not, in one line for people.
        code: the same for the page, so that it can offer a way on.
        details: what the page needs for that, as plain data for JSON.
    """

    def __init__(self, message: str, code: str = "not-now", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = dict(details or {})
