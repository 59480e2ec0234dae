"""The gateway stands still: what arrived meanwhile is in time, and the record says that it stood still."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
import websockets

from bench.mortal import Mortal
from mew_gateway.gateway.broker import stalls
from mew_gateway.gateway.broker.stalls import Stalls
from mew_gateway.journal.base import Draft, Entry, Output
from mew_gateway.space.events import DeadlinePassed, DeliveredLate, Disconnected, Event, Received, Stalled

from ..kit.broker import AtOnce, ManualLoop, RecordingLink, World

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    owner_grace: 1500ms
    interrupts: {ack_deadline: 1500ms, escalation: [notify, kick]}
    participants:
      human: {capabilities: [{kind: chat}, {kind: reasoning/interrupt}]}
      agent: {capabilities: [{kind: "reasoning/*"}]}
      poster: {capabilities: [{kind: "reasoning/*"}]}
"""
STARTED = b'{"kind":"reasoning/start","id":"run"}'
INTERRUPT = b'{"kind":"reasoning/interrupt","id":"stop","to":"a","correlation_id":"run","payload":{"reason":"timeout"}}'
ACK = b'{"kind":"reasoning/interrupt-ack","correlation_id":"stop","payload":{"status":"stopping"}}'


async def test_acks_that_arrive_during_a_stall_are_in_time(tmp_path: Path) -> None:
    gateway = Mortal(tmp_path, SPACES)
    await gateway.start()
    try:
        async with gateway.join("demo", "human") as human, gateway.join("demo", "agent") as agent:
            names = ("agent", "poster")
            for name in names:
                start = {"kind": "reasoning/start", "id": f"run-{name}", "payload": {"message": "hm"}}
                await (agent.send(json.dumps(start)) if name == "agent" else _post(gateway, start))
            for name in names:
                interrupt = {"kind": "reasoning/interrupt", "id": f"stop-{name}", "payload": {"reason": "timeout"}}
                await human.send(json.dumps({**interrupt, "to": [name], "correlation_id": [f"run-{name}"]}))
            while json.loads(await agent.recv()).get("id") != "stop-poster":
                pass
            gateway.signal(signal.SIGSTOP)
            ack = {"kind": "reasoning/interrupt-ack", "payload": {"status": "stopping"}}
            await agent.send(json.dumps({**ack, "correlation_id": ["stop-agent"]}))
            posting = asyncio.create_task(_post(gateway, {**ack, "correlation_id": ["stop-poster"]}))
            await asyncio.sleep(2.5)  # what is tested: a stop that is longer than the deadline
            gateway.signal(signal.SIGCONT)
            assert b" 200 OK" in await posting
            answered: set[str] = set()
            while len(answered) < len(names):
                said = json.loads(await human.recv())
                assert said.get("payload", {}).get("error") != "interrupt_ack_timeout", said
                if said["kind"] == "reasoning/interrupt-ack":
                    answered.add(said["from"])
            rows = await gateway.inquiry("demo", "human").interrupts()
            assert [(row["status"], row["stalled_ms"] >= 1_500) for row in rows] == [("acked", True)] * 2
    finally:
        gateway.signal(signal.SIGCONT)
        await gateway.kill()
    assert "stood still" in gateway.last_words


async def test_an_ack_after_many_connections_is_in_time(tmp_path: Path) -> None:
    gateway = Mortal(tmp_path, SPACES)
    await gateway.start()
    try:
        async with gateway.join("demo", "human") as human:
            await _post(gateway, {"kind": "reasoning/start", "id": "run", "payload": {"message": "hm"}})
            interrupt = {"kind": "reasoning/interrupt", "id": "stop", "payload": {"reason": "timeout"}}
            await human.send(json.dumps({**interrupt, "to": ["poster"], "correlation_id": ["run"]}))
            while json.loads(await human.recv()).get("id") != "stop":
                pass
            gateway.signal(signal.SIGSTOP)
            posted = [
                await _posting(gateway, {"kind": "reasoning/thought", "context": "run", "payload": {"n": n}})
                for n in range(60)
            ]
            ack = {"kind": "reasoning/interrupt-ack", "payload": {"status": "stopping"}}
            posted.append(await _posting(gateway, {**ack, "correlation_id": ["stop"]}))
            await asyncio.sleep(2.5)  # what is tested: a stop that is longer than the deadline
            gateway.signal(signal.SIGCONT)
            assert b" 200 OK" in (await asyncio.gather(*(_answer(*one) for one in posted)))[-1]
            rows = await gateway.inquiry("demo", "human").interrupts()
            assert [(row["status"], row["stalled_ms"] >= 1_500) for row in rows] == [("acked", True)]
    finally:
        gateway.signal(signal.SIGCONT)
        await gateway.kill()


