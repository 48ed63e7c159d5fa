"""The fields of JSON bodies, with their bounds, and how a body is checked."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field

CHECKED: Final = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)
"""No field too many, none of another type. The docstrings of fields are their descriptions in the OpenAPI document."""

Seat = Annotated[int, Field(ge=0, le=7)]
Tiles = Annotated[str, Field(max_length=1500)]
"""Tiles in the notation."""
TileText = Annotated[str, Field(max_length=8)]
"""One tile in the notation."""
Count = Annotated[int, Field(ge=0, le=999)]
