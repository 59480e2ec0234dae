"""One dialogue within one transaction: events happen to it, and what comes of them is written with it, or nothing is.

Its questions, proposals, Works and replies are rows of Fluxi's tables (docs/flows.md §3).
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, field
from typing import assert_never

from mew_agents.flows import effects, events, state
from mew_agents.flows.advance import advance
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.effects import (
    Act,
    AnyEffect,
    Ask,
    CallOff,
    Close,
    Finished,
    Open,
    Page,
    Reply,
    Started,
    Stepped,
)
from mew_agents.flows.events import ActionFailed, AnyEvent, EffectStopping, Sending
from mew_agents.flows.news import news_of
from mew_agents.flows.settling import FAULT
from mew_agents.flows.state import Dialogue
from mew_agents.flows.thoughts import Happened, thoughts
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.claims import claim_all
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.definitions.version import version_id
from mew_agents.fluxi.desk import Desk, plain_result
from mew_agents.fluxi.ending import cancel
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.message import Conversation, Result
from mew_agents.fluxi.ports import Call, Thought
from mew_agents.fluxi.records import Records, message_key
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.statements import (
    INSERT_DIALOGUE,
    INSERT_FLOW_EVENT,
    INSERT_PROPOSAL,
    UPDATE_DIALOGUE,
    UPDATE_MESSAGE,
)
from mew_agents.fluxi.transaction import bound
from mew_agents.fluxi.work import Work, plain_slot

log = logging.getLogger(__name__)

# Until a turn that was left is taken up again, ms, besides what its call may take.
LEFT = 60_000
# A question that waits as long as it takes.
_FOR_GOOD = 2**53 - 1
_KINDS = {"value": "slot", "check": "slot", "confirm": "execution"}


@dataclass(slots=True, kw_only=True)
class Chapter:
    """A dialogue in a transaction. `by`: who causes what happens; `cause_id`: by what; `message`: the one whose row in
    the inbox the transaction writes itself, so that its result is only kept here (`results`).

    `direct`: what is said is out with the result. `new`: the dialogue has no row yet. `behind`: nobody goes on with it
    in this process when the transaction is over, so that it is due at once.
    """

    desk: Desk
    library: Library
    records: Records
    dialogue: Dialogue
    at: int
    by: str
    cause_id: str | None = None
    message: str | None = None
    direct: bool = False
    new: bool = False
    behind: bool = False
    happened: list[Happened] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    told: Result | None = None
    _before: int = field(init=False)
    _following: deque[AnyEvent] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._before = self.dialogue.revision

    def happen(self, event: AnyEvent) -> None:
        """Something happens, for good, and all that comes of it; what follows from that in the dialogue, behind it."""
        self._following.append(event)
        if len(self._following) > 1:
            return
        while self._following:
            self._happen(self._following[0])
            self._following.popleft()

    def _happen(self, event: AnyEvent) -> None:
        before = self.dialogue
        done = advance(self.library, before, event)
        self.dialogue = done.dialogue
        self.records.write(
            INSERT_FLOW_EVENT,
            {
                "dialogue_id": before.dialogue_id,
                "revision": done.dialogue.revision,
                "type": events.name_of(event),
                "cause": written({"by": self.by, "id": self.cause_id, "library": self.library.version}),
                "event": events.written(event),
                "delta": written(done.delta),
                "effects": effects.written(done.effects),
                "at": event.at,
            },
        )
        self.happened.append(Happened(event, done.effects, before, done.dialogue))
        for effect in done.effects:
            self._carry_out(effect)
        if before.turn is not None and done.dialogue.turn is None:
            self._file(before.turn.message_id)

    def write(self) -> None:
        """The dialogue as it is now, with everything else that the transaction writes."""
        if self.dialogue.revision == self._before:
            return
        row = {
            "revision": self.dialogue.revision,
            "state": state.written(self.dialogue),
            "top": None if self.dialogue.top is None else self.dialogue.top.name,
            "waiting": _waiting(self.dialogue),
            "suspended": self.dialogue.suspended,
            "due_at": self._due_at(),
            "changed_at": self.at,
        }
        if self.new:
            fixed = ("dialogue_id", "account_id", "conversation_id", "participant")
            place = {name: getattr(self.dialogue, name) for name in fixed}
            self.records.write(INSERT_DIALOGUE, {**place, **row, "opened_at": self.at})
            self.new = False
        else:
            key = bound(dialogue_id=self.dialogue.dialogue_id, revision=self._before)
            self.records.write(UPDATE_DIALOGUE, {**key, **row})
        self._before = self.dialogue.revision

    def part(self, scene: Scene, work: Work) -> None:
        """Something has happened to a Work of the dialogue: in this transaction, to the flow as well."""
        for event in news_of(scene, work, at=self.at, participant=self.dialogue.participant):
            self.happen(event)

    def thoughts(self) -> list[Thought]:
        """What happened, for whoever watches."""
        return list(thoughts(self.happened, read(self.dialogue.manner).get("language", "en")))

    @property
    def conversation(self) -> Conversation:
        return Conversation(self.dialogue.account_id, self.dialogue.conversation_id)

    # What comes of events

    def _carry_out(self, effect: AnyEffect) -> None:
        match effect:
            case Started():
                if effect.proposal_id is not None:
                    self._propose(effect.proposal_id, effect.decision_id, effect.name, effect.version, "pending")
            case Ask():
                self._ask(effect)
            case Close():
                self.records.close(effect.question_id, effect.status, by=self.cause_id or self.by, at=self.at)
            case Act():
                self._act(effect)
            case Open():
                self._open(effect)
            case CallOff():
                self._call_off(effect.work_id)
            case Finished():
                if effect.code == FAULT:
                    log.error("the flow %s ended with a fault: %s", effect.flow_id, effect.why)
                if effect.proposal_id is not None:
                    self.records.settle_proposal(effect.proposal_id, "discarded", effect.code, at=self.at)
            case Reply():
                self._reply(effect)
            case Stepped() | Page():
                pass  # for whoever watches
            case _:
                assert_never(effect)

    def _propose(self, proposal_id: str, decision_id: str, name: str, version: str, status: str) -> None:
        """The command that began the flow, as a ProposedWork (docs/flows.md §6)."""
        self.records.write(
            INSERT_PROPOSAL,
            {
                "proposal_id": proposal_id,
                "decision_id": decision_id,
                "account_id": self.dialogue.account_id,
                "conversation_id": self.dialogue.conversation_id,
                "sender": self.dialogue.participant,
                "type_id": name,
                "version_id": version,
                "candidate_slots": "[]",
                "status": status,
                "reason": None,
                "proposed_at": self.at,
                "settled_at": self.at if status == "opened" else None,
                "part_of": self.dialogue.dialogue_id,
            },
        )

    def _ask(self, effect: Ask) -> None:
        self.records.ask(
            SemanticContext(
                context_id=effect.question_id,
                account_id=self.dialogue.account_id,
                conversation_id=self.dialogue.conversation_id,
                participant=self.dialogue.participant,
                dialogue_id=self.dialogue.dialogue_id,
                kind=_KINDS[effect.wants],  # type: ignore[arg-type]
                path=effect.path,
                proposed=effect.proposed,
                sent_at=self.desk.asks(at=self.at) if self.direct else None,
                expires_at=effect.expires_at or _FOR_GOOD,
                created_at=self.at,
            )
        )

    def _act(self, effect: Act) -> None:
        """The bytes of a call, fixed before it is made."""
        prepared = self.desk.tools.prepare(
            Call(
                request_id=self.records.new_id(),
                tool=effect.tool,
                arguments=effect.arguments,
                key=effect.key,
                attempt=1,
                fence=1,
                deadline=self.at + effect.timeout,
            )
        )
        if prepared.proposed:
            self.happen(ActionFailed(at=self.at, key=effect.key, code="not_allowed"))
        else:
            self.happen(
                Sending(
                    at=self.at,
                    key=effect.key,
                    request=prepared.request,
                    cursor=prepared.cursor,
                    timeout=effect.timeout,
                )
            )

    def _open(self, effect: Open) -> None:
        """CREATED, ACTIVE, EXECUTING, claimed, with the yes that was just consumed."""
        definition = self.library.flow(effect.version).effect_definition(effect.step)
        proposal_id = effect.proposal_id or self.records.new_id()
        if effect.proposal_id is None:
            name = self.library.flow(effect.version).name
            self._propose(proposal_id, effect.decision_id, name, effect.version, "opened")
        else:
            self.records.settle_proposal(proposal_id, "opened", "confirmed", at=self.at)
        scene = self._scene()
        self.records.set_manner(effect.work_id, self.dialogue.manner)
        work = scene.open(
            effect.work_id,
            proposal_id=proposal_id,
            conversation=self.conversation,
            owner=self.dialogue.participant,
            version_id=version_id(definition),
            slots={path: plain_slot(slot) for path, slot in effect.slots.items()},
            part_of=self.dialogue.dialogue_id,
        )
        work = scene.happen(work, Event.STATE_CHANGED, State.ACTIVE)
        note = {"semantic_context_id": effect.question_id}
        work = scene.happen(work, Event.SEMANTIC_COMMIT, State.EXECUTING, asked=None, note=note)
        claim_all(scene, work, effect.question_id)

    def _call_off(self, work_id: str) -> None:
        work = self.records.work(work_id)
        if work is None or not work.live:
            return
        scene = self._scene()
        work = cancel(scene, work)
        if work.live:
            by = None if self.by == self.dialogue.participant else self.by
            self.happen(EffectStopping(at=self.at, work_id=work_id, by=by))
        else:
            self.part(scene, work)

    def _reply(self, effect: Reply) -> None:
        data = dict(effect.data)
        if effect.flow_id is not None:
            data |= {"flow_id": effect.flow_id}
        result = Result(
            kind=effect.kind,  # type: ignore[arg-type]
            text=effect.text,
            reason_code=effect.code,
            context_id=effect.question_id,
            data=data,
        )
        place = self.dialogue.account_id, self.dialogue.conversation_id
        self.desk.queue(self._scene(), result, *place, self.dialogue.participant, effect.answers)
        self.told = result
        if effect.answers is not None:
            self.results[effect.answers] = result

    def _file(self, message_id: str) -> None:
        """The turn of a message is over: this came of it."""
        nothing = Result(kind="no_action", text="", reason_code="nothing_to_say")
        result = self.results.setdefault(message_id, nothing)
        if message_id == self.message:
            return
        key = self.dialogue.account_id, self.dialogue.conversation_id, self.dialogue.participant, message_id
        row = {"status": "done", "result": written(plain_result(result)), "done_at": self.at}
        self.records.write(UPDATE_MESSAGE, {**message_key(*key), **row})

    def _scene(self) -> Scene:
        policy = self.desk.policy(self.dialogue.manner)
        scene = self.desk.scene(self.records, policy, by=self.by, cause_id=self.cause_id)
        scene.at, scene.direct = self.at, self.direct
        return scene

    def _due_at(self) -> int | None:
        """When somebody else goes on with it, if whoever does now has left."""
        calls = self.dialogue.calls
        if self.dialogue.turn is None and not calls:
            return None
        return self.at if self.behind else self.at + LEFT + max((one.timeout for one in calls), default=0)


def _waiting(dialogue: Dialogue) -> str | None:
    top = dialogue.top
    if top is None:
        return None
    if top.acting is not None:
        return "action" if top.acting.work_id is None else "effect"
    return None if top.asked is None else "question"
