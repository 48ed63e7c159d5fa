"""The networks, their losses, checkpoints and export. Needs PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the extra `train` brings it")

from tilekeeper.models.export.averaging import mean_of  # noqa: E402
from tilekeeper.models.export.to_onnx import CROPS, PICTURE, export  # noqa: E402
from tilekeeper.models.training import train_classifier, train_detector  # noqa: E402
from tilekeeper.models.training.checkpoint import Training  # noqa: E402
from tilekeeper.models.training.network import UNFITTED_LOGIT, VERIFIER, ClassifierNet, DetectorNet, widened  # noqa: E402
from tilekeeper.models.training.sources import RENDERED, Source  # noqa: E402
from tilekeeper.vision.runtime.network import space_to_depth  # noqa: E402
from tilekeeper.vision.types import WHITE  # noqa: E402


@pytest.mark.parametrize(
    ("net", "shape", "wanted"),
    [(DetectorNet, (2, 3, 64, 96), (2, 9, 16, 24)), (ClassifierNet, (5, 3, 72, 48), (5, 28))],
)
def test_network_outputs_have_the_shapes_for_the_reader(
    net: type[torch.nn.Module], shape: tuple[int, ...], wanted: tuple[int, ...]
) -> None:
    """The detector has nine maps at a quarter of the size, the classifier twenty logits and eight offsets.

    Together they have less than 6 MB of float32.
    """
    with torch.no_grad():
        assert net().eval()(torch.rand(shape)).shape == wanted
    assert sum(p.numel() for both in (DetectorNet(), ClassifierNet()) for p in both.parameters()) * 4 < 6e6


def targets() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the targets of one tile in the middle of 16 × 16 cells, with all corner offsets 1."""
    heat, count, corners = torch.zeros(1, 16, 16), torch.ones(1, 16, 16), torch.zeros(1, 9, 16, 16)
    heat[0, 8, 8] = 1
    corners[0, :, 8, 8] = 1
    return heat, count, corners


def test_detector_loss_is_lowest_for_the_truth() -> None:
    """A missed tile, a false detection and wrong corners each cost more."""
    heat, count, corners = targets()
    right = torch.zeros(1, 9, 16, 16)
    right[:, 0] = -9
    right[0, 0, 8, 8] = 9
    right[:, 1:] = corners[:, :8]
    focal, corner = train_detector.loss_of(right, heat, count, corners)
    assert focal < 1e-3
    assert corner < 1e-6
    missed, invented, shifted = right.clone(), right.clone(), right.clone()
    missed[0, 0, 8, 8] = -9
    invented[0, 0, 2, 2] = 9
    shifted[0, 1:, 8, 8] += 1
    assert train_detector.loss_of(missed, heat, count, corners)[0] > 1
    assert train_detector.loss_of(invented, heat, count, corners)[0] > 1
    assert train_detector.loss_of(shifted, heat, count, corners)[1] > 0.5


def test_ignored_cells_cost_nothing() -> None:
    """Cells with a `count` of 0 may have a false detection and wrong corners."""
    heat, count, corners = targets()
    count[0, 2, 2] = 0
    corners[0, :, 2, 2] = 1
    maps = torch.zeros(1, 9, 16, 16)
    maps[:, 0] = -9
    maps[0, 0, 8, 8] = 9
    maps[0, 1:, 8, 8] = 1
    plain = train_detector.loss_of(maps, heat, count, corners)
    maps[0, :, 2, 2] = 50
    right_weights = train_detector.loss_of(maps, heat, count, corners)
    assert [float(part) for part in right_weights] == pytest.approx([float(part) for part in plain])


def classifier_loss(
    logits: torch.Tensor, number: int, ink: int, turned: bool, corners: torch.Tensor | None = None
) -> float:
    labels = torch.tensor([number]), torch.tensor([ink]), torch.tensor([turned])
    return float(train_classifier.loss_of(logits, *labels, torch.zeros(1, 8) if corners is None else corners))


def test_classifier_loss_ignores_undefined_targets() -> None:
    """Undefined are inks of jokers, numbers of upside-down tiles, and directions and corners of non-tiles."""
    sure = torch.zeros(1, 28)
    sure[0, [6, 17]] = 20
    sure[0, 19] = -20
    assert classifier_loss(sure, 6, 2, False) < 1
    assert classifier_loss(sure, 7, 2, False) > 10
    assert classifier_loss(sure, 6, 1, False) > 10
    assert classifier_loss(sure, 6, 2, True) > 5
    upside_down = sure.clone()
    upside_down[0, 19] = 20
    assert classifier_loss(upside_down, 8, 2, True) < 1
    joker, none = torch.zeros(1, 28), torch.zeros(1, 28)
    joker[0, 13] = none[0, 14] = 20
    joker[0, 19] = -20
    assert classifier_loss(joker, 13, -1, False) < 1
    both = torch.cat([sure, none])
    labels = torch.tensor([6, 14]), torch.tensor([2, -1]), torch.tensor([False, False]), torch.zeros(2, 8)
    plain = float(train_classifier.loss_of(both, *labels))
    both[1, 15:] = torch.tensor([30.0, 0, 0, 0, 30, *[9] * 8])
    assert float(train_classifier.loss_of(both, *labels)) == pytest.approx(plain)


