"""Limits of naming: one crop, several crops, and figures and inks compared over the table."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class RecognitionConfig(Limits):
    """Limits of naming: one crop, several crops, and figures and inks compared over the table."""

    # recognition/augmentation.py
    cuts: int = limit(4, unit="crops", least=1, most=16)
    """So many slightly different crops of a tile are named and averaged."""
    cut_turn: float = limit(0.08726646259971647, unit="radians", least=0, most=0.5)
    """Those crops are turned by up to this."""
    cut_growth: float = limit(0.06, unit="logarithm", least=0, most=0.5)
    """They are larger or smaller by up to this."""
    cut_shift: float = limit(0.05, unit="widths", least=0, most=0.5)
    """They are shifted by up to this."""
    cut_rounds: int = limit(6, unit="rounds", least=1, most=50)
    """After so many rounds the same crops come again."""

    # recognition/classifier.py
    most_corner_shift: float = limit(0.45, unit="widths", least=0, most=1)
    """The network moves a corner by no more than this: what is further off was no find of this tile."""
    shrunk_from: float = limit(1.5, unit="times the width in a crop", least=1, most=4)
    """Larger tiles are cut out of the picture shrunk by area, so that nothing aliases."""
    shrunk_whole: float = limit(1.2, unit="times the width in a crop", least=1, most=4)
    """It is shrunk by a whole number of pixels, in a fraction of the time, where that leaves the tile no wider."""
    proofread_below: float = limit(0.97, unit="probability", least=0, most=1)
    """A name less likely than this is named by the second, larger network."""
    proofread_unless_none: float = limit(0.98, unit="probability", least=0, most=1)
    """What is no tile with at least this probability is not shown to the second network."""
    joker_probability: float = limit(0.96, unit="probability", least=0, most=1)
    """A joker never counts as more certain than this when it is decided whether to ask the second network: figures that
    lie on their sides look like one."""

    # recognition/glyph_embedding.py
    figure_weight: float = limit(0.1, unit="share", least=0, most=1)
    """How much the likeness to the other figures of the table counts. Measured: With 0.1 the names of 30,000 tiles of
    the training pool became likeliest."""
    figure_least: float = limit(-5.0, unit="logarithm", least=-20, most=0)
    """A number becomes less likely by no more than this through the figures of other tiles."""
    figure_most: float = limit(3.0, unit="logarithm", least=0, most=20)
    """A number becomes likelier by no more than this."""
    figure_rounds: int = limit(3, unit="rounds", least=1, most=20)
    """How often the numbers are compared again with what they have become."""
    figure_power: int = limit(2, unit="power", least=1, most=4)
    """A tile is an example of a number by its probability to this power."""
    figure_unlikely: float = limit(0.02, unit="probability", least=0, most=0.5)
    """A tile is no example of a number that it is less likely than this."""
    figure_prior_tiles: float = limit(4.0, unit="tiles", least=0, most=50)
    """As how many tiles the usual spread of one number's figures counts."""
    figure_prior_spread: float = limit(1.0, unit="squared spread", least=0.1, most=10)
    """The usual spread of the figures of one number on one table."""

    # recognition/ink_pairs.py
    pair_fewest: int = limit(3, unit="tiles", least=1, most=20)
    """A cluster of colours between two like inks has so many tiles: two reds may lie in another light."""
    pair_apart: float = limit(0.05, unit="chord of the unit sphere", least=0.01, most=0.5)
    """The middles of two clusters lie apart by so much at least; usual red and orange by 0.3. Measured: On 150 rendered
    tables and 66 photos, as they are, none was parted that is not; of photos whose orange was dyed half-way to red most
    were."""
    pair_spreads: float = limit(3.5, unit="spreads", least=1, most=20)
    """And by so many times the spread within them."""
    pair_odds: float = limit(1.5, unit="logarithm", least=0, most=10)
    """They are two inks where the namer's odds of one to the other differ by this between them."""
    pair_known: float = limit(4.0, unit="logarithm", least=0, most=20)
    """The namer's odds in a cluster of which a person named a tile are this at least, in the middle."""
    pair_open: float = limit(0.55, unit="probability", least=0.5, most=1)
    """How likely the name stays of those that may be of the other ink: people are asked."""
    open_odds: float = limit(1.5, unit="logarithm", least=0, most=10)
    """It is open which ink tiles of one colour are, where the namer's odds between two are this at most in the mean,
    and spread by less: those of one ink by 1 at most (95 of 100 kept-out tables)."""
    open_apart: float = limit(0.04, unit="chord of the unit sphere", least=0.005, most=0.5)
    """Colours of one ink spread by less: those of black and blue together by 0.054 and more (95 of 100)."""
    answer_shift: float = limit(3.0, unit="logarithm", least=0.1, most=20)
    """By so much (standard deviation) a table's light shifts the namer's odds between two like inks."""
    answer_slip: float = limit(0.05, unit="probability", least=0.001, most=0.5)
    """How often people name the wrong one of two like inks."""

    # recognition/ink_mixture.py
    usual_inks: tuple[
        tuple[float, float, float], tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]
    ] = limit(
        ((1.0, 1.0, 1.0), (0.95, 0.55, 0.25), (0.1, 0.5, 0.95), (0.3, 0.95, 0.9)),
        unit="share of red, green and blue light taken",
        least=0,
        most=1,
    )
    """What each ink usually takes from white light: black, blue, warm, red; only the ratios count."""
    ink_prior_tiles: float = limit(0.5, unit="tiles", least=0, most=20)
    """As how many tiles of each ink its usual colour counts."""
    ink_spread: float = limit(0.1, unit="chord of the unit sphere", least=0.01, most=1)
    """How far colours of one ink usually lie apart."""
    ink_spread_tiles: float = limit(2.0, unit="tiles", least=0, most=20)
    """As how many tiles that usual spread counts."""
    ink_least_spread: float = limit(0.05, unit="chord of the unit sphere", least=0.005, most=1)
    """Colours of one ink are never taken to lie closer together than this."""
    ink_outlier: float = limit(3.0, unit="density", least=0, most=50)
    """The density of colours that no ink has, under a stain or a glare: it keeps a far colour from deciding."""
    ink_own_weight: float = limit(1.15, unit="times", least=0, most=5)
    """How much the network's own answer for the ink counts: it was trained never to be quite certain."""
    ink_rounds: int = limit(8, unit="rounds", least=1, most=50)
    """How often the mixture of inks is fitted again at most."""
    ink_settled: float = limit(0.001, unit="chord of the unit sphere", least=0, most=0.1)
    """The fit ends where no ink moves by more."""
    extra_copy: float = limit(0.02, unit="probability", least=0, most=1)
    """How likely one tile more than the set has is right all the same: a number is misread more often than that."""
    extra_tiles: float = limit(0.25, unit="tiles", least=0, most=5)
    """By so many expected tiles a number and ink must exceed the set before the copies are shared out."""
    ink_fewest: int = limit(6, unit="tiles", least=1, most=50)
    """With fewer numbered tiles on the table each keeps the ink that the network gave it."""
