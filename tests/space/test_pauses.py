"""Pauses that are lifted leave nothing behind (docs/protocol.md §4, §7)."""

from __future__ import annotations

from typing import Any

from mew_gateway.space import pauses


def test_a_lifted_pause_leaves_no_deadline(driver: Any) -> None:
    driver.join("human")
    for nth in range(3):
        driver.say("human", "participant/pause", f"p{nth}", {"timeout_seconds": 31_536_000}, to=["solver"])
        driver.say("human", "participant/resume", f"u{nth}", to=["solver"])
    assert driver.space.state.paused == {}
    assert driver.space.deadline is None


def test_remaining_pauses_keep_their_deadlines(driver: Any) -> None:
    driver.join("human")
    for id, seconds in (("p1", 5), ("p2", 60)):
        driver.say("human", "participant/pause", id, {"timeout_seconds": seconds}, to=["solver"])
    driver.say("human", "participant/resume", "u1", to=["solver"], correlation_id=["p1"])
    assert driver.space.deadline == driver.now + 60_000


def test_pauses_of_returning_guests_are_bounded(driver: Any) -> None:
    """Each of them is somebody else, so its pause takes the place of no earlier one's."""
    driver.join("admin")
    for nth in range(pauses._MOST + 5):
        invitation = {"participant_id": "guest", "initial_capabilities": [{"kind": "participant/pause"}]}
        driver.say("admin", "space/invite", f"n{nth}", invitation)
        driver.issue("guest")
        driver.join("guest")
        driver.say("guest", "participant/pause", f"p{nth}", to=["solver"])
        driver.say("admin", "space/kick", f"k{nth}", {"participant_id": "guest"})
    standing = [pause.id for pause in driver.space.state.paused["solver"]]
    assert standing == [f"p{nth}" for nth in range(5, pauses._MOST + 5)]
