"""Doubts of tiles for readings in tests."""

from __future__ import annotations

from tilekeeper.vision.types import Doubt, DoubtReason


def doubts_if(doubtful: object, reason: DoubtReason = DoubtReason.UNSURE_NUMBER) -> tuple[Doubt, ...]:
    """Return one doubt if `doubtful`, else none."""
    return (Doubt(reason),) if doubtful else ()
