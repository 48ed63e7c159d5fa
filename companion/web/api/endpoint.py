"""The decorator `described`, which describes an endpoint for the OpenAPI document and validates its JSON body."""

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
_NUL = b"\\u0000"


@dataclass(frozen=True, slots=True)
class Description:
    """The description of an endpoint in the OpenAPI document."""

    summary: str
    text: str
    body: type[ApiBody] | None
    answer: object
    media: str
    query: Mapping[str, str] = field(default_factory=dict)
    """The query parameters, each with its description."""
    upload: str = ""
    """The description of the file in a `multipart/form-data` body; empty if the endpoint takes no file."""
    picture: str = ""
    """The description of a body that is a picture; empty for other bodies."""
    empty: str = ""
    """In which case the answer is 204 without content; empty if that never happens."""


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
    """Describe a view for the OpenAPI document; the first line of its docstring is the summary.

    A view with a `body` gets the validated body as its first argument.

    Args:
        answer: the model or typed dictionary of the answer; `bytes` for a file, `str` for text.
        body: the model of the JSON body.
        media: the media type of the answer.
        query: as `Description.query`.
        upload: as `Description.upload`.
        picture: as `Description.picture`.
        empty: as `Description.empty`.
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
    """Return the validated JSON body of the current request.

    Raises:
        BadRequest: if the body does not fit the model; the message is one line for the page.
    """
    # A form on another site can't send JSON without a CORS preflight, so no other site can press buttons.
    if not request.is_json:
        raise BadRequest(gettext("Send JSON."))
    try:
        sent = request.get_json()
    except RecursionError:
        raise BadRequest(gettext("That is nested too deeply.")) from None
    if not isinstance(sent, dict):
        raise BadRequest(gettext("Send a JSON object."))
    if _NUL in request.get_data():  # PostgreSQL stores no NUL in text, and nobody can type one
        raise BadRequest(gettext("A message may not contain a zero character (NUL)."))
    try:
        # Strict validation accepts an integer for a float and a list for a tuple in JSON, but not in Python values.
        return kind.model_validate_json(request.get_data())
    except ValidationError as error:
        raise BadRequest(_in_words(error)) from None


def _in_words(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'The body'}: {first['msg'].rstrip('.')}."
