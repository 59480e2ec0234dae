"""Every rule of §5 as a transcript: who says what, then `----`, then the effects.

A line of the script is one of

    settings {"routing": "addressed"}                     before all others: what differs from the defaults
    present human solver                                  who has joined by then; what that gave is not written down
    @1.5 human joins                                      seconds after the start; a second connection is human#2
    @1.5 human leaves
    @2 human> reasoning/interrupt i1 to=solver re=r1 {"reason": "user_request"}      kind, id, fields, payload
    @2 human#2 again i1                                   the same bytes once more
    @31 (deadline)                                        the gateway hands in that a deadline has passed
    @3 (token newcomer)                                   the token that an invitation asked for was drawn
    @40 (restart)                                         it starts again, from a snapshot
    @40 (settings {"owner_grace": 5000})                  and with another configuration

`->` is an envelope forwarded byte for byte, `=>` one of the gateway's own. `pytest --rewrite-transcripts` writes what
comes out now; the diff is to be read. Every transcript is replayed too, and restored before every line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mew_gateway.space.effects import Close, Deliver, Effect
from mew_gateway.space.settings import SpaceSettings

FOLDER = Path(__file__).parent.parent / "transcripts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))

_LINE = re.compile(r"@(?P<time>[\d.]+) +(?:\((?P<event>\w+)(?: (?P<settings>.*))?\)|(?P<who>[\w#-]+)(?P<what>.*))")
_SAID = re.compile(r"> *(?P<kind>\S+) (?P<id>\S+)(?P<fields>(?: \w+=\S*)*)(?: (?P<payload>\{.*\}))?")
_FIELDS = {"to": "to", "re": "correlation_id", "in": "context", "from": "from"}
_LEFT_OUT = ("capabilities", "your_capabilities", "active_streams", "description")


class Player:
    """Plays a script on a space and writes down what comes out."""

    def __init__(self, make_driver: Callable[..., Any], script: str) -> None:
        lines = [line for line in script.splitlines() if line.strip() and not line.startswith("#")]
        fields: dict[str, Any] = {}
        if lines[0].startswith("settings "):
            fields = self._settings(lines.pop(0).removeprefix("settings "))
        self.driver = make_driver(**fields)
        self.lines = lines

    def play(self) -> Iterator[str]:
        """The lines of the outcome: every line of the script with its effects, then what is on record."""
        for line in self.lines:
            yield line
            if line.startswith("present "):
                for label in line.split()[1:]:
                    self.driver.join(label)
                continue
            before = dict(self.driver.numbers)
            effects = self._perform(line)
            labels = {number: label for label, number in {**before, **self.driver.numbers}.items()}
            for effect in effects:
                yield f"    {self._render(effect, labels)}"
            if not effects:
                yield "    (nothing)"
        yield from self._records()
        self.driver.verify()

    def _perform(self, line: str) -> list[Effect]:
        match = _LINE.fullmatch(line)
        assert match is not None, f"not a line of a script: {line}"
        driver = self.driver.at(round(float(match["time"]) * 1000))
        if match["event"]:
            return self._happen(match["event"], match["settings"])
        who, what = match["who"], match["what"]
        if what == " joins":
            return driver.join(who)  # type: ignore[no-any-return]
        if what == " leaves":
            return driver.leave(who)  # type: ignore[no-any-return]
        if what.startswith(" again "):
            return driver.again(who, what.removeprefix(" again "))  # type: ignore[no-any-return]
        said = _SAID.fullmatch(what)
        assert said is not None, f"not an envelope: {line}"
        fields: dict[str, Any] = {}
        for field in said["fields"].split():
            name, _, value = field.partition("=")
            fields[_FIELDS[name]] = value.split(",") if name in ("to", "re") else value
        payload = json.loads(said["payload"]) if said["payload"] else None
        return driver.say(who, said["kind"], said["id"], payload, **fields)  # type: ignore[no-any-return]

    def _happen(self, event: str, settings: str | None) -> list[Effect]:
        if event == "deadline":
            return self.driver.pass_deadlines()  # type: ignore[no-any-return]
        if event == "restart":
            return self.driver.restart()  # type: ignore[no-any-return]
        if event == "token":
            return self.driver.issue(settings)  # type: ignore[no-any-return]
        assert event == "settings"
        changed = msgspec.structs.replace(self.driver.space.state.settings, **self._settings(settings or "{}"))
        return self.driver.reconfigure(changed)  # type: ignore[no-any-return]

    @staticmethod
    def _settings(source: str) -> dict[str, Any]:
        """Settings in JSON, and `observers`: those of the cast who see everything."""
        given = json.loads(source)
        observers = {"observers": given.pop("observers")} if "observers" in given else {}
        whole = msgspec.convert({"id": "demo", "participants": {}, **given}, SpaceSettings)
        return {name: getattr(whole, name) for name in given} | observers

    def _render(self, effect: Effect, labels: dict[int, str]) -> str:
        if isinstance(effect, Close):
            return f"!! {labels[effect.connection]} closed {effect.code} {effect.reason}"
        if not isinstance(effect, Deliver):
            return f"!! {type(effect).__name__.lower()} {msgspec.json.encode(effect).decode()}"
        envelope = json.loads(effect.data)
        to = self._recipients(effect.connections, labels)
        if not effect.own:
            assert effect.data in self.driver.sealed, f"{envelope['id']} was not forwarded byte for byte"
            return f"-> {to}: {envelope['kind']} {envelope['id']}"
        assert envelope["from"] == "system:gateway"
        payload = _shortened(envelope["payload"])
        about = "".join(f" re={id}" for id in envelope.get("correlation_id", ()))
        if envelope["kind"] != "system/error":
            return f"=> {to}: {envelope['kind']}{about} {json.dumps(payload)}"
        code, message = payload.pop("error"), payload.pop("message")
        details = f" {json.dumps(payload)}" if payload else ""
        return f"=> {to}: {'refused' if effect.refusal else 'error'} {code}{about} - {message}{details}"

    def _recipients(self, connections: tuple[int, ...], labels: dict[int, str]) -> str:
        if not connections:
            return "nobody"
        present = list(self.driver.space.state.connections)
        if list(connections) == present and len(present) > 1:
            return "all"
        return ", ".join(labels[number] for number in connections)

    def _records(self) -> Iterator[str]:
        """What the space has on record at the end."""
        state = self.driver.space.state
        for sequence in [*state.closed.values(), *state.sequences.values()]:
            end = sequence.outcome or "open"
            said = f" ({sequence.said})" if sequence.said else ""
            yield f"= {sequence.id} of {sequence.owner}, {sequence.thoughts} thoughts: {end}{said}"
        yield from self._memberships()
        for name, pauses in state.paused.items():
            yield f"= {name} paused by {', '.join(f'{pause.by} ({pause.id})' for pause in pauses)}"
        for name, halts in state.halted.items():
            yield f"= {name} halted by {', '.join(halt.interrupt for halt in halts)}"
        for record in [*state.settled.values(), *state.interrupts.values()]:
            way = ", ".join(f"{status} @{_seconds(at)}" for status, at in record.steps)
            given = "never delivered" if record.delivered_at is None else f"delivered @{_seconds(record.delivered_at)}"
            answer = f"; {record.ack.answer}" if record.ack else ""
            held = "live" if state.interrupts.get(record.id) is record else "settled"
            about = f"{record.id} of {record.sender} on {record.sequence} as {record.class_}"
            yield f"= {about}: {way}; {given}{answer}; {held}"

    def _memberships(self) -> Iterator[str]:
        """Who was given, has lost or was invited with what, and who had to go."""
        state = self.driver.space.state
        for grant in state.grants.values():
            until = "" if grant.expires_at is None else f" until @{_seconds(grant.expires_at)}"
            acked = "; acked" if grant.acked else ""
            yield f"= {grant.id} of {grant.granter} to {grant.recipient}{until}: {_json(grant.capabilities)}{acked}"
        for name, patterns in state.revoked.items():
            yield f"= {name} has lost {_json(patterns)}"
        for one in state.invitees.values():
            token = "no token" if one.digest is None else "a token"
            joined = "; joined" if one.joined else ""
            yield f"= {one.id} invited by {one.inviter} ({one.invite}) with {_json(one.capabilities)}; {token}{joined}"
        for name, at in state.kicked.items():
            yield f"= {name} kicked @{_seconds(at)}"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _seconds(time: int) -> str:
    return f"{(time - 1_800_000_000_000) / 1000:g}"


def _shortened(payload: dict[str, Any]) -> dict[str, Any]:
    """A payload without the capabilities, and participants as their ids."""
    shortened: dict[str, Any] = {}
    for key, value in payload.items():
        if key in _LEFT_OUT or (key == "proposals" and not value["count"]):
            continue
        if isinstance(value, dict):
            shortened[key] = _shortest(value)
        elif isinstance(value, list):
            shortened[key] = [_shortest(item) for item in value]
        else:
            shortened[key] = value
    return shortened


def _shortest(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    short = _shortened(value)
    return short["id"] if list(short) == ["id"] else short


@pytest.mark.parametrize("name", NAMES)
def test_transcript(name: str, make_driver: Callable[..., Any], request: pytest.FixtureRequest) -> None:
    file = FOLDER / f"{name}.txt"
    script, _, expected = file.read_text(encoding="utf-8").partition("\n----\n")
    outcome = "\n".join(Player(make_driver, script).play()) + "\n"
    if request.config.getoption("--rewrite-transcripts"):
        file.write_text(f"{script.rstrip()}\n----\n{outcome}", encoding="utf-8")
    else:
        assert outcome == expected


def test_there_are_transcripts() -> None:
    assert len(NAMES) >= 45
