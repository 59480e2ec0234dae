"""The real engines with nothing around them: a message goes in, and what is asked and done afterwards is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

from sqlalchemy import Connection

from mew_agents.flows import Flows
from mew_agents.flows import effects as effecting
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.effects import Finished
from mew_agents.flows.replies import say
from mew_agents.flows.state import Asked as FlowAsked
from mew_agents.flows.state import Dialogue, Frame, applied, read, read_delta
from mew_agents.fluxi import Conversation, Fluxi, Message, PolicyContext, Result, values
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.work import Work
from mew_agents.language.found import Language

from .cases import Call, CaseFile
from .world import EFFECTS, Notes, product

# What a question wants: a value, a yes to a value, a yes to doing it.
Wants: TypeAlias = Literal["value", "check", "confirm"]
# Time that a person takes to answer.
_PACE: Final = timedelta(seconds=20)
# Sentences and reason codes that say that a message was not understood. A sentence that says so, and is added to an
# engine, is added here.
_SENTENCES: Final = ("ask_again", "not_understood", "yes_or_no", "nothing_to_correct")
_CODES: Final = ("no_intent", "no_evidence", "not_understood", "nothing_to_confirm", "needs_human")
_PLACE: Final = "\x00"


@dataclass(frozen=True, slots=True)
class Asked:
    """The question that is open. `path`: the slot it is about, empty: whatever is to be different; `piece`: of a
    datetime, the part that is missing (`date` or `time`)."""

    wants: Wants
    path: str = ""
    piece: str = ""

    def __str__(self) -> str:
        if self.wants == "confirm":
            return "confirm"
        name = f"{self.path}.{self.piece}" if self.piece else self.path or "anything"
        return f"check:{name}" if self.wants == "check" else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the rows say after a turn. `held`: values that are complete; `unresolved`: the record says that nothing
    was understood; `ended`: what each Work or flow held that was completed since; `calls`: flows without a tool that
    were completed since."""

    asked: Asked | None
    held: Mapping[str, Any]
    unresolved: bool = False
    ended: tuple[Mapping[str, Any], ...] = ()
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message, what was said to it, and what came of it. `calls`: what was done."""

    text: str
    reply: str
    code: str
    not_understood: bool
    looked: Looked
    calls: tuple[Call, ...]

    @property
    def asked(self) -> Asked | None:
        """The question that is open now."""
        return self.looked.asked


@dataclass
class _Seen:
    """How much of a conversation has been looked at."""

    noted: int = 0
    unresolved: int = 0
    dialogue: Dialogue | None = None
    ended: set[str] = field(default_factory=set)


class CaseEngine(ABC):
    """One engine for the cases of a file. Each case has an account, a conversation and tools of its own."""

    def __init__(self, file: CaseFile) -> None:
        self.file = file
        self.product = product(file.definition)
        self._now = file.moment
        self._tools = Notes(timezone=file.timezone, clock=lambda: round(self._now.timestamp() * 1000))
        self._here = Conversation("none", "none")
        self._seen = _Seen()
        self._said = 0

    @classmethod
    async def open(cls, file: CaseFile, folder: Path) -> CaseEngine:
        """The engine that a file's definition is for, its database in a folder."""
        engine: CaseEngine = FlowEngine(file) if product(file.definition).flows else FluxiEngine(file)
        await engine.start(f"sqlite:///{folder}/cases.db")
        return engine

    @abstractmethod
    async def start(self, url: str) -> None:
        """Opens the engine."""

    @property
    @abstractmethod
    def _fluxi(self) -> Fluxi: ...

    @abstractmethod
    async def _handle(self, message: Message, policy: PolicyContext) -> Result: ...

    @abstractmethod
    def _look(self, connection: Connection) -> Looked: ...

    def close(self) -> None:
        """Nothing is said any more."""
        self._fluxi.close()
        self._tools.close()

    def begin(self, case_id: str) -> Self:
        """Another case: nothing has been said, and the tools' books are empty."""
        self._now = self.file.moment
        self._here = Conversation(case_id, "c")
        self._seen = _Seen()
        self._said = 0
        self._tools.begin()
        return self

    async def say(self, text: str) -> Turn:
        """What comes of a message."""
        policy = PolicyContext(now=self._now, language=self.file.language, timezone=self.file.timezone)
        self._said += 1
        message = Message(message_id=f"m{self._said}", sender=self.file.sender, text=text)
        result = await self._handle(message, policy)
        looked = await self._fluxi.database.read(self._look)
        self._now += _PACE
        return Turn(
            text=text,
            reply=result.text,
            code=result.reason_code,
            not_understood=looked.unresolved or _not_understood(result, policy),
            looked=looked,
            calls=(*self._noted(), *looked.calls),
        )

    def _clock(self) -> datetime:
        return self._now

    def _noted(self) -> Iterator[Call]:
        """Effects that were done since the last turn; what its tool has refused was not done."""
        new = self._tools.noted[self._seen.noted :]
        self._seen.noted = len(self._tools.noted)
        for one in new:
            if one.tool in EFFECTS and one.applied:
                yield Call(tool=one.tool, arguments=dict(one.arguments))


def _not_understood(result: Result, policy: PolicyContext) -> bool:
    """Whether a reply says that the message was not understood."""
    return result.reason_code in _CODES or any(head in result.text for head in _heads(policy.language))


