"""Check of tool names in a document."""

from __future__ import annotations

from collections.abc import Collection

from mew_gateway.documents.problems import Fault, KeyPath, did_you_mean, echo


def unknown_tool_fault(path: KeyPath, tool: str, tools: Collection[str]) -> Fault | None:
    """Return the fault of an unknown tool; None if `tools` has it, or the participant's `participant/*`."""
    participant = tool.partition("/")[0]
    if tool in tools or f"{participant}/*" in tools:
        return None
    named = sorted(one for one in tools if not one.endswith("/*"))
    here = sorted({one.partition("/")[0] for one in tools})
    if participant not in here:
        near = did_you_mean(tool, named) or did_you_mean(participant, here)
        return Fault(path, f"There is no tool {echo(tool)}: no participant {echo(participant)} has tools.", near)
    own = [one for one in named if one.startswith(f"{participant}/")]
    return Fault(path, f"There is no tool {echo(tool)}.", did_you_mean(tool, own) or did_you_mean(tool, named))
