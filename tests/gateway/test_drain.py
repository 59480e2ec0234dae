"""How all connections end: connections is told 1012, a few at a time, and whoever does not answer is cut."""

from __future__ import annotations

from mew_gateway.gateway.websocket.drain import AT_ONCE, CLOSE_TIMEOUT, PAUSE, drain_connections


class Room:
    """Connections that are open, and what happens to them in order: pauses in seconds, closes, aborts."""

    def __init__(self, size: int) -> None:
        self.open: set[Peer] = set()
        self.events: list[object] = []
        self.peers = [Peer(self, number) for number in range(size)]

    async def sleep(self, seconds: float) -> None:
        self.events.append(seconds)

    def closed_between_pauses(self) -> list[int]:
        counts = [0]
        for event in self.events:
            if isinstance(event, float):
                counts.append(0)
            else:
                counts[-1] += event == 1012
        return [count for count in counts if count]


class Peer:
    def __init__(self, room: Room, number: int) -> None:
        self.room = room
        self.number = number
        self.answers = True
        self.codes: list[int] = []
        self.aborted = False
        room.open.add(self)

    def close(self, code: int, reason: str) -> None:
        self.codes.append(code)
        self.room.events.append(code)
        if self.answers:
            self.room.open.discard(self)

    def abort(self) -> None:
        self.aborted = True
        self.room.open.discard(self)


async def test_all_are_closed_with_1012_in_batches() -> None:
    room = Room(1000)
    await drain_connections(room.open, sleep=room.sleep)
    assert all(peer.codes == [1012] and not peer.aborted for peer in room.peers)
    assert room.closed_between_pauses() == [AT_ONCE] * 20
    assert room.events.count(PAUSE) == 20  # nobody is waited for who has answered


async def test_a_peer_that_does_not_answer_is_aborted_in_time() -> None:
    room = Room(AT_ONCE + 10)
    for peer in room.peers[::7]:
        peer.answers = False
    await drain_connections(room.open, sleep=room.sleep)
    assert all(peer.codes == [1012] for peer in room.peers)
    assert [peer for peer in room.peers if peer.aborted] == room.peers[::7]
    assert not room.open
    assert room.events.count(PAUSE) == 2 + CLOSE_TIMEOUT / PAUSE


async def test_an_empty_room_takes_no_time() -> None:
    room = Room(0)
    await drain_connections(room.open, sleep=room.sleep)
    assert room.events == []
