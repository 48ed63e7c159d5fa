"""Quantisation: 8-bit networks give nearly the output of the float networks. Needs the extra `train`."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed; the extra `train` brings it")
torch = pytest.importorskip("torch", reason="PyTorch is not installed; the extra `train` brings it")

from tilekeeper.models.evaluation.measure import Pictured  # noqa: E402
from tilekeeper.models.evaluation.score import Truth  # noqa: E402
from tilekeeper.models.export import quantisation as module  # noqa: E402
from tilekeeper.models.export.quantisation import PART, quantise, quantise_all, record_inputs  # noqa: E402
from tilekeeper.models.export.to_onnx import CROPS, PICTURE, export  # noqa: E402
from tilekeeper.models.training.network import ClassifierNet, DetectorNet  # noqa: E402
from tilekeeper.vision.manifest import read_manifest  # noqa: E402


def squares(count: int, rows: int, columns: int) -> np.ndarray:
    """Return images with large and small coloured blocks, in space-to-depth form."""
    rng = np.random.default_rng(7)
    coarse = rng.integers(0, 256, (count, rows // 12, columns // 12, 12)).repeat(12, axis=1).repeat(12, axis=2)
    return np.clip(coarse + rng.normal(0, 12, coarse.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("net", "name", "sample", "shown"),
    [
        (DetectorNet, "picture", PICTURE, (4, PART, PART)),
        (ClassifierNet, "crops", CROPS, (40, 36, 24)),
    ],
)
def test_8_bit_network_gives_nearly_the_same_output(
    tmp_path: Path, net: type[torch.nn.Module], name: str, sample: torch.Tensor, shown: tuple[int, int, int]
) -> None:
    """The network takes the same bytes without a conversion to floats. It cannot be quantised again."""
    torch.manual_seed(4)
    trained = net()
    torch.save({"best": trained.state_dict()}, tmp_path / "net.pt")
    file = tmp_path / "net.onnx"
    export(net(), tmp_path / "net.pt", sample, name, file)
    inputs = squares(*shown)
    plain = onnxruntime.InferenceSession(str(file)).run(None, {name: inputs[:1]})[0]
    quantised_file, before = tmp_path / "net.new", file.read_bytes()
    assert len(quantise(file, inputs, quantised_file)) == 64
    assert file.read_bytes() == before
    assert quantised_file.stat().st_size < len(before)
    graph = onnx.load(str(quantised_file)).graph
    assert not {"Cast", "Div", "Sub", "Pad"} & {node.op_type for node in graph.node}
    answer = onnxruntime.InferenceSession(str(quantised_file)).run(None, {name: inputs[:1]})[0]
    assert np.abs(answer - plain).mean() < 0.06 * np.abs(plain - plain.mean()).mean()
    with pytest.raises(ValueError, match="8 bits already"):
        quantise(quantised_file, inputs, file)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Return a folder of untrained float networks as they are exported."""
    torch.manual_seed(4)
    manifest = {"reader": {"doubtful_below": 0.9}}
    for net, name, sample, shown in (
        (DetectorNet(), "detector", PICTURE, "picture"),
        (ClassifierNet(), "classifier", CROPS, "crops"),
    ):
        torch.save({"best": net.state_dict()}, tmp_path / "net.pt")
        digest = export(net, tmp_path / "net.pt", sample, shown, tmp_path / f"{name}.onnx")
        manifest[name] = {"file": f"{name}.onnx", "sha256": digest}
    (tmp_path / "net.pt").unlink()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of every file of a folder, by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_networks_of_a_folder_are_replaced_together(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error before the last network is made changes nothing. Then the manifest has 8 bits for all."""
    shown = {"detector": squares(4, PART, PART), "classifier": squares(40, 36, 24)}
    monkeypatch.setattr(module, "record_inputs", lambda folder, pictures: shown)
    before = contents(plain)

    def interrupt_second(network: Path, inputs: np.ndarray, target: Path) -> str:
        assert contents(plain).items() >= before.items()
        if network.name == "classifier.onnx":
            raise KeyboardInterrupt
        return quantise(network, inputs, target)

    with monkeypatch.context() as patched:
        patched.setattr(module, "quantise", interrupt_second)
        with pytest.raises(KeyboardInterrupt):
            quantise_all(plain, [])
    assert contents(plain) == before
    quantise_all(plain, [])
    after = contents(plain)
    assert after.keys() == before.keys()
    manifest = read_manifest(plain)
    for name in ("detector", "classifier"):
        assert manifest[name]["bits"] == 8
        assert manifest[name]["sha256"] == hashlib.sha256(after[f"{name}.onnx"]).hexdigest()
    assert manifest["reader"] == {"doubtful_below": 0.9}


def test_unselected_networks_stay_the_same(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other networks may be 8-bit networks already."""
    monkeypatch.setattr(module, "record_inputs", lambda folder, pictures: {"detector": squares(4, PART, PART)})
    before = contents(plain)
    quantise_all(plain, [], ["detector"])
    assert contents(plain)["classifier.onnx"] == before["classifier.onnx"]
    manifest = read_manifest(plain)
    assert manifest["detector"]["bits"] == 8
    assert "bits" not in manifest["classifier"]
    quantise_all(plain, [], [])


def test_folder_with_an_8_bit_network_is_refused_first(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the file and the remedy."""
    shutil.copyfile(Path(module.__file__).parents[1] / "classifier.onnx", plain / "classifier.onnx")
    monkeypatch.delattr(module, "record_inputs")
    with pytest.raises(ValueError, match=r"classifier\.onnx is in 8 bits already: export the networks anew"):
        quantise_all(plain, [])


def test_network_without_input_is_named() -> None:
    """On an empty table the detector finds no crops for the other networks."""
    bare = Pictured(
        "bare", "none", Truth((), (), (), np.zeros((0, 4))), None, lambda: np.full((96, 128, 3), 90, np.uint8)
    )
    package = Path(module.__file__).parents[1]
    with pytest.raises(ValueError, match=r"\(1\) the classifier and the verifier had nothing to look at: .* --tables"):
        record_inputs(package, [bare])
    with pytest.raises(ValueError, match="the detector and the classifier"):
        record_inputs(package, [])


def test_command_reports_an_error_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person can fix the error, so there is no traceback."""
    (tmp_path / "photos.json").write_text(json.dumps({"photos": []}), "utf-8")
    arguments = ["quantise", str(Path(module.__file__).parents[1]), "--tables", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    monkeypatch.setattr(module.logging, "disable", lambda level: None)  # the setting would last for all later tests
    with pytest.raises(SystemExit, match=r"quantise: .*detector\.onnx is in 8 bits already"):
        module.main()
