"""What an effect's tool is given: the definition's arguments, filled from the Work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.effects import Arguments, FromKey, FromSlot, FromWork
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.values import written as machine_written
from mew_agents.fluxi.work import Work

_ABSENT = object()


def arguments(
    given: Arguments, definition: Definition, work: Work, *, language: str, keys: Mapping[str, str]
) -> dict[str, Any]:
    """The arguments by name; those of empty slots are left out, also a text that is the place of one and nothing else.

    `keys`: idempotency keys by effect.
    """
    filled = ((name, _value(one, definition, work, language, keys)) for name, one in given.items())
    return {name: value for name, value in filled if value is not _ABSENT}


def _value(given: Any, definition: Definition, work: Work, language: str, keys: Mapping[str, str]) -> Any:
    match given:
        case FromSlot(slot=path, part=part):
            return _of_slot(work.committed(path), part)
        case FromKey(key=effect_id):
            return keys.get(effect_id, _ABSENT)
        case FromWork(work=what):
            return _of_work(work, what, language)
        case str():
            text, written = template.parse(given), _Written(definition, work.values)
            return _ABSENT if text.place is not None and text.place not in written else text.fill(written)
        case _:
            return given


def _of_slot(value: Any, part: str | None) -> Any:
    match part:
        case None:
            return _ABSENT if value is None else value
        case "amount" | "currency":
            return _ABSENT if value is None else value[part]
        case "date":
            return _ABSENT if value is None else str(value)[:10]
        case "time":
            return _ABSENT if value is None else str(value)[11:16]
        case _:
            raise ValueError(f"no part {part!r}")


def _of_work(work: Work, what: FromWork | str, language: str) -> str:
    match what:
        case "id":
            return work.work_id
        case "account":
            return work.account_id
        case "conversation":
            return work.conversation_id
        case "sender":
            return work.owner
        case "language":
            return language
        case _:
            raise ValueError(f"nothing is called {what!r}")


def aggregate_key(definition: Definition, values: Mapping[str, Any]) -> str | None:
    """What only one live Work of an account may be about; None while something of it is missing.

    Moments are written in UTC, so that one moment is one key in every time zone.
    """
    if definition.aggregate_key is None:
        return None
    try:
        return template.parse(definition.aggregate_key).fill(_Written(definition, values))
    except KeyError:
        return None


class _Written(dict[str, str]):
    """Committed values as machines write them; what has none is a KeyError."""

    def __init__(self, definition: Definition, values: Mapping[str, Any]) -> None:
        super().__init__()
        for path, value in values.items():
            self[path] = machine_written(definition.slot(path), value)
