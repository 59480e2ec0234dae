"""The broker: journal, then handle, then deliver; and what happens when the journal does not answer."""

from __future__ import annotations

import hashlib
import json
from random import Random
from typing import Any

import pytest

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import CorruptJournal, Fatal, Rejected
from mew_gateway.gateway.broker import ingress
from mew_gateway.gateway.broker.ingress import MOST_REFUSED
from mew_gateway.gateway.broker.metrics import Counters
from mew_gateway.gateway.broker.spaces import engine
from mew_gateway.gateway.broker.spaces.engine import Engine
from mew_gateway.journal.base import Draft, Record
from mew_gateway.journal.memory import MemoryJournal
from mew_gateway.protocol import codec
from mew_gateway.space.events import DeadlinePassed, Issued, Received, encode

from ..kit.broker import DelayedJournal, FragileJournal, LateJournal, RecordingLink, World, texts


@pytest.fixture(params=["at once", "after a delay"])
def commits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """When the journal commits: within `append`, or after a random number of passes of the loop."""
    if request.param == "after a delay":
        monkeypatch.setattr(World, "journals", DelayedJournal)
    return str(request.param)


BOTH = pytest.mark.usefixtures("commits")


@BOTH
def test_an_envelope_is_journalled_before_it_is_delivered() -> None:
    world = World()
    connection, link = world.join("a")
    world.events.clear()
    world.chat(connection)
    assert world.events == []
    world.loop.run()
    assert world.events == ["commit", "write"]
    assert link.sent[-1]["payload"]["text"] == "hello"


@BOTH
def test_input_of_one_pass_is_one_commit() -> None:
    world = World()
    first, one = world.join("a")
    second, two = world.join("b")
    third, three = world.join("a", space="two")
    world.journal.commits.clear()
    before = (one.writes, two.writes, three.writes)
    for number in range(5):
        world.chat(first, f"f{number}")
        world.chat(second, f"s{number}")
        world.chat(third, f"t{number}")
    world.loop.run()
    assert world.journal.commits == [15]
    assert (one.writes, two.writes, three.writes) == tuple(count + 1 for count in before)
    texts = [sent["payload"]["text"] for sent in two.sent if sent["kind"] == "chat"]
    assert texts == ["f0", "s0", "f1", "s1", "f2", "s2", "f3", "s3", "f4", "s4"]
    assert [sent["payload"]["text"] for sent in three.sent if sent["kind"] == "chat"] == [f"t{n}" for n in range(5)]


@BOTH
def test_a_private_answer_keeps_its_place_in_the_order() -> None:
    world = World()
    first, one = world.join("a")
    _, two = world.join("b")
    world.chat(first, "before")
    world.send(first, b'{"kind":"reasoning/thought","context":"x","from":"b"}')
    world.chat(first, "after")
    world.loop.run()
    said = [sent["payload"].get("text") or sent["payload"].get("error") for sent in one.sent][-3:]
    assert said == ["before", "identity_mismatch", "after"]
    assert [sent["payload"].get("text") for sent in two.sent][-2:] == ["before", "after"]


@BOTH
def test_without_a_journal_nothing_is_accepted_and_connections_stay() -> None:
    world = World()
    first, one = world.join("a")
    second, two = world.join("b")
    world.journal.broken = True
    world.chat(first, "lost", id="x")
    world.loop.run()
    assert one.sent[-1]["payload"]["error"] == "journal_unavailable"
    assert one.sent[-1]["correlation_id"] == ["x"]
    assert not [sent for sent in two.sent if sent["kind"] == "chat"]
    assert not world.broker.is_ready
    with pytest.raises(Fatal):
        world.broker.connect("one", "a", RecordingLink([]))
    world.broker.disconnect(second)
    world.loop.elapse()
    assert not world.broker.is_ready
    world.journal.broken = False
    world.loop.elapse()
    assert world.broker.is_ready
    assert one.sent[-1]["payload"] == {"event": "leave", "participant": {"id": "b"}}
    world.chat(first, "again", id="x")
    world.loop.run()
    assert one.sent[-1]["payload"]["text"] == "again"


