"""`mew participants`: list the participants of a space, who is present, and what they may send."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from ...connecting.access import find_access
from ...connecting.participant_status import presence
from ...framework.options import JsonOption, Where
from ...printing.terminal import one_line, print_json, show

EXAMPLES = ("mew participants --space demo", "mew participants --space demo --json")


def participants(
    *,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """List the participants of a space."""
    found = find_access(where).api.get("participants")
    if as_json:
        print_json(found)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("participant", "here", "may send"):
        table.add_column(heading, overflow="fold")
    for one in found["participants"]:
        table.add_row(Text(one["id"], style="bold"), presence(one), Text(_kinds(one["capabilities"])))
    show(table)


def _kinds(capabilities: list[dict[str, Any]]) -> str:
    """Return the kinds, each once; `…` if a capability limits the payload or the recipients."""
    kinds_once: dict[str, None] = {}
    for capability in capabilities:
        kinds = capability["kind"] if isinstance(capability["kind"], list) else [capability["kind"]]
        limited = "…" if len(capability) > 1 else ""
        kinds_once |= dict.fromkeys(f"{one_line(kind)}{limited}" for kind in kinds)
    return ", ".join(kinds_once) or "only what everybody may"
