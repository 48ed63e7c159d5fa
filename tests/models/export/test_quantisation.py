"""Networks of 8 bits say what the plain ones say, and take bytes; runs with the extra `train`."""

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
    """Squares of pictures with large and small things in them, of any colour."""
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
    """It takes the same bytes without conversion to floats; quantising it again is refused."""
    torch.manual_seed(4)
    trained = net()
    torch.save({"best": trained.state_dict()}, tmp_path / "net.pt")
    file = tmp_path / "net.onnx"
    export(net(), tmp_path / "net.pt", sample, name, file)
    inputs = squares(*shown)
    plain = onnxruntime.InferenceSession(str(file)).run(None, {name: inputs[:1]})[0]
    said_by, before = tmp_path / "net.new", file.read_bytes()
    assert len(quantise(file, inputs, said_by)) == 64
    assert file.read_bytes() == before
    assert said_by.stat().st_size < len(before)
    graph = onnx.load(str(said_by)).graph
    assert not {"Cast", "Div", "Sub", "Pad"} & {node.op_type for node in graph.node}
    said = onnxruntime.InferenceSession(str(said_by)).run(None, {name: inputs[:1]})[0]
    assert np.abs(said - plain).mean() < 0.06 * np.abs(plain - plain.mean()).mean()
    with pytest.raises(ValueError, match="8 bits already"):
        quantise(said_by, inputs, file)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder of networks that have learnt nothing, as they were exported; they are no networks of 8 bits yet."""
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
    """What every file of a folder holds, by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_networks_of_a_folder_are_replaced_together(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing changes before the last one is made, also after an error; then the manifest says 8 bits for all."""
    shown = {"detector": squares(4, PART, PART), "classifier": squares(40, 36, 24)}
    monkeypatch.setattr(module, "record_inputs", lambda folder, pictures: shown)
    before = contents(plain)

    def interrupted(network: Path, inputs: np.ndarray, target: Path) -> str:
        assert contents(plain).items() >= before.items()
        if network.name == "classifier.onnx":
            raise KeyboardInterrupt
        return quantise(network, inputs, target)

    with monkeypatch.context() as patched:
        patched.setattr(module, "quantise", interrupted)
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
    """One network can be made again next to 8-bit ones."""
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
    """On an empty table the detector finds nothing for the other networks."""
    bare = Pictured(
        "bare", "none", Truth((), (), (), np.zeros((0, 4))), None, lambda: np.full((96, 128, 3), 90, np.uint8)
    )
    package = Path(module.__file__).parents[1]
    with pytest.raises(ValueError, match=r"\(1\) the classifier and the verifier had nothing to look at: .* --tables"):
        record_inputs(package, [bare])
    with pytest.raises(ValueError, match="the detector and the classifier"):
        record_inputs(package, [])


def test_command_reports_an_error_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a traceback for errors that a person can fix."""
    (tmp_path / "photos.json").write_text(json.dumps({"photos": []}), "utf-8")
    words = ["quantise", str(Path(module.__file__).parents[1]), "--tables", str(tmp_path)]
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.setattr(module.logging, "disable", lambda level: None)  # it would last for all tests
    with pytest.raises(SystemExit, match=r"quantise: .*detector\.onnx is in 8 bits already"):
        module.main()
