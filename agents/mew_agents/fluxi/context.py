"""A question that was asked and the yes or no it waits for: it can be consumed once (seed 002 §3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ContextKind: TypeAlias = Literal["slot", "execution", "minted"]
ContextStatus: TypeAlias = Literal["pending", "consumed", "rejected", "superseded", "expired", "void"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticContext:
    """What was asked of whom, about which value. `minted`: the engine's own, where no yes is wanted.

    It is a Work's (`work_id`) or a dialogue's (`dialogue_id`). `sent_at`: when the question went out, ms; None: it has
    not yet, so that nothing can be an answer to it. `settled_by`, `settled_at`: who closed it, and when.
    """

    context_id: str
    account_id: str
    conversation_id: str
    participant: str
    work_id: str | None = None
    dialogue_id: str | None = None
    kind: ContextKind
    path: str | None
    proposed: Any
    status: ContextStatus = "pending"
    sent_at: int | None
    expires_at: int
    settled_by: str | None = None
    settled_at: int | None = None
    created_at: int
