"""The client of paho-mqtt, with a thread that survives messages which are published while it reconnects."""

from contextlib import suppress
from typing import Final

from paho.mqtt.client import Client
from paho.mqtt.enums import MQTTErrorCode

_TRIES: Final = 100


class SteadyClient(Client):
    """A `Client` that reconnects also while other threads publish."""

    def reconnect(self) -> MQTTErrorCode:
        """Reconnect as `Client` does.

        Before it connects, paho-mqtt 2.1 iterates over the waiting packets without a lock. If another thread adds one
        meanwhile, it raises a RuntimeError, and the client's thread would end for good. Another try is safe there.
        """
        for _ in range(_TRIES):
            with suppress(RuntimeError):
                return super().reconnect()
        return super().reconnect()
