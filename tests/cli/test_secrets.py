"""No token in any output: a gateway at its most talkative, every way to bring a token and to mistake one, and then all
that was printed, answered or written is searched for each of them."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
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
from mew_gateway.sdk._transport.link import Disconnected
from mew_gateway.sdk.environment import Environment

from .secrets_kept import Kept, forms

PATIENCE = 30.0  # seconds for what must come

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


class Stage:
    """A gateway process, what it printed, and every answer that anybody was given."""

    def __init__(self, folder: Path, mew: Any, url: str, kept: Kept) -> None:
        self.folder = folder
        self.mew = mew
        self.url = url
        self.kept = kept
        self.answers: list[bytes] = []

    def token(self, participant: str) -> str:
        configuration = load(self.folder / "spaces.yaml")
        return TokenStore.of(configuration, {"MEW_TOKEN_ENV": self.kept["env"]}).token("demo", participant)

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
async def playing(folder: Path, mew: Any) -> AsyncIterator[Stage]:
    """`mew serve` with all it has to say, its output in files; stopped in good order behind the block."""
    kept = Kept()
    kept["cfg"] = "a%41/token+with&odd=signs~<é>".replace("é", "e") + "-of-cfg"
    kept.drawn("env")
    spaces = SPACES.replace("CONFIGURED", json.dumps(kept["cfg"])).replace("PYTHON", sys.executable)
    (folder / "spaces.yaml").write_text(spaces)
    (folder / "crasher.py").write_text(CRASHER)
    (folder / "teller.py").write_text(TELLER)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MEW_")}
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = await asyncio.create_subprocess_exec(
            *mew.command("serve", "--log-level", "debug"),
            cwd=folder,
            env={**environ, "MEW_TOKEN_ENV": kept["env"], "PYTHONASYNCIODEBUG": "1"},
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
        stage = Stage(folder, mew, json.loads(address.read_text())["url"], kept)
        for participant in ("ana", "crasher", "mistaken", "teller", "diary"):
            kept[participant] = stage.token(participant)
        yield stage
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def chat(text: str) -> str:
    return json.dumps({"kind": "chat", "payload": {"text": text}})


async def join_in_every_way(stage: Stage) -> None:
    """By header, by subprotocol, by join frame; with the right token, a wrong one, and one in the wrong place."""
    kept = stage.kept
    for use in ("ana", "cfg"):
        await stage.meet(
            "/ws?space=demo", chat("by header"), additional_headers={"Authorization": f"Bearer {kept[use]}"}
        )
    kept.drawn("wrong subprotocol")
    for use in ("env", "wrong subprotocol"):
        offered = [Subprotocol("mew.v0.4"), Subprotocol(f"mew.token.{kept[use]}")]
        await stage.meet("/ws?space=demo", subprotocols=offered)
    wrong = {"Authorization": f"Bearer {kept.drawn('wrong header')}"}
    await stage.meet("/ws?space=demo", additional_headers=wrong)
    await stage.meet(f"/ws?space={kept.drawn('as the space')}", additional_headers=wrong)
    await stage.meet(f"/ws?space=demo&token={kept.drawn('in the query of an upgrade')}")
    for frame in (
        {"type": "join", "space": "demo", "token": kept["env"]},
        {"type": "join", "space": "demo", "token": kept.drawn("wrong in a join frame")},
        {"type": "join", "space": "demo", "token": [kept.drawn("a list in a join frame")]},
        {"type": "join", "space": kept.drawn("as a space in a join frame"), "token": kept["cfg"]},
        {"kind": "system/join", "payload": {"space": "demo", "token": kept.drawn("wrong in a payload")}},
        {"type": "no-join", "token": kept.drawn("in no join frame")},
    ):
        await stage.meet("/", json.dumps(frame))
    await stage.meet("/", '{"type": "join", "token": "' + kept.drawn("in a broken join frame"))
    again = [
        json.dumps({"type": "join", "space": "demo", "token": kept["env"]}),
        json.dumps({"kind": "system/join", "payload": {"token": kept["env"]}}),
        json.dumps({"kind": "system/join", "id": "j2", "payload": {"token": kept.drawn("in a second join")}}),
        chat("behind it"),
    ]
    told = await stage.meet("/ws?space=demo", *again, additional_headers={"Authorization": f"Bearer {kept['env']}"})
    assert sum(b"reserved_kind" in one for one in told) == 2


async def be_refused_in_the_shell(stage: Stage) -> None:
    """Envelopes that are no envelopes, with tokens in them: they are answered, and never journalled."""
    kept = stage.kept
    frames = [
        '{"kind": "chat", "payload": {"text": "' + kept.drawn("in broken JSON"),
        '{"kind": "chat", "payload": {"text": "a", "n": NaN, "token": "' + kept.drawn("beside NaN") + '"}}',
        json.dumps({"kind": "chat", "payload": {"text": "a"}}).replace('"a"', f'"a", "text": "{kept.drawn("twice")}"'),
        json.dumps({"kind": ["chat", kept.drawn("as a kind")]}),
        json.dumps({"kind": "chat", "payload": kept.drawn("as a payload")}),
        kept.drawn("as a frame"),
        "#" + kept.drawn("as a stream's frame"),
    ]
    await stage.meet("/ws?space=demo", *frames, additional_headers={"Authorization": f"Bearer {kept['ana']}"})
    for frame in frames:
        await stage.ask("/participants/ana/messages?space=demo", kept["ana"], body=frame.encode())
    await stage.ask("/participants/ana/messages", kept["ana"], body=kept.drawn("as a form").encode(), kind="text/html")
    await stage.ask("/participants/env/messages", kept["ana"], body=chat("not mine").encode())
    told = await stage.ask(
        "/participants/env/messages",
        kept["env"],
        body=b'{"kind":"system/join","payload":{"token":"%b"}}' % kept["env"].encode(),
    )
    assert b"reserved_kind" in told


async def ask_in_every_way(stage: Stage) -> None:
    """Every page over HTTP, and tokens where none belongs: in paths, queries, and heads that are no HTTP."""
    kept = stage.kept
    listings = ("participants", "sequences", "interrupts", "proposals", "grants", "timeline", "history")
    for path in (*(f"/spaces/demo/{one}" for one in listings), "/participants/ana/messages", "/openapi.json"):
        assert b'\n\n{"error"' not in await stage.ask(path, kept["ana"])
        await stage.ask(f"{path}?token={kept['env']}", kept.drawn(f"wrong at {path}"))
    for path in ("/health", "/ready", "/metrics", "/nowhere"):
        await stage.ask(f"{path}?token={kept.drawn(f'in the query of {path}')}", kept["ana"])
    await stage.ask(f"/participants/{kept.drawn('as a participant')}/messages", kept["ana"])
    await stage.ask(f"/participants/{kept['env']}/messages", kept["ana"], body=chat("x").encode())
    await stage.ask(f"/spaces/{kept.drawn('as a space in a path')}/participants", kept["ana"])
    await stage.ask(f"/{quote(kept['cfg'], safe='')}", kept["ana"])
    for head in (
        f"GET / HTTP/1.1\r\nAuthorization : Bearer {kept.drawn('in a broken header')}\r\n\r\n",
        f"GET {kept.drawn('as a method')} \r\n\r\n",
        f"GET /ws?token={kept.drawn('in a broken request line')} HTTP/9\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: x\r\nX: {kept.drawn('in a head that is too long')}{'x' * 20_000}\r\n\r\n",
        f"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {kept.drawn('as a key')}\r\nAuthorization: Bearer {kept['env']}\r\n\r\n",
        f"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://[{kept['env']}\r\n\r\n",
    ):
        await stage.say(head.encode())


async def invite(stage: Stage) -> None:
    """A guest by WebSocket and one by HTTP: the one delivery of each token goes to who invited, and nowhere else."""
    kept = stage.kept
    header = {"Authorization": f"Bearer {kept['ana']}"}
    url = stage.url.replace("http", "ws") + "/ws?space=demo"
    async with (
        websockets.connect(url, additional_headers={"Authorization": f"Bearer {kept['env']}"}) as onlooker,
        websockets.connect(url, additional_headers=header) as ana,
    ):
        ask = {"kind": "space/invite", "id": "inv", "payload": {"participant_id": "guest"}}
        await ana.send(json.dumps(ask))
        while True:
            envelope = json.loads(await ana.recv())
            if envelope["kind"] == "space/invite-ack":
                break
            assert envelope["kind"] != "system/error", envelope
        kept["guest"] = envelope["payload"]["token"]
        await ana.send(chat("invited"))
        while b"invited" not in stage.answers[-1]:
            stage.answers.append(await onlooker.recv(decode=False) or b"")
    ask = {"kind": "space/invite", "payload": {"participant_id": "posted"}}
    answer = await stage.ask("/participants/ana/messages", kept["ana"], body=json.dumps(ask).encode())
    stage.answers.remove(answer)
    kept["posted"] = json.loads(answer[answer.index(b"{") :])["token"]
    for use in ("guest", "posted"):
        await stage.meet(
            "/ws?space=demo", chat("I am new"), additional_headers={"Authorization": f"Bearer {kept[use]}"}
        )
    told = await stage.meet("/ws?space=demo&after=inv", additional_headers=header)
    assert any(b"space/invite-ack" in one and b'"token":null' in one for one in told)


async def mistake_commands(stage: Stage) -> None:
    """`mew` with wrong tokens, with tokens in addresses, and with configurations that cannot be."""
    kept = stage.kept
    wrong = kept.drawn("on the command line")
    lost = f"ws://{kept.drawn('in front of a host')}@127.0.0.1:1/ws?token={kept.drawn('in an address')}"
    twins = kept.drawn("of two participants")
    tokens = (twins, twins, f"[{kept['env']}]", f"{kept.drawn('that is not ASCII')}é", f"{kept.drawn('a number')}: 7")
    people = ", ".join(f"p{nth}: {{token: {token}}}" for nth, token in enumerate(tokens))
    bad = stage.folder / "bad.yaml"
    bad.write_text(f"spaces: {{demo: {{participants: {{{people}}}}}}}\n", encoding="utf-8")
    same = stage.folder / "same" / "spaces.yaml"
    same.parent.mkdir()
    same.write_text("spaces: {demo: {participants: {a: {}, b: {}, c: {}}}}\n")
    where = ("--space", "demo", "--url")
    await asyncio.gather(
        stage.command("participants", "--token", wrong, *where, f"{stage.url}/?token={kept['env']}"),
        stage.command("send", "hello", *where, stage.url.replace("http", "ws"), MEW_TOKEN=wrong),
        stage.command("send", "hello", *where, lost, MEW_TOKEN=wrong),
        stage.command("check", str(bad)),
        stage.command("serve", str(same), MEW_TOKEN_A=twins, MEW_TOKEN_B=twins, MEW_TOKEN_C=f"{wrong} {wrong}"),
    )


def files_of(stage: Stage) -> dict[str, bytes]:
    """All that the gateway and its agents have written, but for the files that tokens are kept in."""
    state = stage.folder / "state"
    found = [path for path in state.rglob("*") if path.is_file() and path.suffix != ".token"]
    return {str(path): path.read_bytes() for path in (*found, stage.folder / "out", stage.folder / "err")}


async def test_no_token_is_in_anything_that_is_printed_answered_or_written(tmp_path: Path, mew: Any) -> None:
    async with playing(tmp_path, mew) as stage:
        kept = stage.kept
        await join_in_every_way(stage)
        await be_refused_in_the_shell(stage)
        await ask_in_every_way(stage)
        await invite(stage)
        await mistake_commands(stage)
        header = {"Authorization": f"Bearer {kept['ana']}"}
        told = json.dumps({"kind": "chat", "to": ["crasher"], "payload": {"text": "now"}})
        await stage.meet("/ws?space=demo", told, additional_headers=header)
        said = kept.drawn("said in a chat")  # what participants say is theirs to say, and is kept: the search finds it
        await stage.meet("/ws?space=demo", chat(said), additional_headers=header)
        stage.answers = [one for one in stage.answers if said.encode() not in one]
        agents = tmp_path / "state" / "agents" / "demo"
        await stage.until(agents / "crasher" / "output.log", b"crashed on purpose")
        await stage.until(agents / "teller" / "output.log", b"\n[")
        await stage.until(tmp_path / "err", b"demo/mistaken: ")
        while_running = files_of(stage)
        shutil.copytree(tmp_path / "state", tmp_path / "copy")
    assert (tmp_path / "copy" / "journal.db-wal").stat().st_size > 0
    files = while_running | {f"{name} (stopped)": data for name, data in files_of(stage).items()}
    assert len(files) >= 12 and len(stage.answers) > 80 and len(kept.tokens) > 50
    leaks = {name: found for name, data in files.items() if (found := kept.found_in(data))}
    journal = {name: found for name, found in leaks.items() if "journal.db" in name or "diary.jsonl" in name}
    assert {use for found in journal.values() for use in found} == {"said in a chat"}
    assert {name: found for name, found in leaks.items() if name not in journal} == {}
    answered = [(found, one[:300]) for one in stage.answers if (found := kept.found_in(one))]
    assert answered == []
    inherited, *_ = (agents / "teller" / "output.log").read_text().splitlines()
    assert [name for name in json.loads(inherited) if name.startswith("MEW_TOKEN")] == ["MEW_TOKEN"]
    folders = [tmp_path / "state", tmp_path / "state" / "tokens", tmp_path / "state" / "tokens" / "demo"]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in folders[-1].iterdir()} == {0o600}


@pytest.mark.parametrize("token", ["mew_9-Zt_aAbBcCdD0123456789xyzxyzxyz_-0", "odd/signs+\"quoted\"&%41<é>='one'\\two"])
def test_the_search_finds_a_token_in_every_form(token: str) -> None:
    kept = Kept()
    kept["it"] = token
    kept.drawn("another")
    for number, form in enumerate(forms(token)):
        assert kept.found_in(b"before " + form + b" behind") == ["it"], number
        assert kept.found_in(b"before " + form.upper()) == ["it"], number
    for before in (b"", b"A", b"BC", b"DEF", b"Bearer ", b"user:"):
        for behind in (b"", b"x", b"\n", b" and more"):
            encoded = base64.b64encode(before + token.encode() + behind)
            assert kept.found_in(b"Basic " + encoded) == ["it"], (before, behind)
    assert kept.found_in(token[:-1].encode() + b"?") == []


async def test_what_holds_a_token_does_not_print_it() -> None:
    kept = Kept()
    token = kept.drawn("held")
    client = Client(f"ws://u:{token}@127.0.0.1:1/ws?token={token}", space="demo", token=token)
    environment = Environment(f"ws://127.0.0.1:1?token={token}", "demo", token)
    access = Access(url="ws://127.0.0.1:1", space="demo", participant="ana", token=token)
    for one in (client, Participant(client), environment, access, access.api):
        assert kept.found_in(f"{one!r} {one}".encode()) == []
    with pytest.raises(Disconnected) as lost:
        await client.connect()
    assert kept.found_in(str(lost.value).encode()) == []
    for url in (f"127.0.0.1?token={token}", f"ftp://{token}@127.0.0.1", f"ws://{token}@:99999?{token}#{token}"):
        with pytest.raises(ValueError) as wrong:
            Client(url, space="demo", token=token)
        assert kept.found_in(str(wrong.value).encode()) == []
    with pytest.raises(ValueError) as blank:
        Client("ws://127.0.0.1", space="demo", token=f"{token} {token}")
    assert kept.found_in(str(blank.value).encode()) == []
