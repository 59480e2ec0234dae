"""The question before an emergency: what will happen, and who can let it go on afterwards."""

from __future__ import annotations

import sys
from typing import Any

import typer
from rich.text import Text

from ..connecting import resume_rights as lifting
from ..connecting.access import Access
from ..framework.failure import Failure
from ..printing.terminal import one_line, say


def confirm(access: Access, target: str, payload: dict[str, Any]) -> None:
    """Ask on a terminal whether to send it; elsewhere nobody is asked, for nobody is there. Raises `Failure` for a no.

    A script that says `emergency` means it, and an alarm that waits for a person is none.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    name = one_line(target)
    say(Text(f"{name} will be halted: it begins nothing, and does nothing outside this sequence.", "bold red"))
    say(f"It stays so, across restarts too, until {lifting.until(access, target, payload)}.")
    if not typer.confirm("Send the emergency?", err=True):
        raise Failure("Nothing was sent.")
