"""A claim: the causal lock of one effect, used once (seed 002 §3.6, §4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ClaimStatus: TypeAlias = Literal["claimed", "proposed", "invoking", "completed", "aborted", "in_doubt"]
# Something is still to be done or found out about it.
OPEN: tuple[ClaimStatus, ...] = ("claimed", "proposed", "invoking", "in_doubt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One effect of one Work, under the yes that allows it. Times in ms since the epoch.

    `call`: tool and arguments; `fence` grows with every attempt and every taking over, and whoever holds a lower one
    writes nothing; `lease_until`: until then the attempt is somebody's; `cause`: the message whose result it becomes.
    """

    claim_id: str
    account_id: str
    semantic_context_id: str
    effect_type: str
    work_id: str
    effect_id: str
    position: int
    required: bool
    idempotency_key: str
    call: Mapping[str, Any]
    status: ClaimStatus
    attempts: int
    fence: int
    lease_until: int | None
    due_at: int | None
    cause: Mapping[str, Any]
    claimed_at: int

    @property
    def open(self) -> bool:
        """It is not settled."""
        return self.status in OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One time an effect was tried: the bytes that were sent, and what came of it."""

    claim_id: str
    attempt: int
    fence: int
    request_id: str
    request: str
    cursor: str | None
    deadline: int
    began_at: int
    outcome: str | None = None
    answer: Mapping[str, Any] | None = None
    late: Mapping[str, Any] | None = None


# What comes behind the id of an effect in that of its compensation; a further try has its number behind it.
_UNDOING = ".compensate"


def undoing(effect_id: str, tries: int) -> str:
    """The id of the compensation of an effect, after so many that failed."""
    return f"{effect_id}{_UNDOING}" if not tries else f"{effect_id}{_UNDOING}.{tries + 1}"


def undone_by(effect_id: str) -> str | None:
    """The effect that a compensation undoes; None: this is no compensation."""
    undone, found, _ = effect_id.partition(_UNDOING)
    return undone if found else None


def undoings(claims: Iterable[Claim]) -> dict[str, Claim]:
    """The last compensation of each effect that was to be undone; `claims` in their order."""
    return {undone: one for one in claims if (undone := undone_by(one.effect_id)) is not None}


def undo_failed(claims: Iterable[Claim]) -> list[str]:
    """The effects that could not be undone, and that wait for a person. Who settles one makes no attempt."""
    return [effect_id for effect_id, one in undoings(claims).items() if one.status == "aborted" and one.attempts]


def idempotency_key(account_id: str, context_id: str, effect_type: str) -> str:
    """The key that all attempts at an effect share (docs/fluxi.md §4.3)."""
    return hashlib.sha256("\0".join((account_id, context_id, effect_type)).encode()).hexdigest()
