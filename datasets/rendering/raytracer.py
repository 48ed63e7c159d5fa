"""Path tracing with Mitsuba 3: render parts, light and a phone to a denoised linear image and a map of triangles.

The only file that imports Mitsuba. With a usable LLVM library it selects the compiled variant, which is seven times as
fast as the interpreted one; their images differ only in noise.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import drjit
import mitsuba as mi
import mitsuba_oidn
import numpy as np

from tilekeeper.datasets.rendering.camera import Phone
from tilekeeper.datasets.rendering.light import Light
from tilekeeper.datasets.rendering.solids import Solid

PATH_DEPTH = 4  # light that meets more than three surfaces adds under 2 % to a tile
SAMPLES = {"scalar_rgb": 4, "llvm_ad_rgb": 8, "cuda_ad_rgb": 64}
"""Samples of light per pixel, chosen for three seconds per image of 960 × 720 on one core or graphics card."""
OLDEST_LLVM = 16  # LLVM 15 ends the process on processors with AVX-512
FACES = "faces"


@dataclass(frozen=True, slots=True)
class Part:
    """A solid of one material.

    `colour_bgr`: sRGB, 0 to 255, if there is no texture; `texture_bgr (h, w, 3 or 4) uint8`: a fourth channel is its
    opacity; `roughness`: 0.03 (polished) to 0.5, None for a matt material.
    """

    solid: Solid
    colour_bgr: tuple[float, float, float] = (128.0, 128.0, 128.0)
    texture_bgr: np.ndarray | None = None
    roughness: float | None = None


def choose_variant(name: str | None = None) -> str:
    """Select a Mitsuba variant unless this process has one; return its name. The default is the fastest on a CPU."""
    if mi.variant() is None:
        if library := find_llvm():
            os.environ["DRJIT_LIBLLVM_PATH"] = library
        mi.set_variant(name or ("llvm_ad_rgb" if library else "scalar_rgb"))
    return str(mi.variant())


def find_llvm() -> str | None:
    """Return `DRJIT_LIBLLVM_PATH` or the newest usable LLVM library of Debian's packages; None if there is none."""
    if path := os.environ.get("DRJIT_LIBLLVM_PATH"):
        return path
    names = glob.glob("/usr/lib/*/libLLVM.so.*") + glob.glob("/usr/lib/llvm-*/lib/libLLVM.so.*")
    versions = {int(found[1]): name for name in names if (found := re.search(r"libLLVM\.so\.(\d+)", name))}
    newest = max(versions, default=0)
    return versions[newest] if newest >= OLDEST_LLVM else None


def _texture(image: np.ndarray, raw: bool = False) -> dict[str, Any]:
    return {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(image)), "raw": raw, "wrap_mode": "mirror"}


def _bsdf(part: Part) -> dict[str, Any]:
    texture = part.texture_bgr
    if texture is None:
        texture = np.array([[part.colour_bgr]]).clip(0, 255).round().astype(np.uint8)
    colour = _texture(texture[..., 2::-1])
    bsdf: dict[str, Any] = {"type": "diffuse", "reflectance": colour}
    if part.roughness is not None:
        bsdf = {"type": "roughplastic", "diffuse_reflectance": colour, "alpha": part.roughness}
    if texture.shape[2] == 4:
        opacity = texture[..., 3:].astype(np.float32) / 255
        return {"type": "mask", "bsdf": bsdf, "opacity": _texture(opacity, raw=True)}
    return {"type": "twosided", "bsdf": bsdf}


def _mesh(part: Part, name: str) -> Any:
    props = mi.Properties()
    props["mesh_bsdf"] = mi.load_dict(_bsdf(part))
    solid = part.solid
    sizes = len(solid.points_mm), len(solid.triangles)
    mesh = mi.Mesh(name, *sizes, has_vertex_normals=True, has_vertex_texcoords=True, props=props)
    fields = mi.traverse(mesh)
    fields["vertex_positions"] = solid.points_mm.astype(np.float32).ravel()
    fields["vertex_normals"] = solid.normals.astype(np.float32).ravel()
    fields["vertex_texcoords"] = solid.uv.astype(np.float32).ravel()
    fields["faces"] = solid.triangles.astype(np.uint32).ravel()
    fields.update()
    return mesh


