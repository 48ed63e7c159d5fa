"""An action of a game night: the checked JSON body of a button, which makes the next state of the game night."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from pydantic import BaseModel

from tilekeeper.companion.game_night.fields import CHECKED
from tilekeeper.companion.game_night.state import GameNightState, Press


class GameNightAction(BaseModel):
    """A button of a game night. The docstring describes its URL in the OpenAPI document."""

    model_config = CHECKED
    path: ClassVar[str]
    """The last word of its URL, `/api/evening/<path>`."""

    @abstractmethod
    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the action.

        Raises:
            Refused: if the action is not possible; nothing has changed then.
        """
