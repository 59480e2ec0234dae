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


def standing(state: State, suspended_reason: str | None, *, undone: bool = False, undo_failed: bool = False) -> Text:
    """`EXECUTING, in doubt`; `COMPLETED, undone`; `COMPLETED, could not be undone`."""
    text = Text(state.value, style=STYLES.get(state, ""))
    if undone:
        text.append(", undone", style="yellow")
    if undo_failed:
        text.append(", could not be undone", style="bold red")
    if suspended_reason is not None:
        text.append(f", {suspended_reason.replace('_', ' ')}", style="bold red")
    return text
