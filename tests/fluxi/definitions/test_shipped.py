"""The definitions that come with Fluxi, against the tools that come with it, and in people's words."""

from __future__ import annotations

from typing import Any

import pytest

from mew_agents.fluxi.arguments import arguments
from mew_agents.fluxi.definitions import Definition, EnumSlot, RefSlot, canonical, check, shipped
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.work import Slot, Work
from mew_agents.language.choices import choices
from mew_agents.language.found import LANGUAGES
from mew_agents.language.intents import intents
from mew_agents.language.names import Names
from mew_agents.tools.local import LocalTools

BOOKING, REFUND = shipped()
NOW = 1_795_000_000_000  # in November 2026
KEY = "k1"
VALUES: dict[str, dict[str, Any]] = {
    "appointment_booking": {
        "doctor": "ana-perez",
        "start": "2026-11-27T15:00:00+00:00",
        "patient": "Lucía Gómez",
        "reason": "control",
    },
    "refund_request": {"order": "A-1001", "amount": {"amount": "25.00", "currency": "USD"}, "reason": "damaged"},
}
both = pytest.mark.parametrize("definition", [BOOKING, REFUND], ids=lambda one: one.type_id)


def work(definition: Definition) -> Work:
    slots = {
        path: Slot(
            path=path,
            type=definition.slot(path).type,
            value=value,
            source="message",
            set_by="ana",
            set_at=NOW,
            status="committed",
        )
        for path, value in VALUES[definition.type_id].items()
    }
    return Work(
        work_id="w1",
        proposal_id="p1",
        account_id="acme",
        conversation_id="c1",
        owner="ana",
        version_id="v",
        state=State.EXECUTING,
        revision=1,
        opened_at=NOW,
        changed_at=NOW,
        slots=slots,
    )


@both
async def test_their_tools_are_there_and_take_what_they_are_given(definition: Definition) -> None:
    (effect,) = definition.effects
    assert effect.compensate is not None
    assert effect.reconcile is not None
    given = [
        arguments(call.args, definition, work(definition), language="es", keys={effect.id: KEY})
        for call in (effect, effect.compensate)
    ]
    with LocalTools.shipped(clock=lambda: NOW) as tools:
        found = check(canonical(definition).encode(), tools=set(await tools.tools()))
        assert (found.errors, found.warnings) == ((), ())
        terms = {"key": KEY, "attempt": 1, "fence": 1, "deadline": NOW + effect.timeout}
        done = await tools.call(effect.tool, given[0], terms)
        asked = await tools.call(effect.reconcile, {"key": KEY}, {**terms, "fence": 2})
        undone = await tools.call(effect.compensate.tool, given[1], {**terms, "key": "k2", "fence": 3})
    assert [one["structuredContent"]["status"] for one in (done, asked, undone)] == ["applied"] * 3


@both
def test_their_examples_ask_for_them(definition: Definition) -> None:
    for language in LANGUAGES:
        words = {one.type_id: one.intents[language] for one in (BOOKING, REFUND)}
        for example in definition.examples[language]:
            assert [found.value for found in intents(example, words, language)] == [definition.type_id], example


def test_two_doctors_share_a_name_and_two_do_not() -> None:
    doctor = BOOKING.slot("doctor")
    assert isinstance(doctor, RefSlot)
    names = Names(doctor.known)
    (perez,) = names.found("un turno con Pérez", "es")
    assert {perez.value, *perez.alternatives} == {"ana-perez", "juan-perez"}
    (ana,) = names.found("um horário com a Dra. Ana Pérez", "pt")
    (clark,) = names.found("with Dr. Clark", "en")
    assert (ana.value, ana.doubts, clark.value, clark.doubts) == ("ana-perez", (), "emily-clark", ())


def test_the_options_are_told_apart() -> None:
    reason = REFUND.slot("reason")
    assert isinstance(reason, EnumSlot)
    for language in LANGUAGES:
        for option, words in reason.options.items():
            for word in words[language]:
                assert {found.value for found in choices(word, reason.options, language)} == {option}, word
