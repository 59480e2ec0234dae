"""Faults of hosted participants and of output logs: what excludes what, waits of restarts, files of logs.

They read the document, not the models, and skip malformed parts, so that their faults are reported together with those
of single values.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path

from mew_gateway.documents.document import Node
from mew_gateway.documents.durations import milliseconds
from mew_gateway.documents.problems import Fault, dotted, echo

from .configuration import Restart


def of_participant(participant: Node) -> Iterator[Fault]:
    """Yield the faults of a participant that the gateway runs, or that has what only such a one has."""
    if participant.get("agent") is not None and participant.get("command") is not None:
        message = "A participant has an `agent` or a `command`, not both."
        yield Fault((*participant.path, "command"), message, "delete one", at_key=True)
    hosted = participant.get("agent") is not None or participant.get("command") is not None
    if participant.get("options") and participant.get("agent") is None:
        message = "`options` need an `agent`."
        suggestion = "give them to the command as arguments" if hosted else "add `agent: module:Class`"
        yield Fault((*participant.path, "options"), message, suggestion, at_key=True)
    if participant.get("restart") and not hosted:
        message = "`restart` needs an `agent` or a `command`."
        yield Fault((*participant.path, "restart"), message, "add `agent:` or `command:`", at_key=True)
    if participant.get("output_log") is not None and hosted:
        message = "A hosted participant cannot have an output log: it would seem present after a crash."
        yield Fault((*participant.path, "output_log"), message, "its output is below `state_dir`")
    for restart in participant.find("restart"):
        yield from _backoff(restart)


def _backoff(restart: Node) -> Iterator[Fault]:
    usual = Restart()
    try:
        first, longest = (
            milliseconds(restart.get(name)) if isinstance(restart.get(name), str) else getattr(usual, name)
            for name in ("backoff", "max_backoff")
        )
    except ValueError:
        return
    if first > longest:
        key = "backoff" if restart.get("backoff") else "max_backoff"
        yield Fault((*restart.path, key), "The first wait is longer than the longest.", "raise `max_backoff`")


def of_output_logs(logs: list[Node], base: Path) -> Iterator[Fault]:
    """Yield the faults of output logs: each file has one owner, and must be possible to create."""
    owners: dict[str, str] = {}
    for log in logs:
        if not isinstance(log.value, str) or not log.value:
            continue
        file = os.path.normpath(base / log.value)
        owner = owners.setdefault(file, dotted(log.path[:-1]))
        if owner != dotted(log.path[:-1]):
            yield Fault(log.path, f"`{owner}` writes this file too.", "each has its own")
        elif os.path.isdir(file):
            yield Fault(log.path, f"{echo(log.value)} is a folder.", "name a file in it")
        else:
            obstacle = next((parent for parent in Path(file).parents if os.path.exists(parent)), None)
            if obstacle is not None and not os.path.isdir(obstacle):
                yield Fault(
                    log.path, f"There can be no such file: {echo(os.path.relpath(obstacle, base))} is not a folder."
                )
