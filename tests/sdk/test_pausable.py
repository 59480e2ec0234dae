"""A coroutine that is held at its awaits: it sees nothing of that, but that its awaits take longer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import anyio
import pytest

from mew_gateway.sdk._tasks.pausable import Pausable, pause_point, without_pauses


class Gate:
    """Lets through while it is open."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.open.set()
        self.held = 0

    def hold(self) -> Awaitable[None] | None:
        return None if self.open.is_set() else self._wait()

    async def _wait(self) -> None:
        self.held += 1
        await self.open.wait()


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_it_gives_what_the_coroutine_gives_and_raises_what_it_raises() -> None:
    async def gives() -> str:
        await asyncio.sleep(0)
        return "value"

    async def raises() -> None:
        await asyncio.sleep(0)
        raise ValueError("why")

    assert await Pausable(gives(), hold=Gate().hold) == "value"
    with pytest.raises(ValueError, match="why"):
        await Pausable(raises(), hold=Gate().hold)


async def test_it_goes_no_further_while_it_is_held_and_then_from_there() -> None:
    gate, step, seen = Gate(), asyncio.Event(), list[str]()

    async def body() -> None:
        await step.wait()
        seen.append("one")
        await asyncio.sleep(0)
        seen.append("two")

    async def run() -> None:
        await Pausable(body(), hold=gate.hold)

    running = asyncio.create_task(run())
    await turns()
    gate.open.clear()
    step.set()
    await turns()
    assert (seen, gate.held) == ([], 1)
    gate.open.set()
    await running
    assert seen == ["one", "two"]


async def test_a_value_that_came_meanwhile_is_not_lost() -> None:
    gate, future = Gate(), asyncio.get_running_loop().create_future()

    async def body() -> int:
        return int(await future)

    async def run() -> int:
        return await Pausable(body(), hold=gate.hold)

    running = asyncio.create_task(run())
    await turns()
    gate.open.clear()
    future.set_result(42)
    await turns()
    assert not running.done()
    gate.open.set()
    assert await running == 42


async def test_a_cancellation_reaches_the_body_at_its_await_held_or_not() -> None:
    for held in (False, True):
        gate, seen = Gate(), list[str]()

        async def body(seen: list[str] = seen) -> None:
            try:
                await asyncio.sleep(0)
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        async def run(gate: Gate = gate) -> None:
            await Pausable(body(), hold=gate.hold)

        running = asyncio.create_task(run())
        if held:
            gate.open.clear()
        await turns()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert seen == ["cancelled"]
        assert running.cancelled()


async def test_scopes_and_time_outs_of_the_body_work_within() -> None:
    async def body() -> str:
        with anyio.move_on_after(0):
            await asyncio.Event().wait()
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(asyncio.sleep(0, "from a task"))
        return task.result()

    assert await Pausable(body(), hold=Gate().hold) == "from a task"


async def test_what_is_in_one_piece_is_held_behind_it_and_not_within() -> None:
    gate, done = Gate(), []

    async def body() -> None:
        with without_pauses():
            await asyncio.sleep(0)
            done.append("within")
            await asyncio.sleep(0)
        done.append("behind")
        await asyncio.sleep(0)
        done.append("further")

    gate.open.clear()

    async def held() -> None:
        await Pausable(body(), hold=gate.hold)

    task = asyncio.create_task(held())
    await turns()
    assert (done, gate.held) == (["within", "behind"], 1)
    gate.open.set()
    await task
    assert done == ["within", "behind", "further"]


async def test_a_body_that_does_nothing_but_what_is_in_one_piece_is_held_between() -> None:
    gate, sent = Gate(), []

    async def send(number: int) -> None:
        with without_pauses():
            await asyncio.sleep(0)
            sent.append(number)
        await pause_point()

    async def body() -> None:
        for number in range(100):
            await send(number)

    async def held() -> None:
        await Pausable(body(), hold=gate.hold)

    task = asyncio.create_task(held())
    await turns(5)
    gate.open.clear()
    await turns()
    at = len(sent)
    assert at < 10
    await turns()
    assert (len(sent), gate.held) == (at, 1)
    gate.open.set()
    await task
    assert sent == [*range(100)]
    await send(100)  # nobody holds it any more
