"""The echo: acknowledges, then says it back."""

from __future__ import annotations

import asyncio

import pytest

from mew_agents.echo import Echo
from mew_agents.phrasebook import Spoken
from mew_gateway.sdk import Chat


@pytest.mark.requirement("mew/3.4.1:acknowledge-correlates")
@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("en", "hello", "You said: hello"),
        ("es", "hola", "Has dicho: hola"),
        ("pt", "olá", "Você disse: olá"),
        ("en", "", "You said nothing."),
    ],
)
async def test_it_acknowledges_and_answers(site, attend, language, said, answer):
    human = await site.join("human")
    async with attend(Echo(Spoken(language=language)), site, human):
        await human.send("chat", {"text": said}, id="c1", to=["agent"])
        ack = await human.until("chat/acknowledge", status="received")
        echoed = await human.until("chat")
        assert ack["correlation_id"] == echoed["correlation_id"] == ["c1"]
        assert (echoed["payload"]["text"], echoed["to"]) == (answer, ["human"])


async def test_a_chat_too_many_is_told_so(site, attend):
    """What every agent does that has no room: an acknowledgement, which no other agent answers in turn."""
    go_on = asyncio.Event()

    class Slow(Echo):
        at_once = 1
        waiting = 0

        async def on_chat(self, chat: Chat) -> None:
            await go_on.wait()
            await super().on_chat(chat)

    human = await site.join("human")
    async with attend(Slow(), site, human):
        for id in ("c1", "c2"):
            await human.send("chat", {"text": id}, id=id, to=["agent"])
        busy = await human.until("chat/acknowledge")
        assert (busy["correlation_id"], busy["payload"]["status"]) == (["c2"], "busy")
        go_on.set()
        await human.until("chat", text="You said: c1")
