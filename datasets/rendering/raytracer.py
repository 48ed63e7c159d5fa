"""Path tracing with Mitsuba 3: parts with surfaces, light and a phone to a denoised linear image and a map of tiles.

The only file that imports Mitsuba. With a usable LLVM library it takes the compiled variant, seven times as fast as the
interpreted one; a picture of one variant differs from that of the other in its noise alone.
"""

from __future__ import annotations

import glob
import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilekeeper.datasets.rendering.camera import Phone
from tilekeeper.datasets.rendering.light import Lamp
from tilekeeper.datasets.rendering.solids import Solid

PATH_DEPTH = 4
"""Light that meets more than three surfaces adds under 2 % to a tile."""
SAMPLES = {"scalar_rgb": 4, "llvm_ad_rgb": 8, "cuda_ad_rgb": 64}
"""Samples of light per pixel, chosen for three seconds a picture of 960 × 720 on one core or graphics card."""
OLDEST_LLVM = 16
"""LLVM 15 ends the process on processors with AVX-512."""
FACES = "faces"


@dataclass(frozen=True, slots=True)
class Surface:
    """A material: `colour_bgr` as printed (sRGB, 0 to 255) or a `texture_bgr (h, w, 3 or 4) uint8` in its place.

    `roughness` 0.03 (polished) to 0.5; None is matt. A fourth channel of the texture is its opacity.
    """

    colour_bgr: tuple[float, float, float] = (128.0, 128.0, 128.0)
    texture_bgr: np.ndarray | None = None
    roughness: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A solid with its surface."""

    solid: Solid
    surface: Surface


@dataclass(frozen=True, slots=True)
class Rendering:
    """`linear_rgb (H, W, 3) float32` scene light; `face_triangle (H, W) int32`: index in the mesh of faces, or -1."""

    linear_rgb: np.ndarray
    face_triangle: np.ndarray


def choose_variant(name: str | None = None) -> str:
    """Select a Mitsuba variant for this process, once, and return its name; by default the fastest one."""
    import mitsuba

    if mitsuba.variant() is None:
        library = find_llvm()
        if library:
            os.environ["DRJIT_LIBLLVM_PATH"] = library
        mitsuba.set_variant(name or ("llvm_ad_rgb" if library else "scalar_rgb"))
    return str(mitsuba.variant())


def find_llvm() -> str | None:
    """Return the path of the newest usable LLVM library of Debian's packages, or None."""
    if path := os.environ.get("DRJIT_LIBLLVM_PATH"):
        return path
    found = {}
    for name in glob.glob("/usr/lib/*/libLLVM.so.*") + glob.glob("/usr/lib/llvm-*/lib/libLLVM.so.*"):
        version = pathlib.Path(name).name.removeprefix("libLLVM.so.").split(".")[0]
        if version.isdigit() and int(version) >= OLDEST_LLVM:
            found[int(version)] = name
    return found[max(found)] if found else None


def _linear(colour_bgr: Sequence[float]) -> list[float]:
    share = np.clip(np.asarray(colour_bgr, float)[::-1] / 255, 0, 1)
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return [float(value) for value in linear]


def _texture(image: np.ndarray, raw: bool = False) -> dict[str, Any]:
    import mitsuba as mi

    bitmap = mi.Bitmap(np.ascontiguousarray(image))
    return {"type": "bitmap", "bitmap": bitmap, "raw": raw, "wrap_mode": "mirror"}


def _bsdf(surface: Surface) -> Any:
    import mitsuba as mi

    texture = surface.texture_bgr
    colour: dict[str, Any] = {"type": "rgb", "value": _linear(surface.colour_bgr)}
    if texture is not None:
        colour = _texture(texture[..., 2::-1])
    if surface.roughness is None:
        bsdf: dict[str, Any] = {"type": "diffuse", "reflectance": colour}
    else:
        bsdf = {"type": "roughplastic", "diffuse_reflectance": colour, "alpha": surface.roughness}
    if texture is not None and texture.shape[2] == 4:
        opacity = texture[..., 3:].astype(np.float32) / 255
        bsdf = {"type": "mask", "bsdf": bsdf, "opacity": _texture(opacity, raw=True)}
    else:
        bsdf = {"type": "twosided", "bsdf": bsdf}
    return mi.load_dict(bsdf)


def _mesh(part: Part, name: str) -> Any:
    import mitsuba as mi

    props = mi.Properties()
    props["mesh_bsdf"] = _bsdf(part.surface)
    solid = part.solid
    mesh = mi.Mesh(
        name,
        len(solid.points_mm),
        len(solid.triangles),
        has_vertex_normals=True,
        has_vertex_texcoords=True,
        props=props,
    )
    fields = mi.traverse(mesh)
    fields["vertex_positions"] = solid.points_mm.ravel()
    fields["vertex_normals"] = solid.normals.ravel()
    fields["vertex_texcoords"] = solid.uv.ravel()
    fields["faces"] = solid.triangles.ravel()
    fields.update()
    return mesh


