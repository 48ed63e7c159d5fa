"""Lets Flask's `jsonify` write answers that are or contain pydantic models."""

from typing import Any

from flask.json.provider import DefaultJSONProvider
from pydantic import BaseModel


def _as_json(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else DefaultJSONProvider.default(value)


class AnswersAsJson(DefaultJSONProvider):
    """Flask's JSON provider, which can also write pydantic models."""

    default = staticmethod(_as_json)
