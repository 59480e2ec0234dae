"""A server that speaks as OpenAI-compatible ones do, over real sockets, and answers as a test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server does with a request: answers, or (`hangs`) never does, or (`drops`) closes the connection."""

    body: bytes = b""
    status: int = 200
    hangs: bool = False
    drops: bool = False


def says(content: Any) -> Reply:
    """A completion whose content is the text, or the JSON of anything else."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return Reply(json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]}).encode())


@dataclass(slots=True)
class FakeModel:
    """`requests` are the bodies it was sent; the replies are given in turn, the last one for ever."""

    replies: Sequence[Reply]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection; it is closed after each answer."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")
            )
            reply = self.replies[min(len(self.requests), len(self.replies) - 1)]
            self.heads.append(head)
            self.requests.append(json.loads(await reader.readexactly(length)))
            if reply.hangs:
                await reader.read()  # until the other side gives up
            elif not reply.drops:
                lines = (
                    f"HTTP/1.1 {reply.status} X\r\nContent-Type: application/json\r\nContent-Length: {len(reply.body)}"
                )
                writer.write(f"{lines}\r\nConnection: close\r\n\r\n".encode() + reply.body)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def fake_model(*replies: Reply) -> AsyncIterator[FakeModel]:
    """The server, on a free port of this machine."""
    fake = FakeModel(replies)
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        yield fake
