"""A space under any events in any order: replay equals live, and every interrupt keeps what was promised of it."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import Sealer, receive
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS, UNKNOWN
from mew_gateway.space import deadlines, events
from mew_gateway.space.effects import Close, Deliver, Dismiss, Effect, Issue, Readmit, Terminate
from mew_gateway.space.events import (
    Configured,
    Connected,
    DeadlinePassed,
    Disconnected,
    Event,
    Issued,
    Received,
    Restarted,
)
from mew_gateway.space.fence import acts
from mew_gateway.space.machine import VERSION, Space
from mew_gateway.space.settings import Bounds, Interrupts, Participant, Rate, SpaceSettings, Step, Watchdog

START = 1_800_000_000_000
BOUNDS = Bounds(
    open_sequences=2,
    open_requests=2,
    open_proposals=2,
    open_streams=2,
    remembered_ids=4,
    remembered_for=1_000,
    closed_sequences=3,
    settled_interrupts=3,
)
NAMES = ("boss", "agent", "other")
CAPABILITIES: dict[str, tuple[dict[str, Any], ...]] = {
    "boss": ({"kind": "*"}, {"kind": "reasoning/interrupt"}),
    "agent": (
        {"kind": ["chat", "mcp/*", "acme/*", "stream/*", "participant/status"]},
        {"kind": ["reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt-ack"]},
    ),
    "other": ({"kind": ["chat", "reasoning/start"]}, {"kind": "reasoning/interrupt", "payload": {"class": "cancel"}}),
}
LADDERS = (
    (Step("notify"),),
    (Step("notify"), Step("notify", 400), Step("notify", 200)),
    (),
    (Step("notify"), Step("pause"), Step("revoke", 200), Step("kick", 200)),
)
WATCHDOGS = (Watchdog(), Watchdog(max_seconds=1, max_thoughts=2, max_bytes=600))
CONTROLS = (
    "participant/pause",
    "participant/pause",
    "participant/resume",
    "participant/resume",
    "participant/shutdown",
)


def _settings(ladder: tuple[Step, ...], routing: Any, watchdog: Watchdog) -> SpaceSettings:
    interrupts = Interrupts(
        ack_deadline=1_000,
        emergency_ack_deadline=500,
        emergency_escalation=ladder,
        stopping_conclusion=300,
        completing_conclusion=800,
        per_sequence=Rate(2, 500),
        escalation=ladder,
    )
    participants = {name: Participant(name, CAPABILITIES[name], observe=name == "other") for name in NAMES}
    return SpaceSettings(
        id="demo",
        participants=participants,
        routing=routing,
        owner_grace=600,
        proposal_expiry=1_200,
        interrupts=interrupts,
        watchdog=watchdog,
        bounds=BOUNDS,
    )


_space_settings = st.builds(
    _settings, st.sampled_from(LADDERS), st.sampled_from(["visible", "addressed"]), st.sampled_from(WATCHDOGS)
)
_ids = st.sampled_from([f"x{n}" for n in range(6)])
_names = st.sampled_from([*NAMES, "nobody"])
_mostly = st.sampled_from([True, True, True, False])
_interrupts = st.sampled_from([{"reason": "timeout"}, {"reason": "timeout"}, {"reason": "redirect"}])
ANSWERS = ("stopping", "completing_thought", "continuing", "ignored")
ACTS = ("mcp/request", "mcp/proposal", "acme/x")
TELLS = ("participant/status", "chat")
DECISIONS = ("mcp/request", "mcp/request", "mcp/withdraw", "mcp/reject")
STREAM_KINDS = (
    "stream/grant-write",
    "stream/grant-write",
    "stream/revoke-write",
    "stream/transfer-ownership",
    "stream/close",
)
_contexts = st.one_of(st.none(), _ids, _ids.map(lambda id: f"{id}/deep"))
_PAYLOADS: dict[str, list[dict[str, Any] | None]] = {
    "chat": [{"text": "hi"}, {}],
    "mcp/request": [{"method": "a"}, {"method": "notifications/cancelled"}, None],
    "mcp/response": [{"result": {}}],
    "mcp/proposal": [{"method": "a"}],
    "mcp/withdraw": [None],
    "mcp/reject": [{"reason": "busy"}, {"reason": 1}],
    "stream/request": [{"direction": "upload"}, {"direction": "upload", "target": ["nobody"]}, {}],
    "stream/close": [None, {"stream_id": "stream-1"}],
    "acme/x": [None],
    "space/kick": [None],
    "system/error": [None],
    "system/heartbeat": [None],
    "reasoning/start": [None, {"message": "thinking"}],
    "reasoning/thought": [None],
    "reasoning/conclusion": [None, {"outcome": "done"}],
    "reasoning/cancel": [None],
    "reasoning/interrupt": [
        {"reason": "timeout"},
        {"reason": "redirect"},
        {"reason": "other"},
        {"reason": "error", "class": "emergency"},
        {"reason": "error", "class": "queue"},
        {"reason": ["x"]},
    ],
    "reasoning/interrupt-ack": [{"status": status} for status in (*ANSWERS, "maybe")],
}


@st.composite
def _bodies(draw: st.DrawFn) -> dict[str, Any]:
    """Kind, payload and references of an envelope."""
    kind = draw(st.sampled_from(sorted(_PAYLOADS)))
    body = {
        "kind": kind,
        "payload": draw(st.sampled_from(_PAYLOADS[kind])),
        "to": draw(st.one_of(st.none(), st.lists(_names, max_size=2))),
        "correlation_id": draw(st.one_of(st.none(), st.lists(_ids, max_size=2))),
        "context": draw(_contexts),
    }
    return {field: value for field, value in body.items() if value is not None}


class Spaces(RuleBasedStateMachine):
    """A live space, a shadow of it restored from some snapshot, and the journal of both."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.connection = 0
        self.seated: dict[int, str] = {}
        self.welcomed: set[int] = set()
        self.ended: set[int] = set()
        self.journal: list[tuple[bytes, int, list[Effect]]] = []
        self.frames: list[tuple[str, bytes]] = []
        self.posted: set[str] = set()  # who spoke without a connection: nobody sees such a one leave
        self.accepted: Counter[str] = Counter()
        self.acknowledged: Counter[str] = Counter()
        self.timed_out: Counter[str] = Counter()
        self.proposed: Counter[str] = Counter()
        self.decided: Counter[str] = Counter()  # how often what was proposed has come to an end
        self.writers: dict[str, list[str]] = {}  # by stream: who may write, as everybody was told

    @initialize(configured=_space_settings)
    def open(self, configured: SpaceSettings) -> None:
        event = Configured(configured, VERSION, "e")
        self.live = Space.configured(event)
        self.shadow = Space.configured(event)
        self.step(event)
        for name in NAMES:
            self.join(name)

    # What may happen

    @rule(data=st.data(), owner=st.sampled_from(["agent", "agent", "other", "boss"]))
    def start(self, data: st.DataObject, owner: str) -> None:
        self.say(data, owner, {"kind": "reasoning/start"})

    @rule(data=st.data(), kind=st.sampled_from(["thought", "thought", "conclusion", "cancel"]), owned=_mostly)
    def reason(self, data: st.DataObject, kind: str, owned: bool) -> None:
        """A thought, or the end, in some sequence, open or closed."""
        known = {**self.live.state.closed, **self.live.state.sequences}
        if known:
            sequence = known[data.draw(st.sampled_from(sorted(known)))]
            sender = sequence.owner if owned else data.draw(st.sampled_from(NAMES))
            deep = data.draw(st.sampled_from(["", "", "", "/deep"]))
            self.say(data, sender, {"kind": f"reasoning/{kind}", "context": sequence.id + deep})

    @rule(data=st.data(), sender=st.sampled_from(["boss", "boss", "other", "agent"]), payload=_interrupts)
    def interrupt(self, data: st.DataObject, sender: str, payload: dict[str, Any]) -> None:
        """An interrupt of an open sequence, addressed to its owner."""
        sequences = self.live.state.sequences
        if sequences:
            about = sequences[data.draw(st.sampled_from(sorted(sequences)))]
            refer = {"to": about.owner, "correlation_id": about.id}
            self.say(data, sender, {"kind": "reasoning/interrupt", **refer, "payload": payload})

    @rule(data=st.data(), answer=st.sampled_from(ANSWERS), by_target=_mostly)
    def acknowledge(self, data: st.DataObject, answer: str, by_target: bool) -> None:
        """An ack of an interrupt that is on record."""
        state = self.live.state
        known = {**state.settled, **state.interrupts}
        if known:
            record = known[data.draw(st.sampled_from(sorted(known)))]
            sender = record.target if by_target else data.draw(st.sampled_from(NAMES))
            body = {"kind": "reasoning/interrupt-ack", "correlation_id": record.id, "payload": {"status": answer}}
            self.say(data, sender, body)

    @rule(data=st.data(), answer=st.sampled_from(ANSWERS))
    def interrupt_and_acknowledge(self, data: st.DataObject, answer: str) -> None:
        """The usual course, so that what comes after it is seen often."""
        self.start(data, "agent")
        self.interrupt(data, "boss", {"reason": "timeout"})
        pending = [record for record in self.live.state.interrupts.values() if record.status == "pending"]
        if pending:
            body = {"correlation_id": pending[-1].id, "payload": {"status": answer}}
            self.say(data, pending[-1].target, {"kind": "reasoning/interrupt-ack", **body})

    @rule(data=st.data(), answer=st.sampled_from([None, *ANSWERS, "halt_after_span"]), lifted=st.booleans())
    def emergency(self, data: st.DataObject, answer: str | None, lifted: bool) -> None:
        """An emergency, mostly answered, and perhaps lifted."""
        self.start(data, "agent")
        sequences = [one for one in self.live.state.sequences.values() if one.owner == "agent"]
        if not sequences:
            return
        id = f"n{len(self.journal)}-e"
        about = {"to": "agent", "correlation_id": data.draw(st.sampled_from(sequences)).id, "id": id}
        payload = {"reason": "error", "class": "emergency"}
        self.say(data, "boss", {"kind": "reasoning/interrupt", **about, "payload": payload})
        if answer is not None:
            known = {"status": "continuing", "outcome": answer} if answer == "halt_after_span" else {"status": answer}
            self.say(data, "agent", {"kind": "reasoning/interrupt-ack", "correlation_id": id, "payload": known})
        if lifted:
            self.say(data, "boss", {"kind": "participant/resume", "to": "agent", "correlation_id": id})

    @rule(data=st.data(), kind=st.sampled_from(CONTROLS), whom=st.sampled_from(["agent", "agent", "other"]))
    def control(self, data: st.DataObject, kind: str, whom: str) -> None:
        """A pause, for a while or until it is lifted; a resume, of one or of all; the end."""
        body: dict[str, Any] = {"kind": kind, "to": whom}
        if kind == "participant/pause" and data.draw(st.booleans()):
            body["payload"] = {"timeout_seconds": 0.3}
        standing = [pause.id for pause in self.live.state.paused.get(whom, ())]
        if kind == "participant/resume" and standing and data.draw(st.booleans()):
            body["correlation_id"] = [data.draw(st.sampled_from(standing))]
        self.say(data, "boss", body)

    @rule(data=st.data(), name=st.sampled_from(["agent", "other", "guest", "guest"]), kick=st.booleans())
    def admit(self, data: st.DataObject, name: str, kick: bool) -> None:
        """Somebody is asked in, gets a token and comes; or has to go."""
        kind = "space/kick" if kick else "space/invite"
        self.say(data, "boss", {"kind": kind, "payload": {"participant_id": name}})
        invitee = self.live.state.invitees.get(name)
        if invitee is not None and not kick:
            self.step(Issued(name, invitee.invite, "boss", bytes(31) + bytes([len(self.journal) % 256])))
            self.join(name)

    @rule(data=st.data(), name=st.sampled_from(["agent", "other"]), expires=st.booleans(), taken=st.booleans())
    def give(self, data: st.DataObject, name: str, expires: bool, taken: bool) -> None:
        """A capability for a while, or until it is taken back."""
        id = f"n{len(self.journal)}-g"
        payload: dict[str, Any] = {"recipient": name, "capabilities": [{"kind": "acme/*"}]}
        if expires:
            payload["expires_at"] = timestamp(self.now + 400)
        self.say(data, "boss", {"kind": "capability/grant", "id": id, "payload": payload})
        if taken:
            self.say(data, "boss", {"kind": "capability/revoke", "payload": {"recipient": name, "grant_id": id}})

    @rule(data=st.data(), sender=st.sampled_from(["agent", "agent", "boss"]), kind=st.sampled_from(ACTS))
    def act(self, data: st.DataObject, sender: str, kind: str) -> None:
        """Something that a fence is there for, in some context or none."""
        known = sorted({**self.live.state.closed, **self.live.state.sequences})
        context = data.draw(st.sampled_from([None, *known]))
        body = {"kind": kind, "to": data.draw(st.sampled_from(NAMES)), "payload": {"method": "a"}}
        self.say(data, sender, body if context is None else {**body, "context": context})

    @rule(data=st.data(), kind=st.sampled_from(TELLS))
    def tell(self, data: st.DataObject, kind: str) -> None:
        """Something that no fence and no halt is there for."""
        known = sorted({**self.live.state.closed, **self.live.state.sequences})
        context = data.draw(st.sampled_from([None, *known]))
        body = {"kind": kind, "to": "boss", "payload": {"text": "a"} if kind == "chat" else {"messages_in_context": 1}}
        self.say(data, "agent", body if context is None else {**body, "context": context})

    @rule(data=st.data(), sender=st.sampled_from(["agent", "agent", "boss"]), method=st.sampled_from(["a", "b"]))
    def propose(self, data: st.DataObject, sender: str, method: str) -> None:
        """A proposal, in one of the sender's sequences or in none."""
        own = [id for id, sequence in self.live.state.sequences.items() if sequence.owner == sender]
        body: dict[str, Any] = {"kind": "mcp/proposal", "payload": {"method": method}}
        context = data.draw(st.sampled_from([None, *own]))
        if context is not None:
            body["context"] = context
        if data.draw(st.booleans()):
            body["to"] = ["boss"]
        self.say(data, sender, body)

    @rule(data=st.data(), answer=st.sampled_from(["stopping", "completing_thought"]))
    def propose_and_be_interrupted(self, data: st.DataObject, answer: str) -> None:
        """What is proposed in a sequence, and then its end."""
        self.start(data, "agent")
        self.propose(data, "agent", "a")
        self.interrupt(data, "boss", {"reason": "timeout"})
        self.acknowledge(data, answer, by_target=True)

    @rule(data=st.data(), sender=st.sampled_from(["boss", "agent"]), kind=st.sampled_from(DECISIONS), same=_mostly)
    def decide(self, data: st.DataObject, sender: str, kind: str, same: bool) -> None:
        """A fulfilment, withdrawal or rejection of what was proposed, mostly one that fits."""
        state = self.live.state
        known = {**state.decided, **state.proposals}
        if known:
            about = known[data.draw(st.sampled_from(sorted(state.proposals) or sorted(known)))]
            payload = {"method": about.method if same else "b"} if kind == "mcp/request" else {}
            also = [data.draw(st.sampled_from(sorted(known)))] if data.draw(st.integers(0, 4)) == 4 else []
            body: dict[str, Any] = {"kind": kind, "payload": payload, "correlation_id": [about.id, *also]}
            if about.to:
                body["to"] = list(about.to)
            self.say(data, about.proposer if kind == "mcp/withdraw" and same else sender, body)

    @rule(data=st.data(), owner=st.sampled_from(["agent", "agent", "boss"]), targeted=st.booleans())
    def open_stream(self, data: st.DataObject, owner: str, targeted: bool) -> None:
        payload = {"direction": "upload", **({"target": ["boss", "other"]} if targeted else {})}
        self.say(data, owner, {"kind": "stream/request", "payload": payload})

    @rule(data=st.data(), kind=st.sampled_from(STREAM_KINDS), owned=_mostly, known=_mostly)
    def rule_stream(self, data: st.DataObject, kind: str, owned: bool, known: bool) -> None:
        """Whatever is its owner's alone to say about a stream; first of all, there has to be one."""
        if not self.live.state.streams:
            self.open_stream(data, "agent", targeted=False)
        streams = self.live.state.streams
        if streams:
            about = streams[data.draw(st.sampled_from(sorted(streams)))]
            sender = about.owner if owned else data.draw(st.sampled_from(["boss", "agent"]))
            name = data.draw(st.sampled_from(NAMES)) if known else "nobody"
            payload = {"stream_id": about.id, "participant_id": name, "new_owner": name}
            self.say(data, sender, {"kind": kind, "payload": payload})

    @rule(
        data=st.data(), writer=st.sampled_from(["boss", "other"]), then=st.sampled_from(["", "hand", "leave", "lose"])
    )
    def share_stream(self, data: st.DataObject, writer: str, then: str) -> None:
        """The usual course of a stream, so that what comes after it is seen often."""
        self.open_stream(data, "agent", targeted=False)
        own = [stream.id for stream in self.live.state.streams.values() if stream.owner == "agent"]
        if own:
            payload = {"stream_id": own[-1], "participant_id": writer, "new_owner": writer}
            self.say(data, "agent", {"kind": "stream/grant-write", "payload": payload})
            if then in ("leave", "lose"):
                self.go(writer)
            if then in ("hand", "lose"):
                self.say(data, "agent", {"kind": "stream/transfer-ownership", "payload": payload})

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def write_frame(self, data: st.DataObject, name: str) -> None:
        """A frame gets through for those of whom everybody was told that they may write, and changes nothing."""
        state = self.live.state
        stream = data.draw(st.sampled_from([*sorted(state.streams), "stream-0"]))
        before = self.live.snapshot()
        try:
            recipients = self.live.recipients_of_frame(name, stream)
        except Rejected as rejected:
            assert rejected.code in ERRORS
            if rejected.code in ("stream_not_found", "unauthorized_stream_write"):
                assert name not in self.writers.get(stream, ())
        else:
            assert name in self.writers[stream]
            target = state.streams[stream].target
            assert set(recipients) == {one for one, who in self.seated.items() if not target or who in target}
        assert self.live.snapshot() == before

    @rule(data=st.data(), sender=st.sampled_from(NAMES))
    def respond(self, data: st.DataObject, sender: str) -> None:
        if self.live.state.requests:
            about = data.draw(st.sampled_from(sorted(self.live.state.requests)))
            self.say(data, sender, {"kind": "mcp/response", "correlation_id": about})

    @rule(data=st.data(), sender=st.sampled_from(NAMES), body=_bodies())
    def say_anything(self, data: st.DataObject, sender: str, body: dict[str, Any]) -> None:
        self.say(data, sender, body)

    @precondition(lambda self: self.frames)
    @rule(data=st.data(), posted=st.booleans())
    def resend(self, data: st.DataObject, posted: bool) -> None:
        """The same bytes once more: over any connection of the sender's, or over none."""
        name, frame = data.draw(st.sampled_from(self.frames[-8:]))
        self.send(0 if posted else self.connection_of(data, name), name, frame)

    @rule(data=st.data(), name=st.sampled_from(NAMES), leave=st.booleans())
    def come_or_go(self, data: st.DataObject, name: str, leave: bool) -> None:
        held = [number for number, holder in self.seated.items() if holder == name]
        if not leave:
            self.join(name)
        elif held:
            self.end(data.draw(st.sampled_from(held)))

    @rule(milliseconds=st.sampled_from([0, 1, 50, 299, 500, 700]), until_deadline=st.booleans())
    def pass_time(self, milliseconds: int, until_deadline: bool) -> None:
        """Time passes; a deadline that is handed in too early changes nothing."""
        deadline = self.live.deadline
        if until_deadline and deadline is not None:
            self.now = max(self.now, deadline)
            self.step(DeadlinePassed())
            return
        self.now += milliseconds
        if deadline is None or deadline > self.now:
            before = self.live.snapshot()
            assert self.step(DeadlinePassed()) == []
            assert self.live.snapshot() == before

    @rule(data=st.data(), what=st.sampled_from(["restore", "restore", "restart", "reconfigure"]))
    def operate(self, data: st.DataObject, what: str) -> None:
        if what == "restore":
            self.shadow = Space.restored(self.live.snapshot())
        elif what == "restart":
            self.ended |= set(self.seated)
            self.seated.clear()
            self.step(Restarted())
        else:
            self.step(Configured(data.draw(_space_settings), VERSION, "e"))

    # How it happens

    def go(self, name: str) -> None:
        """Every connection of the participant's ends."""
        for connection in [number for number, holder in self.seated.items() if holder == name]:
            self.end(connection)

    def end(self, connection: int) -> None:
        """A connection ends; with its last one a participant may write to no stream."""
        name = self.seated.pop(connection)
        self.ended.add(connection)
        self.step(Disconnected(connection))
        if name not in self.seated.values():
            assert all(name not in writers for writers in self.writers.values())

    def join(self, name: str) -> int:
        self.connection += 1
        self.seated[self.connection] = name
        self.step(Connected(self.connection, name))
        assert (self.connection in self.welcomed) is (self.connection in self.seated)
        return self.connection

    def connection_of(self, data: st.DataObject, name: str) -> int:
        """One of the participant's connections; it joins if it has none."""
        held = [number for number, holder in self.seated.items() if holder == name]
        return data.draw(st.sampled_from(held)) if held else self.join(name)

    def say(self, data: st.DataObject, name: str, body: dict[str, Any]) -> None:
        """An envelope with an id that is new, or perhaps not."""
        id = data.draw(_ids) if data.draw(st.integers(0, 3)) == 3 else f"n{len(self.journal)}"
        connection = self.connection_of(data, name)
        self.send(connection, name, json.dumps({"id": id, "ts": str(self.now), **body}).encode())

    def send(self, connection: int, name: str, frame: bytes) -> None:
        try:
            envelope, data = receive(frame, Sealer(sender=name, new_id=lambda: "sealed"), now=self.now)
        except Rejected:
            return
        self.frames.append((name, frame))
        if connection == 0:
            self.posted.add(name)
        fenced = self.live.state.fenced.get(name, [])
        open_before = list(self.live.state.proposals)
        owners_before = {id: stream.owner for id, stream in self.live.state.streams.items()}
        halts, paused = self.live.state.halted.get(name, []), name in self.live.state.paused
        removed = not self.live.members.knows(name) or name in self.live.state.kicked
        effects = self.step(Received(name, connection, zlib.crc32(frame), data, envelope))
        kind = KINDS.get(envelope.kind, UNKNOWN)
        refusals = [json.loads(one.data)["payload"] for one in effects if isinstance(one, Deliver) and one.refusal]
        if refusals:
            if envelope.kind in TELLS:
                assert {one["error"] for one in refusals}.isdisjoint({"fenced", "halted", "sequence_closed"})
            return
        assert not removed, "who was kicked says nothing"
        if envelope.kind == HEARTBEAT:
            return
        assert kind.passes_pause or not paused, "who is paused only answers"
        if halts:
            assert envelope.kind != "reasoning/start", "nothing begins under a halt"
            if kind.acting and acts(envelope):
                assert all((envelope.context or "").partition("/")[0] == halt.sequence for halt in halts)
        if envelope.kind in ("reasoning/interrupt", "reasoning/cancel"):  # somebody else's cancel is one, too
            self.accepted[envelope.id] += 1
        if envelope.kind == "reasoning/interrupt-ack":
            self.acknowledged[(envelope.correlation_id or [""])[0]] += 1
        if envelope.kind in ("mcp/request", "mcp/withdraw", "mcp/reject"):
            self.decided.update({id for id in envelope.correlation_id or () if id in open_before})
        if envelope.kind in STREAM_KINDS and "stream_id" in (envelope.payload or {}):
            assert owners_before[(envelope.payload or {})["stream_id"]] == name
        if envelope.kind == "stream/close":
            (closed,) = set(self.writers) - set(self.live.state.streams)
            assert self.writers.pop(closed)[0] == name
        if envelope.kind == "mcp/proposal":
            self.proposed[envelope.id] += 1
            assert not fenced or (envelope.context or "").partition("/")[0] not in (*fenced, "")

    def step(self, event: Event) -> list[Effect]:
        """Journal, then handle: the live space and its shadow, which must do the same."""
        data = events.encode(event)
        before = self.live.snapshot()
        effects = self.live.handle(events.decode(data), self.now)
        self.journal.append((data, self.now, effects))
        assert self.shadow.handle(event, self.now) == effects
        assert self.shadow.snapshot() == self.live.snapshot()
        for effect in effects:
            self.observe(effect)
        if any(isinstance(effect, Deliver) and effect.refusal for effect in effects):
            self.check_nothing_changed(before, effects)
        return effects

    def observe(self, effect: Effect) -> None:
        if isinstance(effect, Close):
            if self.seated.pop(effect.connection, None) is not None:
                self.ended.add(effect.connection)
            return
        if not isinstance(effect, Deliver):
            assert isinstance(effect, Issue | Dismiss | Readmit | Terminate)
            return
        assert len(set(effect.connections)) == len(effect.connections), "each connection receives it once"
        envelope = json.loads(effect.data)
        if effect.own and envelope["kind"] == "system/welcome":
            self.welcomed.update(effect.connections)
        for connection in effect.connections:
            assert connection in self.welcomed, "nothing is delivered before the welcome"
            assert connection not in self.ended, "nothing is delivered after the end"
        if effect.own and envelope["kind"] == "system/error":
            self.hear(envelope)
        if effect.own and envelope["kind"] == "reasoning/interrupt":  # the watchdog's
            self.accepted[envelope["id"]] += 1
        if effect.own and envelope["kind"].startswith("stream/"):
            self.hear_of_stream(envelope["kind"], envelope["payload"])

    def hear_of_stream(self, kind: str, payload: dict[str, Any]) -> None:
        name = payload["stream_id"]
        if kind == "stream/open":
            assert name == f"stream-{self.live.state.streamed}", "no name comes twice"
        if kind == "stream/close":
            del self.writers[name]
        else:
            self.writers[name] = payload["authorized_writers"]

    def hear(self, envelope: dict[str, Any]) -> None:
        payload = envelope["payload"]
        assert payload["error"] in ERRORS
        assert payload["message"]
        if payload["error"] == "interrupt_ack_timeout" and "did not" in payload["message"]:
            assert payload["waited_ms"] >= 500, "no deadline passes before its time"
            self.timed_out[payload["interrupt_id"]] += 1
        if payload["error"] in ("proposal_voided", "proposal_expired"):
            self.decided[payload["proposal_id"]] += 1
        if payload["error"] == "interrupt_overrun":
            assert payload["waited_ms"] >= 300

    def check_nothing_changed(self, before: dict[str, bytes], effects: list[Effect]) -> None:
        assert len(effects) == 1
        changed = msgspec.msgpack.decode(self.live.snapshot()["state"])
        unchanged = msgspec.msgpack.decode(before["state"])
        unchanged[0]["issued"] += 1  # the refusal's own id
        for paid in ("owing", "weighed"):  # deciding has its price
            unchanged[0][paid] = changed[0][paid]
        assert changed == unchanged
        assert {**self.live.snapshot(), "state": b""} == {**before, "state": b""}

    # What always holds

    @invariant()
    def once_is_enough(self) -> None:
        assert all(count <= self.accepted[id] for id, count in self.acknowledged.items())
        assert all(count <= self.accepted[id] for id, count in self.timed_out.items())

    @invariant()
    def bounds_hold(self) -> None:
        if not hasattr(self, "live"):
            return
        state = self.live.state
        assert len(state.closed) <= BOUNDS.closed_sequences
        assert len(state.settled) <= BOUNDS.settled_interrupts
        assert all(len(asked) <= BOUNDS.open_requests for asked in state.asking.values())
        assert sorted(state.requests) == sorted(id for asked in state.asking.values() for id in asked)
        owners = Counter(sequence.owner for sequence in state.sequences.values())
        assert all(count <= BOUNDS.open_sequences for count in owners.values())
        assert self.live.remembered_ids <= 10 * BOUNDS.remembered_ids
        for sequence in state.sequences.values():
            assert all(len(times) <= 2 for times in sequence.asked.values())

    @invariant()
    def proposals_end_once(self) -> None:
        """What is proposed comes to one end, and none is open of a sequence that is to stop."""
        if not hasattr(self, "live"):
            return
        state = self.live.state
        assert +(self.proposed - self.decided) == Counter(list(state.proposals))
        assert all(count <= self.proposed[id] for id, count in self.decided.items())
        assert all(one.status == "open" for one in state.proposals.values())
        assert all(one.status != "open" and one.params is None for one in state.decided.values())
        assert len(state.decided) <= BOUNDS.closed_sequences
        owners = Counter(one.proposer for one in state.proposals.values())
        assert all(count <= BOUNDS.open_proposals for count in owners.values())
        assert not state.proposals or state.proposals_due is not None
        assert sum(what == "proposal" for _, _, what, _ in state.deadlines) <= 1
        for one in state.proposals.values():
            sequence = state.sequences.get(one.sequence or "")
            if sequence is not None and sequence.opened_at < one.proposed_at:
                assert sequence.fence is None

    @invariant()
    def streams_are_as_told(self) -> None:
        """Who may write is what everybody was told; no stream is without an owner who is here or in its grace."""
        if not hasattr(self, "live"):
            return
        state = self.live.state
        assert sorted(state.streams) == sorted(self.writers)
        for one in state.streams.values():
            assert self.writers[one.id][0] == one.owner
            assert one.owner in (*self.seated.values(), *state.absent)
        askers = Counter(one.asker for one in state.streams.values())
        assert all(count <= BOUNDS.open_streams for count in askers.values())

    @invariant()
    def rule_is_kept(self) -> None:
        """Who may not come is not here; what is bounded is bounded; a halt names an emergency."""
        if not hasattr(self, "live"):
            return
        state = self.live.state
        assert not {*state.kicked} & {*self.seated.values()}
        assert all(name in (*state.settings.participants, *state.invitees) for name in self.seated.values())
        assert all(pauses for pauses in state.paused.values())
        assert all(halts for halts in state.halted.values())
        assert sum(one[2] == "watchdog" and deadlines._is_set(state, one) for one in state.deadlines) <= 1
        assert sum(not deadlines._is_set(state, one) for one in state.deadlines) == state.unset
        assert 2 * state.unset <= len(state.deadlines)
        assert all(grant.recipient in self.live.members.names for grant in state.grants.values())

    @invariant()
    def indexes_agree(self) -> None:
        if not hasattr(self, "live"):
            return
        state = self.live.state
        assert state.connections == self.seated
        fenced = {(sequence.owner, id) for id, sequence in state.sequences.items() if sequence.fence is not None}
        assert fenced == {(owner, id) for owner, ids in state.fenced.items() for id in ids}
        for sequence in state.sequences.values():
            assert all(state.interrupts[id].sequence == sequence.id for id in sequence.interrupts)
            assert sequence.owner in (*self.seated.values(), *state.absent, *self.posted)
        assert not {*state.interrupts} & {*state.settled}

    def teardown(self) -> None:
        if not hasattr(self, "live"):
            return
        for _ in range(1_000):
            if self.live.deadline is None:
                break
            self.now = max(self.now, self.live.deadline)
            self.step(DeadlinePassed())
        state = self.live.state
        assert not state.interrupts, "every accepted interrupt comes to its end"
        assert not state.deadlines
        assert not state.proposals, "every proposal comes to its end"
        assert all(record.status != "pending" for record in state.settled.values())
        self.replay()

    def replay(self) -> None:
        """From the journal's first entry on, the same again."""
        first = events.decode(self.journal[0][0])
        assert isinstance(first, Configured)
        replayed = Space.configured(first)
        for data, now, effects in self.journal:
            assert replayed.handle(events.decode(data), now) == effects
        assert replayed.snapshot() == self.live.snapshot()


TestSpaces = Spaces.TestCase
TestSpaces.settings = settings(
    derandomize=True,
    deadline=None,
    max_examples=300,
    stateful_step_count=60,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
