"""A flow: what Fluxi gets of it, its version, and the way through its steps."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from mew_agents.flows.definitions import Flow, Library, UnknownFlow, parse, phrase, restore, shipped
from mew_agents.fluxi.definitions import canonical, version_id
from mew_agents.fluxi.definitions import restore as fluxi_restore
from mew_agents.fluxi.definitions.effects import FromSlot

SHOP = (Path(__file__).parent / "shop.yaml").read_text(encoding="utf-8")
ORDER, ADDRESS, SURVEY = parse(SHOP.encode())
NOW = datetime(2026, 11, 27, 17, tzinfo=UTC)


def test_slots_are_those_of_fluxi() -> None:
    count = ORDER.slots["count"]
    assert count.slot.path == "count"
    assert count.slot.question("en", "informal") == "How many?"
    assert (count.slot.required, ORDER.slots["note"].slot.required) == (True, False)
    (check,) = count.checks
    assert [check.that.holds({"value": number, "item": "mate"}) for number in (7, 8)] == [False, True]
    assert phrase(check.message, "es", "formal") == "7 no"
    assert phrase(count.explain, "pt", "formal") == "De {item}."  # a language that it has not
    assert phrase({}, "es", "formal") == ""


def test_people_fill_what_is_collected_or_has_cues() -> None:
    assert [name for name, slot in ORDER.slots.items() if slot.heard] == ["item", "count", "note"]
    assert ORDER.definition.paths == ("item", "count", "note")
    assert ORDER.full_definition.paths == ("item", "count", "price", "note", "street", "tries")


def test_what_fluxi_gets_of_a_flow() -> None:
    made = ORDER.definition
    assert (made.type_id, made.title, made.intents) == ("order", ORDER.title, ORDER.triggers)
    assert made.confirmation.slots == "ambiguous"
    assert made.policies.allows("anybody")
    assert made.effects == ()
    assert ADDRESS.definition.intents["en"] == ("address",)  # it has no triggers


def test_a_flow_without_slots_for_people_reads_none() -> None:
    balance = next(flow for flow in shipped() if flow.name == "balance")
    assert balance.definition.slots == ()


def test_what_fluxi_gets_of_an_effect() -> None:
    assert ORDER.effects == ("buy",)
    made = ORDER.effect_definition("buy")
    (effect,) = made.effects
    assert (made.type_id, effect.id, effect.effect_type, effect.tool) == ("order.buy", "buy", "buy", "shop/order")
    assert (made.confirmation.execute, made.confirmation.slots, made.required) == (False, "never", ())
    assert effect.args["total"] == FromSlot.model_validate({"slot": "price", "part": "amount"})
    assert (effect.idempotency, effect.reconcile, effect.timeout) == ("keyed", "shop/status", 5_000)
    assert (effect.retry.attempts, effect.retry.backoff, effect.retry.max_backoff) == (2, 2_000, 10_000)
    assert effect.name("es") == "el pedido"
    assert effect.compensate is not None
    assert effect.compensate.tool == "shop/undo"
    with pytest.raises(KeyError):
        ORDER.effect_definition("sure")


def test_what_a_work_is_opened_with_is_stored_and_read_again() -> None:
    for flow in (*shipped(), ORDER):
        for effect in flow.effects:
            made = flow.effect_definition(effect)
            assert fluxi_restore(canonical(made)) == made
            assert version_id(made).startswith(f"{flow.name}.{effect}@1#")


def test_an_effect_needs_no_slots() -> None:
    text = """
flows:
  halt:
    title: {en: halt}
    triggers: {en: [halt]}
    steps:
      - {id: sure, confirm: {en: "Sure?"}}
      - {id: halt, action: machine/halt, effect: true, reconcile: machine/status}
