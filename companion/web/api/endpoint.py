"""A decorator that describes an endpoint for the OpenAPI document (body, answer, purpose) and checks its body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, overload

from flask import request
from pydantic import ValidationError
from werkzeug.exceptions import BadRequest

from tilekeeper.companion.web.schemas.requests import ApiBody
from tilekeeper.companion.web.schemas.state import StateJson
from tilekeeper.engine.language import gettext

Body = TypeVar("Body", bound=ApiBody)
P = ParamSpec("P")
R = TypeVar("R")
DESCRIPTION = "described"


@dataclass(frozen=True, slots=True)
class Description:
    """What the OpenAPI document holds about an endpoint."""

    summary: str
    text: str
    body: type[ApiBody] | None
    answer: object
    media: str
    query: Mapping[str, str] = field(default_factory=dict)
    """Parameters after the question mark, each with what it is for."""
    upload: str = ""
    """What the file of a `multipart/form-data` body is, where there is one."""
    picture: str = ""
    """What the body is, where it is a picture by itself."""
    empty: str = ""
    """When there is no answer but 204; empty where there always is one."""


@overload
def described(
    answer: object = ...,
    *,
    body: None = None,
    media: str = ...,
    query: Mapping[str, str] | None = ...,
    upload: str = ...,
    picture: str = ...,
    empty: str = ...,
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
@overload
def described(
    answer: object = ...,
    *,
    body: type[Body],
    media: str = ...,
    query: Mapping[str, str] | None = ...,
    upload: str = ...,
    picture: str = ...,
    empty: str = ...,
) -> Callable[[Callable[Concatenate[Body, P], R]], Callable[P, R]]: ...
def described(
    answer: object = StateJson,
    *,
    body: type[ApiBody] | None = None,
    media: str = "application/json",
    query: Mapping[str, str] | None = None,
    upload: str = "",
    picture: str = "",
    empty: str = "",
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Describe a view for the OpenAPI document; its docstring is the text.

    A view with a body gets it, checked, as its first argument.

    Args:
        answer: the model or typed dictionary that it answers; `bytes` for a file, `str` for text.
        body: what is sent to it in JSON.
        media: the type of the answer.
        query: its parameters after the question mark, each with what it is for.
        upload: what the file is that may be sent to it.
        picture: what the picture is that is sent to it, as the body itself.
        empty: when it answers with nothing (204).
    """

    def describe(view: Callable[..., R]) -> Callable[..., R]:
        first, _, rest = (view.__doc__ or "").partition("\n\n")

        @wraps(view)
        def checked(*arguments: object, **named: object) -> R:
            return view(*arguments, **named) if body is None else view(read_body(body), *arguments, **named)

        text = " ".join(rest.split())
        summary = " ".join(first.split())
        about = Description(summary, text, body, answer, media, dict(query or {}), upload, picture, empty)
        setattr(checked, DESCRIPTION, about)
        return checked

    return describe


def read_body(kind: type[Body]) -> Body:
    """The body of the present request.

    Raises `BadRequest` with a line for people where it is none of that kind.
    """
    # A form on another site can't send JSON without the browser asking first, so nobody else can press the buttons.
    if not request.is_json:
        raise BadRequest(gettext("Send JSON."))
    try:
        sent = request.get_json()
    except RecursionError:
        raise BadRequest(gettext("That is nested too deeply.")) from None
    if not isinstance(sent, dict):
        raise BadRequest(gettext("Send a JSON object."))
    try:
        # As JSON, so that a whole number will do where a fraction is asked for, and a list where a tuple is.
        return kind.model_validate_json(request.get_data())
    except ValidationError as error:
        raise BadRequest(_in_words(error)) from None


def _in_words(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'The body'}: {first['msg'].rstrip('.')}."