@BOTH
def test_a_full_inbox_stops_reading_until_the_commit() -> None:
    world = World(limits=GatewayLimits(inbox=3))
    first, link = world.join("a")
    for number in range(3):
        world.chat(first, str(number))
    assert link.paused
    world.loop.run()
    assert not link.paused


@BOTH
def test_a_deadline_is_an_entry_and_comes_once() -> None:
    world = World()
    first, one = world.join("a")
    world.send(first, b'{"kind":"reasoning/start","id":"run"}')
    world.send(
        first,
        b'{"kind":"reasoning/interrupt","to":"a","correlation_id":"run","payload":{"reason":"timeout"}}',
    )
    world.loop.run()
    assert [delay for delay, _ in world.loop.later] == [30.0]
    world.clock.time += 29_999
    world.loop.elapse()  # a timer that fires early is set again
    assert [delay for delay, _ in world.loop.later] == [0.001]
    world.clock.time += 1
    world.loop.elapse()
    world.broker.check_deadlines()
    world.loop.run()
    errors = [sent for sent in one.sent if sent.get("payload", {}).get("error") == "interrupt_ack_timeout"]
    assert len(errors) == 1
    events = [entry.event for entry in world.journal.read(0)]
    assert sum(isinstance(event, DeadlinePassed) for event in events) == 1


@BOTH
def test_a_snapshot_is_kept_every_so_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SNAPSHOT_EVERY", 10)
    world = World()
    first, _ = world.join("a")
    saved = world.journal.latest()
    for number in range(12):
        world.chat(first, str(number))
    world.loop.run()
    later = world.journal.latest()
    assert saved is not None
    assert later is not None
    assert later.position > saved.position
    assert set(later.states) == {"one/state", "two/state"}


@BOTH
def test_heartbeats_and_what_cannot_be_decoded_are_not_journalled() -> None:
    world = World()
    first, link = world.join("a")
    world.journal.commits.clear()
    world.send(first, b'{"kind":"system/heartbeat"}')
    world.send(first, b"not json")
    world.loop.run()
    assert world.journal.commits == []
    assert link.sent[-1]["payload"]["error"] == "invalid_json"
    world.send(first, b'{"kind":"system/heartbeat","from":"b"}')
    world.loop.run()
    assert link.sent[-1]["payload"]["error"] == "identity_mismatch"


@BOTH
def test_a_refusal_by_the_space_is_journalled_with_its_answer() -> None:
    world = World()
    first, _ = world.join("a")
    world.send(first, b'{"kind":"space/kick"}')
    world.loop.run()
    (record,) = world.broker.engine.records("one", after=None, limit=1)
    assert isinstance(record.entry.event, Received)
    (output,) = record.outputs
    assert output.refusal
    assert output.audience == ("a",)
    assert world.counters.refused == {"invalid_payload": 1}


@BOTH
def test_a_corrupt_journal_ends_the_gateway_and_accepts_nothing_more() -> None:
    world = World()
    first, link = world.join("a")
    world.journal.corrupt = True
    world.chat(first, "lost")
    world.loop.run()
    assert [type(error) for error in world.failures] == [CorruptJournal]
    assert not world.broker.is_ready
    assert not [sent for sent in link.sent if sent["kind"] == "chat"]


@BOTH
def test_an_exception_costs_the_entry_not_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    first, link = world.join("a")
    machine = world.broker.engine["one"].machine
    handle = machine.handle

    def stumble(event: Any, now: int, position: int) -> Any:
        if isinstance(event, Received) and b"stumble" in event.data:
            raise ZeroDivisionError
        return handle(event, now, position)

    monkeypatch.setattr(machine, "handle", stumble)
    world.chat(first, "stumble", id="x")
    world.chat(first, "go on")
    world.loop.run()
    assert [sent["payload"].get("error") or sent["payload"].get("text") for sent in link.sent[-2:]] == [
        "internal_error",
        "go on",
    ]
    assert link.sent[-2]["correlation_id"] == ["x"]


