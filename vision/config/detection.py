"""Limits of detection: at which sizes a picture is searched, and which finds are one tile."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class DetectionConfig(Limits):
    """Limits of detection: at which sizes a picture is searched, and which finds are one tile."""

    # detection/detector.py
    side_px: int = limit(1024, unit="px", least=256, most=4096)
    """The longer side at which a picture is searched first; larger finds smaller tiles and takes longer. A smaller
    picture is searched as it is, and enlarged to this where nothing is found."""
    large_side_px: int = limit(2048, unit="px", least=512, most=8192)
    """The longer side at which it is searched at most a second time, where the first search finds the tiles to be
    small, or none."""
    small_tile_px: float = limit(17.0, unit="px", least=4, most=64)
    """Tiles narrower than this in the first search call for the second."""
    figure_ratio: float = limit(3.0, unit="times", least=1.5, most=10)
    """What lies on a more certain find so many times as wide is that tile's figure or logo and is dropped."""
    figure_score: float = limit(0.8, unit="score", least=0, most=1)
    """A find with a higher score than this is never taken for a figure. Measured: On the photos figures score 0.73 at
    most; tiles under a wrong wide find mostly more."""
    good_tile_px: float = limit(24.0, unit="px", least=8, most=96)
    """The second search enlarges the picture until tiles are this wide, up to `large_side_px`."""
    min_score: float = limit(0.3, unit="score", least=0.01, most=0.95)
    """Peaks of the network below this are no tiles."""
    faint_score: float = limit(0.035, unit="score", least=0.001, most=0.95)
    """Peaks from this up to `min_score` are faint places, where tiles may lie face down or were missed. Measured: Tiles
    that lie face down score 0.04 to 0.3."""
    fine_widths_px: tuple[float, float] = limit((0.0, 110.0), unit="px", least=0, most=1000)
    """Widths of finds that the search at full size is trusted for."""
    coarse_widths_px: tuple[float, float] = limit((30.0, 400.0), unit="px", least=0, most=1000)
    """Widths of finds, in its own pixels, that the search at half the size is trusted for."""
    coarsest_widths_px: tuple[float, float] = limit((40.0, 200.0), unit="px", least=0, most=1000)
    """The same for the search at a quarter of the size: seen from close by, a weave is as large as tiles are."""
    all_small_px: float = limit(42.0, unit="px", least=8, most=200)
    """Where most finds are narrower than this, no large tiles are searched for."""
    all_small_count: int = limit(6, unit="tiles", least=1, most=106)
    """So many finds it takes to leave the searches for large tiles out."""
    all_small_score: float = limit(0.7, unit="score", least=0, most=1)
    """Half of the finds must score this to leave them out: a weave has many finds, none of them so certain."""
    overlap: float = limit(0.35, unit="share of the smaller quad", least=0.05, most=1)
    """Two finds that share more than this are one tile."""
    beside: float = limit(0.5, unit="square root of the smaller quad's area", least=0.1, most=2)
    """Finds whose middles are further apart than this lie side by side, however much they overlap."""
    beside_area_ratio: float = limit(1.8, unit="times", least=1, most=10)
    """Finds that lie side by side have areas that differ by no more than this."""
    size_neighbours: int = limit(8, unit="finds", least=2, most=50)
    """A find's size is compared with so many of the nearest, itself among them."""
    size_fewest: int = limit(4, unit="tiles", least=2, most=50)
    """With fewer tiles sizes are not compared."""
    size_score_share: float = limit(0.7, unit="share of its score", least=0, most=1)
    """Only neighbours that score at least so much of what the find does tell how large it should be."""
    size_reach: float = limit(5.0, unit="sides of the larger find", least=1, most=50)
    """Only finds nearer than this are its neighbours: other narrow things on the table say nothing of the size of
    tiles."""
    same_place: float = limit(0.4, unit="sides of the smaller find", least=0.05, most=1)
    """Finds nearer than this are one tile, found by several searches."""
    collapsed: float = limit(0.8, unit="share of its neighbours' size", least=0.1, most=1)
    """Smaller finds are brought to their neighbours' size: where it is unclear which end is up, corners collapse."""
    swollen: float = limit(1.15, unit="times its neighbours' size", least=1, most=5)
    """Larger finds are brought to their neighbours' size."""
    part_margin_px: int = limit(24, unit="px", least=0, most=256)
    """So much around a part of the picture is searched with it, in the size in which it is searched."""
    most_parts: float = limit(0.5, unit="share of the picture", least=0, most=1)
    """Where the changed parts are more than this, the whole picture is searched instead."""
    size_usual: float = limit(0.75, unit="share of its neighbours", least=0, most=1)
    """As large as so many of its neighbours at most a find should be: those that collapsed are the smaller ones."""
    one_place: float = limit(0.25, unit="square root of the smaller quad's area", least=0, most=1)
    """Finds whose middles are nearer than this are one tile, whatever they share."""
    all_small_share: float = limit(0.9, unit="share of finds", least=0, most=1)
    """So many finds must be narrower than `all_small_px`."""

    # detection/tiling.py
    one_go_px: int = limit(2048, unit="px", least=256, most=8192)
    """Pictures whose longer side is within this are always searched in one go."""
    piece_px: int = limit(1024, unit="px", least=256, most=4096)
    """The side of the pieces that larger pictures are cut into."""
    piece_overlap_px: int = limit(192, unit="px", least=0, most=1024)
    """By so much pieces overlap: the longest that a tile may be to lie whole in one of two neighbours."""
    piece_tile_px: float = limit(24.0, unit="px", least=4, most=100)
    """Tiles narrower than this, in a picture shrunk to `one_go_px`, are searched for piece by piece."""
    panorama_shape: float = limit(2.0, unit="times its shorter side", least=1, most=20)
    """A picture longer than this is searched piece by piece even where nothing was found in one go."""
