"""`mew interrupt`: ask an agent to stop, and see what comes of it."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from mew_gateway.protocol.reasons import EMERGENCY

from .. import alarm, lifting, still_waiting, verdict
from ..access import Access, find_access
from ..coercion import json_or_text
from ..completion import complete_participants
from ..failure import INTERRUPTED, MISTAKEN, mistake
from ..ids import is_meant, typable
from ..joining import joined
from ..moment import duration
from ..options import JsonOption, Where, seconds
from ..pursuit import Ask, Pursuit
from ..terminal import command_name, one_line, print_json, say

EXAMPLES = (
    "mew interrupt solver  # its only open sequence: stop, please",
    "mew interrupt solver --sequence 1a2b3c4d --message 'the tour is good enough'",
    "mew interrupt solver --reason redirect --message 'start from Berlin'  # do this instead",
    'mew interrupt solver --class override --input \'{"from": "Berlin"}\'  # its next input, for a program',
    "mew interrupt solver --class emergency -m 'it is wiping the disk'  # halts it until `mew resume`; asks first",
    "mew interrupt solver --class emergency --yes  # does not ask; nor does it where there is no terminal",
    "mew interrupt solver --json | jq -r .ack.status",
    "Exit status: 0 stopping or completing_thought (or halt_after_span), 1 not sent, 2 a mistake in what was typed, "
    "3 continuing (paused, queued, or only a span stopped), 4 ignored, 5 timed out, 6 refused.",
)

Reason = Literal["timeout", "redirect", "error", "user_request", "resource_limit", "other"]
Class = Literal["queue", "clarification", "cancel", "override", "emergency"]
Scope = Literal["span", "run", "participant"]
OnReject = Literal["queue", "ignore"]

_FINE = "Fine points, for agents that know them"


@dataclass(frozen=True, kw_only=True)
class FinePoints:
    """What an interrupt may say besides, which older agents ignore (docs/interruption.md §3)."""

    scope: Annotated[
        Scope | None, typer.Option("--scope", help="How much is meant; else the run.", rich_help_panel=_FINE)
    ] = None
    span: Annotated[
        str | None,
        typer.Option("--span", metavar="ID", help="Which span; else the one in focus.", rich_help_panel=_FINE),
    ] = None
    input_: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="VALUE",
            help="What to do instead, or afterwards: JSON, or else text; without it, the message.",
            rich_help_panel=_FINE,
        ),
    ] = None
    on_reject: Annotated[
        OnReject | None,
        typer.Option("--on-reject", help="What becomes of the input if nothing may interrupt.", rich_help_panel=_FINE),
    ] = None
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", min=0, max=1, help="How sure it is that this is meant.", rich_help_panel=_FINE),
    ] = None

    def extensions(self) -> dict[str, Any]:
        """The fields that were given. Raises `Failure` where they contradict each other."""
        if self.span is not None and self.scope not in (None, "span"):
            raise mistake(f"--span says which span is meant, and --scope {self.scope} that more than a span is.")
        given = {
            "scope": "span" if self.span is not None else self.scope,
            "span_id": self.span,
            "input": None if self.input_ is None else json_or_text(self.input_),
            "on_reject": self.on_reject,
            "confidence": self.confidence,
        }
        return {name: value for name, value in given.items() if value is not None}


def interrupt(
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="Whom to interrupt.", autocompletion=complete_participants),
    ],
    *,
    sequence: Annotated[
        str | None,
        typer.Option("--sequence", metavar="ID", help="Which sequence, or the end of its id; else the only open one."),
    ] = None,
    reason: Annotated[Reason, typer.Option("--reason", help="Why.")] = "user_request",
    class_: Annotated[
        Class | None, typer.Option("--class", help="How strongly; else what the reason stands for.")
    ] = None,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="What to say; with override, what to do instead.")
    ] = None,
    fine: FinePoints,
    timeout: Annotated[
        int | None,
        typer.Option(
            "--timeout", metavar="SECONDS", parser=seconds, help="Wait no longer for the ack; else until the deadline."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before an emergency.")] = False,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Interrupt an agent's reasoning; wait for its answer, and for the conclusion if it promises one.

    An emergency halts its target. On a terminal you are asked first; a script or a monitor is not, with or without
    --yes: whoever wrote it meant it, and an alarm that waits for an answer at night is none.
    """
    extensions = fine.extensions()
    access = find_access(where, named=[target])
    meant = _meant(access, target, sequence, class_)
    if len(meant) > 1:
        _offer(access, meant, as_json=as_json)
        raise typer.Exit(MISTAKEN)
    ask = Ask(target, meant[0]["id"], reason, class_, message, extensions, timeout)
    if class_ == EMERGENCY and not yes:
        alarm.confirm(access, target, {"reason": reason, "message": message})
    try:
        status = asyncio.run(_interrupt(access, ask, as_json=as_json))
    except KeyboardInterrupt:
        say("No longer waiting. What was sent stands: `mew interrupts` tells what becomes of it.", style="yellow")
        status = INTERRUPTED
    raise typer.Exit(status)


async def _interrupt(access: Access, ask: Ask, *, as_json: bool) -> int:
    """Returns the exit status."""
    async with joined(access) as client:
        course = await Pursuit(client, access.api, ask, quiet=as_json).run()
    if as_json:
        print_json(verdict.as_object(course))
    elif course.refusal is not None:
        say(verdict.refusal(course))
        if course.refusal.get("error") == "sequence_closed":
            _say_what_waits(access, ask)
    elif course.halts:
        said = {"reason": ask.reason, "message": ask.message}
        say(verdict.halt(course, lifting.until(access, ask.target, said, typable(course.id))))
    return course.status


def _say_what_waits(access: Access, ask: Ask) -> None:
    """The run meant has closed: what to type instead."""
    held = still_waiting.hold(access, ask.target) if ask.class_ == EMERGENCY else ""
    for told in filter(None, (held, still_waiting.offer(access, ask.target, ask.sequence))):
        say(told)


def _meant(access: Access, target: str, sequence: str | None, class_: str | None) -> list[dict[str, Any]]:
    """The open sequences that may be meant, at least one. Raises `Failure`."""
    listed: list[dict[str, Any]] = access.api.get("sequences", open=1, limit=1000)["sequences"]
    if sequence is not None:
        # Of one that is not open the gateway knows more than we do: let it answer.
        return [one for one in listed if is_meant(sequence, one["id"])] or [{"id": sequence}]
    own = [one for one in listed if one["owner"] == target]
    if own:
        return own
    access.api.participant(target)
    nothing = f"{target} has no open sequence: there is nothing to interrupt."
    held = still_waiting.hold(access, target) if class_ == EMERGENCY else ""
    raise mistake("\n".join(filter(None, (nothing, held, still_waiting.offer(access, target)))))


def _offer(access: Access, sequences: list[dict[str, Any]], *, as_json: bool) -> None:
    """Several may be meant: say which, and what to type."""
    if as_json:
        print_json({"error": "ambiguous", "sequences": sequences})
        return
    say(f"{sequences[0]['owner']} has {len(sequences)} open sequences. Which one?")
    for one in sequences:
        words = ["interrupt", one["owner"], "--space", access.space, "--sequence", typable(one["id"])]
        call = f"  {command_name()} {shlex.join(words)}"  # an agent chose the id: it must not act on the shell
        told = f"{duration(one['age_ms'])}, {one['thoughts']} thoughts: {one_line(one['message'] or '-', longest=60)}"
        say(Text.assemble((call, "bold"), (f"  # {told}", "dim")))
