"""Nobody gets words that were addressed to others, or said before they came: secrets are planted and looked for.

Every text of every kind is a secret, whose readers this test knows by rules of its own. What each participant
receives is searched: deliveries, refusals, welcomes, listings, timeline, history. A guest that is invited again is
somebody else.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from itertools import chain
from typing import Any

import msgspec
import pytest

from mew_gateway.gateway.broker.spaces.history_view import View
from mew_gateway.gateway.broker.spaces.output_records import outputs_of
from mew_gateway.gateway.http.listings import Listing
from mew_gateway.gateway.http.timeline import timeline
from mew_gateway.journal.base import Entry, Record
from mew_gateway.space.effects import Deliver, Effect
from mew_gateway.space.settings import Participant, SpaceSettings

from ..kit.space_driver import SpaceDriver

ALL = ({"kind": "*"}, {"kind": "reasoning/interrupt"})
CONFIGURED = ("ann", "bob", "cid")
SECRET = re.compile(rb"secret[0-9]{4}")
STEPS = 120


def _settings(routing: Any) -> SpaceSettings:
    people = {name: Participant(name, ALL) for name in (*CONFIGURED, "boss")}
    people["auditor"] = Participant("auditor", (), observe=True)
    return SpaceSettings(id="demo", participants=people, routing=routing)


class World:
    """A space in which everything that is said is a secret. A reader is a name, of a guest with its incarnation."""

    def __init__(self, seed: int, routing: str) -> None:
        self.draw = random.Random(seed)
        self.driver = SpaceDriver(_settings(routing))
        self.lives = 0  # incarnations of the guest
        self.readers: dict[bytes, set[str]] = {}
        self.holders: dict[int, str] = {}  # by connection
        self.records: list[Record] = []
        self.kept = len(self.driver._history)
        self.said = 0
        self.proposals: dict[str, str] = {}  # by id: who made it, and so on
        self.requests: dict[str, set[str]] = {}
        self.interrupts: dict[str, str] = {}
        self.sequences: dict[str, str] = {}
        for name in (*CONFIGURED, "boss", "auditor"):
            self.come(name)

    @property
    def names(self) -> list[str]:
        return [name for name in self.driver.space.members.names if name not in ("boss", "auditor")]

    def key(self, name: str) -> str:
        return f"guest@{self.lives}" if name == "guest" else name

    def come(self, name: str) -> None:
        self.said += 1
        self.holders[self.driver._last + 1] = self.key(name)
        self.heard(self.driver.join(f"{name}#{self.said}"))
        self.driver.numbers[name] = self.driver.numbers[f"{name}#{self.said}"]

    def secret(self) -> str:
        return f"secret{len(self.readers):04d}"

    def say(
        self, sender: str, kind: str, payload: dict[str, Any], *, concerned: Any = frozenset(), **fields: Any
    ) -> str | None:
        """An envelope with one secret, and what follows from it; its id, None if it was refused."""
        self.said += 1
        id, text = f"e{self.said}", self.secret().encode()
        own = self.key(sender)
        to = set(fields.get("to") or ())
        addressed = self.driver.space.state.settings.routing == "addressed"
        open_to = {self.key(name) for name in self.driver.space.members.names}
        if addressed and (to or (concerned and kind == "reasoning/interrupt-ack")):
            open_to = {own, "auditor", *(self.key(name) for name in to), *concerned}
        self.readers[text] = open_to | concerned
        effects = self.driver.at(self.driver.now - START + 1).say(sender, kind, id, payload, **fields)
        is_refused = any(isinstance(one, Deliver) and one.refusal for one in effects)
        if is_refused:
            self.readers[text] = {own}
        self.heard(effects)
        return None if is_refused else id

    def heard(self, effects: list[Effect]) -> None:
        """Whoever is sent something may read it."""
        for effect in effects:
            if isinstance(effect, Deliver):
                for connection in effect.connections:
                    self.check(self.holders[connection], effect.data)
        for event, now, done in self.driver._history[self.kept :]:
            entry = Entry(len(self.records) + 1, "demo", now, event)
            self.records.append(Record(entry, tuple(outputs_of(entry, done))))
        self.kept = len(self.driver._history)

    def check(self, reader: str, data: bytes) -> None:
        for found in SECRET.findall(data):
            assert reader in self.readers[found], f"{reader} reads {found!r} of {self.readers[found]}: {data!r}"

    def step(self) -> None:
        """Somebody does something, mostly allowed, of which everything that can be text is secret."""
        draw, text = self.draw, self.secret()
        sender = draw.choice(self.names)
        to: dict[str, Any] = {"to": draw.sample(self.names, 1)} if draw.random() < 0.6 else {}
        about: Any
        fields: dict[str, Any]
        asked: dict[str, Any]
        told: dict[str, Any]
        own = [id for id, owner in self.sequences.items() if owner == self.key(sender)]
        act = draw.choice(ACTS)
        if act == "guest":
            self.renew()
        elif act == "start":
            id = self.say(sender, "reasoning/start", {"message": text}, **to)
            if id:
                self.sequences[id] = self.key(sender)
        elif act in ("thought", "conclusion", "cancel") and self.sequences:
            within = draw.choice(own or list(self.sequences))
            payload = {"message": text, "outcome": text} if act != "cancel" else {"reason": text}
            owner = {self.sequences[within]} if act == "cancel" else set()
            self.say(sender, f"reasoning/{act}", payload, context=within, concerned=owner, **to)
        elif act == "interrupt" and self.sequences:
            about = draw.choice(list(self.sequences))
            target = self.sequences[about]
            asked = {"reason": "other", "message": text, "class": draw.choice(["queue", "cancel"])}
            fields = {"to": [target.partition("@")[0]], "correlation_id": [about]}
            id = self.say(sender, "reasoning/interrupt", asked, concerned={target}, **fields)
            if id:
                self.interrupts[id] = self.key(sender)
        elif act == "ack" and self.interrupts:
            about = draw.choice(list(self.interrupts))
            told = {"status": "continuing", "message": text, "outcome": text}
            fields = {"correlation_id": [about], "concerned": {self.interrupts[about]}}
            self.say(sender, "reasoning/interrupt-ack", told, **fields, **to)
        elif act == "propose":
            id = self.say(sender, "mcp/proposal", {"method": "do", "params": {"text": text}}, **to)
            if id:
                self.proposals[id] = self.key(sender)
        elif act in ("reject", "withdraw") and self.proposals:
            about = draw.choice(list(self.proposals))
            told = {"reason": text, "message": text}
            self.say(sender, f"mcp/{act}", told, correlation_id=[about], concerned={self.proposals[about]}, **to)
        elif act == "request":
            id = self.say(sender, "mcp/request", {"method": "do", "params": {"text": text}}, **to)
            if id:
                self.requests[id] = {self.key(sender)}
        elif act == "fulfil" and self.proposals:
            about = draw.choice(list(self.proposals))
            one = self.driver.space.state.proposals.get(about)
            told = {"method": "do", "params": json.loads(one.params or b"null") if one is not None else {"text": text}}
            self.again(sender, told, about, list(one.to) if one is not None else [])
        elif act == "respond" and self.requests:
            about = draw.choice(list(self.requests))
            asked = {"correlation_id": [about], "concerned": self.requests[about]}
            self.say(sender, "mcp/response", {"result": {"text": text}}, **asked, **to)
        elif act == "grant":
            recipient = draw.choice(self.names)
            given = {"recipient": recipient, "capabilities": [{"kind": "acme/x"}], "reason": text}
            self.say(sender, "capability/grant", given, concerned={self.key(recipient)}, **to)
        elif act == "stream":
            towards = {"target": draw.sample(self.names, 1)} if draw.random() < 0.5 else {}
            self.say(sender, "stream/request", {"direction": "upload", "description": text, **towards}, **to)
        elif act.startswith("stream/") and self.driver.space.state.streams:
            about = draw.choice(list(self.driver.space.state.streams.values()))
            name = draw.choice(self.names)
            told = {"stream_id": about.id, "participant_id": name, "new_owner": name, "reason": text}
            self.say(about.owner, act, told, **to)
        elif act == "wrong":
            self.say(sender, "chat", {"text": text}, **{"from": "boss"}, **to)
        else:
            self.say(sender, "chat" if act == "chat" else "acme/x", {"text": text}, **to)

    def again(self, sender: str, payload: dict[str, Any], about: str, to: list[str]) -> None:
        """A fulfilment repeats what was proposed: whoever may read the one may read the other."""
        text = SECRET.findall(json.dumps(payload).encode())
        before = {found: set(self.readers[found]) for found in text if found in self.readers}
        fields: dict[str, Any] = {"to": to} if to else {}
        concerned = {self.proposals[about]}
        for found in before:  # it is said once more, to those who get the request
            addressed = self.driver.space.state.settings.routing == "addressed" and to
            everybody = {self.key(name) for name in self.driver.space.members.names}
            more = {self.key(sender), *map(self.key, to)} if addressed else everybody
            self.readers[found] |= more
        if id := self.say(sender, "mcp/request", payload, correlation_id=[about], concerned=concerned, **fields):
            self.requests[id] = {self.key(sender), *concerned}
        elif before:
            for found, readers in before.items():
                self.readers[found] = readers | {self.key(sender)}

    def renew(self) -> None:
        """The guest is kicked, and invited again as somebody else."""
        self.driver.at(self.driver.now - START + 5)
        if "guest" in self.names:
            gone = f"guest@{self.lives}"
            self.say("boss", "space/kick", {"participant_id": "guest", "reason": self.secret()}, concerned={gone})
        self.driver.at(self.driver.now - START + 5)
        self.lives += 1
        invitation = {"participant_id": "guest", "initial_capabilities": [{"kind": "*"}]}
        self.heard(self.driver.say("boss", "space/invite", f"invite{self.lives}", invitation))
        self.heard(self.driver.issue("guest"))
        self.driver.at(self.driver.now - START + 5)
        self.come("guest")

    async def look(self) -> None:
        """Everything that each participant can ask for."""
        for name in self.driver.space.members.names:
            reader, view = self.key(name), View(self.driver.space.state, name)
            listing = Listing(self.driver.space, name, now=self.driver.now, limit=1_000, turn=_turn)
            told = [
                await listing.participants(),
                await listing.sequences(only_open=False),
                await listing.interrupts(),
                await listing.proposals(only_open=False),
                await listing.grants(),
            ]
            for lists in told:
                for row in chain(*lists.values()):
                    self.check(reader, msgspec.json.encode(row))
            for event in timeline(self.records, view):
                self.check(reader, msgspec.json.encode(event))
            for record in self.records:
                for seen in view.of(record):
                    self.check(reader, seen.data)
            self.come(name)

    def probe(self) -> None:
        """Everything that is refused says why."""
        for name in self.names:
            for id in self.sequences:
                self.say(name, "reasoning/thought", {}, context=id)
                self.say(name, "acme/x", {}, context=id)
            for id in self.proposals:
                self.say(name, "mcp/request", {"method": "other"}, correlation_id=[id])
                self.say(name, "mcp/reject", {}, correlation_id=[id])
            for id in self.interrupts:
                self.say(name, "reasoning/interrupt-ack", {"status": "ignored"}, correlation_id=[id])


async def _turn() -> None: ...


START = 1_800_000_000_000
ACTS = (
    *("guest", "start", "start", "thought", "conclusion", "cancel", "interrupt", "ack", "ack", "propose", "propose"),
    *("reject", "withdraw", "request", "fulfil", "respond", "grant", "stream", "stream/grant-write", "chat", "other"),
    *("stream/revoke-write", "stream/transfer-ownership", "stream/close", "wrong"),
)


@pytest.mark.parametrize("routing", ["addressed", "visible"])
@pytest.mark.parametrize("seed", range(5))
def test_participants_read_only_what_is_for_them(seed: int, routing: str) -> None:
    world = World(seed, routing)
    for _ in range(STEPS):
        world.step()
    world.probe()
    world.renew()
    asyncio.run(world.look())
    world.probe()
    world.driver.reconfigure(_settings("visible" if routing == "addressed" else "addressed"))
    asyncio.run(world.look())
    assert len(world.readers) > STEPS / 2
