"""What a gateway answers over HTTP, asked without a thread and without a library: one request, one connection."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from bench.failure import PATIENCE, BenchFailure

_PAGE = 1000


class Told(NamedTuple):
    """An envelope of somebody's record, byte for byte."""

    id: str
    kind: str
    data: bytes


class Placed(NamedTuple):
    """An envelope of a space's record, the position of its entry, and when that was, in ms since the epoch."""

    position: int
    at: int
    envelope: dict[str, Any]


class _Head(msgspec.Struct):
    id: str
    kind: str


class _Messages(msgspec.Struct):
    messages: list[msgspec.Raw]
    next: str | None


_head = msgspec.json.Decoder(_Head)
_messages = msgspec.json.Decoder(_Messages)


class Inquiry(NamedTuple):
    """Questions to a gateway, of one participant of a space where they need one. They raise `BenchFailure`."""

    url: str
    space: str = ""
    participant: str = ""
    token: str = ""

    async def is_ready(self) -> bool:
        """Whether it takes connections."""
        try:
            return (await self._ask("/ready"))[0] == 200
        except OSError:
            return False

    async def metrics(self) -> str:
        """Its counters, as Prometheus reads them."""
        return (await self._answer("/metrics")).decode()

    async def messages(self, since: str) -> list[Told]:
        """All that the participant could see behind an envelope, or a place, in order."""
        found: list[Told] = []
        place: str | None = since
        while place is not None:
            path = f"/participants/{self.participant}/messages?space={self.space}&limit={_PAGE}"
            page = _messages.decode(await self._answer(f"{path}&since={quote(place)}"))
            for raw in page.messages:
                data = bytes(raw)
                head = _head.decode(data)
                found.append(Told(head.id, head.kind, data))
            place = page.next
        return found

    async def history(self) -> list[Placed]:
        """The whole record of the space, as the participant may see it."""
        found: list[Placed] = []
        after: int | None = 0
        while after is not None:
            path = f"/spaces/{self.space}/history?limit={_PAGE}&after={after}"
            page = msgspec.json.decode(await self._answer(path))
            found += [Placed(one["position"], moment(one["at"]), one["envelope"]) for one in page["envelopes"]]
            after = page["next"]
        return found

    async def interrupts(self) -> list[dict[str, Any]]:
        """The newest interrupts, as the gateway lists them."""
        answer = await self._answer(f"/spaces/{self.space}/interrupts?limit={_PAGE}")
        rows: list[dict[str, Any]] = msgspec.json.decode(answer)["interrupts"]
        return rows

    async def _answer(self, path: str) -> bytes:
        try:
            status, body = await self._ask(path)
        except (OSError, TimeoutError) as error:
            raise BenchFailure(f"GET {path} was not answered: {error}") from None
        if status != 200:
            raise BenchFailure(f"GET {path} was answered {status}: {body[:500].decode(errors='replace')}")
        return body

    async def _ask(self, path: str) -> tuple[int, bytes]:
        """The status and the body. Raises `OSError` and `TimeoutError`."""
        where = urlsplit(self.url)
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(where.hostname, where.port)
            try:
                bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
                # HTTP/1.0: the body ends where the connection does
                writer.write(f"GET {path} HTTP/1.0\r\nHost: {where.netloc}\r\n{bearer}\r\n".encode())
                head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            finally:
                writer.close()
        if not head:
            raise ConnectionResetError("nothing came")
        return int(head.split(b" ", 2)[1]), body


def moment(text: str) -> int:
    """The milliseconds since the epoch of a time as the gateway writes it."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)
