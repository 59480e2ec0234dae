"""`mew timeline` and `mew replay` of agents: their own timelines joined, verified, drawn, and replayed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest
from typer.testing import CliRunner

from mew_gateway.cli.agents.verification import anchor_of
from mew_gateway.cli.framework.failure import Failure
from mew_gateway.cli.main import app
from mew_gateway.protocol.reasons import Class
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.events import Began, BoundaryReached, Ended, Event, Followed, Interrupted, Started
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.execution.spans import Declaration
from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.recorder import Recorder
from mew_gateway.sdk.timeline.sqlite import TimelineFile, TimelineReader

NOW = 1_800_000_000_000
HASH = "0" * 64
CONFIGURATION = """
spaces:
  demo: {participants: {human: {}, agent: {}, second: {}}}
"""


class Life:
    """An agent that records in its state folder."""

    def __init__(self, folder: Path, participant: str = "agent") -> None:
        self.path = folder / "agents" / "demo" / participant / "timeline.db"
        self.timeline = TimelineFile(self.path)
        self.recorder = Recorder(self.timeline, "life")
        self.core, self.now = Core(), NOW
        self.lives(Started("life"))

    def lives(self, *events: Event) -> None:
        for event in events:
            self.now += 100
            self.recorder.record(event, self.core.handle(event, self.now), self.now)

    def interrupted(self, id: str = "stop", run: str = "run") -> None:
        """A run that is interrupted and ends."""
        self.lives(
            Began(run, f"span-{run}", f"end-{run}", Declaration(policy="soft-stop"), message="a tour \x1b[2J"),
            BoundaryReached(run, f"span-{run}", f"thought-{run}", "first"),
            Interrupted(Interrupt(id, "human", run, "cancel", rule="reason:error"), f"ack-{id}", self.now + 296),
        )
        self.lives(Ended(run, "interrupted", timeline=self.recorder.head))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration whose gateway does not run, in the folder where commands run."""
    (tmp_path / "spaces.yaml").write_text(CONFIGURATION, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def life(folder: Path) -> Any:
    life = Life(folder / ".mew")
    life.interrupted()
    yield life
    life.timeline.close()


def mew_now(*arguments: str) -> tuple[int, str]:
    """A command in this process: its status, and what it printed or failed with."""
    done = CliRunner().invoke(app, [*arguments], env={"COLUMNS": "200", "TERM": "dumb"})
    if isinstance(done.exception, Failure):
        return done.exception.status, done.exception.message
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def foreign(path: Path, statements: str) -> None:
    """Another program at the file."""
    connection = apsw.Connection(str(path))
    connection.execute(statements)
    connection.close()


def tamper(path: Path, statements: str) -> None:
    """Behind the triggers' back."""
    foreign(path, f"drop trigger no_update; drop trigger no_delete; drop trigger in_order; {statements}")


def forge(path: Path, change: Callable[[Entry], Entry | None]) -> None:
    """Write another record, with its triggers and a chain that is whole."""
    with TimelineReader(path) as reader:
        rows = [row for row in map(change, every(reader)) if row is not None]
    path.unlink()
    with closing(TimelineFile(path)) as timeline:
        timeline.append(rows)


# An agent's own timeline


def test_an_agents_timeline_is_told_a_line_an_event(life):
    status, out = mew_now("timeline", "--agent", "agent")
    lines = out.splitlines()
    assert status == 0 and "\x1b" not in out
    assert [line.split()[2] for line in lines][:4] == ["started", "run_begun", "span_begun", "span_state"]
    (decided,) = [line for line in lines if " decided " in line]
    assert "cancel → stopping, soft-stop, stopped, rule reason:error, confidence 1.0, 4 ms" in decided
    assert "span-run" in decided and decided.endswith("because of stop")


def test_timeline_shows_queued_interrupts_in_words(life):
    """The record keeps the whole interrupt, to hear it in another life."""
    life.lives(Began("next", "span-next", "end-next", Declaration(policy="soft-stop")))
    said = "no, better tomorrow"
    kept: tuple[tuple[str, Class], ...] = (("turn", "override"), ("word", "queue"))
    for id, class_ in kept:
        interrupt = Interrupt(id, "human", "next", class_, message=said, input={"text": said})
        life.lives(Interrupted(interrupt, f"ack-{id}", life.now))
    life.lives(Ended("next", "interrupted", timeline=life.recorder.head), Followed("turn"))
    lines = mew_now("timeline", "--agent", "agent")[1].splitlines()
    queued = [line.split("span-next   ")[1] for line in lines if " queued " in line]
    assert queued == [
        "override from human, “no, better tomorrow”, to be heard instead of this run  because of turn",
        "queue from human, “no, better tomorrow”, to be heard after this run  because of word",
    ]
    (followed,) = [line for line in lines if " followed " in line]
    assert followed.endswith("heard instead of next  because of turn")
    assert "{" not in "".join(lines)


def test_timeline_shows_inputs_on_request(life):
    _, plain = mew_now("timeline", "--agent", "agent")
    _, full = mew_now("timeline", "--agent", "agent", "--inputs")
    assert " input " not in plain
    assert len(full.splitlines()) - len(plain.splitlines()) == 5
    assert "Interrupted" in full


def test_as_json_every_entry_is_whole(life):
    status, out = mew_now("timeline", "--agent", "agent", "--json", "--limit", "3")
    told = json.loads(out)
    assert (status, told["agent"]) == (0, "agent")
    last = life.timeline.read(after=life.timeline.head.seq - 3)
    assert [one["hash"] for one in told["events"]] == [entry.hash for entry in last]
    assert told["events"][0]["at_ms"] == last[0].at and told["events"][0]["data"] == last[0].data


async def test_it_is_followed_until_ctrl_c(life, mew):
    async with mew.started("timeline", "--agent", "agent", "--follow", "--json", "--limit", "1") as timeline:
        assert json.loads(await timeline.line("seq"))["seq"] == life.timeline.head.seq
        life.interrupted("again", "later")
        first = json.loads(await timeline.line("Began"))
        assert (first["kind"], first["trace_id"]) == ("input", "later")
        assert json.loads(await timeline.line('"decided"'))["cause_id"] == "again"
        timeline.signal(signal.SIGINT)
        done = await timeline.end()
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent", "agnet"], "The agent 'agnet' has no timeline in the space demo (did you mean `agent`?)"),
        (["--agent", "second"], "The agent 'second' has no timeline in the space demo"),
        (["--file", "nothing.db"], "There is no file nothing.db."),
        (["--verify", "--follow"], "--verify goes with --agent"),
    ],
)
def test_timeline_reports_missing_files_and_agents(life, arguments, said):
    del life
    status, message = mew_now("timeline", *arguments)
    assert status in (1, 2) and said in message


