"""Definitions for dialogues: the shipped ones, with whatever a script wants to be otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mew_agents.fluxi.definitions import Definition, load
from mew_agents.fluxi.definitions.loader import parse
from mew_agents.fluxi.definitions.version import canonical

from ..bookings import ASKED, KEYED, PLAIN, SHIPPED

_OTHERS = Path(__file__).parents[1] / "interpreter"
KNOWN: Mapping[str, Definition] = {
    **SHIPPED,
    **{name: load(_OTHERS / f"{name}.yaml") for name in ("hotel_stay", "repair_visit", "vaccination")},
    **{name: load(_OTHERS / f"{name}.yaml") for name in ("guest_room", "child_vaccine", "car_workshop", "vet_visit")},
}
_DOCTOR = {"args": {"doctor": {"slot": "doctor"}}}
EFFECTS: Mapping[str, dict[str, Any]] = {
    "keyed": {
        "id": "book",
        "effectType": "book",
        "label": {"es": "la reserva", "pt": "a marcação", "en": "the booking"},
        "compensate": {"tool": "world/plain", "args": {"undo": {"key": "book"}}},
        **KEYED,
        **_DOCTOR,
    },
    "asked": {
        "id": "bill",
        "effectType": "bill",
        "label": {"es": "el cobro", "pt": "a cobrança", "en": "the payment"},
        **ASKED,
        **_DOCTOR,
    },
    "deposit": {
        "id": "deposit",
        "effectType": "deposit",
        "label": {"es": "la seña", "pt": "o sinal", "en": "the deposit"},
        "compensate": {"tool": "world/plain", "args": {"undo": {"key": "deposit"}}},
        **PLAIN,
        **_DOCTOR,
    },
    "plain": {
        "id": "notify",
        "effectType": "notify",
        "label": {"es": "el aviso", "pt": "o aviso", "en": "the notice"},
        **PLAIN,
        **_DOCTOR,
    },
}


def defined(changes: Mapping[str, Any]) -> Definition:
    """A definition (`type`, else the booking) with changes: `effects` by the names above, `?` for one that is
    not required; `slots` by path; other sections key by key."""
    plain = json.loads(canonical(KNOWN[changes.get("type", "appointment_booking")]))
    for key, value in changes.items():
        match key:
            case "type":
                pass
            case "effects":
                plain["effects"] = [{**EFFECTS[one.strip("?")], "required": not one.endswith("?")} for one in value]
            case "told":
                plain["effects"] = [{**effect, "told": value.get(effect["id"], {})} for effect in plain["effects"]]
            case "slots":
                plain["slots"] = [{**slot, **value.get(slot["path"], {})} for slot in plain["slots"]]
            case _:
                merged = isinstance(value, dict) and key in plain
                plain[key] = {**plain[key], **value} if merged else value
    return parse(json.dumps(plain).encode())
