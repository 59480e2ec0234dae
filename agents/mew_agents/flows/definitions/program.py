"""A flow as `advance` walks it: each step by its id, and where it goes from there. Pure data, made once at load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .names import ENDS
from .steps import Action, Block, Branch, Call, Confirm, End, Link, Step, While, blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The steps of a flow in the order of its file, and the way through them.

    `first`: where it begins, None in a flow without steps. `after`: where it goes when a step is done: of the last step
    of an arm what follows the branch, of the last one in a loop the loop itself; None: the flow is complete.
    `entries`: where each arm of a branch begins, and the steps of a loop; what an arm without steps leads to is what
    follows. A branch of which no arm is taken goes where `after` says, and so does a loop that is over.
    """

    steps: Mapping[str, Step]
    first: str | None
    after: Mapping[str, str | None]
    entries: Mapping[str, tuple[str | None, ...]]

    def targets(self, step_id: str) -> tuple[str | None, ...]:
        """Every step that may come next, each once; None is an end of the flow."""
        step = self.steps[step_id]
        match step:
            case End() | Link():
                return (None,)
            case Branch():
                found = (*self.entries[step_id], *(() if step.otherwise else (self.after[step_id],)))
            case While():
                found = (*self.entries[step_id], self.after[step_id])
            case Confirm():
                # Without `on_deny` a no leads to where a slot was asked, as any correction does.
                found = (self.after[step_id], *(() if step.on_deny is None else (_jump(step.on_deny),)))
            case Action():
                found = (self.after[step_id], _jump(step.on_error))
            case Call():
                found = (self.after[step_id], None)  # what becomes of the called flow becomes of this one
            case _:
                found = (self.after[step_id],)
        return tuple(dict.fromkeys(found))

    @property
    def reachable(self) -> frozenset[str]:
        """The steps that anything leads to."""
        return self._from([self.first])

    def ahead(self, step_id: str) -> frozenset[str]:
        """The steps that may come some time after a step; itself only where the flow comes back."""
        return self._from(self.targets(step_id))

    def _from(self, starts: Iterable[str | None]) -> frozenset[str]:
        found: set[str] = set()
        ahead = list(starts)
        while ahead:
            step_id = ahead.pop()
            if step_id is not None and step_id not in found and step_id in self.steps:
                found.add(step_id)
                ahead += self.targets(step_id)
        return frozenset(found)


def compiled(steps: tuple[Step, ...]) -> Program:
    """The program of a flow's steps. Of two steps with one id the first one counts; the lint refuses that."""
    found: dict[str, Step] = {}
    after: dict[str, str | None] = {}
    entries: dict[str, tuple[str | None, ...]] = {}

    def enter(block: Block, follows: str | None) -> str | None:
        """Takes in a block; where it begins."""
        following: str | None
        for step, following in zip(block.steps, (*(one.id for one in block.steps[1:]), follows), strict=False):
            if step.id in found:
                continue
            found[step.id], after[step.id] = step, following
            inner = blocks(step, ())
            back = step.id if isinstance(step, While) else following
            if inner:
                entries[step.id] = tuple(enter(one, back) for one in inner)
        return block.steps[0].id if block.steps else follows

    first = enter(Block(("steps",), steps), None)
    return Program(steps=found, first=first, after=after, entries=entries)


def _jump(target: str) -> str | None:
    return None if target in ENDS else target
