"""Correct agents written with the SDK whose behaviour is hard to judge, and one that fails."""

from __future__ import annotations

from mew_gateway.sdk import Agent, Span, capability

EVERY = 0.05  # seconds


class Unstoppable(Agent):
    """Thinks in a non-interruptible span, which is the default."""

    @capability()
    async def ponder(self, run: Span, question: str) -> str:
        """Think for two seconds."""
        for n in range(40):
            await run.thought(f"{question}: {n}")
            await run.sleep(EVERY)
        return question


class Clerk(Agent):
    """Pays first, in a non-interruptible span, then thinks until it is stopped."""

    @capability(policy="soft-stop", chat=True)
    async def order(self, run: Span, what: str) -> str:
        """Begin with the payment, so that an early interrupt meets it."""
        await run.thought("paying")
        await self.pay()
        for n in range(2_000):
            await run.thought(f"{what}: {n}")
            await run.sleep(EVERY)
        return what

    @capability(side_effect="irreversible", limit=5, kind="act")
    async def pay(self, run: Span) -> None:
        """Take 0.8 s."""
        await run.sleep(0.8)


class Broken(Agent):
    """Fails at every request."""

    @capability(policy="soft-stop")
    async def answer(self, run: Span, question: str) -> str:
        """Raise an error."""
        raise ValueError(f"I cannot think about {question}")
