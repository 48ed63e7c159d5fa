"""What every answer is: a model whose docstrings describe it in the OpenAPI document."""

from pydantic import BaseModel, ConfigDict

DESCRIBED = ConfigDict(use_attribute_docstrings=True, extra="forbid")


class Answer(BaseModel):
    """A part of what the app answers; each is made from what it shows by a method called `from_…`."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid", frozen=True)
