"""Groups of commands that are imported only when they are typed: some need a second to load.

A group's help lists its commands by a static table (`Listed`), so it imports none of them. A command that another
package brings is registered by that package under the entry point `mew.commands`, as a Typer app:

    [project.entry-points."mew.commands"]
    hello = "my_package.cli:app"

A name means one command. `mew`'s own commands, and those of its own distribution, are never another package's; of two
other packages that register one name neither is run. Both are reported, with the names of the packages.
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


class Registered(NamedTuple):
    """A command that an installed package registers.

    `value` is where it is, as `module:object`; `load` imports that. `is_ours`: our own distribution registers it.
    """

    package: str
    value: str
    is_ours: bool
    load: Callable[[], Any]


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
            self.add_command(_imported(name, _chosen(name, registered, is_ours=listed is not None)))

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
            listed = Listed(f"A command of {_packages(registered)}{refused}.", "Other packages")
        elif others := [one for one in registered if not one.is_ours]:
            listed = listed._replace(help=f"{listed.help} That of {_packages(others)} is not used.")
        needs = f" Needs the extra {listed.extra}." if listed.is_missing else ""
        return TyperCommand(name, help=f"{listed.help}{needs}", rich_help_panel=listed.panel)


def standalone(command: Callable[..., Any], name: str, *, typed: Sequence[str]) -> typer.Typer:
    """Return a Typer app of one command, as an entry point names it."""
    app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.command(name, epilog=examples(*typed))(flatten_options(command))
    return app


def _chosen(name: str, registered: Sequence[Registered], *, is_ours: bool) -> Registered:
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
        raise mistake(
            f"mew {name} cannot be loaded: {_packages(others)} may not register it, and mew-gateway does not."
        )
    if others:
        message = f"mew {name} of {_packages(others)} is not used: mew-gateway has one of that name."
        typer.secho(message, fg=typer.colors.YELLOW, err=True)
    return registered[0]


def _imported(name: str, registered: Registered) -> Any:
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


def _packages(registered: Sequence[Registered]) -> str:
    return " and ".join(dict.fromkeys(one.package for one in registered))


def _loaded(path: str, name: str) -> Any:
    module = import_module(path)
    if hasattr(module, "app"):
        loaded: Any = typer.main.get_group(module.app)
    else:
        command = getattr(module, name, None) or getattr(module, f"{name}_")
        loaded = typer.main.get_command(standalone(command, name, typed=module.EXAMPLES))
    loaded.name = name
    return loaded
