"""Hands that reach onto the table: forearm, sleeve, palm and fingers, drawn as shaded tubes."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import Colour, any_colour, fractal, hsv, mix, relight, scaled

_POSES = ("open", "spread", "point", "pinch", "fist", "flat")
_STEPS = 7


class _Limbs:
    """A canvas for rounded limbs, painted one over another and all lit from the same side."""

    def __init__(self, wh_px: tuple[int, int], light: np.ndarray, skin: Colour) -> None:
        self.image = np.full((wh_px[1], wh_px[0], 3), np.rint(skin), dtype=np.uint8)
        self.alpha = np.zeros((wh_px[1], wh_px[0]), dtype=np.uint8)
        self.light, self.skin = light, skin

    @staticmethod
    def outline(path: np.ndarray, radii: np.ndarray) -> list[np.ndarray]:
        """Return polygons whose union is a tube through `path (N, 2)` with `radii (N,)`, in sixteenths of a pixel."""
        polygons = []
        for i in range(len(path)):
            turn = np.linspace(0, 2 * np.pi, 28, endpoint=False)
            polygons.append(path[i] + radii[i] * np.stack([np.cos(turn), np.sin(turn)], axis=1))
            if i:
                along = path[i] - path[i - 1]
                across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-6)
                polygons.append(
                    np.array(
                        [
                            path[i - 1] + across * radii[i - 1],
                            path[i] + across * radii[i],
                            path[i] - across * radii[i],
                            path[i - 1] - across * radii[i - 1],
                        ]
                    )
                )
        return [np.rint(polygon * 16).astype(np.int32) for polygon in polygons]

    def limb(self, path: np.ndarray, radii: np.ndarray, colour: Colour, dark: float = 0.55, glow: float = 1.12) -> None:
        """Paint a tube through `path (N, 2)`, shaded from the gain `dark` at its rim to `glow` towards the light."""
        for polygon in self.outline(path, radii):
            cv2.fillPoly(self.alpha, [polygon], 255.0, cv2.LINE_AA, 4)
        for step in range(_STEPS):
            share = step / (_STEPS - 1)
            gain = dark + (glow - dark) * share**0.6
            smaller = radii * (1.0 - 0.8 * share)
            shifted = path + self.light * (radii[:, None] * 0.3 * share)
            for polygon in self.outline(shifted, smaller):
                cv2.fillPoly(self.image, [polygon], scaled(colour, gain), cv2.LINE_AA, 4)

    def dab(self, centre: np.ndarray, rx: float, ry: float, angle_rad: float, colour: Colour) -> None:
        """Paint a small oval, such as a nail or a crease."""
        axes = (max(1, round(rx * 16)), max(1, round(ry * 16)))
        at = np.rint(centre * 16).astype(int)
        cv2.ellipse(self.image, at, axes, float(np.degrees(angle_rad)), 0, 360, colour, -1, cv2.LINE_AA, 4)


def _skin(rng: np.random.Generator) -> Colour:
    """Return a skin tone from very dark to very fair."""
    depth = rng.random()
    return hsv(rng.uniform(14, 28), rng.uniform(0.55, 0.68) - 0.33 * depth, rng.uniform(0.24, 0.34) + 0.64 * depth)


def _fingers(rng: np.random.Generator, pose: str) -> list[tuple[float, float, float, float, float]]:
    """Return the five fingers of a pose, thumb first: (base x, base y, lean, length, radius).

    Lean is the angle from upright in radians; the other values are in palm widths, the base from the palm's centre.
    """
    fan = {"spread": 0.28, "open": 0.13, "flat": 0.05}.get(pose, 0.09) * rng.uniform(0.8, 1.3)
    reach = {"point": (1.0, 0.42, 0.4, 0.38), "fist": (0.45, 0.45, 0.43, 0.4), "pinch": (0.85, 0.8, 0.62, 0.5)}
    lengths = reach.get(pose, (0.95, 1.0, 0.95, 0.9))
    fingers = []
    for i, (whole, base_x, base_y) in enumerate(
        zip((0.82, 0.92, 0.85, 0.66), (-0.36, -0.12, 0.12, 0.35), (-0.48, -0.54, -0.5, -0.4), strict=True)
    ):
        length = whole * lengths[i] * rng.uniform(0.93, 1.07)
        fingers.append((base_x, base_y, (i - 1.4) * fan + rng.normal(0, 0.03), length, (0.125, 0.13, 0.122, 0.105)[i]))
    thumb = {"pinch": -0.12, "flat": -0.5, "fist": 0.2, "point": 0.1}.get(pose, -0.8) + rng.normal(0, 0.1)
    return [(-0.42, 0.1, thumb, 0.72 * rng.uniform(0.9, 1.1), 0.14), *fingers]


def _finger(
    rng: np.random.Generator,
    limbs: _Limbs,
    centre: np.ndarray,
    palm: float,
    spec: tuple[float, float, float, float, float],
    nail: Colour,
    curled: bool,
) -> None:
    """Draw one finger with knuckles and nail.

    `centre`, `palm`: centre and width of the palm in pixels; `spec`: one of the tuples of `_fingers`; `curled`: whether
    the finger bends more.
    """
    base_x, base_y, lean, length, radius = spec
    skin = limbs.skin
    base = centre + np.array([base_x, base_y]) * palm
    bend = rng.normal(0, 0.1) + (0.35 if curled else 0.0)
    points, at, direction = [base - 0.25 * palm * np.array([np.sin(lean), -np.cos(lean)])], base, lean
    points.append(at)
    for share in (0.45, 0.32, 0.23):
        at = at + share * length * palm * np.array([np.sin(direction), -np.cos(direction)])
        points.append(at)
        direction += bend
    radii = np.array([1.05, 1.02, 0.96, 0.9, 0.78]) * radius * palm
    limbs.limb(np.array(points), radii, mix(skin, hsv(4, 0.5, 0.9), 0.08))
    for knuckle in (2, 3):
        for offset in (-0.04, 0.0, 0.04):
            spot = points[knuckle] + offset * palm * np.array([np.sin(direction), -np.cos(direction)])
            limbs.dab(spot, 0.5 * radius * palm, 0.01 * palm, direction, scaled(skin, 0.78))
    if length > 0.35:
        tip = points[-1] + 0.015 * palm * np.array([np.sin(direction), -np.cos(direction)])
        limbs.dab(tip, 0.5 * radius * palm, 0.62 * radius * palm, direction, nail)
        shine = tip + limbs.light * 0.15 * radius * palm
        limbs.dab(shine, 0.2 * radius * palm, 0.34 * radius * palm, direction, mix(nail, (255, 255, 255), 0.35))


def hand(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a hand with its forearm, BGRA (h, w, 4) uint8 with straight alpha.

    The fingers point up, and the arm or sleeve ends at the lower edge of the sprite, which should be placed outside the
    image. There are left and right hands in six poses, bare or with a sleeve, some with a ring.
    """
    pose = _POSES[int(rng.integers(len(_POSES)))]
    palm = rng.uniform(72, 98) * px_per_mm
    arm_px = rng.uniform(1.2, 3.2) * palm
    w, h = round(palm * 2.6), round(palm * 1.75 + arm_px)
    centre = np.array([w / 2, palm * 1.62])
    angle = rng.uniform(0, 2 * np.pi)
    skin = _skin(rng)
    limbs = _Limbs((w, h), np.array([np.cos(angle), np.sin(angle)]), skin)
    wrist = centre + np.array([0, 0.62]) * palm
    end = np.array([w / 2 + rng.uniform(-0.3, 0.3) * palm, h + palm])
    thick = rng.uniform(0.3, 0.38)
    limbs.limb(
        np.array([wrist - np.array([0, 0.2]) * palm, wrist, end]), np.array([0.33, 0.29, thick + 0.08]) * palm, skin
    )
    nail = mix(skin, (200, 190, 240), 0.45)
    if rng.random() < 0.15:
        nail = hsv(rng.choice([350.0, 330.0, 5.0, rng.uniform(0, 360)]), rng.uniform(0.4, 0.95), rng.uniform(0.4, 0.95))
    fingers = _fingers(rng, pose)
    # Curled fingers are drawn over the palm, straight ones before it.
    over = pose in ("fist", "point", "pinch")

    pinching = pose == "pinch"
    if not over:
        for index, spec in enumerate(fingers):
            _finger(rng, limbs, centre, palm, spec, nail, curled=pinching and index == 0)
    body = (
        np.array([[-0.3, -0.42], [-0.24, 0.3], [0.05, -0.44], [0.0, 0.4], [0.32, -0.34], [0.22, 0.3]]) * palm + centre
    )
    limbs.limb(body, np.array([0.17, 0.26, 0.17, 0.27, 0.15, 0.25]) * palm, skin, 0.72)
    limbs.limb(
        np.array([[-0.2, -0.3], [0.2, -0.28], [0.05, 0.28]]) * palm + centre,
        np.array([0.3, 0.3, 0.36]) * palm,
        skin,
        0.98,
        1.08,
    )
    if over:
        for index, spec in sorted(enumerate(fingers), key=lambda item: item[0] == 0):
            _finger(rng, limbs, centre, palm, spec, nail, curled=pinching and index == 0)
    for base_x in (-0.33, -0.11, 0.11, 0.32):
        limbs.dab(
            centre + np.array([base_x, -0.4]) * palm,
            0.07 * palm,
            0.05 * palm,
            0.0,
            scaled(skin, rng.uniform(1.02, 1.12)),
        )
    image = cv2.GaussianBlur(limbs.image, (0, 0), max(0.5, 0.02 * palm))
    image = cv2.addWeighted(image, 0.75, limbs.image, 0.25, 0)
    mottle = fractal(rng, (w, h), 0.25 * palm, 5, 0.6)
    limbs.image = relight(image, 1.0 + np.float32(rng.uniform(0.015, 0.05)) * mottle)
    if rng.random() < 0.3:
        ring = centre + np.array([0.12, -0.72]) * palm
        limbs.dab(ring, 0.13 * palm, 0.035 * palm, 0.0, hsv(rng.choice([45, 220]), rng.uniform(0, 0.5), 0.85))
    if rng.random() < 0.7:
        _sleeve(rng, limbs, wrist, end, palm, thick)
    image = limbs.image if rng.random() < 0.5 else limbs.image[:, ::-1]
    alpha = limbs.alpha if image is limbs.image else limbs.alpha[:, ::-1]
    return np.dstack([image, cv2.GaussianBlur(np.ascontiguousarray(alpha), (3, 3), 0)])


