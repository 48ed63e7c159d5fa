"""Limits of judging a picture: troubles, covered places, face-down tiles, and the play area."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class QualityConfig(Limits):
    """Limits of judging a picture: troubles, covered places, face-down tiles, and the play area."""

    # quality/covered_rows.py
    cover_hides: float = limit(2.5, unit="areas of a tile", least=0, most=20)
    """What covers so much may hide tiles that were never read there."""
    cover_share: float = limit(0.1, unit="share", least=0, most=1)
    """The place beside the end of a row is out of sight where so much of it is covered."""

    # quality/diagnostics.py
    suffers: float = limit(0.12, unit="share of tiles in doubt", least=0, most=1)
    """From this share on a picture's light and sharpness are to blame."""
    sharpness_tiles: int = limit(24, unit="tiles", least=3, most=106)
    """So many tiles, from all over the table, show whether a picture is blurred."""
    cut_off: float = limit(0.03, unit="widths", least=0, most=1)
    """A tile whose corners lie further beyond the picture's edge is cut off."""
    either_ink: float = limit(0.15, unit="probability", least=0, most=0.5)
    """Where red and the warm ink are each at least so likely, a tile could be either."""
    either_fewest: int = limit(2, unit="tiles", least=1, most=50)
    """So many such tiles make it a matter of the light."""
    either_share: float = limit(0.1, unit="share of tiles in either ink", least=0, most=1)
    """And such a share of all."""

    # quality/face_down.py
    face_down_fewest: int = limit(3, unit="tiles", least=1, most=50)
    """With fewer certain tiles nothing shows how large and how white a tile is."""
    face_down_neighbours: int = limit(6, unit="tiles", least=1, most=50)
    """A face is compared with so many of the nearest."""
    face_down_directions: int = limit(12, unit="directions", least=2, most=36)
    """Ways to lie within half a turn that are tried."""
    face_down_shift: float = limit(0.12, unit="widths", least=0, most=1)
    """So far on each side of where the peak lies the outline is tried."""
    face_down_light: float = limit(0.35, unit="logarithm", least=0, most=2)
    """How far its light may be off theirs. Measured: 0.28."""
    face_down_blank: float = limit(0.15, unit="share of its light", least=0, most=1)
    """The most that a blank face varies from its darkest to its brightest tenth."""
    face_down_step: float = limit(0.05, unit="share of its light", least=0, most=1)
    """A step or a groove this deep is an edge."""
    face_down_edged: float = limit(0.6, unit="share of the outline", least=0, most=1)
    """So much of the outline must show an edge."""
    face_down_same_place: float = limit(0.6, unit="square root of a tile's area", least=0, most=2)
    """Two tiles do not lie nearer than this."""
    face_down_across: tuple[float, float, float, float, float] = limit(
        (0.82, 0.94, 1.0, 1.06, 1.12), unit="half tiles", least=0, most=2
    )
    """Where the light across an edge is read: the face first, then at the edge and just beyond."""
    face_down_inner: float = limit(0.55, unit="sizes of a tile", least=0.1, most=1)
    """So large a part about a faint place must be blank and white before an outline is tried there."""
    face_down_alike: float = limit(0.2, unit="logarithm", least=0, most=2)
    """A neighbour whose size is off the usual by more is no example of how tiles lie there."""
    face_down_varied: tuple[float, float] = limit((0.08, 0.92), unit="shares of a face's samples", least=0, most=1)
    """How much a face varies is told between these: beyond there are specks and glints."""
    dark_floor: float = limit(8.0, unit="levels of 255", least=1, most=64)
    """Where it is darker, a contrast is told against this: a level or two would be a large share."""

    # quality/occlusion.py
    place_columns: int = limit(10, unit="samples", least=4, most=100)
    """How closely a place is sampled along the row."""
    place_lines: int = limit(14, unit="samples", least=4, most=100)
    """How closely it is sampled across the row."""
    place_tint: float = limit(0.1, unit="logarithm", least=0, most=2)
    """How far a tint may be off that of the tiles beside it for a tile's face. Measured: Face down 0.04."""
    place_light: float = limit(0.3, unit="logarithm", least=0, most=2)
    """How far its light may be off."""
    place_near: float = limit(0.5, unit="share of samples", least=0, most=1)
    """So many samples of a place's near part must be white where a tile shows in part."""
    place_far: float = limit(0.3, unit="share of samples", least=0, most=1)
    """And no more than so many of its far part."""
    edge_covered: float = limit(0.15, unit="share of samples", least=0, most=1)
    """Along a tile's edge fewer white samples than this show that something covers it."""
    place_ground: float = limit(0.15, unit="share of samples", least=0, most=1)
    """Beside the row at most so many may be as white: on a pale cloth nothing can be told."""
    place_taken: float = limit(0.1, unit="share", least=0, most=1)
    """A place of which another tile covers more is that tile's."""
    blown_level: int = limit(250, unit="levels of 255", least=128, most=255)
    """Where no channel is below this, nothing can be read any more."""
    blown_faces_level: int = limit(239, unit="levels of 255", least=128, most=255)
    """Where the faces themselves are brighter than this, glare can't be told from them."""
    blown_least: float = limit(0.12, unit="areas of a tile", least=0, most=5)
    """So large a blown-out patch must be."""
    lamp_least: float = limit(1.5, unit="areas of a tile", least=0, most=20)
    """From this size on it is a lamp's reflection if it fades out softly, as no paper does."""
    lamp_rings: int = limit(7, unit="steps", least=2, most=50)
    """The light around a patch is followed outwards in so many steps of a sixteenth of a tile."""
    lamp_soft: int = limit(2, unit="steps", least=1, most=50)
    """Light that takes so many steps or more to fall by half is soft."""
    blown_sparse_px: int = limit(4, unit="px", least=1, most=32)
    """Every so many pixels each way a first search for blown-out patches reads one."""
    blown_nearly: int = limit(240, unit="levels of 255", least=128, most=255)
    """Where none of those is as bright, there is no patch."""
    place_gap: float = limit(0.03, unit="widths", least=0, most=0.5)
    """So far beside the row's end the next place begins."""
    place_inside: float = limit(0.9, unit="share", least=0, most=1)
    """So much of a place, or of a tile that lies face down, must lie in the picture."""
    blown_beside: float = limit(0.3, unit="share of the patch", least=0, most=1)
    """A patch that is no lamp's and lies on no doubtful tile counts where so much of it lies where a tile could."""

    # quality/play_area.py
    area_side_px: int = limit(192, unit="px", least=64, most=1024)
    """The picture's longer side while the play area is searched for."""
    area_step: int = limit(4, unit="levels of 255", least=1, most=64)
    """How much a pixel of the table's surface may differ from its neighbour."""
    area_large: float = limit(0.006, unit="share of the picture", least=0, most=0.2)
    """What is smaller on the table is a tile or its shadow."""
    area_middle: float = limit(0.5, unit="share of width and height", least=0, most=1)
    """What lies so near to the middle is played with, whatever it is."""
    area_clear: float = limit(0.985, unit="share", least=0.5, most=1)
    """So much of the area is to be free; shadows and letters on a tablecloth are not the table's rim."""
    area_least: float = limit(0.12, unit="share of the picture", least=0, most=1)
    """A smaller area is a table that was not understood."""
    area_reach: float = limit(0.85, unit="longer sides of a tile", least=0, most=3)
    """The area is drawn out around a tile across its rim by no more, for there may be a rack."""
    area_rounding_px: float = limit(0.05, unit="px", least=0, most=1)
    """A corner nearer to the rim than this lies on it."""
    area_margin: float = limit(0.15, unit="sizes of a tile", least=0, most=1)
    """So far beyond a tile the area is drawn out around it."""
    area_across: float = limit(0.1, unit="share of tiles", least=0, most=1)
    """So many tiles, and one in any case, may lie across the rim."""
    area_starts: tuple[float, float] = limit((0.28, 0.72), unit="share of width and height", least=0, most=1)
    """Between these the surface is searched for from 7 × 7 points."""
    area_piece: float = limit(0.02, unit="share of the picture", least=0, most=1)
    """Wood and woven cloth fall into several pieces: each larger than this is the table's."""

    # quality/self_test.py
    shine_level: int = limit(252, unit="levels of 255", least=128, most=255)
    """What is as bright on the empty table is a lamp that shines back."""
    shine_least: float = limit(0.002, unit="share of the picture", least=0, most=1)
    """A smaller spot hides no more than a corner of a tile."""
    shine_around_tile: float = limit(1.2, unit="times its size", least=1, most=3)
    """So much larger than its quad a tile shows, with its sides and its shine on the table."""

    # quality/placement.py
    tile_width_mm: float = limit(27.0, unit="mm", least=10, most=60)
    """How wide a tile of the standard box is."""
    focal_share: float = limit(0.8, unit="share of the longer side", least=0.2, most=5)
    """The focal length of the lenses of most webcams and phones, which see 60 to 70 degrees."""
    hand_mm: float = limit(100.0, unit="mm", least=50, most=250)
    """How far a hand is, by which people move a camera."""
    wide_px: float = limit(20.0, unit="px", least=1, most=200)
    """A camera that is brought nearer is brought so near that tiles are so wide."""
    at_edge: float = limit(0.02, unit="share of the picture", least=0, most=0.5)
    """What is cut off lies so near to the edge that cuts it."""

    # quality/status.py
    dark_level: int = limit(45, unit="levels of 255", least=0, most=255)
    """Where 99 % of a picture are darker, ivory tiles can't be told from wood."""
    grey_spread: float = limit(0.04, unit="share of the brightest", least=0, most=1)
    """Channels further apart than this are a colour."""
    narrow_px: float = limit(14.0, unit="px", least=1, most=100)
    """Below this width of a tile not even people can tell a 6 from an 8."""
    doubtful_share: float = limit(0.3333333333333333, unit="share of tiles", least=0, most=1)
    """Where more tiles are in doubt, the reading can't be trusted."""
    sharp_step: float = limit(0.30, unit="share of contrast", least=0, most=1)
    """The steepest step from pixel to pixel of a crop below which a picture is blurred. Measured: On the photos 0.40 to
    0.87; shaken by a fifth of a tile 0.21 to 0.30."""
    grey_share: float = limit(0.999, unit="share of pixels", least=0.5, most=1)
    """So many pixels must be grey in a picture without colours."""
    bright_share: float = limit(0.99, unit="share of pixels", least=0.5, most=1)
    """As bright as so many pixels at most the picture is."""
