"""The golden examples: what a real space, the schemas and (in tests/node) `ajv` say of each must be the same."""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from mew_gateway import schemas
from mew_gateway.errors import Rejected
from mew_gateway.gateway.websocket import join_frame as joining
from mew_gateway.protocol.codec import Sealer, receive, reread
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.protocol.gateway_payloads import GATEWAY_PAYLOADS
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS
from mew_gateway.space.effects import Deliver, Effect, Issue
from mew_gateway.space.events import Configured, Connected, Disconnected, Event, Issued, Received
from mew_gateway.space.machine import VERSION, Space
from mew_gateway.space.settings import Participant, SpaceSettings

FOLDER = Path(__file__).resolve().parents[1] / "golden"
FILES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
EXAMPLES = {example["kind"]: example for name, example in FILES.items() if name != "join"}
SAID = [*KINDS, HEARTBEAT]
TOLD = [kind for kind in GATEWAY_PAYLOADS if kind != HEARTBEAT]

NOW = 1_800_000_000_000
ANYTHING = ({"kind": "*"}, {"kind": "reasoning/interrupt"})
SETTINGS = SpaceSettings(
    id="harbour",
    participants={name: Participant(name, ANYTHING) for name in ("ana", "bot", "calc", "dora")},
    invited_capabilities=({"kind": "chat"},),
)

DOCUMENTS = schemas.generate()
VALIDATORS = {
    kind: jsonschema.Draft202012Validator(DOCUMENTS[schemas.shapes.file_of(kind)]) for kind in schemas.shapes.EVERY_KIND
}


class Scene:
    """A space in which everybody may say anything, and all that it has sent."""

    def __init__(self) -> None:
        opening = Configured(SETTINGS, VERSION, "7f3a")
        self.space = Space.configured(opening)
        self.sent: list[dict[str, Any]] = []
        self.handle(opening)
        self.connections = {name: number for number, name in enumerate(SETTINGS.participants, start=1)}
        for name, number in self.connections.items():
            self.handle(Connected(number, name))

    def handle(self, event: Event) -> list[Effect]:
        effects = self.space.handle(event, NOW)
        self.sent += [json.loads(effect.data) for effect in effects if isinstance(effect, Deliver)]
        for effect in effects:
            if isinstance(effect, Issue):
                digest = hashlib.sha256(effect.invite.encode()).digest()
                self.handle(Issued(effect.participant, effect.invite, effect.inviter, digest))
        return effects

    def say(self, document: dict[str, Any]) -> str | None:
        """Somebody sends an envelope: the code of its refusal, None if it was accepted."""
        frame, name = json.dumps(document).encode(), document["from"]
        try:
            envelope, data = receive(frame, Sealer(sender=name, new_id=lambda: "sealed"), now=NOW)
        except Rejected as rejected:
            return rejected.code
        effects = self.handle(Received(name, self.connections[name], zlib.crc32(frame), data, envelope))
        refusals = [json.loads(one.data) for one in effects if isinstance(one, Deliver) and one.refusal]
        return refusals[0]["payload"]["error"] if refusals else None

    def leave(self, name: str) -> None:
        self.handle(Disconnected(self.connections.pop(name)))


def play(kind: str, document: dict[str, Any]) -> tuple[Scene, str | None]:
    """The example after what must go before it; with its verdict."""
    scene = Scene()
    for earlier in EXAMPLES[kind].get("before", ()):
        assert scene.say(earlier) is None
    return scene, scene.say(document)


def valid(kinds: list[str]) -> list[Any]:
    return [pytest.param(kind, one, id=f"{kind} {one['id']}") for kind in kinds for one in EXAMPLES[kind]["valid"]]


def invalid(kinds: list[str]) -> list[Any]:
    return [pytest.param(kind, one, id=f"{kind}: {one['why']}") for kind in kinds for one in EXAMPLES[kind]["invalid"]]


def test_each_kind_has_examples_of_both_sorts() -> None:
    assert set(EXAMPLES) == set(schemas.shapes.EVERY_KIND)
    for kind, example in EXAMPLES.items():
        assert example["valid"] and example["invalid"], kind
        assert all(one["kind"] == kind for one in example["valid"])
        assert all(one["code"] in ERRORS for one in example["invalid"])


@pytest.mark.parametrize(("kind", "document"), valid(SAID))
def test_a_valid_example_is_accepted_by_a_space_and_by_the_schema(kind: str, document: dict[str, Any]) -> None:
    VALIDATORS[kind].validate(document)
    _, refusal = play(kind, document)
    assert refusal is None


