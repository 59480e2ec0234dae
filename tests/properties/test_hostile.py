"""A participant that takes every id it sees, in every kind, and floods the memories changes nothing for the others.

Two spaces go through the same story: in one of them a hostile participant says what it likes between any two steps.
After each step both have answered the same, to the same participants, and remember the same of the others.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from mew_gateway.space.effects import Deliver, Effect
from mew_gateway.space.events import DeadlinePassed, Event
from mew_gateway.space.settings import Bounds, Interrupts, Participant, SpaceSettings, Step

from ..kit.space_driver import START, SpaceDriver

HONEST = ("human", "worker", "solver")
HOSTILE = ("mallory", "accomplice")
STEPS = 70  # of the story
MEDDLING = 12  # acts of the hostile one between two of them
# With five participants a share is at least 20: nobody honest has more that is over, and the flood is far more.
BOUNDS = Bounds(closed_sequences=100, settled_interrupts=100, open_sequences=8, open_proposals=8, open_requests=300)

_REASONER = {"kind": ["reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt-ack"]}
_MALLORY: tuple[dict[str, Any], ...] = (
    _REASONER,
    {"kind": ["chat", "mcp/*", "stream/*", "acme/*", "capability/grant", "capability/revoke"]},
    {"kind": ["participant/pause", "participant/resume"], "to": "accomplice"},
    {"kind": ["space/invite", "space/kick"], "payload": {"participant_id": "guest"}},
)
_KINDS = (
    *("reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt", "reasoning/interrupt-ack"),
    *("reasoning/cancel", "mcp/proposal", "mcp/request", "mcp/response", "mcp/withdraw", "stream/request"),
    *("stream/close", "stream/grant-write", "capability/grant", "capability/revoke", "capability/grant-ack"),
    *("participant/pause", "participant/resume", "space/invite", "space/kick", "chat", "acme/x"),
)
_PROPOSED = {"method": "do", "params": {"n": 1}}


def _settings() -> SpaceSettings:
    human: tuple[dict[str, Any], ...] = ({"kind": "*"}, {"kind": "reasoning/interrupt"})
    agent: tuple[dict[str, Any], ...] = (_REASONER, {"kind": ["chat", "mcp/*", "acme/*", "stream/*"]})
    capabilities: dict[str, tuple[dict[str, Any], ...]] = {
        "human": human,
        "worker": agent,
        "solver": agent,
        "mallory": _MALLORY,
        "accomplice": (),
    }
    ladder = (Step("notify"), Step("pause"))
    interrupts = Interrupts(ack_deadline=40, emergency_ack_deadline=20, escalation=ladder, emergency_escalation=ladder)
    participants = {name: Participant(name, patterns) for name, patterns in capabilities.items()}
    return SpaceSettings(id="demo", participants=participants, interrupts=interrupts, bounds=BOUNDS)


class Plain(SpaceDriver):
    """A space that only handles events: what is restored and replayed is tested elsewhere."""

    def handle(self, event: Event) -> list[Effect]:
        return self.space.handle(event, self.now)

    def pass_until(self, now: int) -> None:
        """Time goes on, and whatever is due until then happens when it is due."""
        while (deadline := self.space.deadline) is not None and deadline <= now:
            self.now = max(self.now, deadline)
            self.handle(DeadlinePassed())
        self.now = now


class Story:
    """The same story in two spaces, `quiet` and `loud`: in the second one somebody meddles."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.quiet, self.loud = Plain(_settings()), Plain(_settings())
        self.ids: list[str] = ["x"]  # every id that was seen
        self.said = 0
        self.meddled = 0
        self.refused: set[str] = set()  # codes that honest participants were answered
        for name in (*HONEST, *HOSTILE):
            self.quiet.join(name)
            self.loud.join(name)

    def step(self) -> None:
        """One thing happens in both spaces, and much else in one of them."""
        for _ in range(MEDDLING):
            self.meddle()
        self.compare()
        act = self.draw.choice((self.reason, self.reason, self.interrupt, self.answer, self.propose, self.decide))
        act()
        now = self.quiet.now + self.draw.choice((0, 1, 5, 30))
        self.quiet.pass_until(now)
        self.loud.pass_until(now)
        self.compare()

    # What is honest

    def reason(self) -> None:
        """A sequence goes on, or its owner acts in it, open or closed."""
        name, state = self.draw.choice(("worker", "solver")), self.quiet.space.state
        own = [one.id for one in (*state.closed.values(), *state.sequences.values()) if one.owner == name]
        kind = self.draw.choice(("start", "thought", "conclusion", "request", "acme"))
        if kind == "start" or not own:
            self.say(name, "reasoning/start")
        elif kind == "request":
            self.say(name, "mcp/request", {"method": "tools/list"}, to=["human"], context=self.draw.choice(own))
        elif kind == "acme":
            self.say(name, "acme/x", {}, context=self.draw.choice(own))
        else:
            self.say(name, f"reasoning/{kind}", {}, context=self.draw.choice(own))

    def interrupt(self) -> None:
        """A sequence is interrupted, or an emergency is over."""
        state = self.quiet.space.state
        halts = [(name, halt.interrupt) for name, halts in state.halted.items() for halt in halts]
        if halts and self.draw.random() < 0.9:
            name, id = self.draw.choice(halts)
            self.say("human", "participant/resume", {}, to=[name], correlation_id=[id])
        elif known := [*state.closed.values(), *state.sequences.values()]:
            about = self.draw.choice(known)
            asked = {
                "reason": "error",
                "class": self.draw.choice(("cancel", "cancel", "override", "queue", "queue", "emergency")),
            }
            self.say("human", "reasoning/interrupt", asked, to=[about.owner], correlation_id=[about.id])

    def answer(self) -> None:
        """An ack, in time, late or again."""
        state = self.quiet.space.state
        known = [*state.settled.values(), *state.interrupts.values()]
        if known:
            about = self.draw.choice(known)
            status = self.draw.choice(("stopping", "completing_thought", "continuing", "ignored"))
            self.say(about.target, "reasoning/interrupt-ack", {"status": status}, correlation_id=[about.id])

    def propose(self) -> None:
        self.say(self.draw.choice(("worker", "solver")), "mcp/proposal", _PROPOSED, to=["solver"])

    def decide(self) -> None:
        """A yes or a no, the first or a later one."""
        state = self.quiet.space.state
        known = [*state.decided.values(), *state.proposals.values()]
        if known:
            about = self.draw.choice(known).id
            if self.draw.random() < 0.5:
                self.say("human", "mcp/reject", {"reason": "unsafe"}, correlation_id=[about])
            else:
                self.say("human", "mcp/request", _PROPOSED, to=["solver"], correlation_id=[about])

    def say(self, name: str, kind: str, payload: dict[str, Any] | None = None, **fields: Any) -> None:
        self.said += 1
        id = f"h{self.said}"
        heard = self.heard(self.quiet, self.quiet.say(name, kind, id, payload, **fields))
        assert self.heard(self.loud, self.loud.say(name, kind, id, payload, **fields)) == heard
        self.refused |= {code for is_refusal, _, code, _ in heard if is_refusal}
        self.ids.append(id)

    # What is not

    def meddle(self) -> None:
        """The hostile participant says something under, or about, any id; or it fills the memories."""
        self.meddled += 1
        flood = self.draw.randrange(5)
        if flood < 2:
            self.flood(f"m{self.meddled}", interrupted=flood == 0)
            return
        sequences = [one for one in self.loud.space.state.sequences.values() if one.owner == "mallory"]
        kind, about = self.draw.choice(_KINDS), self.draw.choice(self.ids)
        own = self.draw.choice(sequences).id if sequences else about
        id = about if self.draw.random() < 0.7 else f"m{self.meddled}"
        fields: dict[str, Any] = {"correlation_id": [about]}
        payload: dict[str, Any] = {"method": "do", "status": "stopping", "reason": "error", "text": "x"}
        payload |= {"direction": "upload", "stream_id": "stream-1", "participant_id": "guest", "grant_id": about}
        if kind in ("reasoning/thought", "reasoning/conclusion", "reasoning/cancel", "acme/x"):
            fields["context"] = self.draw.choice((about, own))
        elif kind == "reasoning/interrupt":
            fields = {"to": ["mallory"], "correlation_id": [self.draw.choice((about, own))]}
        elif kind == "mcp/proposal":
            payload, fields = dict(_PROPOSED), {"to": ["solver"]}
        elif kind == "mcp/request" or kind.startswith("participant/"):
            fields["to"] = ["accomplice"]  # which no proposal of the others names: it fulfils its own
        elif kind.startswith("capability/"):
            recipient = "accomplice" if kind == "capability/grant" else self.draw.choice(HONEST)
            payload = {"recipient": recipient, "grant_id": about}
            if kind == "capability/grant":
                payload = {"recipient": recipient, "capabilities": [{"kind": "acme/y"}]}
        elif kind == "space/invite":
            payload = {"participant_id": "guest", "initial_capabilities": [{"kind": "chat"}]}
        self.loud.say("mallory", kind, id, payload, **fields)

    def flood(self, id: str, *, interrupted: bool) -> None:
        """A sequence, an interrupt or a proposal of its own, begun and over at once."""
        for nth in range(3):
            own = f"{id}-{nth}"
            self.loud.say("mallory", "reasoning/start", own)
            if interrupted:
                asked = {"reason": "error", "class": "queue"}
                self.loud.say("mallory", "reasoning/interrupt", f"{own}i", asked, to=["mallory"], correlation_id=[own])
                done = {"correlation_id": [f"{own}i"]}
                self.loud.say("mallory", "reasoning/interrupt-ack", f"{own}a", {"status": "continuing"}, **done)
            self.loud.say("mallory", "reasoning/conclusion", f"{own}c", {}, context=own)
            self.loud.say("mallory", "mcp/proposal", f"{own}p", _PROPOSED)
            self.loud.say("mallory", "mcp/withdraw", f"{own}w", {}, correlation_id=[f"{own}p"])
        for one in [one for one in self.loud.space.state.sequences.values() if one.owner == "mallory"]:
            self.loud.say("mallory", "reasoning/conclusion", f"{id}-{one.id}", {}, context=one.id)

    # What is the same

    def compare(self) -> None:
        assert _remembered(self.loud) == _remembered(self.quiet)

    @staticmethod
    def heard(driver: SpaceDriver, effects: list[Effect]) -> list[tuple[bool, str, str, tuple[str, ...]]]:
        """What the others are told: whether it is a refusal, its kind, its code, and who is told."""
        names = driver.space.state.connections
        told = []
        for effect in effects:
            assert isinstance(effect, Deliver)
            envelope = json.loads(effect.data)
            to = tuple(names[one] for one in effect.connections if names[one] in HONEST)
            told.append((effect.refusal, envelope["kind"], envelope.get("payload", {}).get("error", ""), to))
        return told


