"""Every limit, at its bound and one beyond it; and that no limit is without."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from mew_gateway.config.models import SpacesFile
from mew_gateway.space.settings import Rate, Step

from ..conftest import Start
from .ground import Ground
from .limit import Case
from .table import LIMITS

NUMBERS = (
    int,
    Rate,
    Step,
)  # what a limit is made of: counts, bytes, milliseconds; so many in a time; rungs with a wait


@pytest.fixture
def ground(start_gateway: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ground:
    return Ground(start_gateway, monkeypatch, tmp_path)


def _cases(side: str) -> list[Any]:
    return [
        pytest.param(getattr(pair, side), id=f"{limit.key}{nth or ''}")
        for limit in LIMITS
        for nth, pair in enumerate(limit.pairs)
    ]


async def _run(case: Case, ground: Ground) -> None:
    running = case(ground)
    if inspect.isawaitable(running):
        await running


@pytest.mark.parametrize("case", _cases("at"))
async def test_at_its_bound_all_is_well(case: Case, ground: Ground) -> None:
    await _run(case, ground)


@pytest.mark.parametrize("case", _cases("past"))
async def test_past_its_bound_comes_the_outcome_and_nothing_else(case: Case, ground: Ground) -> None:
    await _run(case, ground)


def settable(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[str]:
    """The keys of spaces.yaml whose values are numbers in any form, as the models have them."""
    for name, field in model.model_fields.items():
        kinds = list(_kinds(field.annotation))
        if any(kind in NUMBERS for kind in kinds):
            yield ".".join((*path, name))
        several = "*" if get_args(field.annotation) and dict in kinds else None
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from settable(kind, (*path, name, several) if several else (*path, name))


def _kinds(annotation: Any) -> Iterator[Any]:
    """Every type that an annotation is made of."""
    yield getattr(annotation, "__origin__", annotation)
    for argument in get_args(annotation):
        yield from _kinds(argument)


def test_every_number_of_spaces_yaml_is_a_limit_with_its_two_cases() -> None:
    keys = [limit.key for limit in LIMITS if limit.value is None]
    assert sorted(set(settable(SpacesFile)) ^ set(keys)) == []
    assert all(limit.pairs for limit in LIMITS)
    assert len({limit.key for limit in LIMITS}) == len(LIMITS)


def test_a_new_number_is_noticed() -> None:
    class Wider(SpacesFile):
        brand_new: int = 5

    assert set(settable(Wider)) - set(settable(SpacesFile)) == {"brand_new"}
    assert "spaces.*.participants.*.watchdog.max_bytes" in set(settable(SpacesFile))
    assert len(list(settable(SpacesFile))) == len(set(settable(SpacesFile)))
