"""The installable app (PWA): manifest, service worker, and the page that is shown without a connection to the table.

The service worker caches only this offline page: no state, picture or page of a game is ever shown from a cache.
"""

import base64
import hashlib
import json
import re

from flask import Blueprint, Response, jsonify, render_template

from tilekeeper.companion.web.assets.store import STATIC, file_address
from tilekeeper.engine.language import gettext

blueprint = Blueprint("shell", __name__)

GROUND = "#22574a"
# The offline page loads nothing else.
CONTENT_POLICY = (
    "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src {scripts}; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """The web app manifest, with the app's name and icons (https://www.w3.org/TR/appmanifest/)."""
    icons = [
        {"src": file_address("icon-192.png"), "sizes": "192x192", "type": "image/png"},
        {"src": file_address("icon-512.png"), "sizes": "512x512", "type": "image/png"},
        {"src": file_address("icon-whole-512.png"), "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
        {"src": file_address("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
    ]
    response = jsonify(
        id="/",
        name="Tilekeeper",
        short_name="Tilekeeper",
        description=gettext("A referee for your Rummikub table."),
        start_url="/",
        scope="/",
        display="standalone",
        background_color=GROUND,
        theme_color=GROUND,
        icons=icons,
    )
    response.mimetype = "application/manifest+json"
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.get("/offline")
def offline() -> Response:
    """The page that browsers show without a connection to the table; one file with its script."""
    page = render_template("offline.html")
    digests = (hashlib.sha256(script.encode()).digest() for script in SCRIPT.findall(page))
    scripts = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return Response(page, headers={"Content-Security-Policy": CONTENT_POLICY.format(scripts=scripts)})


@blueprint.get("/service-worker.js")
def worker() -> Response:
    """The service worker: it caches the page `/offline`, and shows that page if the table does not answer."""
    digest = hashlib.sha256(offline().get_data()).hexdigest()[:12]
    script = (STATIC / "js" / "service_worker.js").read_text("utf-8")
    text = f"const CACHE = {json.dumps(f'offline-{digest}')};\n{script}"
    return Response(text, mimetype="text/javascript", headers={"Cache-Control": "no-cache"})
