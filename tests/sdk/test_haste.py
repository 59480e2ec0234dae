"""A client against the rate limit of a real gateway: it keeps a pace, and loses nothing when that is too fast."""

from __future__ import annotations

from typing import Any

from mew_gateway.sdk import Client

TIGHT = """
gateway:
  listen: 127.0.0.1:0
  journal: {url: "memory:"}
  limits: {envelopes_per_second: 10, envelopes_burst: 20}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}]}
      agent: {capabilities: [{kind: chat}]}
"""


def client(site: Any, **options: Any) -> Client:
    return Client(site.url.replace("http", "ws"), space="demo", token=site.token("agent"), **options)


async def test_what_is_refused_for_now_is_sent_again(start_gateway: Any) -> None:
    async with start_gateway(TIGHT) as site:
        human = await site.join("human")
        async with client(site) as agent:
            sent = [await agent.send("chat", {"text": str(number)}) for number in range(25)]
            heard = [(await human.until("chat"))["id"] for _ in range(20)]
            site.clock.advance(5_000)
            heard += [(await human.until("chat"))["id"] for _ in range(5)]
        assert sorted(heard) == sorted(sent)
        assert heard[:20] == sent[:20]


async def test_it_waits_before_the_gateway_has_to_refuse(site: Any) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    human = await site.join("human")
    async with client(site, sleep=sleep, clock=lambda: 0) as agent:
        for number in range(352):
            await agent.send("chat", {"text": str(number)})
        await human.until("chat", text="351")
    assert len(waits) == 2
    assert 0 < waits[0] < waits[1] < 0.02
