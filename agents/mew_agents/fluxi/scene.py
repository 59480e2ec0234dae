"""What one transaction works with: its records, its time, who caused it, and what it has to say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.claim import Claim
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.fsm import ENDED, EXPIRING, Event, State
from mew_agents.fluxi.message import Conversation, PolicyContext, ResultKind
from mew_agents.fluxi.ports import Thought, ToolPort
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.replies import Key, say
from mew_agents.fluxi.wording import effects_told, summary, title
from mew_agents.fluxi.work import Work, WorkEvent, advance

# What an end puts an end to.
_HELD = ("suspended_reason", "cancel_requested", "asked")
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something to say, and what kind of result it makes. `context_id`: the question it asks."""

    kind: ResultKind
    text: str
    reason_code: str
    work_id: str | None = None
    context_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(slots=True, kw_only=True)
class Scene:
    """One transaction. `by`: who causes it (a participant, `timer`, `recovery`, `operator:…`); `cause_id`: by what.

    `direct`: what is said is out with the result, because somebody waits for it. `cause`: the message (`by`, `id`)
    whose result what is said becomes. `thoughts`: what came of it in a dialogue, to be shown when it is committed.
    """

    records: Records
    catalogue: Catalogue
    tools: ToolPort
    policy: PolicyContext
    at: int
    by: str
    direct: bool
    cause_id: str | None = None
    cause: Mapping[str, Any] | None = None
    said: list[Said] = field(default_factory=list)
    thoughts: list[Thought] = field(default_factory=list)

    def definition(self, work: Work) -> Definition:
        """The definition that a Work was opened with, and keeps."""
        return self.records.definition(self.catalogue, work.version_id)

    def open(
        self,
        work_id: str,
        *,
        proposal_id: str,
        conversation: Conversation,
        owner: str,
        version_id: str,
        slots: Mapping[str, Any],
        part_of: str | None = None,
    ) -> Work:
        """A new Work, CREATED from its proposal. `part_of`: the dialogue that it is an effect of."""
        delta: dict[str, Any] = {
            "proposal_id": proposal_id,
            "account_id": conversation.account_id,
            "conversation_id": conversation.conversation_id,
            "owner": owner,
            "version_id": version_id,
            "slots": slots,
        }
        if part_of is not None:
            delta["part_of"] = part_of
        opened = WorkEvent(
            work_id=work_id,
            revision=1,
            type=Event.WORK_OPENED,
            source=None,
            target=State.CREATED,
            cause={"by": self.by, "id": self.cause_id},
            delta=delta,
            at=self.at,
        )
        work = advance(None, opened)
        self.records.happened(work, opened)
        return work

    def happen(self, work: Work, event: Event, target: State | None = None, **delta: Any) -> Work:
        """The Work after an event, which is on record with this transaction (invariant 6).

        Whatever happens to a Work that waits for somebody starts its time anew; otherwise none runs.
        """
        target = target or work.state
        if target in ENDED:
            delta |= {name: None for name in _HELD if getattr(work, name) is not None}
        delta.setdefault("expires_at", self._expiry(work, target, delta))
        if delta["expires_at"] == work.expires_at:
            del delta["expires_at"]
        happened = WorkEvent(
            work_id=work.work_id,
            revision=work.revision + 1,
            type=event,
            source=work.state,
            target=target,
            cause={"by": self.by, "id": self.cause_id},
            delta=delta,
            at=self.at,
        )
        work = advance(work, happened)
        self.records.happened(work, happened)
        return work

    def _expiry(self, work: Work, target: State, delta: Mapping[str, Any]) -> int | None:
        if target not in EXPIRING or delta.get("suspended_reason", work.suspended_reason) is not None:
            return None
        return self.at + self.definition(work).policies.expiration

    def title(self, work: Work) -> str:
        """What people call a Work."""
        return title(self.definition(work), self.policy)

    def summary(self, work: Work) -> str:
        """What a Work is about to do, in words."""
        return summary(self.definition(work), work, self.policy)

    def effects_told(self, work: Work, claims: Iterable[Claim]) -> dict[str, Any]:
        """Which effects of a Work are `done`, and which are `undone`, as people call them."""
        return effects_told(self.definition(work), claims, self.policy)

    def say(
        self,
        kind: ResultKind,
        key: Key,
        *,
        code: str | None = None,
        work: Work | None = None,
        context: str | None = None,
        data: Mapping[str, Any] = NOTHING,
        **values: Any,
    ) -> None:
        """Says a sentence in the manner of the account; `code`: what programs read, by default the key.

        `context`: the id of the open question that it asks.
        """
        text = say(key, self.policy, **values)
        self.said.append(
            Said(
                kind=kind,
                text=text,
                reason_code=code or key,
                work_id=None if work is None else work.work_id,
                context_id=context,
                data=data,
            )
        )

    def reword(self, key: Key, *, code: str | None = None, **values: Any) -> None:
        """Says the last question within another sentence."""
        last = self.said[-1]
        text = say(key, self.policy, prompt=last.text, **values)
        self.said[-1] = replace(last, text=text, reason_code=code or last.reason_code)
