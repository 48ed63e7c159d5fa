"""Quantise the networks of a folder to 8 bits: half the size, and half the time on processors with VNNI.

    python -m tilekeeper.models.export.quantisation FOLDER [--tables var/calibration]

The networks read some tables first, to measure the range of each layer's output. Weights have 7 bits: with 8,
processors without VNNI, which add two products in 16 bits, would overflow without notice and give other readings. The
linear layers at the end stay in floating point. The new networks replace the old ones when all are done. Confidence is
fitted for one version of the networks: run `tilekeeper.models.calibration.calibrate` afterwards.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import pathlib
import tempfile
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from tilekeeper.models.evaluation.measure import Pictured, rendered_pictures
from tilekeeper.models.export.atomic_write import write_manifest
from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.finetune.own_sets import build_classifier
from tilekeeper.vision.manifest import (
    VERIFIER,
    ModelsMissing,
    Sessions,
    load_sessions,
    networks_of,
    read_manifest,
)
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.runtime.network import DescribedNetwork, Output

TABLES = 60
"""Number of tables that are read to measure the ranges."""
CROPS, PARTS, PART = 2048, 240, 192
"""Calibration inputs: number of crops, number of image parts, and the side of a part in squares of 2 × 2 pixels."""
BATCH = 64
PERCENTILE = 99.995
"""Values above this percentile of a layer's output are clipped: outliers would make all steps wide."""
QUANTISED = ("Conv", "Relu", "Add", "Concat", "Reshape", "Transpose")
"""Types of layers that become 8-bit layers."""
SEED = 5


class _Recording:
    """Wrapper of a network that records its inputs."""

    def __init__(self, network: DescribedNetwork) -> None:
        self._network = network
        self.inputs: list[Image] = []

    def run(self, outputs: Sequence[str] | None, inputs: Mapping[str, Image]) -> Sequence[Floats]:
        self.inputs += inputs.values()
        return self._network.run(outputs, inputs)

    def get_outputs(self) -> Sequence[Output]:
        return self._network.get_outputs()


class _Inputs(CalibrationDataReader):
    """Feeds inputs `(N, …)` to ONNX Runtime's calibration in batches."""

    def __init__(self, name: str, inputs: np.ndarray, batch: int) -> None:
        self._batches = ({name: inputs[at : at + batch]} for at in range(0, len(inputs), batch))

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._batches, None)


def record_inputs(folder: pathlib.Path, pictures: Sequence[Pictured]) -> dict[str, np.ndarray]:
    """Read images with the networks in `folder`; return samples of each network's inputs, for the detector image parts.

    Raises `ValueError` if a network had no input.
    """
    sessions = load_sessions(2, folder=folder)
    recording = {name: _Recording(getattr(sessions, name)) for name in networks_of(sessions.manifest)}
    sessions = Sessions(
        detector=recording["detector"],
        classifier=recording["classifier"],
        manifest=sessions.manifest,
        verifier=recording.get(VERIFIER),
        figures=sessions.figures,
    )
    reader = Reader.of(sessions, build_classifier(sessions))
    for pictured in pictures:
        reader.read(pictured.load())
    rng = np.random.default_rng(SEED)
    recorded = {name: session.inputs for name, session in recording.items()}
    if idle := [name for name, inputs in recorded.items() if not inputs]:
        raise ValueError(
            f"on all tables read ({len(pictures)}) the {' and the '.join(idle)} had nothing to look at:"
            " name a folder of more, or of others, with --tables"
        )
    detector_inputs = recorded.pop("detector")
    parts = np.concatenate([_part(rng, detector_inputs[i]) for i in rng.integers(0, len(detector_inputs), PARTS)])
    return {"detector": parts} | {name: _sample(rng, np.concatenate(crops)) for name, crops in recorded.items()}


def _part(rng: np.random.Generator, picture: np.ndarray) -> np.ndarray:
    """Return a random part of an image `(1, H/2, W/2, 12)`; an image smaller than a part is repeated."""
    sides = picture.shape[1:3]
    picture = np.pad(picture, [(0, 0), *((0, max(0, PART - side)) for side in sides), (0, 0)], "wrap")
    top, left = (int(rng.integers(0, side - PART + 1)) for side in picture.shape[1:3])
    return picture[:, top : top + PART, left : left + PART]


def _sample(rng: np.random.Generator, crops: np.ndarray) -> np.ndarray:
    return crops[rng.permutation(len(crops))[:CROPS]]


def quantise_all(folder: pathlib.Path, pictures: Sequence[Pictured], only: Collection[str] | None = None) -> None:
    """Replace the networks in a folder by 8-bit networks and update the manifest, after all of them were made.

    If one cannot be made, nothing changes. `only`: names of the networks to quantise, all if None. Raises `ValueError`
    if a network has 8 bits already, or had no input on the images.
    """
    manifest = dict(read_manifest(folder))
    names = [name for name in networks_of(manifest) if only is None or name in only]
    files = {name: folder / manifest[name]["file"] for name in names}
    for file in files.values():
        refuse_8_bits(file)
    made = {name: file.with_suffix(".new") for name, file in files.items()}
    try:
        recorded = record_inputs(folder, pictures)
        for name, inputs in ((name, recorded[name]) for name in names):
            manifest[name] = manifest[name] | {"sha256": quantise(files[name], inputs, made[name]), "bits": 8}
            before, after = (file.stat().st_size / 1e6 for file in (files[name], made[name]))
            print(f"{files[name]}: {before:.2f} MB before, {after:.2f} MB in 8 bits", flush=True)
        for name, new in made.items():
            new.replace(files[name])
        write_manifest(manifest, folder / "manifest.json")
    finally:
        for new in made.values():
            new.unlink(missing_ok=True)


