"""Who is here: what presence says, and what is no presence."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk._transport.welcome import welcome_in
from mew_gateway.sdk.exchange.roster import Roster


def presence(payload: dict[str, Any] | None) -> Envelope:
    return Envelope("mew/v0.4", "p", "2026", "system:gateway", "system/presence", payload=payload)


def told(event: str, name: str, **fields: Any) -> Envelope:
    return presence({"event": event, "participant": {"id": name, **fields}})


def test_who_joins_changes_and_leaves() -> None:
    roster = Roster()
    roster.welcome(welcome_in({"you": {"id": "me"}, "participants": [{"id": "a"}]}))
    assert roster.take(told("join", "b", capabilities=[{"kind": "chat"}]), me="me") == ("join", "b")
    assert list(roster.present) == ["a", "b"]
    roster.take(told("update", "a", capabilities=[{"kind": "x"}]), me="me")
    assert roster.present["a"].capabilities == [{"kind": "x"}]
    roster.take(told("update", "offline", capabilities=[]), me="me")
    roster.take(told("invited", "guest", capabilities=[]), me="me")
    roster.take(told("join", "me"), me="me")
    assert roster.take(told("leave", "b"), me="me") == ("leave", "b")
    assert list(roster.present) == ["a"]
    roster.welcome(welcome_in({"you": {"id": "me"}}))
    assert roster.present == {}


@pytest.mark.requirement("mew/4.3:validate")
@pytest.mark.parametrize(
    "payload", [None, {}, {"event": "join"}, {"event": "join", "participant": "a"}, {"participant": {"id": "a"}}]
)
def test_what_is_malformed_says_nothing(payload: dict[str, Any] | None) -> None:
    roster = Roster()
    assert roster.take(presence(payload), me="me") == ("", "")
    assert roster.present == {}
