"""`mew explain`: say why a participant may or may not send an envelope."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from mew_gateway.config import load
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.explain import Explanation
from mew_gateway.protocol.explain import explain as explained

from ...connecting.access import Access, find_access
from ...connecting.admission import current_refusals, implied_permission
from ...connecting.configured_access import check_participant, choose_space
from ...framework.failure import REFUSED, Failure, mistake
from ...framework.options import JsonOption, TargetArgument, Where
from ...printing.terminal import clean, print_json, say, show

EXAMPLES = (
    "mew explain solver envelope.json",
    'echo \'{"kind": "mcp/request", "to": ["calculator"]}\' | mew explain solver -',
    "mew explain solver envelope.json --no-live  # by the configuration alone",
    "Exit status: 0 it passes, 1 it failed, 2 a mistake in what was typed, 6 it is refused.",
)


def explain(
    participant: TargetArgument,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="The envelope, in JSON; kind, to and payload do.")],
    *,
    live: Annotated[
        bool | None,
        typer.Option(
            "--live/--no-live", help="Ask the running gateway: grants, pauses, halts and fences count; else if it runs."
        ),
    ] = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Explain which capability lets a participant send an envelope; or which comes closest, and where it fails."""
    envelope = _envelope(file, participant)
    access, row = (None, None) if live is False else _row(where, participant, must=live is True)
    if row is None:
        configuration = load(where.config)
        name = choose_space(configuration, where.space, named=[participant])
        check_participant(configuration, name, participant)
        capabilities = list(configuration.spaces[name].settings.participants[participant].capabilities)
    else:
        capabilities = row["capabilities"]
    explanation = explained(capabilities, envelope)
    rule = implied_permission(envelope)
    obstacles = [] if row is None or access is None else current_refusals(access.api, row, envelope)
    passes = (explanation.allowed or rule is not None) and not obstacles
    if as_json:
        fields = msgspec.to_builtins(explanation)
        print_json({"passes": passes, "live": row is not None, "implied": rule, "obstacles": obstacles, **fields})
    else:
        _print(participant, envelope, explanation, rule=rule, obstacles=obstacles, live=row is not None)
    raise typer.Exit(0 if passes else REFUSED)


def _row(where: Where, participant: str, *, must: bool) -> tuple[Access | None, dict[str, Any] | None]:
    """Return the participant as the gateway lists it; None if no gateway runs, unless one `must`."""
    try:
        access = find_access(where, named=[participant])
        return access, access.api.participant(participant)
    except Failure as failure:
        if must or failure.status != 1:
            raise
        say(f"By the configuration alone: {failure.message}", style="dim")
        return None, None


def _envelope(file: str, sender: str) -> Envelope:
    """Return the envelope in the file; fields that are missing are filled in. Raises `Failure`."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        given = msgspec.json.decode(data, type=dict[str, Any])
        for field in ("to", "correlation_id"):
            if isinstance(given.get(field), str):  # docs/protocol.md §2: a scalar becomes an array
                given[field] = [given[field]]
        filled = {"protocol": "mew/v0.4", "id": "explained", "ts": "", **given, "from": sender}
        known = {name: filled[name] for name in Envelope.__struct_encode_fields__ if filled.get(name) is not None}
        return msgspec.convert(known, Envelope)
    except OSError as error:
        raise mistake(f"{file} cannot be read: {error.strerror}.") from None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise mistake(f"{file} is not an envelope: {error}") from None


def _print(
    who: str, envelope: Envelope, explanation: Explanation, *, rule: str | None, obstacles: list[str], live: bool
) -> None:
    pattern = "" if explanation.capability is None else clean(msgspec.json.encode(explanation.capability).decode())
    if explanation.allowed:
        show(Text(f"✓ {who} may send this {clean(envelope.kind)}: {pattern} lets it through.", "green"))
    elif rule is not None:
        show(Text(f"✓ {who} may send this {clean(envelope.kind)} without a capability: {rule}.", "green"))
    else:
        show(Text(f"✗ {who} may not send this {clean(envelope.kind)}.", "red"))
        if explanation.fault is not None:
            show(Text(f"  closest: {pattern}\n  fails at {clean(explanation.fault.why)}"))
        else:
            show(Text(f"  {who} has no capabilities{'' if live else ' in the configuration'}."))
    for obstacle in obstacles:
        show(Text(f"✗ but at the moment: {obstacle}", "red"))
