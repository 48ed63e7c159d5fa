"""A phone as a source: each picture is returned once, one is decoded at a time, and silence is reported."""

import threading

import cv2
import numpy as np
import pytest

from tilekeeper.companion.capture import phone_source
from tilekeeper.companion.capture.phone_source import PHONE, PhoneSource
from tilekeeper.companion.capture.source_choice import choose_source
from tilekeeper.companion.refusal import Refused


def jpeg(level: int) -> bytes:
    """A grey picture."""
    return cv2.imencode(".jpg", np.full((90, 120, 3), level, np.uint8))[1].tobytes()


@pytest.fixture
def phone():
    """A phone that is watched."""
    chosen = choose_source(PHONE)
    assert isinstance(chosen.source, PhoneSource)
    yield chosen.source
    chosen.source.close()


def test_newest_picture_is_returned_once(phone, monkeypatch):
    monkeypatch.setattr(phone_source, "SILENT_AFTER_S", 600.0)
    assert "No phone" in phone.trouble
    assert phone.read(timeout_s=0.01) is None
    for level in (40, 90):
        phone.put(jpeg(level))
    frame = phone.read(timeout_s=5)
    assert frame is not None
    assert (frame.index, round(frame.image_bgr.mean())) == (1, 90)
    assert phone.read(timeout_s=0.01) is None
    assert phone.trouble == ""


def test_silent_phone_is_reported_within_two_seconds(phone):
    phone.put(jpeg(40))
    assert phone._newest_s is not None
    phone._newest_s -= 2.0
    assert "wake it" in phone.trouble


def test_second_picture_at_the_same_time_is_refused(phone, monkeypatch):
    decoding, go_on = threading.Event(), threading.Event()
    decode = phone._decoder.decode

    def slow(data: bytes):
        decoding.set()
        go_on.wait(20)
        return decode(data)

    monkeypatch.setattr(phone._decoder, "decode", slow)
    first = threading.Thread(target=phone.put, args=(jpeg(40),))
    first.start()
    assert decoding.wait(20)
    with pytest.raises(Refused, match="One picture at a time"):
        phone.put(jpeg(50))
    go_on.set()
    first.join()
    assert phone.read(timeout_s=5) is not None


def test_invalid_picture_is_refused_and_the_next_one_accepted(phone):
    with pytest.raises(Refused, match="can't be read"):
        phone.put(b"no picture")
    phone.put(jpeg(40))
    assert phone.read(timeout_s=5) is not None
