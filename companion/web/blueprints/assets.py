"""Serves the files of pages: compressed, and cached for ever, since a changed file gets another address."""

import gzip

from flask import Blueprint, Flask, Response, request

from tilekeeper.companion.web.api.languages import asked_words
from tilekeeper.companion.web.assets.store import ADDRESS, asset, file_address, script_address, styles_address

blueprint = Blueprint("assets", __name__)

FOR_EVER = "public, max-age=31536000, immutable"
PACKED_TYPES = ("text/html", "application/json")
LEAST_PACKED_BYTES = 2048
PACKING_LEVEL = 4
"""The gzip level, of 9; stronger compression would take more time than it saves in the network."""


def name_assets(app: Flask) -> None:
    """Let an app's templates name files by `script("game_night/main.js")`, `styles_of([…])` and `file("icon.svg")`."""
    app.jinja_env.globals["script"] = lambda entry: script_address(entry, *asked_words())
    app.jinja_env.globals["styles_of"] = lambda names: styles_address(tuple(names))
    app.jinja_env.globals["file"] = file_address


@blueprint.get(f"{ADDRESS}<name>")
def file(name: str) -> Response:
    """A script, style sheet, font or image of a page; 404 for an unknown file."""
    found = asset(name)
    if found is None:
        return Response("There is no such file.\n", status=404, mimetype="text/plain")
    headers = {"Cache-Control": FOR_EVER, "Vary": "Accept-Encoding"}
    if found.packed is None or not request.accept_encodings.quality("gzip"):
        return Response(found.data, mimetype=found.type, headers=headers)
    return Response(found.packed, mimetype=found.type, headers=headers | {"Content-Encoding": "gzip"})


@blueprint.after_app_request
def _compress(response: Response) -> Response:
    """Compress a page or a long JSON answer with gzip if the browser accepts that."""
    if response.mimetype not in PACKED_TYPES or response.direct_passthrough:
        return response
    if response.mimetype == "text/html":
        response.headers.setdefault("Cache-Control", "no-cache")
    response.vary.add("Accept-Encoding")
    if request.accept_encodings.quality("gzip") and len(response.get_data()) >= LEAST_PACKED_BYTES:
        response.set_data(gzip.compress(response.get_data(), PACKING_LEVEL))
        response.content_encoding = "gzip"
    return response
