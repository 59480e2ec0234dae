"""Guests who talk to an agent, are removed, and have a successor of the same name."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import websockets

from .agents import AgentSpace, Person
from .gateway import Peer
from .hostile import Unmirrored

# When the guest is removed: while the agent is here, and stays; before it is started anew; while it is away.
MOMENTS = ("here", "restarted", "away")


@dataclass(slots=True)
class Guests:
    """Who invites and removes guests. They may say something, and nothing else."""

    space: AgentSpace
    admin: Peer
    agent: str

    @classmethod
    async def of(cls, space: AgentSpace, agent: str = "fluxi") -> Guests:
        return cls(space, await space.join("admin"), agent)

    async def invited(self, name: str) -> Person:
        """A guest, who has joined."""
        capabilities = [{"kind": "chat"}]
        await self.admin.send("space/invite", {"participant_id": name, "initial_capabilities": capabilities})
        ack = await self.admin.until("space/invite-ack", participant_id=name)
        site = self.space.site
        url = f"{site.url.replace('http', 'ws')}/ws?space={site.space}"
        headers = {"Authorization": f"Bearer {ack['payload']['token']}"}
        socket = await self.space.enter(websockets.connect(url, additional_headers=headers, max_queue=None))
        peer = Unmirrored(socket, name)
        await peer.until("system/welcome")
        return Person(peer, self.agent)

    async def removed(self, name: str) -> None:
        await self.admin.send("space/kick", {"participant_id": name})
        await self.admin.until("system/presence", event="removed")


@dataclass(slots=True)
class Succession:
    """The agent, the guest who is here now, and what it was told to its first words."""

    agent: Any
    new: Person
    reply: dict[str, Any]


async def _nothing() -> None:
    pass


@contextlib.asynccontextmanager
async def succession(
    space: AgentSpace,
    serve: Callable[[], AbstractAsyncContextManager[Any]],
    moment: str,
    *,
    before: Callable[[Person], Awaitable[object]],
    words: str,
    between: Callable[[], Awaitable[None]] = _nothing,
) -> AsyncIterator[Succession]:
    """A guest does something, is removed at that moment, and another one of the same name says some words.

    `between`: what happens when the other one is here, and has said nothing.
    """
    guests = await Guests.of(space)
    async with contextlib.AsyncExitStack() as ending:
        life = await ending.enter_async_context(contextlib.AsyncExitStack())
        agent = await life.enter_async_context(serve())
        await before(await guests.invited("ana"))
        if moment != "away":
            await guests.removed("ana")
        if moment != "here":
            await life.aclose()
        if moment == "away":
            await guests.removed("ana")
        new = await guests.invited("ana")
        await between()
        id = await new.say(words) if moment == "away" else None
        if moment != "here":
            agent = await ending.enter_async_context(serve())
        id = id or await new.say(words)
        while (reply := await new.reply()).get("correlation_id") != [id]:
            pass
        yield Succession(agent, new, reply)
