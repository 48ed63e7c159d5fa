"""What the reader needs of a network, and the one place that opens ONNX Runtime's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import onnxruntime

from tilekeeper.vision.arrays import Floats, Image

# A thread spins up to this long for the next layer. Measured: without a limit, 1.6 times the CPU time under load.
MAX_THREAD_SPIN_US = 50


RUNTIME_VERSION = str(onnxruntime.__version__)


class Network(Protocol):
    """A network that is ready to run, such as a session of ONNX Runtime."""

    def run(self, outputs: Sequence[str] | None, inputs: Mapping[str, Image]) -> Sequence[Floats]:
        """Return the outputs of these names, all of them for None, for the inputs by name."""
        ...


class Output(Protocol):
    """What a network says of one of its outputs."""

    @property
    def name(self) -> str: ...


class DescribedNetwork(Network, Protocol):
    """A network that also lists its outputs."""

    def get_outputs(self) -> Sequence[Output]:
        """Return its outputs in order."""
        ...


def open_network(model: Path | bytes, threads: int) -> DescribedNetwork:
    """Open the network in an ONNX file, or in the bytes of one, which may use so many threads.

    Raises whatever ONNX Runtime raises for one that it can't run.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # it never gives back what the largest picture took, and saves no time here
    # to wake a thread for every layer takes longer than some layers do: threads wait busily, but not between pictures
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.intra_op.spin_duration_us", str(MAX_THREAD_SPIN_US))
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session: DescribedNetwork = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session
