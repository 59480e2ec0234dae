"""The experiment's program on Fluxi: a Work with one effect; started again, what is due is done."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from bench.kill.payments import Payments, Place, Tool, told
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.definitions.loader import parse
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.desk import utc_now
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.ports import Answer, Call, Prepared, ToolPort

_PAYMENT = """
typeId: payment
version: 1
title: {{en: payment}}
intents: {{en: [pay]}}
bindingAttributes: [amount]
slots:
  - {{path: amount, type: int, required: true, label: {{en: amount}}, prompt: {{en: "How much?"}}}}
policies: {{grants: ["*"]}}
confirmation: {{slots: never, execute: false, summary: {{en: "payment of {{amount}}"}}}}
effects:
  - {{id: pay, effectType: pay, tool: payments/pay, args: {{amount: {{slot: amount}}}}, {known}}}
"""
_KNOWN: Final[Mapping[Tool, str]] = {
    "plain": "idempotency: none",
    "asked": "idempotency: none, reconcile: payments/paid",
    "keyed": "idempotency: keyed",
}
_SOON = 10.0  # seconds
_WHERE = Conversation("shop", "counter")
_SAID = Message(message_id="order-1", sender="ana", text="pay 30")


class Counter(ToolPort):
    """The payments, as a tool that Fluxi calls."""

    def __init__(self, payments: Payments, tool: Tool) -> None:
        self._payments = payments
        self._tool = tool

    def prepare(self, call: Call) -> Prepared:
        return Prepared(request=written({"key": call.key}))

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:  # noqa: ARG002
        self._payments.pay(read(prepared.request)["key"])
        return Answer(outcome="applied")

    async def look_back(self, prepared: Prepared) -> Answer | None:  # noqa: ARG002
        return None

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:  # noqa: ARG002
        return Answer(outcome="applied" if self._payments.paid(key) else "not_applied")


class AfterRecord:
    """The failpoints of Fluxi: the one behind the record's commit is a place of the experiment."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def reach(self, name: str) -> None:
        """Fluxi is at `name` now."""
        if name == "effect.record.after":
            self._place.reach("behind")


async def main() -> None:
    """The first time a payment is asked for, the second time it is recovered and asked for again."""
    folder, tool, place = told()
    recovering = (folder / "fluxi.sqlite").exists()
    fluxi = await Fluxi.open(
        f"sqlite:///{folder}/fluxi.sqlite",
        tools=Counter(Payments(folder, place=place, tool=tool), tool),
        definitions=[_definition(tool)],
        failpoints=AfterRecord(place),
        clock=_an_hour_later if recovering else utc_now,
    )
    if recovering:
        await _recover(fluxi)
    result = await fluxi.handle(_SAID, PolicyContext(now=utc_now(), language="en"), _WHERE)
    print(result.kind)
    fluxi.close()


async def _recover(fluxi: Fluxi) -> None:
    """As everybody does who runs Fluxi: what is due is done, and what is due soon is waited for."""
    while (due := await fluxi.schedule.next_due()) is not None:
        wait = due / 1000 - _an_hour_later().timestamp()
        if wait > _SOON:
            return
        await asyncio.sleep(max(0.0, wait))
        await fluxi.schedule.run_due()


def _definition(tool: Tool) -> Definition:
    return parse(_PAYMENT.format(known=_KNOWN[tool]).encode())


def _an_hour_later() -> datetime:
    """When the program is started again: the lease of the worker that died is over."""
    return utc_now() + timedelta(hours=1)


if __name__ == "__main__":
    asyncio.run(main())
