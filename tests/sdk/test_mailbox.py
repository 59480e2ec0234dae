"""A mailbox: what is put is read in order, up to its limit."""

from __future__ import annotations

import asyncio

import pytest

from mew_gateway.sdk import Disconnected, TooSlow
from mew_gateway.sdk._transport.mailbox import Mailbox


async def test_what_is_put_is_read_in_order_and_waited_for() -> None:
    box: Mailbox[int] = Mailbox(limit=3)
    reading = asyncio.create_task(_all(box))
    for n in range(5):
        box.put(n)
        await asyncio.sleep(0)
    box.end()
    assert await reading == [0, 1, 2, 3, 4]


async def test_the_limit_counts_sizes_and_what_is_read_makes_room() -> None:
    box: Mailbox[str] = Mailbox(limit=4, size=len)
    box.put("abc")
    assert await anext(box) == "abc"
    box.put("abcd")
    box.put("e")
    box.put("")  # too late: something is missing before it
    assert await anext(box) == "abcd"
    with pytest.raises(TooSlow):
        await anext(box)


async def test_an_end_comes_behind_what_was_put_and_stays() -> None:
    box: Mailbox[int] = Mailbox(limit=3)
    box.put(1)
    box.end(Disconnected("gone"))
    box.end()
    assert await anext(box) == 1
    for _ in range(2):
        with pytest.raises(Disconnected, match="gone"):
            await anext(box)


async def _all(box: Mailbox[int]) -> list[int]:
    return [item async for item in box]
