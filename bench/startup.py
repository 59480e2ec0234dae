"""The command: `python -m bench.startup`. What commands and hosted agents cost before they do anything."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console

from bench.command import exit_on_signals, experiment, progress_console, show_machine
from bench.failure import PATIENCE, BenchFailure
from bench.gateway import gateway
from bench.machine import describe
from bench.process import started
from bench.server import Server, free_port
from bench.verdicts import Target

_HELP = """Measures the CPU time of commands before they connect, and the time until a hosted agent has joined.

CPU time is user and system time above `python -c pass` in the same round. The commands connect to a port where nobody
listens. An agent's time is from the start of its process to its presence. Takes half a minute.

Examples:

\b
    python -m bench.startup
    python -m bench.startup --rounds 3
"""
HELP = Target("≤", 0.3)  # seconds of CPU above bare Python
COMMAND = Target("≤", 0.25)
AGENT = Target("≤", 0.5)  # seconds from spawn to joined, agents on the SDK alone

_MEW = [str(Path(sys.executable).with_name("mew"))]
_BARE = "python -c pass"
_AGENTS: Mapping[str, tuple[str, Target | None]] = {
    "echo": ("mew_agents.echo:Echo", AGENT),
    "calculator": ("mew_agents.calculator:Calculator", AGENT),
    "fluxi": ("mew_agents.fluxi.agent:FluxiAgent", None),
    "flows": ("mew_agents.flows.agent:FlowAgent", None),
}
_KINDS = ("*",)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=_HELP)
def main(*, rounds: Annotated[int, typer.Option(min=1, help="How often each is started.")] = 9) -> None:
    progress, out = progress_console(), Console(highlight=False, soft_wrap=True)
    with experiment(progress):
        bare, cpu = commands(rounds, progress.print)
        joined = agents(rounds, progress.print)
    show_machine(out, describe())
    out.print(f"{_BARE}: {bare:.3f} s of CPU")
    for name, values in cpu.items():
        target = HELP if name == "mew --help" else COMMAND
        out.print(f"{name}: + {_spread(values)} of CPU; {target.verdict(median(values))}: {target}")
    for name, values in joined.items():
        wanted = _AGENTS[name][1]
        verdict = "" if wanted is None else f"; {wanted.verdict(median(values))}: {wanted}"
        out.print(f"{name}, from spawn to joined: {_spread(values)}{verdict}")


def commands(rounds: int, progress: Callable[[str], None]) -> tuple[float, dict[str, list[float]]]:
    """Return the CPU seconds of bare Python (median), and of each command above it, a value a round."""
    access = ["--url", f"ws://127.0.0.1:{free_port()}", "--space", "demo", "--as", "human", "--token", "t"]
    typed: dict[str, list[str]] = {
        "mew --help": [*_MEW, "--help"],
        "mew interrupt": [*_MEW, "interrupt", "solver", *access],
        "mew status": [*_MEW, "status", *access],
        "mew send": [*_MEW, "send", "hello", *access],
    }
    found: dict[str, list[float]] = {name: [] for name in typed}
    bare: list[float] = []
    for number in range(rounds + 1):  # the first round writes the bytecode
        progress(f"commands, round {number} of {rounds}")
        base = _cpu([sys.executable, "-c", "pass"])
        values = {name: _cpu(command) - base for name, command in typed.items()}
        if number:
            bare.append(base)
            for name, value in values.items():
                found[name].append(value)
    return median(bare), found


def agents(rounds: int, progress: Callable[[str], None]) -> dict[str, list[float]]:
    """Return the seconds from an agent's spawn to its presence, a value a round. Raises `BenchFailure`."""
    found: dict[str, list[float]] = {name: [] for name in _AGENTS}
    with gateway(participants=1 + len(_AGENTS), journal="memory", may=_KINDS) as server:
        os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))
        for number in range(rounds + 1):
            progress(f"agents, round {number} of {rounds}")
            for place, (name, (path, _)) in enumerate(_AGENTS.items(), 1):
                value = asyncio.run(_joined(server, place, path))
                if number:
                    found[name].append(value)
    return found


async def _joined(server: Server, place: int, path: str) -> float:
    with ExitStack() as stack:
        state = stack.enter_context(tempfile.TemporaryDirectory(prefix="mew-bench-"))
        environment = _environment() | {
            "MEW_URL": server.url,
            "MEW_SPACE": "bench",
            "MEW_TOKEN": server.token % place,
            "MEW_STATE": str(Path(state, "agent")),
        }
        async with server.join(0) as socket:
            begun = time.perf_counter()
            process = stack.enter_context(
                started([sys.executable, "-m", "mew_gateway.sdk.host", path], environment=environment)
            )
            try:
                async with asyncio.timeout(PATIENCE):
                    while not _is_join(json.loads(await socket.recv()), f"p{place}"):
                        pass
            except TimeoutError:
                process.check()
                raise BenchFailure(f"{path} has not joined within {PATIENCE:g} s.") from None
            return time.perf_counter() - begun


def _is_join(envelope: Mapping[str, object], participant: str) -> bool:
    payload = envelope["payload"]
    return (
        envelope["kind"] == "system/presence"
        and isinstance(payload, dict)
        and payload["event"] == "join"
        and payload["participant"]["id"] == participant
    )


def _cpu(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=False, capture_output=True, env=_environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment() -> dict[str, str]:
    """Return the environment of whoever installed us: bytecode is written, and read the next time."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _spread(values: Sequence[float]) -> str:
    return f"{median(values):.2f} s ({min(values):.2f} – {max(values):.2f})"


if __name__ == "__main__":
    exit_on_signals()
    app()
