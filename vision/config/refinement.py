"""Limits of refinement: which tiles are named again from other quads, and when that is accepted."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class RefinementConfig(Limits):
    """Limits of refinement: which tiles are named again from other quads, and when that is accepted."""

    # recognition/refinement/generators.py and proposals.py
    moved_away: float = limit(0.06, unit="widths", least=0, most=1)
    """A tile whose corners were moved by more than this is also named where it was found."""
    unnamed_below: float = limit(0.6, unit="probability", least=0, most=1)
    """Tiles named with less are named again in other directions and along outlines."""
    most_tiles: int = limit(12, unit="tiles", least=1, most=106)
    """So many tiles at most are refined by each generator: more take longer than the rest of a reading."""
    certain: float = limit(0.9, unit="probability", least=0.5, most=1)
    """Tiles named with this or more tell the shape and size of the others; what is missed, or is found upright that lay
    on its side, is accepted with as much."""
    certain_fewest: int = limit(3, unit="tiles", least=1, most=50)
    """With fewer certain tiles no other directions are tried."""
    off_plane: float = limit(0.15, unit="logarithm", least=0, most=2)
    """What differs from the plane by more is named again in its shape."""
    flat_loss: float = limit(0.02, unit="probability", least=0, most=0.5)
    """The plane's shape is accepted where it is named by no more than this less certain."""
    quarter_turn_gain: float = limit(0.2, unit="logarithm", least=0, most=2)
    """A quad lies on its side where a quarter turn makes it fit the plane better by this."""
    lying_shape: float = limit(1.15, unit="width over height", least=1, most=3)
    """Without a plane a quad lies on its side from this shape on."""
    joker_certain: float = limit(0.99, unit="probability", least=0, most=1)
    """Jokers named with this or more are not tried on their sides. Measured: None that turned out to be a number was
    named with more than 0.93."""
    directions: int = limit(8, unit="directions", least=2, most=36)
    """Ways to lie within half a turn that are tried."""
    gain: float = limit(0.2, unit="probability", least=0, most=1)
    """Another quad is accepted where it is named with so much more."""
    from_none: float = limit(0.85, unit="probability", least=0, most=1)
    """Where the tile's own quad shows no tile, another is accepted with at least this, or where it is surely some
    number (`surely_a_tile`, `open_name`)."""
    joker_less: float = limit(0.05, unit="probability", least=0, most=1)
    """Of two looks at a place one at a joker must be so much surer: half of a figure looks like one."""
    joker_least: float = limit(0.97, unit="probability", least=0, most=1)
    """A joker is accepted from another quad with at least this, but where it may as well be a number: what is no tile,
    or lies on its side, looks most like one."""
    outline_off_plane: float = limit(0.3, unit="logarithm", least=0, most=2)
    """An outline that differs from the plane by more is no tile's."""
    outline_below: float = limit(0.95, unit="probability", least=0, most=1)
    """Without a plane tiles named with less are named again along outlines."""

    # recognition/refinement/joker_orientation.py
    joker_row_reach: float = limit(1.6, unit="widths", least=0.5, most=5)
    """A joker's row is that of a tile no further from it than this."""
    joker_beside: tuple[float, float] = limit((0.7, 1.35), unit="widths", least=0, most=3)
    """A joker lies beside a tile where its middle is so far to the side of the tile's."""
    joker_level: float = limit(0.45, unit="widths", least=0, most=2)
    """And no further above or below it than this."""
    joker_step: float = limit(1.03, unit="widths", least=0.8, most=1.5)
    """How far the next tile's middle is in most rows."""
    joker_snap: float = limit(0.3, unit="widths", least=0, most=1)
    """A joker no further off that step is put there: quads that are turned are off, too."""

    # recognition/refinement/neighbours.py
    surely_a_tile: float = limit(0.97, unit="probability of a tile", least=0.5, most=1)
    """What was missed, or found and named none, is also accepted where it is a tile with this, whatever its name: a
    person is asked about it. And what is followed is a tile that lay elsewhere only where it is one with this
    (`tracking/association.py`)."""
    open_name: float = limit(0.3, unit="probability", least=0, most=1)
    """Such a tile is a number with at least this, and has the likeliest of its names with it, too."""
    found_too: float = limit(0.35, unit="widths", least=0, most=1)
    """A look beside a tile no further from what was found and named none is at the same thing: a number there counts
    from `open_name` on."""
    beside_covered: float = limit(0.4, unit="share", least=0, most=1)
    """A missed tile that a certain one covers by more than this is none."""
    beside_light: float = limit(0.3, unit="logarithm", least=0, most=2)
    """A place is tried where its light differs by less than this from the tile beside it."""
    beside_tint: float = limit(0.12, unit="logarithm", least=0, most=2)
    """And its tint by less than this."""
    beside_certain: float = limit(0.5, unit="probability", least=0, most=1)
    """Tiles named with this or more tell where to look for missed ones."""
    between: tuple[float, float] = limit((1.3, 2.6), unit="widths", least=1, most=5)
    """Half way between two certain tiles of a row that are so far apart a place is tried."""
    between_across: float = limit(0.3, unit="widths", least=0, most=1)
    """Of a row are those of which one lies no further than this above or below where the other points to."""
    between_cosine: float = limit(0.9, unit="cosine", least=0, most=1)
    """And which are turned no further than this from each other; which end is up does not matter."""
    faint_as_large: float = limit(0.3, unit="logarithm", least=0, most=2)
    """A faint place is tried in its own size where it differs by less than this from the nearest certain tile's."""
    faint_any_size: float = limit(0.75, unit="logarithm", least=0, most=3)
    """In that tile's size where it differs by less than this: corners that are found faintly collapse."""
    beside_ill_sized: float = limit(0.2, unit="logarithm", least=0, most=2)
    """An uncertain quad whose size differs by more keeps no place from being tried: it may lie across its tile."""
    faint_same_place: float = limit(0.3, unit="widths", least=0, most=1)
    """Faint places no further apart than this are one; those half a tile apart may be two tiles."""
    beside_inside: float = limit(0.85, unit="share", least=0, most=1)
    """So much of a place must lie in the picture."""
    beside_most_moved: float = limit(0.45, unit="widths", least=0, most=1)
    """A missed tile is no further from the place that was tried."""
    beside_most: int = limit(24, unit="places", least=1, most=106)
    """So many places beside tiles, and so many faint ones, are tried at most."""
    beside_rounds: int = limit(3, unit="rounds", least=0, most=20)
    """Beside what was found so it is searched again, so often in all."""

    # recognition/refinement/pale_places.py
    pale_unit_px: float = limit(9.0, unit="px", least=4, most=40)
    """Pale pieces of the table are searched for in a picture in which a tile is so wide."""
    pale_tiles: int = limit(24, unit="tiles", least=1, most=106)
    """So many certain tiles tell how white faces are where."""
    pale_levels: tuple[tuple[float, float], ...] = limit(
        ((0.4, 0.17), (0.25, 0.17), (0.25, 0.09), (0.4, 0.07), (0.13, 0.055)), unit="logarithms", least=0, most=2
    )
    """A pixel is pale where its light and its tint differ by less than these from the faces near it: less and less,
    for where the table is pale, too, tiles stand out only from what is almost theirs."""
    pale_grown: float = limit(1.12, unit="times", least=1, most=2)
    """What is known explains its quad so much enlarged: its sides and its bevel are pale as well."""
    pale_filled: float = limit(0.55, unit="share", least=0, most=1)
    """A piece fills so much of a square of 0.8 widths."""
    pale_around: float = limit(0.55, unit="share", least=0, most=1)
    """And no more than so much of one of 2.6 widths: beyond, it is the table that is pale."""
    pale_shifts: int = limit(3, unit="rounds", least=0, most=10)
    """So often a place is moved to the middle of what is pale about it, within a square of 1.6 widths."""
    pale_turns: int = limit(4, unit="turns", least=1, most=16)
    """Ways to lie within half a turn that are tried, from that of the nearest tile on."""
    pale_apart: float = limit(0.7, unit="widths", least=0.1, most=2)
    """Places no further apart are one."""
    pale_most: int = limit(24, unit="places", least=0, most=106)
    """So many of them at most are looked at. Measured: of 16 hidden tiles that were missed with 12, on patterned cloths
    mostly, 4 are asked about with 24; reading 30 kept-out tables takes 1.07 of the time."""
    pale_certain: float = limit(0.75, unit="probability", least=0, most=1)
    """A number on a pale place that nobody found is asked about if it is named with as much."""
    pale_moved: float = limit(0.6, unit="sides", least=0, most=2)
    """And no further from the place that was looked at."""
    pale_squares: tuple[float, float] = limit((0.8, 2.6), unit="widths", least=0.1, most=10)
    """Sides of the squares in which what is pale is counted: at a place, and around it."""
    pale_print: float = limit(0.5, unit="widths", least=0.1, most=2)
    """The side of the square in a place's middle in which print is counted."""
    pale_printed: float = limit(0.01, unit="share of the light", least=0.0001, most=0.5)
    """Where as much of the light is lost to print, a place is printed as surely as one may stand out."""
    pale_reach: float = limit(0.8, unit="widths", least=0, most=5)
    """So far each way a place's middle is looked for."""

    # recognition/refinement/printed_places.py
    printed_ink: float = limit(0.12, unit="share of the light", least=0, most=1)
    """What is printed throws back so much less in its darkest channel than what lies around it."""
    printed_stroke: float = limit(0.5, unit="widths", least=0.1, most=2)
    """No stroke of a figure is wider: what is white within a square of this side is taken for what lies around it."""
    printed_squares: tuple[float, float] = limit((0.7, 1.5), unit="widths", least=0.1, most=10)
    """Sides of the squares in which print is counted: at a figure, and around it."""
    printed_least: float = limit(0.02, unit="share of the light", least=0, most=0.5)
    """So much of the light in the smaller square is lost to print."""
    printed_alone: float = limit(1.5, unit="times", least=0, most=20)
    """That is so many times what is lost around it."""
    printed_free: float = limit(0.97, unit="share", least=0, most=1)
    """So much of the smaller square holds nothing that is known: a figure ends well within its tile."""
    printed_ground: tuple[float, float] = limit((0.3, 0.12), unit="logarithms", least=0, most=2)
    """What lies around a figure differs by less than these from the light and the tint of the faces near it."""
    printed_tried: int = limit(64, unit="places", least=0, most=500)
    """That is looked at for so many places at most, the clearest first."""
    printed_most: int = limit(16, unit="places", least=0, most=106)
    """So many of them at most are looked at, the clearest first."""
    printed_above: float = limit(0.2, unit="heights", least=0, most=0.5)
    """A tile's middle lies so far below its figure's."""

    # recognition/refinement/outlines.py
    outline_side_px: int = limit(48, unit="px", least=16, most=256)
    """Outlines are searched for in a picture in which the quad's longer side has this length."""
    outline_around: float = limit(1.5, unit="longer sides", least=0.5, most=4)
    """So much on each side of the middle is searched."""
    outline_least_px: int = limit(8, unit="px", least=2, most=64)
    """Nothing can be made out of a quad, a side or a part of the picture that is smaller."""
    outline_colors: tuple[float, float, float, float] = limit(
        (10.0, 16.0, 24.0, 34.0), unit="units of CIELAB", least=1, most=100
    )
    """Differences from the face's colour up to which a pixel is taken for the face's, one after the other."""
    outline_least_area: float = limit(0.4, unit="areas of the quad", least=0, most=1)
    """A face is at least so large."""
    outline_most_area: float = limit(3.5, unit="areas of the quad", least=1, most=20)
    """A face is at most so large."""
    outline_solid: float = limit(0.9, unit="share of its hull", least=0, most=1)
    """A face fills at least so much of its hull."""
    outline_common: float = limit(0.88, unit="share", least=0, most=1)
    """A face and its four corners have so much in common."""
    outline_simplified: tuple[float, float, float] = limit(
        (0.02, 0.12, 0.01), unit="lengths of the hull", least=0, most=1
    )
    """How far a simpler outline may be off: from, up to and step; the first with four corners is taken."""
    outline_longest: float = limit(2.6, unit="height over width", least=1, most=6)
    """No tile is longer than this in the picture."""
    outline_straight: tuple[float, float] = limit((0.2, 0.8), unit="shares of a side", least=0, most=1)
    """A side's line is fitted to the points between these shares of it: corners are rounded."""
    outline_near: float = limit(0.1, unit="lengths of the side", least=0, most=1)
    """And no further off it than this (and a pixel)."""
    outline_points: int = limit(5, unit="points", least=2, most=50)
    """Where there are at least so many of them."""
    outline_same_px: float = limit(2.0, unit="px", least=0, most=20)
    """Outlines whose corners are no further apart are one."""

    # recognition/refinement/refine.py
    mend_moved: float = limit(0.06, unit="widths", least=0, most=1)
    """An uncertain tile whose corners the network moves by more, or a missed one whose middle it does, is named again
    where they are then."""
    mend_below: float = limit(0.98, unit="probability", least=0, most=1)
    """A tile named with this or more is not, unless it is as far off as `mend_always`."""
    mend_always: float = limit(0.15, unit="widths", least=0, most=1)
    """A tile moved by more is named again however certain it is."""
    mend_rounds: int = limit(3, unit="rounds", least=0, most=10)
    """So often at most."""
    cuts_below: float = limit(0.97, unit="probability", least=0, most=1)
    """Tiles named with less are named from several crops, by the mean."""
    cuts_most: int = limit(24, unit="tiles", least=0, most=106)
    """So many of them at most, the least certain first."""
