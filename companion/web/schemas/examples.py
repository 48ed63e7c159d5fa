"""Answers about corrected tiles that are kept to learn from."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class ExamplesJson(TypedDict):
    """Whether corrected tiles are kept, and where."""

    agreed: bool | None
    """Whether the host agreed; null while nobody has been asked, and nothing is kept then either."""
    question: str
    """What the host is asked, once."""
    set: str
    """The set of tiles that they are kept for."""
    folder: str
    """Where they lie, or would lie."""
    kept: int
    """How many there are."""
