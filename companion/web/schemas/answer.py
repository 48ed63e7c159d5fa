"""The base of all answers: a pydantic model; its docstrings are the descriptions in the OpenAPI document."""

from pydantic import BaseModel, ConfigDict

DESCRIBED = ConfigDict(use_attribute_docstrings=True, extra="forbid")


class Answer(BaseModel):
    """An answer of the app or a part of one; its classmethod `from_…` makes it."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid", frozen=True)
