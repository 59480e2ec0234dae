"""Ways of flows that go round for good: they come back past no question, no effect and no choice."""

from __future__ import annotations

from collections.abc import Iterator

from mew_gateway.documents.problems import Fault

from . import uses
from .jumps import is_way_back
from .model import Flow
from .names import ENDS
from .references import Known
from .steps import Action, Branch, Call, Collect, Confirm, Link, Step


def rounds(flow: Flow, known: Known) -> Iterator[Fault]:
    """Failures that lead straight back to what failed, and flows that go on with each other."""
    for path, step, _ in uses.placed(flow):
        if isinstance(step, Action) and step.on_error not in ENDS and step.id in _straight(flow, step.on_error, known):
            message = "While it fails, the flow goes round for good."
            yield Fault((*path, "on_error"), message, "lead to a `confirm`, or `branch` to an end on the way")
    straight = set(_links(flow, known))
    for path, step, _ in uses.placed(flow):
        if isinstance(step, Link) and step.link in straight and _leads(step.link, flow.name, known):
            message = "The flows go on with each other for good, and ask nobody."
            yield Fault((*path, "link"), message, "`collect` or `confirm` something on the way")


def _waits(step: Step | None, known: Known, within: frozenset[str] = frozenset()) -> bool:
    """Whether a step asks, has an effect or chooses the way, or a flow that it calls has such a step."""
    match step:
        case Collect() | Confirm() | Branch():
            return True
        case Action():
            return step.effect
        case Call() if step.call in known and step.call not in within:
            inside = (one.step for one in uses.placed(known[step.call]))
            return any(_waits(one, known, within | {step.call}) for one in inside)
        case _:
            return False


def _straight(flow: Flow, start: str | None, known: Known) -> set[str]:
    """The steps that a way leads to from one, it included. A loop ends by itself: its way back is none."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        at = ahead.pop()
        if at is None or at in found or _waits(flow.program.steps.get(at), known) or at not in flow.program.steps:
            continue
        found.add(at)
        ahead += [one for one in flow.program.targets(at) if not is_way_back(flow, at, one)]
    return found


def _links(flow: Flow, known: Known) -> Iterator[str]:
    """The flows that it goes on with straight from its beginning."""
    steps = (flow.program.steps[step] for step in _straight(flow, flow.program.first, known))
    return (step.link for step in steps if isinstance(step, Link))


def _leads(start: str, goal: str, known: Known) -> bool:
    ahead, seen = [start], set[str]()
    while ahead:
        name = ahead.pop()
        if name == goal:
            return True
        if name in known and name not in seen:
            seen.add(name)
            ahead += _links(known[name], known)
    return False
