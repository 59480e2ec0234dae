"""`mew flows diagram`: a flow as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mew_agents.cli.flows.files import flows_named
from mew_agents.flows.definitions.diagram import diagram as drawn
from mew_agents.flows.definitions.loader import shipped
from mew_agents.flows.definitions.model import Flow
from mew_agents.language.found import Language
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.printing.terminal import out
from mew_gateway.documents.problems import did_you_mean

EXAMPLES = (
    "mew flows diagram transfer",
    "mew flows diagram bank.yaml --language es  # every flow of a file",
    "mew flows diagram bank.yaml --flow transfer --mermaid > transfer.mmd",
)


def diagram(
    which: Annotated[str, typer.Argument(metavar="FLOW|FILE", help="A flow that comes with it, or a file.")],
    *,
    flow: Annotated[str | None, typer.Option("--flow", metavar="NAME", help="Only this one of the file.")] = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="As a Mermaid flowchart; else as text.")] = False,
    language: Annotated[
        Language | None, typer.Option("--language", help="Of its texts; else English if it has it.", show_default=False)
    ] = None,
) -> None:
    """Draw a flow: its steps as they stand in the file, with what is asked, said and done, and where it can go."""
    drawings = [drawn(one, style="mermaid" if mermaid else "text", language=language) for one in _chosen(which, flow)]
    out().file.write("\n".join(drawings))


def _chosen(which: str, name: str | None) -> list[Flow]:
    known = {one.name: one for one in shipped()}
    if which in known and not Path(which).exists():
        return [known[which]]
    found = {one.name: one for one in flows_named([which])}
    if name is None:
        return list(found.values())
    if name not in found:
        offered = did_you_mean(name, found) or f"there are {', '.join(found)}"
        raise mistake(f"There is no flow {name!r} in {which} ({offered}).")
    return [found[name]]
