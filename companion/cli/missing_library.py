"""Names the Debian package to install if OpenCV or ONNX Runtime can't load a system library.

Their wheels don't contain the graphics and GLib libraries, which a minimal container or server lacks. The loader's own
message names only a file and no package.
"""

import re

from tilekeeper.engine.language import gettext

# OpenCV's wheel needs both packages; a system without one of them usually lacks the other, too.
OPENCV_PACKAGES = ("libgl1", "libglib2.0-0")

PACKAGES = {
    "libGL.so.1": "libgl1",
    "libICE.so.6": "libice6",
    "libSM.so.6": "libsm6",
    "libX11.so.6": "libx11-6",
    "libXext.so.6": "libxext6",
    "libXrender.so.1": "libxrender1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgomp.so.1": "libgomp1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libxcb.so.1": "libxcb1",
    "libz.so.1": "zlib1g",
}

_LOADER_MESSAGE = re.compile(r"(?P<library>lib[\w.+-]+\.so[\w.]*): cannot open shared object file")


def missing_library(error: ImportError) -> str | None:
    """Return one line that says what to install; None if the error is not about a missing system library."""
    match = _LOADER_MESSAGE.search(str(error))
    if match is None:
        return None
    library = match["library"]
    package = PACKAGES.get(library)
    if package is None:
        return gettext(
            "the system library {library} is missing; install the package that contains it.", library=library
        )
    packages = OPENCV_PACKAGES if package in OPENCV_PACKAGES else (package,)
    return gettext(
        "the system library {library} is missing; install it with: sudo apt-get install {packages}",
        library=library,
        packages=" ".join(packages),
    )
