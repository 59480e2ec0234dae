"""What Fluxi never does: the invariants of seed 002 that are about that (docs/fluxi-invariants.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import mew_agents.fluxi
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.interpreter.base import Candidate, Interpreter, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.language.found import Language

from .bookings import KEYED, START, ZONE, booking
from .ledger import Ledger, broken
from .outside import Doubles, Outside

ROOT = Path(mew_agents.fluxi.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py"))
# What joins Fluxi to tools: the port to those in its own process.
PORTS = ("local_port.py", "references.py")  # the second compares names only
TEXT = "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"


def names(path: Path) -> Iterator[str]:
    """Everything that a module imports, defines, calls or reads, by name; not what it says."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module=module, names=imported):
                yield from (f"{module}.{one.name}" for one in imported)
            case ast.Import(names=imported):
                yield from (one.name for one in imported)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_knows_an_assistant(path: Path) -> None:
    assert [name for name in names(path) if re.search("assistant", name, re.I)] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_but_the_port_knows_a_tool(path: Path) -> None:
    own = path.name in PORTS or path.relative_to(ROOT).parts[0] == "agent.py"
    assert own or [name for name in names(path) if name.startswith("mew_agents.tools")] == []


def test_the_port_is_where_tools_are_known() -> None:
    assert any(name.startswith("mew_agents.tools") for name in names(ROOT / PORTS[0]))


class Watched(Interpreter):
    """Rules, and how often they were asked. `invents` changes what they propose."""

    name = "watched"
    deterministic = True

    def __init__(self, invents: Callable[[Candidate], Candidate] | None = None) -> None:
        self.asked = 0
        self._invents = invents

    def propose(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> ProposedWork | None:
        self.asked += 1
        proposal = Rules().propose(text, definitions, understanding)
        if proposal is None or self._invents is None:
            return proposal
        return ProposedWork(
            type_id=proposal.type_id,
            confidence=1.0,
            slots=tuple(self._invents(one) if one.path == "doctor" else one for one in proposal.slots),
        )


class Table:
    """Somebody talks to Fluxi, with tools whose calls are counted."""

    def __init__(self, fluxi: Fluxi, outside: Outside, watched: Watched) -> None:
        self._fluxi = fluxi
        self._said = 0
        self.outside = outside
        self.watched = watched

    async def say(self, text: str, language: Language = "es") -> Result:
        self._said += 1
        policy = PolicyContext(now=START, timezone=ZONE, language=language)
        message = Message(message_id=f"m{self._said}", sender="ana", text=text)
        return await self._fluxi.handle(message, policy, Conversation("account", "c"))

    async def ledger(self) -> Ledger:
        assert await self._fluxi.database.read(broken) == []
        return await self._fluxi.database.read(Ledger.of)


@asynccontextmanager
async def sitting(url: str, folder: Path, watched: Watched) -> AsyncIterator[Table]:
    outside = Outside(folder / "world")
    fluxi = await Fluxi.open(
        url, tools=Doubles(outside), definitions=[booking(KEYED)], interpreter=watched, clock=lambda: START
    )
    try:
        yield Table(fluxi, outside, watched)
    finally:
        fluxi.close()


@pytest.mark.parametrize("text", ["¿qué tiempo hace?", "cuéntame un chiste", "sí", "👍", "", "?"])
async def test_what_is_not_recognised_calls_nothing_and_opens_nothing(
    text: str, database_url: str, tmp_path: Path
) -> None:
    async with sitting(database_url, tmp_path, Watched()) as table:
        result = await table.say(text)
        ledger = await table.ledger()
    assert result.kind == "reply"
    assert result.reason_code in ("no_intent", "nothing_to_confirm")
    assert (ledger.stored, ledger.proposals, ledger.claims) == ({}, {}, {})
    assert table.outside.calls.lines == []


@pytest.mark.parametrize(
    ("language", "text", "yes"),
    [
        ("es", TEXT, "Sí."),
        ("pt", "Quero marcar uma consulta com a Dra. Ana Pérez na sexta às 17h", "pode ser"),
        ("en", "I need an appointment with Dra. Ana Pérez on Friday at 5 pm", "👍"),
    ],
)
async def test_a_yes_is_resolved_without_any_interpreter(
    language: Language, text: str, yes: str, database_url: str, tmp_path: Path
) -> None:
    async with sitting(database_url, tmp_path, Watched()) as table:
        assert (await table.say(text, language)).kind == "request_confirmation"
        asked = table.watched.asked
        assert (await table.say(yes, language)).kind == "completed"
        assert table.watched.asked == asked
        ledger = await table.ledger()
    assert [row.message_id for row in ledger.decisions.values()] == ["m1"]
    assert [row.status for row in ledger.contexts.values()] == ["consumed"]


def elsewhere(candidate: Candidate) -> Candidate:
    """Evidence that is not in the text."""
    return Candidate(path="doctor", value="joao-souza", start=0, end=5, evidence="Souza")


def another(candidate: Candidate) -> Candidate:
    """Evidence that is in the text, for something that it does not say."""
    return Candidate(
        path="doctor", value="joao-souza", start=candidate.start, end=candidate.end, evidence=candidate.evidence
    )


@pytest.mark.parametrize("invents", [elsewhere, another])
async def test_what_an_interpreter_invents_is_never_committed_unasked(
    invents: Callable[[Candidate], Candidate], database_url: str, tmp_path: Path
) -> None:
    async with sitting(database_url, tmp_path, Watched(invents)) as table:
        await table.say(TEXT)
        ledger = await table.ledger()
    slots = [work.slots.get("doctor") for work in ledger.stored.values()]
    assert [one for one in slots if one is not None and one.status == "committed"] == []
    assert table.outside.calls.lines == []
