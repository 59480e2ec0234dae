"""What is published of definitions: docs/definitions.md is right and complete, and the schema current."""

from __future__ import annotations

import re
from pathlib import Path

from mew_agents.fluxi.definitions import Definition, check
from mew_agents.fluxi.definitions.effects import Effect, FromKey, FromSlot, FromWork, Retry
from mew_agents.fluxi.definitions.model import Cancel, Confirmation, Policies
from mew_agents.fluxi.definitions.schema import FILE, render
from mew_agents.fluxi.definitions.section import Section
from mew_agents.fluxi.definitions.slots import Default, Slot

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
SECTIONS: tuple[type[Section], ...] = (
    *(Definition, Policies, Confirmation, Cancel, Effect, Retry, FromSlot, FromKey, FromWork, Default),
    *Slot.__args__,
)


def test_the_example_is_right() -> None:
    example, *_ = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    found = check(example.encode())
    assert (found.errors, found.warnings) == ((), ())


def test_every_key_is_named() -> None:
    for section in SECTIONS:
        for name, field in section.model_fields.items():
            assert re.search(rf"[`.{{ ]{field.alias or name}[`:.}},]", PAGE), (
                f"{section.__name__}.{field.alias or name}"
            )


def test_the_schema_is_current() -> None:
    assert (ROOT / "schemas" / FILE).read_text(encoding="utf-8") == render(), "run `make schemas`"
