"""Rules between keys of the file: roles, hosting, public addresses, certificates, nested bounds, output files.

They read the document, not the models, and skip malformed parts, so that their faults are reported together with those
of single values.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path

from mew_gateway.documents.document import Node
from mew_gateway.documents.durations import milliseconds
from mew_gateway.documents.problems import Fault, did_you_mean, dotted, echo

from . import welcome_checks
from .address import address
from .configuration import GatewayLimits, Restart
from .roles import BUILT_IN
from .single import is_single
from .tokens import SHORTEST


def faults(root: Node, base: Path) -> Iterator[Fault]:
    """Yield the faults between keys of a document. Relative paths start from `base`."""
    for gateway in root.find("gateway"):
        yield from _listening(gateway)
        yield from _certificate(gateway, base)
        yield from _frame_size(gateway)
    for space in root.find("spaces", "*"):
        yield from _roles(space, root)
        yield from _duplicate_tokens(space.find("participants", "*", "token"))
        for participant in space.find("participants", "*"):
            yield from _hosting(participant)
    if is_single(root):
        tokens = [token for token in root.find("participants", "*", "tokens", "*") if token.path[-1] == 0]
        yield from _duplicate_tokens(tokens)
        yield from _short_tokens(tokens, root)
    logs = [*root.find("spaces", "*", "participants", "*", "output_log"), *root.find("participants", "*", "output_log")]
    yield from _output_logs(logs, base)


def _listening(gateway: Node) -> Iterator[Fault]:
    tls = gateway.get("tls")
    is_encrypted = isinstance(tls, dict) and tls.get("certificate")
    if _is_private(gateway) or gateway.get("allow_public") is True or is_encrypted:
        return
    listen = echo(gateway.get("listen"))
    message = f"{listen} is a public address, and there is no TLS: tokens would travel in the clear."
    yield Fault((*gateway.path, "listen"), message, "set `tls`, or `allow_public: true`")


def _is_private(gateway: Node) -> bool:
    """Return true if only this machine can connect; also for a malformed address, which the models report."""
    listen = gateway.get("listen")
    try:
        return address(listen).is_loopback if isinstance(listen, str) else True
    except ValueError:
        return True


def _short_tokens(tokens: list[Node], root: Node) -> Iterator[Fault]:
    if all(_is_private(gateway) for gateway in root.find("gateway")):
        return
    for token in tokens:
        if isinstance(token.value, str) and 0 < len(token.value) < SHORTEST:
            message = f"A token of fewer than {SHORTEST} characters can be guessed, and the address is public."
            yield Fault(token.path, message, "leave `tokens` out to have one generated")


def _certificate(gateway: Node, base: Path) -> Iterator[Fault]:
    for tls in gateway.find("tls"):
        for name, other in (("certificate", "key"), ("key", "certificate"), ("ca", "certificate")):
            file = tls.get(name)
            if not isinstance(file, str):
                continue
            if tls.get(other) is None:
                what = "CA" if name == "ca" else name
                yield Fault((*tls.path, name), f"A {what} is of no use without a {other}.", f"add `{other}:`")
            if not os.path.isfile(base / file):
                yield Fault((*tls.path, name), f"There is no file {echo(file)}.")


def _frame_size(gateway: Node) -> Iterator[Fault]:
    usual = GatewayLimits()
    for limits in gateway.find("limits"):
        frame = limits.get("frame_bytes") or usual.frame_bytes
        outbox = limits.get("outbox_bytes") or usual.outbox_bytes
        if isinstance(frame, int) and isinstance(outbox, int) and outbox < frame:
            key = "outbox_bytes" if "outbox_bytes" in limits.value else "frame_bytes"
            yield Fault((*limits.path, key), f"An outbox of {outbox} bytes cannot hold a frame of {frame}.")
        given = limits.get("given_bytes")
        if not isinstance(given, int) or not isinstance(outbox, int):
            continue
        if (most := welcome_checks.given(given, outbox=outbox)) < given:
            message = f"An outbox of {outbox} bytes has room for {most} bytes of given capabilities, not {given}."
            yield Fault((*limits.path, "given_bytes"), message)


def _roles(space: Node, root: Node) -> Iterator[Fault]:
    known = [str(role.path[-1]) for node in (space, root) for role in node.find("roles", "*")] + list(BUILT_IN)
    for role in space.find("participants", "*", "roles", "*"):
        if isinstance(role.value, str) and role.value not in known:
            yield Fault(role.path, f"There is no role {echo(role.value)}.", did_you_mean(role.value, known))


def _duplicate_tokens(tokens: list[Node]) -> Iterator[Fault]:
    owners: dict[str, str | int] = {}
    for token in tokens:
        who = token.path[token.path.index("participants") + 1]
        if isinstance(token.value, str):
            owner = owners.setdefault(token.value, who)
            if owner != who:
                yield Fault(token.path, f"This is the token of `{owner}` too.", "each has its own")


def _hosting(participant: Node) -> Iterator[Fault]:
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


def _output_logs(logs: list[Node], base: Path) -> Iterator[Fault]:
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
