"""The actions of a game night: each button is a class in one of these files, and nowhere else."""

from typing import Final

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.commands import (
    agreement,
    clock,
    corrections,
    failed_turn,
    incidents,
    rounds,
    turns,
)

ACTIONS: Final[tuple[type[GameNightAction], ...]] = tuple(
    value
    for module in (rounds, turns, failed_turn, incidents, clock, agreement, corrections)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, GameNightAction) and value.__module__ == module.__name__
)
"""The classes of all buttons."""
