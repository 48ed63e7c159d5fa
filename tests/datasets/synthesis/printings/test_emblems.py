"""Random emblems: visible, determined by their seed, and used for jokers and signs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.printings.emblems import EMBLEMS, SIZE_PX
from tilekeeper.datasets.synthesis.printings.faces import draw_face
from tilekeeper.datasets.synthesis.printings.jokers import joker_mask
from tilekeeper.datasets.synthesis.printings.printing import JOKERS, SIGNS, Printing, draw_printing


def emblem(name: str, seed: int) -> np.ndarray:
    return EMBLEMS[name](np.random.default_rng(seed))


@pytest.mark.parametrize("name", EMBLEMS)
def test_emblem_has_ink_and_a_margin(name: str) -> None:
    """Each mask has the size of all jokers, is neither empty nor full, and is not cut off."""
    for seed in range(80):
        mask = emblem(name, seed)
        assert mask.shape == (SIZE_PX, SIZE_PX)
        assert mask.dtype == np.uint8
        assert 0.01 < (mask > 127).mean() < 0.8, seed
        assert not np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]]).any(), seed


@pytest.mark.parametrize("name", EMBLEMS)
def test_same_seed_gives_the_same_emblem(name: str) -> None:
    """No two of 25 seeds give similar emblems."""
    masks = [emblem(name, seed) for seed in range(25)]
    assert all(np.array_equal(mask, emblem(name, seed)) for seed, mask in enumerate(masks))
    differences = [(a != b).mean() for i, a in enumerate(masks) for b in masks[:i]]
    assert min(differences) > 0.01


@pytest.mark.parametrize("name", ["figure", "blob"])
def test_most_emblems_are_the_same_on_both_sides(name: str) -> None:
    """People draw symmetrical emblems such as a crown, a mask or a beetle, but not only these."""
    mirrored = [np.abs(mask.astype(int) - mask[:, ::-1]).mean() < 8 for mask in (emblem(name, s) for s in range(60))]
    assert 0.5 < np.mean(mirrored) < 1


@pytest.mark.parametrize("name", EMBLEMS)
def test_joker_can_be_a_random_emblem(name: str) -> None:
    """The joker is selected by name and is the emblem of its seed."""
    assert name in JOKERS
    assert np.array_equal(joker_mask(name, "roboto-bold", np.random.default_rng(3)), emblem(name, 3))


def plain(**changes: object) -> Printing:
    """Return a printing without any mark, sign, frame or engraving."""
    defaults = {
        "mark": "none",
        "sign": "none",
        "wordmark_style": "none",
        "dimple": "none",
        "frame": 0.0,
        "engraved": 0.0,
    }
    return replace(draw_printing(np.random.default_rng(4)), **(defaults | changes))


@pytest.mark.parametrize("name", EMBLEMS)
def test_each_set_draws_its_own_joker(name: str) -> None:
    """`joker_seed` selects the emblem, and copies within a set are equal."""
    one, repeated, other = (
        draw_face(plain(joker=name, joker_seed=seed, joker_inks=(0, 0)), "joker", 96).bgr for seed in (1, 1, 2)
    )
    assert np.array_equal(one, repeated)
    assert np.abs(one - other).mean() > 1


@pytest.mark.parametrize("name", EMBLEMS)
def test_sign_can_be_a_random_emblem(name: str) -> None:
    """The sign of the set is below every number; another set has another sign."""
    assert name in SIGNS
    changes = {"sign": name, "sign_by_ink": False, "digit_centre_of_height": 0.33, "digit_height_of_height": 0.36}

    def ink_of_sign(label: str, seed: int) -> np.ndarray:
        signed = draw_face(plain(joker_seed=seed, **changes), label, 96).bgr
        bare = draw_face(plain(joker_seed=seed, **(changes | {"sign": "none"})), label, 96).bgr
        return np.abs(signed - bare).sum(axis=2)

    ink = ink_of_sign("red-7", 5)
    rows = np.flatnonzero(ink.max(axis=1) > 30)
    assert rows.min() > 0.5 * len(ink)
    assert rows.max() < len(ink) - 2
    assert np.abs(ink - ink_of_sign("red-4", 5)).max() < 12
    assert np.abs(ink - ink_of_sign("red-7", 6)).max() > 60
