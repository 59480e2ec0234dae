"""A script played in flows, in a time and a database of its own, with tools that answer as it says."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from mew_agents.cli.fluxi.talk import Aloud
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.uses import tools as tools_of
from mew_agents.flows.engine import Flows
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.ports import Answer, Prepared, Reply, Thought, Witness
from mew_agents.fluxi.work import WorkEvent
from mew_agents.tools.fixed_answers import FixedAnswer
from mew_agents.tools.local import LocalTools
from mew_agents.tools.own import OwnTools
from mew_gateway.cli.printing.terminal import one_line
from mew_gateway.documents.durations import milliseconds
from mew_gateway.documents.problems import did_you_mean

from .files import flows_named
from .script import Line, Mark, Script, acts, outcome

_HERE: Final = Conversation("local", "script")
_PERSON: Final = "person"
# A story is told a second at a time.
_PACE: Final = timedelta(seconds=1)
_ENDS: Final = ("completed", "cancelled", "failed", "in_doubt")
_MANNER: Final = ("language", "timezone", "tone", "formality")


class Rehearsal(Witness):
    """One script, played once. `now` is when it begins, unless it says so itself; `folder` is for its database."""

    def __init__(
        self, script: Script, folder: Path, *, flows: tuple[Flow, ...] | None, own: OwnTools | None, now: datetime
    ) -> None:
        self._script = script
        self._url = f"sqlite:///{folder / 'script.db'}"
        self._known = flows
        self._policy = PolicyContext(now=now)
        self._outcomes: list[str] = []
        self._own = own or OwnTools({}, {})
        self._offered: list[str] = []
        self._flows: Flows | None = None
        self._messages = 0

    async def play(self) -> list[str]:
        """The script's own lines, and after each what came of it now. Raises `Failure` for a line that is none."""
        with LocalTools.shipped(language=self._policy.language, own=self._own, clock=self._milliseconds) as tools:
            self._tools = tools
            self._offered = await tools.tools()
            self._port = _Told(tools, lambda call: self._came("!", call))
            try:
                return [line async for line in self._played()]
            finally:
                self._close()

    async def saw(self, _: Sequence[WorkEvent], thoughts: Sequence[Thought] = ()) -> None:
        await self.noted(thoughts)

    async def noted(self, thoughts: Sequence[Thought]) -> None:
        """The ends of flows, and what a person is wanted for."""
        for thought in thoughts:
            event = thought.payload.get("event")
            if event in _ENDS:
                self._came("!", f"{thought.payload.get('flow', thought.text)} {event}")
            elif event == "page":
                self._came("!", "a person is wanted")

    async def _played(self) -> AsyncIterator[str]:
        for line in acts(self._script.lines):
            yield line.raw
            await self._do(line)
            for told in self._taken():
                yield told

    async def _do(self, line: Line) -> None:
        match line.kind:
            case "setting":
                self._set(line)
            case "deed":
                await self._act(line)
            case "said":
                await self._say(line)
            case "comment" | "outcome":
                pass

    def _taken(self) -> Iterator[str]:
        yield from self._outcomes
        self._outcomes.clear()

    def _came(self, mark: Mark, text: str) -> None:
        self._outcomes += outcome(mark, text)

    # What a script says

    def _set(self, line: Line) -> None:
        key, _, value = line.text.partition(" ")
        value = value.strip()
        try:
            if key == "flows":
                self._choose(line, value)
            elif key == "now":
                self._policy = replace(self._policy, now=datetime.fromisoformat(value))
            elif key == "emojis":
                self._policy = replace(self._policy, emojis=value == "yes")
            elif key in _MANNER:
                self._policy = replace(self._policy, **{key: value})  # type: ignore[arg-type]
            elif key == "tool":
                self._prompt(line, *value.split(maxsplit=2))
            else:
                known = ", ".join(("flows", "now", "tool", *_MANNER, "emojis"))
                raise self._script.wrong(line, f"There is no setting {key!r}; there are {known}.")
        except (ValueError, TypeError) as error:
            raise self._script.wrong(line, str(error)) from None

    def _choose(self, line: Line, value: str) -> None:
        if self._flows is not None:
            raise self._script.wrong(line, "The flows are chosen before anything is said.")
        beside = [self._script.file.parent / name for name in value.split()]
        names = zip(beside, value.split(), strict=True)
        self._known = flows_named([str(path) if path.exists() else name for path, name in names])

    def _prompt(self, line: Line, tool: str = "", how: str = "", what: str = "") -> None:
        known = {*self._offered, *(named.name for flow in self._chosen() for named in tools_of(flow))}
        if tool not in known:
            offered = did_you_mean(tool, sorted(known)) or "of other tools there are those that its flows name"
            raise self._script.wrong(line, f"There is no tool {tool!r} ({offered}).")
        match how:
            case "answers":
                self._tools.answers[tool] = FixedAnswer.answers(self._object(line, what))
            case "fails":
                self._tools.answers[tool] = FixedAnswer.fails(what or "failed")
            case "silent":
                self._tools.answers[tool] = FixedAnswer.silent()
            case "works":
                self._tools.answers.pop(tool, None)
            case _:
                ways = "`= tool NAME answers JSON`, `fails CODE`, `silent` or `works`"
                raise self._script.wrong(line, f"How is it answered? {ways}.")

    def _object(self, line: Line, text: str) -> dict[str, Any]:
        try:
            read = json.loads(text)
        except json.JSONDecodeError as error:
            raise self._script.wrong(line, f"This is no JSON: {one_line(text)!r}: {error.msg}.") from None
        if not isinstance(read, dict):
            raise self._script.wrong(line, f'An answer is an object, such as {{"table": 7}}, not {one_line(text)}.')
        return read

    async def _act(self, line: Line) -> None:
        verb, _, rest = line.text.partition(" ")
        match verb:
            case "wait":
                try:
                    self._advance(timedelta(milliseconds=milliseconds(rest.strip())))
                except ValueError as error:
                    raise self._script.wrong(line, f"{error}: `* wait 2h`") from None
                await (await self._open()).fluxi.schedule.run_due()
                await self._relay()
            case "restart":
                self._close()
                await self._open()
            case _:
                raise self._script.wrong(line, f"There is no {verb!r}: there are `* wait 2h` and `* restart`.")

    async def _say(self, line: Line) -> None:
        self._advance(_PACE)
        self._messages += 1
        message = Message(message_id=f"m{self._messages}", sender=line.who or _PERSON, text=line.text)
        flows = await self._open()
        result = await flows.handle(message, self._policy, _HERE, self)
        await self._relay()
        if result.text and not result.kept:
            self._came("<", result.text)

    # The flows

    async def _open(self) -> Flows:
        if self._flows is None:
            self._flows = await Flows.open(
                self._url,
                tools=self._port,
                flows=self._chosen(),
                carrier=Aloud(self._hear),
                clock=lambda: self._policy.now,
            )
        return self._flows

    def _chosen(self) -> tuple[Flow, ...]:
        if self._known is None:
            self._known = flows_named(None)
        return self._known

    async def _relay(self) -> None:
        await (await self._open()).fluxi.outbox.relay(_HERE)

    def _hear(self, reply: Reply) -> None:
        others = "" if reply.recipient == _PERSON else f"{reply.recipient}: "
        self._came("<", f"{others}{reply.text}")

    def _close(self) -> None:
        if self._flows is not None:
            self._flows.close()
            self._flows = None

    def _advance(self, by: timedelta) -> None:
        self._policy = replace(self._policy, now=self._policy.now + by)

    def _milliseconds(self) -> int:
        return self._policy.at


class _Told(LocalPort):
    """The local tools; each call that does something is told."""

    def __init__(self, tools: LocalTools, tell: Callable[[str], None]) -> None:
        super().__init__(tools)
        self._tell = tell

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        request = read(prepared.request)
        self._tell(f"{request['tool']} {written(request['arguments'])}")
        return await super().send(prepared, timeout=timeout)
