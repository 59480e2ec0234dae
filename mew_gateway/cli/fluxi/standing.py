"""Where a Work stands, in a word and its colour."""

from __future__ import annotations

from rich.text import Text

from mew_agents.fluxi.fsm import State

STYLES = {
    State.WAITING_USER: "yellow",
    State.WAITING_CONFIRMATION: "bold yellow",
    State.EXECUTING: "cyan",
    State.COMPLETED: "green",
    State.FAILED: "bold red",
    State.EXPIRED: "dim",
    State.CANCELLED: "dim",
}


def standing(state: State, suspended_reason: str | None) -> Text:
    """`EXECUTING, in doubt`."""
    text = Text(state.value, style=STYLES.get(state, ""))
    if suspended_reason is not None:
        text.append(f", {suspended_reason.replace('_', ' ')}", style="bold red")
    return text


def awaited(state: State, waits_for: str | None) -> str:
    """What a Work waits for: a value, a yes, or nothing."""
    if waits_for is None and state is State.WAITING_CONFIRMATION:
        return "a yes"
    return waits_for or ""