def _look(position_mm: np.ndarray, target_mm: np.ndarray, up: Sequence[float]) -> Any:
    return mi.ScalarTransform4f().look_at(origin=position_mm.tolist(), target=target_mm.tolist(), up=list(up))


def _lights(light: Light) -> dict[str, Any]:
    upright = mi.ScalarTransform4f().rotate([1, 0, 0], 90)
    lights: dict[str, Any] = {"room": {"type": "envmap", "bitmap": mi.Bitmap(light.room_rgb), "to_world": upright}}
    for number, lamp in enumerate(light.lamps):
        lights[f"lamp{number}"] = {
            "type": "rectangle",
            "to_world": _look(lamp.position_mm, lamp.target_mm, (0.01, 0.02, 1)).scale(lamp.side_mm / 2),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": lamp.radiance_rgb.tolist()}},
        }
    return lights


def _run(scene: Any, integrator: dict[str, Any], phone: Phone, samples: int, seed: int) -> np.ndarray:
    """Render the channels `(H, W, C) float32` of an integrator, through the lens of a phone."""
    lens: dict[str, Any] = {"type": "perspective"}
    if phone.aperture_mm:
        lens = {"type": "thinlens", "aperture_radius": phone.aperture_mm, "focus_distance": phone.focus_mm}
    width, height = phone.wh
    film = {"type": "hdrfilm", "width": width, "height": height, "rfilter": {"type": "box"}, "pixel_format": "rgb"}
    sensor = lens | {
        "fov": float(np.degrees(phone.field_x)),
        "fov_axis": "x",
        "near_clip": 5.0,
        "far_clip": 1e5,
        "to_world": _look(phone.position_mm, phone.target_mm, phone.up.tolist()),
        "film": film,
        "sampler": {"type": "independent"},
    }
    loaded = mi.load_dict(integrator), mi.load_dict(sensor)
    return np.array(mi.render(scene, integrator=loaded[0], sensor=loaded[1], spp=samples, seed=seed), np.float32)


def trace(
    parts: Sequence[Part], faces: Part, light: Light, phone: Phone, seed: int, samples: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return linear RGB `(H, W, 3) float32`, and each pixel's triangle of `faces`, `(H, W) int32`, -1 for no face.

    `faces`: the mesh of all tile faces; `samples`: samples of light per pixel, from `SAMPLES` if None.
    """
    samples = samples or SAMPLES[choose_variant()]
    meshes = {f"part{number}": _mesh(part, f"part{number}") for number, part in enumerate(parts)}
    meshes[FACES] = _mesh(faces, FACES)
    scene = mi.load_dict({"type": "scene"} | meshes | _lights(light), optimize=False)
    path = {"type": "path", "max_depth": PATH_DEPTH}
    layers = _run(scene, {"type": "aov", "aovs": "albedo:albedo,normal:sh_normal", "path": path}, phone, samples, seed)
    identity = {"type": "aov", "aovs": "shape:shape_index,triangle:prim_index"}
    shape, triangle = np.moveaxis(_run(scene, identity, replace(phone, aperture_mm=0.0), 1, seed + 1), 2, 0)[:2]
    on_face = np.round(shape).astype(int) == _shape_number(scene)
    return _denoise(layers), np.where(on_face, np.round(triangle), -1).astype(np.int32)


def _shape_number(scene: Any) -> int:
    """Return the number that stands for the mesh of faces in Mitsuba's output `shape_index`, in which 0 is no shape."""
    shapes = scene.shapes()
    at = [shape.id() for shape in shapes].index(FACES)
    if choose_variant().startswith("scalar"):
        return at + 1
    number: Any = drjit.reinterpret_array(mi.UInt32, mi.ShapePtr(shapes[at]))
    return int(number[0])


def _denoise(layers: np.ndarray) -> np.ndarray:
    """Denoise `layers (H, W, 9)`, light, albedo and normals, with Open Image Denoise; return the light `(H, W, 3)`."""
    channels = (np.ascontiguousarray(layers[..., at : at + 3]) for at in (0, 3, 6))
    clean = np.asarray(mitsuba_oidn.denoise(*channels, hdr=True, quality=mitsuba_oidn.Quality.High))
    return np.asarray(np.maximum(clean, 0))
