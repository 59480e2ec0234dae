"""Fixtures of the tests of a space without a gateway (tests/kit/space_driver.py)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mew_gateway.space.effects import Effect

from ..kit.space_driver import SpaceDriver, cast_settings, codes


@pytest.fixture
def errors() -> Callable[[list[Effect]], list[str]]:
    """The codes of the `system/error`s among effects, in order."""
    return codes


@pytest.fixture
def driver() -> SpaceDriver:
    """A space with the whole cast, of whom nobody has come yet."""
    return SpaceDriver()


@pytest.fixture
def make_driver() -> Callable[..., SpaceDriver]:
    """A space with the whole cast and settings of one's own."""
    return lambda **fields: SpaceDriver(cast_settings(**fields))