@pytest.mark.parametrize("turned", [False, True])
def test_classifier_loss_includes_the_corners_of_every_tile(turned: bool) -> None:
    """The loss grows with the offset, for upright and upside-down tiles."""
    sure = torch.zeros(1, 28)
    sure[0, [6, 17]] = 20
    sure[0, 19] = 20 if turned else -20
    true = torch.linspace(-0.2, 0.2, 8)[None]
    sure[0, 20:] = true
    right = classifier_loss(sure, 6, 2, turned, true)
    for place in range(20, 28):
        near, far = sure.clone(), sure.clone()
        near[0, place] += 0.05
        far[0, place] -= 0.2
        assert (
            right + 0.01 < classifier_loss(near, 6, 2, turned, true) < classifier_loss(far, 6, 2, turned, true) - 0.05
        )


def test_photos_have_their_share_of_the_crops() -> None:
    """If there are only photos or only rendered tables, they have all the weight."""

    def source(session: str) -> Source:
        nothing = np.zeros((0, 4, 2), np.float32)
        return Source(Path("x"), session, nothing, (), np.zeros(0, bool), np.zeros((0, 4), np.float32))

    sources = [source(s) for s in ["s1"] * 4 + ["s2"] * 16 + ["background"] * 2 + [RENDERED] * 50]
    weights = train_detector.weights_of(sources, 0.6)
    assert weights.shape == (72,)
    assert (weights > 0).all()
    by_session = {s: sum(w for w, x in zip(weights, sources, strict=True) if x.session == s) for s in ("s1", "s2")}
    assert by_session["s1"] < by_session["s2"] < 4 * by_session["s1"]
    assert train_detector.weights_of(sources[-50:], 0.6) == pytest.approx(np.full(50, 0.02))
    assert (train_detector.weights_of(sources[:20], 0.6) > 0).all()


def test_training_resumes_from_its_checkpoint(tmp_path: Path) -> None:
    """Weights, average, optimiser, time and step are restored. A new start takes only the averaged weights."""
    out = tmp_path / "deep" / "classifier.pt"
    training = Training.begin(ClassifierNet(), 1e-3, out, None)
    for _ in range(2):
        training.net(torch.rand(2, 3, 72, 48)).sum().backward()
        training.optimiser.step()
        training.average.update_parameters(training.net)
        training.step += 1
    training.save(out, 12.5)
    resumed = Training.begin(ClassifierNet(), 1e-3, out, None)
    assert (resumed.step, resumed.spent_s) == (2, 12.5)
    for left_weights, right_weights in zip(
        training.net.state_dict().values(), resumed.net.state_dict().values(), strict=True
    ):
        assert torch.equal(left_weights, right_weights)
    assert resumed.optimiser.state_dict()["state"].keys() == training.optimiser.state_dict()["state"].keys()
    tuned = Training.begin(ClassifierNet(), 1e-3, tmp_path / "new.pt", out)
    assert tuned.step == 0
    for left_weights, right_weights in zip(training.average.module.parameters(), tuned.net.parameters(), strict=True):
        assert torch.equal(left_weights, right_weights)


@pytest.mark.parametrize(
    ("net", "name", "sample", "right_weights"),
    [(DetectorNet, "picture", PICTURE, (1, 128, 32, 3)), (ClassifierNet, "crops", CROPS, (7, 72, 48, 3))],
)
def test_exported_network_equals_the_trained_one(
    tmp_path: Path, net: type[torch.nn.Module], name: str, sample: torch.Tensor, right_weights: tuple[int, ...]
) -> None:
    """The input has another size than at export. The classifier also returns its features."""
    trained = net().eval()
    torch.save({"best": trained.state_dict()}, tmp_path / "net.pt")
    assert len(export(net(), tmp_path / "net.pt", sample, name, tmp_path / "net.onnx")) == 64
    session = onnxruntime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    pixels = np.random.default_rng(2).integers(0, 256, right_weights, np.uint8)
    answer, *features = session.run(None, {name: space_to_depth(pixels)})
    batch = torch.tensor(pixels[..., ::-1].copy()).permute(0, 3, 1, 2) / (1 if name == "picture" else WHITE)
    with torch.no_grad():
        expected = trained(batch).numpy()
        assert np.abs(answer[:, : expected.shape[1]] - expected).max() < 1e-3
        if net is DetectorNet:
            assert (answer[:, expected.shape[1] :] == UNFITTED_LOGIT).all()
        if features:
            assert np.abs(features[0] - trained.features(batch).numpy()).max() < 1e-3
            last = trained.heads[-1]
            assert np.abs(features[0] @ last.weight.numpy().T + last.bias.numpy() - answer).max() < 1e-3


def test_widened_classifier_starts_with_the_same_output() -> None:
    """All its new channels have gradients."""
    torch.manual_seed(3)
    classifier = ClassifierNet()
    for _ in range(3):  # gives running means other than 0
        classifier(torch.rand(8, 3, 72, 48))
    crops = torch.rand(6, 3, 72, 48)
    wide = widened(classifier.eval()).eval()
    with torch.no_grad():
        assert (wide(crops) - classifier(crops)).abs().max() < 1e-4
    wide.train()
    wide(crops).square().sum().backward()
    new = wide.heads[2].weight.grad[:, 128:]
    assert new.abs().max() > 0


def test_networks_are_averaged_weight_by_weight() -> None:
    """Counters stay integers, and networks of different shapes are refused."""
    torch.manual_seed(4)
    left_weights, right_weights = ClassifierNet().state_dict(), ClassifierNet().state_dict()
    mean = mean_of([left_weights, right_weights])
    for name, value in mean.items():
        assert value.dtype == left_weights[name].dtype
        if value.is_floating_point():
            assert torch.allclose(value, (left_weights[name] + right_weights[name]) / 2)
    ClassifierNet().load_state_dict(mean)
    with pytest.raises(ValueError, match="one shape"):
        mean_of([left_weights, ClassifierNet(VERIFIER).state_dict()])
