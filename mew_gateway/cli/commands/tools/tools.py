"""`mew tools`: list the tools that can be called, and their arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import msgspec
import typer
from rich import box
from rich.table import Table
from rich.text import Text

from mew_gateway.sdk.client import Client
from mew_gateway.sdk.exchange.mcp import Tool
from mew_gateway.sdk.exchange.requests import Refused
from mew_gateway.sdk.participant import Participant

from ...connecting import run_once
from ...connecting.access import find_access
from ...framework.completion import complete_participants
from ...framework.failure import STATUSES
from ...framework.options import JsonOption, Where
from ...printing.countdown import countdown
from ...printing.terminal import clean, one_line, print_json, show

EXAMPLES = (
    "mew tools --space demo",
    "mew tools calculator --json | jq -r '.tools[].name'",
    "mew call calculator add a=2 b=3  # uses one",
    STATUSES,
)

_TIMEOUT = 5_000  # milliseconds
_BOUNDS = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)
_STRICT = {"exclusiveMinimum": "above", "exclusiveMaximum": "below", "multipleOf": "in steps of"}


def tools(
    participant: Annotated[
        str | None,
        typer.Argument(metavar="[PARTICIPANT]", help="Whose; else everybody's.", autocompletion=complete_participants),
    ] = None,
    *,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """List the tools of those who are here, with their arguments."""
    access = find_access(where, named=[participant] if participant else [])
    if participant is not None:
        access.api.participant(participant)
    run_once.run(access, partial(_tools, target=participant, as_json=as_json), as_json=as_json)


async def _tools(client: Client, *, target: str | None, as_json: bool) -> int:
    async with Participant(client, answers=False) as me, contextlib.AsyncExitStack() as stack:
        if not as_json:
            await stack.enter_async_context(countdown(f"asking {target or 'everybody'}", seconds=_TIMEOUT / 1000))
        if target is None:
            found = await me.catalogue.tools()
        elif not me.may("mcp/request", {"method": "tools/list"}, to=[target]):
            raise Refused("capability_violation", f"You may not ask {target} for its tools (mcp/request).")
        else:
            found = await me.tools(target, timeout=_TIMEOUT)
    if as_json:
        print_json({"tools": [msgspec.to_builtins(one) for one in found]})
    else:
        show(
            _table(found) if found else Text("Nobody here has tools." if target is None else f"{target} has no tools.")
        )
    return 0


def _table(found: list[Tool]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("who", "tool", "arguments", "what it does"):
        table.add_column(heading, overflow="fold")
    for one in found:
        table.add_row(
            Text(one_line(one.participant)),
            Text(one_line(one.name), style="bold"),
            Text("\n".join(_arguments(one.input_schema))),
            Text(clean(one.description)),
        )
    return table


def _arguments(schema: dict[str, Any]) -> list[str]:
    """Return a line for each argument: its name, its type, and whether it may be left out."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return []
    return [
        f"{one_line(name)}: {_type(known)}"
        + ("" if isinstance(required, list) and name in required else ", may be left out")
        for name, known in properties.items()
    ]


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "anything"
    if "enum" in schema:
        return one_line(" | ".join(map(str, schema["enum"]))) if isinstance(schema["enum"], list) else "one of several"
    said = schema.get("type")
    if isinstance(said, list):
        return one_line(" or ".join(map(str, said)))
    if said is None and isinstance(schema.get("anyOf"), list):
        return " or ".join(map(_type, schema["anyOf"]))
    return one_line(" ".join([str(said or "anything"), *_bounds(schema)]))


def _bounds(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the limits that a schema sets for a value: `1 to 9`, `up to 80 characters`."""
    for least, most, of in _BOUNDS:
        low, high = schema.get(least), schema.get(most)
        if low is not None and high is not None:
            yield f"{low} to {high}{of}"
        elif low is not None:
            yield f"from {low}{of}"
        elif high is not None:
            yield f"up to {high}{of}"
    for key, words in _STRICT.items():
        if key in schema:
            yield f"{words} {schema[key]}"
    if "pattern" in schema:
        yield f"like {schema['pattern']}"
