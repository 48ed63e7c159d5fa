"""The client's thread survives what other threads publish while it reconnects."""

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from tilekeeper.companion.messaging.steady_client import SteadyClient


@pytest.mark.parametrize(("failures", "connects"), [(0, True), (3, True), (1000, False)])
def test_client_reconnects_while_others_publish(failures: int, connects: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that does not end is raised."""
    tries: list[None] = []

    def reconnect(_: Client) -> MQTTErrorCode:
        tries.append(None)
        if len(tries) <= failures:
            raise RuntimeError("deque mutated during iteration")
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    monkeypatch.setattr(Client, "reconnect", reconnect)
    client = SteadyClient(CallbackAPIVersion.VERSION2)
    if connects:
        assert client.reconnect() is MQTTErrorCode.MQTT_ERR_SUCCESS
    else:
        with pytest.raises(RuntimeError):
            client.reconnect()
