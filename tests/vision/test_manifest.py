"""Networks are opened by their manifest; missing or wrong files are reported."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tilekeeper.vision.manifest import ModelsMissing, load_sessions, networks_of, read_manifest


def field(number: int, body: bytes | int) -> bytes:
    """Encode one field of a protobuf message; all values here are short."""
    if isinstance(body, int):
        return bytes([number << 3, body])
    assert len(body) < 128
    return bytes([number << 3 | 2, len(body)]) + body


def doubling_network() -> bytes:
    """Return a real ONNX network, encoded by hand, that adds its input to itself."""

    def value(name: bytes) -> bytes:
        shape = field(1, field(1, 2))  # one dimension of two
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))

    node = field(1, b"x") + field(1, b"x") + field(2, b"y") + field(4, b"Add")
    graph = field(1, node) + field(2, b"double") + field(11, value(b"x")) + field(12, value(b"y"))
    return field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, 13))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two networks and their manifest."""
    data = doubling_network()
    entry = {"sha256": hashlib.sha256(data).hexdigest()}
    for name in ("detector", "classifier"):
        (tmp_path / f"{name}.onnx").write_bytes(data)
    manifest = {"detector": {"file": "detector.onnx", **entry}, "classifier": {"file": "classifier.onnx", **entry}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path


def test_matching_files_are_opened_with_the_requested_threads(folder: Path) -> None:
    """The threads do not spin between two images."""
    sessions = load_sessions(threads=1, folder=folder)
    for session in (sessions.detector, sessions.classifier):
        assert session.run(None, {"x": np.array([1, 2], np.float32)})[0].tolist() == [2, 4]
        options = session.get_session_options()
        assert options.intra_op_num_threads == 1
        assert options.get_session_config_entry("session.force_spinning_stop") == "1"
        assert 0 < int(options.get_session_config_entry("session.intra_op.spin_duration_us")) < 1000
    assert sessions.manifest["detector"]["file"] == "detector.onnx"


def test_manifest_with_the_former_names_of_the_networks_is_read(folder: Path) -> None:
    """Networks from before version 1.0 still open, the verifier included."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    entries = list(manifest.values())
    former = {"finder": entries[0], "namer": entries[1], "proofreader": entries[0]}
    path.write_text(json.dumps(former))
    assert read_manifest(folder) == {"detector": entries[0], "classifier": entries[1], "verifier": entries[0]}
    assert load_sessions(threads=1, folder=folder).verifier is not None


def test_verifier_in_the_manifest_is_opened_and_must_exist(folder: Path) -> None:
    assert load_sessions(2, folder=folder).verifier is None
    data = doubling_network()
    (folder / "verifier.onnx").write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["verifier"] = {"file": "verifier.onnx", "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    verifier = load_sessions(2, folder=folder).verifier
    assert verifier is not None
    assert verifier.run(None, {"x": np.array([3, 4], np.float32)})[0].tolist() == [6, 8]
    (folder / "verifier.onnx").unlink()
    expect_refusal(folder, r"verifier\.onnx is missing")


def test_wrong_or_missing_file_is_reported_with_a_fix(folder: Path) -> None:
    (folder / "classifier.onnx").write_bytes(doubling_network() + b" ")
    expect_refusal(folder, "not the file that manifest.json describes")
    (folder / "classifier.onnx").unlink()
    expect_refusal(folder, r"classifier\.onnx is missing")
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["detector"]["sha256"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    expect_refusal(folder, "SHA-256 for the detector")
    (folder / "manifest.json").write_text("[]")
    expect_refusal(folder, "SHA-256 for the detector")
    (folder / "manifest.json").write_text("{")
    expect_refusal(folder, "damaged")
    (folder / "manifest.json").unlink()
    expect_refusal(folder, "install tilekeeper again")


def test_file_that_is_no_network_is_reported_with_the_reason(folder: Path) -> None:
    data = b"no network at all"
    (folder / "detector.onnx").write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["detector"]["sha256"] = hashlib.sha256(data).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    expect_refusal(folder, "detector can't be run by onnxruntime")


def expect_refusal(folder: Path, words: str) -> None:
    with pytest.raises(ModelsMissing, match=words) as caught:
        load_sessions(2, folder=folder)
    assert "\n" not in str(caught.value)


def test_shipped_networks_match_their_manifest_and_are_small_enough(repository: Path) -> None:
    if not (repository / "models" / "manifest.json").is_file():
        pytest.skip("no networks in models/ yet")
    manifest = read_manifest()
    sizes = [(repository / "models" / manifest[name]["file"]).stat().st_size for name in networks_of(manifest)]
    assert sum(sizes) <= 6_000_000
    assert load_sessions(2).manifest == manifest
