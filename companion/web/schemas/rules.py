"""Answers about the rules in words for players: chapters with sentences, quotes of the rulebook, and examples."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED
from tilekeeper.companion.web.schemas.tiles import PartJson, TileJson


@with_config(DESCRIBED)
class QuoteJson(TypedDict):
    """A quote of the rulebook."""

    section: str
    """The name of the section in the rulebook."""
    text: str


@with_config(DESCRIBED)
class ExampleJson(TypedDict):
    """An example turn, judged by the rules that are shown."""

    says: str
    """What the example shows, in a sentence."""
    printed: bool
    """Whether this example is printed in the rulebook."""
    before: list[list[TileJson]]
    """The melds before the turn; an empty list for an example of a single set."""
    after: list[list[TileJson]]
    placed: list[TileJson]
    """The tiles that were laid from the rack."""
    legal: bool
    """The judge's decision by the rules that are shown."""
    stars: int | None
    """The stars that the edition pays for the turn; null without stars, or if the turn is illegal."""
    why: list[PartJson]
    """The first violation, as the parts of a sentence; empty if the turn is legal."""


@with_config(DESCRIBED)
class ChapterJson(TypedDict):
    """A chapter of the rules: sentences, quotes and examples."""

    title: str
    says: list[str]
    """The sentences of the chapter."""
    quotes: list[QuoteJson]
    examples: list[ExampleJson]


@with_config(DESCRIBED)
class RulesJson(TypedDict):
    """The rules of an edition, for players."""

    name: str
    """The name of the edition's box."""
    house: list[str]
    """House rules, each `part.field=value`."""
    language: str
    """The code of the rulebook's language."""
    chapters: list[ChapterJson]
