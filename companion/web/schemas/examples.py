"""Answers about corrected tiles that are stored as training examples."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class ExamplesJson(TypedDict):
    """Whether corrected tiles are stored, and where."""

    agreed: bool | None
    """Whether the host has agreed to store tiles; null if not asked yet. Nothing is stored without consent."""
    question: str
    """The question for the host, which is asked once."""
    set: str
    """The name of the set of tiles in play; the stored tiles are under this name."""
    folder: str
    """The folder of the stored tiles."""
    kept: int
    """How many tiles are stored."""
