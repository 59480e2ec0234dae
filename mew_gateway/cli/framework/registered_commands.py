"""Commands that other packages register: which of them is run, and how it is loaded.

A name means one command. `mew`'s own commands, and those of its own distribution, are never another package's; of two
other packages that register one name neither is run. Both are reported, with the names of the packages.
`package_metadata` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import typer

from .failure import mistake


class Registered(NamedTuple):
    """A command that an installed package registers.

    `value` is where it is, as `module:object`; `load` imports that. `is_ours`: our own distribution registers it.
    """

    package: str
    value: str
    is_ours: bool
    load: Callable[[], Any]


def chosen(name: str, registered: Sequence[Registered], *, is_ours: bool) -> Registered:
    """Return what is run of the commands that are registered under a name; `is_ours`: the name is one of our own.

    Raises `Failure` 2 if nothing is, because other packages register it, or several of them.
    """
    others = [one for one in registered if not one.is_ours]
    if not is_ours and len(registered) == 1:
        return registered[0]
    if not is_ours:
        names = " and by ".join(f"{one.package} ({one.value})" for one in registered)
        raise mistake(f"mew {name} is registered by {names}. None of them is run: uninstall all but one.")
    if len(others) == len(registered):
        raise mistake(f"mew {name} cannot be loaded: {packages(others)} may not register it, and mew-gateway does not.")
    if others:
        message = f"mew {name} of {packages(others)} is not used: mew-gateway has one of that name."
        typer.secho(message, fg=typer.colors.YELLOW, err=True)
    return registered[0]


def imported(name: str, registered: Registered) -> Any:
    """Import a registered command. Raises `Failure` 2 if that fails, or it is none."""
    try:
        app = registered.load()
    except Exception as error:  # another package's mistake
        raise mistake(f"mew {name} cannot be loaded: {type(error).__name__}: {error}") from None
    if not isinstance(app, typer.Typer):
        raise mistake(f"mew {name} cannot be loaded: {registered.value} is not a Typer app.")
    is_single = len(app.registered_commands) == 1 and not app.registered_groups
    command: Any = typer.main.get_command(app) if is_single else typer.main.get_group(app)
    command.name = name
    return command


def packages(registered: Sequence[Registered]) -> str:
    """Return the names of the packages, each once."""
    return " and ".join(dict.fromkeys(one.package for one in registered))
