"""The states of a Work as its definition parameterises them: which can be reached, what is asked, what is done."""

from __future__ import annotations

from collections.abc import Iterator

from mew_agents.fluxi.fsm import ENDED, TABLE, Event, State, Transition
from mew_agents.language.found import Language
from mew_gateway.documents.durations import format_duration

from .drawing import Drawing, Edge, Style, draw
from .effects import Effect
from .model import Definition
from .version import version_id

_EFFECT_EVENTS = (
    Event.EFFECT_CLAIMED,
    Event.EFFECT_CLAIM_FAILED,
    Event.EFFECT_PROPOSED,
    Event.EFFECT_RECORDED,
    Event.EFFECT_IN_DOUBT,
    Event.EFFECT_RECONCILED,
    Event.RETRY_SCHEDULED,
)
# These can happen to every live Work and change no state: in a picture they would only hide the rest. So would what
# becomes of a compensation, after the end.
_EVERYWHERE = (Event.WORK_SUSPENDED, Event.WORK_RESUMED)
_CONFIRMED = {
    "never": "asked back: only what no rule confirms",
    "ambiguous": "asked back: values of several readings",
    "critical": "asked back: values of several readings, and critical slots",
    "always": "asked back: every value",
}


def diagram(definition: Definition, *, style: Style = "mermaid", language: Language | None = None) -> str:
    """The picture of a definition, in its own words of that language (English if it has it, else its first)."""
    spoken = language or ("en" if "en" in definition.languages else definition.languages[0])
    title = f"{definition.title.get(spoken, definition.type_id)} ({version_id(definition)})"
    rows = tuple(row for row in TABLE if _possible(row, definition))
    return draw(_drawing(title, rows, dict(_notes(definition, spoken)), style), style)


def whole(*, style: Style = "mermaid") -> str:
    """The picture of the whole table."""
    return draw(_drawing("A Work", TABLE, {}, style), style)


def table() -> str:
    """The whole table in Markdown."""
    lines = ["| from | event | to | when |", "|---|---|---|---|"]
    lines += [f"| {row.source or '∅'} | `{row.event}` | {row.target} | {row.when} |" for row in TABLE]
    return "\n".join(lines) + "\n"


def _drawing(title: str, rows: tuple[Transition, ...], notes: dict[str, list[str]], style: Style) -> Drawing:
    edges = [Edge(row.source, row.target, row.event, row.when) for row in rows if _drawn(row, style)]
    reached = {edge.target for edge in edges}
    return Drawing(
        title=title,
        edges=edges,
        notes={state: told for state, told in notes.items() if state in reached},
        ends=[state for state in ENDED if state in reached and state is not State.EXPIRED],
    )


def _drawn(row: Transition, style: Style) -> bool:
    if style == "text":
        return True
    return row.event not in _EVERYWHERE and not (row.source is row.target and row.source in ENDED)


def _possible(row: Transition, definition: Definition) -> bool:
    """Whether a Work of this definition can ever take this transition."""
    states = (row.source, row.target)
    if not definition.effects and (State.EXECUTING in states or row.event in _EFFECT_EVENTS):
        return False
    if row.event is Event.WORK_COMPLETED and row.source is State.ACTIVE:
        return not definition.effects
    if row.event is Event.SEMANTIC_COMMIT and row.target is State.EXECUTING:
        asked = row.source is State.WAITING_CONFIRMATION
        return asked == definition.confirmation.execute
    if row.event in _EFFECT_EVENTS and row.source in ENDED:
        return any(effect.compensate is not None for effect in definition.effects)
    if row.event is Event.RETRY_SCHEDULED:
        return any(effect.retry.attempts > 1 for effect in definition.effects)
    return True


def _notes(definition: Definition, language: Language) -> Iterator[tuple[str, list[str]]]:
    policies, confirmation = definition.policies, definition.confirmation
    if definition.aggregate_key is not None:
        yield State.ACTIVE, [f"one of an account: {definition.aggregate_key}"]
    yield State.WAITING_USER, [f"{slot.path}: {slot.question(language, 'formal')}" for slot in definition.required]
    asked = [_CONFIRMED[confirmation.slots], f"answers are taken for {format_duration(confirmation.ttl)}"]
    if definition.effects and confirmation.execute:
        asked.insert(0, f"asked before it is done: {confirmation.summary.get(language, '')}")
    yield State.WAITING_CONFIRMATION, asked
    yield State.EXECUTING, [line for effect in definition.effects for line in _effect(effect)]
    yield State.EXPIRED, [f"after {format_duration(policies.expiration)} of nothing"]


def _effect(effect: Effect) -> Iterator[str]:
    need = "" if effect.required else ", optional"
    limit = format_duration(effect.timeout)
    yield f"{effect.id}{need}: {effect.tool}, at most {limit}, {effect.retry.attempts} attempts"
    key = "one key" if effect.idempotency == "keyed" else "no key"
    yield f"{effect.id}: {key}, {f'asked with {effect.reconcile}' if effect.reconcile else 'cannot be asked'}"
    if effect.compensate is not None:
        yield f"{effect.id}: undone with {effect.compensate.tool}"
