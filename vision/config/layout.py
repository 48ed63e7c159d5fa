"""Limits of grouping tiles into rows."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class LayoutConfig(Limits):
    """Limits of grouping tiles into rows."""

    # layout/adjacency.py
    gap_astray: float = limit(0.25, unit="widths", least=0, most=1)
    """All quads of a part of the picture may be found too wide or too narrow by so much, and no more."""
    gap_telling: float = limit(0.35, unit="widths", least=0, most=2)
    """A wider gap is between tiles that lie apart and says nothing of how quads are off."""
    joint_overlap: float = limit(0.35, unit="widths", least=0, most=1)
    """How far sides that lie together may reach into each other."""
    joint_gap: float = limit(0.5, unit="widths", least=0, most=2)
    """How far they may stand apart."""
    joint_tilt: float = limit(0.42, unit="sine", least=0, most=1)
    """How far they may be turned from parallel."""
    joint_shared: float = limit(0.45, unit="share of their height", least=0, most=1)
    """How much of their height they have in common at least, so that staggered rows hold together and tiles corner to
    corner do not."""
    joint_horizon: float = limit(0.2, unit="share of a tile's own depth", least=0, most=1)
    """Corners nearer than this to the horizon of a tile's plane say nothing: one small quad tells little of them."""
    joint_lengths: tuple[float, float] = limit((0.45, 2.2), unit="heights of a tile", least=0, most=10)
    """Between these a neighbour's side may be: the picture's edge cuts tiles, and near ones look larger."""
    joint_widths: tuple[float, float] = limit((0.15, 3.0), unit="widths", least=0, most=10)
    """The same for its width."""
    gap_fewest: int = limit(4, unit="gaps", least=2, most=50)
    """Fewer gaps do not show what is usual."""
    gap_spread: float = limit(0.1, unit="widths", least=0.01, most=1)
    """A gap that differs by this from what is usual has half its weight in the next round of the fit."""
    gap_rounds: int = limit(6, unit="rounds", least=1, most=20)
    """How often the fit is repeated with new weights."""
    gap_stiffness: float = limit(2.0, unit="gaps", least=0, most=50)
    """So many gaps it takes to believe that they are wider at one end of the table or in one direction."""

    # layout/racks.py
    rack_rows_apart: float = limit(0.45, unit="heights", least=0.1, most=2)
    """Rows of a rack are further apart than this: the back row shows half of itself at least."""
    rack_slope_within: tuple[float, float] = limit((0.3, 4.0), unit="heights", least=0, most=20)
    """Pairs of tiles so far apart along a rack show by how much its rows fall."""
    rack_slope_fall: float = limit(0.35, unit="heights, or half their distance", least=0, most=2)
    """Those of which one lies lower by more stand in different rows."""

    # layout/rows.py
    touching: float = limit(0.18, unit="widths", least=0, most=1)
    """A gap up to this, against what is usual where it is, never parts a row. Measured: On the photos the widest inside
    a row is 0.07."""
    loose: float = limit(0.24, unit="widths", least=0, most=1)
    """A gap up to this does not part off fewer than `usual_length` tiles: nobody lays such a meld on purpose."""
    usual_length: int = limit(3, unit="tiles", least=1, most=13)
    """The shortest meld that is laid on purpose."""
    gap_softness: float = limit(0.015, unit="widths", least=0.001, most=1)
    """So far from the limit the other grouping is about a quarter as likely."""
    misfit_softness: float = limit(0.12, unit="misfit", least=0.001, most=1)
    """The same for which of two neighbours a tile belongs to."""
    tighter_rows: float = limit(0.75, unit="share", least=0, most=2)
    """Where a row lies tighter than is usual on its table, so much of the difference is taken off the limit."""
    least_weight: float = limit(0.2, unit="probability", least=0, most=0.5)
    """A grouping that is less likely is no alternative."""
    loose_times: float = limit(2.5, unit="times the row's own gap", least=1, most=10)
    """Who lays every tile with a gap does not part a row by one up to so many times as wide."""
    loose_more: float = limit(0.05, unit="widths", least=0, most=1)
    """And so much more."""