@BOTH
def test_resuming_neither_misses_nor_repeats_its_own_tick() -> None:
    world = World()
    first, one = world.join("a")
    world.chat(first, "n0", id="last")
    world.loop.run()
    world.chat(first, "n1")
    _, back = world.arrive("b", after="last")
    world.chat(first, "n2")
    _, too = world.arrive("b", after="last")
    world.chat(first, "n3")
    world.journal.commits.clear()
    world.loop.run()
    assert texts(one) == ["n0", "n1", "n2", "n3"]
    assert texts(back) == texts(too) == ["n1", "n2", "n3"]
    assert [link.sent[0]["payload"]["resume"]["count"] for link in (back, too)] == [1, 3]  # n1, b's join, n2
    assert [sent["kind"] for sent in too.sent[:4]] == ["system/welcome", "chat", "system/presence", "chat"]
    assert world.journal.commits[0] == 1  # up to the first who resumes


@BOTH
def test_resuming_waits_for_late_commits() -> None:
    world = World(journal=LateJournal)
    assert isinstance(world.journal, LateJournal)
    first, one = world.join("a")
    world.chat(first, "n0", id="last")
    world.loop.run()
    world.journal.is_late = True
    world.chat(first, "n1")
    world.loop.run()
    _, back = world.arrive("b", after="last")
    world.chat(first, "n2")
    world.loop.run()
    assert back.sent == []
    for _ in range(3):
        world.journal.arrive()
        world.loop.run()
    assert texts(one) == ["n0", "n1", "n2"]
    assert texts(back) == ["n1", "n2"]
    assert back.sent[0]["payload"]["resume"]["count"] == 1


@BOTH
def test_resuming_in_an_outage_is_closed_and_complete_later() -> None:
    world = World()
    first, _ = world.join("a")
    world.chat(first, "n0", id="last")
    world.chat(first, "n1")
    world.loop.run()
    turned_away, back = world.arrive("b", after="last")
    gone, _ = world.arrive("b", after="last")
    world.broker.disconnect(gone)
    world.journal.broken = True
    world.loop.run()
    assert (back.sent, back.closed) == ([], 1012)
    world.broker.disconnect(turned_away)
    world.journal.broken = False
    world.loop.elapse()
    _, again = world.join("b", after="last")
    assert texts(again) == ["n1"]
    assert world.broker.is_ready


def test_a_stop_does_not_wait_for_resuming_connections() -> None:
    world = World()
    first, _ = world.join("a")
    world.chat(first, "n0", id="last")
    world.loop.run()
    world.arrive("b", after="last")
    world.arrive("b", after="last")
    journal = world.journal
    world.broker.stop()
    state = world.broker.engine["one"].machine.state
    assert state.connections == {}
    saved = journal.latest()
    assert saved is not None
    assert saved.position == len(list(journal.read(0)))


@BOTH
def test_a_closed_connection_first_gets_earlier_deliveries() -> None:
    world = World()
    first, one = world.join("a")
    second, two = world.join("b")
    world.broker.receive(first, [(b'{"kind":"space/kick","id":"out","payload":{"participant_id":"b"}}', True)])
    world.chat(first, "gone")
    world.loop.run()
    assert (two.sent[-1]["id"], two.closed) == ("out", 4503)
    assert texts(one) == ["gone"]
    assert world.dismissed == [("one", "b")]
    world.broker.disconnect(second)  # of which the space knows already
    world.loop.run()
    assert len(world.broker.links) == 1
    assert [sent["payload"].get("event") for sent in one.sent].count("leave") == 1
    with pytest.raises(Fatal) as caught:
        world.arrive("b")
    assert caught.value.close_code == 4503
    world.broker.receive(first, [(b'{"kind":"space/invite","payload":{"participant_id":"b"}}', True)])
    world.loop.run()
    assert world.readmitted == [("one", "b")]
    world.join("b")


@BOTH
def test_a_token_is_drawn_once_and_a_replay_draws_none() -> None:
    world = World()
    first, one = world.join("a")
    world.broker.receive(first, [(INVITE, True)])
    world.loop.run()
    ack = next(sent for sent in one.sent if sent["kind"] == "space/invite-ack")
    assert ack["payload"]["token"].startswith("mew_secret-")
    digest = hashlib.sha256(ack["payload"]["token"].encode()).digest()
    members = world.broker.engine["one"].machine.members
    assert members.holder(digest) == "guest"
    events = [entry.event for entry in world.journal.read(0)]
    assert sum(isinstance(event, Issued) for event in events) == 1
    again = replayed(world.journal)
    assert again["one"].machine.members.holder(digest) == "guest"


