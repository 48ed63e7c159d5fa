"""Export trained checkpoints to ONNX and write the manifest of the networks.

The exported networks have floating-point weights; `tilekeeper.models.export.quantisation` makes the shipped 8-bit ones.

    python -m tilekeeper.models.export.to_onnx --detector var/detector.pt --classifier var/classifier.pt \\
        [--verifier var/verifier.pt] [--to FOLDER]

`--to` writes to another folder than the package, for example for networks trained without a held-out session.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import warnings

import numpy as np
import torch

from tilekeeper.models.export.atomic_write import write_manifest
from tilekeeper.models.training.network import VERIFIER, ClassifierNet, ClassifierOfBytes, DetectorNet, DetectorOfBytes

INKS = ["black", "blue", "orange", "red"]
TABLES = "rendered tables (tilekeeper.datasets.synthesis.scene.tables, pool train)"
RACKS = "rendered racks (tilekeeper.datasets.rendering.render, pool train)"
PHOTOS = (
    "204 photos of real tiles, Roboflow Universe project rummikub-nvypk by jonasbuehler, CC BY 4.0, 15 labels corrected"
)
OUTPUTS = {"picture": ["maps"], "crops": ["logits", "features"]}
AXES = {
    "picture": {"picture": {1: "rows", 2: "columns"}, "maps": {2: "half_rows", 3: "half_columns"}},
    "crops": {name: {0: "tiles"} for name in ("crops", "logits", "features")},
}
"""Dynamic axes of inputs and outputs."""
HEAD = "classifier-head.npz"
"""The classifier's last layer alone: the start and the regularisation target of `tilekeeper adapt`."""
CROPS, PICTURE = torch.zeros(2, 36, 24, 12, dtype=torch.uint8), torch.zeros(1, 32, 48, 12, dtype=torch.uint8)
"""Example inputs for tracing."""
NUMBERS = [*(str(n) for n in range(1, 14)), "joker", "not-a-tile"]


def export(
    net: torch.nn.Module,
    checkpoint: pathlib.Path,
    sample: torch.Tensor,
    name: str,
    target: pathlib.Path,
) -> str:
    """Load the averaged weights of `checkpoint` into `net` and write it as ONNX; return the file's SHA-256.

    `sample`: an example input for tracing; `name`: the name of the network's input.
    """
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["best"])
    shipped = (ClassifierOfBytes(net) if isinstance(net, ClassifierNet) else DetectorOfBytes(net)).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.filterwarnings("ignore", "Constant folding", UserWarning)
        torch.onnx.export(
            shipped,
            (sample,),
            str(target),
            dynamo=False,
            opset_version=17,
            input_names=[name],
            output_names=OUTPUTS[name],
            dynamic_axes=AXES[name],
        )
    return hashlib.sha256(target.read_bytes()).hexdigest()


def export_head(classifier: ClassifierNet, target: pathlib.Path) -> str:
    """Write the classifier's last layer, `weight (28, 128)` and `bias (28,)` float32; return the file's SHA-256."""
    last = classifier.heads[-1]
    with target.open("wb") as file:
        np.savez_compressed(file, weight=last.weight.detach().numpy(), bias=last.bias.detach().numpy())
    return hashlib.sha256(target.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--detector", type=pathlib.Path, required=True)
    parser.add_argument("--classifier", type=pathlib.Path, required=True)
    parser.add_argument("--verifier", type=pathlib.Path, help="without one what the classifier says stands")
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path(__file__).parents[1])
    parser.add_argument(
        "--no-photos", action="store_true", help="say that they were trained on rendered pictures alone"
    )
    args = parser.parse_args()
    training_data = [TABLES, RACKS] if args.no_photos else [TABLES, RACKS, PHOTOS]
    args.to.mkdir(parents=True, exist_ok=True)
    detector = export(
        DetectorNet(),
        args.detector,
        PICTURE,
        "picture",
        args.to / "detector.onnx",
    )
    classifier_net = ClassifierNet()
    classifier = export(classifier_net, args.classifier, CROPS, "crops", args.to / "classifier.onnx")
    head = export_head(classifier_net, args.to / HEAD)
    files = ["detector.onnx", "classifier.onnx"]
    manifest_path = args.to / "manifest.json"
    manifest = json.loads(manifest_path.read_text("utf-8")) if manifest_path.exists() else {}
    manifest["detector"] = {
        "file": "detector.onnx", "sha256": detector,
        "input": "picture (1, H/2, W/2, 12) uint8, squares of 2 × 2 pixels BGR, H and W multiples of 32",
        "output": "maps (1, 10, H/4, W/4): logit of a tile's middle, offsets of its corners in 16 px, clockwise, logit"
        " of a tile's face",
        "labels": ["tile"], "training_data": training_data, "scores": {},
    }  # fmt: skip
    manifest["classifier"] = {
        "file": "classifier.onnx", "sha256": classifier,
        "input": "crops (N, 36, 24, 12) uint8, squares of 2 × 2 pixels BGR, 160 = the tile's white",
        "output": "logits (N, 28): number, ink, upside down, and corner offsets in tile widths; "
        "features (N, 128), the logits are linear functions of them",
        "labels": {"number": NUMBERS, "ink": INKS, "turn": ["upside-down"]},
        "head": {"file": HEAD, "sha256": head},
        "training_data": training_data, "scores": {},
    }  # fmt: skip
    manifest.pop("verifier", None)
    if not args.verifier:
        (args.to / "verifier.onnx").unlink(missing_ok=True)
    if args.verifier:
        files.append("verifier.onnx")
        sha256 = export(ClassifierNet(VERIFIER), args.verifier, CROPS, "crops", args.to / files[-1])
        manifest["verifier"] = {
            "file": files[-1], "sha256": sha256, "input": manifest["classifier"]["input"],
            "output": "logits (N, 28), as the classifier's", "labels": manifest["classifier"]["labels"],
            "training_data": training_data, "scores": {},
        }  # fmt: skip
    manifest.setdefault("reader", {"doubtful_below": 0.9})
    write_manifest(manifest, manifest_path)
    print(f"{args.to}: {sum((args.to / n).stat().st_size for n in files) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
