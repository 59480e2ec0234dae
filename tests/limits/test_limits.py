"""Every limit at its bound and one beyond it; and every numeric setting has a limit."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from mew_gateway.config.models import SpacesFile
from mew_gateway.space.settings import Rate, Step

from ..kit.gateway import Start
from .limit import Case
from .limit_fixture import LimitFixture
from .table import LIMITS

NUMBERS = (int, Rate, Step)  # types of limits: counts, bytes and milliseconds; rates; escalation steps


@pytest.fixture
def fixture(start_gateway: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LimitFixture:
    return LimitFixture(start_gateway, monkeypatch, tmp_path)


def _cases(side: str) -> list[Any]:
    return [
        pytest.param(getattr(pair, side), id=f"{limit.key}{nth or ''}")
        for limit in LIMITS
        for nth, pair in enumerate(limit.pairs)
    ]


async def _run(case: Case, fixture: LimitFixture) -> None:
    running = case(fixture)
    if inspect.isawaitable(running):
        await running


@pytest.mark.parametrize("case", _cases("at"))
async def test_at_the_bound_everything_is_accepted(case: Case, fixture: LimitFixture) -> None:
    await _run(case, fixture)


@pytest.mark.parametrize("case", _cases("past"))
async def test_past_the_bound_the_outcome_follows(case: Case, fixture: LimitFixture) -> None:
    await _run(case, fixture)


def settable(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the keys of spaces.yaml whose values are numbers in any form."""
    for name, field in model.model_fields.items():
        kinds = list(_kinds(field.annotation))
        if any(kind in NUMBERS for kind in kinds):
            yield ".".join((*path, name))
        several = "*" if get_args(field.annotation) and dict in kinds else None
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from settable(kind, (*path, name, several) if several else (*path, name))


def _kinds(annotation: Any) -> Iterator[Any]:
    """Yield every type within an annotation."""
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
