"""Every piece of the seed's two diagrams does its part: one story, told as it is, and once more without each of them.

The table in docs/flows.md names the pieces; without any of them the story comes to something else.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from mew_agents.flows import Flows, state
from mew_agents.flows.advance import Advance, advance
from mew_agents.flows.deciding import Deciding, Decision
from mew_agents.flows.definitions.loader import shipped
from mew_agents.flows.events import Dropped
from mew_agents.flows.stage import Stage
from mew_agents.flows.state import Dialogue, FlowDelta
from mew_agents.fluxi import Conversation, Message, PolicyContext

from ..fluxi.bookings import START, ZONE
from ..fluxi.outside import Outside
from .acceptance.dialogue_player import Answering
from .record import records, wrong

SHIPPED = shipped()
SAID = ("transferir a Bruno", "¿cuál es mi saldo?", "50", "no, mejor 80", "sí")
BALANCE = {"balances": [{"amount": "900.00", "currency": "USD"}]}


class Told(NamedTuple):
    """What a story came to: what each message was answered, what was paid, what does not hold of the record, and how
    much of the dialogue is remembered."""

    codes: list[str]
    paid: list[Mapping[str, Any]]
    wrong: list[str]
    remembered: int


EXPECTED = Told(
    codes=["ask_slot", "ask_slot", "confirm_execution", "confirm_execution", "said"],
    paid=[{"source": "shop", "target": "bruno", "amount": "80.00", "currency": "USD"}],
    wrong=[],
    remembered=2 * len(SAID),
)


async def tell(url: str, folder: Path) -> Told:
    """Every message is said to a process that knows nothing but the database."""
    outside, codes = Outside(folder), list[str]()
    world = Answering(outside)
    world.answers = {"ledger/balance": BALANCE, "ledger/transfer": {"transfer_id": 7}}
    for number, text in enumerate(SAID):
        now = START + timedelta(minutes=number)
        flows = await Flows.open(url, tools=world, flows=SHIPPED, clock=lambda now=now: now)  # type: ignore[misc]
        try:
            message = Message(message_id=f"m{number}", sender="ana", text=text)
            result = await flows.handle(message, PolicyContext(now=now, timezone=ZONE), Conversation("bank", "c"))
            codes.append(result.reason_code)
            library = flows.dialogues.library
            problems = await flows.fluxi.database.read(lambda connection, known=library: wrong(connection, known))  # type: ignore[misc]
            found = await flows.fluxi.database.read(records)
        finally:
            flows.close()
    paid = [one["arguments"] for one in outside.effects.lines if one["tool"] == "ledger/transfer"]
    return Told(codes, paid, problems, len(found[0].dialogue.history))


@pytest.fixture
def url(tmp_path: Path, made_file: Path) -> str:
    path = tmp_path / "flows.db"
    shutil.copy(made_file, path)
    return f"sqlite:///{path}"


async def test_the_story(url: str, tmp_path: Path) -> None:
    assert await tell(url, tmp_path / "world") == EXPECTED


async def _leaves(self: Flows, dialogue_id: str, *_: object, **__: object) -> None:
    """Nobody goes on with a dialogue: what it waits for is given up."""
    await self.dialogues.change(
        dialogue_id, lambda chapter: chapter.happen(Dropped(at=chapter.at, reason="left")), point="turn", by="engine"
    )


def _does_nothing(library: Any, dialogue: Dialogue, event: Any) -> Advance:
    done = advance(library, dialogue, event)
    return Advance(done.dialogue, done.delta, ())


def _forgets_everything_but(kept: str) -> Callable[[Dialogue], str]:
    def written(dialogue: Dialogue) -> str:
        told = {"stack": (), "history": (), kept: getattr(dialogue, kept)}
        return WRITTEN(msgspec.structs.replace(dialogue, **told))

    return written


def _replaces(push: Callable[..., Any]) -> Callable[..., Any]:
    def pushed(self: Stage, *arguments: Any, **options: Any) -> Any:
        self.stack.clear()
        return push(self, *arguments, **options)

    return pushed


def _nothing(*_: object, **__: object) -> Any:
    return ()


def _unheard(self: Deciding, *_: object) -> Decision:
    return Decision("nobody's", ())


WRITTEN = state.written
MODULES = "mew_agents.flows"
BYPASSES: dict[str, tuple[str, Any]] = {
    "RuntimeLoop": (f"{MODULES}.engine.Flows.go_on", _leaves),
    "orchestrator": (f"{MODULES}.chapter.advance", _does_nothing),
    "active subgraph": (f"{MODULES}.advance.go_on", _nothing),
    "understand": (f"{MODULES}.deciding.Deciding.decide", _unheard),
    "SoniDU, pass 1": (f"{MODULES}.understanding.rules.Rules.commands", _nothing),
    "SlotExtractor, pass 2": (f"{MODULES}.understanding.rules.Rules.slots", _nothing),
    "FlowDelta": (f"{MODULES}.advance.difference", lambda *_: FlowDelta()),
    "FlowManager": (f"{MODULES}.stage.Stage.push", _replaces(Stage.push)),
    "DialogueState, its flows": (f"{MODULES}.state.written", _forgets_everything_but("history")),
    "DialogueState, its turns": (f"{MODULES}.state.written", _forgets_everything_but("stack")),
    "checkpointer": (f"{MODULES}.chapter.Chapter.write", _nothing),
    "interrupt": (f"{MODULES}.chapter.Chapter._ask", _nothing),
    "resume": (f"{MODULES}.commanding._answer", _nothing),
    "Final Response": (f"{MODULES}.chapter.Chapter._reply", _nothing),
}


# Without these the database, or whoever reads it, finds something missing that must be there.
FAULTS = {"orchestrator": "DecodeError", "checkpointer": "IntegrityError", "interrupt": "Stale"}


@pytest.mark.parametrize("piece", BYPASSES)
async def test_without_a_piece_the_story_is_another(
    piece: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*BYPASSES[piece])
    try:
        told = await tell(url, tmp_path / "world")
    except Exception as error:
        assert type(error).__name__ == FAULTS.get(piece), error
    else:
        assert piece not in FAULTS
        assert told != EXPECTED
