"""Networks of 8 bits say what the plain ones say, and take bytes; runs with the extra `train`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed; the extra `train` brings it")
torch = pytest.importorskip("torch", reason="PyTorch is not installed; the extra `train` brings it")

from tilekeeper.models.export import CROPS, PICTURE, export  # noqa: E402
from tilekeeper.models.network import FinderNet, NamerNet  # noqa: E402
from tilekeeper.models.quantise import PART, quantise  # noqa: E402


def squares(count: int, rows: int, columns: int) -> np.ndarray:
    """Squares of pictures with large and small things in them, of any colour."""
    rng = np.random.default_rng(7)
    coarse = rng.integers(0, 256, (count, rows // 12, columns // 12, 12)).repeat(12, axis=1).repeat(12, axis=2)
    return np.clip(coarse + rng.normal(0, 12, coarse.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("net", "name", "sample", "shown"),
    [
        (FinderNet, "picture", PICTURE, (4, PART, PART)),
        (NamerNet, "crops", CROPS, (40, 36, 24)),
    ],
)
def test_a_network_of_8_bits_says_what_it_said(
    tmp_path: Path, net: type[torch.nn.Module], name: str, sample: torch.Tensor, shown: tuple[int, int, int]
) -> None:
    """Nearly, from the same bytes, which nothing turns into floats first; a second time it is refused."""
    torch.manual_seed(4)
    trained = net()
    torch.save({"best": trained.state_dict()}, tmp_path / "net.pt")
    file = tmp_path / "net.onnx"
    export(net(), tmp_path / "net.pt", sample, name, file)
    inputs = squares(*shown)
    plain = onnxruntime.InferenceSession(str(file)).run(None, {name: inputs[:1]})[0]
    before = file.stat().st_size
    assert len(quantise(file, inputs)) == 64
    assert file.stat().st_size < before
    graph = onnx.load(str(file)).graph
    assert not {"Cast", "Div", "Sub", "Pad"} & {node.op_type for node in graph.node}
    said = onnxruntime.InferenceSession(str(file)).run(None, {name: inputs[:1]})[0]
    assert np.abs(said - plain).mean() < 0.06 * np.abs(plain - plain.mean()).mean()
    with pytest.raises(ValueError, match="8 bits already"):
        quantise(file, inputs)