def test_without_any_timeline_there_is_nothing_to_verify_or_draw(folder):
    assert "No agent of the space demo has a timeline" in mew_now("timeline", "--verify")[1]
    assert "No agent of the space demo has a timeline" in mew_now("timeline", "--svg", "a.svg")[1]


def test_drawing_needs_one_of_several_agents(life, folder):
    Life(folder / ".mew", "second").timeline.close()
    assert mew_now("timeline", "--svg", "a.svg") == (2, "Which agent? Say --agent with one of: agent, second.")


# The chain


def test_whole_chains_are_told_one_an_agent(life, folder):
    Life(folder / ".mew", "second").timeline.close()
    status, out = mew_now("timeline", "--verify")
    head = life.timeline.head
    assert status == 0
    assert f"agent: {head.seq} events, chain whole, head {head.seq}:{head.hash[:12]}…" in out
    assert "second: 2 events, chain whole" in out
    assert "Not compared with the gateway's journal: " in out


def test_faults_are_told_with_their_places(life):
    life.timeline.close()
    tamper(life.path, "update events set at = 0 where seq = 3; delete from events where seq in (8, 9)")
    status, out = mew_now("timeline", "--agent", "agent", "--verify")
    assert status == 1
    lines = out.splitlines()
    assert "2 faults" in lines[1]
    assert lines[2].split()[:2] == ["3", "changed"] and lines[3].split()[:2] == ["8", "missing"]
    assert "Entries 8 to 9 are missing" in lines[3]


