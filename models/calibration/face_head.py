"""Fit the detector's face map: where an image shows faces of tiles, from the features of the exported 8-bit network.

    python -m tilekeeper.models.calibration.face_head FOLDER --images var/train var/racks [--count 150]

The map is one more column of the detector's last matrix product, a logistic regression on the 48 features of a cell. So
it costs no time and changes no detection. Cells of tiles that are cut off or mostly covered do not count, nor do cells
at the edge of a face. For racks, masks tell which part of a face is visible.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib

import cv2
import numpy as np
import onnx
from onnx import numpy_helper

from tilekeeper.models.calibration.logistic import logistic
from tilekeeper.models.export.atomic_write import write_manifest
from tilekeeper.models.training.sources import Source, rendered_sources
from tilekeeper.vision.detection.detector import STRIDE_PX
from tilekeeper.vision.imaging import extend
from tilekeeper.vision.manifest import read_manifest
from tilekeeper.vision.runtime.network import open_network, space_to_depth

SIDES_PX = (512, 768, 1024, 1400)
"""Longer sides at which images are searched: one of them for each image."""
FACE_CELL_SHARE, OTHER_CELL_SHARE = 0.6, 0.1
"""A cell is an example of a face from the first share of its area on, and of another surface up to the second share."""
NEAR_CELLS = 9
"""Cells within half of this many cells of a face are drawn separately, because the edge of a face is hardest."""
FACE_CELLS, OTHER_CELLS, NEARBY_CELLS = 250, 200, 150
"""Number of cells drawn from an image: of faces, of other surfaces, and of other surfaces near faces."""
SEED = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="folder of the 8-bit networks with their manifest")
    parser.add_argument("--images", type=pathlib.Path, nargs="+", required=True, help="folders of rendered images")
    parser.add_argument("--count", type=int, default=150, help="number of images of each folder")
    args = parser.parse_args()
    file = args.folder / "detector.onnx"
    rng = np.random.default_rng(SEED)
    sources = [source for folder in args.images for source in _sample(rendered_sources(folder), args.count, rng)]
    features, is_face = _examples(file, sources, rng)
    weights, bias = logistic(features, is_face, np.zeros(features.shape[1], int))
    share = np.mean((features @ weights + bias > 0) == is_face)
    print(f"{len(is_face)} cells of {len(sources)} images, {share:.4f} of them right")
    before = _digest(file)
    write_head(file, weights, bias)
    # Values that were fitted to the old file stay valid, because detections do not change.
    manifest = json.dumps(read_manifest(args.folder)).replace(before, _digest(file))
    write_manifest(json.loads(manifest), args.folder / "manifest.json")


def _digest(file: pathlib.Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def write_head(file: pathlib.Path, weights: np.ndarray, bias: float) -> None:
    """Write weights `(48,)` and bias of the face map into the detector at `file`."""
    model = onnx.load(str(file))
    product = _last_product(model)
    values = {value.name: value for value in model.graph.initializer}
    bias_name = next(
        name for node in model.graph.node if product.output[0] in node.input for name in node.input if name in values
    )
    for name, column in ((product.input[1], weights), (bias_name, bias)):
        array = numpy_helper.to_array(values[name]).copy()
        array[..., -1] = column
        values[name].CopyFrom(numpy_helper.from_array(array, name))
    new = file.with_suffix(".new")
    onnx.save(model, str(new))
    new.replace(file)


def _last_product(model: onnx.ModelProto) -> onnx.NodeProto:
    product: onnx.NodeProto = next(node for node in reversed(model.graph.node) if node.op_type == "MatMul")
    return product


def _sample(sources: list[Source], count: int, rng: np.random.Generator) -> list[Source]:
    return [sources[index] for index in rng.permutation(len(sources))[:count]]


def _examples(file: pathlib.Path, sources: list[Source], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the features `(N, 48)` of cells drawn from images, and a mask `(N,)` of those that show a face."""
    model = onnx.load(str(file))
    features = _last_product(model).input[0]
    model.graph.output.append(onnx.helper.make_tensor_value_info(features, onnx.TensorProto.FLOAT, None))
    network = open_network(model.SerializeToString(), 1)
    examples: list[tuple[np.ndarray, bool]] = []
    for source in sources:
        image, faces = source.image(), _face_mask(source)
        scale = float(rng.choice(SIDES_PX)) / max(image.shape[:2])
        rows, columns = (round(side * scale / STRIDE_PX) for side in image.shape[:2])
        size = columns * STRIDE_PX, rows * STRIDE_PX
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        padded = extend(np.asarray(image, np.uint8), -size[0] % 32, -size[1] % 32)
        cells = network.run([features], {"picture": space_to_depth(padded[None])})[0][0, :rows, :columns]
        for drawn, is_face in _draw_cells(cv2.resize(faces, size, interpolation=cv2.INTER_NEAREST), rng):
            examples.append((cells[drawn[:, 0], drawn[:, 1]], is_face))
    return (
        np.concatenate([features for features, _ in examples]).astype(np.float64),
        np.concatenate([np.full(len(features), is_face) for features, is_face in examples]),
    )


IGNORED = 2
"""In a face mask 1 is the face of a tile, 0 another surface."""


def _face_mask(source: Source) -> np.ndarray:
    """Return a mask `(H, W) uint8` of an image: 1 where it shows a face, `IGNORED` where that is unknown, else 0."""
    visible = cv2.imread(str(source.path.parents[1] / "masks" / f"{source.path.stem}.png"), cv2.IMREAD_UNCHANGED)
    if visible is not None:
        mask = np.asarray(visible > 0, np.uint8)
    else:
        mask = np.zeros(source.image().shape[:2], np.uint8)
        for quad, is_sure in zip(source.quads_px, source.sure, strict=True):
            cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1 if is_sure else IGNORED)
    for left, top, right, bottom in np.round(source.hidden_px).astype(int):
        mask[max(top, 0) : bottom + 1, max(left, 0) : right + 1] = IGNORED
    return mask


def _draw_cells(mask: np.ndarray, rng: np.random.Generator) -> list[tuple[np.ndarray, bool]]:
    """Draw cells from a face mask; return rows and columns `(K, 2)` of each kind, and whether these show a face."""
    rows, columns = (side // STRIDE_PX for side in mask.shape)
    cells = mask.reshape(rows, STRIDE_PX, columns, STRIDE_PX)
    share, is_known = (cells == 1).mean(axis=(1, 3)), (cells != IGNORED).all(axis=(1, 3))
    is_face, is_other = is_known & (share > FACE_CELL_SHARE), is_known & (share < OTHER_CELL_SHARE)
    is_near = cv2.dilate((share > OTHER_CELL_SHARE).astype(np.uint8), np.ones((NEAR_CELLS, NEAR_CELLS))) > 0
    kinds = (is_face, FACE_CELLS, True), (is_other, OTHER_CELLS, False), (is_other & is_near, NEARBY_CELLS, False)
    return [(rng.permutation(np.argwhere(chosen))[:count], shows) for chosen, count, shows in kinds]


if __name__ == "__main__":
    main()
