"""The flows that come with this package, against the tools that come with it, and in people's words."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from mew_agents.flows.definitions import Flow, check, meant, plain, shipped
from mew_agents.flows.definitions.steps import Action
from mew_agents.fluxi.arguments import arguments
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.work import Slot, Work
from mew_agents.language.choices import choices
from mew_agents.language.found import LANGUAGES
from mew_agents.language.intents import intents
from mew_agents.tools.local import LocalTools

FLOWS = {flow.name: flow for flow in shipped()}
NOW = 1_795_000_000_000  # in November 2026
KEY = "k1"
VALUES: dict[str, dict[str, Any]] = {
    "transfer": {"payee": "ana", "amount": {"amount": "12.50", "currency": "USD"}, "concept": "alquiler"},
    "block_card": {"card": "debit", "reason": "lost"},
    "balance": {},
}
every = pytest.mark.parametrize("flow", FLOWS.values(), ids=list(FLOWS))


def work(flow: Flow) -> Work:
    slots = {
        path: Slot(
            path=path,
            type=flow.slots[path].slot.type,
            value=value,
            source="person",
            set_by="ana",
            set_at=NOW,
            status="committed",
        )
        for path, value in VALUES[flow.name].items()
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


def only_action(flow: Flow) -> Action:
    (action,) = (step for step in flow.program.steps.values() if isinstance(step, Action))
    return action


@every
async def test_it_is_right_and_its_tools_are_there(flow: Flow) -> None:
    plain_flow = json.loads(flow.document)
    with LocalTools.shipped(clock=lambda: NOW) as tools:
        document = json.dumps({"flows": {plain_flow.pop("name"): plain_flow}})
        found = check(document.encode(), tools=set(await tools.tools()))
    assert (found.errors, found.warnings) == ((), ())


@pytest.mark.parametrize("name", ["transfer", "block_card"])
async def test_effects_happen_and_are_known_and_undone(name: str) -> None:
    flow = FLOWS[name]
    (effect_id,) = flow.effects
    definition = flow.effect_definition(effect_id)
    (effect,) = definition.effects
    given = arguments(effect.args, definition, work(flow), language="es", keys={})
    assert effect.reconcile is not None
    with LocalTools.shipped(clock=lambda: NOW) as tools:
        terms = {"key": KEY, "attempt": 1, "fence": 1, "deadline": NOW + effect.timeout}
        done = (await tools.call(effect.tool, given, terms))["structuredContent"]
        asked = (await tools.call(effect.reconcile, {"key": KEY}, {**terms, "fence": 2}))["structuredContent"]
        assert (done["status"], asked["status"]) == ("applied", "applied")
        for content in (done, asked):
            scope = flow.scope(VALUES[name], now=datetime.now(UTC), result=content)
            for path, expression in only_action(flow).result.items():
                assert plain(flow.slots[path].slot, expression.value(scope)) is not None
        if effect.compensate is not None:
            undoing = arguments(effect.compensate.args, definition, work(flow), language="es", keys={effect_id: KEY})
            back = await tools.call(effect.compensate.tool, undoing, {**terms, "key": "k2"})
            assert back["structuredContent"]["status"] == "applied"


async def test_the_balance_is_a_sum_of_money() -> None:
    flow = FLOWS["balance"]
    action = only_action(flow)
    with LocalTools.shipped(clock=lambda: NOW) as tools:
        given = arguments(action.args, flow.full_definition, work(flow), language="es", keys={})  # type: ignore[arg-type]
        content = (await tools.call(action.action, given))["structuredContent"]
    scope = flow.scope({}, now=datetime.now(UTC), result=content)
    stored = plain(flow.slots["balance"].slot, action.result["balance"].value(scope))
    assert stored == {"amount": "1029.89", "currency": "USD"}


@pytest.mark.parametrize(("age", "asks"), [(17, True), (18, False), (0, True)])
def test_who_is_under_age_names_a_guardian(age: int, asks: bool) -> None:
    flow = FLOWS["onboarding"]
    (condition,) = (arm.when for arm in flow.program.steps["under_age"].branch)  # type: ignore[union-attr]
    assert condition.holds({"age": meant(flow.slots["age"].slot, age)}) is asks
    assert flow.program.entries["under_age"] == ("ask_guardian",)
    assert flow.program.after["ask_guardian"] == flow.program.after["under_age"] == "ask_email"


@every
def test_its_examples_and_triggers_ask_for_it(flow: Flow) -> None:
    for language in LANGUAGES:
        words = {one.name: one.triggers[language] for one in FLOWS.values()}
        for text in (*flow.examples[language], *flow.triggers[language]):
            assert [found.value for found in intents(text, words, language)][:1] == [flow.name], text


@pytest.mark.parametrize("path", ["card", "reason"])
def test_the_options_are_told_apart(path: str) -> None:
    options = FLOWS["block_card"].slots[path].slot.options  # type: ignore[union-attr]
    for language in LANGUAGES:
        for option, words in options.items():
            for word in words[language]:
                assert {found.value for found in choices(word, options, language)} == {option}, word
