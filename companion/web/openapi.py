"""The OpenAPI document, generated from the descriptions of the endpoints (`api.endpoint.described`)."""

import re
from typing import Any

from flask import Blueprint, Flask, Response, current_app, jsonify
from pydantic import BaseModel, TypeAdapter
from werkzeug.routing import Rule

from tilekeeper import __version__
from tilekeeper.companion.hooks.messages import MESSAGES, HookMessage
from tilekeeper.companion.web.api.endpoint import DESCRIPTION, Description, described
from tilekeeper.companion.web.schemas.state import ErrorJson, StateJson

blueprint = Blueprint("document", __name__)

_KEPT = "tilekeeper-openapi"
_REF = "#/components/schemas/{model}"
_TYPES: dict[str, dict[str, Any]] = {"int": {"type": "integer", "minimum": 0}}
_ABOUT = (
    "The API of Tilekeeper's pages. Actions are POST requests with JSON and answer with the whole state. Actions of a "
    "game night carry the revision that the page showed; if the game night has changed since, they are refused with "
    "409 and the code `stale`, so that a double tap acts only once. Tables and racks are written in the notation "
    "`R3 R4 J | K7 B7 O7`; everything that the camera reads can also be entered by hand."
)


@blueprint.get("/api/openapi.json")
@described(dict[str, Any])
def openapi() -> Response:
    """This description of the API, as an OpenAPI document."""
    # Kept, since it takes half a second to make and never changes.
    kept = current_app.extensions.get(_KEPT)
    if kept is None:
        kept = current_app.extensions[_KEPT] = jsonify(document(current_app)).get_data()
    return Response(kept, mimetype="application/json")


def document(app: Flask) -> dict[str, Any]:
    """Return the OpenAPI document of an app, with all endpoints that `described` decorates."""
    endpoints = [
        (rule, about)
        for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule)
        if (about := getattr(app.view_functions[rule.endpoint], DESCRIPTION, None)) is not None
    ]
    models = {about.body.__name__: (about.body, "validation") for _, about in endpoints if about.body is not None}
    models |= {
        _name(about.answer): (about.answer, "serialization") for _, about in endpoints if _is_model(about.answer)
    }
    models |= {_name(kind): (kind, "serialization") for kind in (ErrorJson, StateJson)}
    models |= {_name(kind): (kind, "serialization") for kind in MESSAGES}
    adapters = [(name, mode, TypeAdapter(kind)) for name, (kind, mode) in sorted(models.items())]
    _, schemas = TypeAdapter.json_schemas(adapters, ref_template=_REF)  # type: ignore[arg-type]
    paths: dict[str, dict[str, Any]] = {}
    for rule, about in endpoints:
        method = "post" if "POST" in (rule.methods or ()) else "get"
        paths.setdefault(re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), {})[method] = _operation(rule, about)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tilekeeper", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "webhooks": {str(kind.model_fields["event"].default): {"post": _webhook(kind)} for kind in MESSAGES},
        "components": {"schemas": schemas.get("$defs", {})},
    }


def _webhook(kind: type[HookMessage]) -> dict[str, Any]:
    schema = {"$ref": _REF.format(model=_name(kind))}
    return {
        "summary": (kind.__doc__ or "").strip(),
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"2XX": {"description": "Taken; after 408, 425, 429, 5xx or no answer it is sent again."}},
    }


def _operation(rule: Rule, about: Description) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    if _is_model(about.answer):
        schema = {"$ref": _REF.format(model=_name(about.answer))}
    elif about.answer in (bytes, str):
        schema = {"type": "string"} | ({"contentMediaType": about.media} if about.answer is bytes else {})
    error = {"application/json": {"schema": {"$ref": _REF.format(model="ErrorJson")}}}
    answers: dict[str, Any] = {
        "200": {"description": "The answer.", "content": {about.media: {"schema": schema}}},
        "default": {"description": "The refusal; nothing has changed.", "content": error},
    }
    if about.empty:
        answers["204"] = {"description": f"Nothing: {about.empty}."}
    operation: dict[str, Any] = {
        "operationId": rule.endpoint.replace(".", "_"),
        "tags": [rule.endpoint.partition(".")[0]],
        "summary": about.summary,
        "description": about.text,
        "parameters": _parameters(rule, about),
        "responses": answers,
    }
    content: dict[str, Any] = {}
    if about.body is not None:
        content["application/json"] = {"schema": {"$ref": _REF.format(model=about.body.__name__)}}
    if about.upload:
        picture = {"type": "string", "contentMediaType": "image/*", "description": about.upload}
        content["multipart/form-data"] = {"schema": {"type": "object", "properties": {"picture": picture}}}
    if about.picture:
        content["image/jpeg"] = {"schema": {"type": "string", "contentMediaType": "image/jpeg"}}
    if content:
        required = about.body is not None or bool(about.picture)
        operation["requestBody"] = {"required": required, "content": content}
        if about.picture:
            operation["requestBody"]["description"] = about.picture
    return operation


def _parameters(rule: Rule, about: Description) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": _TYPES.get(kind, {"type": "string"})}
        for kind, name in re.findall(r"<(?:(\w+):)?(\w+)>", rule.rule)
    ]
    return in_path + [
        {"name": name, "in": "query", "description": says, "schema": {"type": "string"}}
        for name, says in about.query.items()
    ]


def _is_model(answer: Any) -> bool:
    return hasattr(answer, "__pydantic_config__") or (isinstance(answer, type) and issubclass(answer, BaseModel))


def _name(answer: Any) -> str:
    return str(answer.__name__)
