"""User settings: validation, the list in the documents, and that each one has an effect."""

import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from pydantic import ValidationError

from tests.support.known_tables import MarkedTables, PlayedSource
from tilekeeper.companion.capture.camera_settings import CameraWishes
from tilekeeper.companion.capture.source_choice import open_source
from tilekeeper.companion.cli import main
from tilekeeper.companion.session import settings as session_settings
from tilekeeper.companion.user_settings import SETTINGS, Setting, SettingRefused, UserSettings
from tilekeeper.companion.web import app as web_app
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set


def line_of(setting: Setting) -> str:
    """Return the line of the documents about a setting."""
    if setting.choices:
        return f"- `{setting.option}` {setting.default} ({', '.join(setting.choices)}). {setting.effect}"
    bounds = f"{setting.least:g}–{setting.most:g} {setting.unit}"
    return f"- `{setting.option}` {setting.default:g} ({bounds}). {setting.effect}"


def test_documents_list_every_setting(repository: Path) -> None:
    """The list in `docs/command-line.md` is that of the class, with options, defaults, bounds, units and effects."""
    text = (repository / "docs" / "command-line.md").read_text(encoding="utf-8")
    section = text.split("### Settings\n")[1].split("\n## ")[0]
    items = [re.sub(r"\n +", " ", item) for item in re.findall(r"^- .*(?:\n  .*)*", section, re.MULTILINE)]
    assert items == [line_of(setting) for setting in SETTINGS]


def test_every_setting_has_a_title_bounds_and_a_sentence() -> None:
    """No two settings share a title or an option, and each default is within its bounds."""
    assert (
        len({setting.option for setting in SETTINGS}) == len({setting.title for setting in SETTINGS}) == len(SETTINGS)
    )
    for setting in SETTINGS:
        assert setting.default in setting.choices or setting.least <= setting.default <= setting.most
        assert re.fullmatch(r"[A-Z][^.]+\.", setting.effect)


def test_choice_accepts_only_its_words() -> None:
    """The words are accepted; any other is refused in one line that lists them."""
    (setting,) = (setting for setting in SETTINGS if setting.choices)
    for word in setting.choices:
        assert getattr(UserSettings.of_options({setting.name: word}), setting.name) == word
    for word in ("maybe", "ON", "1", ""):
        with pytest.raises(SettingRefused, match="--camera-controls takes one of these: on, off; not"):
            UserSettings.of_options({setting.name: word})


@pytest.mark.parametrize("setting", [one for one in SETTINGS if not one.choices], ids=lambda setting: setting.name)
def test_values_outside_the_bounds_are_refused(setting: Setting) -> None:
    """The smallest and the largest value are accepted; others are refused in one line that names the option."""
    for word in (setting.least, setting.most):
        assert getattr(UserSettings.of_options({setting.name: f"{word:g}"}), setting.name) == word
    for word in (f"{setting.least - 1:g}", f"{setting.most + 1:g}", "many", "nan", "inf", ""):
        with pytest.raises(SettingRefused) as refused:
            UserSettings.of_options({setting.name: word})
        assert setting.option in str(refused.value)
        assert f"{setting.most:g}" in str(refused.value)
        assert "\n" not in str(refused.value)


def test_settings_are_frozen_and_unknown_names_refused() -> None:
    """The class is frozen, and an unknown name is an error."""
    with pytest.raises(ValidationError):
        UserSettings().threads = 3  # type: ignore[misc]
    with pytest.raises(ValidationError):
        UserSettings.model_validate({"thread": 3})


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--still-after", "soon"), "--still-after takes a number from 0.05 to 10, not 'soon'."),
        (("--threads", "2.5"), "--threads takes a whole number from 1 to 64, not '2.5'."),
    ],
)
def test_wrong_option_ends_the_command_in_one_line(
    words: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing starts; the exit code is 2, and the line names the option and its values."""
    assert main(["--language", "en", "run", "--source", "none", *words]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"tilekeeper run: {complaint}\n")


def test_help_lists_every_setting_in_german(capsys: pytest.CaptureFixture[str]) -> None:
    """The help has the translated sentence of each setting, with the default."""
    assert main(["--language", "de", "run", "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert [setting.option for setting in SETTINGS if setting.option not in printed] == []
    assert [setting.effect for setting in SETTINGS if setting.effect in printed] == []


def test_options_reach_the_app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`run` passes the options to the app, the source and the reader."""
    given: dict[str, object] = {}

    class Made(Exception):  # noqa: N818, it is no error
        pass

    def load_reader(threads: int, own_set: object, working_px: int) -> None:
        given.update(threads=threads, working_px=working_px)

    def make(settings: session_settings.Settings) -> None:
        given["user"] = settings.user
        raise Made

    monkeypatch.setattr("tilekeeper.vision.shipped.load_reader", load_reader)
    monkeypatch.setattr(web_app, "create_app", make)
    words = ["--threads", "3", "--working-megapixels", "2.5", "--done-after", "7", "--source", "none"]
    with pytest.raises(Made):
        main(["run", "--data", str(tmp_path), *words])
    assert given["user"] == UserSettings(threads=3, working_megapixels=2.5, done_after_s=7.0)
    assert (given["threads"], given["working_px"]) == (3, 2_500_000)


def test_size_and_quality_of_pictures_follow_the_settings(tmp_path: Path) -> None:
    image = np.random.default_rng(1).integers(0, 255, (900, 1200, 3), np.uint8)
    sizes = {}
    for user in (UserSettings(), UserSettings(picture_side_px=600), UserSettings(picture_quality_percent=30)):
        camera = PlayedSource()
        folder = tmp_path / str(len(sizes))
        app = web_app.create_app(
            session_settings.Settings(rule_set(DEFAULT_EDITION), camera, MarkedTables(), "camera 0", folder, user=user)
        )
        try:
            camera.show(image)
            parts(app).watcher.take_frame()
            jpeg = parts(app).session.state.snapshot.picture.jpeg
            sizes[user] = len(jpeg), cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape[1]
        finally:
            parts(app).close()
    (whole, side), (_, small_side), (low, low_side) = sizes.values()
    assert (side, small_side, low_side) == (1200, 600, 1200)
    assert low < 0.6 * whole


def test_camera_gets_the_size_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The camera's process gets the size and the pause, unless a size was chosen on the page."""
    requests: list[tuple[CameraWishes, float]] = []
    monkeypatch.setattr(
        "tilekeeper.companion.capture.source_choice.ProcessSource",
        lambda _, wishes, pause_s: requests.append((wishes, pause_s)),
    )
    user = UserSettings(camera_width_px=1280, camera_height_px=720, reconnect_pause_s=30.0)
    open_source("0", user)
    open_source("0", user, CameraWishes(640, 480))
    open_source("0", UserSettings(camera_controls="off"))
    assert requests == [
        (CameraWishes(1280, 720), 30.0),
        (CameraWishes(640, 480), 30.0),
        (CameraWishes(1920, 1080, sets_controls=False), 5.0),
    ]
