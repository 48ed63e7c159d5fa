"""Answers about the rules for people: chapters with sentences, what the rulebook prints, and turns that show them."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED
from tilekeeper.companion.web.schemas.tiles import PartJson, TileJson


@with_config(DESCRIBED)
class QuoteJson(TypedDict):
    """What the rulebook prints."""

    section: str
    """Where it does."""
    text: str


@with_config(DESCRIBED)
class ExampleJson(TypedDict):
    """A turn that shows a rule."""

    says: str
    """What is done in it, in a sentence."""
    printed: bool
    """Whether the rulebook prints it."""
    before: list[list[TileJson]]
    """The melds at its start; none for a set by itself."""
    after: list[list[TileJson]]
    placed: list[TileJson]
    """What came from the rack."""
    legal: bool
    """What the judge says of it under the rules in play."""
    stars: int | None
    """What the edition pays for it; null where it pays no stars, or the turn is not legal."""
    why: list[PartJson]
    """What is wrong with it, in parts of a sentence; empty where it is legal."""


@with_config(DESCRIBED)
class ChapterJson(TypedDict):
    """One thing to know."""

    title: str
    says: list[str]
    """Sentences."""
    quotes: list[QuoteJson]
    examples: list[ExampleJson]


@with_config(DESCRIBED)
class RulesJson(TypedDict):
    """The rules of an edition, for people who play."""

    name: str
    """What people call its box."""
    house: list[str]
    """House rules, each `part.field=value`."""
    language: str
    """In which language the rulebook is printed, as a code."""
    chapters: list[ChapterJson]
