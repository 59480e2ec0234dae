"""Candidates become slots."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from mew_agents.fluxi.definitions import shipped
from mew_agents.fluxi.filling import Filler
from mew_agents.fluxi.interpreter.allotment import allot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.message import Message
from mew_agents.fluxi.work import Slot

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
BOOKING = next(one for one in shipped() if one.type_id == "appointment_booking")


def said(message_id: str, text: str, held: dict[str, Slot]) -> dict[str, Slot]:
    values = {path: slot.value for path, slot in held.items()}
    understanding = Understanding(language="es", now=NOW, within=BOOKING.type_id, asked="start", values=values)
    message = Message(message_id=message_id, sender="ana", text=text)
    filler = Filler(definition=BOOKING, message=message, understanding=understanding, source="rules-1", at=0)
    return {**held, **filler.fill(held, allot(BOOKING, text, understanding)).slots}


def test_a_completed_value_keeps_the_evidence_of_its_first_piece() -> None:
    evidence = said("m2", "a las 17", said("m1", "el viernes", {}))["start"].evidence
    assert evidence is not None
    assert (evidence["message_id"], evidence["text"]) == ("m2", "a las 17")
    assert evidence["earlier"] == {"message_id": "m1", "start": 0, "end": 10, "text": "el viernes"}
