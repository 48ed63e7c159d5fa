"""Lets `jsonify` take answers that are models, by themselves or as a part of others."""

from typing import Any

from flask.json.provider import DefaultJSONProvider
from pydantic import BaseModel


def _as_json(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else DefaultJSONProvider.default(value)


class AnswersAsJson(DefaultJSONProvider):
    """Flask's own way of writing JSON, which knows models as well."""

    default = staticmethod(_as_json)
