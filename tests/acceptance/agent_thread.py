"""An agent in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from mew_gateway.sdk import Agent, Envelope
from mew_gateway.sdk._transport.io_thread.loop_thread import call_in
from mew_gateway.sdk.environment import Environment

from .scripted import TIMEOUT

T = TypeVar("T")


class AgentThread:
    """Runs an agent's event loop in a thread, so that the loop can be blocked without blocking the test."""

    def __init__(self, agent: Agent, where: Environment, *, me: str) -> None:
        self.agent = agent
        self.me = me
        self._where = where
        self._thread = threading.Thread(target=self._live, name="agent", daemon=True)
        self._begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._home = asyncio.get_running_loop()
        self._failure: BaseException | None = None

    async def begin(self) -> None:
        self._thread.start()
        await self._begun

    async def end(self) -> None:
        """Cancel the agent, as a SIGTERM would: open runs are concluded. Wait for the thread."""
        self.loop.call_soon_threadsafe(self._task.cancel)
        await asyncio.to_thread(self._thread.join, TIMEOUT)
        assert not self._thread.is_alive(), "It does not end."
        if self._failure is not None:
            raise self._failure

    def do(self, call: Callable[[], object]) -> None:
        """Call a function in the agent's loop."""
        self.loop.call_soon_threadsafe(call)

    async def ask(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run a coroutine in the agent's loop and return its result."""

        async def asked() -> T:
            return await work()

        async with asyncio.timeout(TIMEOUT):
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked(), self.loop))

    async def says_and_hears(self, words: Sequence[str]) -> None:
        """Make the agent broadcast chats, one after the other, and receive each itself."""
        await self.ask(partial(self._say_and_hear, words))

    async def _say_and_hear(self, words: Sequence[str]) -> None:
        heard = self.agent.participant.listen()
        for text in words:
            id = await self.agent.client.send("chat", {"text": text})
            async for item in heard:
                if isinstance(item, Envelope) and item.id == id:
                    break

    def _live(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failure = error

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self.agent.serve(self._where))
        call_in(self._home, partial(self._begun.set_result, None))
        await asyncio.gather(self._task, return_exceptions=True)
        if not self._task.cancelled():
            self._failure = self._task.exception()
