"""The answer with the table in words."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED


@with_config(DESCRIBED)
class TableWordsJson(TypedDict):
    """The table in words."""

    sentences: list[str]
    """Whole sentences in the language of the page, in the order in which they are read aloud."""
