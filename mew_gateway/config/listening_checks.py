"""Faults of the address to listen on: public without TLS, tokens that can be guessed there, files of the certificate.

They read the document, not the models, and skip malformed parts, so that their faults are reported together with those
of single values.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault, echo

from .address import address
from .token_format import SHORTEST


def of_address(gateway: Node) -> Iterator[Fault]:
    """Yield the fault of a public address without TLS, unless the operator allows it."""
    tls = gateway.get("tls")
    is_encrypted = isinstance(tls, dict) and tls.get("certificate")
    if _is_private(gateway) or gateway.get("allow_public") is True or is_encrypted:
        return
    listen = echo(gateway.get("listen"))
    message = f"{listen} is a public address, and there is no TLS: tokens would travel in the clear."
    yield Fault((*gateway.path, "listen"), message, "set `tls`, or `allow_public: true`")


def of_certificate(gateway: Node, base: Path) -> Iterator[Fault]:
    """Yield the faults of the files of `tls`. Relative paths start from `base`."""
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


def of_short_tokens(tokens: list[Node], root: Node) -> Iterator[Fault]:
    """Yield the faults of tokens that can be guessed, if the address is public."""
    if all(_is_private(gateway) for gateway in root.find("gateway")):
        return
    for token in tokens:
        if isinstance(token.value, str) and 0 < len(token.value) < SHORTEST:
            message = f"A token of fewer than {SHORTEST} characters can be guessed, and the address is public."
            yield Fault(token.path, message, "leave `tokens` out to have one generated")


def _is_private(gateway: Node) -> bool:
    """Return true if only this machine can connect; also for a malformed address, which the models report."""
    listen = gateway.get("listen")
    try:
        return address(listen).is_loopback if isinstance(listen, str) else True
    except ValueError:
        return True
