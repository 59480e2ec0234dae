"""What a case is played on: the definitions, and tools that note what they are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Final, NamedTuple

from mew_agents.flows.definitions.loader import load as load_flows
from mew_agents.flows.definitions.loader import shipped as shipped_flows
from mew_agents.flows.definitions.model import Flow
from mew_agents.fluxi import LocalPort
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.definitions import load as load_definition
from mew_agents.fluxi.definitions import shipped as shipped_definitions
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.ports import Answer, Call, Prepared, ToolPort
from mew_agents.tools.calendar import Calendar, CalendarOptions
from mew_agents.tools.ledger import Ledger, LedgerOptions
from mew_agents.tools.ledger_book import Sale
from mew_agents.tools.local import LocalTools

from .cases import HERE, DefinitionName

_OWN: Final = HERE / "definitions"

# Tools that change something. Whatever else is called only looks something up.
EFFECTS: Final = {
    "calendar/book_appointment",
    "calendar/cancel_appointment",
    "ledger/refund",
    "ledger/transfer",
    "ledger/reverse",
    "ledger/block_card",
    "restaurant/reserve",
    "courier/schedule",
    "support/open_ticket",
}
_SHIPPED: Final = ("calendar", "ledger")
_TOLD: Final[Mapping[str, Mapping[str, Any]]] = {
    "restaurant/reserve": {"code": "reserved", "reservation": "R-71"},
    "courier/schedule": {"code": "scheduled", "pickup": "C-5520"},
    "support/open_ticket": {"code": "opened", "ticket": "T-9034"},
}

# Orders that refunds are asked for: number, amount paid, currency.
_ORDERS: Final = """
1007 64.90 USD, 1012 1280.00 USD, 1033 75.50 EUR, 1048 310.00 USD, 1090 42.00 USD, 1111 99.99 USD, 1125 18700.00 ARS,
1204 540.00 BRL, 1217 89.00 USD, 1300 260.00 EUR, 1402 33.30 USD, 1515 152.75 USD, 1620 96000.00 ARS, 1777 1199.00 BRL,
1808 27.40 EUR, 1936 480.00 USD, 2001 59.00 USD, 2014 3450.00 USD, 2020 74.20 BRL, 2045 410.00 EUR, 2108 16.80 USD,
2222 205.00 USD, 2310 130000.00 ARS, 2468 88.88 USD, 2590 640.00 USD, 2719 45.60 EUR, 3003 112.00 USD, 3141 314.15 USD,
3318 76.00 BRL, 3570 950.00 USD, 4004 21.00 USD, 4126 53500.00 ARS, 4321 199.90 EUR, 4775 67.25 USD, 5050 1050.00 USD,
5189 38.00 USD, 5613 720.00 BRL, 6060 84.10 USD, 6248 29.95 USD, 6901 505.00 EUR, 7077 142.00 USD, 7350 61.50 USD,
8008 880.00 USD, 8192 256.00 USD, 8430 47.00 EUR, 9009 90.90 USD, 9241 24999.00 ARS, 9876 360.00 BRL
"""


class Product(NamedTuple):
    """What talks with a person: Works or flows, all that one agent has."""

    works: tuple[Definition, ...] = ()
    flows: tuple[Flow, ...] = ()

    @property
    def wishes(self) -> tuple[str, ...]:
        """The Works or flows that a person may ask for."""
        return (*(work.type_id for work in self.works), *(flow.name for flow in self.flows if flow.triggers))

    def slots_of(self, wish: str) -> dict[str, Slot]:
        """The slots of a Work or flow that a person may fill, by path."""
        found = {slot.path: slot for work in self.works if work.type_id == wish for slot in work.slots}
        flows = (flow for flow in self.flows if flow.name == wish)
        return found | {path: slot.slot for flow in flows for path, slot in flow.slots.items() if slot.heard}

    @property
    def slots(self) -> dict[str, Slot]:
        """The slots of all of them."""
        return {path: slot for wish in self.wishes for path, slot in self.slots_of(wish).items()}

    @property
    def confirmed(self) -> set[str]:
        """The slots whose value is confirmed however it was said, because the definition wants it."""
        return {slot.path for work in self.works for slot in work.slots if _always(work, slot)}

    def title(self, wish: str, language: Any) -> str:
        """What people call a Work or a flow."""
        titles = {one.type_id: one.title for one in self.works} | {one.name: one.title for one in self.flows}
        return titles[wish][language]


def _always(work: Definition, slot: Slot) -> bool:
    wanted = work.confirmation.slots
    return wanted == "always" or (wanted == "critical" and slot.critical)


@cache
def product(definition: DefinitionName) -> Product:
    """What a definition is played in: the shipped ones together, as they come; the others alone."""
    if definition in ("appointment_booking", "refund_request"):
        return Product(works=tuple(shipped_definitions()))
    if definition in ("onboarding", "banking"):
        return Product(flows=shipped_flows())
    if definition == "support_ticket":
        return Product(flows=load_flows(_OWN / "support_ticket.yaml"))
    return Product(works=(load_definition(_OWN / f"{definition}.yaml"),))


class Noted(NamedTuple):
    """A tool that was called, and whether it did what it was told."""

    tool: str
    arguments: Mapping[str, Any]
    applied: bool


class Notes(ToolPort):
    """The shipped calendar and ledger, and tools of a test, which do whatever they are told; all calls are noted."""

    def __init__(self, *, timezone: str, clock: Callable[[], int]) -> None:
        self._timezone = timezone
        self._clock = clock
        self._local: LocalTools | None = None
        self.noted: list[Noted] = []

    def begin(self) -> None:
        """Empty books, and nothing noted: another case."""
        self.close()
        self.noted = []

    def close(self) -> None:
        """The books are closed."""
        if self._local is not None:
            self._local.close()
        self._local = None

    @property
    def _shipped(self) -> LocalPort:
        """The shipped tools; most cases end before they are called."""
        if self._local is None:
            desks: dict[str, Any] = {
                "calendar": Calendar(CalendarOptions(timezone=self._timezone), clock=self._clock),
                "ledger": Ledger(LedgerOptions(orders=_sales()), clock=self._clock),
            }
            self._local = LocalTools(desks, clock=self._clock)
        return LocalPort(self._local)

    def prepare(self, call: Call) -> Prepared:
        return self._shipped.prepare(call)

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        request = json.loads(prepared.request)
        tool = request["tool"]
        if tool.partition("/")[0] in _SHIPPED:
            answer = await self._shipped.send(prepared, timeout=timeout)
        else:
            answer = Answer(outcome="applied", code="applied", content=_TOLD[tool])
        self.noted.append(Noted(tool, request["arguments"], answer.outcome == "applied"))
        return answer

    async def look_back(self, prepared: Prepared) -> Answer | None:
        return await self._shipped.look_back(prepared)

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        return await self._shipped.ask(tool, key, fence=fence, timeout=timeout)


@cache
def _sales() -> tuple[Sale, ...]:
    sales = list(LedgerOptions().orders)
    for line in _ORDERS.replace("\n", " ").split(","):
        number, amount, currency = line.split()
        sales.append(Sale(f"A-{number}", "marta", "goods", Decimal(amount), currency))
    return tuple(sales)