def test_a_file_is_verified_without_a_configuration(life, folder):
    (folder / "spaces.yaml").unlink()
    status, out = mew_now("timeline", "--file", str(life.path), "--verify", "--json")
    (told,) = json.loads(out)["agents"]
    assert status == 0
    assert (told["agent"], told["whole"], told["faults"], told["events"]) == (
        str(life.path),
        True,
        [],
        life.timeline.head.seq,
    )


def test_verify_reports_only_the_first_faults(life):
    for n in range(30):
        life.interrupted(f"i{n}", f"run{n}")
    life.timeline.close()
    tamper(life.path, "update events set hash = 'f'")
    status, out = mew_now("timeline", "--file", str(life.path), "--verify")
    assert status == 1 and "100 or more faults" in out
    assert len([line for line in out.splitlines() if " changed " in line]) == 100


@pytest.mark.parametrize(
    ("trigger", "said"),
    [
        ("no_update", "entries could be changed."),
        ("no_delete", "entries could be dropped."),
        ("in_order", "entries could be replaced, or given any number."),
    ],
)
def test_verify_reports_missing_triggers_of_a_whole_chain(life, trigger, said):
    life.timeline.close()
    foreign(life.path, f"drop trigger {trigger}")
    status, out = mew_now("timeline", "--agent", "agent", "--verify")
    assert status == 1 and "chain whole" in out
    assert out.splitlines()[-1].split(maxsplit=1) == ["unguarded", f"The file lacks its trigger {trigger}: {said}"]
    (told,) = json.loads(mew_now("timeline", "--file", str(life.path), "--verify", "--json")[1])["agents"]
    assert (told["whole"], told["unguarded"]) == (True, [trigger])


def test_a_file_is_called_as_it_was_named(life, folder):
    (folder / "tam").mkdir()
    life.timeline.close()
    for name in ("x.db", "y.db"):
        shutil.copy(life.path, folder / "tam" / name)
        status, out = mew_now("timeline", "--file", f"tam/{name}", "--verify")
        assert status == 0 and out.startswith(f"tam/{name}: ")
        assert mew_now("replay", f"tam/{name}")[1].startswith(f"tam/{name}: 5 inputs")
    assert mew_now("timeline", "--file", "tam/x.db", "--agent", "solver", "--verify")[1].startswith("solver: ")


def test_a_file_that_cannot_be_read_is_a_fault(life, folder):
    broken = folder / ".mew" / "agents" / "demo" / "second" / "timeline.db"
    broken.parent.mkdir()
    broken.write_text("nonsense " * 100)
    status, out = mew_now("timeline", "--verify")
    assert status == 1
    assert "agent: " in out and "chain whole" in out and "second: " in out and "is not an SQLite database" in out


# Beside a gateway


async def said(site: Any, life: Life, *, timeline: str) -> None:
    """What the agent did, on the wire too."""
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {}, id="run")
    await agent.until("reasoning/start")
    await human.send("reasoning/interrupt", {"reason": "error"}, to=["agent"], correlation_id=["run"], id="stop")
    await agent.until("reasoning/interrupt")
    await agent.send("reasoning/interrupt-ack", {"status": "stopping"}, correlation_id=["stop"])
    await agent.send("reasoning/conclusion", {"timeline": timeline}, context="run")
    await human.until("reasoning/conclusion")


@pytest.fixture
def here(tmp_path: Path) -> Any:
    """An agent of the gateway `site`."""
    life = Life(tmp_path / "state")
    life.interrupted()
    yield life
    life.timeline.close()


async def test_interrupts_are_joined_with_what_the_agent_recorded(site, typed, here):
    await said(site, here, timeline=here.recorder.head)
    lines, data = (await typed("timeline")).out.splitlines(), (await typed("timeline", "--json")).json()
    joined = [event for event in data["events"] if "decided" in event]
    assert [event["kind"] for event in joined] == ["reasoning/interrupt", "reasoning/interrupt-ack"]
    assert joined[0]["decided"] == joined[1]["decided"]
    decided = joined[0]["decided"]
    assert (decided["agent"], decided["rule"], decided["latency_ms"]) == ("agent", "reason:error", 4)
    assert here.timeline.read(after=decided["seq"] - 1, limit=1)[0].kind == "decided"
    told = [line for line in lines if "← agent decided within 4 ms: soft-stop, by the rule reason:error" in line]
    assert len(told) == 2


