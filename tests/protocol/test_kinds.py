"""What the gateway makes of each kind: reserved, known, acting, urgent (docs/protocol.md §2, §5, §7)."""

from __future__ import annotations

import pytest

from mew_gateway.protocol.kinds import HEARTBEAT, KINDS, UNKNOWN, URGENT, is_reserved

ACTING = [
    "mcp/request",
    "mcp/proposal",
    "stream/request",
    "capability/grant",
    "capability/revoke",
    "space/invite",
    "space/kick",
    "participant/pause",
    "participant/restart",
]
NOT_ACTING = [
    "mcp/withdraw",
    "mcp/response",
    "mcp/reject",
    "stream/close",
    "chat",
    "reasoning/thought",
    "participant/status",
    "participant/compact-done",
]


@pytest.mark.parametrize(
    "kind",
    [
        "system/welcome",
        "system/presence",
        "system/error",
        "system/join",
        "system/heartbeat/x",
        "system/",
        "stream/open",
        "stream/write-granted",
        "stream/write-revoked",
        "stream/ownership-transferred",
        "space/invite-ack",
    ],
)
def test_only_the_gateway_speaks_its_kinds(kind: str) -> None:
    assert is_reserved(kind)
    assert kind not in KINDS


@pytest.mark.parametrize("kind", [HEARTBEAT, "systems/x", "chat", "stream/request", "space/invite", "acme/system/x"])
def test_everybody_may_try_the_others(kind: str) -> None:
    assert not is_reserved(kind)


@pytest.mark.parametrize("kind", ACTING)
def test_kinds_with_outside_effects_are_acting(kind: str) -> None:
    assert KINDS[kind].acting


@pytest.mark.parametrize("kind", NOT_ACTING)
def test_kinds_that_pass_a_fence_are_not_acting(kind: str) -> None:
    assert not KINDS[kind].acting


def test_reasoning_and_chat_are_not_acting() -> None:
    assert not [kind for kind, row in KINDS.items() if row.acting and kind.startswith(("reasoning/", "chat"))]


def test_of_participant_kinds_only_reports_are_not_acting() -> None:
    controls = {kind: row.acting for kind, row in KINDS.items() if kind.startswith("participant/")}
    assert [kind for kind, acting in controls.items() if not acting] == [
        "participant/status",
        "participant/compact-done",
    ]


def test_unknown_kinds_are_acting() -> None:
    assert UNKNOWN.acting
    assert not UNKNOWN.passes_pause


def test_answers_to_an_interrupt_are_urgent() -> None:
    assert {"reasoning/interrupt-ack", "reasoning/conclusion", "reasoning/interrupt", "participant/resume"} <= {*URGENT}
    assert all(kind in KINDS for kind in URGENT)
    assert not {"chat", "reasoning/thought", "mcp/request"} & {*URGENT}
