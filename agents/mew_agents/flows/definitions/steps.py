"""The steps of a flow, one class a verb: what a person is told and asked, what is decided, what is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

from pydantic import BeforeValidator, Discriminator, Tag

from mew_agents.fluxi.definitions import effects, fields
from mew_agents.language.found import Language
from mew_gateway.documents.problems import KeyPath, echo, nearest
from mew_gateway.documents.refusal import refuse

from .arguments import FlowArguments
from .computed import Computed
from .names import FlowName, Outcome, SlotName, StepId, Target
from .phrases import Phrases
from .section import CLOSED, FlowSection, duration, key

Assignments: TypeAlias = dict[SlotName, Computed]


class StepSection(FlowSection):
    """What every step has. `id` is unique in the flow."""

    id: StepId = key("Its name in the flow.")


class Say(StepSection):
    """Says something, and goes on."""

    say: Phrases = key("What is said, by language.", min_length=1)


class Collect(StepSection):
    """Asks for a slot while it has no value."""

    collect: SlotName = key("The slot.")


class Confirm(StepSection):
    """Asks for a yes. `ttl`, in milliseconds, is how long a yes is taken."""

    confirm: Phrases = key("What is asked, by language.", min_length=1)
    ttl: fields.Duration = duration("How long a yes is taken.", 86_400_000, "1d")
    on_deny: Target | None = key("Where a no leads; without it, what is to be different is asked.", None)


class Set(StepSection):
    """Gives slots values: all are worked out with what the slots held before."""

    set: Assignments = key("By slot, an expression.", min_length=1, json_schema_extra=CLOSED)


class When(FlowSection):
    """An arm that is taken if its condition holds and none before it did."""

    when: Computed = key("The condition.")
    steps: fields.Sequence[AnyStep] = key("What is done then.")


class Else(FlowSection):
    """The arm that is taken when no other is."""

    steps: fields.Sequence[AnyStep] = key("What is done then.", alias="else")


def _arm(value: Any) -> str:
    return "(else)" if isinstance(value, Else) or (isinstance(value, dict) and "else" in value) else "(when)"


Arm = Annotated[Annotated[When, Tag("(when)")] | Annotated[Else, Tag("(else)")], Discriminator(_arm)]


class Branch(StepSection):
    """Takes the first arm whose condition holds; afterwards all go on together."""

    branch: fields.Some[Arm] = key("The arms.")

    @property
    def otherwise(self) -> bool:
        """Whether some arm is always taken."""
        return any(isinstance(arm, Else) for arm in self.branch)


class While(StepSection):
    """Does its steps as long as a condition holds; more than `max` times in a row fails the flow."""

    condition: Computed = key("The condition.", alias="while")
    max: int = key("How often, at most.", 100, ge=1, le=10_000)
    steps: fields.Some[AnyStep] = key("What is done each time.")


class FlowRetry(FlowSection):
    """How often a recoverable error is tried again: waits double from `backoff` to `max_backoff`, in milliseconds."""

    attempts: int = key("Attempts in all.", 3, ge=1, le=100)
    backoff: fields.Duration = duration("The first wait.", 2_000, "2s")
    max_backoff: fields.Duration = duration("The longest wait.", 60_000, "1m")


class Undo(FlowSection):
    """What undoes an effect."""

    tool: fields.Tool = key("`participant/name`.")
    args: effects.Arguments = key("By name, what it is given; `{key: step}` is the effect's own key.", {})


class Action(StepSection):
    """Calls a tool. `timeout` is in milliseconds; `effect`: it changes the world, so a yes comes right before it."""

    action: fields.Tool = key("`participant/name`.")
    args: FlowArguments = key("By name, what it is given.", {})
    result: Assignments = key(
        "By slot, an expression of `result`, which is what the tool answers.", {}, json_schema_extra=CLOSED
    )
    effect: bool = key("It changes the world: Fluxi does it, once.", False)
    label: fields.Text = key("What people call it, by language, as inside a sentence.", {})
    timeout: fields.Duration = duration("How long one attempt may take.", 30_000, "30s")
    retry: FlowRetry = key("When an effect is tried again.", FlowRetry())
    idempotency: Literal["keyed", "none"] = key("keyed: the tool does a key's call only once.", "none")
    reconcile: fields.Tool | None = key("The tool that answers, given `{key}`, whether the effect happened.", None)
    compensate: Undo | None = key("What undoes the effect. Without this it is irreversible.", None)
    on_error: Target = key("Where it leads when the call was not done.", "fail")

    def name(self, language: Language) -> str:
        """What people call it; without a label, its id."""
        return self.label.get(language, self.id)


class Call(StepSection):
    """Has another flow done, and goes on after it; that one's slots are its own."""

    call: FlowName = key("The flow.")
    given: Assignments = key(
        "By slot of that flow, an expression of this one's slots.", {}, alias="with", json_schema_extra=CLOSED
    )
    take: Assignments = key(
        "By slot of this flow, an expression of that one's slots at its end.", {}, json_schema_extra=CLOSED
    )


