"""A detector of the size of YOLOv8n at 640 pixels with random weights, for comparing speed.

    python -m tests.benchmarks.vision.common_detector NETWORK.onnx

writes it. It contains no code and no weights of YOLOv8n, only layers of the published sizes (depth 1/3, width 1/4, 80
classes, 3.2 million weights, 8.7 billion operations), so it takes the same time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE_PX, CLASSES, BINS = 640, 80, 16
OPSET = 17


class Layers:
    """A builder of ONNX layers; a value is a name, and its channels are stored separately."""

    def __init__(self) -> None:
        """Start with an input `picture`, `(1, 3, 640, 640) float32`."""
        self._rng = np.random.default_rng(0)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._channels = {"picture": 3}
        self.count = 0
        """Number of weights."""

    def _node(self, kind: str, values: list[str], channels: int, outputs: int = 1, **attributes: object) -> list[str]:
        made = [f"{kind.lower()}{len(self._nodes)}_{at}" for at in range(outputs)]
        self._nodes.append(helper.make_node(kind, values, made, **attributes))
        self._channels |= dict.fromkeys(made, channels)
        return made

    def _constant(self, values: np.ndarray) -> str:
        name = f"constant{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(values, name))
        return name

    def plain(self, value: str, channels: int, side: int = 1, stride: int = 1) -> str:
        """Convolve."""
        shape = channels, self._channels[value], side, side
        weights = self._rng.normal(0, (2 / np.prod(shape[1:])) ** 0.5, shape).astype(np.float32)
        self.count += weights.size + channels
        inputs = [value, self._constant(weights), self._constant(np.zeros(channels, np.float32))]
        pads, strides = [side // 2] * 4, [stride] * 2
        return self._node("Conv", inputs, channels, kernel_shape=[side] * 2, pads=pads, strides=strides)[0]

    def conv(self, value: str, channels: int, side: int = 1, stride: int = 1) -> str:
        """Convolve and apply SiLU, x · sigmoid(x)."""
        linear = self.plain(value, channels, side, stride)
        (gate,) = self._node("Sigmoid", [linear], channels)
        return self._node("Mul", [linear, gate], channels)[0]

    def joined(self, *values: str) -> str:
        """Concatenate channels."""
        return self._node("Concat", list(values), sum(self._channels[value] for value in values), axis=1)[0]

    def block(self, value: str, channels: int, depth: int = 1, shortcut: bool = True) -> str:
        """Split the channels, pass one half through bottlenecks, and concatenate all stages (C2f)."""
        half = channels // 2
        whole = self.conv(value, channels)
        parts = self._node("Split", [whole, self._constant(np.array([half, half]))], half, 2, axis=1)
        for _ in range(depth):
            through = self.conv(self.conv(parts[-1], half, 3), half, 3)
            parts.append(self._node("Add", [parts[-1], through], half)[0] if shortcut else through)
        return self.conv(self.joined(*parts), channels)

    def pooled(self, value: str, channels: int) -> str:
        """Concatenate three successive 5 × 5 max poolings (SPPF)."""
        parts = [self.conv(value, channels // 2)]
        for _ in range(3):
            pool = {"kernel_shape": [5, 5], "pads": [2] * 4, "strides": [1, 1]}
            parts += self._node("MaxPool", [parts[-1]], channels // 2, **pool)
        return self.conv(self.joined(*parts), channels)

    def doubled(self, value: str) -> str:
        """Double the size by repeating each value."""
        scales = self._constant(np.array([1, 1, 2, 2], np.float32))
        return self._node("Resize", [value, "", scales], self._channels[value], mode="nearest")[0]

    def model(self, outputs: list[str]) -> onnx.ModelProto:
        """Return the network with these outputs."""
        picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, SIDE_PX, SIDE_PX])
        shown = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, self._channels[name], None, None])
            for name in outputs
        ]
        graph = helper.make_graph(self._nodes, "detector", [picture], shown, self._weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.checker.check_model(model)
        return model


def detector() -> tuple[onnx.ModelProto, int]:
    """Return the network and its number of weights."""
    net = Layers()
    stem = net.conv(net.conv("picture", 16, 3, 2), 32, 3, 2)
    eighth = net.block(net.conv(net.block(stem, 32), 64, 3, 2), 64, 2)
    sixteenth = net.block(net.conv(eighth, 128, 3, 2), 128, 2)
    deep = net.pooled(net.block(net.conv(sixteenth, 256, 3, 2), 256), 256)
    up = net.block(net.joined(net.doubled(deep), sixteenth), 128, shortcut=False)
    fine = net.block(net.joined(net.doubled(up), eighth), 64, shortcut=False)
    middle = net.block(net.joined(net.conv(fine, 64, 3, 2), up), 128, shortcut=False)
    coarse = net.block(net.joined(net.conv(middle, 128, 3, 2), deep), 256, shortcut=False)
    outputs = []
    for level in (fine, middle, coarse):
        boxes = net.plain(net.conv(net.conv(level, 64, 3), 64, 3), 4 * BINS)
        classes = net.plain(net.conv(net.conv(level, CLASSES, 3), CLASSES, 3), CLASSES)
        outputs.append(net.joined(boxes, classes))
    return net.model(outputs), net.count


if __name__ == "__main__":
    made, weights = detector()
    onnx.save(made, Path(sys.argv[1]))
    print(f"{weights / 1e6:.2f} million weights")
