"""Uploaded pictures of several senders: a slow one of one sender does not keep the others out."""

import cv2
import numpy as np
import pytest

from tilekeeper.companion.capture.upload import decode_upload
from tilekeeper.companion.refusal import Refused

pytestmark = pytest.mark.slow  # pictures are decoded in a separate process


def png(height: int = 90) -> bytes:
    """Return a picture as PNG."""
    return cv2.imencode(".png", np.full((height, 120, 3), 7, np.uint8))[1].tobytes()


def test_uploaded_picture_is_decoded() -> None:
    assert decode_upload(png(), "a").shape == (90, 120, 3)
    with pytest.raises(Refused, match=r"This picture can't be read: not a picture"):
        decode_upload(b"no picture", "a")
