"""Answers about corrected tiles that are kept as training examples."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class ExamplesJson(TypedDict):
    """Whether corrected tiles are kept, and where."""

    agreed: bool | None
    """Whether the host agreed; null before the host was asked, when nothing is kept either."""
    question: str
    """The question for the host, which is asked once."""
    set: str
    """The set of tiles that they belong to."""
    folder: str
    """The folder for kept tiles."""
    kept: int
    """How many tiles are kept."""
