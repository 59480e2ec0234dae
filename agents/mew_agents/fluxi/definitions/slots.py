"""The slots of a definition: what a Work of it must know, one class a family of types (docs/fluxi.md §3)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from mew_agents.fluxi.message import Formality
from mew_agents.language.found import Language
from mew_gateway.documents.refusal import refuse

from . import fields
from .section import Section, key

_T = TypeVar("_T")


class Question(Section):
    """What is asked, in one language, as one speaks to strangers and to friends."""

    formal: fields.Sentence = key("To whom one says usted, o senhor.")
    informal: fields.Sentence = key("To whom one says tú, você.")


def _question(value: Any) -> Any:
    return {"formal": value, "informal": value} if isinstance(value, str) else value


_ASKED = Annotated[
    Question,
    BeforeValidator(_question),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {
                    "type": "object",
                    "properties": {form: {"type": "string", "minLength": 1} for form in ("formal", "informal")},
                    "required": ["formal", "informal"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]


def _as_written(value: Any) -> Any:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return str(value) if is_number else value


# A number is kept as text, as `"1"` is: both mean the same version of a definition.
_VALUE = BeforeValidator(_as_written, json_schema_input_type=str | bool | int | float | None)


class Default(Section):
    """What a slot holds until somebody says otherwise: one of the two."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    value: Annotated[str | bool | None, _VALUE] = key("The value, written as the slot's type is written.", None)
    sender: bool = key("The id of the participant who speaks.", False)

    @model_validator(mode="after")
    def _one_of_them(self) -> Default:
        if (self.value is None) != self.sender:
            raise refuse("A default is either a value or the sender.", "`{value: …}` or `{sender: true}`")
        return self


def _in(told: Mapping[Language, _T], language: Language) -> _T | None:
    return told[language] if language in told else next(iter(told.values()), None)


class SlotBase(Section):
    """What every slot has. `path` names it everywhere else."""

    path: fields.Path = key("Its name, such as `doctor` or `patient.name`.")
    required: bool = key("The Work asks for it, and does nothing without it.", False)
    immutable: bool = key("Once committed, it never changes.", False)
    critical: bool = key("Asked to be confirmed by `confirmation.slots: critical`.", False)
    label: fields.Text = key("What people call it, by language, as inside a sentence.")
    prompt: dict[Language, _ASKED] = key("The question for it, by language; formal and informal where they differ.", {})
    explain: fields.Text = key("What it is needed for, by language: said to whoever asks why.", {})
    cues: fields.Words = key("Words that its value follows in a sentence, such as `a nombre de`.", {})
    default: Default | None = key("What it holds until somebody says otherwise.", None)

    def name(self, language: Language) -> str:
        """What people call it; in a language that the definition has not, as in one that it has."""
        return _in(self.label, language) or self.path

    def question(self, language: Language, formality: Formality) -> str:
        """The question for it. Without one, its name and a question mark."""
        asked = _in(self.prompt, language)
        if asked is None:
            return f"{self.name(language)}?"
        return asked.formal if formality == "formal" else asked.informal


class StringSlot(SlotBase):
    """A few words, or with a pattern a code; `text` takes several sentences."""

    type: Literal["string", "text"]
    pattern: fields.Regex | None = key("What it looks like.", None)
    min_length: int = key("Characters, at least.", 1, ge=1)
    max_length: int = key("Characters, at most.", 2_000, ge=1, le=20_000)


class NumberSlot(SlotBase):
    """A whole number, or any."""

    type: Literal["int", "number"]
    min: fields.Number | None = key("The least.", None)
    max: fields.Number | None = key("The most.", None)


class MoneySlot(SlotBase):
    """An amount and its currency."""

    type: Literal["money"]
    currency: fields.Currency = key("The currency when none is said.")
    currencies: fields.Sequence[fields.Currency] = key("The only ones taken; none named: `currency` alone.", ())
    min: fields.Number | None = key("The least.", None)
    max: fields.Number | None = key("The most.", None)

    @property
    def accepted(self) -> tuple[str, ...]:
        """The currencies that are taken, the one for when none is said first."""
        return tuple(dict.fromkeys((self.currency, *self.currencies)))


