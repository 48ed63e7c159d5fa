"""What parts of a task must leave over at least, by how many jokers there are for them: as they share these."""

from __future__ import annotations

from collections.abc import Sequence


def together(bounds: Sequence[int], others: Sequence[int], jokers: int) -> int:
    """What two parts must leave over that share some jokers."""
    if jokers == 0:
        return bounds[0] + others[0]
    if jokers == 1:
        return min(bounds[0] + others[1], bounds[1] + others[0])
    if jokers == 2:
        return min(bounds[0] + others[2], bounds[1] + others[1], bounds[2] + others[0])
    return min([bounds[ours] + others[jokers - ours] for ours in range(jokers + 1)])


def merged(bounds: Sequence[int], others: Sequence[int]) -> list[int]:
    """What two parts must leave over, by the jokers that they share."""
    return [together(bounds, others, jokers) for jokers in range(len(bounds))]