def _sensor(phone: Phone, seed: int) -> dict[str, Any]:
    import mitsuba as mi

    position, target = phone.position_mm.tolist(), phone.target_mm.tolist()
    lens: dict[str, Any] = {"type": "perspective"}
    if phone.aperture_mm:
        lens = {"type": "thinlens", "aperture_radius": phone.aperture_mm, "focus_distance": phone.focus_mm}
    return lens | {
        "fov": float(np.degrees(phone.field_x)),
        "fov_axis": "x",
        "near_clip": 5.0,
        "far_clip": 1e5,
        "to_world": mi.ScalarTransform4f().look_at(origin=position, target=target, up=phone.up.tolist()),
        "film": {
            "type": "hdrfilm",
            "width": phone.wh[0],
            "height": phone.wh[1],
            "rfilter": {"type": "box"},
            "pixel_format": "rgb",
        },
        "sampler": {"type": "independent", "seed": seed},
    }


def trace(
    parts: Sequence[Part],
    faces: Part,
    room_rgb: np.ndarray,
    room_turn: float,
    lamps: Sequence[Lamp],
    phone: Phone,
    seed: int,
    samples: int | None = None,
) -> Rendering:
    """Render a scene; `faces` is the mesh of all tile faces. Without `samples` the variant's number is taken."""
    samples = samples or SAMPLES[choose_variant()]
    import mitsuba as mi

    turn = mi.ScalarTransform4f().rotate([0, 0, 1], float(np.degrees(room_turn))).rotate([1, 0, 0], 90)
    scene: dict[str, Any] = {
        "type": "scene",
        "room": {"type": "envmap", "bitmap": mi.Bitmap(room_rgb.astype(np.float32)), "to_world": turn},
    }
    for number, part in enumerate(parts):
        scene[f"part{number}"] = _mesh(part, f"part{number}")
    scene[FACES] = _mesh(faces, FACES)
    for number, lamp in enumerate(lamps):
        place = mi.ScalarTransform4f().look_at(
            origin=lamp.position_mm.tolist(), target=lamp.target_mm.tolist(), up=[0.01, 0.02, 1]
        )
        scene[f"lamp{number}"] = {
            "type": "rectangle",
            "to_world": place.scale(lamp.side_mm / 2),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": lamp.radiance_rgb.tolist()}},
        }
    loaded = mi.load_dict(scene, optimize=False)
    sensor = mi.load_dict(_sensor(phone, seed))
    path = {"type": "path", "max_depth": PATH_DEPTH, "hide_emitters": False}
    features = {"type": "aov", "aovs": "albedo:albedo,normal:sh_normal"}
    light = _run(loaded, path, sensor, samples, seed)
    guides = _run(loaded, features, sensor, max(2, samples // 2), seed + 1)
    pinhole = mi.load_dict(_sensor(Phone(*_without_lens(phone)), seed))
    identity = {"type": "aov", "aovs": "shape:shape_index,triangle:prim_index"}
    shape, triangle = np.moveaxis(_run(loaded, identity, pinhole, 1, seed + 2), 2, 0)[:2]
    on_face = np.round(shape).astype(int) == _shape_number(loaded)
    return Rendering(_denoise(light, guides), np.where(on_face, np.round(triangle), -1).astype(np.int32))


def _shape_number(scene: Any) -> int:
    """Return the number of the mesh of faces in the output `shape_index`, where 0 is no shape."""
    import drjit
    import mitsuba as mi

    shapes = scene.shapes()
    at = [shape.id() for shape in shapes].index(FACES)
    if choose_variant().startswith("scalar"):
        return at + 1
    number: Any = drjit.reinterpret_array(mi.UInt32, mi.ShapePtr(shapes[at]))
    return int(number[0])


def _without_lens(phone: Phone) -> tuple[Any, ...]:
    return phone.position_mm, phone.target_mm, phone.up, phone.field_x, phone.wh, 0.0, phone.focus_mm


def _run(scene: Any, integrator: dict[str, Any], sensor: Any, samples: int, seed: int) -> np.ndarray:
    import mitsuba as mi

    image = mi.render(scene, integrator=mi.load_dict(integrator), sensor=sensor, spp=samples, seed=seed % 2**31)
    return np.array(image, np.float32)


def _denoise(light: np.ndarray, guides: np.ndarray) -> np.ndarray:
    """Remove the noise of few samples with Open Image Denoise, guided by colours and normals."""
    import mitsuba_oidn

    channels = (np.ascontiguousarray(part) for part in (light[..., :3], guides[..., :3], guides[..., 3:6]))
    clean: np.ndarray = np.asarray(mitsuba_oidn.denoise(*channels, hdr=True, quality=mitsuba_oidn.Quality.High))
    positive: np.ndarray = np.maximum(clean, 0)
    return positive
