"""What a participant's messages may take: tokens of JSON, frames, bytes that never become a message."""

from __future__ import annotations

from typing import Any

import pytest
from websockets.protocol import State
from websockets.server import ServerProtocol

from mew_gateway.config import GatewayLimits
from mew_gateway.gateway.broker import ingress
from mew_gateway.gateway.broker.rate_limiter import FRAMES, TOKENS_PER_SECOND
from mew_gateway.gateway.websocket.frame_reader import FrameReader
from mew_gateway.protocol import codec
from mew_gateway.protocol.codec import count_tokens, peek

from ..kit.broker import RecordingLink, World
from ..kit.frames import PING, TEXT, frame

ACK = b'{"id":"ack","kind":"reasoning/interrupt-ack","correlation_id":"x","payload":{"status":"stopping"}}'
LIMITS = GatewayLimits()


def listed(tokens: int, id: str = "many", kind: str = "x/many") -> bytes:
    """An envelope with so many tokens: its own are 9."""
    text = b'{"id":"%s","kind":"%s","payload":{"list":[0%s]}}'
    return text % (id.encode(), kind.encode(), b",0" * (tokens - 9))


def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what is decoded from here on."""
    sizes: list[int] = []
    receive = codec.receive

    def counted(data: bytes, *args: Any, **options: Any) -> Any:
        sizes.append(len(data))
        return receive(data, *args, **options)

    monkeypatch.setattr(ingress, "receive", counted)
    return sizes


def errors(link: RecordingLink) -> list[tuple[str, list[str] | None]]:
    said = [sent for sent in link.sent if sent["kind"] == "system/error"]
    return [(sent["payload"]["error"], sent.get("correlation_id")) for sent in said]


def test_tokens_are_those_outside_strings_where_it_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "_FEW", 0)
    for text, tokens in ((listed(20), 20), (b'{"a":"[,]\\\\\\""}', 2), (b'["\\\\",[]]', 3), (b'"unending ,,,', 0)):
        assert count_tokens(text, most=0) in (tokens, text.count(b'"') // 2)
        assert count_tokens(text, most=10_000) >= tokens
    assert count_tokens(b'{"a":"' + b"," * 500 + b'"}', most=100) == 2
    assert peek(listed(20)) == ("many", "x/many")
    assert peek(b"[" * 5_000) == peek(b'{"id":7}') == (None, "")


def test_too_complex_messages_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    connection, link = world.join("a")
    sizes = decoded(monkeypatch)
    world.send(connection, listed(LIMITS.json_tokens + 1))
    world.loop.run()
    assert (errors(link), sizes) == ([("too_complex", ["many"])], [])


def test_rate_limited_messages_are_not_decoded_unless_urgent(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    connection, link = world.join("a")
    number = TOKENS_PER_SECOND // 50_000
    for nth in range(number):
        world.send(connection, listed(50_000, f"{nth}"))
    sizes = decoded(monkeypatch)
    world.send(connection, listed(50_000, "late"))
    other, other_link = world.join("a")
    world.send(other, listed(10, "late too"))
    world.loop.run()
    assert errors(link) == [("rate_limited", ["late"])]
    assert (errors(other_link), sizes) == ([("rate_limited", ["late too"])], [])
    world.send(connection, ACK)
    world.loop.run()
    assert errors(link)[-1] == ("unknown_interrupt", ["ack"])


def test_complex_messages_are_taken_in_parts() -> None:
    world = World()
    connection, _ = world.join("a")
    messages = [(listed(ingress.TOKENS_AT_ONCE // 2, f"{nth}"), True) for nth in range(5)]
    rest = world.broker.receive(connection, messages)
    assert list(rest) == messages[3:]
    assert world.counters.received == 3
    assert list(world.broker.receive(connection, rest)) == []


def test_control_frames_of_all_connections_count_together() -> None:
    world = World()
    first, second = (world.join("a")[0] for _ in range(2))
    world.broker.spend_frames(first, FRAMES - 1)
    assert world.broker.frames_left(second) == 1
    world.broker.disconnect(first)
    world.broker.spend_frames(second, 1)
    third, _ = world.join("a")
    assert world.broker.frames_left(third) == 0
    world.clock.time += 10
    assert world.broker.frames_left(third) == FRAMES // 100


def test_many_control_frames_are_looked_at_in_pieces() -> None:
    protocol = ServerProtocol(max_size=None, state=State.OPEN)
    one = FrameReader(protocol, limit=1_000, frames_left=1_000, most=10)
    messages = one.feed(frame(PING) * 250 + frame(TEXT, b"behind"))
    frames_left = [one.frames_left]
    while one.stopped_early:
        assert messages == []
        messages = one.feed(b"")
        frames_left.append(one.frames_left)
    assert (frames_left, messages) == ([900, 800, 750], [(b"behind", True)])


def test_a_message_that_never_ends_counts_when_its_connection_does() -> None:
    world = World()
    first, _ = world.join("a")
    world.broker.disconnect(first, unread=LIMITS.bytes_per_second)
    second, link = world.join("a")
    world.chat(second, "hello", id="next")
    world.loop.run()
    assert errors(link) == [("rate_limited", ["next"])]


def _text(value: str) -> bytes:
    return b'{"id":"many","kind":"x/many","payload":{"more":%s}}' % value.encode()


def _list(*items: str) -> bytes:
    return _text("[" + ",".join(items) + "]")


@pytest.mark.parametrize("number", ["1e300", "-1E-300", "1.5e+0299", "4.9406564584124654e-324"])
def test_numbers_that_take_long_count_as_fifty(number: str) -> None:
    assert count_tokens(_list(*[number] * 100), most=65_536) >= 50 * 100
    assert count_tokens(_text('"' + f"{number} " * 1_000 + '"'), most=1_000) < 100, "not in a string"


def test_digits_without_end_and_escapes_count_too() -> None:
    usual = _list(*["0.12345678901234567", "1e22", "-5E-9", "9007199254740993"] * 1_000)
    assert count_tokens(usual, most=65_536) == 4_008, "one each"
    assert count_tokens(_list("1" * 20_000), most=65_536) >= 20_000 // 2
    assert count_tokens(_list("0." + "3" * 20_000), most=65_536) >= 20_000 // 2
    for escape in ('\\"', "\\n", "\\u0041", "\\ud83d\\ude00"):
        escapes = escape.count("\\") * 10_000 // 8
        assert escapes <= count_tokens(_text('"' + escape * 10_000 + '"'), most=65_536) <= escapes + 10


def test_extreme_numbers_beyond_the_bound_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    connection, link = world.join("a")
    sizes = decoded(monkeypatch)
    world.send(connection, _list(*["1e300"] * (LIMITS.json_tokens // 50)))
    world.loop.run()
    assert (errors(link), sizes) == ([("too_complex", ["many"])], [])


def test_a_long_or_complex_envelope_has_its_own_turn() -> None:
    world = World()
    connection, _ = world.join("a")
    small, complex_, long = (
        listed(20, "small"),
        listed(ingress.TOKENS_AT_ONCE + 1, "complex"),
        _text('"' + "x" * 270_000 + '"'),
    )
    for heavy in (complex_, long):
        messages = [(small, True), (heavy, True), (heavy, True), (small, True)]
        rest = world.broker.receive(connection, messages)
        assert list(rest) == messages[1:]
        rest = world.broker.receive(connection, rest, has_turn=True)
        assert list(rest) == messages[2:]
        rest = world.broker.receive(connection, rest, has_turn=True)
        assert rest == messages[3:]
        assert list(world.broker.receive(connection, rest)) == []


def test_a_duplicate_key_is_refused_without_a_search() -> None:
    world = World()
    connection, link = world.join("a")
    for more in ('{"b":1,"b":2}', '{"b":1,"b":"' + "x" * 20_000 + '"}', '{"b":":","c":"\\u003a","b":1}'):
        world.send(connection, _text(more))
        world.loop.run()
        assert errors(link)[-1] == ("duplicate_key", ["many"])
    for more in ('{"b":":","c:":"\\u003a::"}', '{"b:":[":",{":":1}],"d":{"e":":"}}'):
        world.send(connection, _text(more).replace(b"many", b"m%d" % len(link.sent), 1))
        world.loop.run()
        assert link.sent[-1]["kind"] == "x/many"
