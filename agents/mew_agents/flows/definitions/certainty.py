"""Which slots surely have a value when a step is reached."""

from __future__ import annotations

from collections.abc import Iterator

from mew_agents.fluxi.definitions import template
from mew_gateway.documents.problems import Fault

from . import uses
from .model import Flow
from .phrases import Phrases
from .references import Known
from .steps import Action, Call, Collect, Confirm, Link, Say, Set, Step

Sure = frozenset[str]


def texts(flow: Flow, known: Known) -> Iterator[Fault]:
    """Texts with a place, outside of brackets, for what may have no value then."""
    sure = certain(flow, begins_with=_given(flow, known))
    for path, step, _ in uses.placed(flow):
        told: Phrases = {}
        match step:
            case Say():
                told, key = step.say, "say"
            case Confirm():
                told, key = step.confirm, "confirm"
        for language, phrase in told.items():
            places = (*template.parse(phrase.formal).required, *template.parse(phrase.informal).required)
            for name in dict.fromkeys(places):
                if step.id in sure and name in flow.slots and name not in sure[step.id]:
                    remedy = f"put what depends on it in brackets: `[, {{{name}}}]`"
                    yield Fault((*path, key, language), f"`{name}` may have no value here.", remedy)


def certain(flow: Flow, *, begins_with: Sure = frozenset()) -> dict[str, Sure]:
    """By step that can be reached, the slots that have a value whatever the way there."""
    program = flow.program
    found: dict[str, Sure] = {}
    ahead = [(program.first, begins_with)]
    while ahead:
        step_id, known = ahead.pop()
        if step_id is None or step_id not in program.steps:
            continue
        before = found.get(step_id)
        now = known if before is None else before & known
        if now == before:
            continue
        found[step_id] = now
        step = program.steps[step_id]
        done = _done(step, now)
        failed = step.on_error if isinstance(step, Action) else None
        ahead += [
            (one, done if one == program.after[step_id] and one != failed else now) for one in program.targets(step_id)
        ]
    return found


def _done(step: Step, before: Sure) -> Sure:
    """What has a value when a step is done, failed ones aside."""
    match step:
        case Collect():
            return before | {step.collect}
        case Set():
            emptied = {name for name, expression in step.set.items() if expression.text in ("null", "None")}
            return (before | step.set.keys()) - emptied
        case Action():
            return before | step.result.keys()
        case Call():
            return before | step.take.keys()
        case _:
            return before


def _given(flow: Flow, known: Known) -> Sure:
    """What every flow that begins it gives it. What people begin begins with nothing."""
    if flow.triggers:
        return frozenset()
    begun = [
        frozenset(step.given)
        for other in known.values()
        for _, step, _ in uses.placed(other)
        if (isinstance(step, Call) and step.call == flow.name) or (isinstance(step, Link) and step.link == flow.name)
    ]
    return frozenset.intersection(*begun) if begun else frozenset(flow.slots)
