"""Answers about the editions to choose from, and about the history of a game night."""

from typing import Literal, Self

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.text.history import Item
from tilekeeper.companion.web.schemas.answer import DESCRIBED, Answer
from tilekeeper.companion.web.schemas.edition import EditionJson
from tilekeeper.companion.web.schemas.tiles import TileJson
from tilekeeper.companion.web.schemas.verdict import VerdictJson


@with_config(DESCRIBED)
class RuleChoiceJson(TypedDict):
    """One of the values that a rule may have."""

    value: str
    """The value as written in a house rule."""
    says: str
    """The meaning of the value; empty if the value explains itself."""


@with_config(DESCRIBED)
class AllowedJson(TypedDict):
    """The values that a rule may have."""

    kind: Literal["number", "truth", "choice"]
    """`number`: a whole number; `truth`: `yes` or `no`; `choice`: one of `choices`."""
    text: str
    """The allowed values in words."""
    least: int | None
    """The least number; null for `truth` and `choice`."""
    most: int | None
    none: bool
    """Whether the value `none` is allowed too."""
    choices: list[RuleChoiceJson]
    """The values to choose from; empty for numbers."""


@with_config(DESCRIBED)
class RuleJson(TypedDict):
    """A rule that a house rule may change."""

    name: str
    """The rule's name, `part.field`."""
    value: str
    """The edition's value."""
    allowed: AllowedJson
    says: str
    """The meaning of the rule."""
    asks: str
    """The question that the rule answers, as players would ask it."""
    group: str
    """The title of the question's group; the rules of a group follow each other."""
    unit: Literal["none", "tiles", "points", "seconds", "stars", "players"]
    """The unit of the rule's number."""
    none: str
    """The answer `none` in words."""


@with_config(DESCRIBED)
class EditionChoiceJson(TypedDict):
    """An edition to choose, with the rules that house rules may change."""

    edition: EditionJson
    least_players: int
    most_players: int
    rules: list[RuleJson]


@with_config(DESCRIBED)
class EditionsJson(TypedDict):
    """All editions to choose from."""

    editions: list[EditionChoiceJson]


class HistoryItemJson(Answer):
    """A record of the game night's history."""

    place: int
    """The record's index in the game night."""
    step: int
    """The number of the action; the records of one action are undone together."""
    at: str
    """The time in UTC, such as `2026-11-21T19:30:05Z`."""
    by: str
    """Who took the action: the name of a tablet, `app`, or empty for the computer that runs the app."""
    kind: str
    """The name of the event's kind, as in the game's file."""
    round: int | None
    player: int | None
    text: str
    """What happened, in one sentence."""
    reason: str
    """The reason that a person gave; empty if none."""
    seconds: float | None
    """How long the turn had lasted, in seconds; null if unknown."""
    undone: bool
    """Whether the record was undone later."""
    legal: bool | None
    """The judge's decision; null if there was nothing to judge."""
    tiles: list[TileJson]
    """The event's tiles: laid, drawn as lots, or shown on a rack."""
    table: str
    """The table after the event, in the notation."""
    picture: str | None
    """The address of the picture of this table; null without a picture."""
    picture_before: str | None

    @classmethod
    def from_item(cls, item: Item, undone: bool) -> Self:
        """Return an item of the history; `undone` is whether its record was undone later."""
        note = item.record.note
        return cls(
            place=item.place,
            step=note.step,
            at=note.at,
            by=note.by,
            kind=item.kind,
            round=item.round,
            player=item.player,
            text=item.text,
            reason=note.reason,
            seconds=note.seconds,
            undone=undone,
            legal=item.legal,
            tiles=[TileJson.from_tile(tile) for tile in item.tiles],
            table=item.table,
            picture=_picture_url(note.picture),
            picture_before=_picture_url(note.picture_before),
        )


def _picture_url(picture: str | None) -> str | None:
    return None if picture is None else f"/api/evening/pictures/{picture}.jpg"


@with_config(DESCRIBED)
class HistoryJson(TypedDict):
    """All records of a game night, in order."""

    items: list[HistoryItemJson]


@with_config(DESCRIBED)
class JudgedJson(TypedDict):
    """The verdict on a table that is being entered by hand."""

    verdict: VerdictJson
