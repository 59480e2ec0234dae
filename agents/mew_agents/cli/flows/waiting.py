"""What a flow waits for, and how a dialogue stands, in words."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from mew_agents.flows.lookup import FlowLine, ListedDialogue
from mew_agents.flows.state import Ended
from mew_gateway.cli.printing.moment import duration
from mew_gateway.cli.printing.terminal import one_line

from .store import short_flow

OUTCOMES = {"completed": "green", "cancelled": "dim", "failed": "bold red"}
_SUSPENDED = {"needs_human": "a person has taken over", "halted": "halted"}
_WIDTHS = {"flow": 12, "waits for": 20}
_ASKED = {"check": "whether it was understood", "confirm": "a yes", "value": "an answer"}


def table(found: list[ListedDialogue], *, now: int) -> Table:
    """Dialogues, a row each, with a line for each flow under way. `now` in ms since the epoch."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("flow", "changed", "with whom", "name", "step", "waits for"):
        drawn.add_column(heading, overflow="fold", min_width=_WIDTHS.get(heading))
    for one in found:
        rows = [_row(line, one) for line in one.flows] or [_idle(one)]
        for number, row in enumerate(rows):
            age, whose = ("", Text("")) if number else (f"{duration(max(0, now - one.changed_at))} ago", _place(one))
            drawn.add_row(row[0], Text(age, style="dim"), whose, *row[1:])
    return drawn


def waits_for(line: FlowLine) -> str:
    """`an answer: amount`; of a flow below another, that."""
    if line.waits == "question":
        return _ASKED[line.asked] if line.asked in _ASKED else f"an answer: {one_line(line.asked)}"
    if line.waits is None:
        return "the flow above it"
    return {"action": "a call", "effect": "an effect", "turn": "its turn"}[line.waits]


def ended(last: Ended | None) -> Text:
    """`transfer completed`."""
    if last is None:
        return Text("nothing was begun", style="dim")
    by = "" if last.by is None else f" by {one_line(last.by)}"
    reason = "" if last.reason is None else f": {one_line(last.reason)}"
    return Text(f"{last.name} {last.outcome}{by}{reason}", style=OUTCOMES[last.outcome])


def suspension(suspended: str | None) -> str:
    """Why a dialogue stands still."""
    return "" if suspended is None else _SUSPENDED.get(suspended, suspended.replace("_", " "))


def _row(line: FlowLine, whole: ListedDialogue) -> tuple[Text, Text, Text, Text]:
    waits = Text(waits_for(line), style="yellow" if line.waits is not None else "dim")
    if line is whole.flows[0]:
        if whole.suspended is not None:
            waits = Text(suspension(whole.suspended), style="bold red")
        elif whole.question is not None:
            waits.append(f"\n{one_line(whole.question, longest=80)}", style="default")
    return Text(short_flow(line.flow_id), style="bold"), Text(line.name), Text(line.step or ""), waits


def _idle(whole: ListedDialogue) -> tuple[Text, Text, Text, Text]:
    waits = Text(suspension(whole.suspended), style="bold red")
    return Text(short_flow(whole.dialogue_id), style="bold"), ended(whole.last), Text(""), waits


def _place(whole: ListedDialogue) -> Text:
    return Text.assemble(one_line(whole.participant), (f"\n{one_line(whole.conversation_id)}", "dim"))
