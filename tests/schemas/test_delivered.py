"""What a space delivers, the gateway's own envelopes above all, is what the schemas of the kinds say."""

from __future__ import annotations

import jsonschema
import msgspec
import pytest

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.schemas import shapes
from mew_gateway.sdk import Refused
from mew_gateway.sdk.testing import Space
from mew_gateway.space.settings import Interrupts, Step

LADDER = (Step("notify"), Step("pause"), Step("revoke"), Step("kick", 5_000))


def faults(envelope: Envelope) -> list[str]:
    """What its kind's schema has against it."""
    validator = jsonschema.Draft202012Validator(shapes.kind(envelope.kind))
    return [
        f"{envelope.kind}: {fault.json_path}: {fault.message}"
        for fault in validator.iter_errors(msgspec.to_builtins(envelope))
    ]


async def interrupted(space: Space) -> None:
    """The whole ladder, with a grant to take and, for another target, none."""
    human = await space.join("human")
    for name in ("agent", "other"):
        target = await space.join(name)
        run = await target.send("reasoning/start", {"message": "thinking"})
        if name == "agent":
            await human.send("capability/grant", {"recipient": name, "capabilities": [{"kind": "chat"}]}, to=name)
        await human.send("reasoning/interrupt", {"reason": "user_request"}, to=name, correlation_id=run)
    await space.advance(60)


async def streamed(space: Space) -> None:
    """A stream from its opening to the loss of its owner."""
    human, agent = await space.join("human"), await space.join("agent")
    async with agent.open_stream(description="prices") as stream:
        await stream.grant_write("human")
        await stream.revoke_write("human")
        await stream.transfer("human")
        with pytest.raises(Refused):
            await stream.grant_write("agent")
        await human.client.aclose()
        await space.settle()


async def admitted(space: Space) -> None:
    """An invitation, a pause that ends by itself, a proposal that expires, a kick."""
    human = await space.join("human")
    await human.send("space/invite", {"participant_id": "guest"})
    await human.send("participant/pause", {"timeout_seconds": 5}, to="agent")
    await human.send("mcp/proposal", {"method": "ping"}, to="agent")
    await space.advance(100_000)
    await human.send("space/kick", {"participant_id": "agent"})


@pytest.mark.parametrize(
    ("play", "kind"),
    [
        (interrupted, "capability/revoke"),
        (interrupted, "space/kick"),
        (streamed, "stream/close"),
        (admitted, "participant/resume"),
        (admitted, "space/invite-ack"),
    ],
)
async def test_whatever_is_delivered_is_as_the_schema_of_its_kind_says(play, kind):
    people = {name: [{"kind": "*"}, {"kind": "reasoning/interrupt"}] for name in ("human", "agent", "other")}
    async with Space(people, interrupts=Interrupts(escalation=LADDER)) as space:
        await play(space)
        assert kind in [one.kind for one in space.envelopes if one.sender == "system:gateway"]
        assert [fault for one in space.envelopes for fault in faults(one)] == []
