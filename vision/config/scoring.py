"""Limits of judging names: how certain they are, what is a tile of the set, and when a person is asked."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class ScoringConfig(Limits):
    """Limits of judging names: how certain they are, what is a tile of the set, and when a person is asked."""

    # scoring/calibration.py
    most_log_odds: float = limit(12.0, unit="logarithm of odds", least=1, most=50)
    """The networks' log-odds are cut off here: beyond, it is the rounding of their last layer that speaks."""
    own_company: float = limit(0.5, unit="tiles", least=0, most=10)
    """Among the others a tile itself counts as so many, so that one with hardly any others is its own company."""

    # scoring/candidates.py
    crop_weight: float = limit(0.3, unit="share", least=0, most=1)
    """How much one more crop at the same place weighs in the mean, where the first weighs 1."""
    moved_crop_weight: float = limit(0.6, unit="share", least=0, most=1)
    """How much one more crop from another place weighs."""
    moved_worth: float = limit(0.3, unit="independent crops", least=0, most=1)
    """By so much of an independent crop one from another place makes the names more certain; more crops at one place
    make no name more certain, for they are wrong together."""
    most_worth: float = limit(1.6, unit="independent crops", least=1, most=10)
    """All crops together make the names more certain by no more than this."""
    most_weight: float = limit(8.0, unit="crops", least=1, most=100)
    """Older crops fade so that all never weigh more than this."""

    # scoring/features.py
    neighbours: int = limit(6, unit="tiles", least=1, most=50)
    """With so many of the nearest certain tiles a tile is compared."""
    compared_fewest: int = limit(3, unit="tiles", least=1, most=50)
    """With fewer certain tiles only the size counts, and only where it is off by `far_size`."""
    far_size: float = limit(1.2, unit="logarithm", least=0.1, most=3)
    """More than three times as large or as small: no camera over a table shows that but a low one, and then of what is
    smaller; a number that is named surely is asked about there."""
    other_size: float = limit(0.5, unit="logarithm", least=0.05, most=3)
    """A certain tile that differs in size by more may be none of this set. Measured: No tile of the annotated photos is
    off its neighbours by more than 0.24; the keys of a calculator and the squares of a calendar are, by 0.5."""
    other_size_doubtful: float = limit(0.35, unit="logarithm", least=0.05, most=3)
    """The same for a tile in doubt; and the unit in which sizes count where it is judged what is a tile."""
    other_light: float = limit(0.35, unit="logarithm", least=0.01, most=2)
    """In this unit light that is darker counts where it is judged whether something is a tile."""
    beside: float = limit(1.3, unit="widths", least=0.5, most=3)
    """The middle of the next tile in a row is no further than this."""

    # scoring/hysteresis.py
    lock_after: int = limit(2, unit="crops", least=1, most=20)
    """After so many crops a name can be locked."""
    lock_margin: float = limit(2.0, unit="times", least=1, most=20)
    """Its odds must be so many times those at the point of doubt; once locked it is in doubt again where they are as
    many times below."""
    unlock_below: float = limit(0.4, unit="probability", least=0, most=1)
    """A locked name that is less likely than this is let go."""

    # scoring/membership.py
    least_inside: float = limit(0.65, unit="share", least=0, most=1)
    """A tile in doubt of which the picture shows less is cut off: what is cut off looks most like a joker."""
    least_inside_certain: float = limit(0.5, unit="share", least=0, most=1)
    """The same for a tile that is not in doubt."""
    hardly_found: float = limit(0.55, unit="score", least=0, most=1)
    """What the detector scores less, where few tiles are certain, is asked about."""
    unfound: float = limit(0.25, unit="score", least=0, most=1)
    """The score of what the detector found nothing of, though the table is pale there: it is always asked about."""
    upright_inside: float = limit(0.8, unit="share", least=0, most=1)
    """A 6 or 9 of which the picture shows less is asked about: the rest would show which end is up."""
    peer_score_share: float = limit(0.7, unit="share of the best score", least=0, most=1)
    """Tiles that others are compared with score at least so much of the best: a digit on paper may be named as surely
    as a tile."""
    stray_below: float = limit(0.3, unit="probability", least=0, most=1)
    """What has less confidence and lies by itself is none where hardly anything is certain, unless the classifier takes
    it for a tile (`named_a_tile`)."""
    most_strays: int = limit(12, unit="tiles", least=0, most=106)
    """Where more than this can hardly be read and nothing is certain, it is the picture that is bad, and they stay."""
    no_tile: float = limit(0.15, unit="probability of a tile", least=0, most=1)
    """What is in doubt and no likelier a tile is left out."""
    no_tile_beside: float = limit(0.04, unit="probability of a tile", least=0, most=1)
    """The same beside a certain one, where a tile that goes missing makes a fault of a meld."""
    ask_below: float = limit(0.7, unit="probability of a tile", least=0, most=1)
    """What is less likely a tile is asked about."""
    named_a_tile: float = limit(0.05, unit="probability of no tile", least=0, most=1)
    """What is less likely none by the classifier, and lies beside a certain tile or where none is certain, is not left
    out: under a reflection or a shadow a tile is not white."""

    # scoring/naming.py
    peer_confidence: float = limit(0.8, unit="probability", least=0, most=1)
    """Tiles with as much confidence are what the others are compared with."""
    covered: float = limit(0.6, unit="share", least=0, most=1)
    """What is in doubt and lies under a certain tile by more is part of it."""
    covered_smallest: float = limit(0.25, unit="share of that tile", least=0, most=1)
    """Unless it is smaller than this."""

    # scoring/rim_features.py
    rim_reach: float = limit(0.22, unit="widths", least=0.05, most=0.5)
    """So far to either side of a tile's edge its step in light is searched for."""
    rim_steps: int = limit(23, unit="places", least=5, most=99)
    """At so many places."""
    rim_foot: int = limit(4, unit="places", least=1, most=20)
    """Over so many places next to each other light is averaged on both sides of a step."""
    rim_neighbours: int = limit(12, unit="tiles", least=1, most=50)
    """With so many of the nearest certain tiles a tile's edges are compared."""
    lone: float = limit(1.75, unit="widths", least=0.5, most=5)
    """What has no other tile's middle nearer lies by itself: no joint reaches further."""
    rim_faint: float = limit(0.03, unit="logarithm", least=0, most=1)
    """Added to steps before they are compared: less is noise."""
    rim_most_faint: float = limit(3.0, unit="logarithm", least=0, most=10)
    """Edges count as so much fainter than is usual at most."""
    rim_most_plain: float = limit(0.5, unit="logarithm", least=0, most=10)
    """And as so much plainer."""

    # scoring/set_decoding.py
    too_unlikely: float = limit(8.0, unit="logarithm", least=0, most=50)
    """No tile gets a name that is so much less likely: then its ink is wrong, or the set has more tiles than it
    should."""
    likelier_in_meld: float = limit(1.0, unit="logarithm", least=0, most=10)
    """By so much a name is likelier beside one that it makes a meld with: weakly, for on a table that has to be judged
    some melds are none."""

    # scoring/tileness.py
    tile_most: float = limit(8.0, unit="logarithm of odds", least=0, most=50)
    """The classifier's log-odds of a tile count up to here: beyond, one sign would outweigh all others."""
    tile_least_score: float = limit(0.3, unit="score", least=0, most=1)
    """The detector's score counts from here."""
    tile_most_score: float = limit(0.98, unit="score", least=0, most=1)
    """And up to here."""
    tile_tint: float = limit(0.1, unit="logarithm", least=0.01, most=1)
    """Tints count in this unit."""
    tile_most_off: float = limit(3.0, unit="times", least=1, most=20)
    """Tint, light and size count up to so many times what tiles are off by."""
    tile_asked_below: float = limit(0.99, unit="probability", least=0, most=1)
    """What has less confidence is judged by these signs."""
    tile_asked_alone_below: float = limit(0.9995, unit="probability", least=0, most=1)
    """And with less than this what lies by itself, and jokers."""

    # scoring/unnamed_tiles.py
    firm_score: float = limit(0.8, unit="score", least=0, most=1)
    """A place that the detector scores as much holds something, whatever the classifier makes of it."""
    unnamed_weight: float = limit(0.25, unit="share of the logarithms", least=0, most=1)
    """So much of what is named there counts: a misplaced crop says little of a name."""
