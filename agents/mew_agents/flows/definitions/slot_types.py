"""The types of slots, each with the validators that it has. A test holds them to those of Fluxi."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field

from mew_agents.fluxi.definitions import fields
from mew_agents.fluxi.definitions.slots import Names

from .section import key
from .slots import SlotSection, Validators


class TextValidators(Validators):
    """Which words."""

    pattern: fields.Regex | None = key("What the value looks like.", None)
    min_length: int = key("Characters, at least.", 1, ge=1)
    max_length: int = key("Characters, at most.", 2_000, ge=1, le=20_000)


class NumberValidators(Validators):
    """Which numbers; of money, which amounts."""

    min: fields.Number | None = key("The least.", None)
    max: fields.Number | None = key("The most.", None)


class DateValidators(Validators):
    """Which days."""

    future_only: bool = key("Not in the past.", False)
    past: bool = key("Not in the future: `Saturday` is the last one.", False)
    within: fields.Duration | None = key("Not later than this from now.", None)
    weekdays: fields.Weekdays | None = key("The only days taken.", None)


class TimeValidators(Validators):
    """Which times of day."""

    earliest: fields.TimeOfDay | None = key("Not before this time of day.", None)
    latest: fields.TimeOfDay | None = key("Not after this time of day.", None)


class DatetimeValidators(DateValidators, TimeValidators):
    """Which moments."""


class DurationValidators(Validators):
    """Which lengths of time."""

    min: fields.Duration | None = key("The least.", None)
    max: fields.Duration | None = key("The most.", None)


_TAKEN = "Which values it takes."


class TextSlot(SlotSection):
    """A few words, or with a pattern a code; `text` takes several sentences."""

    type: Literal["string", "text"]
    validators: TextValidators = key(_TAKEN, TextValidators())


class NumberSlot(SlotSection):
    """A whole number, or any."""

    type: Literal["int", "number"]
    validators: NumberValidators = key(_TAKEN, NumberValidators())


class MoneySlot(SlotSection):
    """An amount and its currency."""

    type: Literal["money"]
    currency: fields.Currency = key("The currency when none is said.")
    currencies: fields.Sequence[fields.Currency] = key("The only ones taken; none named: `currency` alone.", ())
    validators: NumberValidators = key(_TAKEN, NumberValidators())


class BoolSlot(SlotSection):
    """Yes or no."""

    type: Literal["bool"]
    validators: Validators = key(_TAKEN, Validators())


class EnumSlot(SlotSection):
    """One of a few, each with the words for it; the first is said back."""

    type: Literal["enum"]
    options: dict[fields.Id, fields.Words] = key("By id and language, words that mean it.", min_length=1)
    validators: Validators = key(_TAKEN, Validators())


class DateSlot(SlotSection):
    """A day."""

    type: Literal["date"]
    validators: DateValidators = key(_TAKEN, DateValidators())


class TimeSlot(SlotSection):
    """A time of day."""

    type: Literal["time"]
    validators: TimeValidators = key(_TAKEN, TimeValidators())


class DatetimeSlot(SlotSection):
    """A day and a time, in the time zone of the conversation."""

    type: Literal["datetime"]
    validators: DatetimeValidators = key(_TAKEN, DatetimeValidators())


class DurationSlot(SlotSection):
    """A length of time."""

    type: Literal["duration"]
    validators: DurationValidators = key(_TAKEN, DurationValidators())


class PhoneSlot(SlotSection):
    """A telephone number."""

    type: Literal["phone"]
    region: fields.Region | None = key("Whose numbers need no prefix; without it, every number needs one.", None)
    validators: Validators = key(_TAKEN, Validators())


class EmailSlot(SlotSection):
    """An e-mail address."""

    type: Literal["email"]
    validators: Validators = key(_TAKEN, Validators())


class RefSlot(SlotSection):
    """Somebody or something out of a list, in the flow or asked of a tool; the first name is said back."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["list"]}, {"required": ["tool"]}]})

    type: Literal["ref"]
    names: dict[fields.Id, Names] = key("By id, its names.", {}, alias="list")
    tool: fields.Tool | None = key("Who knows: called without arguments, it answers `{list: {id: names}}`.", None)
    validators: Validators = key(_TAKEN, Validators())


AnyType: TypeAlias = (
    TextSlot
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
AnySlotSection = Annotated[AnyType, Field(discriminator="type")]