def refuse_8_bits(network: pathlib.Path) -> None:
    """Raise `ValueError` for a network that has 8 bits already."""
    if any(node.op_type == "QuantizeLinear" for node in onnx.load(str(network)).graph.node):
        raise ValueError(
            f"{network} is in 8 bits already: export the networks again (tilekeeper.models.export.to_onnx)"
        )


def quantise(network: pathlib.Path, inputs: np.ndarray, target: pathlib.Path) -> str:
    """Write a network to `target` in 8 bits, with ranges measured on `inputs (N, …)`; return the SHA-256.

    Raises `ValueError` for a network that has 8 bits already.
    """
    refuse_8_bits(network)
    with tempfile.TemporaryDirectory() as folder:
        plain, made = pathlib.Path(folder, "plain.onnx"), pathlib.Path(folder, "8-bits.onnx")
        quant_pre_process(str(network), str(plain), skip_symbolic_shape=True)
        graph = onnx.load(str(plain)).graph
        quantize_static(
            str(plain),
            str(made),
            _Inputs(graph.input[0].name, inputs, 1 if inputs.shape[1] == PART else BATCH),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=list(QUANTISED),
            per_channel=True,
            reduce_range=True,
            nodes_to_exclude=[node.name for node in graph.node if node.output[0] in _outputs(graph)],
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.Percentile,
            extra_options={"CalibPercentile": PERCENTILE, "CalibMaxIntermediateOutputs": 8},
        )
        model = onnx.load(str(made))
    _take_bytes(model.graph)
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString())
    return hashlib.sha256(target.read_bytes()).hexdigest()


def _outputs(graph: onnx.GraphProto) -> set[str]:
    """Return the names of the network's outputs, and of values that only a transposition separates from an output."""
    outputs = {output.name for output in graph.output}
    return outputs | {node.input[0] for node in graph.node if node.op_type == "Transpose" and node.output[0] in outputs}


def _take_bytes(graph: onnx.GraphProto) -> None:
    """Feed the input bytes to the first layer directly: merge all operations before it into a scale and a zero point.

    Raises `ValueError` if no byte is mapped to exactly 0.
    """
    constants = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    name, scale, offset, merged, transpositions = graph.input[0].name, 1.0, 0.0, [], []
    margins = np.zeros(8, int)
    while (node := _next(graph, name)).op_type != "QuantizeLinear":
        match node.op_type:
            case "Transpose":
                transpositions.append(node)
            case "Pad":
                margins = constants[node.input[1]]
            case "Div" | "Mul":
                by = float(constants[node.input[1]])
                factor = by if node.op_type == "Mul" else 1 / by
                scale, offset = scale * factor, offset * factor
            case "Add" | "Sub":
                by = float(constants[node.input[1]])
                offset += by if node.op_type == "Add" else -by
        if node.op_type != "Transpose":
            merged.append(node)
        name = node.output[0]
    zero = _byte_of_zero(scale, offset)
    dequantise = _next(graph, node.output[0])
    for constant in (np.array(scale, np.float32), np.array(zero, np.uint8)):
        graph.initializer.append(onnx.numpy_helper.from_array(constant, f"bytes_{constant.dtype}"))
    name = graph.input[0].name
    for transposition in transpositions:
        transposition.input[0], name = name, transposition.output[0]
    dequantise.input[:] = [name, "bytes_float32", "bytes_uint8"]
    first = _next(graph, dequantise.output[0])
    pads = next(attribute for attribute in first.attribute if attribute.name == "pads")
    pads.ints[:] = [int(pad) for pad in np.array(pads.ints) + margins[[2, 3, 6, 7]]]
    for replaced in (*merged, node):
        graph.node.remove(replaced)


def _byte_of_zero(scale: float, offset: float) -> int:
    """Return the byte that scale and offset map to exactly 0; raise `ValueError` if there is none."""
    zero = -offset / scale
    if abs(zero - round(zero)) > 1e-3 or not 0 <= round(zero) <= 255:
        raise ValueError(f"bytes become {scale} times what they are and {offset}: no byte is exactly 0")
    return round(zero)


def _next(graph: onnx.GraphProto, name: str) -> onnx.NodeProto:
    """Return the first layer that has the value `name` as an input."""
    layer: onnx.NodeProto = next(node for node in graph.node if name in node.input)
    return layer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="a folder with networks and their manifest")
    parser.add_argument("--tables", type=pathlib.Path, nargs="+", default=[pathlib.Path("var/calibration")])
    parser.add_argument("--only", nargs="+", metavar="NETWORK", help="quantise only these networks")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    try:
        pictures = [pictured for tables in args.tables for pictured in rendered_pictures(tables)]
        quantise_all(args.folder, pictures[:: max(1, len(pictures) // TABLES)], args.only)
    except (OSError, ValueError, ModelsMissing) as fault:
        raise SystemExit(f"quantise: {fault}") from None


if __name__ == "__main__":
    main()
