"""The slots of a flow: Fluxi's, written by name, with what their values must keep to under `validators`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import ConfigDict, TypeAdapter, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from mew_agents.fluxi.definitions import fields, template
from mew_agents.fluxi.definitions.slots import AnySlot, Slot
from mew_agents.language.found import Language
from mew_gateway.documents.refusal import refuse

from .computed import Computed
from .expressions import Expression
from .phrases import Phrase, Phrases
from .section import FlowSection, key

_OURS: Final = {"check", "message"}
_FLUXI: TypeAdapter[Slot] = TypeAdapter(AnySlot)


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold of a new `value`, whatever else there is, and what is said if it does not."""

    that: Expression
    message: Mapping[Language, Phrase]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSlot:
    """A slot of a flow. `slot`: as Fluxi has it, with its bounds and its question; `explain`: what Clarify is answered.

    `checks` come after the bounds. `heard`: people fill it, for it is collected or has cues; others are the flow's own,
    and no message is read for them.
    """

    name: str
    slot: Slot
    heard: bool
    explain: Mapping[Language, Phrase]
    checks: tuple[Check, ...]


class Validators(FlowSection):
    """What every type has: a condition of one's own."""

    model_config = ConfigDict(json_schema_extra={"dependentRequired": {"check": ["message"], "message": ["check"]}})

    check: Computed | None = key("What must hold: an expression of `value` and other slots.", None)
    message: Phrases = key("What is said when `check` does not hold.", {})

    @model_validator(mode="after")
    def _both(self) -> Validators:
        if (self.check is None) == bool(self.message):
            raise refuse("A `check` and a `message` belong together.", "write both")
        return self


class SlotSection(FlowSection):
    """What every slot has besides its type and its validators."""

    validators: Validators = key("Which values it takes.", Validators())
    label: fields.Text = key("What people call it, by language, as inside a sentence.", {})
    ask: Phrases = key("The question for it, by language; formal and informal where they differ.", {})
    cues: fields.Words = key("Words that its value follows in a sentence, such as `a nombre de`.", {})
    explain: Phrases = key("What is said to somebody who asks what is meant by the question.", {})

    @model_validator(mode="after")
    def _possible(self) -> SlotSection:
        """Complain here, where the place in the file is known, of what only Fluxi's slot as a whole can refuse."""
        try:
            self.slot("slot", required=False)
        except ValidationError as error:
            context = error.errors(include_url=False)[0].get("ctx", {})
            raise refuse(str(context.get("message", error)), context.get("suggestion")) from None
        return self

    def slot(self, name: str, *, required: bool) -> Slot:
        """The slot as Fluxi has it. `required`: the flow asks for it."""
        told = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"ask", "explain"})
        bounds = {to_camel(bound): value for bound, value in told.pop("validators", {}).items() if bound not in _OURS}
        asked = {language: {form: _as_said(text) for form, text in one} for language, one in self.ask.items()}
        return _FLUXI.validate_python(
            {"label": {}, **told, **bounds, "path": name, "required": required, "prompt": asked}
        )

    def whole(self, name: str, *, required: bool, heard: bool) -> FlowSlot:
        """The slot of that name."""
        own = self.validators
        checks = () if own.check is None else (Check(own.check, own.message),)
        return FlowSlot(
            name=name, slot=self.slot(name, required=required), heard=heard, explain=self.explain, checks=checks
        )


def _as_said(text: str) -> str:
    """A question without places, as Fluxi says it. One with places is refused by the lint, and stays as it is."""
    parsed = template.parse(text)
    return text if parsed.names else parsed.fill({})
