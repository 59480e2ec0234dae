"""The question before an emergency: what it does, and who may resume the target afterwards."""

from __future__ import annotations

import sys
from typing import Any

import typer
from rich.text import Text

from ..connecting import resume_rights
from ..connecting.access import Access
from ..framework.failure import Failure
from ..printing.terminal import one_line, say


def confirm(access: Access, target: str, payload: dict[str, Any]) -> None:
    """Ask on a terminal whether to send the emergency. Raises `Failure` if the answer is no.

    Without a terminal nothing is asked: a script that says `emergency` means it, and there is no person to answer.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    name = one_line(target)
    say(Text(f"{name} will be halted: it begins nothing, and does nothing outside this sequence.", "bold red"))
    say(f"It stays so, across restarts too, until {resume_rights.resume_sentence(access, target, payload)}.")
    if not typer.confirm("Send the emergency?", err=True):
        raise Failure("Nothing was sent.")
