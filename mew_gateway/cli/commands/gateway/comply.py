"""`mew comply`: examine an agent against the contract of interruption, case by case, with evidence for violations."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich import box
from rich.table import Table
from rich.text import Text

from mew_gateway.compliance.agent_under_test import AgentUnderTest, Unexaminable, agent_under_test
from mew_gateway.compliance.examination import comply as examine
from mew_gateway.compliance.exercises import EXERCISES
from mew_gateway.compliance.gateway_fixture import CannotServe
from mew_gateway.compliance.times import Times
from mew_gateway.compliance.verdicts import ExerciseResult, Report, Verdict

from ...framework.failure import FAILED, INTERRUPTED, mistake
from ...framework.options import JsonOption, seconds
from ...framework.parse_args import json_object
from ...printing.terminal import clean, out, print_json, say, show

EXAMPLES = (
    "mew comply --agent my_agents.researcher:Researcher",
    "mew comply --agent my_agents.researcher:Researcher --say 'What is new in fusion?'",
    "mew comply --command 'node agent.js'  # in whatever language: MEW_URL, MEW_SPACE and MEW_TOKEN say where",
    "mew comply --agent my_agents.planner:Planner --call plan --arguments '{\"days\": 3}'",
    "mew comply --agent mew_agents.solver:Solver --exercise emergency --exercise restart",
    "Exit status: 0 nothing is violated, 1 something is, 2 the agent does not reason or cannot be started.",
)

_WIDE = 120  # columns: narrower, a rule stands below the name of its case
_GOAL = 250  # milliseconds for an ack (docs/interruption.md §3)
_MARKS = {"passed": ("✓", "green"), "violated": ("✗", "bold red"), "not judged": ("–", "dim")}


@dataclass(frozen=True, kw_only=True)
class Examinee:
    """The options that say which agent is examined, and how it is brought to reason."""

    agent: Annotated[
        str | None, typer.Option("--agent", metavar="MODULE:CLASS", help="An agent written with the SDK.")
    ] = None
    command: Annotated[
        str | None, typer.Option("--command", metavar="LINE", help="Any other agent: the command that starts it.")
    ] = None
    text: Annotated[str | None, typer.Option("--say", metavar="TEXT", help="The chat that brings it to reason.")] = None
    call: Annotated[
        str | None, typer.Option("--call", metavar="TOOL", help="Or the tool of its that does, called directly.")
    ] = None
    arguments: Annotated[
        str | None, typer.Option("--arguments", metavar="JSON", help="The arguments of that call.")
    ] = None
    options: Annotated[
        str | None, typer.Option("--options", metavar="JSON", help="What the agent gets as MEW_OPTIONS.")
    ] = None

    def agent_under_test(self) -> AgentUnderTest:
        """Return the agent under test. Raises `Unexaminable`, and `Failure` for invalid JSON."""
        return agent_under_test(
            self.agent,
            command=self.command,
            say=self.text,
            call=self.call,
            arguments=json_object(self.arguments, "--arguments"),
            options=json_object(self.options, "--options"),
        )


def comply(
    *,
    examinee: Examinee,
    patience: Annotated[
        int | None,
        typer.Option("--patience", metavar="SECONDS", parser=seconds, help="For a run to begin; else 10 s."),
    ] = None,
    exercise: Annotated[
        list[str] | None, typer.Option("--exercise", metavar="NAME", help=f"Only these: {', '.join(EXERCISES)}.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="FOLDER", help="Keep there what the gateway and the agent wrote."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Examine an agent: start it beside a gateway of its own, interrupt it in every way there is, and judge its answers
    by what came over the wire."""
    try:
        who = examinee.agent_under_test()
        work = partial(
            examine,
            who,
            times=Times() if patience is None else Times(patience=patience),
            exercises=exercise or tuple(EXERCISES),
            on_result=_ignore if as_json else _print_result,
            folder=None if keep is None else _made(keep),
        )
        report = asyncio.run(_until_terminated(work, who, quiet=as_json))
    except Unexaminable as error:
        raise mistake(_with_output(str(error), error.last_output)) from None
    except CannotServe as error:
        raise mistake(str(error)) from None
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(msgspec.to_builtins(report))
    else:
        _show(report)
    raise typer.Exit(FAILED if report.violated else 0)


async def _until_terminated(work: Any, who: AgentUnderTest, *, quiet: bool) -> Report:
    """Run the examination. SIGTERM ends it as Ctrl-C does: it has processes to end."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    if not quiet:
        say(f"Examining {clean(who.name)}", style="bold")
    report: Report = await work()
    return report


def _ignore(_: ExerciseResult) -> None:
    pass


def _print_result(result: ExerciseResult) -> None:
    """Print an exercise that has been done."""
    line = Text(f"  {result.milliseconds / 1000:5.1f} s  {result.exercise:<14}", style="dim")
    line.append(EXERCISES[result.exercise].title)
    if result.why is not None:
        line.append(f": not done, {clean(result.why)}", style="yellow")
    if result.exit_status is not None:
        line.append(f": the agent ended with status {result.exit_status}", style="yellow")
    say(line)


def _show(report: Report) -> None:
    is_wide = out().width >= _WIDE
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("", "case", "rule", "figures") if is_wide else ("", "case and rule", "figures"):
        table.add_column(heading, overflow="fold")
    for verdict in report.verdicts:
        mark, style = _MARKS[verdict.status]
        case, rule = Text(verdict.case, style=style), Text(verdict.rule)
        named = [case, rule] if is_wide else [Text("\n").join([case, rule])]
        table.add_row(Text(mark, style=style), *named, _figures(verdict))
    show(table)
    for line in report.lines():
        show(Text(clean(line), style="red" if line[0] in "✗!" else ""))
    show(Text(_summary(report), style="bold"))


def _figures(verdict: Verdict) -> Text:
    if verdict.why is not None:
        return Text(f"not judged: {clean(verdict.why)}", style="dim")
    if not verdict.figures:
        return Text("")
    least, most = verdict.figures[0], verdict.figures[-1]
    text = f"{least} ms" if least == most else f"{least}–{most} ms"
    if verdict.case == "ack" and most > _GOAL:
        return Text(f"{text} (the goal is {_GOAL} ms)", style="yellow")
    return Text(text)


def _summary(report: Report) -> str:
    counts = [sum(one.status == status for one in report.verdicts) for status in _MARKS]
    policies = ", ".join(report.policies) or "unknown"
    text = f"{counts[0]} passed, {counts[1]} violated, {counts[2]} not judged"
    return f"{clean(report.agent)} ({policies}): {text}, in {report.milliseconds / 1000:.1f} s"


def _with_output(message: str, said: str) -> str:
    return message + (f"\nThe agent wrote:\n{said}" if said else "")


def _made(folder: Path) -> Path:
    """Make the folder and return it. Raises `Failure` if it is not empty: the gateway would take up an old state."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(StopIteration):
        next(folder.iterdir())
        raise mistake(f"{folder} is not empty.")
    return folder.resolve()
