"""The OpenAPI document: what is served, and nothing else (docs/protocol.md §6)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from mew_gateway.gateway.http.app import HttpApp
from mew_gateway.protocol import http_replies, openapi
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.protocol.http_routes import ROUTES
from mew_gateway.protocol.http_statuses import FAULTS, STATUSES

DOCUMENT = openapi.document()
OPERATIONS = [(path, method, one) for path, methods in DOCUMENT["paths"].items() for method, one in methods.items()]


def app_routes(site: Any) -> set[tuple[str, str]]:
    routes = (
        HttpApp(
            broker=site.gateway.broker,
            queue=site.gateway.queue,
            authenticator=site.gateway.accept_context.authenticator,
            counters=site.gateway.counters,
            limits=site.gateway.accept_context.limits,
            started=0,
        )
        .app()
        .routes
    )
    return {
        (route.path, method)
        for route in routes
        if isinstance(route, Route)
        for method in (route.methods or ())
        if method != "HEAD"
    }


async def test_the_routes_are_those_of_the_document(site: Any) -> None:
    assert app_routes(site) == {(path, method.upper()) for path, method, _ in OPERATIONS}
    assert len(app_routes(site)) == len(ROUTES)


async def test_it_is_served_as_it_is_written(site: Any) -> None:
    assert await site.get("/openapi.json") == (200, DOCUMENT)
    assert json.loads(json.dumps(DOCUMENT)) == DOCUMENT


def test_every_reference_leads_somewhere() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT)))
    assert named == set(schemas)
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=lambda one: str(one)[:40])
def test_every_operation_lists_its_responses(path: str, method: str, operation: dict[str, Any]) -> None:
    parameters = [(one["name"], one["in"]) for one in operation["parameters"]]
    assert {name for name, where in parameters if where == "path"} == set(re.findall(r"{(\w+)}", path))
    assert {"200", "500"} <= set(operation["responses"])
    needs_token = "security" not in operation
    assert ("401" in operation["responses"]) == needs_token
    assert ("requestBody" in operation) == (method == "post")


def test_a_post_may_answer_whatever_status_a_code_has() -> None:
    documented = DOCUMENT["paths"]["/participants/{id}/messages"]["post"]["responses"]
    assert {str(status) for status in STATUSES.values()} <= set(documented)
    told = " ".join(one["description"] for one in documented.values())
    assert all(code in told for code in ERRORS)


def test_every_code_of_an_error_is_in_its_schema() -> None:
    assert set(DOCUMENT["components"]["schemas"]["Failure"]["properties"]["error"]["enum"]) == {
        *ERRORS,
        *FAULTS.values(),
    }


def test_every_reply_belongs_to_an_operation() -> None:
    used = {type_ for row in ROUTES for type_ in row.types}
    rows = {name for name in vars(http_replies) if name.endswith("Row")} | {"Failure", "Placed"}
    declared = {
        name for name, one in vars(http_replies).items() if getattr(one, "__module__", "") == http_replies.__name__
    }
    assert declared - rows == {type_.__name__ for type_ in used}
