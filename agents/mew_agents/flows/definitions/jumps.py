"""Where a flow may go: an effect is reached only by the yes right before it, and a jump stays in sight."""

from __future__ import annotations

from collections.abc import Iterator

from mew_gateway.documents.problems import Fault, did_you_mean, echo

from . import uses
from .model import Flow
from .names import ENDS
from .references import Known
from .steps import Action, Collect, Confirm, Placed, Set, While


def targets(flow: Flow, known: Known) -> Iterator[Fault]:  # noqa: ARG001 - all rules are called alike
    """A jump leads to a step of its own block or of one around it, and never to an effect."""
    for one in uses.placed(flow):
        for name, target in _jumps(one):
            if target in ENDS:
                continue
            visible = [step.id for block in one.blocks for step in block.steps]
            if target not in visible:
                there = target in flow.program.steps
                message = "The step is inside of another block." if there else f"There is no step {echo(target)}."
                yield Fault((*one.path, name), message, did_you_mean(target, (*visible, *ENDS)))
            elif _is_effect(flow, target):
                message = f"{echo(target)} is an effect: only the yes right before it leads there."
                yield Fault((*one.path, name), message, "name the `confirm`")


def effects(flow: Flow, known: Known) -> Iterator[Fault]:  # noqa: ARG001
    """Right before an effect stands a `confirm`."""
    for path, step, around in uses.placed(flow):
        if isinstance(step, Action) and step.effect:
            at = around[-1].steps.index(step)
            if at == 0 or not isinstance(around[-1].steps[at - 1], Confirm):
                yield Fault((*path, "effect"), "No yes comes right before this effect.", "put a `confirm` before it")


def unreachable(flow: Flow) -> Iterator[Fault]:
    """Steps that nothing leads to: of several in a row the first."""
    reached = flow.program.reachable
    for path, step, around in uses.placed(flow):
        if step.id in reached:
            continue
        steps = around[-1].steps
        at = steps.index(step)
        if at == 0 and len(around) > 1:
            continue  # told of the step that it is in
        if at == 0 or steps[at - 1].id in reached:
            yield Fault(path, "Nothing leads here: this step is never done.", "delete it, or let a jump name it")


def circles(flow: Flow) -> Iterator[Fault]:
    """Failures that lead back to what failed, when nobody is asked on the way."""
    emptied = {name for one in uses.placed(flow) if isinstance(one.step, Set) for name in _emptied(one.step)}
    for one in uses.placed(flow):
        step = one.step
        if isinstance(step, Action) and step.on_error not in ENDS and _comes_back(flow, step, emptied):
            message = "If it fails again and again, the flow goes round and asks nobody."
            yield Fault((*one.path, "on_error"), message, "lead to a `confirm`, or `set` what was collected to `null`")


def _jumps(one: Placed) -> Iterator[tuple[str, str]]:
    match one.step:
        case Confirm() if one.step.on_deny is not None:
            yield "on_deny", one.step.on_deny
        case Action():
            yield "on_error", one.step.on_error


def _is_effect(flow: Flow, target: str) -> bool:
    step = flow.program.steps[target]
    return isinstance(step, Action) and step.effect


def _emptied(step: Set) -> Iterator[str]:
    return (name for name, expression in step.set.items() if expression.text in ("null", "None"))


def _comes_back(flow: Flow, step: Action, emptied: set[str]) -> bool:
    """Whether a way leads from its `on_error` to it past no question. A loop ends by itself: its way back is none."""
    ahead: list[str | None] = [step.on_error]
    seen: set[str] = set()
    while ahead:
        at = ahead.pop()
        if at == step.id:
            return True
        if at is None or at in seen or at not in flow.program.steps:
            continue
        seen.add(at)
        here = flow.program.steps[at]
        asks = isinstance(here, Confirm) or (isinstance(here, Collect) and here.collect in emptied)
        if not asks:
            ahead += [one for one in flow.program.targets(at) if not is_way_back(flow, at, one)]
    return False


def is_way_back(flow: Flow, source: str, target: str | None) -> bool:
    """Whether that is the way from the steps of a loop to the loop."""
    loop = flow.program.steps.get(target or "")
    return isinstance(loop, While) and flow.program.after[source] == target and source in _inside(flow, loop.id)


def _inside(flow: Flow, loop_id: str) -> set[str]:
    return {
        one.step.id
        for one in uses.placed(flow)
        for block in one.blocks[1:]
        for around in (flow.program.steps[loop_id],)
        if isinstance(around, While) and block.steps == around.steps
    }
