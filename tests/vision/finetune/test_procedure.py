"""Fine-tuning with the shipped networks on rendered crops."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.finetune.labelled_crops import (
    LabelledCrops,
    ShippedCrops,
    are_classified_correctly,
    classes_of_label,
    feature_extractor,
    load_shipped_crops,
)
from tilekeeper.vision.finetune.own_sets import LOGITS, load_shipped_layer, require_features
from tilekeeper.vision.finetune.procedure import MIN_FINETUNE_CROPS, AdaptationResult, adapt, augment, turn_upright
from tilekeeper.vision.manifest import ModelsMissing, Sessions
from tilekeeper.vision.recognition.classifier import INNER, TileClassifier

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def crops() -> ShippedCrops:
    """Return a part of the shipped crops, because a whole fit takes long."""
    shipped = load_shipped_crops()
    return ShippedCrops(shipped.held.at(np.arange(0, 600, 4)), shipped.check.at(np.arange(0, 720, 5)))


def test_shipped_crops_have_all_labels_and_directions() -> None:
    shipped = load_shipped_crops()
    assert len(shipped.held) + len(shipped.check) == 1320
    for part in (shipped.held, shipped.check):
        assert set(part.numbers.tolist()) == set(range(15))
        assert set(part.inks.tolist()) == {-1, 0, 1, 2, 3}
        assert 0.05 < part.turned.mean() < 0.2
        assert part.crops.std(axis=(1, 2, 3)).min() > 1


def test_shipped_classifier_labels_the_check_crops_correctly(sessions: Sessions) -> None:
    check = load_shipped_crops().check
    logits, _ = feature_extractor(sessions.classifier)(check.crops)
    assert are_classified_correctly(logits, check).mean() > 0.97


def test_exported_layer_gives_the_networks_logits(sessions: Sessions, rendered: LabelledCrops) -> None:
    logits, features = feature_extractor(sessions.classifier)(rendered.crops)
    assert load_shipped_layer(sessions.manifest).logits(features) == pytest.approx(logits, abs=1e-3)


def test_classifier_with_the_shipped_layer_equals_the_shipped_classifier(
    sessions: Sessions, rendered: LabelledCrops
) -> None:
    image = np.hstack(list(rendered.crops[:4]))
    quads = np.array([INNER + np.float32([48 * i, 0]) for i in range(4)], np.float32)
    plain = TileClassifier(sessions.classifier)(image, quads)
    with_layer = TileClassifier(sessions.classifier, logits_of=load_shipped_layer(sessions.manifest).logits)(
        image, quads
    )
    for field in ("number_log_probs", "ink_log_probs", "upside_down_log_odds", "quads_px", "ink_colours"):
        assert getattr(with_layer, field) == pytest.approx(getattr(plain, field), abs=1e-2)
    assert len(with_layer.number_log_probs) == 4


def test_a_network_without_features_is_refused() -> None:

    class Output:
        name = "logits"

    class Session:
        def get_outputs(self) -> list[Output]:
            return [Output()]

    with pytest.raises(ModelsMissing, match="too old"):
        require_features(Session())  # type: ignore[arg-type]


def test_fit_on_twenty_crops_makes_nothing_worse_and_is_deterministic(
    sessions: Sessions, rendered: LabelledCrops, crops: ShippedCrops
) -> None:
    features, shipped = feature_extractor(sessions.classifier), load_shipped_layer(sessions.manifest)
    steps: list[tuple[int, int]] = []
    twenty = rendered.at(np.arange(20))
    layer, measured = adapt(
        twenty, features, shipped, crops, report_progress=lambda done, total: steps.append((done, total))
    )
    assert measured.own == 20
    assert measured.own_after >= measured.own_before
    assert not measured.shipped_worse
    assert steps == [(done, 11) for done in range(12)]
    second, _ = adapt(twenty, features, shipped, crops)
    assert np.array_equal(layer.weight, second.weight)
    rest = rendered.at(np.arange(20, len(rendered)))
    _, is_kept = features(rest.crops)
    assert (
        are_classified_correctly(layer.logits(is_kept), rest).sum()
        >= are_classified_correctly(shipped.logits(is_kept), rest).sum()
    )


def test_misread_printing_is_learned(sessions: Sessions, rendered: LabelledCrops, crops: ShippedCrops) -> None:
    """4s that a person labels 10 are read as 10s after the fit.

    No real printing is so unusual, but the shipped network reads every real printing correctly.
    """
    check_crops = load_shipped_crops().check
    resembles_four = check_crops.at(np.flatnonzero((check_crops.numbers == 3) & ~check_crops.turned)[:20])
    odd = LabelledCrops(
        resembles_four.crops, np.full(len(resembles_four), 9), resembles_four.inks, resembles_four.turned
    )
    features, shipped = feature_extractor(sessions.classifier), load_shipped_layer(sessions.manifest)
    no_fours = crops.check.at(crops.check.numbers != 3)
    held = ShippedCrops(crops.held.at(crops.held.numbers != 3), no_fours)
    _, measured = adapt(odd, features, shipped, held)
    assert measured.own_before < 0.1 * len(odd)
    assert measured.own_after > 0.6 * len(odd)


def test_too_few_crops_are_refused(sessions: Sessions, rendered: LabelledCrops, crops: ShippedCrops) -> None:
    with pytest.raises(ValueError, match=f"at least {MIN_FINETUNE_CROPS} tiles"):
        adapt(
            rendered.at(np.arange(MIN_FINETUNE_CROPS - 1)),
            feature_extractor(sessions.classifier),
            load_shipped_layer(sessions.manifest),
            crops,
        )


def test_upside_down_crops_are_turned_and_upright_ones_stay(sessions: Sessions, rendered: LabelledCrops) -> None:
    wrong = rendered.at(np.flatnonzero(rendered.numbers < 13)[:16])
    half_turned = LabelledCrops(wrong.crops.copy(), wrong.numbers, wrong.inks, wrong.turned)
    half_turned.crops[::2] = half_turned.crops[::2, ::-1, ::-1]
    assert np.array_equal(turn_upright(half_turned, feature_extractor(sessions.classifier)).crops, wrong.crops)


def test_result_knows_when_crops_got_worse() -> None:
    """The limits are 0.5 % of the shipped crops and no own crop."""
    assert not AdaptationResult(20, 10, 10, 1000, 990, 985).shipped_worse
    assert AdaptationResult(20, 10, 10, 1000, 990, 984).shipped_worse
    assert not AdaptationResult(20, 10, 10, 1000, 990, 984).own_worse
    assert AdaptationResult(20, 10, 9, 1000, 990, 990).own_worse


def test_views_resemble_the_crop_and_some_are_turned(rendered: LabelledCrops) -> None:
    crops = rendered.at(np.arange(8))
    views = augment(crops, 10, np.random.default_rng(1))
    assert len(views) == 80
    assert np.array_equal(views.crops[::10], crops.crops)
    assert np.array_equal(views.numbers, np.repeat(crops.numbers, 10))
    assert 0 < views.turned.sum() < 30
    for i, crop in enumerate(views.crops):
        upright_crop = crop[::-1, ::-1] if views.turned[i] else crop
        correlations = [np.corrcoef(upright_crop.ravel(), other.ravel())[0, 1] for other in crops.crops]
        assert np.argmax(correlations) == i // 10 or correlations[i // 10] > 0.6


@pytest.mark.parametrize(
    ("label", "number", "ink"), [("black-1", 0, 0), ("red-13", 12, 3), ("joker", 13, -1), ("no-tile", 14, -1)]
)
def test_label_gives_number_and_ink(label: str, number: int, ink: int) -> None:
    assert classes_of_label(label) == (number, ink)


@pytest.mark.parametrize("label", ["", "red", "red-14", "red-0", "green-3", "yellow-4", "red-x", "blank"])
def test_unknown_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="no label"):
        classes_of_label(label)


def test_upside_down_crop_is_correct_whatever_its_number() -> None:
    """Jokers need no correct ink, and non-tiles need no correct direction."""
    lessons = LabelledCrops(
        np.zeros((4, 72, 48, 3), np.uint8),
        np.array([3, 3, 13, 14]),
        np.array([1, 1, -1, -1]),
        np.array([False, True, False, False]),
    )
    logits = np.zeros((4, LOGITS), np.float32)
    logits[:, 19] = [-1, 1, -1, 1]
    logits[[0, 1], 16] = 5
    logits[0, 3] = logits[2, 13] = logits[3, 14] = 5
    logits[1, 7] = 5
    assert are_classified_correctly(logits, lessons).tolist() == [True, True, True, True]
    logits[0, 18] = 9
    logits[1, 19] = -1
    assert are_classified_correctly(logits, lessons).tolist() == [False, False, True, True]
