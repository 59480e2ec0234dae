"""Groups of commands that are imported only when they are typed: some need a second to load.

A group's help lists its commands by a static table (`Listed`), so it imports none of them. A command that another
package brings is registered by that package under the entry point `mew.commands`, as a Typer app:

    [project.entry-points."mew.commands"]
    hello = "my_package.cli:app"
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from .examples import examples
from .failure import mistake
from .option_groups import flatten_options
from .registered_commands import Registered, chosen, imported, packages


class Listed(NamedTuple):
    """A command as its group's help lists it.

    `panel` is the heading it stands under. `module` is its module's name, if that is not the command's. A command with
    an `extra` is registered by an entry point, and needs that extra of our distribution: `needs` is a module that the
    extra installs.
    """

    help: str
    panel: str | None = None
    module: str | None = None
    extra: str | None = None
    needs: str = ""

    @property
    def is_missing(self) -> bool:
        """True if the extra that the command needs is not installed."""
        return self.extra is not None and find_spec(self.needs) is None


class LazyGroup(TyperGroup):
    """A group of commands. A subclass gives the `package` of its modules, and the commands with their help.

    A module has the command under its name (`list_` if Python has that name), and `EXAMPLES`; or it has a group of
    its own as `app`.
    """

    package: ClassVar[str]
    listed: ClassVar[Mapping[str, Listed]]
    _only_lists = False

    def registered(self) -> Mapping[str, Sequence[Registered]]:
        """Return the commands that packages register, by name, our own first. Only `mew` itself has some."""
        return {}

    def list_commands(self, _: Any) -> list[str]:
        return list(dict.fromkeys([*self.listed, *sorted(self.registered())]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if self._only_lists and cmd_name in self.list_commands(ctx):
            return self._sketch(cmd_name)
        if cmd_name not in self.commands:
            self._load(cmd_name)
        return super().get_command(ctx, cmd_name)

    def _load(self, name: str) -> None:
        """Import a command that this group has. Raises `Failure` 2 for one whose extra is not installed."""
        listed = self.listed.get(name)
        if listed is not None and listed.extra is None:
            self.add_command(_loaded(f"{self.package}.{listed.module or name}", name))
            return
        if listed is not None and listed.is_missing:
            raise mistake(f"mew {name} needs the extra {listed.extra}: pip install 'mew-gateway[{listed.extra}]'")
        registered = self.registered().get(name, ())
        if registered:
            self.add_command(imported(name, chosen(name, registered, is_ours=listed is not None)))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in (names := self.list_commands(ctx)):  # the error names similar commands
            self.commands.update({name: self._sketch(name) for name in names})
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with self._listing():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        with self._listing():
            return super().shell_complete(ctx, incomplete)

    @contextlib.contextmanager
    def _listing(self) -> Iterator[None]:
        """List commands during the block, without running them: names and help texts are enough."""
        self._only_lists = True
        try:
            yield
        finally:
            self._only_lists = False

    def _sketch(self, name: str) -> TyperCommand:
        registered, listed = self.registered().get(name, ()), self.listed.get(name)
        if listed is None:
            refused = ": not run, as several register it" if len(registered) > 1 else ""
            listed = Listed(f"A command of {packages(registered)}{refused}.", "Other packages")
        elif others := [one for one in registered if not one.is_ours]:
            listed = listed._replace(help=f"{listed.help} That of {packages(others)} is not used.")
        needs = f" Needs the extra {listed.extra}." if listed.is_missing else ""
        return TyperCommand(name, help=f"{listed.help}{needs}", rich_help_panel=listed.panel)


def standalone(command: Callable[..., Any], name: str, *, typed: Sequence[str]) -> typer.Typer:
    """Return a Typer app of one command, as an entry point names it."""
    app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.command(name, epilog=examples(*typed))(flatten_options(command))
    return app


def _loaded(path: str, name: str) -> Any:
    module = import_module(path)
    if hasattr(module, "app"):
        loaded: Any = typer.main.get_group(module.app)
    else:
        command = getattr(module, name, None) or getattr(module, f"{name}_")
        loaded = typer.main.get_command(standalone(command, name, typed=module.EXAMPLES))
    loaded.name = name
    return loaded
