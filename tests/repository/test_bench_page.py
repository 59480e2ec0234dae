"""bench/README.md says what is measured and how good it has to be: as bench/ itself does. And the bench's own sums."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import capability, idle
from bench.catalogue import BESIDE, GATEWAY
from bench.measurement import Spread
from bench.rounds import Compared
from bench.scenario import SCENARIOS, Comparison, Load, Recipe, Scenario, Side
from bench.verdicts import Target
from mew_gateway.protocol.capabilities import Capabilities, compile_capability

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "bench" / "README.md").read_text(encoding="utf-8")
ROWS = {cells[1].strip("` "): cells[4].strip() for line in PAGE.splitlines() if len(cells := line.split("|")) == 6}


def test_the_page_names_everything_that_can_be_measured() -> None:
    named = [name for name in ROWS if name not in ("scenario", "---")]
    assert named == [one.name for one in (*GATEWAY, *BESIDE)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_a_scenario_has_the_targets_of_the_page(scenario: Scenario) -> None:
    assert ROWS[scenario.name] == scenario.targets


def test_a_figure_has_the_target_of_the_page() -> None:
    assert ROWS["capability"] == str(capability.TARGET)
    assert ROWS["idle"] == str(idle.TARGET)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_what_a_scenario_compares_is_measured(scenario: Scenario) -> None:
    sides = [side.name for side in scenario.sides]
    compared = {name for one in scenario.comparisons for name in (one.ours, one.theirs)}
    assert len(set(sides)) == len(sides)
    assert compared == set(sides)


def test_make_measures_what_python_does_not_without_being_asked() -> None:
    asked = re.search(r"^bench-agents:.*\n\t.*-m bench --only (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert asked is not None
    assert asked[1].split(",") == [one.name for one in BESIDE]


def test_the_capabilities_checked_are_those_of_the_target() -> None:
    patterns = capability.patterns()
    of_the_kind = [one for one in patterns if one["kind"] == capability.KIND]
    wanted = [one["payload"]["params"]["name"] for one in of_the_kind]
    assert (len(patterns), len(of_the_kind)) == (100, 10)
    assert sum("*" in one and not one.startswith("/") for one in wanted) == 3
    assert sum(one.startswith("/") for one in wanted) == 1

    def allow(sources: list[dict[str, object]]) -> bool:
        held = Capabilities(map(compile_capability, sources))
        return held.allow(capability.KIND, capability.PAYLOAD, capability.TO)

    assert allow(patterns)
    assert not allow(patterns[:-1])


def compared(target: Target) -> Compared:
    """Two rounds: ours 10 and 40, theirs 10 and 20."""
    scenario = Scenario(
        name="any",
        about="",
        figure="rate",
        unit="",
        sides=(Side(name="gateway", server="gateway", load=Load()), Side(name="floor", server="floor", load=Load())),
        comparisons=(Comparison("gateway", "floor", target),),
    )
    runs: dict[str, list[dict[str, float | str]]] = {
        "gateway": [{"rate": 10, "others_cpu": 0}, {"rate": 40, "others_cpu": 0.5}],
        "floor": [{"rate": 10, "others_cpu": 0}, {"rate": 20, "others_cpu": 0}],
    }
    return Compared(scenario=scenario, runs=runs)


@pytest.mark.parametrize(
    ("target", "met"),
    [
        (Target("≥", 1.5), True),
        (Target("≥", 1.6), False),
        (Target("≤", 1.5), True),
        (Target("≤", 1.4), False),
    ],
)
def test_a_ratio_is_taken_round_by_round(target: Target, met: bool) -> None:
    result = compared(target)
    (row,) = result.rows()
    assert row.ratio == Spread(1.5, 1, 2)
    assert (row.ours, row.theirs) == (Spread(25, 10, 40), Spread(15, 10, 20))
    assert row.is_met is met
    assert result.noise == 0.5
    assert not list(result.lines())


def test_a_side_whose_peer_was_left_out_is_told_all_the_same() -> None:
    result = compared(Target("≥", 1))
    del result.runs["floor"]
    assert not list(result.rows())
    assert list(result.lines()) == ["any, gateway: 25 (10 – 40) "]


def test_servers_are_shared_by_the_sides_of_one_recipe_alone() -> None:
    careful, plain = Side(name="a", server="gateway", load=Load(careful=True)), Load()
    assert careful.recipe == Recipe("gateway", participants=50, spaces=1, routing="visible", journal=None)
    assert careful.recipe == Side(name="b", server="gateway", load=plain).recipe
    for other in (
        Side(name="c", server="floor", load=plain),
        Side(name="c", server="gateway", load=plain, journal="memory"),
        Side(name="c", server="gateway", load=plain, routing="addressed"),
        Side(name="c", server="gateway", load=Load(clients=500)),
        Side(name="c", server="gateway", load=Load(spaces=2)),
    ):
        assert other.recipe != careful.recipe
    assert other.recipe[:3] == ("gateway", 25, 2)
