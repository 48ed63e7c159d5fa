"""The values that a user can set: one validated class, with the options of `tilekeeper run` that set them.

Every default stands here and nowhere else. The code that uses a value takes it as a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict

from tilekeeper.engine.language import gettext, gettext_noop

UNIT_SUFFIXES: Final = ("_px", "_percent", "_s")
"""Units that a field has in its name and an option has not."""


class SettingRefused(Exception):  # noqa: N818, the name says it
    """A value that a setting can't have; the message says in one line which values it can have."""


def _setting(
    *, default: float, least: float, most: float, title: str, unit: str, effect: str
) -> Any:  # of the field's type, which mypy takes from the annotation
    """Return a field from `least` to `most`, both included; `effect` is one sentence, marked for translation."""
    extra: JsonDict = {"unit": unit}
    return Field(default, ge=least, le=most, title=title, description=effect, json_schema_extra=extra)


def _choice(*, default: str, title: str, effect: str) -> Any:
    """Return a field whose type names its choices; `effect` is one sentence, marked for translation."""
    return Field(default, title=title, description=effect)


class UserSettings(BaseModel):
    """The settings of a user at the start of the app; pydantic raises `ValidationError` for a value out of bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    still_after_s: float = _setting(
        default=0.25,
        least=0.05,
        most=10.0,
        title="Still after",
        unit="seconds",
        effect=gettext_noop("Read the table once nothing has moved for this long."),
    )
    done_after_s: float = _setting(
        default=3.0,
        least=0.5,
        most=60.0,
        title="Hands-free Done after",
        unit="seconds",
        effect=gettext_noop("Hands-free Done: press Done once an allowed turn has not changed for this long."),
    )
    frames_per_second: float = _setting(
        default=16.0,
        least=1.0,
        most=60.0,
        title="Camera rate",
        unit="images per second",
        effect=gettext_noop("Look at this many camera images at most; fewer images make less work for the computer."),
    )
    previews_per_second: float = _setting(
        default=4.0,
        least=0.5,
        most=30.0,
        title="Picture rate of the page",
        unit="pictures per second",
        effect=gettext_noop("Send this many pictures to the page while hands move."),
    )
    picture_side_px: int = _setting(
        default=1600,
        least=320,
        most=4096,
        title="Longest side of a picture",
        unit="pixels",
        effect=gettext_noop("Shrink pictures for the page until their longest side has this length."),
    )
    picture_quality_percent: int = _setting(
        default=82,
        least=30,
        most=100,
        title="Picture quality",
        unit="percent",
        effect=gettext_noop("Compress pictures for the page to this JPEG quality."),
    )
    camera_width_px: int = _setting(
        default=1920,
        least=160,
        most=8192,
        title="Camera width",
        unit="pixels",
        effect=gettext_noop("Ask a camera for images of this width, unless the page has chosen another."),
    )
    camera_height_px: int = _setting(
        default=1080,
        least=120,
        most=8192,
        title="Camera height",
        unit="pixels",
        effect=gettext_noop("Ask a camera for images of this height, unless the page has chosen another."),
    )
    camera_controls: Literal["on", "off"] = _choice(
        default="on",
        title="Camera controls",
        effect=gettext_noop("Focus the camera and lock its exposure and white balance, or leave the camera as it is."),
    )
    reconnect_pause_s: float = _setting(
        default=5.0,
        least=0.5,
        most=600.0,
        title="Reconnect pause",
        unit="seconds",
        effect=gettext_noop("Try to reach a lost camera again after this long at most."),
    )
    working_megapixels: float = _setting(
        default=12.0,
        least=0.1,
        most=100.0,
        title="Working size",
        unit="megapixels",
        effect=gettext_noop("Shrink larger images to this size before they are read."),
    )
    threads: int = _setting(
        default=2,
        least=1,
        most=64,
        title="Threads",
        unit="threads",
        effect=gettext_noop("Let the networks use this many processor cores."),
    )

    @property
    def working_px(self) -> int:
        """The working size in pixels."""
        return round(1e6 * self.working_megapixels)

    @classmethod
    def of_options(cls, words: Mapping[str, str | None]) -> UserSettings:
        """Return the settings that options name, with the defaults of the others.

        Args:
            words: the words behind the options, by the names of the fields; None for an option that is not given.

        Raises:
            SettingRefused: if a value is no number or out of its bounds.
        """
        given = {setting.name: words.get(setting.name) for setting in SETTINGS}
        try:
            return cls.model_validate({name: word for name, word in given.items() if word is not None})
        except ValidationError as error:
            name = error.errors()[0]["loc"][0]
            (setting,) = (setting for setting in SETTINGS if setting.name == name)
            raise SettingRefused(setting.say_bounds(given[setting.name])) from None


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of `UserSettings`, as the command line and its documents show it.

    A field is a number from `least` to `most`, or one of `choices`.
    """

    name: str
    title: str
    unit: str
    effect: str
    """One sentence in English, which the catalogues translate."""
    default: float | str
    least: float = 0.0
    most: float = 0.0
    is_whole: bool = False
    choices: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The option of `tilekeeper run`, such as `--still-after`."""
        words = self.name
        for suffix in UNIT_SUFFIXES:
            words = words.removesuffix(suffix)
        return "--" + words.replace("_", "-")

    @property
    def metavar(self) -> str:
        """The placeholder for the value in the command line's help, such as `SECONDS`."""
        return "|".join(self.choices) or self.unit.split()[0].upper()

    def describe(self) -> str:
        """Return the effect, the default and the bounds or choices, in the language in use."""
        effect = gettext(self.effect)
        if self.choices:
            choices = ", ".join(self.choices)
            return gettext(
                "{effect} One of: {choices}; default: {default}.", effect=effect, choices=choices, default=self.default
            )
        return gettext(
            "{effect} From {least} to {most}; default: {default}.",
            effect=effect,
            least=f"{self.least:g}",
            most=f"{self.most:g}",
            default=f"{float(self.default):g}",
        )

    def say_bounds(self, word: object) -> str:
        """Return the sentence that refuses a word, in the language in use."""
        if self.choices:
            choices = ", ".join(self.choices)
            return gettext(
                "{option} takes one of these: {choices}; not {word!r}.", option=self.option, choices=choices, word=word
            )
        values = {"option": self.option, "least": f"{self.least:g}", "most": f"{self.most:g}", "word": word}
        if self.is_whole:
            return gettext("{option} takes a whole number from {least} to {most}, not {word!r}.", **values)
        return gettext("{option} takes a number from {least} to {most}, not {word!r}.", **values)


def _settings() -> tuple[Setting, ...]:
    settings = []
    for name, field in UserSettings.model_fields.items():
        title, effect = field.title or "", field.description or ""
        if choices := get_args(field.annotation):
            settings.append(Setting(name, title, "", effect, field.default, choices=choices))
            continue
        least, most = (
            next(getattr(bound, which) for bound in field.metadata if hasattr(bound, which)) for which in ("ge", "le")
        )
        extra = field.json_schema_extra
        assert isinstance(extra, dict), "each number is made by `_setting`"
        unit, is_whole = str(extra["unit"]), field.annotation is int
        settings.append(Setting(name, title, unit, effect, field.default, least, most, is_whole))
    return tuple(settings)


SETTINGS: Final = _settings()
"""Every setting, in the order of the class."""
