"""`mew replay`: repeat an agent's decisions from its recorded inputs, and compare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import typer
from rich.text import Text

from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.replay import Difference, Replayed, replayed
from mew_gateway.sdk.timeline.sqlite import TimelineReader

from ...agents.chain_report import show_verification
from ...agents.progress_bar import Advance, progress_bar
from ...agents.timeline_files import AgentFile, chosen_files, named_file
from ...agents.verification import Verification, verify
from ...framework.completion import complete_participants, complete_spaces
from ...framework.failure import FAILED
from ...framework.options import CONFIG, ConfigOption, JsonOption, Where
from ...printing.terminal import clean, print_json, show

EXAMPLES = (
    "mew replay demo  # every agent of the space that keeps a timeline here",
    "mew replay demo --agent solver",
    "mew replay backup/timeline.db --json",
)


def replay(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|SPACE",
            help="A timeline, or a space whose agents keep theirs here; may be left out where there is one space.",
            autocompletion=complete_spaces,
            show_default=False,
        ),
    ] = None,
    *,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Only this agent.", autocompletion=complete_participants),
    ] = None,
    as_json: JsonOption = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Replay the recorded inputs of an agent; a fresh core must decide the same, byte for byte. No tool is called.

    The first difference is printed, and the exit status is then 1: the rules have changed, or the record has. A broken
    chain also gives 1, and is printed first.
    """
    found = [_replay(file) for file in _files(what, agent, config)]
    if as_json:
        print_json({"agents": [_to_json(one) for one in found]})
    else:
        for one in found:
            _print(one)
    if not all(one.is_same and one.chain.is_whole for one in found):
        raise typer.Exit(FAILED)


class _Found(NamedTuple):
    """The result of replaying a timeline, None if it could not be read, and the verification of its `chain`."""

    file: AgentFile
    chain: Verification
    outcome: Difference | Replayed | None

    @property
    def is_same(self) -> bool:
        return isinstance(self.outcome, Replayed)


def _files(what: str | None, agent: str | None, config: Path) -> list[AgentFile]:
    if what is not None and (Path(what).is_file() or Path(what).name != what or what.endswith(".db")):
        return [named_file(Path(what), agent)]
    return chosen_files(Where(space=what, config=config), agent=agent, file=None)


def _replay(file: AgentFile) -> _Found:
    with progress_bar(file) as advance:
        chain = verify(file, {}, advance=advance)
    if chain.error is not None:
        return _Found(file, chain, None)
    with progress_bar(file) as advance, TimelineReader(file.path) as reader, reader.still():
        return _Found(file, chain, replayed(_read(reader, advance)))


def _read(reader: TimelineReader, advance: Advance) -> Iterator[Entry]:
    for entry in every(reader):
        advance(entry.seq)
        yield entry


def _print(found: _Found) -> None:
    agent, outcome = found.file.agent, found.outcome
    if not found.chain.is_whole:
        show_verification(found.chain)
    if isinstance(outcome, Difference):
        show(Text(f"{agent}: {clean(outcome.sentence)}", style="red"))
    elif outcome is not None:
        inputs = "1 input" if outcome.inputs == 1 else f"{outcome.inputs:,} inputs"
        lives = "1 life" if outcome.lives == 1 else f"{outcome.lives} lives"
        show(Text(f"{agent}: {inputs} in {lives}, the same decisions", style="green"))
        if outcome.gaps:
            gaps = "a gap" if outcome.gaps == 1 else f"{outcome.gaps} gaps"
            show(Text(f"{agent}: not judged: the entries after {gaps}, until the next life", style="yellow"))


def _to_json(found: _Found) -> dict[str, Any]:
    chain = found.chain
    fields = {"agent": found.file.agent, "file": str(found.file.path), "whole": chain.is_whole, "same": found.is_same}
    if not chain.is_whole:
        fields |= {"faults": msgspec.to_builtins(chain.faults), "error": chain.error}
    return fields if found.outcome is None else {**fields, **msgspec.to_builtins(found.outcome)}