def _sleeve(
    rng: np.random.Generator, limbs: _Limbs, wrist: np.ndarray, end: np.ndarray, palm: float, thick: float
) -> None:
    """Draw a sleeve over the forearm, with a cuff, folds and perhaps stripes, open towards the hand."""
    cloth = any_colour(rng, (0, 0.9), (0.08, 0.95))
    start = wrist + (end - wrist) * rng.uniform(0.02, 0.3)
    along = (end - start) / float(np.hypot(*(end - start)))
    across = np.array([-along[1], along[0]])
    near, far = (thick + rng.uniform(0.05, 0.14)) * palm, (thick + rng.uniform(0.15, 0.3)) * palm
    h, w = limbs.alpha.shape
    mask = np.zeros((h, w), dtype=np.uint8)
    # The opening of the sleeve is an oval that is seen nearly edge-on.
    turn = np.linspace(np.pi, 2 * np.pi, 16)
    mouth = start + np.outer(np.cos(turn), across) * near + np.outer(np.sin(turn), along) * near * rng.uniform(0.1, 0.3)
    outline = np.concatenate([mouth, [end + across * far, end - across * far]])
    cv2.fillPoly(mask, [np.rint(outline * 16).astype(np.int32)], 255.0, cv2.LINE_AA, 4)
    x = np.arange(w, dtype=np.float32)[None, :] - np.float32(start[0])
    y = np.arange(h, dtype=np.float32)[:, None] - np.float32(start[1])
    side = (x * np.float32(across[0]) + y * np.float32(across[1])) / np.float32((near + far) / 2)
    lit = float(limbs.light @ across)
    gain = 1.05 - 0.5 * np.clip(np.abs(side - 0.4 * lit), 0, 1.2) ** 2
    folds = fractal(rng, (w, h), (rng.uniform(0.3, 0.8) * palm, rng.uniform(0.12, 0.3) * palm), 4, 0.5)
    gain = gain + np.float32(rng.uniform(0.04, 0.14)) * folds
    sheet = np.full_like(limbs.image, np.rint(cloth))
    down = x * np.float32(along[0]) + y * np.float32(along[1])
    if rng.random() < 0.3:
        sheet[(down // max(2.0, rng.uniform(0.05, 0.2) * palm)) % 2 > 0] = np.rint(any_colour(rng))
    cuff = rng.uniform(0.1, 0.35) * palm
    gain[np.abs(down - cuff) < max(1.0, 0.012 * palm)] *= np.float32(0.6)
    cv2.copyTo(relight(sheet, np.clip(gain, 0.1, 1.9)), (mask > 127).astype(np.uint8), limbs.image)
    np.maximum(limbs.alpha, mask, out=limbs.alpha)
