"""Process of one agent: `python -m mew_gateway.sdk.host module:Class`, configured by its environment.

`MEW_URL`, `MEW_SPACE` and `MEW_TOKEN` give the gateway, the space and the identity; `MEW_OPTIONS` (a JSON object) the
options; `MEW_STATE` the folder for state that must outlive the process. With `MEW_PARENT=stdin` the process ends when
its standard input does, so that a supervised child ends with its supervisor. SIGTERM and SIGINT conclude the open runs
first. Exit status: 0 ended as requested (or shut down by the space), 1 the gateway does not want it back, 2 its
configuration is wrong; the reason is one line on standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import importlib
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import metadata

import anyio

from mew_gateway.errors import MewError, Misconfigured

from ._transport.reconnect import Stopped
from .agent import Agent
from .environment import Environment
from .options import options_from

log = logging.getLogger(__name__)

# Seconds after which a thread that computes lets another go on: an ack takes several turns (docs/performance.md).
SWITCH_INTERVAL = 0.001
_DISTRIBUTION = "mew-gateway"
_SHUT_DOWN = 4504  # a requested end, not a failure


class Indented(logging.Formatter):
    """Log formatter: a record begins a line, and its further lines, such as a traceback, are indented."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record with its further lines indented."""
        return super().format(record).replace("\n", "\n    ")


def load(name: str) -> type[Agent]:
    """Return the agent class `module:Class`. Raises `Misconfigured`."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise Misconfigured(f"{name!r} is not the name of an agent; one looks like package.module:Class.")
    try:
        imported = importlib.import_module(module)
    except Exception as error:
        remedy = _remedy(error.name) if isinstance(error, ModuleNotFoundError) and error.name else ""
        raise Misconfigured(f"{module} cannot be imported: {type(error).__name__}: {error}{remedy}") from error
    found = getattr(imported, attribute, None)
    if found is None:
        agents = [key for key, value in vars(imported).items() if isinstance(value, type) and issubclass(value, Agent)]
        raise Misconfigured(f"There is no {attribute} in {module}.{_offered(attribute, agents)}")
    if not (isinstance(found, type) and issubclass(found, Agent)):
        raise Misconfigured(f"{name} is not an Agent.")
    return found


def _remedy(missing: str) -> str:
    """Return the sentence that names the smallest extra of this distribution that installs a missing module; none if
    there is none."""
    name = missing.partition(".")[0]
    extras: dict[str, list[str]] = {}
    for requirement in metadata.requires(_DISTRIBUTION) or ():
        if (extra := re.search(r"extra == ['\"](\w+)['\"]", requirement)) is not None:
            extras.setdefault(extra[1], []).append(requirement)
    wanted = re.compile(rf"{re.escape(name)}\b", re.IGNORECASE)
    fitting = [extra for extra, requirements in extras.items() if any(map(wanted.match, requirements))]
    if not fitting:
        return ""
    smallest = min(fitting, key=lambda extra: len(extras[extra]))
    return f". It comes with an extra: pip install '{_DISTRIBUTION}[{smallest}]'"


def _offered(attribute: str, agents: list[str]) -> str:
    close = difflib.get_close_matches(attribute, agents, 1)
    return f" Did you mean {close[0]}?" if close else ""


def run(agent: Agent, environment: Environment, *, parent: int | None = None) -> int:
    """Serve an agent until a signal or the end of the file `parent`. Return the exit status."""
    try:
        anyio.run(partial(_serve, agent, environment, parent))
    except Stopped as error:
        log.error("%s", error)
        return 0 if error.code == _SHUT_DOWN else 1
    except Misconfigured as error:
        log.error("%s", error)
        return 2
    except Exception:
        log.exception("the agent failed")
        return 1
    log.info("ended")
    return 0


def main(arguments: Sequence[str] | None = None, variables: Mapping[str, str] | None = None) -> int:
    """Run the command with one argument, the agent's name. Return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    variables = os.environ if variables is None else variables
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Indented("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        if len(arguments) != 1:
            raise Misconfigured("Name one agent: python -m mew_gateway.sdk.host package.module:Class")
        kind = load(arguments[0])
        environment = Environment.read(variables)
        agent = kind(options_from(environment.options, kind.Options))
    except MewError as error:
        log.error("%s", error)
        return 2
    return run(agent, environment, parent=0 if variables.get("MEW_PARENT") == "stdin" else None)


async def _serve(agent: Agent, environment: Environment, parent: int | None) -> None:
    failure: MewError | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_signal, tasks.cancel_scope)
        if parent is not None:
            tasks.start_soon(_until_ended, parent, tasks.cancel_scope)
        try:
            await agent.serve(environment)
        except MewError as error:  # kept from the task group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def _until_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for number in signals:
            log.info("%s: concluding what is open", signal.Signals(number).name)
            scope.cancel()
            return


async def _until_ended(file: int, scope: anyio.CancelScope) -> None:
    """Cancel the scope at the end of the file. It is read in a daemon thread: not every standard input can be
    polled."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(OSError):
            while os.read(file, 4096):
                pass
        with contextlib.suppress(RuntimeError):  # the loop has closed: we have ended already
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, daemon=True).start()
    await ended.wait()
    log.info("the supervisor has gone: concluding what is open")
    scope.cancel()


if __name__ == "__main__":
    sys.exit(main())
