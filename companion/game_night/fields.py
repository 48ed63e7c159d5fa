"""Types for the fields of JSON bodies, with their limits, and the configuration of their validation."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field

CHECKED: Final = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)
"""Pydantic refuses unknown fields and values of a wrong type; fields' docstrings become their descriptions."""

SeatIndex = Annotated[int, Field(ge=0, le=7)]
"""A player's seat, from 0."""
Tiles = Annotated[str, Field(max_length=1500)]
"""Tiles in the notation, such as `R3 R4 J | K7 B7 O7`."""
TileText = Annotated[str, Field(max_length=8)]
"""One tile in the notation."""
Count = Annotated[int, Field(ge=0, le=999)]
