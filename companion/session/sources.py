"""Changes the current source, and stores the play area and camera settings of each source."""

from __future__ import annotations

import logging
import threading
from hashlib import sha256
from typing import Final

import numpy as np
from pydantic import ConfigDict, TypeAdapter

from tilekeeper.companion.capture.addresses import hide_password
from tilekeeper.companion.capture.camera_controls import ControlStates, Tunable
from tilekeeper.companion.capture.camera_settings import Adjustable, CameraWishes
from tilekeeper.companion.capture.encoding import preview
from tilekeeper.companion.capture.phone_source import PHONE
from tilekeeper.companion.capture.play_area import PlayArea
from tilekeeper.companion.capture.source_choice import DEMO, NO_SOURCE, ChosenSource, choose_source, demo_path
from tilekeeper.companion.capture.sources import SourceUnavailable
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.snapshot import WatchedSource
from tilekeeper.companion.session.watcher import Watcher
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.engine.language import as_sentence, gettext
from tilekeeper.vision.quality.play_area import Corners, find_play_area

log = logging.getLogger(__name__)

PREVIEW_WIDTH_PX = 480
PREVIEW_TIMEOUT_S = 6.0
_CORNERS: Final = TypeAdapter(list[list[float]], config=ConfigDict(allow_inf_nan=False))
_WISHES: Final = TypeAdapter(CameraWishes)


