"""Keys of spaces.yaml that are settings of the running gateway: one definition for the file and for the gateway.

A field with a `Setting` (`space.settings`, `configuration`) has name, type, default, description and range. `stated`
makes the key of a file's section from it, and the JSON Schema and the reference page have it from there. `settings_of`
goes the other way: it builds the settings from a section that was read.

Two types remain, as they differ in two things. A section refuses values as a person wrote them, with sentences, and
needs pydantic; settings are frozen, journalled, and made by tests from plain numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from pydantic import BaseModel, ConfigDict, Field, create_model

from mew_gateway.documents.durations import format_duration
from mew_gateway.space.settings import Rate, Setting, Step, Unit

from . import fields
from .quantities import format_rate


class Section(BaseModel):
    """Base of all models: a mapping with fixed keys. Unknown keys are refused, and values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


_Section = TypeVar("_Section", bound=Section)
_Settings = TypeVar("_Settings", bound=msgspec.Struct)


def stated(kind: type[msgspec.Struct]) -> Callable[[type[_Section]], type[_Section]]:
    """Add the settings of `kind` to a section as keys, after its own. One that it only annotates keeps its place."""

    def derive(section: type[_Section]) -> type[_Section]:
        keys: dict[str, Any] = {one.name: (_type(one), _field(one)) for one in _keys(kind)}
        named: dict[str, Any] = {"__doc__": section.__doc__, "__module__": section.__module__}
        return create_model(section.__name__, __base__=section, **named, **keys)

    return derive


def settings_of(kind: type[_Settings], section: Section, **others: Any) -> _Settings:
    """Return the settings that a section has. `others` are those that are no keys of it."""
    values = {}
    for one in _stated_fields(kind):
        value = settings_of(one.kind, section) if one.is_group else getattr(section, one.name)
        values[one.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values, **others)


def default_of(kind: type[msgspec.Struct], name: str) -> Any:
    """Return the default of a setting as a person would write it."""
    return next(one.written for one in _keys(kind) if one.name == name)


class _Stated(NamedTuple):
    name: str
    kind: Any  # without its annotations
    default: Any
    setting: Setting
    is_duration: bool

    @property
    def is_group(self) -> bool:
        """True for a struct of settings: their keys are in its place."""
        return isinstance(self.kind, type) and issubclass(self.kind, msgspec.Struct) and any(_stated_fields(self.kind))

    @property
    def written(self) -> Any:
        """The default in its written form."""
        if self.is_duration:
            return format_duration(self.default, one=False)
        if isinstance(self.default, Rate):
            return format_rate(self.default)
        return [_written_step(step) for step in self.default] if isinstance(self.default, tuple) else self.default


def _written_step(step: Step) -> Any:
    return {step.name: {"after": format_duration(step.after, one=False)}} if step.after else step.name


def _keys(kind: type[msgspec.Struct]) -> Iterator[_Stated]:
    for one in _stated_fields(kind):
        if one.is_group:
            yield from _keys(one.kind)
        else:
            yield one


def _stated_fields(kind: type[msgspec.Struct]) -> Iterator[_Stated]:
    for field in msgspec.structs.fields(kind):
        plain, *marks = get_args(field.type) if get_origin(field.type) is Annotated else (field.type,)
        for setting in (mark for mark in marks if isinstance(mark, Setting)):
            yield _Stated(field.name, plain, field.default, setting, any(isinstance(mark, Unit) for mark in marks))


def _type(one: _Stated) -> Any:
    if one.is_duration:
        return fields.Delay if one.setting.least == 0 else fields.Duration
    if one.kind is Rate:
        return fields.Frequency
    if get_origin(one.kind) is tuple:
        return list[fields.EscalationStep]
    if one.setting.least is None:
        return one.kind
    number: Any = Annotated[int, Field(ge=one.setting.least, le=one.setting.most)]
    return number if one.kind is int else number | None


def _field(one: _Stated) -> Any:
    """Return the field of a key. Its default in the schema is the written form, not the parsed value."""
    description, value = one.setting.description, one.default
    if one.written == value:
        return Field(default=value, description=description)
    parsed = list(value) if isinstance(value, tuple) else value
    return Field(default_factory=lambda: parsed, description=description, json_schema_extra={"default": one.written})
