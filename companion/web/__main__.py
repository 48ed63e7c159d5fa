"""Prints the OpenAPI document without its descriptions: `python -m tilekeeper.companion.web`.

`companion/web/tooling/check` generates the types of the page's scripts from it.
"""

import json
from typing import Any

from flask import Flask

from tilekeeper.companion.web.app import BLUEPRINTS
from tilekeeper.companion.web.openapi import document

SENTENCES = ("description", "summary", "title")


def main() -> None:
    """Print the OpenAPI document of an app without camera and data, which has all endpoints."""
    app = Flask(__name__)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    print(json.dumps(_without_sentences(document(app)), indent=1))


def _without_sentences(node: Any) -> Any:
    # A property of a schema may be called `title`; its value is an object, and it stays.
    if isinstance(node, dict):
        return {
            key: _without_sentences(value)
            for key, value in node.items()
            if not (key in SENTENCES and isinstance(value, str))
        }
    return [_without_sentences(item) for item in node] if isinstance(node, list) else node


if __name__ == "__main__":
    main()
