"""Pauses that are lifted leave nothing behind (docs/protocol.md §4, §7)."""

from __future__ import annotations

from typing import Any

from mew_gateway.space import pauses


def test_a_lifted_pause_leaves_no_deadline(stage: Any) -> None:
    stage.join("human")
    for nth in range(3):
        stage.say("human", "participant/pause", f"p{nth}", {"timeout_seconds": 31_536_000}, to=["solver"])
        stage.say("human", "participant/resume", f"u{nth}", to=["solver"])
    assert stage.space.state.paused == {}
    assert stage.space.deadline is None


def test_remaining_pauses_keep_their_deadlines(stage: Any) -> None:
    stage.join("human")
    for id, seconds in (("p1", 5), ("p2", 60)):
        stage.say("human", "participant/pause", id, {"timeout_seconds": seconds}, to=["solver"])
    stage.say("human", "participant/resume", "u1", to=["solver"], correlation_id=["p1"])
    assert stage.space.deadline == stage.now + 60_000


def test_pauses_of_returning_guests_are_bounded(stage: Any) -> None:
    """Each of them is somebody else, so its pause takes the place of no earlier one's."""
    stage.join("admin")
    for nth in range(pauses._MOST + 5):
        invitation = {"participant_id": "guest", "initial_capabilities": [{"kind": "participant/pause"}]}
        stage.say("admin", "space/invite", f"n{nth}", invitation)
        stage.issue("guest")
        stage.join("guest")
        stage.say("guest", "participant/pause", f"p{nth}", to=["solver"])
        stage.say("admin", "space/kick", f"k{nth}", {"participant_id": "guest"})
    standing = [pause.id for pause in stage.space.state.paused["solver"]]
    assert standing == [f"p{nth}" for nth in range(5, pauses._MOST + 5)]