"""
    (flow,) = parse(text.encode())
    made = flow.effect_definition("halt")
    assert fluxi_restore(canonical(made)) == made
    assert flow.definition.slots == ()


def test_a_version_is_what_a_flow_means() -> None:
    assert ORDER.version == parse(SHOP.encode())[0].version
    assert ORDER.version.startswith("order@")
    laid_out = SHOP.replace("digression: deny", "digression:  deny  # none").replace("ttl: 1h", "ttl: 60m")
    assert parse(laid_out.encode())[0].version == ORDER.version
    spelled_out = SHOP.replace("{id: what, collect: item}", "{collect: item, id: what}").replace(
        "effect: true", "effect: true\n        on_error: sorry", 1
    )
    spelled_out = spelled_out.replace("max_backoff: 10s}\n        on_error: sorry", "max_backoff: 10s}")
    assert parse(spelled_out.encode())[0].version == ORDER.version
    for old, new in (("tries < 2", "tries < 3"), ("¿Calle?", "¿Qué calle?"), ("end: cancelled", "end: failed")):
        assert {flow.version for flow in parse(SHOP.replace(old, new).encode())} != {
            flow.version for flow in (ORDER, ADDRESS, SURVEY)
        }


def test_a_flow_comes_back_from_its_document() -> None:
    for flow in (*shipped(), ORDER, ADDRESS, SURVEY):
        again = restore(flow.document)
        assert again == flow
        assert (again.version, again.program, list(again.slots)) == (flow.version, flow.program, list(flow.slots))
        assert again.definition == flow.definition
    assert list(json.loads(ORDER.document)["slots"]) == list(ORDER.slots)  # their order is the file's
    assert len({ORDER, restore(ORDER.document), SURVEY}) == 2
    assert ORDER != "order"
    assert repr(ORDER) == f"Flow({ORDER.version})"


def test_what_expressions_are_worked_out_with() -> None:
    held = {"count": 2, "price": {"amount": "5.00", "currency": "USD"}}
    scope = ORDER.scope(held, now=NOW, result={"number": 1.5})
    assert scope["count"] == 2
    assert scope["price"] == {"amount": Decimal("5.00"), "currency": "USD"}
    assert scope["item"] is None
    assert (scope["now"], scope["today"]) == (NOW, NOW.date())
    assert scope["result"] == {"number": Decimal("1.5")}


def test_where_a_flow_goes() -> None:
    program = ORDER.program
    assert program.first == "what"
    after = dict(program.after)
    assert (after["what"], after["undone"]) == ("how_many", None)
    assert (after["dear"], after["warning"], after["no_price"]) == ("where", "where", "given_up")  # arms join
    assert (after["counted_on"], after["again"]) == ("again", "dear")  # a loop goes round
    assert program.entries["dear"] == ("no_price", "warning", "where")
    assert program.entries["again"] == ("counted",)
    assert program.targets("dear") == ("no_price", "warning", "where")
    assert program.targets("again") == ("counted", "dear")
    assert program.targets("sure") == ("buy", "what")
    assert program.targets("buy") == ("thanks", "sorry")
    assert program.targets("thanks") == program.targets("undone") == (None,)
    assert program.targets("where") == ("sure", None)
    assert program.targets("what") == ("how_many",)
    assert program.reachable == set(program.steps)


def test_the_last_arm_and_the_last_loop_lead_to_the_end() -> None:
    text = """
flows:
  small:
    title: {en: small}
    slots: {n: {type: int}}
    steps:
      - {id: zero, set: {n: 0}}
      - id: either
        branch:
          - {when: n > 1, steps: []}
          - when: n == 0
            steps:
              - id: loop
                while: n < 2
                steps: [{id: more, set: {n: n + 1}}]
"""
    (flow,) = parse(text.encode())
    assert flow.program.entries == {"either": (None, "loop"), "loop": ("more",)}
    assert dict(flow.program.after) == {"zero": "either", "either": None, "loop": None, "more": "loop"}
    assert flow.program.targets("either") == (None, "loop")


def test_a_library_has_flows_by_name_and_by_version() -> None:
    older = parse(SHOP.replace("tries < 2", "tries < 1").encode())[0]
    library = Library([ORDER, ADDRESS], former=[older])
    assert library.current("order") is ORDER
    assert library.flow(older.version) is older
    assert library.flow(ORDER.version) is ORDER
    assert library.startable == (ORDER,)
    assert library.flows == (ORDER, ADDRESS)
    assert (library.title("order", "pt"), library.title("order", "en"), library.title("gone", "en")) == (
        *("pedido", "order", "gone"),
    )
    for missing in ("survey", older.version):
        with pytest.raises(UnknownFlow):
            library.current(missing)
    with pytest.raises(UnknownFlow):
        library.flow("order")
    assert library.remembering([SURVEY]).flow(SURVEY.version) is SURVEY
    assert set(library.remembering([SURVEY]).versions) == {flow.version for flow in (older, ORDER, ADDRESS, SURVEY)}


def test_flows_are_equal_by_what_they_are() -> None:
    assert Flow("other", ORDER.body) != ORDER