async def test_a_long_kind_keeps_its_distance_from_who_said_it(site, typed):
    human = await site.join("human")
    await human.send("participant/request-status", {}, to=["agent"])
    await human.until("system/error")  # refused, and told all the same
    out = (await typed("timeline")).out
    assert "is refused participant/request-status → agent: " in out


async def test_a_chain_is_compared_with_the_gateways_journal(site, typed, here):
    await said(site, here, timeline=here.recorder.head)
    done = await typed("timeline", "--verify")
    assert (done.status, done.err) == (0, "")
    assert "chain whole" in done.out and "compared with the journal in 1 place" in done.out


async def test_verify_finds_a_rewritten_chain(site, typed, here):
    before = here.recorder.head
    here.timeline.close()
    here.path.unlink()
    again = Life(here.path.parents[3])
    again.interrupted("another", "run")
    again.timeline.close()
    await said(site, here, timeline=before)
    done = await typed("timeline", "--verify")
    seq = before.partition(":")[0]
    assert done.status == 1
    assert f"Entry {seq} is another than the gateway's journal names" in done.out


async def test_a_chain_that_ends_too_soon_is_found_out(site, typed, here):
    await said(site, here, timeline=f"500:{HASH}")
    done = await typed("timeline", "--verify", "--json")
    assert done.status == 1
    (told,) = done.json()["agents"]
    assert [(fault["seq"], fault["what"]) for fault in told["faults"]] == [(500, "missing")]


@pytest.mark.parametrize("named", [None, 7, "nonsense", "12", ":ab", "7:ab", f"-1:{HASH}", f"1e9:{HASH}", f"0:{HASH}"])
def test_a_conclusion_without_a_head_is_not_compared(named):
    assert anchor_of({"kind": "reasoning/conclusion", "timeline": named}) is None


def test_only_a_conclusion_that_was_accepted_names_a_head():
    event = {"kind": "reasoning/conclusion", "timeline": f"7:{HASH}"}
    assert anchor_of(event) == (7, HASH)
    assert anchor_of({**event, "kind": "chat"}) is None
    assert anchor_of({**event, "refused": "sequence_closed"}) is None


HOSTED = """
gateway: {listen: "127.0.0.1:0", state_dir: state}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}, {kind: reasoning/interrupt}]}
      agent:
        capabilities: [{kind: "reasoning/*"}]
        command: ["true"]
        restart: {policy: never}
"""


async def test_a_hosted_agent_whose_timeline_is_gone_is_a_fault(start_gateway, typed):
    async with start_gateway(HOSTED) as site:
        agent = await site.join("agent")
        await agent.send("reasoning/start", {}, id="run")
        await agent.until("reasoning/start")
        await agent.send("reasoning/conclusion", {"timeline": f"7:{HASH}"}, context="run")
        await agent.settle()
        done = await typed("timeline", "--verify")
    assert done.status == 1
    assert done.out == "agent: It has no timeline, and the gateway's journal names its entry 7.\n"


# The picture


def test_it_is_drawn_into_files(life, folder):
    status, out = mew_now("timeline", "--agent", "agent", "--svg", "a.svg", "--png", "a.png")
    assert (status, out) == (0, "a.svg: 1 run, 1 span\na.png: 1 run, 1 span\n")
    assert (folder / "a.svg").read_bytes().startswith(b"<?xml")
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")


def test_where_no_run_began_there_is_nothing_to_draw(folder):
    Life(folder / ".mew").timeline.close()
    assert mew_now("timeline", "--svg", "a.svg") == (1, "There is nothing to draw: no run of agent is on its timeline.")


