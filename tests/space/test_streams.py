"""Streams: where frames go, what late joiners are told (§3.10, §3.8.1). Who may do what is in `transcripts`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mew_gateway.errors import Rejected


def active(driver: Any, label: str) -> list[dict[str, Any]]:
    """The `active_streams` in the welcome of a new connection."""
    return json.loads(driver.join(label)[0].data)["payload"]["active_streams"]  # type: ignore[no-any-return]


def refused(driver: Any, name: str, stream: str) -> str:
    """The code with which a frame is refused."""
    with pytest.raises(Rejected) as caught:
        driver.space.recipients_of_frame(name, stream)
    return caught.value.code


@pytest.mark.requirement(
    "mew/3.8.1:active-streams", "mew/3.8.1:request-fields-are-preserved", "mew/3.10.1:request-is-preserved"
)
def test_late_joiner_gets_all_fields_of_a_stream_request(driver: Any) -> None:
    driver.join("worker")
    asked = {
        "direction": "upload",
        "expected_size_bytes": 1024,
        "description": "positions",
        "content_type": "application/json",
        "format": "jsonl",
        "metadata": {"compression": "gzip"},
        "target": ["human"],
        "acme_hint": [1, {"a": None}],
    }
    driver.at(1_500).say("worker", "stream/request", "s1", asked, to=["gateway"])
    assert active(driver, "solver") == [
        {
            **asked,
            "stream_id": "stream-1",
            "owner": "worker",
            "created": "2027-01-15T08:00:01.500Z",
            "authorized_writers": ["worker"],
        }
    ]


@pytest.mark.requirement("mew/3.8.1:request-fields-are-preserved")
def test_stream_request_cannot_set_the_gateways_fields(driver: Any) -> None:
    driver.join("worker")
    forged = {
        "direction": "upload",
        "stream_id": "stream-99",
        "owner": "human",
        "created": "1970-01-01T00:00:00.000Z",
        "authorized_writers": ["human", "solver"],
        "target": [],
        "encoding": "utf-8",
    }
    _, opened = driver.say("worker", "stream/request", "s1", forged)
    payload = json.loads(opened.data)["payload"]
    own = {
        "stream_id": "stream-1",
        "owner": "worker",
        "direction": "upload",
        "created": "2027-01-15T08:00:00.000Z",
        "authorized_writers": ["worker"],
    }
    assert payload == {**own, "encoding": "binary"}
    assert active(driver, "solver") == [{**own, "encoding": "utf-8"}]  # of the request's own fields this one is free
    assert refused(driver, "human", "stream-1") == "unauthorized_stream_write"


@pytest.mark.requirement("mew/3.10.8:authorized-writers")
def test_a_late_joiner_sees_who_may_write(driver: Any) -> None:
    for name in ("worker", "admin"):
        driver.join(name)
    driver.say("worker", "stream/request", "s1", {"direction": "upload"})
    driver.say("worker", "stream/grant-write", "g1", {"stream_id": "stream-1", "participant_id": "admin"})
    (one,) = active(driver, "human")
    assert one["authorized_writers"] == ["worker", "admin"]
    driver.say("worker", "stream/transfer-ownership", "t1", {"stream_id": "stream-1", "new_owner": "admin"})
    (one,) = active(driver, "solver")
    assert (one["owner"], one["authorized_writers"]) == ("admin", ["admin"])
    driver.say("admin", "stream/close", "c1", {"stream_id": "stream-1"})
    assert active(driver, "boss") == []


def test_a_request_too_long_for_every_welcome_is_refused(driver: Any, errors: Callable[..., list[str]]) -> None:
    driver.join("worker")
    long = {"direction": "upload", "description": "x" * 20_000}
    assert errors(driver.say("worker", "stream/request", "s1", long)) == ["invalid_payload"]
    assert not driver.space.state.streams


@pytest.mark.parametrize("routing", ["visible", "addressed"])
def test_frames_go_to_everybody_the_writer_too(routing: str, make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing=routing)
    for label in ("worker", "human", "human#2"):
        driver.join(label)
    driver.say("worker", "stream/request", "s1", {"direction": "upload"}, to=["gateway"])
    assert driver.space.recipients_of_frame("worker", "stream-1") == (1, 2, 3)
    driver.join("solver")
    driver.leave("human")
    assert driver.space.recipients_of_frame("worker", "stream-1") == (1, 3, 4)


def test_frames_go_to_the_targets_only(driver: Any) -> None:
    for label in ("worker", "human", "human#2", "solver"):
        driver.join(label)
    driver.say("worker", "stream/request", "s1", {"direction": "upload", "target": ["human", "boss", "human"]})
    assert driver.space.recipients_of_frame("worker", "stream-1") == (2, 3)
    driver.join("boss")
    assert driver.space.recipients_of_frame("worker", "stream-1") == (2, 3, 5)
    driver.say("worker", "stream/request", "s2", {"direction": "upload", "target": ["worker"]})
    assert driver.space.recipients_of_frame("worker", "stream-2") == (1,)
    driver.leave("human")
    driver.leave("human#2")
    driver.leave("boss")
    assert driver.space.recipients_of_frame("worker", "stream-1") == ()


@pytest.mark.requirement("mew/3.10.5:owner-grants", "mew/3.10.6:owner-revokes")
def test_only_admitted_participants_write(driver: Any) -> None:
    for name in ("worker", "human", "admin"):
        driver.join(name)
    driver.say("worker", "stream/request", "s1", {"direction": "upload"})
    everybody = (1, 2, 3)
    assert refused(driver, "human", "stream-1") == "unauthorized_stream_write"
    driver.say("worker", "stream/grant-write", "g1", {"stream_id": "stream-1", "participant_id": "human"})
    assert driver.space.recipients_of_frame("human", "stream-1") == everybody
    driver.say("worker", "stream/revoke-write", "v1", {"stream_id": "stream-1", "participant_id": "human"})
    assert refused(driver, "human", "stream-1") == "unauthorized_stream_write"
    driver.say("worker", "stream/transfer-ownership", "t1", {"stream_id": "stream-1", "new_owner": "admin"})
    assert driver.space.recipients_of_frame("admin", "stream-1") == everybody
    assert refused(driver, "worker", "stream-1") == "unauthorized_stream_write"


@pytest.mark.requirement("mew/3.10.7:transfer")
def test_owner_that_granted_itself_access_keeps_it(driver: Any) -> None:
    for name in ("worker", "admin"):
        driver.join(name)
    driver.say("worker", "stream/request", "s1", {"direction": "upload"})
    driver.say("worker", "stream/grant-write", "g1", {"stream_id": "stream-1", "participant_id": "worker"})
    driver.say("worker", "stream/transfer-ownership", "t1", {"stream_id": "stream-1", "new_owner": "admin"})
    assert driver.space.recipients_of_frame("worker", "stream-1") == (1, 2)


@pytest.mark.requirement("mew/3.10.4:nothing-after-close")
def test_frames_to_closed_or_unknown_streams_are_refused(driver: Any) -> None:
    driver.join("worker")
    assert refused(driver, "worker", "stream-1") == "stream_not_found"
    driver.say("worker", "stream/request", "s1", {"direction": "upload"})
    driver.say("worker", "stream/close", "c1", {"stream_id": "stream-1"})
    assert refused(driver, "worker", "stream-1") == "stream_not_found"
    assert refused(driver, "worker", "") == "stream_not_found"


def test_paused_or_stopping_participant_cannot_write(driver: Any) -> None:
    for name in ("worker", "human"):
        driver.join(name)
    driver.say("worker", "stream/request", "s1", {"direction": "upload"})
    driver.say("human", "participant/pause", "p1", to=["worker"])
    assert refused(driver, "worker", "stream-1") == "paused"
    driver.say("human", "participant/resume", "p2", to=["worker"])
    assert driver.space.recipients_of_frame("worker", "stream-1") == (1, 2)
    driver.say("worker", "reasoning/start", "r1")
    driver.say("human", "reasoning/interrupt", "i1", {"reason": "user_request"}, to=["worker"], correlation_id=["r1"])
    driver.say("worker", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    assert refused(driver, "worker", "stream-1") == "fenced"
    driver.say("worker", "reasoning/conclusion", "e1", context="r1")
    assert driver.space.recipients_of_frame("worker", "stream-1") == (1, 2)


def test_rights_end_with_the_last_connection_and_do_not_come_back(driver: Any) -> None:
    for label in ("worker", "human", "human#2"):
        driver.join(label)
    driver.say("worker", "stream/request", "s1", {"direction": "upload"})
    driver.say("worker", "stream/grant-write", "g1", {"stream_id": "stream-1", "participant_id": "human"})
    driver.leave("human")
    assert driver.space.recipients_of_frame("human", "stream-1")
    driver.leave("human#2")
    driver.join("human")
    assert refused(driver, "human", "stream-1") == "unauthorized_stream_write"
    driver.leave("worker")
    driver.join("worker")
    assert refused(driver, "worker", "stream-1") == "stream_not_found"
    driver.verify()


def test_an_id_that_asked_for_two_streams_closes_its_senders_newest(
    driver: Any, errors: Callable[..., list[str]]
) -> None:
    for label in ("worker", "worker#2", "admin"):
        driver.join(label)
    for label, n in (("worker", 1), ("worker#2", 2), ("admin", 3)):
        driver.say(label, "stream/request", "s1", {"direction": "upload", "n": n})
    assert errors(driver.say("worker", "stream/close", "c1", correlation_id=["s1"])) == []
    assert list(driver.space.state.streams) == ["stream-1", "stream-3"]
    assert errors(driver.say("worker", "stream/close", "c2", correlation_id=["s1"])) == []
    assert errors(driver.say("worker", "stream/close", "c3", correlation_id=["s1"])) == ["unauthorized"]


def test_streams_of_two_spaces_are_separate(make_driver: Callable[..., Any]) -> None:
    here, there = make_driver(), make_driver()
    for driver in (here, there):
        driver.join("worker")
    here.say("worker", "stream/request", "s1", {"direction": "upload"})
    assert refused(there, "worker", "stream-1") == "stream_not_found"


def test_the_history_shows_a_streams_ends_to_whom_it_concerns(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed")
    driver.join("worker")
    asked = {"direction": "upload", "target": ["human"]}
    _, opened = driver.say("worker", "stream/request", "s1", asked, to=["gateway"])
    _, notice = driver.say("worker", "stream/close", "c1", {"stream_id": "stream-1", "reason": "x"}, to=["gateway"])
    assert b"reason" not in notice.data
    for effect in (opened, notice):
        assert effect.audience is not None
        assert "human" in effect.audience
        assert "solver" not in effect.audience


def test_late_joiner_gets_the_streams_it_would_have_seen(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed", observers=["watcher"])
    for label in ("worker", "human"):
        driver.join(label)
    private = {"direction": "upload", "target": ["human"], "description": "between us"}
    driver.say("worker", "stream/request", "s1", private, to=["human"])
    driver.say("worker", "stream/request", "s2", {"direction": "upload"}, to=["gateway"])
    driver.say("worker", "stream/grant-write", "g1", {"stream_id": "stream-1", "participant_id": "calculator"})
    told = {label: [one["stream_id"] for one in active(driver, label)] for label in ("solver", "human#2", "worker#2")}
    assert told == {"solver": ["stream-2"], "human#2": ["stream-1", "stream-2"], "worker#2": ["stream-1", "stream-2"]}
    assert len(active(driver, "calculator")) == len(active(driver, "watcher")) == 2


def test_stream_requests_together_fit_every_welcome(driver: Any, errors: Callable[..., list[str]]) -> None:
    for label in ("worker", "admin"):
        driver.join(label)
    long = {"direction": "upload", "description": "x" * 16_000}
    for n in range(4):
        assert errors(driver.say("worker", "stream/request", f"s{n}", long)) == []
    assert errors(driver.say("worker", "stream/request", "s4", long)) == ["too_many_streams"]
    assert errors(driver.say("admin", "stream/request", "s5", long)) == []
    given = {"stream_id": "stream-5", "new_owner": "worker"}
    assert errors(driver.say("admin", "stream/transfer-ownership", "t1", given)) == []  # it counts among its asker's


def test_a_frame_to_a_hidden_stream_is_refused_as_to_none(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed", observers=["solver"])
    for name in ("worker", "human", "admin", "solver"):
        driver.join(name)
    driver.say("worker", "stream/request", "s1", {"direction": "upload", "target": ["human"]}, to=["gateway"])
    assert refused(driver, "admin", "stream-1") == refused(driver, "admin", "stream-9") == "stream_not_found"
    assert refused(driver, "human", "stream-1") == refused(driver, "solver", "stream-1") == "unauthorized_stream_write"
