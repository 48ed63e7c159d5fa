"""The base class of a game night's actions: the JSON body of a button's request, and what the button changes."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from pydantic import BaseModel

from tilekeeper.companion.game_night.fields import CHECKED
from tilekeeper.companion.game_night.state import GameNightState, Press


class GameNightAction(BaseModel):
    """An action: the validated JSON body of a button's request, and the change that it makes to the game night's state.

    A subclass's docstring becomes the description of its endpoint in the OpenAPI document.
    """

    model_config = CHECKED
    path: ClassVar[str]
    """The last part of the endpoint's address, `/api/evening/<path>`."""

    @abstractmethod
    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the action.

        Raises:
            Refused: if the action is not possible; nothing has changed then.
        """
