"""No token in any output: a gateway at its most talkative, every way to bring a token and to mistake one, and then all
that was printed, answered or written is searched for each of them."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import shutil
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from mew_gateway.cli.connecting.access import Access
from mew_gateway.config import load
from mew_gateway.gateway.auth.tokens import TokenStore
from mew_gateway.sdk import Client, Participant
from mew_gateway.sdk._transport.reconnect import Disconnected
from mew_gateway.sdk.environment import Environment

from ..kit.commands import PATIENCE
from ..kit.processes import environment_without_mew
from .token_registry import TokenRegistry, forms

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    participants:
      ana: {capabilities: [{kind: "**"}]}
      cfg: {token: CONFIGURED, capabilities: [{kind: chat}]}
      env: {capabilities: [{kind: chat}]}
      crasher: {agent: "crasher:Crasher", capabilities: [{kind: chat}], restart: {backoff: 100ms}}
      mistaken: {agent: "crasher:Crasher", options: {lives: none}, capabilities: [{kind: chat}]}
      teller: {command: [PYTHON, teller.py], capabilities: [{kind: chat}]}
      diary: {output_log: state/diary.jsonl, capabilities: [{kind: chat}]}
"""

CRASHER = """
import os
from mew_gateway.sdk import Agent

class Crasher(Agent):
    async def on_chat(self, chat):
        held = os.environ["MEW_TOKEN"]  # a local of the frame that fails
        raise RuntimeError(f"crashed on purpose at {chat.text} with {len(held)} characters")
"""

TELLER = """
import json, os, time
print(json.dumps(sorted(os.environ)), flush=True)
print(json.dumps([len(v) for k, v in os.environ.items() if k.startswith("MEW_TOKEN")]), flush=True)
time.sleep(3600)
"""


