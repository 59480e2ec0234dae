"""Who may see a record later: the one rule behind resume, history and timeline."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mew_gateway.gateway.broker.spaces.history_view import View
from mew_gateway.gateway.broker.spaces.output_records import outputs_of
from mew_gateway.gateway.http.timeline import timeline
from mew_gateway.journal.base import Entry, Output, Record
from mew_gateway.space.effects import Close, Deliver
from mew_gateway.space.events import Configured, Connected, Received
from mew_gateway.space.settings import Participant, SpaceSettings
from mew_gateway.space.state import Invitee, State

PEOPLE = {name: Participant(name, observe=name == "auditor") for name in ("ann", "bob", "cid", "auditor")}


def state(*, visible_since: int | None = None, **fields: Any) -> State:
    """`visible_since` is a position in the journal."""
    since, position = (None, 0) if visible_since is None else (0, visible_since)
    return State(SpaceSettings("demo", PEOPLE), 2, "e", visible_since=since, visible_position=position, **fields)


def envelope(id: str, sender: str = "ann", *, to: list[str] | None = None) -> bytes:
    addressed = {} if to is None else {"to": to}
    head = {"protocol": "mew/v0.4", "id": id, "ts": "t", "from": sender, **addressed}
    return msgspec.json.encode({**head, "kind": "chat", "payload": {"text": id}})


def said(nth: int, id: str, audience: tuple[str, ...] | None = None, *, refusal: bool = False) -> Output:
    return Output(7, nth, "demo", envelope(id, "system:gateway"), audience, refusal)


def mark(nth: int, audience: tuple[str, ...] | None) -> Output:
    return Output(7, nth, "demo", b"", audience, False)


def record(*outputs: Output, to: list[str] | None = None, position: int = 7) -> Record:
    return Record(Entry(position, "demo", 100, Received("ann", 1, 0, envelope("own", to=to))), outputs)


def shown(one: Record, viewer: str, where: State | None = None) -> list[str]:
    return [seen.id for seen in View(where or state(), viewer).of(one)]


@pytest.mark.parametrize(
    ("viewer", "expected"), [("ann", ["own"]), ("bob", ["own"]), ("cid", []), ("auditor", ["own"])]
)
def test_an_addressed_envelope(viewer: str, expected: list[str]) -> None:
    assert shown(record(to=["bob"]), viewer) == expected
    assert shown(record(), viewer) == ["own"]


def test_all_see_everything_while_the_space_is_visible() -> None:
    where = state(visible_since=7)
    assert shown(record(to=["bob"], position=7), "cid", where) == ["own"]
    assert shown(record(to=["bob"], position=6), "cid", where) == []


def test_gateway_envelopes_are_shown_to_their_audience() -> None:
    one = record(said(0, "to all"), said(1, "to bob", ("bob",)), said(2, "to nobody", ()))
    assert shown(one, "bob") == ["own", "to all", "to bob"]
    assert shown(one, "cid") == ["own", "to all"]


def test_the_sender_of_a_refused_envelope_sees_the_refusal() -> None:
    one = record(said(0, "no", ("ann",), refusal=True))
    assert {name: shown(one, name, state(visible_since=0)) for name in PEOPLE} == {
        "ann": ["no"],
        "bob": [],
        "cid": [],
        "auditor": [],
    }


def test_an_exception_is_seen_by_those_it_names() -> None:
    one = record(said(0, "before"), mark(1, ("ann", "bob", "cid")), said(2, "behind"), to=["bob"])
    assert shown(one, "cid") == ["before", "own", "behind"]
    assert shown(record(mark(0, ("ann", "bob")), to=["bob"]), "cid") == []


def test_a_mark_without_an_audience_has_only_a_place() -> None:
    one = record(said(0, "before"), mark(1, None), to=["bob"])
    assert shown(one, "bob") == ["before", "own"]
    assert shown(one, "cid") == ["before"]


def test_unforwarded_envelopes_are_not_shown() -> None:
    assert [shown(record(mark(0, ())), name, state(visible_since=0)) for name in PEOPLE] == [[]] * 4


def test_an_invited_one_sees_what_came_since() -> None:
    guest = Invitee(id="guest", ordinal=1, inviter="ann", invite="i", invited_at=100, capabilities=[], position=7)
    where = state(visible_since=0, invitees={"guest": guest})
    assert shown(record(position=6), "guest", where) == []  # in the millisecond of its invitation
    assert shown(record(position=7), "guest", where) == ["own"]


# What is recorded


def recorded(*effects: Any) -> list[tuple[bytes, tuple[str, ...] | None, bool]]:
    entry = record().entry
    rows = outputs_of(entry, effects)
    assert [row.nth for row in rows] == list(range(len(rows)))
    return [(row.data, row.audience, row.refusal) for row in rows]


OWN = envelope("own")


def test_an_envelope_forwarded_as_ever_leaves_no_row() -> None:
    assert recorded(Deliver((1, 2), OWN)) == []
    assert recorded(Deliver((1, 2), OWN), Close(1, 4503, ""), Deliver((2,), b"gw", own=True)) == [(b"gw", None, False)]


def test_an_exception_leaves_a_row_without_data() -> None:
    assert recorded(Deliver((1,), OWN, audience=("ann", "bob"))) == [(b"", ("ann", "bob"), False)]


def test_earlier_gateway_envelopes_stay_first() -> None:
    rows = recorded(Deliver((1,), b"gw", own=True), Deliver((1,), OWN))
    assert rows == [(b"gw", None, False), (b"", None, False)]


def test_a_refusal_needs_no_mark() -> None:
    refusal = Deliver((1,), b"no", own=True, audience=("ann",), refusal=True)
    assert recorded(refusal) == [(b"no", ("ann",), True)]


def test_unforwarded_envelopes_are_marked() -> None:
    assert recorded() == [(b"", (), False)]
    assert recorded(Deliver((1,), b"gw", own=True)) == [(b"gw", None, False), (b"", (), False)]


def test_an_event_without_an_envelope_has_no_place() -> None:
    entry = Entry(7, "demo", 100, Configured(SpaceSettings("demo", PEOPLE), 2, "e"))
    again = Deliver((1,), b"an interrupt, given once more")
    assert outputs_of(entry, (again,)) == []


# The timeline


def test_the_timeline_shows_refused_envelopes_to_their_sender_only() -> None:
    error = {"payload": {"error": "paused", "message": "Wait.", "secret": 1}, "id": "no", "kind": "system/error"}
    one = record(Output(7, 0, "demo", msgspec.json.encode(error), ("ann",), True), to=["bob"])
    told = {name: list(timeline([one], View(state(), name))) for name in PEOPLE}
    assert told["bob"] == told["cid"] == []
    assert [event["refused"] for event in told["ann"]] == ["paused"]
    place = {"position": 7, "at": "1970-01-01T00:00:00.100Z"}
    assert told["auditor"] == [{**place, "kind": "chat", "from": "ann", "refused": "paused"}]


def test_the_timeline_has_the_order_of_the_view() -> None:
    one = record(said(0, "before"), mark(1, ("ann", "cid")), to=["ann"])
    assert [event["id"] for event in timeline([one], View(state(), "cid"))] == ["before", "own"]
    assert [event["id"] for event in timeline([one], View(state(), "bob"))] == ["before"]


def test_a_welcome_leaves_only_its_head() -> None:
    welcome = Deliver((1,), b"whole", own=True, audience=("ann",), kept=b"head")
    (output,) = outputs_of(Entry(7, "demo", 100, Connected(1, "ann")), [welcome])
    assert (output.data, output.audience) == (b"head", ("ann",))
