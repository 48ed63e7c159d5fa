"""Write frames to an MP4: H.264 with ffmpeg if it is installed, else MPEG-4 with OpenCV; OpenCV reads both."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np


class VideoFailed(Exception):  # noqa: N818, the name says it
    """A video cannot be written; the message gives the reason in one line."""


def h264_ffmpeg() -> str | None:
    """Return the path of an ffmpeg that can encode H.264; None if there is none."""
    program = shutil.which("ffmpeg")
    if program is None:
        return None
    listed = subprocess.run([program, "-hide_banner", "-encoders"], capture_output=True, text=True, check=False).stdout
    return program if " libx264 " in listed else None


class VideoWriter:
    """A context manager that writes an MP4, and removes the incomplete file after an error."""

    def __init__(
        self, path: Path, wh: tuple[int, int], fps: float, quality: int = 26, ffmpeg: str | None = None
    ) -> None:
        """Start a file at `path`.

        `quality`: x264's rate factor, 18 (fine) to 32 (coarse); `ffmpeg`: path from `h264_ffmpeg`, None to use OpenCV.
        Raises `ValueError` for odd sizes, which H.264 does not allow, and `VideoFailed` if OpenCV can't open the file.
        """
        if wh[0] % 2 or wh[1] % 2:
            raise ValueError(f"a video's width and height are even, not {wh[0]}×{wh[1]}")
        self._path, self._wh = path, wh
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the writer
        if ffmpeg is None:
            self._opencv = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, wh)
            if not self._opencv.isOpened():
                self._errors.close()
                raise VideoFailed(f"{path} can't be written: name an .mp4 in a folder that is there")
            return
        source = ["-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{wh[0]}x{wh[1]}", "-r", f"{fps:g}", "-i", "-"]
        # The pixel format is the one that OpenCV reads, with colours as BT.601 in limited range.
        coding = ["-c:v", "libx264", "-preset", "slow", "-crf", str(quality), "-pix_fmt", "yuv420p", "-threads", "1"]
        command = [
            ffmpeg,
            "-y",
            "-loglevel",
            "error",
            *source,
            *coding,
            "-movflags",
            "+faststart",
            "-f",
            "mp4",
            str(path),
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=self._errors)

    def write(self, image_bgr: np.ndarray) -> None:
        """Add a frame `(h, w, 3) uint8` BGR; raise `ValueError` for a wrong size, `VideoFailed` if ffmpeg has ended."""
        if image_bgr.shape != (self._wh[1], self._wh[0], 3) or image_bgr.dtype != np.uint8:
            raise ValueError(
                f"frames are ({self._wh[1]}, {self._wh[0]}, 3) uint8, not {image_bgr.shape} {image_bgr.dtype}"
            )
        if self._process is None:
            self._opencv.write(image_bgr)
            return
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(image_bgr.tobytes())
        except BrokenPipeError:
            raise VideoFailed(self._complaint()) from None

    def _complaint(self) -> str:
        assert self._process is not None
        self._process.wait()
        self._errors.seek(0)
        messages = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"{self._path} could not be written: {messages[-1] if messages else 'ffmpeg gave up'}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._process is None:
                self._opencv.release()
            else:
                self._end_ffmpeg(failed=kind is not None)
        finally:
            self._errors.close()
            if kind is not None:
                self._path.unlink(missing_ok=True)

    def _end_ffmpeg(self, failed: bool) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if failed:
            self._process.kill()
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        if self._process.wait() != 0 and not failed:
            raise VideoFailed(self._complaint())