def test_without_the_library_it_says_what_to_install(life):
    script = (
        "import sys; sys.modules['matplotlib'] = None; sys.argv = ['mew', 'timeline', '--svg', 'a.svg'];"
        "from mew_gateway.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "To draw, a library is needed: pip install 'mew-gateway[picture]'\n"


# Replay


def test_a_space_is_replayed_agent_by_agent(life, folder):
    Life(folder / ".mew", "second").timeline.close()
    assert mew_now("replay", "demo") == (
        0,
        "agent: 5 inputs in 1 life, the same decisions\nsecond: 1 input in 1 life, the same decisions\n",
    )


def test_a_file_is_replayed_without_a_configuration(life, folder):
    (folder / "spaces.yaml").unlink()
    status, out = mew_now("replay", str(life.path), "--json")
    assert status == 0
    assert json.loads(out) == {
        "agents": [
            {
                "agent": str(life.path),
                "file": str(life.path),
                "whole": True,
                "same": True,
                "inputs": 5,
                "lives": 1,
                "gaps": 0,
            }
        ]
    }


def test_the_first_difference_is_told(life):
    life.timeline.close()
    tamper(
        life.path,
        'update events set data = replace(data, \'"class":"cancel"\', \'"class":"queue"\') where kind = \'input\'',
    )
    status, out = mew_now("replay", "demo", "--agent", "agent")
    assert status == 1
    assert "agent: event 9 (interrupted stop): recorded interruption " in out


def test_replay_finds_a_falsified_decision_in_a_recomputed_chain(life):
    life.timeline.close()

    def softened(entry: Entry) -> Entry:
        data = {**entry.data, "status": "ignored", "latency_ms": 1} if entry.kind == "decided" else entry.data
        return msgspec.structs.replace(entry, data=data)

    forge(life.path, softened)
    assert mew_now("timeline", "--file", str(life.path), "--verify")[0] == 0
    status, out = mew_now("replay", "demo", "--agent", "agent")
    (line,) = out.splitlines()
    assert status == 1 and line.startswith("agent: event 9 (interrupted stop): recorded decided ")
    then, _, now = line.partition(", now ")
    assert '"status":"ignored"' in then and '"status":"stopping"' in now


def test_a_broken_chain_is_told_before_the_decisions(life):
    life.timeline.close()
    tamper(life.path, "update events set hash = 'f' where seq = 4")
    status, out = mew_now("replay", "demo", "--agent", "agent")
    first, fault, *_, last = out.splitlines()
    assert status == 1
    assert first == f"agent: {life.timeline.head.seq} events, 1 fault, head " + first.rpartition("head ")[2]
    assert fault.split(maxsplit=2)[:2] == ["4", "changed"]
    assert last == "agent: 5 inputs in 1 life, the same decisions"
    (told,) = json.loads(mew_now("replay", str(life.path), "--json")[1])["agents"]
    assert (told["whole"], told["same"], [one["seq"] for one in told["faults"]]) == (False, True, [4])


def test_a_file_without_its_triggers_is_replayed_without_a_remark(life):
    life.timeline.close()
    foreign(life.path, "drop trigger no_update")
    assert mew_now("replay", "demo", "--agent", "agent") == (0, "agent: 5 inputs in 1 life, the same decisions\n")


def test_a_timeline_that_cannot_be_replayed_hides_no_other(life, folder):
    broken = folder / ".mew" / "agents" / "demo" / "second" / "timeline.db"
    broken.parent.mkdir()
    broken.write_text("nonsense " * 100)
    status, out = mew_now("replay", "demo")
    first, second = out.splitlines()
    assert status == 1
    assert first == "agent: 5 inputs in 1 life, the same decisions"
    assert second.startswith("second: ") and second.endswith("it is not an SQLite database.")


def test_replay_reports_gaps(life):
    life.recorder.miss()
    life.interrupted("again", "later")
    assert mew_now("replay", "demo", "--agent", "agent") == (
        0,
        "agent: 5 inputs in 1 life, the same decisions\n"
        "agent: not judged: the entries after a gap, until the next life\n",
    )


@pytest.mark.parametrize(
    ("what", "said"), [("nothing.db", "There is no file"), ("nowhere", "There is no space 'nowhere'")]
)
def test_replay_reports_what_it_cannot_read(life, what, said):
    status, message = mew_now("replay", what)
    assert status == 2 and said in message
