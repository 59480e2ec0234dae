"""A setting is defined once: keys of the file have name, default and range of the gateway's settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import pytest
from pydantic import ValidationError

from mew_gateway.config import GatewayLimits, JournalSettings, Restart, models
from mew_gateway.config.rates import rate
from mew_gateway.config.stated import Section, default_of, settings_of, stated
from mew_gateway.documents.durations import milliseconds
from mew_gateway.space.settings import Bounds, Interrupts, Milliseconds, Rate, Setting, SpaceSettings, Step, Watchdog

SECTIONS: dict[type[msgspec.Struct], type[Section]] = {
    GatewayLimits: models.Limits,
    Interrupts: models.Interrupts,
    Watchdog: models.Watchdog,
    Restart: models.Restart,
}


@pytest.mark.parametrize("kind", SECTIONS)
def test_an_empty_section_has_the_defaults_of_the_settings(kind: type[msgspec.Struct]) -> None:
    assert settings_of(kind, SECTIONS[kind].model_validate({})) == kind()


@pytest.mark.parametrize("kind", SECTIONS)
def test_a_section_has_the_settings_as_keys_and_no_others(kind: type[msgspec.Struct]) -> None:
    names = [name for name in _names(kind) if name not in ("bounds", "pending_bytes")]  # a part of `outbox_bytes`
    assert list(SECTIONS[kind].model_fields) == names


def _names(kind: type[msgspec.Struct]) -> Iterator[str]:
    for name in kind.__struct_fields__:
        yield name
        if name == "bounds":
            yield from Bounds.__struct_fields__


def test_sections_with_keys_of_their_own_have_the_settings_too() -> None:
    journal = settings_of(JournalSettings, models.Journal.model_validate({}), url="memory:")
    assert journal == JournalSettings(url="memory:")
    space = models.Space.model_validate({"participants": {"human": {}}})
    assert settings_of(SpaceSettings, space, id="a", participants={}) == SpaceSettings(id="a", participants={})


def test_a_written_default_means_the_default() -> None:
    written = {name: default_of(Interrupts, name) for name in ("completing_conclusion", "emergency")}
    assert written == {"completing_conclusion": "60s", "emergency": "3/60s"}
    assert milliseconds(written["completing_conclusion"]) == Interrupts().completing_conclusion
    assert rate(written["emergency"]) == Interrupts().emergency
    assert default_of(SpaceSettings, "proposal_expiry") == "24h"
    assert default_of(Interrupts, "emergency_escalation") == ["notify", "pause", {"kick": {"after": "5s"}}]


class _Inner(msgspec.Struct, frozen=True):
    few: Annotated[int, Setting("A few.", least=1, most=3)] = 2


class _Made(msgspec.Struct, frozen=True):
    id: str
    wait: Annotated[Milliseconds, Setting("A wait.")] = 1_000
    delay: Annotated[Milliseconds, Setting("A delay.", least=0)] = 0
    inner: Annotated[_Inner, Setting("Its keys are here.")] = _Inner()
    often: Annotated[Rate, Setting("A rate.")] = Rate(1, 1_000)
    steps: Annotated[tuple[Step, ...], Setting("Steps.")] = ()
    most: Annotated[int | None, Setting("Or none.", least=5)] = None


@stated(_Made)
class _MadeSection(Section):
    """A section of a test."""

    delay: int
    own: bool = False


def test_a_new_setting_becomes_a_key_by_itself() -> None:
    assert list(_MadeSection.model_fields) == ["delay", "own", "wait", "few", "often", "steps", "most"]
    parsed = _MadeSection.model_validate({"few": 3, "wait": "2s", "delay": "0s", "steps": ["kick"], "most": 5})
    assert settings_of(_Made, parsed, id="a") == _Made(
        id="a", wait=2_000, inner=_Inner(3), steps=(Step("kick"),), most=5
    )


@pytest.mark.parametrize("values", [{"few": 0}, {"few": 4}, {"wait": "0s"}, {"wait": 5}, {"most": 4}, {"id": "a"}])
def test_a_value_out_of_range_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        _MadeSection.model_validate(values)


def test_the_range_is_the_files_and_not_the_journals() -> None:
    journalled = msgspec.json.encode(Bounds(open_sequences=0))
    assert msgspec.json.decode(journalled, type=Bounds) == Bounds(open_sequences=0)
