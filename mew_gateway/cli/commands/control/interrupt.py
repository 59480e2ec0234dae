"""`mew interrupt`: ask an agent to stop, and wait for what follows.

The command works in three steps: find the sequences that the options may mean (`_candidates_for`), ask before an
emergency, and run an interrupt session for each (`_interrupt`, `_interrupt_all`). If several sequences may be meant,
nothing is sent and the lines to type are printed.

An emergency needs one open sequence only: if that has ended meanwhile, the next one is tried. Where to go next:
`interrupts/session` (send and wait), `interrupts/still_waiting` (advice if no run is open).
"""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer
from anyio import to_thread
from rich.text import Text

from mew_gateway.protocol.reasons import EMERGENCY

from ...connecting import resume_rights
from ...connecting.access import Access, find_access
from ...connecting.joining import joined
from ...framework.completion import complete_participants
from ...framework.failure import INTERRUPTED, MISTAKEN, mistake
from ...framework.options import JsonOption, Where, seconds
from ...framework.parse_args import json_or_text
from ...interrupts import emergency_prompt, report, still_waiting
from ...interrupts.progress import InterruptProgress
from ...interrupts.session import InterruptRequest, InterruptSession, run_all
from ...printing.ids import Candidate, Naming, WholeOption, typable, unambiguous
from ...printing.moment import duration
from ...printing.terminal import command_name, one_line, print_json, say

EXAMPLES = (
    "mew interrupt solver  # its only open sequence: stop, please",
    "mew interrupt solver --sequence 1a2b3c4d --message 'the tour is good enough'",
    "mew interrupt solver --all  # every sequence that it has open now",
    "mew interrupt solver --reason redirect --message 'start from Berlin'  # do this instead",
    'mew interrupt solver --class override --input \'{"from": "Berlin"}\'  # its next input, for a program',
    "mew interrupt solver --class emergency -m 'it is wiping the disk'  # halts it until `mew resume`; asks first",
    "mew interrupt solver --class emergency --yes  # does not ask; nor does it where there is no terminal",
    "mew interrupt solver --json | jq -r .ack.status",
    "Exit status: 0 stopping or completing_thought (or halt_after_span), 1 not sent, 2 a mistake in what was typed, "
    "3 continuing (paused, queued, or only a span stopped), 4 ignored, 5 timed out, 6 refused; "
    "with --all the highest of them, and a sequence that has ended by then counts as 0.",
)

Reason = Literal["timeout", "redirect", "error", "user_request", "resource_limit", "other"]
Class = Literal["queue", "clarification", "cancel", "override", "emergency"]
Scope = Literal["span", "run", "participant"]
OnReject = Literal["queue", "ignore"]

_MAX_TRIES = 5  # sequences that an emergency tries until one is open
_MAX_LISTED = 20
_FINE = "Fine points, for agents that know them"


@dataclass(frozen=True, kw_only=True)
class Extensions:
    """Further fields of an interrupt, which older agents ignore (docs/interruption.md §3)."""

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
        """Return the fields that were given. Raises `Failure` if they contradict each other."""
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
    all_: Annotated[bool, typer.Option("--all", help="Every sequence that it has open now.")] = False,
    whole: WholeOption = False,
    reason: Annotated[Reason, typer.Option("--reason", help="Why.")] = "user_request",
    class_: Annotated[
        Class | None, typer.Option("--class", help="How strongly; else what the reason stands for.")
    ] = None,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="What to say; with override, what to do instead.")
    ] = None,
    details: Extensions,
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
    --yes: its author meant it, and an alarm that waits for an answer at night is none. It needs one open sequence
    only, and takes one by itself if there are several.
    """
    if all_ and (sequence is not None or whole):
        raise mistake("Say either which --sequence, or --all.")
    extensions = details.extensions()
    access = find_access(where, named=[target])
    meant = _candidates_for(access, target, sequence, class_, whole=whole)
    is_emergency = class_ == EMERGENCY
    if len(meant) > 1 and not all_ and not is_emergency:
        _print_choices(access, meant, sequence, as_json=as_json)
        raise typer.Exit(MISTAKEN)
    requests = [InterruptRequest(target, one.id, reason, class_, message, extensions, timeout) for one in meant]
    if is_emergency and not yes:
        emergency_prompt.confirm(access, target, {"reason": reason, "message": message})
    if all_:
        work = _interrupt_all(access, requests, as_json=as_json)
    else:
        work = _interrupt(
            access, requests[0], or_any=is_emergency and (sequence is None or len(requests) > 1), as_json=as_json
        )
    try:
        status = asyncio.run(work)
    except KeyboardInterrupt:
        say("No longer waiting. What was sent stands: `mew interrupts` shows what becomes of it.", style="yellow")
        status = INTERRUPTED
    raise typer.Exit(status)


async def _interrupt(access: Access, request: InterruptRequest, *, or_any: bool, as_json: bool) -> int:
    """Send one interrupt and return the exit status. `or_any`: if the sequence has ended, try another one."""
    async with joined(access) as client:
        tried = {request.sequence}
        progress = await InterruptSession(client, access.api, request, quiet=as_json).run()
        while or_any and _has_ended(progress) and len(tried) < _MAX_TRIES:
            found = await to_thread.run_sync(_open_sequences, access, request.target)
            left = [one["id"] for one in found if one["id"] not in tried]
            if not left:
                break
            request = request._replace(sequence=left[0])
            tried.add(request.sequence)
            progress = await InterruptSession(client, access.api, request, quiet=as_json).run()
    if as_json:
        print_json(report.to_json(progress))
    elif progress.refusal is not None:
        say(report.refusal_line(progress))
        if _has_ended(progress):
            _print_advice(access, request)
    elif progress.halts:
        said = {"reason": request.reason, "message": request.message}
        say(
            report.halt_line(
                progress, resume_rights.resume_sentence(access, request.target, said, typable(progress.id))
            )
        )
    return report.exit_status(progress)


async def _interrupt_all(access: Access, requests: list[InterruptRequest], *, as_json: bool) -> int:
    """Send all interrupts and return the highest exit status; a sequence that had ended before counts as 0."""
    async with joined(access) as client:
        results = await run_all(client, access.api, requests, quiet=as_json)
    status = max(0 if _has_ended(progress) else report.exit_status(progress) for progress in results)
    if as_json:
        print_json({"interrupts": [report.to_json(progress) for progress in results], "exit_status": status})
        return status
    for progress in results:
        line = one_line(progress.sequence)
        if _has_ended(progress):
            say(f"─ {line} had ended already.", style="dim")
        elif progress.refusal is not None:
            say(Text.assemble(report.refusal_line(progress), f"  {line}"))
    halted = [progress for progress in results if progress.halts]
    if halted:
        said = {"reason": requests[0].reason, "message": requests[0].message}
        say(report.halt_line(halted[0], resume_rights.resume_sentence(access, requests[0].target, said)))
    return status


def _has_ended(progress: InterruptProgress) -> bool:
    """Return true if it was refused because the sequence had ended."""
    return progress.refusal is not None and progress.refusal.get("error") == "sequence_closed"


def _print_advice(access: Access, request: InterruptRequest) -> None:
    """Print what to type instead, because the run has ended."""
    advice = still_waiting.pause_advice(access, request.target) if request.class_ == EMERGENCY else ""
    for line in filter(None, (advice, still_waiting.cancel_advice(access, request.target, request.sequence))):
        say(line)


def _open_sequences(access: Access, target: str) -> list[dict[str, Any]]:
    """Return the target's open sequences: those without an interrupt first, then the oldest first."""
    listed: list[dict[str, Any]] = access.api.every("sequences", open=1)
    own = [one for one in listed if one["owner"] == target]
    return sorted(own, key=lambda one: one["state"] != "open")


