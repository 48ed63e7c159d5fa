"""The client of paho-mqtt, which survives messages that are published while it reconnects, and receives faster."""

from contextlib import suppress
from typing import Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import MQTTErrorCode

_TRIES: Final = 100
_QOS_BITS: Final = 0x06
_AT_LEAST_ONCE: Final = 0x02


class SteadyClient(Client):
    """A `Client` for MQTT 5 that reconnects also while other threads publish."""

    def reconnect(self) -> MQTTErrorCode:
        """Reconnect as `Client` does.

        Before it connects, paho-mqtt 2.1 iterates over the waiting packets without a lock. If another thread adds one
        meanwhile, it raises a RuntimeError, and the client's thread would end for good. Another try is safe there.
        """
        for _ in range(_TRIES):
            with suppress(RuntimeError):
                return super().reconnect()
        return super().reconnect()

    def _handle_publish(self) -> MQTTErrorCode:
        """Pass on a received message as `Client` does.

        For each message, paho-mqtt builds a table of all MQTT properties, which takes half of a busy hub's time. Tables
        send none, so a message without properties is decoded here.
        """
        header, packet = self._in_packet["command"], self._in_packet["packet"]
        after_topic = 2 + int.from_bytes(packet[:2], "big")
        has_id = header & _QOS_BITS == _AT_LEAST_ONCE and self._manual_ack
        if not has_id or packet[after_topic + 2 : after_topic + 3] != b"\0":  # the length of the properties
            return super()._handle_publish()
        message_id = int.from_bytes(packet[after_topic : after_topic + 2], "big")
        message = MQTTMessage(message_id, bytes(packet[2:after_topic]))
        message.qos, message.retain, message.payload = 1, bool(header & 1), bytes(packet[after_topic + 3 :])
        self._handle_on_message(message)
        return MQTTErrorCode.MQTT_ERR_SUCCESS
