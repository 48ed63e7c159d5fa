"""Doubts of tiles in readings that tests make up."""

from __future__ import annotations

from tilekeeper.vision.types import Doubt, DoubtReason


def doubts_if(doubtful: object, reason: DoubtReason = DoubtReason.UNSURE_NUMBER) -> tuple[Doubt, ...]:
    """Some doubt of a tile that is to be doubtful, else none."""
    return (Doubt(reason),) if doubtful else ()