class Link(StepSection):
    """Ends here and goes on with another flow, without return."""

    link: FlowName = key("The flow.")
    given: Assignments = key(
        "By slot of that flow, an expression of this one's slots.", {}, alias="with", json_schema_extra=CLOSED
    )


class End(StepSection):
    """Ends the flow."""

    end: Outcome = key("How.")


Step: TypeAlias = Say | Collect | Confirm | Set | Branch | While | Action | Call | Link | End
VERBS = ("say", "collect", "confirm", "set", "branch", "while", "action", "call", "link", "end")
_OF: dict[str, type[StepSection]] = dict(zip(VERBS, get_args(Step), strict=True))
_VERB: dict[type[StepSection], str] = {kind: verb for verb, kind in _OF.items()}


def verb(step: Step) -> str:
    """The key that says what it does."""
    return _VERB[type(step)]


def _one_verb(value: Any) -> Any:
    """Told here, where it can be said well, of what the union would say badly."""
    if not isinstance(value, dict):
        return value
    verbs = [name for name in value if name in _OF]
    if len(verbs) > 1:
        raise refuse(f"A step does one thing, not {echo(verbs[0])} and {echo(verbs[1])}.", "make two steps of it")
    if not verbs:
        hints = (nearest(name, VERBS) for name in value if isinstance(name, str) and name not in _KNOWN)
        raise refuse("The step does nothing.", next(filter(None, hints), None) or f"one of {', '.join(VERBS)}")
    return value


_KNOWN = {field.alias or name for kind in _OF.values() for name, field in kind.model_fields.items()}


def _tag(value: Any) -> str | None:
    if isinstance(value, dict):
        return next((f"({name})" for name in VERBS if name in value), None)
    return f"({_VERB[type(value)]})" if type(value) in _VERB else None


AnyStep = Annotated[
    Annotated[Say, Tag("(say)")]
    | Annotated[Collect, Tag("(collect)")]
    | Annotated[Confirm, Tag("(confirm)")]
    | Annotated[Set, Tag("(set)")]
    | Annotated[Branch, Tag("(branch)")]
    | Annotated[While, Tag("(while)")]
    | Annotated[Action, Tag("(action)")]
    | Annotated[Call, Tag("(call)")]
    | Annotated[Link, Tag("(link)")]
    | Annotated[End, Tag("(end)")],
    Discriminator(_tag),
    BeforeValidator(_one_verb),
]
for _kind in (When, Else, Branch, While):
    _kind.model_rebuild()


class Block(NamedTuple):
    """Steps that are done one after the other, and where they stand in the flow."""

    path: KeyPath
    steps: tuple[Step, ...]


class Placed(NamedTuple):
    """A step, where it stands, and the blocks around it, the innermost last."""

    path: KeyPath
    step: Step
    blocks: tuple[Block, ...]


def blocks(step: Step, path: KeyPath) -> tuple[Block, ...]:
    """The blocks within a step."""
    match step:
        case Branch():
            arms = enumerate(step.branch)
            return tuple(
                Block((*path, "branch", at, "steps" if isinstance(arm, When) else "else"), arm.steps)
                for at, arm in arms
            )
        case While():
            return (Block((*path, "steps"), step.steps),)
        case _:
            return ()


def walk(block: Block, around: tuple[Block, ...] = ()) -> Iterator[Placed]:
    """Every step of a block and of what is within it, in the order of the file."""
    inside = (*around, block)
    for at, step in enumerate(block.steps):
        path = (*block.path, at)
        yield Placed(path, step, inside)
        for inner in blocks(step, path):
            yield from walk(inner, inside)
