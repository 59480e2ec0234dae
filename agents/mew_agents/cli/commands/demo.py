"""`mew demo`: the story of this gateway, played with real processes, to its end."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, BinaryIO

import typer
from rich.rule import Rule
from rich.text import Text
from ruamel.yaml import YAML

from mew_gateway.cli.connecting.access import Access, find_access
from mew_gateway.cli.framework.failure import Failure
from mew_gateway.cli.framework.lazy_group import standalone
from mew_gateway.cli.framework.options import Where
from mew_gateway.cli.framework.package_files import package_file
from mew_gateway.cli.printing.terminal import out, show

EXAMPLES = ("mew demo", "mew demo --act 3 --fast  # an emergency, and nothing else")

_MEW = [sys.executable, "-m", "mew_gateway.cli.parent_guard"]
_OURS = ("MEW_SPACE", "MEW_PARTICIPANT", "MEW_URL", "MEW_TOKEN")  # what a person may have set for another gateway
_PATIENCE = 90.0  # seconds for anything that must happen, also on a machine that is busy
_A_MOMENT = 0.3  # seconds for a line to be printed
_TIMED_OUT = 5  # `mew interrupt`: no ack by the deadline
_REFUSED = 6  # `mew resume`: the gateway says no
# In the demo, Fluxi is killed between the call of its tool and the record of it, once.
_DRILL = ("mew_agents.fluxi.agent:FluxiAgent", "mew_agents.fluxi.drill:Drill")


# What `--fast` changes in the spaces: a deadline that nobody keeps, and how fast somebody speaks.
_FASTER = (
    ("ack_deadline: 3s", "ack_deadline: 1s"),
    (
        "agent: mew_agents.speaker:Speaker",
        "agent: mew_agents.speaker:Speaker\n        options: {words_per_minute: 400}",
    ),
)


def demo(
    *,
    act: Annotated[
        list[int] | None, typer.Option("--act", metavar="N", min=1, max=6, help="Only this act; may be repeated.")
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Wait and speak less long.")] = False,
) -> None:
    """Play the story: an agent thinks aloud, is interrupted and stops; one that speaks is spoken to; an emergency halts
    it; another does not answer, and the record says so; one is killed while it books an appointment, and books it once;
    one is killed while it waits for an answer, and goes on exactly there.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # under nohup it stays ignored
            signal.signal(number, _stop)
    folder = Path(tempfile.mkdtemp(prefix="mew-demo-"))
    try:
        config, log = folder / "spaces.yaml", folder / "gateway.log"
        acts = [one for nth, one in enumerate(_ACTS, 1) if not act or nth in act]
        config.write_text(_spaces({space for space, _ in acts}, fast=fast), encoding="utf-8")
        with _gateway(config, log):
            for _, play in acts:
                play(config, log)
        _head("The gateway has stopped in good order", act=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _spaces(played: set[str], *, fast: bool) -> str:
    """Return spaces.yaml with the spaces that are played in: agents of the others need not start."""
    text = package_file("spaces.yaml").read_text(encoding="utf-8")
    for as_it_is, here in (("127.0.0.1:8080", "127.0.0.1:0"), _DRILL, *(_FASTER if fast else ())):
        text = text.replace(as_it_is, here)
    read = YAML(typ="safe").load(text)
    read["spaces"] = {name: space for name, space in read["spaces"].items() if name in played}
    return json.dumps(read)  # which is YAML


def _an_agent_stops(config: Path, _: Path) -> None:
    _head("Act 1: an agent thinks aloud, and a person stops it", act=True)
    access = _access(config, "demo")
    _until(lambda: _is_present(access, "solver"), "the solver has joined")
    with _watching(config, "demo"):
        _run(config, "send", "--space", "demo", "--to", "solver", "Find a short tour through your cities, please.")
        _until(lambda: _thoughts(access, "solver") >= 5, "the solver thinks")
        _run(config, "interrupt", "--space", "demo", "solver", "--message", "Thank you, that is short enough.")
    _head("What the record says")
    _run(config, "interrupts", "--space", "demo")
    _run(config, "timeline", "--space", "demo")


def _an_agent_listens(config: Path, _: Path) -> None:
    _head("Act 2: an agent speaks, and a person changes their mind", act=True)
    access = _access(config, "demo")
    _until(lambda: _is_present(access, "speaker"), "the speaker has joined")
    with _watching(config, "demo"):
        _have_it_speak(config, access)
        show(Text("Somebody speaks to it: whatever recognises speech says how sure it is of the words."))
        first = _open(access, "speaker")
        sure = ["--payload", '{"confidence": 0.95}']
        _run(config, "send", "--space", "demo", "--to", "speaker", *sure, "no, mejor mañana")
        _until(lambda: _open(access, "speaker") - first and _thoughts(access, "speaker") >= 1, "it speaks anew")
    _head("What the agent says that it decided, and why")
    _run(config, "timeline", "--space", "demo", "--agent", "speaker")


def _have_it_speak(config: Path, access: Access) -> None:
    _run(config, "send", "--space", "demo", "--to", "speaker", "Cuénteme qué hay en mi cita.")
    _until(lambda: _open(access, "speaker"), "the speaker speaks")


def _an_emergency_halts(config: Path, _: Path) -> None:
    _head("Act 3: an emergency halts the agent, and not everybody may let it go on", act=True)
    access = _access(config, "demo")
    _until(lambda: _is_present(access, "speaker"), "the speaker has joined")
    if not _open(access, "speaker"):  # this act alone, or its speech of the act before has ended
        _have_it_speak(config, access)
    emergency = ["--as", "guardian", "--class", "emergency", "--message", "Smoke in the room.", "--yes"]
    _run(config, "interrupt", "--space", "demo", "speaker", *emergency)
    _run(config, "send", "--space", "demo", "--to", "speaker", "Cuénteme la visita.")
    id = access.api.get("interrupts")["interrupts"][-1]["id"]
    _run(config, "resume", "--space", "demo", "speaker", id, expected=_REFUSED)
    before = _open(access, "speaker")
    _run(config, "resume", "--space", "demo", "speaker", id, "--as", "guardian")
    _until(lambda: _open(access, "speaker") - before, "the speaker takes up what was said meanwhile")
    _head("What the record says")
    _run(config, "timeline", "--space", "demo", "--limit", "20")


def _an_agent_does_not_answer(config: Path, _: Path) -> None:
    _head("Act 4: an agent does not answer, and the deadline passes", act=True)
    access = _access(config, "deadline")
    _until(lambda: _is_present(access, "mute"), "the mute agent has joined")
    _run(config, "send", "--space", "deadline", "--to", "mute", "Think about nothing in particular.")
    _until(lambda: _thoughts(access, "mute") >= 1, "the mute agent thinks")
    _run(config, "interrupt", "--space", "deadline", "mute", expected=_TIMED_OUT)
    _head("What the record says")
    _run(config, "interrupts", "--space", "deadline")
    _run(config, "timeline", "--space", "deadline")


def _an_agent_dies_with_a_call_out(config: Path, _: Path) -> None:
    _head("Act 5: an agent books an appointment, and is killed between the call and its record", act=True)
    access = _access(config, "office")
    for participant in ("calendar", "fluxi"):
        _until(lambda: _is_present(access, participant), f"{participant} has joined")  # noqa: B023
    show(Text("It dies when the calendar has booked, before it has written that down. It must not book once more."))
    with _watching(config, "office"):
        for words in (
            "Quiero agendar un turno con la Dra. Pérez para el viernes a las 17",
            "sí, pero a las 18",
            "sí",
        ):
            _tell(config, access, "fluxi", words)
    _head("What the calendar holds")
    _run(config, "call", "--space", "office", "calendar", "list_appointments")


def _an_agent_dies_while_it_waits(config: Path, log: Path) -> None:
    _head("Act 6: an agent asks, and is killed while it waits for the answer", act=True)
    access = _access(config, "office")
    _until(lambda: _is_present(access, "flows"), "flows has joined")
    show(Text("It asks for an age and dies before it hears it. What it had asked must still be open, and count once."))
    with _watching(config, "office"):
        _tell(config, access, "flows", "Quiero registrarme, me llamo Lucía")
        _until(lambda: not _open(access, "flows"), "flows waits")
        dead = _process(log, "office/flows")
        show(Text(f"$ kill -9 {dead}", style="bold"))
        os.kill(dead, signal.SIGKILL)
        _until(lambda: _process(log, "office/flows") != dead, "flows is started again")
        _until(lambda: _is_present(access, "flows"), "flows has joined again")
        _tell(config, access, "flows", "25 años")
    _head("What its database holds")
    _run_there(config, "flows", "list", "--database", "sqlite:///.mew/agents/office/flows/flows.db")
    show(Text("The new process had the same question open: it asked nothing twice, and took the age as the answer."))
    with _watching(config, "office"):
        for words in ("lucia@example.com", "Rosario", "sí"):
            _tell(config, access, "flows", words)


def _stop(number: int, _frame: FrameType | None) -> None:
    """A signal that would end us at once: everything that we started is to end first."""
    sys.exit(128 + number)


@contextmanager
def _gateway(config: Path, log: Path) -> Iterator[None]:
    """The gateway with its hosted agents, as a process of its own; it must end with status 0."""
    _say("serve", "--config", "spaces.yaml", "&")
    with log.open("wb") as output, _started("serve", "--config", str(config), output=output) as process:
        address = config.parent / ".mew" / "gateway.json"
        _until(lambda: address.exists() or process.poll() is not None, "the gateway is ready")
        if process.poll() is not None:
            raise Failure(f"The gateway did not start:\n{log.read_text()}")
        yield
    if process.returncode != 0:
        raise Failure(f"The gateway ended with status {process.returncode}:\n{log.read_text()}")


@contextmanager
def _watching(config: Path, space: str) -> Iterator[None]:
    """`mew watch` beside us, printing what everybody in the space sees."""
    _say("watch", "--space", space, "&")
    access = _access(config, space)
    with _started("watch", "--config", str(config), "--space", space):
        _until(lambda: _is_present(access, "human"), "the watch has joined")
        time.sleep(_A_MOMENT)  # it greets
        yield
        time.sleep(_A_MOMENT)  # it has yet to print what was said last


def _run(config: Path, *arguments: str, expected: int = 0) -> None:
    """A command as a person would type it. Raises `Failure` when its exit status is not the expected one."""
    _say(*arguments)
    with _started(arguments[0], "--config", str(config), *arguments[1:]) as process:
        status = process.wait()
    if status != expected:
        raise Failure(f"`mew {arguments[0]}` ended with status {status}, not {expected}.")


# Each act with the space that it is played in.
_ACTS: tuple[tuple[str, Callable[[Path, Path], None]], ...] = (
    ("demo", _an_agent_stops),
    ("demo", _an_agent_listens),
    ("demo", _an_emergency_halts),
    ("deadline", _an_agent_does_not_answer),
    ("office", _an_agent_dies_with_a_call_out),
    ("office", _an_agent_dies_while_it_waits),
)


def _head(title: str, *, act: bool = False) -> None:
    """A heading, across a terminal; in a pipe as long as it is."""
    if out().is_terminal:
        show(Rule(title, style="rule.line" if act else "dim"))
    else:
        show(Text(f"{'══' if act else '──'} {title}"))


def _run_there(config: Path, *arguments: str) -> None:
    """A command that needs no gateway, in the folder of the configuration."""
    _say(*arguments)
    with _started(*arguments, folder=config.parent) as process:
        status = process.wait()
    if status != 0:
        raise Failure(f"`mew {arguments[0]}` ended with status {status}.")


@contextmanager
def _started(
    *arguments: str, output: BinaryIO | None = None, folder: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A command beside us, in a session of its own, for a Ctrl-C is for us. It ends with the block, or with us."""
    environ = {name: value for name, value in os.environ.items() if name not in _OURS}
    with subprocess.Popen(
        [*_MEW, *arguments],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        cwd=folder,
        env=environ,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask it to stop, then make it: also when our patience is cut short, by a second Ctrl-C."""
    try:
        process.terminate()
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
    except BaseException:
        process.kill()
        raise


def _tell(config: Path, access: Access, agent: str, words: str) -> None:
    """Somebody in the office says something to an agent, and hears its answer."""
    heard = _replies(access, agent)
    _run(config, "send", "--space", "office", "--to", agent, words)
    _until(lambda: _replies(access, agent) > heard, f"{agent} answers")


def _say(*arguments: str) -> None:
    words = " ".join(f"'{word}'" if " " in word else word for word in arguments)
    show(Text(f"$ mew {words}", style="bold"))


def _access(config: Path, space: str) -> Access:
    return find_access(Where(space=space, as_="human", config=config))


def _is_present(access: Access, participant: str) -> bool:
    listed = access.api.get("participants")["participants"]
    return any(one["id"] == participant and one["present"] for one in listed)


def _process(log: Path, name: str) -> int:
    """The process of a hosted agent, as the gateway said when it started it last."""
    return int(re.findall(rf"{name} started \(process (\d+)\)", log.read_text())[-1])


def _thoughts(access: Access, owner: str) -> int:
    listed: list[dict[str, Any]] = access.api.get("sequences", open=1)["sequences"]
    return max((one["thoughts"] for one in listed if one["owner"] == owner), default=0)


def _replies(access: Access, sender: str) -> int:
    """How many chats of a participant are on record."""
    listed: list[dict[str, Any]] = access.api.get("history", limit=1000)["envelopes"]
    said = [one["envelope"] for one in listed]
    return sum(one["kind"] == "chat" and one["from"] == sender for one in said)


def _open(access: Access, owner: str) -> set[str]:
    """The ids of a participant's open sequences."""
    return {one["id"] for one in access.api.get("sequences", open=1)["sequences"] if one["owner"] == owner}


def _until(is_so: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise Failure(f"After {_PATIENCE:g} s it is still not so that {what}.")
        time.sleep(0.1)


app = standalone(demo, "demo", typed=EXAMPLES)
