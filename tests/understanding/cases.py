"""Dialogue cases: what a person wants, where they say it, and what the tools must be told in the end (README.md).

A file holds the cases of one definition in one language. Who writes a message fills `message` and nothing else, so
everything that a case expects is fixed before anybody has found words for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo

import msgspec
from ruamel.yaml import YAML

from mew_agents.language.found import Language

HERE: Final = Path(__file__).parent
FOLDER: Final = HERE / "cases"

Half: TypeAlias = Literal["open", "held"]
HALVES: Final[tuple[Half, ...]] = get_args(Half)
DefinitionName: TypeAlias = Literal[
    "appointment_booking",
    "refund_request",
    "onboarding",
    "banking",
    "table_booking",
    "courier_pickup",
    "support_ticket",
]
DEFINITIONS: Final[tuple[DefinitionName, ...]] = get_args(DefinitionName)
Phenomenon: TypeAlias = Literal[
    "opening", "bare_opening", "answer", "correction", "free_text", "question", "two_wishes", "change", "typos"
]
PHENOMENA: Final[tuple[Phenomenon, ...]] = get_args(Phenomenon)

# In `says` and in arguments: the whole message, as it was written.
WHOLE: Final = "{message}"


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a file: an unknown key is a fault."""


class Call(Record, frozen=True, kw_only=True):
    """A tool with its arguments; of a flow that calls none: the name of the flow, with what people have told it."""

    tool: str
    arguments: dict[str, Any] = {}


class Later(Record, frozen=True, kw_only=True):
    """The second of two wishes. A system that does one thing at a time must not forget it in silence.

    `mentions`: words that a reply must contain for the wish to count as remembered. `plain`: how the person says it
    once more when the first one is done. `answers`: to questions about it.
    """

    calls: tuple[Call, ...]
    mentions: tuple[str, ...]
    plain: str
    answers: dict[str, str] = {}


class Goal(Record, frozen=True, kw_only=True):
    """What must have been done in the end: `calls`, in any order, none of them: nothing may be done.

    `held`: values of the Work or flow that no tool is told.
    """

    calls: tuple[Call, ...] = ()
    held: dict[str, Any] = {}
    later: Later | None = None

    @property
    def nothing(self) -> bool:
        """Whether nothing may be done."""
        return not self.calls


class Case(Record, frozen=True, kw_only=True):
    """One message in its place (README.md explains every key)."""

    id: str
    phenomenon: Phenomenon
    wish: str
    situation: str
    before: tuple[str, ...] = ()
    open: str
    says: dict[str, Any] = {}
    asks: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    goal: Goal
    answers: dict[str, str] = {}
    message: str | None
    others: tuple[str, ...] = ()

    @property
    def written(self) -> Iterator[Case]:
        """Yield the case if its message is written, then a case `ID+1`, `ID+2` … for each of its other messages."""
        if self.message is not None:
            yield self
            for number, message in enumerate(self.others, 1):
                yield msgspec.structs.replace(self, id=f"{self.id}+{number}", message=message, others=())


class Plain(Record, frozen=True, kw_only=True):
    """How a person says it who gives no trouble, with places for answers: `openings` by wish, `told` by slot."""

    openings: dict[str, str]
    told: dict[str, str]


class CaseFile(Record, frozen=True, kw_only=True):
    """The cases of one definition in one language, all of them at the same moment."""

    definition: DefinitionName
    language: Language
    now: str
    timezone: str
    sender: str
    plain: Plain
    cases: tuple[Case, ...]
    half: Half  # the folder that the file is in

    @property
    def moment(self) -> datetime:
        """When the message is said."""
        return datetime.fromisoformat(self.now).astimezone(ZoneInfo(self.timezone))

    @property
    def name(self) -> str:
        """The file's name below `cases`."""
        return f"{self.half}/{self.definition}_{self.language}.yaml"

    @property
    def written(self) -> tuple[Case, ...]:
        """The cases to play: one for each message that has been written."""
        return tuple(one for case in self.cases for one in case.written)


@cache
def load(path: Path, half: Half) -> CaseFile:
    """Return the cases in a file of a half. Raises `msgspec.ValidationError` with the place of what is wrong."""
    plain: Mapping[str, Any] = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    return msgspec.convert({**plain, "half": half}, CaseFile)


def files(half: Half, *, definition: str = "", language: str = "") -> tuple[CaseFile, ...]:
    """The files of a half: of a definition and of a language, or all of them."""
    return tuple(load(path, half) for path in paths(half, definition=definition, language=language))


def paths(half: Half, *, definition: str = "", language: str = "") -> list[Path]:
    """Where those files are."""
    return sorted((FOLDER / half).glob(f"{definition or '*'}_{language or '??'}.yaml"))
