"""The effects of a definition: which tool is called with what, and how its outcome is known (docs/fluxi.md §4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, PlainValidator, Tag, WithJsonSchema

from mew_agents.language.found import Language
from mew_gateway.documents.problems import echo
from mew_gateway.documents.refusal import refuse

from . import fields, template
from .section import Section, duration, key


class FromSlot(Section):
    """A slot's value as it is, left out when it has none; or a part of it."""

    slot: fields.Path = key("The slot.")
    part: Literal["amount", "currency", "date", "time"] | None = key("Of money or of a datetime, only this.", None)


class FromKey(Section):
    """The idempotency key of an effect of this Work, for tools that are asked about it or undo it."""

    key: fields.Id = key("The effect's id.")


class FromWork(Section):
    """Something about the Work itself."""

    work: Literal["id", "account", "conversation", "sender", "language"] = key("What.")


def _literal(value: Any) -> Any:
    if isinstance(value, str):
        try:
            template.parse(value)
        except ValueError as error:
            raise refuse(f"{error}.", "`{path}` is a slot's value; `{{` and `[[` are the signs themselves") from None
    return value


def _tag(value: Any) -> str:
    """Which kind of argument it is, by the key that it alone has."""
    if isinstance(value, dict):
        return next((f"({name})" for name in ("slot", "key", "work") if name in value), "(literal)")
    match value:
        case FromSlot():
            return "(slot)"
        case FromKey():
            return "(key)"
        case FromWork():
            return "(work)"
    return "(literal)"


_ARGUMENTS = "text, a number, true, false, `{slot: …}`, `{key: …}` or `{work: …}`"


def _scalar(value: Any) -> Any:
    if not isinstance(value, str | int | float | bool):
        raise refuse(f"{echo(value)} is no argument.", _ARGUMENTS)
    return _literal(value)


_LITERAL_SCHEMA = {"type": ["string", "number", "boolean"]}
# A text is a template, filled with the slots' values as machines write them (docs/definitions.md).
Argument = Annotated[
    Annotated[FromSlot, Tag("(slot)")]
    | Annotated[FromKey, Tag("(key)")]
    | Annotated[FromWork, Tag("(work)")]
    | Annotated[str | int | float | bool, PlainValidator(_scalar), WithJsonSchema(_LITERAL_SCHEMA), Tag("(literal)")],
    Discriminator(_tag),
]
Arguments: TypeAlias = dict[fields.Id, Argument]


class Retry(Section):
    """How often a recoverable error is tried again: waits double from `backoff` to `max_backoff`, in milliseconds."""

    attempts: int = key("Attempts in all.", 3, ge=1, le=100)
    backoff: fields.Duration = duration("The first wait.", 2_000, "2s")
    max_backoff: fields.Duration = duration("The longest wait.", 60_000, "1m")


class Call(Section):
    """A tool and what it is given."""

    tool: fields.Tool = key("`participant/name`.")
    args: Arguments = key("By name, what it is given.", {})


class Effect(Call):
    """One call that changes the world. `timeout` is in milliseconds."""

    id: fields.Id = key("Its name within the definition.")
    effect_type: fields.Id = key("What it does, once a definition: a yes is good for one effect of a type.")
    label: fields.Text = key("What people call it, by language, as inside a sentence.", {})
    required: bool = key("Without it the Work has failed.", True)
    idempotency: Literal["keyed", "none"] = key("keyed: the tool does a key's call only once.", "none")
    reconcile: fields.Tool | None = key("The tool that answers, given `{key}`, whether the call was done.", None)
    compensate: Call | None = key("What undoes it. Without this it is irreversible.", None)
    timeout: fields.Duration = duration("How long one attempt may take.", 30_000, "30s")
    retry: Retry = key("When it is tried again.", Retry())
    told: fields.Text = key("Said when it is done, by language; `{name}` is a field of the tool's answer.", {})

    def name(self, language: Language) -> str:
        """What people call it; without a label, its id."""
        return self.label.get(language, self.id)