def _remembered(driver: SpaceDriver) -> list[Any]:
    """What a space remembers of the honest participants, without the gateway's own ids."""
    state = driver.space.state
    sequences = [*state.closed.values(), *state.sequences.values()]
    records = [*state.settled.values(), *state.interrupts.values()]
    proposals = [*state.decided.values(), *state.proposals.values()]
    return [
        [
            (one.id, one.outcome, one.thoughts, one.fence and one.fence.answer, one.interrupts)
            for one in sequences
            if one.owner in HONEST
        ],
        [
            (one.id, one.status, one.ack, one.steps, one.escalated, one.pause is None)
            for one in records
            if one.sender in HONEST
        ],
        [
            (one.id, one.status, one.rejection and (one.rejection.by, one.rejection.reason), one.fulfiller)
            for one in proposals
            if one.proposer in HONEST
        ],
        [(one.id, one.sender, one.awaited) for one in state.requests.values() if one.sender in HONEST],
        {name: [pause.by for pause in pauses] for name, pauses in state.paused.items() if name in HONEST},
        {name: [halt.interrupt for halt in halts] for name, halts in state.halted.items()},
        [driver.space.members.capabilities(name).sources for name in HONEST],
    ]


@pytest.mark.parametrize("seed", range(4))
def test_hostile_participant_changes_nothing_for_others(seed: int) -> None:
    story = Story(seed)
    for _ in range(STEPS):
        story.step()
    state = story.loud.space.state
    assert len(state.closed) == BOUNDS.closed_sequences, "the memories were filled"
    assert len(state.settled) == BOUNDS.settled_interrupts
    assert len(state.decided) == BOUNDS.closed_sequences
    assert story.refused >= {"sequence_closed"}
    assert story.refused & {"proposal_rejected", "proposal_closed"}
    assert story.quiet.now > START
