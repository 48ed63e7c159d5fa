"""Limits of fitting the namer's last layer to one set of tiles."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class FinetuneConfig(Limits):
    """Limits of fitting the namer's last layer to one set of tiles."""

    # finetune/augmentation.py
    views_turned: float = limit(0.15, unit="share of views", least=0, most=0.5)
    """So many of the views are turned round, so that the layer still knows which end is up."""
    view_degrees: tuple[float, float] = limit((2.5, 6.0), unit="degrees", least=0, most=30)
    """How far views are turned: the spread, and the most."""
    view_growth: float = limit(0.03, unit="logarithm", least=0, most=0.3)
    """By how much views are larger or smaller: the spread."""
    view_shift: tuple[float, float] = limit((0.03, 0.07), unit="widths", least=0, most=0.3)
    """How far views are shifted each way: the spread, and the most."""
    view_slope: float = limit(0.4, unit="share of its light", least=0, most=1)
    """The most by which the light of a view falls from one side to the other; half of them are lit so."""
    view_tint: float = limit(0.06, unit="logarithm", least=0, most=0.5)
    """By how much each channel of a view is brighter or darker: the spread."""
    view_light: tuple[float, float] = limit((-0.05, 0.15), unit="logarithm", least=-1, most=1)
    """By how much a view is brighter: the mean, and the spread."""
    view_blur_px: tuple[float, float] = limit((0.3, 1.3), unit="px", least=0, most=5)
    """Half of the views are blurred by a Gaussian whose sigma lies between these."""
    view_noise: tuple[float, float] = limit((0.5, 6.0), unit="levels of 255", least=0, most=50)
    """The noise in a view has a spread between these."""

    # finetune/fit.py
    held_strength: float = limit(0.3, unit="own crops", least=0, most=100)
    """How much each crop of other printings counts, on which the shipped answers are to be kept."""
    pull_strength: float = limit(0.3, unit="own crops", least=0, most=1e9)
    """How much the squared distance of the weights counts, features scaled to a spread of 1."""
    settled_slope: float = limit(5e-4, unit="slope an own crop", least=1e-9, most=1)
    """The lowest point is found where the slope is below this."""

    # finetune/procedure.py
    fewest_crops: int = limit(5, unit="crops", least=1, most=1000)
    """From fewer crops nothing is fitted: they would tell more of themselves than of the set."""
    folds: int = limit(8, unit="parts", least=2, most=50)
    """Each of so many parts of the own crops is named by a layer that was fitted to the others."""
    guard_margin: float = limit(0.005, unit="share of the shipped crops", least=0, most=1)
    """An own layer may name fewer of them rightly by so many, and no more."""
    views_a_crop: tuple[int, int] = limit((4, 16), unit="views", least=1, most=100)
    """Each crop is seen in so many views: the fewest, and the most."""
    views_in_all: int = limit(2000, unit="views", least=1, most=100_000)
    """About so many views are fitted to."""
    turn_round: float = limit(2.0, unit="logarithm", least=0, most=20)
    """By so much likelier a crop must be what a person says when it is turned, to be turned."""