class Sources:
    """Changes the current source, its camera settings and its play area."""

    def __init__(self, session: Session, watcher: Watcher, store: Store, named: str, user: UserSettings) -> None:
        """Start with the source that `watcher` has; `named` is the value of `--source` for it."""
        self._session = session
        self._watcher = watcher
        self._store = store
        self._user = user
        self._changing = threading.Lock()
        self.named = named
        self._before_demo = named
        """The source to watch again after the demo."""
        self._limit_to_stored_area()
        if self.camera is not None and self.camera.wishes != self._stored_wishes(named):
            self.camera.ask(self._stored_wishes(named))  # the camera was opened without its stored settings

    def watch(self, named: str) -> None:
        """Change to another source, with the play area that is stored for that source.

        Raises:
            Refused: if the source can't be opened; the current source stays.
        """
        with self._changing:
            if named == self.named and self._watcher.source.kind in ("camera", "stream", PHONE):
                return  # a camera, stream or phone can't be opened twice; it reconnects by itself
            chosen = self._open(named)
            watched = WatchedSource.of(chosen.source, chosen.watched, chosen.notice)
            self._watcher.watch(chosen.source, watched, self._stored_area(named))
            self.named = named

    def watch_demo(self) -> None:
        """Watch the demo film from its beginning, until `end_demo`.

        Raises:
            Refused: if it is not installed.
        """
        before = self.named
        self.watch(DEMO)
        if before != DEMO:
            self._before_demo = before

    def end_demo(self) -> None:
        """Watch the source again that was watched before the demo, unless another one was chosen meanwhile."""
        if self.named != DEMO or self._before_demo == DEMO:
            return
        try:
            self.watch(self._before_demo)
        except Refused as why:
            log.warning("The camera from before the demo can't be opened: %s", why)

    @property
    def camera(self) -> Adjustable | None:
        """The current source if it is a plugged-in camera, whose settings can be changed; None for other sources."""
        source = self._watcher.source
        return source if source.kind == "camera" and isinstance(source, Adjustable) else None

    @property
    def controls(self) -> ControlStates | None:
        """The states of the controls of the current camera or phone; None if unknown, and for other sources."""
        source = self._watcher.source
        return source.controls if isinstance(source, Tunable) else None

    def ask(self, wishes: CameraWishes) -> None:
        """Request other settings from the current camera, and store them for this camera.

        Raises:
            Refused: if the current source is not a camera.
        """
        camera = self.camera
        if camera is None:
            raise Refused(gettext("Only a plugged-in camera can change its pictures."))
        self._store.remember(_camera_key(self.named), wishes.as_json())
        camera.ask(wishes.allowed_by(self._user))

    def preview(self, named: str) -> bytes:
        """Return a small JPEG of the source `named`, also of what is outside the play area.

        Raises:
            Refused: if the source can't be opened or gives no picture.
        """
        if named == self.named:
            return self.whole()
        if named == PHONE:
            raise Refused(gettext("A phone sends pictures once it is the camera."), "no-picture")
        with self._changing:
            chosen = self._open(named)
            try:
                frame = chosen.source.read(timeout_s=PREVIEW_TIMEOUT_S)
            except SourceUnavailable as error:
                raise Refused(as_sentence(str(error)), "no-picture") from None
            finally:
                chosen.source.close()
        if frame is None:
            raise Refused(gettext("It sends no picture."), "no-picture")
        return preview(frame.image_bgr, PREVIEW_WIDTH_PX)

    def whole(self) -> bytes:
        """Return the newest frame as JPEG, also outside the play area, so that a person can draw the area on it.

        Raises:
            Refused: if there is no frame yet.
        """
        image = self._watcher.whole
        if image is None:
            raise Refused(gettext("The camera has sent no picture yet."), "no-picture")
        return preview(image, 2 * PREVIEW_WIDTH_PX)

    def find_area(self) -> Corners | None:
        """Detect the play area in the newest frame and return it without setting it; None if it is not found.

        Raises:
            Refused: if there is no frame yet.
        """
        image, reading = self._watcher.whole, self._session.state.snapshot.reading
        if image is None:
            raise Refused(gettext("The camera has sent no picture yet."), "no-picture")
        tiles_px = np.zeros((0, 4, 2), np.float32)
        if reading is not None and reading.tiles:
            scale = image.shape[1] / reading.image_wh[0]
            tiles_px = np.array([tile.sighting.quad_px for tile in reading.tiles], np.float32) * scale
        return find_play_area(image, tiles_px, () if reading is None else reading.rows)

    def draw_area(self, corners: list[list[float]] | None) -> None:
        """Set and store the play area of the current source; None for the whole frame.

        Raises:
            Refused: if the corners enclose no usable area, or for the whole frame while racks may stand around the
                table.
        """
        if corners is None and self._session.state.racks_may_stand:
            raise Refused(gettext("Racks may stand around the table, and the picture would show them."), "racks")
        area = None if corners is None else PlayArea.drawn(corners)
        self._store.remember(_key(self.named), None if area is None else [list(corner) for corner in area.corners])
        self._watcher.limit_to(area)

    @property
    def area(self) -> PlayArea | None:
        """The play area, the part of the frame that may be shown; None for the whole frame."""
        return self._watcher.play_area

    def _limit_to_stored_area(self) -> None:
        self._watcher.limit_to(self._stored_area(self.named))

    def _stored_area(self, named: str) -> PlayArea | None:
        corners = self._store.recall(_key(named), _CORNERS)
        if not corners:
            return None
        try:
            return PlayArea.drawn(corners)
        except Refused:
            log.warning("The stored play area of %s can't be read and is dropped", named)
            return None

    def _stored_wishes(self, named: str) -> CameraWishes:
        stored = self._store.recall(_camera_key(named), _WISHES)
        return CameraWishes.of(self._user) if stored is None else stored.allowed_by(self._user)

    def _open(self, named: str) -> ChosenSource:
        try:
            return choose_source(named, self._user, self._stored_wishes(named))
        except SourceUnavailable as error:
            raise Refused(as_sentence(str(error)), "no-picture") from None


def shown_name(named: str) -> str:
    """Return a source's name without the password of a network camera."""
    return hide_password(named)


def has_demo() -> bool:
    """Return whether the demo film is installed."""
    return demo_path() is not None


def _key(named: str) -> str:
    return f"play-area {_known_as(named)}"


def _camera_key(named: str) -> str:
    return f"camera {_known_as(named)}"


__all__ = ["DEMO", "NO_SOURCE", "Sources", "has_demo", "shown_name"]


def _known_as(named: str) -> str:
    """Return the key under which the settings of a source are stored: its name without the password.

    For an address with a query, the key has a digest of the address, since cameras may differ only in the query.
    """
    hidden = hide_password(named)[:180]
    return hidden if "?" not in named else f"{hidden} {sha256(named.encode()).hexdigest()[:8]}"
