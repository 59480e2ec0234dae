"""The shipped booking with other effects and an other interpreter, for tests of what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.definitions.loader import parse, shipped
from mew_agents.fluxi.definitions.version import canonical
from mew_agents.fluxi.interpreter.base import Interpretation, Interpreter, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.rules import Rules

from .outside import Outside

ZONE = "America/Argentina/Buenos_Aires"
# A Monday, at nine in the morning there.
START = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
SHIPPED = {one.type_id: one for one in shipped()}

KEYED = {"tool": "world/keyed", "idempotency": "keyed"}
ASKED = {"tool": "world/asked", "reconcile": "world/status"}
PLAIN = {"tool": "world/plain"}


def booking(*effects: dict[str, Any], **changes: dict[str, Any]) -> Definition:
    """The shipped booking with these effects instead; `changes` of its sections."""
    plain = json.loads(canonical(SHIPPED["appointment_booking"]))
    for section, changed in changes.items():
        plain[section] = plain.get(section, {}) | changed
    plain["effects"] = [
        {"id": f"effect-{number}", "effectType": f"type-{number}", "args": {"doctor": {"slot": "doctor"}}, **effect}
        for number, effect in enumerate(effects)
    ]
    return parse(json.dumps(plain).encode())


def listed(definition: Definition) -> Definition:
    """The same, but a tool knows the list of doctors."""
    plain = json.loads(canonical(definition))
    doctor = next(slot for slot in plain["slots"] if slot["path"] == "doctor")
    del doctor["list"]
    doctor["tool"] = "world/doctors"
    return parse(json.dumps(plain).encode())


class Slow(Interpreter):
    """Takes its time, as a model does, and writes down that it was asked. `contrary`: it recognises nothing."""

    deterministic = False

    def __init__(self, outside: Outside, *, contrary: bool = False) -> None:
        self.name = "contrary" if contrary else "slow"
        self._outside = outside
        self._contrary = contrary

    def propose(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> ProposedWork | None:
        return None if self._contrary else Rules().propose(text, definitions, understanding)

    async def interpret(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> Interpretation:
        self._outside.thoughts.add(text=text, by=self.name)
        return await super().interpret(text, definitions, understanding)