def _candidates_for(
    access: Access, target: str, sequence: str | None, class_: str | None, *, whole: bool
) -> list[Candidate]:
    """Return the target's sequences that may be meant, at least one. Raises `Failure`."""
    own = _open_sequences(access, target)
    if sequence is not None:
        ids = [one["id"] for one in own]
        listed: list[dict[str, Any]] = access.api.every("sequences")
        closed = [one for one in listed if one["owner"] == target and one["id"] not in ids]
        known = [*_candidates(own), *_candidates(closed, live=False)]
        fitting = [one for one in known if Naming(whole=whole).admits(sequence, one)]
        if class_ == EMERGENCY:  # any open one will do
            fitting = [one for one in fitting if one.live] or fitting
        # The gateway may know a sequence that is not listed: let it answer.
        return fitting or [Candidate(sequence, target)]
    if own:
        return _candidates(own)
    access.api.participant(target)
    nothing = f"{target} has no open sequence: there is nothing to interrupt."
    advice = still_waiting.pause_advice(access, target) if class_ == EMERGENCY else ""
    raise mistake("\n".join(filter(None, (nothing, advice, still_waiting.cancel_advice(access, target)))))


def _candidates(sequences: list[dict[str, Any]], *, live: bool = True) -> list[Candidate]:
    return [Candidate(one["id"], one["owner"], _description(one, live=live), one, live) for one in sequences]


def _description(one: dict[str, Any], *, live: bool) -> str:
    state = "" if live else f", {one_line(one['state'])}"
    about = one_line(one["message"] or "-", longest=60)
    return f"{duration(one['age_ms'])}, {one['thoughts']} thoughts{state}: {about}"


def _print_choices(access: Access, meant: list[Candidate], typed: str | None, *, as_json: bool) -> None:
    """Print the sequences that may be meant, with what to type for each."""
    if as_json:
        print_json({"error": "ambiguous", "sequences": [one.row for one in meant]})
        return
    owner, many = meant[0].owner, len(meant)
    fits = f"has {many} open sequences" if typed is None else f"has {many} sequences that {one_line(typed)} fits"
    say(f"{owner} {fits}. Which one?")
    call = [command_name(), "interrupt", owner, "--space", access.space]
    listed = access.api.every("sequences")
    known = [*meant, *_candidates([one for one in listed if one["owner"] == owner])]
    known = list({one.id: one for one in known}.values())
    for one in meant[:_MAX_LISTED]:
        words = shlex.join([*call, "--sequence", *unambiguous(one, known)])  # quoted: an agent chose the id
        say(Text.assemble((f"  {words}", "bold"), (f"  # {one.what}", "dim")))
    if many > _MAX_LISTED:
        say(f"  … and {many - _MAX_LISTED} more", style="dim")
    every = shlex.join([*call, "--all"])
    say(Text.assemble((f"  {every}", "bold"), ("  # every one that is open", "dim")))