class BoolSlot(SlotBase):
    """Yes or no."""

    type: Literal["bool"]


class EnumSlot(SlotBase):
    """One of a few, each with the words for it; the first is said back."""

    type: Literal["enum"]
    options: dict[fields.Id, fields.Words] = key("By id and language, words that mean it.", min_length=1)

    def display(self, value: str, language: Language) -> str:
        """How people call an option. An id that is none is its own name."""
        words = self.options.get(value, {}).get(language)
        return words[0] if words else value


class DateSlot(SlotBase):
    """A day."""

    type: Literal["date"]
    future_only: bool = key("Not before today.", False)
    past: bool = key("Not after today: `Saturday` is the last one.", False)
    within: fields.Duration | None = key("Not later than this from now.", None)
    weekdays: fields.Weekdays | None = key("The only days taken.", None)


class TimeSlot(SlotBase):
    """A time of day."""

    type: Literal["time"]
    earliest: fields.TimeOfDay | None = key("Not before this time of day.", None)
    latest: fields.TimeOfDay | None = key("Not after this time of day.", None)


class DatetimeSlot(SlotBase):
    """A day and a time, in the time zone of the conversation."""

    type: Literal["datetime"]
    future_only: bool = key("Not before now.", False)
    past: bool = key("Not after now: `Saturday` is the last one.", False)
    within: fields.Duration | None = key("Not later than this from now.", None)
    weekdays: fields.Weekdays | None = key("The only days taken.", None)
    earliest: fields.TimeOfDay | None = key("Not before this time of day.", None)
    latest: fields.TimeOfDay | None = key("Not after this time of day.", None)


class DurationSlot(SlotBase):
    """A length of time. Bounds in milliseconds."""

    type: Literal["duration"]
    min: fields.Duration | None = key("The least.", None)
    max: fields.Duration | None = key("The most.", None)


class PhoneSlot(SlotBase):
    """A telephone number."""

    type: Literal["phone"]
    region: fields.Region | None = key("Whose numbers need no prefix; without it, every number needs one.", None)


class EmailSlot(SlotBase):
    """An e-mail address."""

    type: Literal["email"]


def _names(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[
    fields.Some[fields.Sentence],
    BeforeValidator(_names),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
            ]
        }
    ),
]


class RefSlot(SlotBase):
    """Somebody or something out of a list, in the definition or asked of a tool; the first name is said back."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["list"]}, {"required": ["tool"]}]})

    type: Literal["ref"]
    names: dict[fields.Id, Names] = key("By id, its names.", {}, alias="list")
    tool: fields.Tool | None = key("Who knows: called without arguments, it answers `{list: {id: names}}`.", None)

    @model_validator(mode="after")
    def _one_of_them(self) -> RefSlot:
        if bool(self.names) == (self.tool is not None):
            raise refuse("A ref has either a list or a tool that knows it.", "`list: {id: [names]}` or `tool: …`")
        return self

    def display(self, value: str) -> str:
        """How people call it. An id that is not in the list is its own name."""
        return self.names[value][0] if value in self.names else value

    @property
    def known(self) -> Mapping[str, tuple[str, ...]]:
        """The names by id, as `language.names` takes them; empty where a tool knows them."""
        return self.names


Slot: TypeAlias = (
    StringSlot
    | NumberSlot
    | MoneySlot
    | BoolSlot
    | EnumSlot
    | DateSlot
    | TimeSlot
    | DatetimeSlot
    | DurationSlot
    | PhoneSlot
    | EmailSlot
    | RefSlot
)
SlotType: TypeAlias = Literal[
    "string", "text", "int", "number", "money", "bool", "enum", "date", "time", "datetime", "duration", "phone",
    "email", "ref",
]  # fmt: skip
AnySlot = Annotated[Slot, Field(discriminator="type")]
