"""The base of all answers: a pydantic model; its docstrings are the descriptions in the OpenAPI document."""

from pydantic import BaseModel, ConfigDict

DESCRIBED = ConfigDict(use_attribute_docstrings=True, extra="forbid")


class Answer(BaseModel):
    """An answer of the app, or a part of an answer; its classmethod `from_…` makes it from the app's values."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid", frozen=True)
