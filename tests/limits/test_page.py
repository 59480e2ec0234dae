"""docs/limits.md agrees with the code; `pytest --rewrite-transcripts` regenerates its tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mew_gateway.config import GatewayLimits
from mew_gateway.config.models import Limits
from mew_gateway.protocol.codes import CLOSES, ERRORS
from mew_gateway.protocol.statuses import FAULTS

from .page import default_of, markdown
from .table import LIMITS, SECTIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "limits.md"
_TABLE = r"(?<=<!-- table: {} -->\n).+?(?=<!-- end of table -->)"
_CODE = re.compile(r"(?<!reasoning/)`([a-z]+(?:_[a-z]+)+)`")
_NO_CODES = {"retry_after_ms", "limit_bytes"}  # what is told besides


@pytest.mark.parametrize("section", SECTIONS)
def test_its_tables_are_what_the_code_has(section: str, request: pytest.FixtureRequest) -> None:
    page, table = PAGE.read_text(encoding="utf-8"), markdown(SECTIONS[section])
    pattern = re.compile(_TABLE.format(section), re.DOTALL)
    if request.config.getoption("--rewrite-transcripts"):
        PAGE.write_text(pattern.sub(lambda _: table, page), encoding="utf-8")
    else:
        assert pattern.findall(page) == [table]


def test_a_default_is_the_models_as_it_would_be_written() -> None:
    assert default_of("gateway.limits.frame_bytes") == GatewayLimits().frame_bytes == 1_048_576
    assert default_of("gateway.limits.remembered_for") == "10m"
    assert default_of("spaces.*.interrupts.per_sequence") == "5/10s"
    assert default_of("spaces.*.participants.*.watchdog.max_bytes") is None
    assert default_of("spaces.*.participants.*.restart.max_backoff") == "30s"


def test_every_code_that_an_outcome_names_is_one() -> None:
    for limit in LIMITS:
        named = set(_CODE.findall(limit.outcome)) - _NO_CODES - set(Limits.model_fields)
        assert named <= {*ERRORS, *FAULTS.values(), "completing_thought"}, limit.key
        closes = {int(code) for code in re.findall(r"close (\d{4})", limit.outcome)}
        assert closes <= set(CLOSES), limit.key
