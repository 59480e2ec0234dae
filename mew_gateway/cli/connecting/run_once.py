"""An errand: a command joins as a participant, does one thing, and leaves with an exit status."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

import typer

from mew_gateway.protocol.codes import ERRORS
from mew_gateway.sdk.client import Client
from mew_gateway.sdk.exchange.requests import ProposalRejected, Refused, TimedOut
from mew_gateway.sdk.exchange.rpc import ToolError

from ..framework.failure import FAILED, INTERRUPTED, REFUSED, TIMED_OUT, Failure
from ..printing.terminal import clean, print_json, say
from .access import Access
from .joining import joined
from .resume_rights import granters

# What the table of codes says to somebody else: the proposer.
_NOT_FOR_US = ("proposal_closed", "proposal_rejected")


def run(
    access: Access,
    work: Callable[[Client], Awaitable[int]],
    *,
    as_json: bool = False,
    left: str = "No longer waiting. What was sent stands: `mew timeline` tells what becomes of it.",
) -> NoReturn:
    """Join, do the work, leave: ends the command with the status that `work` returns, or with what it raises.

    `left` is what is said after Ctrl-C.
    """
    try:
        status = asyncio.run(_joined(access, work))
    except KeyboardInterrupt:
        say(left, style="yellow")
        status = INTERRUPTED
    except (Refused, ProposalRejected, TimedOut, ToolError) as error:
        status = _failed(error, access, as_json=as_json)
    raise typer.Exit(status)


async def _joined(access: Access, work: Callable[[Client], Awaitable[int]]) -> int:
    async with joined(access) as client:
        return await work(client)


def _failed(error: Refused | ProposalRejected | TimedOut | ToolError, access: Access, *, as_json: bool) -> int:
    """Tell what went wrong; the exit status."""
    message = clean(error)
    if isinstance(error, Refused):
        told, status = {"error": error.code, "message": error.message, **error.details}, REFUSED
        remedy = ERRORS[error.code].remedy if error.code in ERRORS and error.code not in _NOT_FOR_US else ""
        message = f"refused: {message} {remedy}".rstrip()
        if error.code == "capability_violation":
            message = f"{message} {granters(access)}".rstrip()
    elif isinstance(error, ProposalRejected):
        told, status = {"error": "rejected", "message": str(error), "by": error.by, "reason": error.reason}, REFUSED
    elif isinstance(error, TimedOut):
        told, status = {"error": "timed_out", "message": str(error)}, TIMED_OUT
    else:
        told, status = {"error": error.code, "message": error.message, "data": error.data}, FAILED
    if as_json:
        print_json({"failure": told})
        return status
    raise Failure(message, status=status)
