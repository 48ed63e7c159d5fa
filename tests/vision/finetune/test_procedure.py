"""Adapting with the shipped networks and rendered crops: what was known stays known, crops are turned upright."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.finetune.augmentation import augment
from tilekeeper.vision.finetune.classifier import require_features
from tilekeeper.vision.finetune.guard_crops import ShippedCrops, are_classified_correctly, load_shipped_crops
from tilekeeper.vision.finetune.labelled_crops import LabelledCrops, classes_of_label, feature_extractor
from tilekeeper.vision.finetune.layer import LOGITS, load_shipped_layer
from tilekeeper.vision.finetune.procedure import MIN_FINETUNE_CROPS, AdaptationResult, adapt, turn_upright
from tilekeeper.vision.manifest import ModelsMissing, Sessions
from tilekeeper.vision.recognition.classifier import INNER, TileClassifier

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def crops() -> ShippedCrops:
    """A part of the shipped crops, as a whole fit takes its time."""
    shipped = load_shipped_crops()
    return ShippedCrops(shipped.held.at(np.arange(0, 600, 4)), shipped.check.at(np.arange(0, 720, 5)))


def test_the_shipped_crops_are_what_they_should_be() -> None:
    """Some 1,300 crops of every number and ink, jokers, what is no tile, and some upside down."""
    shipped = load_shipped_crops()
    assert len(shipped.held) + len(shipped.check) == 1320
    for part in (shipped.held, shipped.check):
        assert set(part.numbers.tolist()) == set(range(15))
        assert set(part.inks.tolist()) == {-1, 0, 1, 2, 3}
        assert 0.05 < part.turned.mean() < 0.2
        assert part.crops.std(axis=(1, 2, 3)).min() > 1


def test_the_shipped_classifier_knows_the_shipped_crops(sessions: Sessions) -> None:
    """Nearly all of those that it was not trained on; their labels are right."""
    check = load_shipped_crops().check
    logits, _ = feature_extractor(sessions.classifier)(check.crops)
    assert are_classified_correctly(logits, check).mean() > 0.97


def test_the_layer_on_its_own_says_what_the_network_says(sessions: Sessions, rendered: LabelledCrops) -> None:
    """Logits made of features by the exported layer are the network's, to a rounding."""
    logits, features = feature_extractor(sessions.classifier)(rendered.crops)
    assert load_shipped_layer(sessions.manifest).logits(features) == pytest.approx(logits, abs=1e-3)


def test_a_classifier_with_the_shipped_layer_names_as_the_shipped_classifier(
    sessions: Sessions, rendered: LabelledCrops
) -> None:
    """Names, way up, and mended corners are the same."""
    image = np.hstack(list(rendered.crops[:4]))
    quads = np.array([INNER + np.float32([48 * i, 0]) for i in range(4)], np.float32)
    plain = TileClassifier(sessions.classifier)(image, quads)
    own = TileClassifier(sessions.classifier, logits_of=load_shipped_layer(sessions.manifest).logits)(image, quads)
    for field in ("number_log_probs", "ink_log_probs", "upside_down_log_odds", "quads_px", "ink_colours"):
        assert getattr(own, field) == pytest.approx(getattr(plain, field), abs=1e-2)
    assert len(own.number_log_probs) == 4


def test_a_network_without_features_is_refused() -> None:
    """Networks of earlier versions tell only logits."""

    class Output:
        name = "logits"

    class Session:
        def get_outputs(self) -> list[Output]:
            return [Output()]

    with pytest.raises(ModelsMissing, match="no features"):
        require_features(Session())  # type: ignore[arg-type]


def test_adapting_makes_nothing_worse_and_is_the_same_each_time(
    sessions: Sessions, rendered: LabelledCrops, crops: ShippedCrops
) -> None:
    """Twenty crops of a printing never seen: own and shipped crops are named as well as before, and steps are told."""
    features, shipped = feature_extractor(sessions.classifier), load_shipped_layer(sessions.manifest)
    told: list[tuple[int, int]] = []
    some = rendered.at(np.arange(20))
    layer, measured = adapt(some, features, shipped, crops, report_progress=lambda done, of: told.append((done, of)))
    assert measured.own == 20
    assert measured.own_after >= measured.own_before
    assert not measured.shipped_worse
    assert told == [(done, 11) for done in range(12)]
    again, _ = adapt(some, features, shipped, crops)
    assert np.array_equal(layer.weight, again.weight)
    others = rendered.at(np.arange(20, len(rendered)))
    _, kept = features(others.crops)
    assert (
        are_classified_correctly(layer.logits(kept), others).sum()
        >= are_classified_correctly(shipped.logits(kept), others).sum()
    )


