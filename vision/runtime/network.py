"""Interface of a network, and the only place that opens ONNX Runtime sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import onnxruntime

from tilekeeper.vision.arrays import Floats, Image

MAX_THREAD_SPIN_US = 50  # wait for the next layer; measured: without a limit, 1.6 times the CPU time under load

RUNTIME_VERSION = str(onnxruntime.__version__)


class Network(Protocol):
    """Interface of a network that is ready to run, such as an ONNX Runtime session."""

    def run(self, outputs: Sequence[str] | None, inputs: Mapping[str, Image]) -> Sequence[Floats]:
        """Return the outputs with these names, or all outputs for None."""
        ...


class Output(Protocol):
    """Description of one output of a network."""

    @property
    def name(self) -> str: ...


class DescribedNetwork(Network, Protocol):
    """A network that also lists its outputs."""

    def get_outputs(self) -> Sequence[Output]: ...


def open_network(model: Path | bytes, threads: int) -> DescribedNetwork:
    """Open an ONNX file, or its bytes, for `threads` threads; raise ONNX Runtime's errors, which differ by version."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # the arena keeps the memory of the largest image and saves no time
    # Waking a thread takes longer than some layers, so threads spin between layers, but not between images.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.intra_op.spin_duration_us", str(MAX_THREAD_SPIN_US))
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session: DescribedNetwork = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session


def space_to_depth(images_bgr: Image) -> Image:
    """Return images `(N, H, W, 3) uint8`, H and W even, as `(N, H/2, W/2, 12) uint8`.

    Each square of 2 × 2 pixels becomes one pixel of twelve channels: the upper two pixels first, each as blue, green,
    red. This way the network's first layer takes a third of the time.
    """
    count, height, width = images_bgr.shape[:3]
    # Two pixels are three 16-bit values; OpenCV merges them five times as fast as NumPy.
    pairs = images_bgr.reshape(count * height // 2, 2, width // 2, 6).view(np.uint16)
    squares = cv2.merge([pairs[:, 0], pairs[:, 1]])
    return squares.view(np.uint8).reshape(count, height // 2, width // 2, 12)
