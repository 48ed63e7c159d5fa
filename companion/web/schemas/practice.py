"""Answers about the practice turn of the first steps."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED
from tilekeeper.companion.web.schemas.edition import EditionJson
from tilekeeper.companion.web.schemas.tiles import TileJson
from tilekeeper.companion.web.schemas.verdict import VerdictJson


@with_config(DESCRIBED)
class PracticeJson(TypedDict):
    """The invented table and rack of the practice turn."""

    edition: EditionJson
    table: list[list[TileJson]]
    rack: list[TileJson]


@with_config(DESCRIBED)
class PractisedJson(TypedDict):
    """The verdict on the practice turn."""

    verdict: VerdictJson
    trouble: str
    """A sentence if tiles were laid that are not on the invented rack; else empty."""