def test_a_printing_that_is_misread_is_learned(
    sessions: Sessions, rendered: LabelledCrops, crops: ShippedCrops
) -> None:
    """Said to be tens, what looks like fours is read so afterwards, also those that were not among the examples.

    No printing is as odd as this; a network that reads every printing still has to learn from people here.
    """
    every = load_shipped_crops().check
    look = every.at(np.flatnonzero((every.numbers == 3) & ~every.turned)[:20])
    odd = LabelledCrops(look.crops, np.full(len(look), 9), look.inks, look.turned)
    features, shipped = feature_extractor(sessions.classifier), load_shipped_layer(sessions.manifest)
    no_fours = crops.check.at(crops.check.numbers != 3)
    held = ShippedCrops(crops.held.at(crops.held.numbers != 3), no_fours)
    _, measured = adapt(odd, features, shipped, held)
    assert measured.own_before < 0.1 * len(odd)
    assert measured.own_after > 0.6 * len(odd)


def test_too_few_crops_are_refused(sessions: Sessions, rendered: LabelledCrops, crops: ShippedCrops) -> None:
    """From a handful less one nothing is fitted."""
    with pytest.raises(ValueError, match=f"at least {MIN_FINETUNE_CROPS} tiles"):
        adapt(
            rendered.at(np.arange(MIN_FINETUNE_CROPS - 1)),
            feature_extractor(sessions.classifier),
            load_shipped_layer(sessions.manifest),
            crops,
        )


def test_crops_cut_out_on_their_heads_are_turned(sessions: Sessions, rendered: LabelledCrops) -> None:
    """A tile that the reader took the wrong way round is learned the right way round; upright ones stay."""
    some = rendered.at(np.flatnonzero(rendered.numbers < 13)[:16])
    heads = LabelledCrops(some.crops.copy(), some.numbers, some.inks, some.turned)
    heads.crops[::2] = heads.crops[::2, ::-1, ::-1]
    assert np.array_equal(turn_upright(heads, feature_extractor(sessions.classifier)).crops, some.crops)


def test_worse_is_told() -> None:
    """More than half a percent of the shipped crops, and any of the own."""
    assert not AdaptationResult(20, 10, 10, 1000, 990, 985).shipped_worse
    assert AdaptationResult(20, 10, 10, 1000, 990, 984).shipped_worse
    assert not AdaptationResult(20, 10, 10, 1000, 990, 984).own_worse
    assert AdaptationResult(20, 10, 9, 1000, 990, 990).own_worse


def test_views_are_of_the_same_tile(rendered: LabelledCrops) -> None:
    """The first is the crop itself, the others look much like it, some of them are turned and said to be."""
    some = rendered.at(np.arange(8))
    views = augment(some, 10, np.random.default_rng(1))
    assert len(views) == 80
    assert np.array_equal(views.crops[::10], some.crops)
    assert np.array_equal(views.numbers, np.repeat(some.numbers, 10))
    assert 0 < views.turned.sum() < 30
    for i, crop in enumerate(views.crops):
        upright_crop = crop[::-1, ::-1] if views.turned[i] else crop
        seen = [np.corrcoef(upright_crop.ravel(), other.ravel())[0, 1] for other in some.crops]
        assert np.argmax(seen) == i // 10 or seen[i // 10] > 0.6


@pytest.mark.parametrize(
    ("label", "number", "ink"), [("black-1", 0, 0), ("red-13", 12, 3), ("joker", 13, -1), ("no-tile", 14, -1)]
)
def test_labels_are_what_the_heads_want(label: str, number: int, ink: int) -> None:
    """Numbers from 0, jokers and what is no tile after them."""
    assert classes_of_label(label) == (number, ink)


@pytest.mark.parametrize("label", ["", "red", "red-14", "red-0", "green-3", "yellow-4", "red-x", "blank"])
def test_what_is_no_label_is_refused(label: str) -> None:
    """Words of an edition are turned into the classifier's before they come here."""
    with pytest.raises(ValueError, match="no label"):
        classes_of_label(label)


def test_rightness_asks_no_number_of_a_tile_on_its_head() -> None:
    """And no ink of a joker, no way up of what is no tile."""
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