def test_a_token_waits_for_the_journal() -> None:
    world = World()
    first, one = world.join("a")
    world.broker.receive(first, [(INVITE, True)])
    world.loop.soon.pop(0)()  # the invitation is handled, its token drawn
    world.journal.broken = True
    world.loop.run()
    assert "space/invite-ack" not in [sent["kind"] for sent in one.sent]
    world.journal.broken = False
    world.loop.elapse()
    assert one.sent[-1]["payload"]["token"].startswith("mew_secret-")


def test_a_crash_before_the_token_leaves_an_invitation_without_one() -> None:
    world = World()
    first, _ = world.join("a")
    world.broker.receive(first, [(INVITE, True)])
    world.loop.soon.pop(0)()
    again = replayed(world.journal)
    guest = again["one"].machine.state.invitees["guest"]
    assert (guest.digest, guest.joined) == (None, False)


INVITE = b'{"kind":"space/invite","payload":{"participant_id":"guest"}}'


def replayed(journal: FragileJournal) -> Engine:
    """Return the spaces that a start makes of a journal without its snapshots."""
    copy = MemoryJournal()
    copy.append([Draft(entry.space, entry.time, entry.event) for entry in journal.read(0)], [])
    return Engine(copy, links={}, counters=Counters())


def ignore(*_: object) -> None:
    return None


@BOTH
def test_a_thousand_refusals_at_once_end_a_connection() -> None:
    world = World()
    first, link = world.join("a")
    garbage = [(b"", True)]
    world.broker.receive(first, garbage * (MOST_REFUSED - 1))
    with pytest.raises(Fatal) as flood:
        world.broker.receive(first, garbage * 5 * MOST_REFUSED)
    assert flood.value.close_code == 4029
    world.loop.run()
    refusals = [sent for sent in link.sent if sent["kind"] == "system/error"]
    assert len(refusals) == 2 * MOST_REFUSED - 1


@BOTH
def test_tokens_of_rate_limited_long_messages_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def count_tokens(data: bytes, *, most: int) -> int:
        counted.append(len(data))
        return counting(data, most=most)

    counting = codec.count_tokens
    monkeypatch.setattr(ingress, "count_tokens", count_tokens)
    world = World(limits=GatewayLimits(bytes_per_second=1_100_000))
    first, link = world.join("a")
    for nth in ("one", "two"):
        world.chat(first, "x" * 600_000, id=nth)
    world.loop.run()
    with pytest.raises(Rejected, match="Too fast"):
        world.broker.post("one", "a", json.dumps({"kind": "chat", "payload": {"text": "x" * 600_000}}).encode(), ignore)
    assert link.sent[-1]["payload"]["error"] == "rate_limited"
    assert link.sent[-1]["correlation_id"] == ["two"]
    assert [size > 600_000 for size in counted] == [True]
    assert "one" in [sent["id"] for sent in link.sent]


@BOTH
def test_tokens_of_urgent_messages_are_counted_over_the_rate() -> None:
    world = World(limits=GatewayLimits(bytes_per_second=1_100_000, json_tokens=2_000))
    first, link = world.join("a")
    world.chat(first, "x" * 1_050_000)
    payload = {"reason": "error", "more": ["x" * 20] * 4_000}
    stop = {"kind": "reasoning/interrupt", "id": "stop", "to": ["b"], "correlation_id": ["run"], "payload": payload}
    world.send(first, json.dumps(stop).encode())
    world.loop.run()
    assert link.sent[-1]["payload"]["error"] == "rate_limited"


# Posts, tokens, frames and resumes travel beside their events, however late the journal commits.


