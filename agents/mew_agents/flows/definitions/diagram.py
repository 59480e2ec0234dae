"""A flow as a picture: its steps, what decides, what waits for a person and what changes the world."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias, assert_never

from mew_agents.language.found import Language

from .model import Flow
from .names import ENDS
from .phrases import phrase
from .steps import (
    Action,
    Block,
    Branch,
    Call,
    Collect,
    Confirm,
    Else,
    End,
    Link,
    Say,
    Set,
    Step,
    While,
    blocks,
)

FlowStyle: TypeAlias = Literal["mermaid", "text"]
_WIDTH = 96
_LONGEST = 60  # of a line in a box
# How Mermaid draws what a step does: who waits is round, what decides has six sides, an effect has double ones.
_SHAPES = {
    "box": ('["', '"]'),
    "wait": ('(["', '"])'),
    "decide": ('{{"', '"}}'),
    "effect": ('[["', '"]]'),
}


class Arrow(NamedTuple):
    """From a step to another, or to an end of the flow."""

    source: str
    target: str
    label: str = ""


def diagram(flow: Flow, *, style: FlowStyle = "mermaid", language: Language | None = None) -> str:
    """The picture of a flow, in its own words of that language (English if it has it, else its first)."""
    spoken = language or ("en" if "en" in flow.languages else flow.languages[0])
    match style:
        case "mermaid":
            return _mermaid(flow, spoken)
        case "text":
            return _text(flow, spoken)
        case _:
            assert_never(style)


def arrows(flow: Flow) -> Iterator[Arrow]:
    """Every way through a flow, in the order of its file. `completed`, `cancelled` and `failed` are its ends."""
    for step in flow.program.steps.values():
        yield from _arrows(flow, step)


def _arrows(flow: Flow, step: Step) -> Iterator[Arrow]:
    after = flow.program.after[step.id] or "completed"
    match step:
        case Branch():
            for arm, entry in zip(step.branch, flow.program.entries[step.id], strict=True):
                yield Arrow(step.id, entry or "completed", "else" if isinstance(arm, Else) else arm.when.text)
            if not step.otherwise:
                yield Arrow(step.id, after, "else")
        case While():
            (body,) = flow.program.entries[step.id]
            yield Arrow(step.id, str(body), f"{step.condition.text}, at most {step.max} times")
            yield Arrow(step.id, after, "else")
        case Confirm():
            yield Arrow(step.id, after, "yes")
            if step.on_deny is None:
                yield Arrow(step.id, step.id, "no: what is to change?")
            else:
                yield Arrow(step.id, ENDS.get(step.on_deny, step.on_deny), "no")
        case Action():
            yield Arrow(step.id, after, "done")
            yield Arrow(step.id, ENDS.get(step.on_error, step.on_error), "not done")
        case End():
            yield Arrow(step.id, step.end)
        case Link():
            yield Arrow(step.id, f"flow {step.link}")
        case Say() | Collect() | Set() | Call():
            yield Arrow(step.id, after)
        case _:
            assert_never(step)


def _told(flow: Flow, step: Step, language: Language) -> list[str]:
    """What a step does, line by line."""
    match step:
        case Say():
            return [f"says: {phrase(step.say, language, 'formal')}"]
        case Collect():
            asked = flow.slots[step.collect].slot.question(language, "formal")
            return [f"asks for {step.collect}: {asked}"]
        case Confirm():
            return [f"asks for a yes: {phrase(step.confirm, language, 'formal')}"]
        case Set():
            return [f"{name} = {expression.text}" for name, expression in step.set.items()]
        case Branch():
            return ["decides"]
        case While():
            return ["repeats"]
        case Action():
            done = [f"does {step.action}, once" if step.effect else f"calls {step.action}"]
            return [*done, *(f"{name} = {expression.text}" for name, expression in step.result.items())]
        case Call():
            return [f"has {step.call} done"]
        case Link():
            return [f"goes on with {step.link}"]
        case End():
            return [f"ends {step.end}"]
        case _:
            assert_never(step)


def _mermaid(flow: Flow, language: Language) -> str:
    drawn = list(arrows(flow))
    ends = dict.fromkeys(arrow.target for arrow in drawn if arrow.target not in flow.program.steps)
    lines = ["---", f"title: {_quoted(_title(flow, language))}", "---", "flowchart TD", "    begin((( )))"]
    for step in flow.program.steps.values():
        opening, closing = _SHAPES[_shape(step)]
        shown = "<br>".join([f"<b>{step.id}</b>", *(_flat(line) for line in _told(flow, step, language))])
        lines.append(f"    s_{step.id}{opening}{shown}{closing}")
    lines += [f'    {_node(flow, end)}(("{_flat(end)}"))' for end in ends]
    lines.append(f"    begin --> {_node(flow, flow.program.first or 'completed')}")
    for source, target, label in drawn:
        arrow = f'-->|"{_flat(label)}"|' if label else "-->"
        lines.append(f"    s_{source} {arrow} {_node(flow, target)}")
    return "\n".join(lines) + "\n"


def _shape(step: Step) -> str:
    match step:
        case Collect() | Confirm():
            return "wait"
        case Branch() | While():
            return "decide"
        case Action() if step.effect:
            return "effect"
        case _:
            return "box"


def _node(flow: Flow, name: str) -> str:
    """Names of nodes that are no words of Mermaid."""
    return f"s_{name}" if name in flow.program.steps else f"e_{name.replace(' ', '_')}"


def _text(flow: Flow, language: Language) -> str:
    return "\n".join([_title(flow, language), "", *_lines(flow, flow.block, language, 0)]) + "\n"


def _lines(flow: Flow, block: Block, language: Language, depth: int) -> Iterator[str]:
    """The steps as they stand in the file; jumps are told by the step's id."""
    indent = "    " * depth
    for step in block.steps:
        yield from textwrap.wrap(
            f"{indent}{step.id}  {'; '.join(_told(flow, step, language))}",
            max(_WIDTH, len(indent) + 40),
            subsequent_indent=indent + " " * (len(step.id) + 2),
        )
        inner = blocks(step, ())
        entered = [arrow for arrow in _arrows(flow, step) if arrow.label]
        if not inner:
            jumps = (arrow for arrow in entered if arrow.target != (flow.program.after[step.id] or "completed"))
            yield from (f"{indent}    {arrow.label} → {arrow.target}" for arrow in jumps)
        for one, arrow in zip(inner, entered, strict=False):
            yield f"{indent}    {arrow.label}:"
            yield from _lines(flow, one, language, depth + 2)


def _title(flow: Flow, language: Language) -> str:
    return f"{flow.title.get(language, flow.name)} ({flow.version})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _flat(text: str) -> str:
    """On one line, and without what means something to Mermaid or to HTML."""
    plain = textwrap.shorten(" ".join(text.split()), _LONGEST, placeholder="…")
    return "".join(f"#{ord(sign)};" if sign in '"<>&#;|`' else sign for sign in plain)
