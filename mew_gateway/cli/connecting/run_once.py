"""One-shot runner: a command joins as a participant, does one thing, and leaves with an exit status.

A command passes its work as a coroutine function of the client. Failures of the work (refused, rejected, timed out,
a tool's error) are printed and become exit statuses here, so that all commands report them alike. Where to go next:
`sent_envelope` (the usual work: one envelope and its answer), `framework/failure` (the statuses).
"""

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
from .resume_rights import grant_advice

# Codes whose remedies are for the proposer, not for the person who approves or rejects.
_PROPOSERS_CODES = ("proposal_closed", "proposal_rejected")


def run(
    access: Access,
    work: Callable[[Client], Awaitable[int]],
    *,
    as_json: bool = False,
    left: str = "No longer waiting. What was sent stands: `mew timeline` shows what becomes of it.",
) -> NoReturn:
    """Join, do the work, leave. Ends the command with the status that `work` returns, or that stands for what it
    raises.

    `left` is printed after Ctrl-C.
    """
    try:
        status = asyncio.run(_joined(access, work))
    except KeyboardInterrupt:
        say(left, style="yellow")
        status = INTERRUPTED
    except (Refused, ProposalRejected, TimedOut, ToolError) as error:
        status = _report(error, access, as_json=as_json)
    raise typer.Exit(status)


async def _joined(access: Access, work: Callable[[Client], Awaitable[int]]) -> int:
    async with joined(access) as client:
        return await work(client)


def _report(error: Refused | ProposalRejected | TimedOut | ToolError, access: Access, *, as_json: bool) -> int:
    """Report the error, and return the exit status. With JSON it is printed, else raised as `Failure`."""
    message = clean(error)
    if isinstance(error, Refused):
        fields, status = {"error": error.code, "message": error.message, **error.details}, REFUSED
        remedy = ERRORS[error.code].remedy if error.code in ERRORS and error.code not in _PROPOSERS_CODES else ""
        message = f"refused: {message} {remedy}".rstrip()
        if error.code == "capability_violation":
            message = f"{message} {grant_advice(access)}".rstrip()
    elif isinstance(error, ProposalRejected):
        fields, status = {"error": "rejected", "message": str(error), "by": error.by, "reason": error.reason}, REFUSED
    elif isinstance(error, TimedOut):
        fields, status = {"error": "timed_out", "message": str(error)}, TIMED_OUT
    else:
        fields, status = {"error": error.code, "message": error.message, "data": error.data}, FAILED
    if as_json:
        print_json({"failure": fields})
        return status
    raise Failure(message, status=status)
