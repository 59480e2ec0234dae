"""What was done outside since the last checkpoint: undone by what the author calls after the conclusion."""

from __future__ import annotations

import asyncio

from mew_gateway.sdk import Agent, Chat, Span, capability, tool
from mew_gateway.sdk.testing import Space

from .conftest import ANYTHING, said


async def test_what_was_done_since_the_checkpoint_is_undone_after_the_conclusion(space: Space) -> None:
    """Behind the answer to an interrupt an agent may not act until it has concluded: what undoes comes after that."""

    class Booker(Agent):
        def __init__(self) -> None:
            super().__init__()
            self.booked: list[str] = []
            self.go_on = asyncio.Event()

        async def on_chat(self, chat: Chat) -> None:
            if await self.book(chat.text.split()) is None:
                await self.unbook()

        @capability(policy="checkpointed", kind="act", side_effect="reversible", chat=False)
        async def book(self, run: Span, places: list[str]) -> list[str]:
            for place in places:
                await run.call("shop", "book", {"place": place})
                self.booked.append(place)
                if place == "Rome":
                    run.state["kept"] = list(self.booked)
                    await run.checkpoint()
            await self.go_on.wait()
            return places

        @capability(side_effect="irreversible", limit=10, kind="act", chat=False)
        async def unbook(self, run: Span) -> None:
            for place in [one for one in self.booked if one != "Rome"]:
                await run.call("shop", "unbook", {"place": place})

    class Shop(Agent):
        def __init__(self) -> None:
            super().__init__()
            self.log: list[str] = []

        @tool
        def book(self, place: str) -> None:
            self.log.append(f"+{place}")

        @tool
        def unbook(self, place: str) -> None:
            self.log.append(f"-{place}")

    async with Space({"human": ANYTHING, "agent": ANYTHING, "shop": ANYTHING}) as wide:
        human, shop = await wide.join("human"), Shop()
        await wide.run(shop, "shop")
        await wide.run(Booker())
        await human.send("chat", {"text": "Rome Paris Oslo"}, to=["agent"])
        await wide.settle()
        told = {"reason": "user_request", "message": "stop"}
        run = said(wide, "reasoning/start")[0].id
        await human.send("reasoning/interrupt", told, to=["agent"], correlation_id=[run])
        await wide.settle()
        assert shop.log == ["+Rome", "+Paris", "+Oslo", "-Paris", "-Oslo"]
        first, second = said(wide, "reasoning/conclusion")
        assert (first.payload["interrupted"], second.payload["outcome"]) == (True, "completed")
        assert first.payload["rolled_back_to"]
        kinds = [one.kind for one in wide.envelopes if one.context == run or one.id == run]
        assert kinds[-1] == "reasoning/conclusion"
