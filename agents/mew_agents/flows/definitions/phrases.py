"""What a flow says in its own words: templates by language, as one speaks to strangers and to friends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, WithJsonSchema

from mew_agents.fluxi.definitions import fields, template
from mew_agents.fluxi.message import Formality
from mew_agents.language.found import Language
from mew_gateway.documents.refusal import refuse

from .section import FlowSection, key


class Phrase(FlowSection):
    """A template in one language (docs/definitions.md, templates): `{slot}` is a slot's value as people write it."""

    formal: fields.TemplateText = key("To whom one says usted, o senhor.")
    informal: fields.TemplateText = key("To whom one says tú, você.")

    def to(self, formality: Formality) -> str:
        """The template for those people."""
        return self.formal if formality == "formal" else self.informal


def _phrase(value: Any) -> Any:
    """One text is what everybody is told; what is wrong with it is said once."""
    if not isinstance(value, str):
        return value
    try:
        template.parse(value)
    except ValueError as error:
        raise refuse(f"{error}.", "`{slot}` is a slot's value; `{{` and `[[` are the signs themselves") from None
    if not value.strip():
        raise refuse("The text must not be empty.")
    return {"formal": value, "informal": value}


_SAID = {"type": "string", "minLength": 1}
_PHRASE = Annotated[
    Phrase,
    BeforeValidator(_phrase),
    WithJsonSchema(
        {
            "anyOf": [
                _SAID,
                {
                    "type": "object",
                    "properties": {"formal": _SAID, "informal": _SAID},
                    "required": ["formal", "informal"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
Phrases: TypeAlias = dict[Language, _PHRASE]


def phrase(told: Mapping[Language, Phrase], language: Language, formality: Formality) -> str:
    """The template to say; in a language that the flow has not, as in one that it has. "" of no phrases."""
    one = told[language] if language in told else next(iter(told.values()), None)
    return "" if one is None else one.to(formality)
