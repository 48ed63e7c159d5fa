"""Answers about corrected tiles that are stored as training examples."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class ExamplesJson(TypedDict):
    """Whether corrected tiles are stored, and where."""

    agreed: bool | None
    """Whether the host agreed; null before the host was asked. Without consent nothing is stored."""
    question: str
    """The question for the host, which is asked once."""
    set: str
    """The name of the set of tiles that the stored tiles belong to."""
    folder: str
    """The folder of the stored tiles."""
    kept: int
    """How many tiles are stored."""
