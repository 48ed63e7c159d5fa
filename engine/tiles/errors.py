"""Errors for wrong arguments and for text that is not in the notation of tiles."""

from __future__ import annotations


class ArgumentError(TypeError, ValueError):
    """A wrong argument: the function does not take its type or its value; the message names what was expected.

    The error is both a `TypeError` and a `ValueError`, so that `except` can name either.
    """

    __module__ = "tilekeeper.engine"  # the import path that tracebacks show


class NotationError(ValueError):
    """Text that can't be read as tiles.

    Args:
        message: what is wrong, in the current language, to show on the page or the command line.
        position: the index of the first wrong character; the length of the text if something is missing at its end.
    """

    __module__ = "tilekeeper.engine"  # the import path that tracebacks show

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message, position)
        self.message = message
        self.position = position

    def __str__(self) -> str:
        return self.message


def expect(name: str, value: object, kind: type, example: str) -> None:
    """Check the type of an argument; the message has its name and an example, code that makes a right value.

    Raises:
        ArgumentError: if the argument has another type.
    """
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOUaeiou" else "a"
        raise ArgumentError(f"{name} must be {article} {kind.__name__}, such as {example}, not {describe(value)}")


def describe(value: object) -> str:
    """Return the type of a value and its `repr`, cut after 60 characters, for messages: `the str 'R3'`."""
    text = repr(value)
    return f"the {type(value).__name__} {text if len(text) <= 60 else f'{text[:60]}…'}"