async def test_an_owner_joining_by_frame_is_in_time(tmp_path: Path) -> None:
    """It had connected while the gateway stood still, and can say who it is only after the answer to that."""
    gateway = Mortal(tmp_path, SPACES)
    await gateway.start()
    try:
        async with gateway.join("demo", "human") as human:
            async with gateway.join("demo", "agent") as agent:
                await agent.send(json.dumps({"kind": "reasoning/start", "id": "run", "payload": {"message": "hm"}}))
            await _until(human, "leave")
            gateway.signal(signal.SIGSTOP)
            connecting = asyncio.create_task(_nobody(gateway))
            await asyncio.sleep(2.5)  # what is tested: a stop that is longer than the grace
            gateway.signal(signal.SIGCONT)
            async with await connecting as agent:
                await asyncio.sleep(0.1)  # what is tested: an answer that is some way off
                await agent.send(json.dumps({"type": "join", "token": gateway.token("demo", "agent")}))
                welcome = json.loads(await agent.recv())
                assert [one["id"] for one in welcome["payload"]["sequences"]["open"]] == ["run"]
                await _until(human, "join")
    finally:
        gateway.signal(signal.SIGCONT)
        await gateway.kill()
    assert "stood still" in gateway.last_words


async def _nobody(gateway: Mortal) -> websockets.ClientConnection:
    """A connection that has not said who it is."""
    return await websockets.connect(f"{gateway.url.replace('http', 'ws', 1)}/", open_timeout=30)


async def _until(peer: websockets.ClientConnection, event: str) -> None:
    """Read up to the agent's presence; its sequence must not be lost before."""
    while True:
        payload = json.loads(await peer.recv()).get("payload", {})
        assert payload.get("error") != "sequence_lost", payload
        if payload.get("event") == event and payload["participant"]["id"] == "agent":
            return


async def _post(gateway: Mortal, envelope: Mapping[str, object]) -> bytes:
    """Post it as `poster`, on a connection of its own; the answer's head."""
    return await _answer(*await _posting(gateway, envelope))