def posted(world: World, id: str, kind: str, payload: dict[str, Any], *, who: str = "a") -> list[Any]:
    """Post an envelope; the answers that come, in the list that is returned."""
    answers: list[Any] = []
    data = json.dumps({"id": id, "kind": kind, "payload": payload}).encode()
    world.broker.post("one", who, data, answers.append)
    return answers


@BOTH
def test_each_post_gets_its_own_answer() -> None:
    world = World()
    first = posted(world, "x", "chat", {"text": "one"})
    again = posted(world, "x", "space/kick", {})
    other = posted(world, "x", "chat", {"text": "three"}, who="b")
    wrong = posted(world, "y", "space/kick", {})
    nobody = posted(world, "z", "mcp/request", {"method": "ping"})
    assert [first, again, other, wrong, nobody] == [[], [], [], [], []]
    world.loop.run()
    assert [type(answers[0]).__name__ for answers in (first, again, other, wrong)] == [
        "Accepted",
        "Rejected",
        "Accepted",
        "Rejected",
    ]
    assert (again[0].code, again[0].correlation, wrong[0].code) == ("invalid_payload", "x", "invalid_payload")
    assert [len(answers) for answers in (first, again, other, wrong, nobody)] == [1, 1, 1, 1, 1]


@BOTH
def test_each_posted_invitation_gets_its_own_token() -> None:
    world = World()
    everybody = [
        posted(world, f"i{nth}", "space/invite", {"participant_id": f"guest{nth}"}, who="ab"[nth % 2])
        for nth in range(4)
    ]
    world.loop.run()
    accepted = [answers[0] for answers in everybody]
    assert [one.participant for one in accepted] == [f"guest{nth}" for nth in range(4)]
    members = world.broker.engine["one"].machine.members
    for one in accepted:
        assert members.holder(hashlib.sha256(one.token.encode()).digest()) == one.participant


def test_a_post_in_an_outage_is_refused_once() -> None:
    world = World()
    answers = posted(world, "x", "chat", {"text": "one"})
    world.journal.broken = True
    world.loop.run()
    assert [one.code for one in answers] == ["journal_unavailable"]
    world.journal.broken = False
    world.loop.elapse()
    assert len(answers) == 1


@pytest.mark.parametrize("seed", range(30))
def test_delivered_envelopes_are_journalled_at_every_crash_point(seed: int) -> None:
    random = Random(seed)
    world = World(journal=DelayedJournal, turns=None)
    assert isinstance(world.journal, DelayedJournal)
    world.journal.is_late = True
    links: list[RecordingLink] = []
    here: dict[str, int] = {}
    guests = 0
    for nth in range(random.randrange(5, 60)):
        who = random.choice("ab")
        if who not in here:
            after = links[-1].sent[-1]["id"] if links and links[-1].sent and random.random() < 0.5 else None
            here[who], link = world.arrive(who, after=after)
            links.append(link)
        elif random.random() < 0.15:
            world.broker.disconnect(here.pop(who))
        elif random.random() < 0.15:
            guests += 1
            posted(world, f"i{nth}", "space/invite", {"participant_id": f"guest{guests}"}, who=who)
        else:
            world.chat(here[who], f"{nth}", id=f"{who}{nth}")
        for _ in range(min(random.randrange(6), len(world.loop.soon))):
            world.loop.soon.pop(0)()
    # The process dies here. A start makes the same of the journal, and the journal has all that was delivered.
    again = replayed(world.journal)
    held = [said for record in again.records("one", after=0, limit=1000) for said in told(record)]
    places = {id: nth for nth, id in enumerate(held)}
    for link in links:
        said = [one["id"] for one in link.sent if one["kind"] not in ("system/welcome", "system/error")]
        assert [places[id] for id in said] == sorted(places[id] for id in said)
    committed = b"".join(encode(entry.event) for entry in world.journal.read(0))
    kept = b"".join(output.data for record in again.records("one", after=0, limit=1000) for output in record.outputs)
    assert not [token for token in world.ids.tokens if token.encode() in committed + kept]


def told(record: Record) -> list[str]:
    """The ids of the envelopes of a record."""
    event = record.entry.event
    own = [event.envelope.id] if isinstance(event, Received) else []
    return own + [json.loads(output.data)["id"] for output in record.outputs if output.data]
