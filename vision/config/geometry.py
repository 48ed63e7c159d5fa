"""Limits of geometry: the plane that tiles lie in, what is one place, and how a face's light is read."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class GeometryConfig(Limits):
    """Limits of geometry: the plane that tiles lie in, what is one place, and how a face's light is read."""

    # geometry/face_color.py
    dim_levels: float = limit(16.0, unit="levels of 255", least=1, most=64)
    """Added to every channel before tints are compared: in dim light a level or two is a large tint. Measured: Under a
    lamp of 2700 K the blue of white tiles is 1 to 5."""
    cut_off_level: int = limit(250, unit="levels of 255", least=128, most=255)
    """From this level on nobody knows how bright a channel was: what is so bright in all of them has no tint, and under
    less light it may by rights be brighter than expected."""
    white_shares: tuple[float, float] = limit((0.6, 0.9), unit="shares of a face's samples", least=0, most=1)
    """Of the samples in the order of their light, those between these shares are the face: darker ones are print,
    brighter ones glare."""

    # geometry/proximity.py
    same_tile: float = limit(0.4, unit="widths", least=0.05, most=1)
    """Middles of two finds that lie nearer than this are one tile."""
    next_tile: float = limit(0.62, unit="widths", least=0.2, most=1)
    """Middles of two tiles are further apart than this: nearer, they are one tile."""

    # geometry/rectification.py
    rectify_from: float = limit(1.4, unit="length over length", least=1.2, most=4)
    """Where a tile is seen so much longer one way than the other, the table is looked at as from above: a camera 46°
    above it sees them so. On the photos as they are no tile is beyond 1.33."""
    rectify_fewest: int = limit(2, unit="tiles", least=1, most=50)
    """One tile alone may lean on something."""
    rectify_least: float = limit(1.3, unit="length over length", least=1, most=4)
    """Where tiles that lie as most do would be seen less so, one may lean or have been found askew: it is a guess."""
    rectify_firm: int = limit(16, unit="tiles", least=2, most=100)
    """So many tell how the table lies, also where there are none. Where fewer are followed, each change is looked at as
    a whole; where fewer are read and something is open, a low camera is guessed at. Measured: Of 98 guesses that were
    taken none was made of more than five tiles, and in an earlier draw one of nine."""
    rectify_views: int = limit(3, unit="readings", least=1, most=10)
    """The table is read from above at most so often, each time with what was learnt from the reading before."""
    rectify_few: int = limit(2, unit="tiles", least=1, most=100)
    """Where so few are read, it is guessed at though nothing is open."""
    rectify_unread_score: float = limit(0.5, unit="score", least=0, most=1)
    """What was found so surely and is not read may be a tile that is seen from low."""
    rectify_stretch: float = limit(1.8, unit="height over height", least=1.1, most=4)
    """Then the picture is looked at with so much more height: from 34° above the table tiles look right so."""
    rectify_spread: float = limit(0.15, unit="logarithm", least=0.01, most=1)
    """A tile that differs by this from all others has half its weight in the fit."""
    rectify_rounds: int = limit(40, unit="rounds", least=1, most=200)
    """The fit ends after so many steps; about ten are usual."""
    rectify_reach: float = limit(60.0, unit="widths", least=1, most=100)
    """So far beyond the tiles from which the fit was made the table is shown from above."""
    rectify_least_px: float = limit(10.0, unit="px", least=2, most=40)
    """Where a tile would be smaller in the picture, nothing can be read and nothing is shown."""
    rectify_tile_px: float = limit(48.0, unit="px", least=20, most=200)
    """Tiles are shown no wider than this: larger ones are read no better."""
    rectify_most_px: float = limit(3_000_000.0, unit="px", least=100_000, most=50_000_000)
    """What is shown from above has no more pixels than this."""

    # geometry/table_plane.py
    plane_fewest: int = limit(4, unit="tiles", least=3, most=50)
    """With fewer certain tiles no plane is fitted."""
    plane_aspects: tuple[float, float, float, float, float] = limit(
        (1.2, 1.3, 1.4, 1.5, 1.6), unit="height over width", least=1, most=2
    )
    """The shapes of tiles that are tried in the fit."""
    plane_unusual_aspect: float = limit(0.1, unit="misfit per logarithm", least=0, most=2)
    """How much an aspect other than the usual one counts against how well tiles fit the plane."""
    plane_spread: float = limit(0.12, unit="logarithm", least=0.01, most=1)
    """A tile whose shape differs by this from the plane's has half its weight in the next round of the fit."""
    plane_rounds: int = limit(5, unit="rounds", least=1, most=20)
    """How often the fit is repeated with new weights."""
    plane_loosest: float = limit(0.35, unit="logarithm", least=0.05, most=2)
    """Where the median tile differs by more, the tiles lie in no plane, such as those on a rack."""
    askew: float = limit(0.25, unit="logarithm", least=0.05, most=2)
    """Quads that differ from the plane by more are straightened, where most certain tiles near them do not differ."""
    other_size: float = limit(0.35, unit="logarithm", least=0.05, most=2)
    """Quads that differ in size by more are not straightened: they are no tiles of this set."""
    askew_neighbours: int = limit(4, unit="tiles", least=1, most=20)
    """So many certain neighbours are asked whether they fit the plane."""