@cache
def _heads(language: Language) -> tuple[str, ...]:
    """How the sentences begin that say so."""
    policy = PolicyContext(now=datetime.now().astimezone(), language=language)
    heads = (say(key, policy, prompt=_PLACE).partition(_PLACE)[0].strip() for key in _SENTENCES)
    return tuple(filter(None, heads))


class FluxiEngine(CaseEngine):
    """Fluxi with its Works."""

    async def start(self, url: str) -> None:
        self._engine = await Fluxi.open(url, tools=self._tools, definitions=self.product.works, clock=self._clock)

    @property
    def _fluxi(self) -> Fluxi:
        return self._engine

    async def _handle(self, message: Message, policy: PolicyContext) -> Result:
        return await self._engine.handle(message, policy, self._here)

    def _look(self, connection: Connection) -> Looked:
        records = self._engine.desk.records(connection)
        place = self._here.account_id, self._here.conversation_id
        last = records.last_of(*place, self.file.sender)
        ended: tuple[Mapping[str, Any], ...] = ()
        if last is not None and last.state is State.COMPLETED and last.work_id not in self._seen.ended:
            self._seen.ended.add(last.work_id)
            ended = (last.values,)
        live = records.live_in(*place)
        if not live:
            return Looked(asked=None, held={}, ended=ended)
        work = live[-1]
        before, self._seen.unresolved = self._seen.unresolved, work.unresolved
        definition = records.definition(self._engine.catalogue, work.version_id)
        complete = {slot.path: slot for slot in definition.slots if slot.path in work.slots}
        held = {
            path: work.slots[path].value
            for path, slot in complete.items()
            if values.is_complete(slot, work.slots[path].value)
        }
        questions = records.pending_of(work.work_id)
        asked = _of_work(work, questions[0].path if questions else None)
        if asked is not None and asked.wants == "value" and asked.path in complete:
            asked = Asked("value", asked.path, values.missing(complete[asked.path], work.slots[asked.path].value) or "")
        return Looked(asked=asked, held=held, unresolved=work.unresolved > before, ended=ended)


def _of_work(work: Work, path: str | None) -> Asked | None:
    if work.suspended_reason is not None:
        return None
    if work.state is State.WAITING_CONFIRMATION:
        return Asked("confirm") if path is None else Asked("check", path)
    return Asked("value", work.asked or "") if work.state is State.WAITING_USER else None


class FlowEngine(CaseEngine):
    """Dialogues of flows."""

    async def start(self, url: str) -> None:
        self._engine = await Flows.open(url, tools=self._tools, flows=self.product.flows, clock=self._clock)

    @property
    def _fluxi(self) -> Fluxi:
        return self._engine.fluxi

    async def _handle(self, message: Message, policy: PolicyContext) -> Result:
        return await self._engine.handle(message, policy, self._here)

    def _look(self, connection: Connection) -> Looked:
        records, library = self._fluxi.desk.records(connection), self._engine.dialogues.library
        row = records.dialogue(self._here.account_id, self._here.conversation_id, self.file.sender)
        if row is None:
            return Looked(asked=None, held={})
        dialogue = read(row.state)
        before = self._seen.dialogue or Dialogue(
            dialogue_id=dialogue.dialogue_id,
            account_id=dialogue.account_id,
            conversation_id=dialogue.conversation_id,
            participant=dialogue.participant,
        )
        ended: list[Frame] = []
        unresolved = False
        for event in records.flow_events(dialogue.dialogue_id)[before.revision :]:
            unresolved = unresolved or event.type == "not_understood"
            finished = [one for one in effecting.read(event.effects) if isinstance(one, Finished)]
            done = (before.frame(one.flow_id) for one in finished if one.outcome == "completed")
            ended += [frame for frame in done if frame is not None]
            before = applied(before, read_delta(event.delta))
        self._seen.dialogue = dialogue
        return Looked(
            asked=_of_dialogue(dialogue, library),
            held=_held(dialogue.top, library),
            unresolved=unresolved,
            ended=tuple(frame.values for frame in ended),
            calls=tuple(call for frame in ended if (call := _without_tool(frame, library)) is not None),
        )


def _of_dialogue(dialogue: Dialogue, library: Library) -> Asked | None:
    frame = dialogue.top
    asked: FlowAsked | None = None if frame is None else frame.asked
    if frame is None or asked is None or dialogue.suspended is not None:
        return None
    if asked.wants == "confirm":
        return Asked("confirm")
    if asked.path is None:
        return Asked("value")
    held = frame.slots.get(asked.path)
    slot = library.flow(frame.version).slots[asked.path].slot
    piece = "" if held is None or asked.wants == "check" else values.missing(slot, held.value) or ""
    return Asked(asked.wants, asked.path, piece)


def _held(frame: Frame | None, library: Library) -> dict[str, Any]:
    if frame is None:
        return {}
    slots = library.flow(frame.version).slots
    complete = (path for path, one in frame.slots.items() if values.is_complete(slots[path].slot, one.value))
    return {path: frame.slots[path].value for path in complete}


def _without_tool(frame: Frame, library: Library) -> Call | None:
    """A flow that was completed and has no effect: what people have told it stands for a tool's arguments."""
    flow = library.flow(frame.version)
    if flow.effects:
        return None
    return Call(tool=flow.name, arguments={path: one for path, one in frame.values.items() if flow.slots[path].heard})
