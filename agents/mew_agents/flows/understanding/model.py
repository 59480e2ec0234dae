"""Understanding by a language model, with rules for whenever it is of no use (docs/flows-understanding.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mew_agents.flows.commands import AnyCommand, CorrectSlot, SetSlot
from mew_agents.flows.understanding.base import Standing, Understander, Understood
from mew_agents.flows.understanding.instructions import (
    asked,
    schema_of_commands,
    schema_of_slots,
    told_of_commands,
    told_of_slots,
)
from mew_agents.flows.understanding.rules import Rules, settled
from mew_agents.flows.understanding.statement import commands_of, values_of
from mew_agents.fluxi.interpreter.completion import Completion, ModelFault
from mew_agents.fluxi.interpreter.llm import completion_of, refuse_unfit


class Model(Understander):
    """A model reports, the extractors check, and rules decide whenever it is late, broken or makes something up.

    A yes, a no and a plain answer never go to it. It commands nothing that is done without a yes of the person, which
    it cannot say; a value that the words do not bear out is asked back. The flows, what the one at hand holds, the last
    turns and the message go to its address.
    """

    deterministic = False

    def __init__(self, completion: Completion, *, rules: Understander | None = None) -> None:
        self._completion = completion
        self._rules = rules or Rules()
        self.name = f"flow-model-1 {completion.model}"

    def commands(self, text: str, standing: Standing) -> tuple[AnyCommand, ...]:
        """What rules say."""
        return self._rules.commands(text, standing)

    def slots(self, text: str, standing: Standing) -> tuple[SetSlot | CorrectSlot, ...]:
        """What rules say."""
        return self._rules.slots(text, standing)

    async def understand(self, text: str, standing: Standing) -> Understood:
        """Pass 1: the model's commands, checked; else those of rules, and why."""
        if settled(text, standing) is not None:
            return Understood(commands=self.commands(text, standing), decided_by=self._rules.name)
        try:
            refuse_unfit(text)
            said = await self._completion.complete(
                told=told_of_commands(),
                asked=asked(text, standing, flows=True),
                schema=schema_of_commands(standing),
            )
            return Understood(commands=commands_of(said, text, standing), decided_by=self.name)
        except ModelFault as fault:
            commands = self.commands(text, standing)
            return Understood(commands=commands, decided_by=self._rules.name, fault=fault.code)

    async def extract(self, text: str, standing: Standing) -> Understood:
        """Pass 2, likewise. Without slots there is nothing to ask."""
        if standing.at_hand is None or not standing.at_hand.definition.slots or settled(text, standing) is not None:
            return Understood(commands=self.slots(text, standing), decided_by=self._rules.name)
        try:
            refuse_unfit(text)
            said = await self._completion.complete(
                told=told_of_slots(),
                asked=asked(text, standing, flows=False),
                schema=schema_of_slots(standing.at_hand),
            )
            return Understood(commands=values_of(said, text, standing), decided_by=self.name)
        except ModelFault as fault:
            slots = self.slots(text, standing)
            return Understood(commands=slots, decided_by=self._rules.name, fault=fault.code)

    async def aclose(self) -> None:
        """Lets go of the model's connections."""
        await self._completion.aclose()


def from_options(options: Mapping[str, Any], environ: Mapping[str, str]) -> Model:
    """The model of `{url, model, timeout, retries}`, as `fluxi.interpreter.llm.completion_of` takes them.

    Raises ModelError with a sentence for a person.
    """
    return Model(completion_of(options, environ))
