"""The OpenAPI 3.1 document of the HTTP interface, made from `http_routes`, `http_replies` and `http_statuses`."""

from __future__ import annotations

import json
from typing import Any

import msgspec

import mew_gateway

from .codes import ERRORS
from .envelope import Envelope
from .http_replies import Failure
from .http_routes import ROUTES, Parameter, Route
from .http_statuses import FAULTS, STATUSES
from .kinds import RESERVED

_REF = "#/components/schemas/{name}"
_SEALED = ("protocol", "id", "ts", "from")
_MEANINGS = {
    200: "It is so.",
    201: "Somebody was invited.",
    400: "The request, or the envelope in it, is not what it should be.",
    401: "No token, or one that is of no use here.",
    403: "The asker may not.",
    404: "There is nothing of that name.",
    405: "The path has no such method.",
    409: "It does not fit what is there already.",
    413: "The body is too large.",
    415: "The body's type is none of those served.",
    429: "Too fast: wait `retry_after_ms`.",
    500: "The gateway made a mistake.",
    503: "Nothing was accepted: the gateway is stopping, or its journal cannot be written.",
}
_RETRY = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}}


def document() -> dict[str, Any]:
    """Return the document as JSON values."""
    paths: dict[str, dict[str, Any]] = {}
    for row in ROUTES:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "MEW gateway",
            "version": mew_gateway.__version__,
            "description": "The HTTP side of a gateway for the MEW protocol v0.4.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(row: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": row.name,
        "summary": row.meaning,
        "parameters": [_parameter(each) for each in row.parameters],
        "responses": _responses(row),
    }
    if row.is_public:
        operation["security"] = []
    if row.method == "POST":
        operation["requestBody"] = _body()
    return operation


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.where,
        "required": parameter.where == "path",
        "description": parameter.meaning,
        "schema": parameter.schema,
    }


def _responses(row: Route) -> dict[str, Any]:
    replies: dict[int, Any] = {200: _content(row), **{status: _json(type_.__name__) for status, type_ in row.more}}
    for status in (*row.failures, 500):
        replies[status] = _json(Failure.__name__)
    return {str(status): _response(status, replies[status]) for status in sorted(replies)}


def _response(status: int, content: dict[str, Any]) -> dict[str, Any]:
    response = {"description": _meaning(status), "content": content}
    if status in (429, 503):
        response["headers"] = _RETRY
    return response


def _meaning(status: int) -> str:
    codes = [code for code, its in STATUSES.items() if its == status]
    if status in FAULTS and FAULTS[status] not in codes:
        codes.insert(0, FAULTS[status])
    return _MEANINGS[status] + (f" `error` is one of: {', '.join(codes)}." if codes else "")


def _content(row: Route) -> dict[str, Any]:
    if row.reply is not None:
        return _json(row.reply.__name__)
    schema = {"type": "object"} if row.media == "application/json" else {"type": "string"}
    return {row.media: {"schema": schema}}


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REF.format(name=name)}}}


def _body() -> dict[str, Any]:
    frame = {"type": "string", "pattern": "^#[^#]{1,200}#"}
    return {
        "required": True,
        "description": "An envelope, or a frame `#stream_id#data` of a stream, text or binary.",
        "content": {
            **_json("Post"),
            "text/plain": {"schema": frame},
            "application/octet-stream": {"schema": frame},
        },
    }


def _schemas() -> dict[str, Any]:
    types = dict.fromkeys([Failure, *(type_ for row in ROUTES for type_ in row.types)])
    _, schemas = msgspec.json.schema_components(types, ref_template=_REF)
    schemas["Failure"]["properties"]["error"]["enum"] = sorted({*ERRORS, *FAULTS.values()})
    return {**schemas, "Envelope": _envelope(), "Post": _post(), "Value": _value()}


def _envelope() -> dict[str, Any]:
    """Return the schema of an envelope as it was delivered: complete, with any further fields of its sender."""
    schema = _plain(Envelope)
    for field in ("to", "correlation_id", "context", "payload"):  # null is sealed away
        schema["properties"][field] = schema["properties"][field]["anyOf"][0]
    return schema


def _post() -> dict[str, Any]:
    """Return the schema of an envelope as it may be posted.

    Missing fields are sealed, and one name may stand for a list.
    """
    schema = _plain(Envelope)
    fields = schema["properties"]
    schema["title"] = "Post"
    schema["description"] = "An envelope of which the gateway fills in what is missing. `from` is the poster."
    schema["required"] = [field for field in schema["required"] if field not in _SEALED]
    for field in ("to", "correlation_id"):
        many = fields[field]["anyOf"][0]
        fields[field]["anyOf"].insert(0, many["items"])
    fields["kind"]["not"] = {"pattern": RESERVED}
    value = {"$ref": _REF.format(name="Value")}
    fields["payload"]["anyOf"][0] = {"type": "object", "additionalProperties": value}
    schema["additionalProperties"] = value
    return schema


def _value() -> dict[str, Any]:
    """Return the schema of a value in a payload: numbers that fit, at most 64 levels."""
    value = {"$ref": _REF.format(name="Value")}
    return {
        "title": "Value",
        "description": "Any JSON whose numbers fit 64 bits, nested at most 64 levels deep.",
        "anyOf": [
            {"type": ["null", "boolean", "string"]},
            {"type": "integer", "minimum": -(2**63), "maximum": 2**64 - 1},
            {"type": "number"},
            {"type": "array", "items": value},
            {"type": "object", "additionalProperties": value},
        ],
    }


def _plain(type_: type[msgspec.Struct]) -> dict[str, Any]:
    (definition,) = msgspec.json.schema(type_)["$defs"].values()
    schema: dict[str, Any] = json.loads(json.dumps(definition))
    del schema["additionalProperties"]  # unknown fields are refused by the codec's fast way only, not on the wire
    return schema
