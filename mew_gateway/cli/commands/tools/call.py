"""`mew call`: call a tool of a participant, or propose the call."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

import typer

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Mailbox
from mew_gateway.sdk.client import Client, Item
from mew_gateway.sdk.exchange.rpc import INVALID_PARAMS, ToolError
from mew_gateway.sdk.participant import Participant

from ...connecting import run_once
from ...connecting.access import find_access
from ...framework.failure import STATUSES, mistake
from ...framework.options import JsonOption, TargetArgument, Where, seconds
from ...framework.parse_args import json_arguments, parse_arguments
from ...printing.countdown import countdown
from ...printing.ids import typable
from ...printing.request_result import show_result
from ...printing.terminal import command_name, one_line, say

EXAMPLES = (
    "mew call calculator add a=2 b=3",
    "mew call calculator evaluate 'expression=2 * (3 + 4)' --json",
    'mew call calculator add --arguments \'{"a": 2, "b": 3}\' --propose  # another participant has to approve it',
    "mew tools  # what there is to call",
    STATUSES,
)

_SCHEMA_TIMEOUT = 3_000  # milliseconds for the tool's schema

_TIMEOUT = 300_000  # milliseconds


def call(
    participant: TargetArgument,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="Which of its tools.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="NAME=VALUE", help="The arguments.")] = None,
    *,
    arguments: Annotated[
        str | None, typer.Option("--arguments", metavar="JSON", help="All arguments as an object.")
    ] = None,
    propose: Annotated[bool, typer.Option("--propose", help="Propose it, even if you may call it yourself.")] = False,
    timeout: Annotated[
        int | None,
        typer.Option(
            "--timeout", metavar="SECONDS", parser=seconds, help="Wait no longer for the result; else 5 minutes."
        ),
    ] = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Call a tool and print its result. What you may not do yourself is proposed, and waits for approval.

    Of NAME=VALUE, what is JSON is sent as that value, anything else as text. What the tool refuses so is read by its
    schema and sent once more.
    """
    if words and arguments is not None:
        raise mistake("Give the arguments either as name=value or as --arguments.")
    access = find_access(where, named=[participant])
    access.api.participant(participant)
    given = None if arguments is None else json_arguments(arguments)
    work = partial(
        _call,
        target=participant,
        tool=tool,
        words=words or [],
        given=given,
        propose=propose,
        timeout=_TIMEOUT if timeout is None else timeout,
        as_json=as_json,
    )
    run_once.run(access, work, as_json=as_json, left="No longer waiting: it was taken back.")


async def _call(
    client: Client,
    *,
    target: str,
    tool: str,
    words: list[str],
    given: dict[str, Any] | None,
    propose: bool,
    timeout: int,
    as_json: bool,
) -> int:
    async with Participant(client, answers=False) as me:
        arguments = given or parse_arguments(words, None)
        params = {"name": tool, "arguments": arguments}
        proposing = propose or not me.may("mcp/request", {"method": "tools/call", "params": params}, to=[target])
        if proposing and words:  # the approver cannot correct it
            params["arguments"] = parse_arguments(words, await _schema(me, target, tool))
        async with _waiting(me, target, timeout=timeout, proposing=proposing, quiet=as_json):
            try:
                result = await me.request(target, "tools/call", params, timeout=timeout, propose=propose)
            except ToolError as error:
                typed = await _by_schema(me, target, tool, words) if error.code == INVALID_PARAMS else None
                if typed in (None, params["arguments"]):
                    raise
                params["arguments"] = typed
                result = await me.request(target, "tools/call", params, timeout=timeout, propose=propose)
    show_result(result, as_json=as_json)
    return 0


async def _by_schema(me: Participant, target: str, tool: str, words: list[str]) -> dict[str, Any] | None:
    """Return the arguments read by the tool's schema, after it refused them as they were; None if there is no schema.

    Raises `Failure` for a word that the schema does not allow.
    """
    schema = await _schema(me, target, tool) if words else None
    return None if schema is None else parse_arguments(words, schema)


async def _schema(me: Participant, target: str, tool: str) -> dict[str, Any] | None:
    """Return the schema of the tool's arguments, None if it does not come soon."""
    if target not in me.participants or not me.may("mcp/request", {"method": "tools/list"}, to=[target]):
        return None
    try:
        tools = await me.tools(target, timeout=_SCHEMA_TIMEOUT)
    except MewError:
        return None
    return next((one.input_schema for one in tools if one.name == tool), None)


@contextlib.asynccontextmanager
async def _waiting(me: Participant, target: str, *, timeout: int, proposing: bool, quiet: bool) -> AsyncIterator[None]:
    """Show what is waited for during the block: the answer, or before it an approval."""
    if quiet:
        yield
        return
    following = asyncio.create_task(_follow(me.listen(), me.me)) if proposing else None
    what = f"waiting for its approval for {target}" if proposing else f"waiting for {target}"
    try:
        async with countdown(what, seconds=timeout / 1000):
            yield
    finally:
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


async def _follow(items: Mailbox[Item], me: str) -> None:
    """Print what becomes of our proposal."""
    proposal = None
    async for item in items:
        if not isinstance(item, Envelope):
            continue
        if item.kind == "mcp/proposal" and item.sender == me and proposal is None:
            proposal = item.id
            how = f"`{command_name()} approve {typable(item.id)}`"
            say(f"─ proposed: a participant that may do it says {how}", style="dim")
        elif proposal is not None and item.kind == "mcp/request" and proposal in (item.correlation_id or ()):
            say(f"─ {one_line(item.sender)} approves it", style="green")
