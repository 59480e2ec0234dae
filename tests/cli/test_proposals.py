"""`mew proposals`, `approve` and `reject`: one participant decides, and all are informed."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

import pytest

CALL = {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 2, "b": 3}}}


async def propose(site: Any, *ids: str, to: list[str] | None = None) -> Any:
    agent = await site.join("agent")
    for id in ids:
        await agent.send("mcp/proposal", CALL, id=id, **({} if to is None else {"to": to}))
        await agent.until("mcp/proposal")
    return agent


async def test_proposals_lists_and_the_first_approval_counts(team: Any, typed: Any) -> None:
    agent = await propose(team, "first-wish", to=["mute"])
    target = await team.join("mute")
    listed, data = await asyncio.gather(typed("proposals"), typed("proposals", "--json"))
    row = next(row for row in listed.out.splitlines() if "first-wish" in row)
    assert "agent → mute" in row and "add" in row
    assert "a = 2" in listed.out and "expires in" in listed.out
    assert data.json()["proposals"][0]["params"] == CALL["params"]

    command = asyncio.create_task(typed("approve", "wish"))
    request = await target.until("mcp/request")
    assert (request["correlation_id"], request["to"]) == (["first-wish"], ["mute"])
    assert {key: request["payload"][key] for key in CALL} == CALL
    answer = {"result": {"content": [{"type": "text", "text": "5"}]}}
    await target.send("mcp/response", answer, to=["human"], correlation_id=[request["id"]])
    done = await command
    assert (done.status, done.out) == (0, "5\n")
    assert "approved: agent's add(a=2, b=3), done by mute" in done.err
    assert (await agent.until("mcp/response"))["payload"] == answer  # the proposer sees what came of it

    late, nothing = await asyncio.gather(typed("approve", "first-wish", "--as", "admin"), typed("proposals"))
    assert late.status == 6 and "proposal_closed: agent's proposal is decided: fulfilled by human at" in late.err
    assert nothing.out == "No proposal is waiting.\n"


async def test_approve_needs_a_target_and_reports_an_error(team: Any, typed: Any) -> None:
    await propose(team, "wish-one")
    target = await team.join("mute")
    done = await typed("approve", "wish-one")
    assert done.status == 2 and "say --to" in done.err
    command = asyncio.create_task(typed("approve", "wish-one", "--to", "mute"))
    request = await target.until("mcp/request")
    await target.send("mcp/response", {"error": {"code": -1, "message": "no"}}, correlation_id=[request["id"]])
    done = await command
    assert done.status == 1 and "mute answered with an error: no" in done.err


async def test_approve_needs_the_capability_of_the_request(team: Any, typed: Any) -> None:
    await propose(team, "wish-one", to=["mute"])
    done = await typed("approve", "wish-one", "--as", "guardian", "--json")
    assert done.status == 6 and done.json()["failure"]["error"] == "capability_violation"
    mistyped = await typed("approve", "no-such-one")
    assert (mistyped.status, mistyped.err) == (2, "There is no proposal 'no-such-one' here; there is: wish-one.\n")


@pytest.mark.requirement("mew/3.3.3:unknown-reasons")
async def test_a_rejection_says_why_in_a_code_and_in_words(team: Any, typed: Any) -> None:
    agent = await propose(team, "wish-one", to=["mute"])
    done = await typed("reject", "wish-one", "--reason", "not on a friday", "--message", "Ask again on Monday.")
    rejection = await agent.until("mcp/reject")
    assert rejection["payload"] == {"reason": "not on a friday", "message": "Ask again on Monday."}
    assert rejection["correlation_id"] == ["wish-one"]
    assert "chat" not in [one["kind"] for one in await agent.settle()]
    assert (done.status, done.out) == (0, f"{rejection['id']}\n")
    assert "rejected by human: not on a friday" in (await typed("proposals", "--all")).out
    late = await typed("approve", "wish-one")
    assert late.status == 6 and "rejected by human" in late.err


async def test_watchers_see_another_participants_decision(team: Any, mew: Any) -> None:
    agent = await propose(team, "wish-one", to=["mute"])
    async with mew.started("proposals", "--watch") as one, mew.started("proposals", "--watch", "--json") as two:
        assert "+ proposed" in await one.line("wish-one")
        assert json.loads(await two.line("wish-one"))["event"] == "proposed"
        admin = await team.join("admin")
        await agent.send("mcp/proposal", CALL, id="wish-two", to=["mute"])
        assert "agent → mute: add(a=2, b=3)" in await one.line("wish-two")
        await admin.send("mcp/request", CALL, to=["mute"], correlation_id=["wish-one"])
        assert "✓ fulfilled by admin" in await one.line("wish-one")
        await two.line("wish-two")
        told = json.loads(await two.line("wish-one"))
        assert (told["event"], told["by"], told["proposal"]["id"]) == ("fulfilled", "admin", "wish-one")
        await agent.send("mcp/withdraw", {"reason": "no_longer_needed"}, correlation_id=["wish-two"])
        assert "withdrawn by agent: no_longer_needed" in await one.line("wish-two")
        one.signal(signal.SIGINT)
        assert (await one.end()).status == 0


async def test_on_a_terminal_the_list_changes_in_place(team: Any, mew: Any) -> None:
    agent = await propose(team, "wish-one", to=["mute"])
    async with mew.started("proposals", "--watch", FORCE_COLOR="1", TERM="xterm", COLUMNS="120") as command:
        assert command.process.stdout is not None
        async with asyncio.timeout(20):
            await command.process.stdout.readuntil(b"wish-one")
            await agent.send("mcp/withdraw", {}, correlation_id=["wish-one"])
            await command.process.stdout.readuntil(b"withdrawn by agent")
            await command.process.stdout.readuntil(b"No proposal is waiting.")


async def test_a_proposal_is_readable_and_says_what_it_is_about(team: Any, typed: Any) -> None:
    agent = await team.join("agent")
    await agent.send("reasoning/start", {"message": "a refund of 50 for Ana"}, id="run")
    effect = {"key": "0605" * 16, "attempt": 1, "fence": 1, "deadline": 1_795_460_522_819}
    said = [{"slot": "amount", "words": "fifty, please"}, {"slot": "order", "words": "A-1 " * 400}, "garbage"]
    meta = {"mew/effect": effect, "mew/evidence": {"person": "ana", "work_id": "w", "said": said}}
    params = {"name": "refund", "arguments": {"amount": 50}, "_meta": meta}
    await agent.send("mcp/proposal", {"method": "tools/call", "params": params}, id="wish", to=["mute"], context="run")
    await agent.until("mcp/proposal")
    out = (await typed("proposals", COLUMNS="120")).out
    assert "amount = 50" in out and "about: a refund of 50 for Ana" in out
    assert "0605" not in out and "_meta" not in out
    assert "for ana" in out and "amount: “fifty, please”" in out and "order: “A-1" in out
    assert out.count("A-1") < 150
    odd = [None, {"said": 5}, {"said": [{"words": 5}], "person": ["x"]}, {"person": None}]
    for number, evidence in enumerate(odd):
        params = {"name": f"odd{number}", "arguments": {}, "_meta": {"mew/evidence": evidence}}
        await agent.send("mcp/proposal", {"method": "tools/call", "params": params}, id=f"odd-{number}")
    await agent.settle()
    assert "odd3" in (await typed("proposals", COLUMNS="120")).out


async def test_a_missing_capability_names_who_may_grant_it(team: Any, typed: Any) -> None:
    done = await typed("grant", "agent", "--kind", "mcp/request", "--as", "guardian")
    assert done.status == 6
    assert (
        "Who may grant it: admin, with `" in done.err
        and "grant guardian --kind KIND --space demo --as admin`" in done.err
    )


HONEST, LIKE = "0192aaaa-0000-7000-8000-1111bed90450", "bed90450"


async def test_the_arguments_that_are_shown_are_those_that_are_executed(team: Any, typed: Any) -> None:
    agent, target = await team.join("agent"), await team.join("mute")
    params = {"name": "add", "arguments": {"a": 1_000_000, "b": 1}, "a": 2}
    await agent.send("mcp/proposal", {"method": "tools/call", "params": params}, id="wish", to=["mute"])
    await target.until("mcp/proposal")
    listed = await typed("proposals", COLUMNS="120")
    assert "a = 1000000" in listed.out and "other parameters, which are no arguments" in listed.out
    done = await typed("approve", "wish", "--no-wait")
    told = "agent's add(a=1000000, b=1) and other parameters: a=2"
    assert f"approving {told} (wish), to be done by mute" in done.err and f"approved: {told}" in done.err
    assert (await target.until("mcp/request"))["payload"]["params"] == params
    assert "proposes → mute add(a=1000000, b=1) and other" in (await typed("timeline")).out


@pytest.mark.parametrize("command", [("approve", "--no-wait"), ("reject", "--reason", "unsafe")])
async def test_an_id_that_ends_another_decides_nothing(team: Any, typed: Any, command: tuple[str, ...]) -> None:
    agent, mallory = await team.join("agent"), await team.join("admin")
    await agent.send("mcp/proposal", CALL, id=HONEST, to=["mute"])
    wipe = {"method": "tools/call", "params": {"name": "wipe", "arguments": {}}}
    await mallory.send("mcp/proposal", wipe, id=LIKE, to=["mute"])
    await agent.until("mcp/proposal", params=wipe["params"])
    listed = (await typed("proposals")).out
    assert "…1111bed90450" in listed and "…bed90450" not in listed
    name, *options = command
    vague = await typed(name, LIKE, *options)
    assert vague.status == 2 and "bed90450 fits 2 of them. Nothing was sent." in vague.err
    assert f"  {HONEST}  # agent: add(a=2, b=3), open" in vague.err
    assert f"  {LIKE} --whole  # admin: wipe, open" in vague.err
    rows = (await typed("proposals", "--json")).json()["proposals"]
    assert [row["status"] for row in rows] == ["open", "open"]
    done = await typed(name, LIKE, "--from", "agent", *options)
    assert done.status == 0 and HONEST in done.err
    done = await typed(name, LIKE, "--whole", *options)
    assert done.status == 0 and f"admin's wipe ({LIKE})" in done.err
    wrong = await typed(name, LIKE, "--whole", "--from", "agent", *options)
    assert wrong.status == 2 and "There is no proposal" in wrong.err


async def test_a_proposal_that_was_decided_is_not_mistaken_for_another(team: Any, typed: Any) -> None:
    agent, mallory = await team.join("agent"), await team.join("admin")
    await agent.send("mcp/proposal", CALL, id=HONEST, to=["mute"])
    await agent.until("mcp/proposal")
    await agent.send("mcp/withdraw", {}, correlation_id=[HONEST])
    await agent.until("mcp/withdraw")
    await mallory.send("mcp/proposal", CALL, id=f"x{HONEST[1:]}", to=["mute"])
    await mallory.until("mcp/proposal", params=CALL["params"])
    await agent.settle()
    shown = next(word for word in (await typed("proposals")).out.split() if word.endswith("bed90450"))
    assert shown.removeprefix("…") not in HONEST  # it fits the open one only
    vague = await typed("approve", LIKE, "--no-wait")
    assert vague.status == 2
    assert f"  {HONEST}  # agent: tools/call, withdrawn" in vague.err and f"  x{HONEST[1:]}  # admin: add(" in vague.err
    late = await typed("approve", HONEST, "--no-wait")
    assert late.status == 6 and "decided: withdrawn" in late.err
