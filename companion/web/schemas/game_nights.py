"""Answers about what can be chosen from: editions with their rules, and the evenings that are kept."""

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
    """As it stands in a house rule."""
    says: str
    """What it means; empty for none."""


@with_config(DESCRIBED)
class AllowedJson(TypedDict):
    """Which values a rule may have."""

    kind: Literal["number", "truth", "choice", "inks"]
    """A whole number, `yes` or `no`, one of `choices`, or `least` letters of `choices`, each another."""
    text: str
    """The same in words."""
    least: int | None
    """The least number, or how many letters; null for `truth` and `choice`."""
    most: int | None
    none: bool
    """Whether `none` will do as well."""
    choices: list[RuleChoiceJson]
    """Empty for numbers."""


@with_config(DESCRIBED)
class RuleJson(TypedDict):
    """A rule that a house rule may change."""

    name: str
    """`part.field`."""
    value: str
    """As the edition has it."""
    allowed: AllowedJson
    says: str
    """What it is."""


@with_config(DESCRIBED)
class EditionChoiceJson(TypedDict):
    """An edition to choose."""

    edition: EditionJson
    least_players: int
    most_players: int
    rules: list[RuleJson]


@with_config(DESCRIBED)
class EditionsJson(TypedDict):
    """All editions."""

    editions: list[EditionChoiceJson]


class HistoryItemJson(Answer):
    """One thing that happened."""

    place: int
    """Its place in the evening's records, from 0."""
    step: int
    at: str
    by: str
    kind: str
    """The event's name, as in the game's file."""
    round: int | None
    player: int | None
    text: str
    reason: str
    seconds: float | None
    undone: bool
    """Whether it was taken back since."""
    legal: bool | None
    """The verdict, where there was one."""
    tiles: list[TileJson]
    """The tiles that it is about: laid, drawn as lots, or shown on a rack."""
    table: str
    """The table after it."""
    picture: str | None
    """Where the picture of the table then is fetched; null where there was no camera."""
    picture_before: str | None

    @classmethod
    def from_item(cls, item: Item, undone: bool) -> Self:
        """Return an item of the history, which was taken back since where it is `undone`."""
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
    """What happened, from the beginning."""

    items: list[HistoryItemJson]


@with_config(DESCRIBED)
class JudgedJson(TypedDict):
    """What the judge would say of a table."""

    verdict: VerdictJson
