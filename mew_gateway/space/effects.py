"""Effects: the output of a space, as values in the order to run them. `gateway.broker.spaces.engine` runs them."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Deliver(msgspec.Struct, frozen=True, gc=False):
    """Send an envelope's bytes to these connections.

    A forwarded envelope is recorded by its journal entry. One that the gateway composed (`own`) is recorded beside the
    journal. `audience` are the participants that may read it later (None: those that the routing rule lets); `refusal`
    marks the answer to a refused envelope. `digest` names a token: `data` has `"token":null`, and only the bytes that
    are sent have the token. `kept`, if set, is recorded instead of `data`: a welcome without its payload, which is
    never read again.
    """

    connections: tuple[int, ...]
    data: bytes
    own: bool = False
    audience: tuple[str, ...] | None = None
    refusal: bool = False
    digest: bytes | None = None
    kept: bytes | None = None


class Close(msgspec.Struct, frozen=True):
    """Close a connection with a close code of `protocol.codes.CLOSES`."""

    connection: int
    code: int
    reason: str


class Replay(msgspec.Struct, frozen=True, gc=False):
    """Send a connection its participant's envelopes between two journal positions, as `Resumed` counted them."""

    connection: int
    participant: str
    after: int
    until: int


class Issue(msgspec.Struct, frozen=True, gc=False):
    """Draw a token for an invited participant. Its hash comes back in an `Issued` event."""

    participant: str
    invite: str
    inviter: str


class Dismiss(msgspec.Struct, frozen=True, gc=False):
    """Do not restart the process that the gateway hosts for a kicked participant. A running process is not ended."""

    participant: str


class Terminate(msgspec.Struct, frozen=True, gc=False):
    """End the process that the gateway hosts for the participant.

    It is asked at once, and killed after `limit` milliseconds.
    """

    participant: str
    limit: int


class Readmit(msgspec.Struct, frozen=True, gc=False):
    """Start the process that the gateway hosts for the participant again, unless it runs.

    The participant was kicked and may come back, or it was ordered to restart and is not here.
    """

    participant: str


class Interrupted(msgspec.Struct, frozen=True, gc=False):
    """A sequence was interrupted: its record is kept for ever (docs/interruption.md §8). It is beside the effects, as
    nothing is sent because of it.

    `by` is the id of the envelope that interrupted it, if one did. It `is_recorded` if it is an interrupt with a record
    of its own, or a cancel; else it is a chat, an order or a kick.
    """

    owner: str
    sequence: str
    by: str | None = None
    is_recorded: bool = False


Effect: TypeAlias = Deliver | Close | Replay | Issue | Dismiss | Terminate | Readmit
