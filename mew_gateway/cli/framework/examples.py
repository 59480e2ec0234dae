"""Formatting of the examples in a command's help."""

from __future__ import annotations


def examples(*lines: str) -> str:
    """Return the epilog of a command's help. ` # ` separates a line from its explanation."""
    shown = []
    for line in lines:
        command, _, what = line.partition("  # ")
        shown.append(f"  [bold]{_escaped(command)}[/bold]" + (f"  [dim]# {_escaped(what)}[/dim]" if what else ""))
    return "\n\n".join(["Examples:", *shown])


def _escaped(text: str) -> str:
    """Return the text with what could be markup of rich escaped. rich is not imported for it: that takes 40 ms."""
    return text.replace("[", r"\[")
