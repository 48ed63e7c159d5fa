"""What a limit is: a number set by hand, with its unit and the range that it may be tried in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TypeVar

Value = TypeVar("Value")


def limit(default: Value, *, unit: str, least: float, most: float) -> Value:
    """Declare a field of a config: its value, in what unit it is, and between which numbers it makes sense.

    Of a tuple each number lies in the range. What the limit does, and what was measured of it, stands in the docstring
    below the field.
    """
    return field(default=default, metadata={"unit": unit, "least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Limits:
    """A config whose fields are all made with `limit`; raises `ValueError` where one lies outside its range."""

    def __post_init__(self) -> None:
        for one in fields(self):
            least, most = one.metadata["least"], one.metadata["most"]
            for number in numbers_of(getattr(self, one.name)):
                if not least <= number <= most:
                    raise ValueError(f"{one.name} must be from {least} to {most} {one.metadata['unit']}, got {number}")


def numbers_of(value: object) -> Iterator[float]:
    """Yield the numbers in a limit: itself, or those of a tuple and of the tuples in it."""
    if isinstance(value, tuple):
        for part in value:
            yield from numbers_of(part)
    elif isinstance(value, int | float):
        yield value
    else:
        raise TypeError(f"a limit is a number or a tuple of numbers, got {value!r}")
