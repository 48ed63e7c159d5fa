"""Speed relative to a common detector: it has the published size, and takes turns with the reader."""

import pytest
from onnx import shape_inference

from tests.benchmarks.vision.common_detector import detector
from tests.benchmarks.vision.pace import FULL, TWICE, measure_pace

pytestmark = pytest.mark.slow


def test_detector_has_the_published_weights_and_operations() -> None:
    """YOLOv8n has 3.2 million weights and 8.7 billion operations at 640 pixels."""
    model, weights = detector()
    graph = shape_inference.infer_shapes(model).graph
    shapes = {value.name: [side.dim_value for side in value.type.tensor_type.shape.dim] for value in graph.value_info}
    weight_shapes = {weight.name: weight.dims for weight in graph.initializer}
    operations = 0
    for node in graph.node:
        if node.op_type == "Conv":
            _, channels, height, width = shapes[node.output[0]]
            _, inputs, side, other = weight_shapes[node.input[1]]
            operations += 2 * inputs * side * other * channels * height * width
    assert weights / 1e6 == pytest.approx(3.15, abs=0.02)
    assert operations / 1e9 == pytest.approx(8.7, abs=0.1)


def test_both_take_turns_and_every_tile_is_read() -> None:
    pace = measure_pace(1)
    assert pace["tiles_read_by_table"] == {
        "5 tiles": 5,
        "20 tiles": 20,
        "50 tiles": 50,
        FULL: 106,
        TWICE: 212,
        "106 tiles, 4K": 106,
    }
    assert pace["beside_detector"] == pytest.approx(pace["ms_by_table"][FULL] / pace["detector_ms"], rel=0.01)
    assert pace["twice_of_full"] > 1
