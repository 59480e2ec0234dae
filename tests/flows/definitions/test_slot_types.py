"""The slots of flows are those of Fluxi, but for where the bounds stand."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from mew_agents.flows.definitions.slot_types import AnyType
from mew_agents.flows.definitions.slots import SlotSection, Validators
from mew_agents.fluxi.definitions.slots import Slot, SlotBase

PAIRS = list(zip(get_args(AnyType), get_args(Slot), strict=True))


def _facts(field: Any) -> tuple[Any, ...]:
    return field.annotation, field.default, field.metadata


@pytest.mark.parametrize(("ours", "fluxi"), PAIRS, ids=lambda one: one.__name__)
def test_they_agree(ours: type[SlotSection], fluxi: type[SlotBase]) -> None:
    bounds = ours.model_fields["validators"].annotation
    assert isinstance(bounds, type)
    assert issubclass(bounds, Validators)
    beside = {name: field for name, field in ours.model_fields.items() if name not in SlotSection.model_fields}
    under = {name: field for name, field in bounds.model_fields.items() if name not in Validators.model_fields}
    theirs = {name: field for name, field in fluxi.model_fields.items() if name not in SlotBase.model_fields}
    assert {name: _facts(field) for name, field in (beside | under).items()} == {
        name: _facts(field) for name, field in theirs.items()
    }
