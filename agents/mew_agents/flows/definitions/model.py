"""A flow: what it asks, says and does, and the definitions that Fluxi works on it with (docs/flow-files.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from mew_agents.fluxi.definitions import fields
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.language.found import LANGUAGES, Language

from .derived import definition, effect_definition
from .meaning import meant, told
from .names import FlowName, SlotName
from .program import Program, compiled
from .section import CLOSED, FlowSection, key
from .slot_types import AnySlotSection
from .slots import FlowSlot
from .steps import Action, AnyStep, Block, Collect, Step, walk

_SHOWN = 12  # hexadecimal digits of the hash in a version


class FlowBody(FlowSection):
    """A flow as a file has it, without its name."""

    title: fields.Text = key("What people call it, by language.", min_length=1)
    description: fields.Text = key("What it is for, by language: for models and for people who choose.", {})
    triggers: fields.Words = key("Words that ask for it, by language. None: only other flows begin it.", {})
    examples: fields.Words = key("Whole sentences that ask for it, by language.", {})
    digression: Literal["allow", "deny"] = key("deny: no other flow is begun while this one waits.", "allow")
    slots: dict[SlotName, AnySlotSection] = key("What it knows, by name.", {}, json_schema_extra=CLOSED)
    steps: fields.Some[AnyStep] = key("What it does, in this order.")


class FlowFile(FlowSection):
    """A flow file."""

    flows: dict[FlowName, FlowBody] = key("The flows, by name.", min_length=1, json_schema_extra=CLOSED)


class Flow:
    """A flow, which never changes: `version` names this very content. Equal to another of the same version."""

    def __init__(self, name: str, body: FlowBody) -> None:
        self.name = name
        self.body = body
        self.program: Program = compiled(body.steps)
        asked = {step.collect for step in self.program.steps.values() if isinstance(step, Collect)}
        self.slots: Mapping[str, FlowSlot] = {
            path: section.whole(path, required=path in asked, heard=path in asked or bool(section.cues))
            for path, section in body.slots.items()
        }

    @property
    def title(self) -> Mapping[Language, str]:
        """What people call it."""
        return self.body.title

    @property
    def description(self) -> Mapping[Language, str]:
        """What it is for."""
        return self.body.description

    @property
    def triggers(self) -> Mapping[Language, tuple[str, ...]]:
        """The words that ask for it; none: only other flows begin it."""
        return self.body.triggers

    @property
    def examples(self) -> Mapping[Language, tuple[str, ...]]:
        """Whole sentences that ask for it."""
        return self.body.examples

    @property
    def digression(self) -> Literal["allow", "deny"]:
        """Whether another flow may be begun while this one waits."""
        return self.body.digression

    @property
    def steps(self) -> tuple[Step, ...]:
        """What it does, as the file has it; `program` is what is walked."""
        return self.body.steps

    @property
    def block(self) -> Block:
        """Its steps, and where they stand in it."""
        return Block(("steps",), self.steps)

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """The languages of its title."""
        return tuple(language for language in LANGUAGES if language in self.title)

    @cached_property
    def effects(self) -> tuple[str, ...]:
        """The ids of the actions that change the world, in the order of the file."""
        every = (placed.step for placed in walk(self.block))
        return tuple(step.id for step in every if isinstance(step, Action) and step.effect)

    @cached_property
    def definition(self) -> Definition:
        """The flow as Fluxi's rules and wording take it: its words, and the slots that people fill. No effects."""
        heard = tuple(slot.slot for slot in self.slots.values() if slot.heard)
        return definition(self.name, self.title, self.triggers, self.examples, heard)

    @cached_property
    def full_definition(self) -> Definition:
        """The same with every slot, also those that only its steps fill: for what is made of all values."""
        return definition(self.name, self.title, self.triggers, self.examples, self._fluxi_slots)

    @cached_property
    def _effect_definitions(self) -> dict[str, Definition]:
        actions = ((effect, self.program.steps[effect]) for effect in self.effects)
        return {
            effect: effect_definition(self.name, self.title, self._fluxi_slots, action)
            for effect, action in actions
            if isinstance(action, Action)
        }

    def effect_definition(self, step_id: str) -> Definition:
        """What the Work of an effect is opened with: `flow.step`, its one effect. Raises `KeyError`."""
        return self._effect_definitions[step_id]

    @property
    def _fluxi_slots(self) -> tuple[Any, ...]:
        return tuple(slot.slot for slot in self.slots.values())

    def scope(self, values: Mapping[str, Any], *, now: datetime, **given: Any) -> dict[str, Any]:
        """What its expressions are worked out with: its slots, `today` and `now`.

        `values`: what slots hold, as stored. `now` is in the zone that hours are meant in. `given`: `result`, as the
        tool answered it, or `value`, as expressions take it. Raises `Unevaluable` for what is no value of a slot.
        """
        known = {name: meant(slot.slot, values.get(name)) for name, slot in self.slots.items()}
        extra = {name: told(value) for name, value in given.items()}
        return {**known, "now": now, "today": now.date(), **extra}

    @cached_property
    def document(self) -> str:
        """The flow as JSON without what is default; `restore` reads it.

        Of slots, options and languages the order of the file is kept, which counts; that of fixed keys does not.
        """
        plain = {"name": self.name, **self.body.model_dump(mode="json", by_alias=True, exclude_defaults=True)}
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def version(self) -> str:
        """`name@hash12`: this content and no other."""
        return f"{self.name}@{hashlib.sha256(self.document.encode()).hexdigest()[:_SHOWN]}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flow) and other.document == self.document

    def __hash__(self) -> int:
        return hash(self.document)

    def __repr__(self) -> str:
        return f"Flow({self.version})"


def restore(document: str) -> Flow:
    """The flow in a `document`."""
    plain = json.loads(document)
    name = plain.pop("name")
    return Flow(name, FlowBody.model_validate(plain))
