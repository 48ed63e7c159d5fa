"""Limits of following a table: what moved, what changed, what covers tiles, and what is named again."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class TrackingConfig(Limits):
    """Limits of following a table: what moved, what changed, what covers tiles, and what is named again."""

    # tracking/association.py
    same_place: float = limit(0.35, unit="widths", least=0.05, most=1)
    """A middle nearer than this to where one was lies where it lay."""
    turned_cosine: float = limit(0.85, unit="cosine", least=0, most=1)
    """A tile turned further than this is laid anew; which end is up does not matter."""
    same_scene: float = limit(0.5, unit="share of tiles", least=0, most=1)
    """Where so many of the tiles that are found are where they were, what was hidden among them still is; and where
    parts of the picture changed, unless so many others are seen for each that is not."""
    move_fewest: int = limit(8, unit="tiles", least=4, most=100)
    """So many tiles of the same looks, led by one move, are those of the same table."""
    alike: float = limit(0.5, unit="likeness", least=0, most=1)
    """As alike a tile that went and one that came are one that moved."""
    nudged: float = limit(0.12, unit="widths", least=0, most=1)
    """What lies further from where it lay is named from a new place."""
    still_there: float = limit(0.7, unit="likeness", least=0, most=1)
    """A tile that the detector does not find again is still there if it looks this much like itself where it lay."""
    twin_distance: float = limit(0.09, unit="likeness", least=0, most=0.1)
    """How much the distance counts, from none to the farthest: less than a step of likeness, so that it decides between
    twins alone."""

    # tracking/occluded_tiles.py
    table_around: tuple[float, float, float] = limit((0.25, 0.7, 1.2), unit="widths", least=0, most=5)
    """So far around what changed the table's colour is read."""
    place_around: tuple[float, float] = limit((1.25, 1.45), unit="sizes of a tile", least=1, most=3)
    """Right beside a place is where it would reach if it were so many times as large."""
    with_sides: float = limit(1.25, unit="sizes of a tile", least=1, most=3)
    """So large is a tile with its sides and its shadow: they are as light as what may cover another, and no table."""
    table_points: int = limit(40, unit="points", least=4, most=400)
    """Points along each of these ways around."""
    table_tint: float = limit(0.12, unit="logarithm", least=0, most=2)
    """What is off the table's tint by less is the table."""
    table_light: float = limit(0.35, unit="logarithm", least=0, most=2)
    """And off its light by less: a shadow darkens it and tints little."""
    table_share: float = limit(0.7, unit="share", least=0, most=1)
    """Where so much of a place is table, the tile was taken away."""
    free_share: float = limit(0.5, unit="share", least=0, most=1)
    """Less of a place than this is free where another tile lies there now: the row was pushed along."""
    covered_beside: float = limit(1.5, unit="widths", least=0.5, most=5)
    """A neighbour in the row, or the tile above it, is no further from middle to middle."""
    table_fewest: int = limit(20, unit="points", least=1, most=400)
    """With fewer points of the table nobody can tell, and what is not found is gone."""

    # tracking/illumination.py
    work_width_px: int = limit(480, unit="px", least=120, most=1920)
    """Frames are compared at this width, at which a tile of a full table still covers 10 × 14."""
    changed_levels: float = limit(11.0, unit="levels of 255", least=1, most=128)
    """What differs by more, averaged over 3 × 3 pixels, has changed; noise comes on top."""
    exposure_levels: float = limit(60.0, unit="levels of 255", least=0, most=255)
    """How many levels more for each step (a natural logarithm) of exposure: a camera's tone is no clean power."""
    light_stepped: float = limit(0.15, unit="logarithm", least=0, most=3)
    """Where the light changed by so much, patterns tell as well what reaches in: a difference has to be large then.
    Measured: of 600 arms and coats on drawn tables, most of them with such a step, 115 are missed without it."""
    drift_share: float = limit(0.25, unit="share", least=0, most=1)
    """The share of a drift of light in one cell that is believed with each frame."""
    most_drift: float = limit(0.08, unit="logarithm", least=0, most=1)
    """The largest change that counts as a drift."""
    darker: float = limit(0.01, unit="logarithm", least=0, most=1)
    """By so much darker than before, what was cut off may by rights be brighter than expected."""
    pattern_px: int = limit(9, unit="px", least=3, most=63)
    """The side of the squares, in the small picture, within which fine patterns are compared: about a tile's width."""
    pattern_dim_levels: float = limit(12.0, unit="levels of 255", least=1, most=128)
    """Added to light before its logarithm is taken: what is darker shows noise and no pattern."""
    pattern_depth: float = limit(0.08, unit="logarithm", least=0.001, most=1)
    """A pattern with a smaller spread than this is none."""
    pattern_held: float = limit(0.3, unit="correlation", least=-1, most=1)
    """Where patterns correlate less than this, something else is seen."""
    light_alike: float = limit(0.004, unit="share", least=0, most=0.1)
    """Light that differs by less is the same: that is less than a level."""

    # tracking/edge_tiles.py
    edge_filled: float = limit(0.5, unit="share of its outline", least=0, most=1)
    """What is filled by tiles that are read there to more than this is a row at the edge, and no occluder."""
    edge_white: tuple[float, float] = limit((0.4, 0.17), unit="logarithms", least=0, most=2)
    """What may be a tile's face differs by less than these in light and tint from that of the nearest tile."""
    edge_pale: float = limit(0.25, unit="share of its outline at the edge", least=0, most=1)
    """Tiles are looked for where so much within a tile's width of the picture's edge may be."""

    # tracking/faces.py
    print_alike: float = limit(0.93, unit="correlation", least=-1, most=1)
    """A face that correlates less with what it was is looked at again. Measured: A thin yellow 9 in place of a 6
    correlates with 0.915; faces that nobody touched, in rendered games, with 0.99, and drawn ones with 0.94 in a sixth
    of the light with noise."""

    # tracking/focus.py
    edge_steps: float = limit(0.012, unit="share of the light", least=0, most=1)
    """A cell whose light steps by so much from pixel to pixel in the mean shows how much is in focus."""
    edged_fewest: int = limit(2, unit="cells", least=1, most=144)
    """With fewer such cells nobody can tell: a row of eight tiles on a plain cloth has a few."""
    softer_share: float = limit(0.88, unit="share of the step", least=0, most=1)
    """A picture whose light steps by less than this share of what it did may be less in focus."""
    blur_leaves: float = limit(0.55, unit="share of the difference", least=0, most=1)
    """And is, where a blur leaves less than this of what differs."""
    breathes: float = limit(0.01, unit="share of the picture's width", least=0, most=0.1)
    """A lens that is focused elsewhere shows corners off by up to so much."""

    # tracking/glare.py
    glare_level: int = limit(245, unit="levels of 255", least=128, most=255)
    """From this level on, in each channel, nothing shows of what lies there."""
    glare_least: float = limit(0.04, unit="share of the face", least=0, most=1)
    """So much of a tile's face has newly become as bright where glare has come."""
    glare_darker: float = limit(60.0, unit="levels of 255", least=1, most=255)
    """Light makes no channel so much darker: there another tile has its print."""
    glare_lacks: float = limit(90.0, unit="levels of 255", least=1, most=255)
    """A channel that lacks so much to white tells how much of that light took."""
    glare_uneven: float = limit(0.35, unit="share", least=0, most=2)
    """Where two channels differ by more in this, another ink is seen."""
    glare_print: float = limit(0.01, unit="share of the face", least=0, most=1)
    """Where more of the face shows such print, another tile lies there."""
    glare_shows: float = limit(0.3, unit="share of the face", least=0, most=1)
    """And so much of it shows still."""
    glare_alike: float = limit(0.75, unit="correlation", least=-1, most=1)
    """Where the print that still shows correlates with that of before by this, it is the same tile."""

    # tracking/motion_detection.py
    soft_stays_s: float = limit(4.0, unit="s", least=0, most=60)
    """Out of focus for so long while nothing moves, in all, a picture is read as it is."""
    held_every_s: float = limit(0.5, unit="s", least=0, most=60)
    """So often a table at rest is held against what settled, by its pattern, and one that is out of focus looked at."""
    black_level: int = limit(20, unit="levels of 255", least=0, most=128)
    """Where 99 % of a picture are darker nothing is seen, and what is known is kept."""
    unlike_share: float = limit(0.33, unit="share of what has a pattern", least=0, most=1)
    """Where more of it is another after the dark, all of the table is read anew."""
    shifted_share: float = limit(0.55, unit="share of cells", least=0, most=1)
    """Where so much changed at once, it was the camera or the whole table that moved."""
    cells_fewest: int = limit(6, unit="cells", least=1, most=144)
    """With fewer cells that show something nobody can tell."""
    edge_levels: float = limit(12.0, unit="levels of 255", least=1, most=128)
    """A cell with a mean step from pixel to pixel of so many levels shows something."""
    change_margin_px: int = limit(5, unit="px", least=0, most=64)
    """A change has so many pixels of the small picture around it, and is one with those that it then touches."""
    cell_changed: float = limit(0.02, unit="share of the cell", least=0, most=1)
    """A cell changed where so much of it did."""

    # tracking/occluders.py
    occluder_least: float = limit(0.004, unit="share of the picture", least=0, most=0.5)
    """What is smaller, about four tiles of a full table, is no occluder."""
    occluder_most: float = limit(0.5, unit="share of the picture", least=0, most=1)
    """And what is larger is no occluder either, but another table."""
    occluder_edge_px: int = limit(9, unit="px", least=1, most=200)
    """It crosses the picture's edge over so many pixels of the small picture: a wrist is as wide as two tiles."""
    pattern_alike: float = limit(0.6, unit="correlation", least=0, most=1)
    """Where the fine pattern correlates like this with what it was, it is only a shadow."""
    pattern_least: float = limit(2.0, unit="levels of 255", least=0, most=64)
    """With less pattern there is nothing to tell a shadow by."""
    occluder_steps: float = limit(0.5, unit="share of the steps before", least=0, most=2)
    """Where light steps less at the rim of what changed, something was taken from there."""
    hand_stays_s: float = limit(30.0, unit="s", least=1, most=600)
    """Skin and dark sleeves that lie motionless for so long are part of the table from then on."""
    thing_stays_s: float = limit(4.5, unit="s", least=1, most=600)
    """And anything else."""
    occluder_joined_px: int = limit(12, unit="px", least=0, most=100)
    """Nothing further from what changed joins it to the edge."""
    sleeve_level: int = limit(60, unit="levels of 255", least=0, most=255)
    """Dark sleeves stay below this in every channel."""

    # tracking/reclassification.py
    anew_below: float = limit(0.9, unit="probability", least=0, most=1)
    """A tile named with less is found and named anew."""
    anew_after: tuple[int, int] = limit((1, 3), unit="crops", least=0, most=50)
    """After so many crops that is done: in the frame after it was read first, and two later."""
    anew_most: int = limit(4, unit="tiles", least=0, most=106)
    """For so many tiles in one frame."""
    anew_near: float = limit(0.6, unit="widths", least=0.1, most=2)
    """A find nearer than this to where a tile was is that tile."""

    # tracking/registration.py
    shift_points: int = limit(240, unit="points", least=10, most=2000)
    """So many points of the picture are followed to see how it moved."""
    shift_fewest: int = limit(20, unit="points", least=4, most=1000)
    """So many must agree on one move."""
    shift_share: float = limit(0.5, unit="share of points", least=0, most=1)
    """And such a share of those that could be followed."""
    shift_within_px: float = limit(1.5, unit="px", least=0.1, most=20)
    """How far off a point may be and still agree, in pixels of the small picture."""
    shift_better: float = limit(0.5, unit="share of the way", least=0, most=1)
    """And half of these lie no further off it than this share of the way that they went."""
    shift_passes: int = limit(3, unit="passes", least=1, most=9)
    """So often points are followed, each time from where the last pass led: one that turns is found roughly first."""
    shift_least_px: float = limit(0.3, unit="px", least=0, most=20)
    """The picture moved if its corners did so by more."""
    shift_quality: float = limit(0.01, unit="share of the best corner's", least=0, most=1)
    """Corners weaker than this are not followed."""
    shift_apart_px: float = limit(6.0, unit="px", least=1, most=100)
    """Nor such as are nearer to a better one, in pixels of the small picture."""

    # tracking/ink_words.py
    word_same_colour: float = limit(0.02, unit="chord of the unit sphere", least=0, most=0.5)
    """Words for inks nearer than this in colour are for one ink: looks at one tile differ by less, inks by far more."""
    words_of_pair: int = limit(4, unit="words", least=1, most=100)
    """So many of the newest words for two like inks count: a handful settles a table, and many outweigh what another
    lamp shows."""

    # tracking/tracker.py
    still_after_s: float = limit(0.35, unit="s", least=0, most=10)
    """A table that did not move for so long lies still."""
    most_crops: int = limit(6, unit="frames", least=1, most=100)
    """A tile whose name is not locked is named in so many still frames; after that no more of them would help."""
    crops_a_frame: int = limit(8, unit="tiles", least=1, most=106)
    """So many tiles are named again in one still frame, so that no frame takes long."""
