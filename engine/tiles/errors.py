"""What the engine raises where it is asked in a way that it can't understand."""

from __future__ import annotations


class ArgumentError(TypeError, ValueError):
    """An argument of another kind or value than the function takes; the message says what was expected.

    It is both a `TypeError` and a `ValueError`, so one `except` is enough for either mistake.
    """

    __module__ = "tilekeeper.engine"  # from where people import it, which tracebacks show


class NotationError(ValueError):
    """Text that can't be read as tiles.

    Args:
        message: what is wrong, in English, for people.
        position: where, as an index into the text, from 0 up to its length.
    """

    __module__ = "tilekeeper.engine"  # from where people import it, which tracebacks show

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message, position)
        self.message = message
        self.position = position

    def __str__(self) -> str:
        return self.message


def expect(name: str, value: object, kind: type, example: str) -> None:
    """Check the kind of an argument.

    Args:
        name: the argument's name.
        value: what was handed in.
        kind: what it must be.
        example: how one is made, as code.

    Raises:
        ArgumentError: if it is of another kind.
    """
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOUaeiou" else "a"
        raise ArgumentError(f"{name} must be {article} {kind.__name__}, such as {example}, not {described(value)}")


def described(value: object) -> str:
    """A value with its type, for a message: `the str 'R3'`; long ones are cut."""
    text = repr(value)
    return f"the {type(value).__name__} {text if len(text) <= 60 else f'{text[:60]}…'}"
