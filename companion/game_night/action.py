"""What a button of a game night is: a JSON body, checked, that makes the next state of the game night."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from pydantic import BaseModel

from tilekeeper.companion.game_night.fields import CHECKED
from tilekeeper.companion.game_night.state import GameNightState, Press


class GameNightAction(BaseModel):
    """A button of a game night. Its docstring describes its URL in the OpenAPI document."""

    model_config = CHECKED
    path: ClassVar[str]
    """The last word of its URL, `/api/evening/<path>`."""

    @abstractmethod
    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after it.

        Raises:
            Refused: where it is not possible; nothing has changed then.
        """
