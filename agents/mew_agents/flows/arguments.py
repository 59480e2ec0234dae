"""What an action's tool is given: the step's arguments, filled from the flow."""

from __future__ import annotations

from typing import Any

import msgspec

from mew_agents.flows.definitions.arguments import FromExpression
from mew_agents.flows.definitions.expressions import Unevaluable
from mew_agents.flows.definitions.steps import Action
from mew_agents.flows.stage import Stage
from mew_agents.flows.state import Frame
from mew_agents.flows.valuing import names_of
from mew_agents.fluxi.arguments import arguments
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.work import Work


def arguments_of(stage: Stage, frame: Frame, step: Action) -> dict[str, Any]:
    """The arguments by name; those of empty slots are left out.

    Raises `Unevaluable` with the argument's name, also for a text with a place for a value that there is not.
    """
    found: dict[str, Any] = {}
    work, names = _as_work(stage, frame), names_of(stage, frame)
    definition, language = stage.flow(frame).full_definition, stage.policy.language
    for name, given in step.args.items():
        try:
            if not isinstance(given, FromExpression):
                found |= arguments({name: given}, definition, work, language=language, keys={})
            elif (value := given.expr.value(names)) is not None:
                found[name] = msgspec.to_builtins(value)
        except KeyError as error:
            raise Unevaluable(f"args.{name}: the slot `{error.args[0]}` has no value.") from None
        except Unevaluable as error:
            raise Unevaluable(f"args.{name}: {error}") from None
    return found


def _as_work(stage: Stage, frame: Frame) -> Work:
    """The flow as what arguments are filled from."""
    dialogue = stage.before
    return Work(
        work_id=frame.flow_id,
        proposal_id="",
        account_id=dialogue.account_id,
        conversation_id=dialogue.conversation_id,
        owner=dialogue.participant,
        version_id="",
        state=State.ACTIVE,
        revision=dialogue.revision,
        opened_at=stage.at,
        changed_at=stage.at,
        slots=frame.slots,
    )
