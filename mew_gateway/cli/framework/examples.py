"""Formatting of the examples in a command's help."""

from __future__ import annotations

from rich.markup import escape


def examples(*lines: str) -> str:
    """Return the epilog of a command's help. ` # ` separates a line from its explanation."""
    shown = []
    for line in lines:
        command, _, what = line.partition("  # ")
        shown.append(f"  [bold]{escape(command)}[/bold]" + (f"  [dim]# {escape(what)}[/dim]" if what else ""))
    return "\n\n".join(["Examples:", *shown])
