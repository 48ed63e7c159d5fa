"""The client's thread survives what other threads publish while it reconnects, and decodes messages as paho-mqtt."""

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.exception import MalformedPacket
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

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


@pytest.mark.parametrize("with_property", [False, True])
@pytest.mark.parametrize("header", [0x30, 0x31, 0x32, 0x33, 0x3A])
@pytest.mark.parametrize("payload", [b"", b"\0{}", b"x" * 300])
def test_message_is_decoded_as_paho_does(
    with_property: bool, header: int, payload: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paho-mqtt builds its table of properties only if the message has some, or is not sent at least once."""
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    if with_property:
        properties.ContentType = "text"
    message_id = b"\x01\x02" if header & 6 else b""
    packet = b"\0\5a/b/\xc3" + message_id + properties.pack() + payload  # type: ignore[no-untyped-call]
    received = [_received(kind, header, packet) for kind in (Client, SteadyClient)]
    assert received[0] == received[1]
    assert received[0][1:4] == (payload, 0x102 if header & 6 else 0, header >> 1 & 3)
    if header & 6 and not with_property:
        monkeypatch.delattr(Client, "_handle_publish")
        assert _received(SteadyClient, header, packet) == received[0]


@pytest.mark.parametrize("packet", [b"", b"\0", b"\0\5a/b", b"\0\1a\0", b"\0\1a\0\7"])
def test_cut_packet_is_malformed(packet: bytes) -> None:
    with pytest.raises(MalformedPacket):
        _received(SteadyClient, 0x32, packet)


def _received(kind: type[Client], header: int, packet: bytes) -> tuple[bytes, bytes, int, int, bool]:
    """Return topic, payload, id, quality of service and `retain` of the message that a client gets from a packet."""
    client = kind(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5, manual_ack=True)
    messages: list[MQTTMessage] = []
    client.on_message = lambda _client, _data, message: messages.append(message)
    client._in_packet |= {"command": header, "packet": bytearray(packet)}
    assert client._handle_publish() is MQTTErrorCode.MQTT_ERR_SUCCESS
    (message,) = messages
    return message._topic, bytes(message.payload), message.mid, message.qos, message.retain
