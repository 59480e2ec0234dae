"""How the examples of a command's help are written."""

from __future__ import annotations


def examples(*lines: str) -> str:
    """The epilog of a command's help. After `  # ` stands what a line does."""
    shown = []
    for line in lines:
        command, _, what = line.partition("  # ")
        shown.append(f"  [bold]{_escaped(command)}[/bold]" + (f"  [dim]# {_escaped(what)}[/dim]" if what else ""))
    return "\n\n".join(["Examples:", *shown])


def _escaped(text: str) -> str:
    """Return the text with what could be markup of rich escaped. rich is not imported for it: that takes 40 ms."""
    return text.replace("[", r"\[")