class GatewayTestbed:
    """A gateway process, what it printed, and every answer that anybody was given."""

    def __init__(self, folder: Path, mew: Any, url: str, registry: TokenRegistry) -> None:
        self.folder = folder
        self.mew = mew
        self.url = url
        self.registry = registry
        self.answers: list[bytes] = []

    def token(self, participant: str) -> str:
        configuration = load(self.folder / "spaces.yaml")
        return TokenStore.of(configuration, {"MEW_TOKEN_ENV": self.registry["env"]}).token("demo", participant)

    async def ask(self, path: str, token: str, *, body: bytes | None = None, kind: str = "application/json") -> bytes:
        """A request and its answer: head and body."""
        request = urllib.request.Request(
            self.url + path, body, {"Authorization": f"Bearer {token}", "Content-Type": kind}
        )

        def fetch() -> bytes:
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                    return str(response.headers).encode() + bytes(response.read())
            except urllib.error.HTTPError as error:
                with error:
                    return str(error.headers).encode() + error.read()

        self.answers.append(await asyncio.to_thread(fetch))
        return self.answers[-1]

    async def say(self, raw: bytes) -> bytes:
        """Bytes to the port, and what comes back."""
        where = urlsplit(self.url)
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        writer.write(raw)
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(PATIENCE):
                self.answers.append(await reader.read())
        writer.close()
        return self.answers[-1]

    async def meet(self, path: str, *frames: str | bytes, **options: Any) -> list[bytes]:
        """A WebSocket that sends these, and all that it is told until it is answered a ping, or ended."""
        told: list[bytes] = []
        try:
            async with websockets.connect(self.url.replace("http", "ws") + path, max_size=None, **options) as socket:
                with contextlib.suppress(ConnectionClosed):
                    for frame in frames:
                        await socket.send(frame)
                    await socket.send(json.dumps({"kind": "last", "id": f"last-{id(told)}", "from": "x"}))
                    async with asyncio.timeout(PATIENCE):
                        while b"identity_mismatch" not in (told or [b""])[-1]:
                            told.append((await socket.recv(decode=False)) or b"")
                told.append((socket.close_reason or "").encode())
        except InvalidHandshake as error:
            told.append(str(error).encode() + getattr(getattr(error, "response", None), "body", b""))
        self.answers += told
        return told

    async def command(self, *arguments: str, **environ: str) -> None:
        """A `mew` command; what it prints."""
        done = await self.mew(*arguments, **environ)
        self.answers.append(f"{done.out}\n{done.err}".encode())

    async def until(self, path: Path, text: bytes) -> None:
        """Wait until a file has this."""
        async with asyncio.timeout(PATIENCE):
            while not path.exists() or text not in path.read_bytes():
                await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def playing(folder: Path, mew: Any) -> AsyncIterator[GatewayTestbed]:
    """`mew serve` with all it has to say, its output in files; stopped in good order behind the block."""
    registry = TokenRegistry()
    registry["cfg"] = "a%41/token+with&odd=signs~<é>".replace("é", "e") + "-of-cfg"
    registry.draw("env")
    spaces = SPACES.replace("CONFIGURED", json.dumps(registry["cfg"])).replace("PYTHON", sys.executable)
    (folder / "spaces.yaml").write_text(spaces)
    (folder / "crasher.py").write_text(CRASHER)
    (folder / "teller.py").write_text(TELLER)
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = await asyncio.create_subprocess_exec(
            *mew.command("serve", "--log-level", "debug"),
            cwd=folder,
            env={**environment_without_mew(), "MEW_TOKEN_ENV": registry["env"], "PYTHONASYNCIODEBUG": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
    address = folder / "state" / "gateway.json"
    try:
        async with asyncio.timeout(PATIENCE):
            while not address.exists():
                assert process.returncode is None, (folder / "err").read_text()
                await asyncio.sleep(0.02)
        testbed = GatewayTestbed(folder, mew, json.loads(address.read_text())["url"], registry)
        for participant in ("ana", "crasher", "mistaken", "teller", "diary"):
            registry[participant] = testbed.token(participant)
        yield testbed
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def chat(text: str) -> str:
    return json.dumps({"kind": "chat", "payload": {"text": text}})


async def join_in_every_way(testbed: GatewayTestbed) -> None:
    """By header, by subprotocol, by join frame; with the right token, a wrong one, and one in the wrong place."""
    registry = testbed.registry
    for use in ("ana", "cfg"):
        await testbed.meet(
            "/ws?space=demo", chat("by header"), additional_headers={"Authorization": f"Bearer {registry[use]}"}
        )
    registry.draw("wrong subprotocol")
    for use in ("env", "wrong subprotocol"):
        offered = [Subprotocol("mew.v0.4"), Subprotocol(f"mew.token.{registry[use]}")]
        await testbed.meet("/ws?space=demo", subprotocols=offered)
    wrong = {"Authorization": f"Bearer {registry.draw('wrong header')}"}
    await testbed.meet("/ws?space=demo", additional_headers=wrong)
    await testbed.meet(f"/ws?space={registry.draw('as the space')}", additional_headers=wrong)
    await testbed.meet(f"/ws?space=demo&token={registry.draw('in the query of an upgrade')}")
    for frame in (
        {"type": "join", "space": "demo", "token": registry["env"]},
        {"type": "join", "space": "demo", "token": registry.draw("wrong in a join frame")},
        {"type": "join", "space": "demo", "token": [registry.draw("a list in a join frame")]},
        {"type": "join", "space": registry.draw("as a space in a join frame"), "token": registry["cfg"]},
        {"kind": "system/join", "payload": {"space": "demo", "token": registry.draw("wrong in a payload")}},
        {"type": "no-join", "token": registry.draw("in no join frame")},
    ):
        await testbed.meet("/", json.dumps(frame))
    await testbed.meet("/", '{"type": "join", "token": "' + registry.draw("in a broken join frame"))
    again = [
        json.dumps({"type": "join", "space": "demo", "token": registry["env"]}),
        json.dumps({"kind": "system/join", "payload": {"token": registry["env"]}}),
        json.dumps({"kind": "system/join", "id": "j2", "payload": {"token": registry.draw("in a second join")}}),
        chat("behind it"),
    ]
    told = await testbed.meet(
        "/ws?space=demo", *again, additional_headers={"Authorization": f"Bearer {registry['env']}"}
    )
    assert sum(b"reserved_kind" in one for one in told) == 2


async def be_refused_in_the_shell(testbed: GatewayTestbed) -> None:
    """Envelopes that are no envelopes, with tokens in them: they are answered, and never journalled."""
    registry = testbed.registry
    frames = [
        '{"kind": "chat", "payload": {"text": "' + registry.draw("in broken JSON"),
        '{"kind": "chat", "payload": {"text": "a", "n": NaN, "token": "' + registry.draw("beside NaN") + '"}}',
        json.dumps({"kind": "chat", "payload": {"text": "a"}}).replace(
            '"a"', f'"a", "text": "{registry.draw("twice")}"'
        ),
        json.dumps({"kind": ["chat", registry.draw("as a kind")]}),
        json.dumps({"kind": "chat", "payload": registry.draw("as a payload")}),
        registry.draw("as a frame"),
        "#" + registry.draw("as a stream's frame"),
    ]
    await testbed.meet("/ws?space=demo", *frames, additional_headers={"Authorization": f"Bearer {registry['ana']}"})
    for frame in frames:
        await testbed.ask("/participants/ana/messages?space=demo", registry["ana"], body=frame.encode())
    await testbed.ask(
        "/participants/ana/messages", registry["ana"], body=registry.draw("as a form").encode(), kind="text/html"
    )
    await testbed.ask("/participants/env/messages", registry["ana"], body=chat("not mine").encode())
    told = await testbed.ask(
        "/participants/env/messages",
        registry["env"],
        body=b'{"kind":"system/join","payload":{"token":"%b"}}' % registry["env"].encode(),
    )
    assert b"reserved_kind" in told


async def ask_in_every_way(testbed: GatewayTestbed) -> None:
    """Every page over HTTP, and tokens where none belongs: in paths, queries, and heads that are no HTTP."""
    registry = testbed.registry
    listings = ("participants", "sequences", "interrupts", "proposals", "grants", "timeline", "history")
    for path in (*(f"/spaces/demo/{one}" for one in listings), "/participants/ana/messages", "/openapi.json"):
        assert b'\n\n{"error"' not in await testbed.ask(path, registry["ana"])
        await testbed.ask(f"{path}?token={registry['env']}", registry.draw(f"wrong at {path}"))
    for path in ("/health", "/ready", "/metrics", "/nowhere"):
        await testbed.ask(f"{path}?token={registry.draw(f'in the query of {path}')}", registry["ana"])
    await testbed.ask(f"/participants/{registry.draw('as a participant')}/messages", registry["ana"])
    await testbed.ask(f"/participants/{registry['env']}/messages", registry["ana"], body=chat("x").encode())
    await testbed.ask(f"/spaces/{registry.draw('as a space in a path')}/participants", registry["ana"])
    await testbed.ask(f"/{quote(registry['cfg'], safe='')}", registry["ana"])
    for head in (
        f"GET / HTTP/1.1\r\nAuthorization : Bearer {registry.draw('in a broken header')}\r\n\r\n",
        f"GET {registry.draw('as a method')} \r\n\r\n",
        f"GET /ws?token={registry.draw('in a broken request line')} HTTP/9\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: x\r\nX: {registry.draw('in a head that is too long')}{'x' * 20_000}\r\n\r\n",
        f"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {registry.draw('as a key')}\r\nAuthorization: Bearer {registry['env']}\r\n\r\n",
        f"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://[{registry['env']}\r\n\r\n",
    ):
        await testbed.say(head.encode())


async def invite(testbed: GatewayTestbed) -> None:
    """A guest by WebSocket and one by HTTP: the one delivery of each token goes to who invited, and nowhere else."""
    registry = testbed.registry
    header = {"Authorization": f"Bearer {registry['ana']}"}
    url = testbed.url.replace("http", "ws") + "/ws?space=demo"
    async with (
        websockets.connect(url, additional_headers={"Authorization": f"Bearer {registry['env']}"}) as onlooker,
        websockets.connect(url, additional_headers=header) as ana,
    ):
        ask = {"kind": "space/invite", "id": "inv", "payload": {"participant_id": "guest"}}
        await ana.send(json.dumps(ask))
        while True:
            envelope = json.loads(await ana.recv())
            if envelope["kind"] == "space/invite-ack":
                break
            assert envelope["kind"] != "system/error", envelope
        registry["guest"] = envelope["payload"]["token"]
        await ana.send(chat("invited"))
        while b"invited" not in testbed.answers[-1]:
            testbed.answers.append(await onlooker.recv(decode=False) or b"")
    ask = {"kind": "space/invite", "payload": {"participant_id": "posted"}}
    answer = await testbed.ask("/participants/ana/messages", registry["ana"], body=json.dumps(ask).encode())
    testbed.answers.remove(answer)
    registry["posted"] = json.loads(answer[answer.index(b"{") :])["token"]
    for use in ("guest", "posted"):
        await testbed.meet(
            "/ws?space=demo", chat("I am new"), additional_headers={"Authorization": f"Bearer {registry[use]}"}
        )
    told = await testbed.meet("/ws?space=demo&after=inv", additional_headers=header)
    assert any(b"space/invite-ack" in one and b'"token":null' in one for one in told)


async def mistake_commands(testbed: GatewayTestbed) -> None:
    """`mew` with wrong tokens, with tokens in addresses, and with configurations that cannot be."""
    registry = testbed.registry
    wrong = registry.draw("on the command line")
    lost = f"ws://{registry.draw('in front of a host')}@127.0.0.1:1/ws?token={registry.draw('in an address')}"
    twins = registry.draw("of two participants")
    tokens = (
        twins,
        twins,
        f"[{registry['env']}]",
        f"{registry.draw('that is not ASCII')}é",
        f"{registry.draw('a number')}: 7",
    )
    people = ", ".join(f"p{nth}: {{token: {token}}}" for nth, token in enumerate(tokens))
    bad = testbed.folder / "bad.yaml"
    bad.write_text(f"spaces: {{demo: {{participants: {{{people}}}}}}}\n", encoding="utf-8")
    same = testbed.folder / "same" / "spaces.yaml"
    same.parent.mkdir()
    same.write_text("spaces: {demo: {participants: {a: {}, b: {}, c: {}}}}\n")
    where = ("--space", "demo", "--url")
    await asyncio.gather(
        testbed.command("participants", "--token", wrong, *where, f"{testbed.url}/?token={registry['env']}"),
        testbed.command("send", "hello", *where, testbed.url.replace("http", "ws"), MEW_TOKEN=wrong),
        testbed.command("send", "hello", *where, lost, MEW_TOKEN=wrong),
        testbed.command("check", str(bad)),
        testbed.command("serve", str(same), MEW_TOKEN_A=twins, MEW_TOKEN_B=twins, MEW_TOKEN_C=f"{wrong} {wrong}"),
    )


def files_of(testbed: GatewayTestbed) -> dict[str, bytes]:
    """All that the gateway and its agents have written, but for the files that tokens are kept in."""
    state = testbed.folder / "state"
    found = [path for path in state.rglob("*") if path.is_file() and path.suffix != ".token"]
    return {str(path): path.read_bytes() for path in (*found, testbed.folder / "out", testbed.folder / "err")}


async def test_no_token_is_printed_answered_or_written(tmp_path: Path, mew: Any) -> None:
    async with playing(tmp_path, mew) as testbed:
        registry = testbed.registry
        await join_in_every_way(testbed)
        await be_refused_in_the_shell(testbed)
        await ask_in_every_way(testbed)
        await invite(testbed)
        await mistake_commands(testbed)
        header = {"Authorization": f"Bearer {registry['ana']}"}
        told = json.dumps({"kind": "chat", "to": ["crasher"], "payload": {"text": "now"}})
        await testbed.meet("/ws?space=demo", told, additional_headers=header)
        said = registry.draw("said in a chat")  # chats are kept as they are: the search finds this one
        await testbed.meet("/ws?space=demo", chat(said), additional_headers=header)
        testbed.answers = [one for one in testbed.answers if said.encode() not in one]
        agents = tmp_path / "state" / "agents" / "demo"
        await testbed.until(agents / "crasher" / "output.log", b"crashed on purpose")
        await testbed.until(agents / "teller" / "output.log", b"\n[")
        await testbed.until(tmp_path / "err", b"demo/mistaken: ")
        while_running = files_of(testbed)
        shutil.copytree(tmp_path / "state", tmp_path / "copy")
    assert (tmp_path / "copy" / "journal.db-wal").stat().st_size > 0
    files = while_running | {f"{name} (stopped)": data for name, data in files_of(testbed).items()}
    assert len(files) >= 12 and len(testbed.answers) > 80 and len(registry.tokens) > 50
    leaks = {name: found for name, data in files.items() if (found := registry.found_in(data))}
    journal = {name: found for name, found in leaks.items() if "journal.db" in name or "diary.jsonl" in name}
    assert {use for found in journal.values() for use in found} == {"said in a chat"}
    assert {name: found for name, found in leaks.items() if name not in journal} == {}
    answered = [(found, one[:300]) for one in testbed.answers if (found := registry.found_in(one))]
    assert answered == []
    inherited, *_ = (agents / "teller" / "output.log").read_text().splitlines()
    assert [name for name in json.loads(inherited) if name.startswith("MEW_TOKEN")] == ["MEW_TOKEN"]
    folders = [tmp_path / "state", tmp_path / "state" / "tokens", tmp_path / "state" / "tokens" / "demo"]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in folders[-1].iterdir()} == {0o600}


@pytest.mark.parametrize("token", ["mew_9-Zt_aAbBcCdD0123456789xyzxyzxyz_-0", "odd/signs+\"quoted\"&%41<é>='one'\\two"])
def test_token_search_finds_every_encoding(token: str) -> None:
    registry = TokenRegistry()
    registry["it"] = token
    registry.draw("another")
    for number, form in enumerate(forms(token)):
        assert registry.found_in(b"before " + form + b" behind") == ["it"], number
        assert registry.found_in(b"before " + form.upper()) == ["it"], number
    for before in (b"", b"A", b"BC", b"DEF", b"Bearer ", b"user:"):
        for behind in (b"", b"x", b"\n", b" and more"):
            encoded = base64.b64encode(before + token.encode() + behind)
            assert registry.found_in(b"Basic " + encoded) == ["it"], (before, behind)
    assert registry.found_in(token[:-1].encode() + b"?") == []


async def test_repr_of_token_holders_hides_the_token() -> None:
    registry = TokenRegistry()
    token = registry.draw("held")
    client = Client(f"ws://u:{token}@127.0.0.1:1/ws?token={token}", space="demo", token=token)
    environment = Environment(f"ws://127.0.0.1:1?token={token}", "demo", token)
    access = Access(url="ws://127.0.0.1:1", space="demo", participant="ana", token=token)
    for one in (client, Participant(client), environment, access, access.api):
        assert registry.found_in(f"{one!r} {one}".encode()) == []
    with pytest.raises(Disconnected) as lost:
        await client.connect()
    assert registry.found_in(str(lost.value).encode()) == []
    for url in (f"127.0.0.1?token={token}", f"ftp://{token}@127.0.0.1", f"ws://{token}@:99999?{token}#{token}"):
        with pytest.raises(ValueError) as wrong:
            Client(url, space="demo", token=token)
        assert registry.found_in(str(wrong.value).encode()) == []
    with pytest.raises(ValueError) as blank:
        Client("ws://127.0.0.1", space="demo", token=f"{token} {token}")
    assert registry.found_in(str(blank.value).encode()) == []
