"""What comes out of a space: values, in the order to run them."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Deliver(msgspec.Struct, frozen=True, gc=False):
    """Send an envelope's bytes to these connections.

    A forwarded envelope is its journal entry. One of the gateway's own (`own`) is recorded beside the journal.
    `audience` are the participants who may see it later (None: whoever its routing lets); `refusal` marks the answer
    to a refused envelope. `digest` names a token: `data` has `"token":null`, and only what is sent has the token.
    `kept` is recorded in the place of `data`, where nobody reads that again: a welcome without its payload.
    """

    connections: tuple[int, ...]
    data: bytes
    own: bool = False
    audience: tuple[str, ...] | None = None
    refusal: bool = False
    digest: bytes | None = None
    kept: bytes | None = None


class Close(msgspec.Struct, frozen=True):
    """End a connection with a close code of `protocol.codes.CLOSES`."""

    connection: int
    code: int
    reason: str


class Replay(msgspec.Struct, frozen=True, gc=False):
    """Send a connection what `Resumed` found for its participant between two positions of the journal."""

    connection: int
    participant: str
    after: int
    until: int


class Issue(msgspec.Struct, frozen=True, gc=False):
    """Draw a token for an invited participant: it comes back as `Issued`, with its hash only."""

    participant: str
    invite: str
    inviter: str


class Dismiss(msgspec.Struct, frozen=True, gc=False):
    """The participant was kicked: what the gateway hosts for it is not started again. Its process is not ended."""

    participant: str


class Terminate(msgspec.Struct, frozen=True, gc=False):
    """End the process that the gateway hosts for the participant: asked at once, killed after `limit` milliseconds."""

    participant: str
    limit: int


class Readmit(msgspec.Struct, frozen=True, gc=False):
    """What the gateway hosts for the participant starts again, unless it runs: it was kicked and may come back, or was
    told to restart and is not here."""

    participant: str


Effect: TypeAlias = Deliver | Close | Replay | Issue | Dismiss | Terminate | Readmit
