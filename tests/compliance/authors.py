"""Agents as their authors write them with the SDK: what they do is right, and not easy to judge."""

from __future__ import annotations

from mew_gateway.sdk import Agent, Span, capability

EVERY = 0.05  # seconds


class Unstoppable(Agent):
    """Thinks, as nobody may interrupt by default."""

    @capability()
    async def ponder(self, run: Span, question: str) -> str:
        """Goes on for two seconds, whatever comes."""
        for n in range(40):
            await run.thought(f"{question}: {n}")
            await run.sleep(EVERY)
        return question


class Clerk(Agent):
    """Thinks as long as nobody stops it, and pays before: nobody may interrupt that."""

    @capability(policy="soft-stop", chat=True)
    async def order(self, run: Span, what: str) -> str:
        """Begins with the payment: whoever interrupts soon meets it."""
        await run.thought("paying")
        await self.pay()
        for n in range(2_000):
            await run.thought(f"{what}: {n}")
            await run.sleep(EVERY)
        return what

    @capability(side_effect="irreversible", limit=5, kind="act")
    async def pay(self, run: Span) -> None:
        """Takes its time."""
        await run.sleep(0.8)


class Broken(Agent):
    """Fails at whatever it is asked."""

    @capability(policy="soft-stop")
    async def answer(self, run: Span, question: str) -> str:
        """Raises."""
        raise ValueError(f"I cannot think about {question}")