async def _posting(
    gateway: Mortal, envelope: Mapping[str, object]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    body = json.dumps(envelope).encode()
    port = int(gateway.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /participants/poster/messages HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
    head += f"Authorization: Bearer {gateway.token('demo', 'poster')}\r\nContent-Type: application/json\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    return reader, writer


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    answer = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return answer


class Stalling(World):
    """A broker whose process may stand still."""

    def __init__(self) -> None:
        self.seconds = 0.0
        super().__init__(monotonic=lambda: self.seconds)

    def stand_still(self, milliseconds: int) -> None:
        self.seconds += milliseconds / 1000
        self.clock.time += milliseconds


def interrupted() -> tuple[Stalling, int]:
    world = Stalling()
    connection, _ = world.join("a")
    world.send(connection, STARTED)
    world.send(connection, INTERRUPT)
    world.loop.run()
    return world, connection


def test_input_read_after_a_stall_precedes_the_deadline(caplog: pytest.LogCaptureFixture) -> None:
    world, connection = interrupted()
    world.stand_still(40_000)
    with caplog.at_level(logging.WARNING, "mew.broker"):
        for _, ring in [*world.loop.later]:  # asyncio runs timers that are due before it reads
            ring()
        world.loop.call_soon(partial(world.send, connection, ACK))
        world.loop.run()
    assert "stood still for 39.8 s" in caplog.text
    events = [entry.event for entry in world.journal.read(0)]
    at = events.index(Stalled(39_750))
    assert isinstance(events[at + 1], Received)
    record = world.broker.engine["one"].machine.state.interrupts["stop"]
    assert (record.status, record.stalled_ms) == ("acked", 39_750)
    assert (world.counters.stalls, world.counters.stalled) == (1, 39_750)


def begun() -> tuple[Stalling, int, RecordingLink]:
    """A world in which `a` reasons."""
    world = Stalling()
    connection, link = world.join("a")
    world.send(connection, STARTED)
    world.loop.run()
    return world, connection, link


def stand_still_in_commit(world: Stalling, milliseconds: int) -> None:
    """Let the next commit take so long."""
    append = world.journal.append

    def late(drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        world.journal.append = append  # type: ignore[method-assign]
        world.stand_still(milliseconds)
        return append(drafts, outputs)

    world.journal.append = late  # type: ignore[method-assign]


def happened(world: Stalling, kind: type[Event]) -> list[Event]:
    return [entry.event for entry in world.journal.read(0) if isinstance(entry.event, kind)]


def test_a_deadline_counts_from_the_delivery() -> None:
    world, connection, link = begun()
    stand_still_in_commit(world, 40_000)
    world.send(connection, INTERRUPT)
    world.loop.run()
    world.loop.elapse()
    record = world.broker.engine["one"].machine.state.interrupts["stop"]
    assert (record.status, record.delivered_at) == ("pending", world.clock.time)
    assert record.deadline == world.clock.time + 30_000
    assert [sent["kind"] for sent in link.sent][-1] == "reasoning/interrupt"
    world.clock.time += 29_999
    world.broker.check_deadlines()
    world.loop.run()
    assert [status for status, _ in record.steps] == ["pending"]
    world.clock.time += 1
    world.broker.check_deadlines()
    world.loop.run()
    assert [status for status, _ in record.steps] == ["pending", "timed_out"]


def test_a_short_stall_lengthens_a_short_deadline() -> None:
    """One that is too short to be noticed as a stall."""
    world, connection, _ = begun()
    stand_still_in_commit(world, 1_000)
    world.send(connection, INTERRUPT)
    world.loop.run()
    assert happened(world, Stalled) == []
    assert world.broker.engine["one"].machine.state.interrupts["stop"].deadline == world.clock.time + 30_000


@pytest.mark.parametrize(("late", "expected"), [(50, 0), (51, 1)])
def test_a_delivery_is_late_after_its_bound(late: int, expected: int) -> None:
    world, connection, _ = begun()
    stand_still_in_commit(world, late)
    world.send(connection, INTERRUPT)
    world.loop.run()
    assert len(happened(world, DeliveredLate)) == expected


def test_a_stall_after_the_delivery_moves_no_deadline() -> None:
    world, connection = interrupted()
    record = world.broker.engine["one"].machine.state.interrupts["stop"]
    deadline = record.deadline
    stand_still_in_commit(world, 5_000)
    world.chat(connection)
    world.loop.run()
    assert (record.deadline, happened(world, DeliveredLate)) == (deadline, [])


def test_a_shutdown_counts_from_its_delivery() -> None:
    world, connection, link = begun()
    stand_still_in_commit(world, 10_000)
    world.send(connection, b'{"kind":"participant/shutdown","to":["a"]}')
    world.loop.run()
    world.loop.elapse()
    assert link.closed is None
    world.clock.time += 2_000
    world.broker.check_deadlines()
    world.loop.run()
    assert link.closed == 4504


def test_a_stall_moves_the_deadlines_of_the_absent() -> None:
    world, connection = interrupted()
    world.broker.disconnect(connection)
    world.loop.run()
    state = world.broker.engine["one"].machine.state
    deadline, ends = state.interrupts["stop"].deadline, state.absent["a"]
    assert deadline is not None
    world.stand_still(40_000)
    world.broker.stalls.look()
    world.loop.run()
    assert happened(world, Disconnected)
    assert (state.interrupts["stop"].deadline, state.absent["a"]) == (deadline + 39_750, ends + 39_750)


class Busy(AtOnce):
    """Turns in which something always waits."""

    def is_idle(self) -> bool:
        return False


def test_deadlines_wait_for_the_work_queue_with_a_bound() -> None:
    seconds, rung = [0.0], list[float]()
    loop = ManualLoop(is_last=lambda: True, monotonic=lambda: seconds[0])
    watch = Stalls(loop=loop, turns=Busy(), stalled=lambda _: None)
    watch.after_input(lambda: rung.append(seconds[0]))
    loop.run()
    assert rung == [0.0]  # without a stall nobody's turns hold a deadline up
    seconds[0] = 10.0
    watch.after_input(lambda: rung.append(seconds[0]))
    for _ in range(5):
        seconds[0] += 0.25
        if loop.soon:
            loop.soon.pop(0)()
    assert rung == [0.0, 10.0 + stalls.CATCH_UP]


def test_deadlines_wait_for_new_connections_with_a_bound() -> None:
    seconds, rung = [0.0], list[float]()
    loop = ManualLoop(is_last=lambda: True, monotonic=lambda: seconds[0])
    watch = Stalls(loop=loop, turns=AtOnce(), stalled=lambda _: None)

    def ring_at(now: float) -> list[float]:
        seconds[0] = now
        loop.run()
        loop.elapse()
        return rung

    watch.expect("before")  # no stall: nobody is waited for
    watch.after_input(lambda: rung.append(seconds[0]))
    assert ring_at(0.0) == [0.0]
    seconds[0] = 10.0
    for peer in ("one", "two"):
        watch.expect(peer)
    watch.after_input(lambda: rung.append(seconds[0]))
    assert ring_at(10.1) == [0.0]
    watch.heard("one")
    assert ring_at(10.2) == [0.0]
    watch.heard("two")
    assert ring_at(10.3) == [0.0, 10.3]
    seconds[0] = 20.0
    watch.expect("silent")
    watch.after_input(lambda: rung.append(seconds[0]))
    assert ring_at(20.9) == [0.0, 10.3]
    assert ring_at(20.0 + stalls.CATCH_UP) == [0.0, 10.3, 20.0 + stalls.CATCH_UP]
    watch.heard("silent")


def test_a_missing_answer_after_a_stall_is_late() -> None:
    world, _ = interrupted()
    world.stand_still(40_000)
    world.loop.elapse()
    events = [entry.event for entry in world.journal.read(0)][-2:]
    assert events == [Stalled(39_750), DeadlinePassed()]


def test_a_stall_is_what_lasts_longer_than_its_bound() -> None:
    world, connection = interrupted()
    longest = int(1000 * (stalls.THRESHOLD + stalls._BEAT))
    world.stand_still(longest)
    world.chat(connection)
    assert (world.counters.stalls, world.broker.awake) == (0, world.clock.time)
    world.stand_still(longest + 1)
    world.chat(connection)
    assert world.counters.stalls == 1
    assert world.broker.awake == world.clock.time - world.broker.stalls.total


def test_a_timer_rings_after_its_time_awake() -> None:
    seconds, rung = [0.0], list[float]()
    loop = ManualLoop(is_last=lambda: True, monotonic=lambda: seconds[0])
    watch = Stalls(loop=loop, turns=AtOnce(), stalled=lambda _: None)
    watch.call_later(10, lambda: rung.append(seconds[0]))
    for seconds[0] in (60, 60.9, 61.8, 62.7, 63.6):  # the first was a stall
        watch.look()
    loop.elapse()
    assert rung == []
    assert [round(delay, 2) for delay, _ in loop.later] == [6.15]
    for seconds[0] in (64.5, 65.4, 66.3, 67.2, 68.1, 69, 69.75):
        watch.look()
    loop.elapse()
    assert rung == [69.75]
