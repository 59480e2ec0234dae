"""`mew init`: write an example spaces.yaml."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ...framework.failure import Failure
from ...framework.options import CONFIG
from ...framework.package_files import package_file
from ...printing import hints
from ...printing.terminal import command_name, show

EXAMPLES = ("mew init", "mew init --path team/spaces.yaml  # somewhere else", "mew init --force  # overwrite")


def init(
    *,
    path: Annotated[Path, typer.Option("--path", metavar="FILE", help="Where to write it.")] = CONFIG,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Write an example spaces.yaml: a person, agents that think aloud, and what they may do."""
    text = package_file("spaces.yaml").read_text(encoding="utf-8")
    try:
        with path.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise Failure(f"{path} is there already; nothing was written (--force overwrites it).") from None
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror}.") from None
    option = "" if path == CONFIG else f" --config {shlex.quote(str(path))}"
    show(Text(f"Wrote {path}. What next:"))
    mew = command_name()
    show(
        hints.table(
            [
                hints.Hint(f"{mew} check{option}", "after a change: says what is wrong, and where"),
                hints.Hint(f"{mew} serve{option}", "start the gateway and its agents"),
            ]
        )
    )
