"""How the examples of a command's help are written."""

from __future__ import annotations

from rich.markup import escape


def examples(*lines: str) -> str:
    """The epilog of a command's help. After `  # ` stands what a line does."""
    shown = []
    for line in lines:
        command, _, what = line.partition("  # ")
        shown.append(f"  [bold]{escape(command)}[/bold]" + (f"  [dim]# {escape(what)}[/dim]" if what else ""))
    return "\n\n".join(["Examples:", *shown])