@pytest.mark.requirement("mew/3:response-names-request", "mew/3:withdraw-names-proposal", "mew/3:reject-names-proposal")
@pytest.mark.parametrize(("kind", "example"), invalid(SAID))
def test_an_invalid_example_is_refused_by_a_space_and_by_the_schema(kind: str, example: dict[str, Any]) -> None:
    assert not VALIDATORS[kind].is_valid(example["envelope"])
    _, refusal = play(kind, example["envelope"])
    assert refusal == example["code"]


@pytest.mark.parametrize(("kind", "document"), valid(TOLD))
def test_the_gateways_own_are_what_their_types_and_schemas_say(kind: str, document: dict[str, Any]) -> None:
    VALIDATORS[kind].validate(document)
    envelope = reread(json.dumps(document).encode())
    msgspec.convert(envelope.payload, GATEWAY_PAYLOADS[kind])
    assert envelope.sender == GATEWAY
    if kind == "system/error":
        assert (envelope.payload or {})["error"] in ERRORS


@pytest.mark.requirement("mew/4.1:reserved-namespace")
@pytest.mark.parametrize(("kind", "example"), invalid(TOLD))
def test_what_is_not_the_gateways_own_is_refused_by_its_schema(kind: str, example: dict[str, Any]) -> None:
    assert not VALIDATORS[kind].is_valid(example["envelope"])
    _, refusal = play(kind, {**example["envelope"], "from": "bot"})  # nor can anybody else say it
    assert refusal == example["code"] == "reserved_kind"


@pytest.fixture(scope="module")
def sent() -> list[dict[str, Any]]:
    """All that spaces send when the examples are played, refused ones too, and everybody leaves in the end."""
    played = [play(kind, document)[0] for kind in SAID for document in EXAMPLES[kind]["valid"]]
    played += [play(kind, one["envelope"])[0] for kind in SAID for one in EXAMPLES[kind]["invalid"]]
    readmission, _ = play("space/kick", EXAMPLES["space/kick"]["valid"][0])
    readmission.say({**EXAMPLES["space/invite"]["valid"][1], "payload": {"participant_id": "bot"}})
    for scene in [*played, readmission]:
        for name, connection in list(scene.connections.items()):
            if connection in scene.space.state.connections:
                scene.leave(name)
    return [envelope for scene in [*played, readmission] for envelope in scene.sent]


@pytest.mark.requirement("mew/3.7:presence")
def test_whatever_a_space_sends_is_what_the_schemas_say(sent: list[dict[str, Any]]) -> None:
    for envelope in sent:
        VALIDATORS[envelope["kind"]].validate(envelope)
    assert {envelope["kind"] for envelope in sent} == {*KINDS, *TOLD}
    presence = {envelope["payload"]["event"] for envelope in sent if envelope["kind"] == "system/presence"}
    assert presence == {"join", "leave", "update", "invited"}
    statuses = {envelope["payload"]["status"] for envelope in sent if envelope["kind"] == "space/invite-ack"}
    assert statuses == {"created", "readmitted"}


@pytest.mark.parametrize("kind", [kind for kind in TOLD if kind != "system/error"])  # each code has details of its own
def test_a_type_names_every_field_that_a_space_sends(kind: str, sent: list[dict[str, Any]]) -> None:
    payloads = [envelope["payload"] for envelope in sent if envelope["kind"] == kind]
    assert payloads
    for payload in payloads:
        typed = msgspec.to_builtins(msgspec.convert(payload, GATEWAY_PAYLOADS[kind]))
        assert set(payload) == set(typed)
        if kind == "system/welcome":  # what stands in its lists, too; a stream's entry has what it was asked for with
            assert {**payload, "active_streams": []} == {**typed, "active_streams": []}


@pytest.mark.parametrize("frame", FILES["join"]["valid"], ids=str)
def test_a_valid_join_frame_is_read_and_matches(frame: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(DOCUMENTS["join.schema.json"]).validate(frame)
    assert joining.read(json.dumps(frame).encode()).token == "q1w2e3"


@pytest.mark.parametrize("example", FILES["join"]["invalid"], ids=lambda example: example["why"])
def test_an_invalid_join_frame_is_refused_by_both(example: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(DOCUMENTS["join.schema.json"]).is_valid(example["frame"])
    with pytest.raises(Rejected):
        joining.read(json.dumps(example["frame"]).encode())
