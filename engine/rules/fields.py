"""Fields of a rule set: their allowed values, and the text form of values in house rules.

`parse` raises a `ValueError` if a text is not an allowed value.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, overload

from tilekeeper.engine.language import gettext, join_with_or
from tilekeeper.engine.rules.policies import Policy
from tilekeeper.engine.tiles.tile import COLOURS_BY_LETTER, Colour

NONE: Final = "none"
_PolicyT = TypeVar("_PolicyT", bound=Policy)
_TRUTHS: Final = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Number:
    """The allowed values of a field: whole numbers from `least` to `most`, and None if `or_none` is true."""

    least: int
    most: int
    or_none: bool = False

    def __str__(self) -> str:
        if self.or_none:
            return gettext("a whole number from {least} to {most}, or none", least=self.least, most=self.most)
        return gettext("a whole number from {least} to {most}", least=self.least, most=self.most)

    def parse(self, text: str) -> int | None:
        """Parse a number such as `"30"`, or `"none"` if None is allowed."""
        if self.or_none and text.lower() == NONE:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 10 and self.least <= int(text) <= self.most):
            raise ValueError(text)
        return int(text)


@dataclass(frozen=True, slots=True)
class Truth:
    """The allowed values of a field: True and False, written as `yes` and `no`."""

    def __str__(self) -> str:
        return gettext("yes or no")

    def parse(self, text: str) -> bool:
        """Parse `"yes"` or `"no"`."""
        if text.lower() not in _TRUTHS:
            raise ValueError(text)
        return _TRUTHS[text.lower()]


@dataclass(frozen=True, slots=True)
class Choice(Generic[_PolicyT]):
    """The allowed values of a field: the members of a policy, and None if `or_none` is true."""

    policy: type[_PolicyT]
    or_none: bool = False

    def __str__(self) -> str:
        values = [str(member.value) for member in self.policy] + [NONE] * self.or_none
        return join_with_or(values)

    def parse(self, text: str) -> _PolicyT | None:
        """Parse the value of a member such as `"any-meld"`, or `"none"` if None is allowed."""
        if self.or_none and text.lower() == NONE:
            return None
        for member in self.policy:
            if member.value == text.lower():
                return member
        raise ValueError(text)


@dataclass(frozen=True, slots=True)
class Inks:
    """The allowed values of a field: `count` different colours, written as their letters, such as `KBOR`."""

    count: int = 4

    def __str__(self) -> str:
        letters = "".join(COLOURS_BY_LETTER)
        return gettext(
            "{count} different letters of {letters} (K black, B blue, O orange, R red, Y yellow)",
            count=self.count,
            letters=letters,
        )

    def parse(self, text: str) -> tuple[Colour, ...]:
        """Parse the letters of the colours, such as `"KBOR"`."""
        inks = tuple(map(Colour, text.upper()))
        if not len(inks) == len(set(inks)) == self.count:
            raise ValueError(text)
        return inks


Allowed = Number | Truth | Choice[Policy] | Inks


@overload
def rule(allowed: Number, says: str) -> int: ...
@overload
def rule(allowed: Truth, says: str) -> bool: ...
@overload
def rule(allowed: Choice[_PolicyT], says: str) -> _PolicyT: ...
@overload
def rule(allowed: Inks, says: str) -> tuple[Colour, ...]: ...
def rule(allowed: Number | Truth | Choice[_PolicyT] | Inks, says: str) -> object:
    """Define a field of a rule set, like `dataclasses.field` without a default.

    Args:
        allowed: the values that the field may have.
        says: the meaning of the field, one clause in English for `gettext`.
    """
    field: object = dataclasses.field(metadata={"allowed": allowed, "says": says})
    return field


def value_text(value: object) -> str:
    """Return a value as house rules write it: `30`, `none`, `yes`, `any-meld`, `KBOR`."""
    match value:
        case None:
            return NONE
        case bool():
            return "yes" if value else "no"
        case Policy():
            return str(value.value)
        case tuple():
            return "".join(ink.letter for ink in value)
        case _:
            return str(value)
