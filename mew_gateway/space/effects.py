"""What comes out of a space: values, in the order to run them."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Deliver(msgspec.Struct, frozen=True, gc=False):
    """Send an envelope's bytes to these connections.

    A forwarded envelope is its journal entry. One of the gateway's own (`own`) is recorded beside the journal,
    with `audience`, the participants who may see it later (None: everybody), and whether it is a refusal.
    """

    connections: tuple[int, ...]
    data: bytes
    own: bool = False
    audience: tuple[str, ...] | None = None
    refusal: bool = False


class Close(msgspec.Struct, frozen=True):
    """End a connection with a close code of `protocol.codes.CLOSES`."""

    connection: int
    code: int
    reason: str


Effect: TypeAlias = Deliver | Close
