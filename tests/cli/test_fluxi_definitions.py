"""Definitions on the command line: checked, listed, drawn."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from mew_agents.fluxi import definitions

SHIPPED = Path(definitions.__file__).parent / "shipped"


async def test_good_and_broken_files_are_checked_each_with_its_place(typed: Any, tmp_path: Path) -> None:
    good = SHIPPED / "refund_request.yaml"
    broken = tmp_path / "broken.yaml"
    broken.write_text(good.read_text().replace("bindingAttributes: [order]", "bindingAttributes: [oder]"))
    told, as_json, fine = await asyncio.gather(
        typed("fluxi", "definitions", "check", str(good), "broken.yaml", "none.yaml"),
        typed("fluxi", "definitions", "check", str(good), "broken.yaml", "--json"),
        typed("fluxi", "definitions", "check", str(good)),
    )
    assert [told.status, as_json.status, fine.status] == [2, 2, 0]
    assert fine.out.startswith("ok: ") and "refund_request@1#" in fine.out
    line = 1 + broken.read_text().splitlines().index("bindingAttributes: [oder]")
    assert f"broken.yaml:{line}:" in told.err and "none.yaml: There is no such file." in told.err
    first, second = as_json.json()["files"]
    assert (as_json.json()["ok"], first["ok"], second["ok"]) == (False, True, False)
    assert second["problems"][0]["line"] == line


async def test_the_definitions_of_a_folder_are_listed_and_doubles_refused(typed: Any, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "b.yaml").write_bytes((SHIPPED / "refund_request.yaml").read_bytes())
    own, shipped, told = await asyncio.gather(
        typed("fluxi", "definitions", "list", "--definitions", "mine", "--json"),
        typed("fluxi", "definitions", "list", "--json"),
        typed("fluxi", "definitions", "list"),
    )
    assert [one["typeId"] for one in own.json()["definitions"]] == ["refund_request"]
    assert [one["typeId"] for one in shipped.json()["definitions"]] == ["appointment_booking", "refund_request"]
    assert "calendar/book_appointment" in told.out
    (folder / "c.yaml").write_bytes((folder / "b.yaml").read_bytes())
    doubled = await typed("fluxi", "definitions", "list", "--definitions", "mine")
    assert doubled.status == 2 and "both define refund_request" in doubled.err


async def test_diagrams_of_a_type_a_file_and_the_whole_table(typed: Any) -> None:
    mermaid, dot, whole, unknown = await asyncio.gather(
        typed("fluxi", "definitions", "diagram", "appointment_booking", "--language", "es"),
        typed("fluxi", "definitions", "diagram", str(SHIPPED / "refund_request.yaml"), "--format", "dot"),
        typed("fluxi", "definitions", "diagram", "--format", "text"),
        typed("fluxi", "definitions", "diagram", "apointment_booking"),
    )
    assert "stateDiagram-v2" in mermaid.out and "turno médico" in mermaid.out
    assert dot.out.startswith("digraph") and "ledger/refund" in dot.out
    assert whole.out.startswith("A Work\n")
    assert unknown.status == 2 and "appointment_booking" in unknown.err
