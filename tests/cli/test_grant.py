"""`mew grant`, `revoke`, `grants`, `invite`, `kick`: capabilities and membership."""

from __future__ import annotations

import asyncio
import stat
from typing import Any

import pytest

from mew_gateway.cli.connecting.capability_options import capabilities
from mew_gateway.cli.framework.failure import Failure
from mew_gateway.errors import Rejected


def test_the_options_make_patterns(tmp_path: Any) -> None:
    file = tmp_path / "more.json"
    file.write_text('[{"kind": "a"}, {"kind": "b"}]')
    made = capabilities(["c"], '{"x": 1}', ["d", "e"], [f"@{file}", '{"kind": "f"}'])
    assert made == [{"kind": "a"}, {"kind": "b"}, {"kind": "f"}, {"kind": "c", "payload": {"x": 1}, "to": ["d", "e"]}]
    assert capabilities(["a", "b"], None, ["c"], None) == [{"kind": ["a", "b"], "to": "c"}]
    for wrong in ((None, "{}", None, None), (["a"], "[]", None, None), (None, None, None, ["@nowhere"])):
        with pytest.raises(Failure) as caught:
            capabilities(*wrong)
        assert caught.value.status == 2
    with pytest.raises(Rejected, match="kind"):
        capabilities(["/(/"], None, None, None)


async def test_a_grant_comes_and_goes(team: Any, typed: Any) -> None:
    agent = await team.join("agent")
    given = await typed("grant", "agent", "--kind", "x/*", "--expires", "3000d", "--reason", "trust", "--as", "admin")
    grant = await agent.until("capability/grant")
    assert (given.status, given.out) == (0, f"{grant['id']}\n") and "takes it back" in given.err
    assert grant["payload"]["capabilities"] == [{"kind": "x/*"}] and "expires_at" in grant["payload"]
    await agent.send("capability/grant-ack", {}, correlation_id=[grant["id"]])
    await agent.until("capability/grant-ack")
    table, data = await asyncio.gather(typed("grants"), typed("grants", "agent", "--all", "--json"))
    row = next(row for row in table.out.splitlines() if "x/*" in row)
    assert "agent" in row and "admin: trust" in row and grant["id"][-8:] in row and "not acknowledged" not in row
    (static,) = data.json()["static"]
    assert {"kind": "chat"} in static["capabilities"] and {"kind": "x/*"} not in static["capabilities"]
    assert (await typed("revoke", "agent", grant["id"][-8:], "--as", "admin")).status == 0
    await typed("revoke", "agent", "--kind", "chat", "--as", "admin")
    assert "no more: chat" in (await typed("grants")).out
    refused, mistaken = await asyncio.gather(
        typed("grant", "agent", "--kind", "x/*", "--json"), typed("revoke", "agent", "--as", "admin")
    )
    assert (refused.status, refused.json()["failure"]["error"]) == (6, "capability_violation")
    assert mistaken.status == 2 and "Revoke what?" in mistaken.err


async def test_a_grant_that_is_over_is_not_mistaken_for_another(team: Any, typed: Any) -> None:
    admin = await team.join("admin")
    first, second = "0192aaaa-0000-7000-8000-1111bed90450", "0192bbbb-0000-7000-8000-2222bed90450"
    for id in (first, second):
        await admin.send("capability/grant", {"recipient": "agent", "capabilities": [{"kind": "x/*"}]}, id=id)
        await admin.until("capability/grant")
    shown = [word for word in (await typed("grants")).out.split() if word.endswith("bed90450")]
    assert len(set(shown)) == 2
    vague = await typed("revoke", "agent", "bed90450", "--as", "admin")
    assert vague.status == 2 and f"  {second}  # admin: x/*" in vague.err
    done = await typed("revoke", "agent", first, "--as", "admin")
    assert done.status == 0 and f"revoking the grant {first} of admin: x/*" in done.err
    vague = await typed("revoke", "agent", "bed90450", "--as", "admin")
    assert vague.status == 2 and f"  {first}  # admin: over" in vague.err
    assert (await typed("revoke", "agent", "2222bed90450", "--as", "admin")).status == 0
    assert (await typed("revoke", "agent", "--kind", "x/*", "--whole", "--as", "admin")).status == 2


async def test_a_pause_that_is_over_is_not_mistaken_for_another(team: Any, typed: Any) -> None:
    first, second = "0192aaaa-0000-7000-8000-1111bed90450", "0192bbbb-0000-7000-8000-2222bed90450"
    for name, id in (("admin", first), ("human", second)):
        peer = await team.join(name)
        await peer.send("participant/pause", {}, to=["agent"], id=id)
        await peer.until("participant/pause")
    shown = [word.strip("()") for word in (await typed("status", "--as", "admin")).out.split() if "bed90450" in word]
    assert len(set(shown)) == 2
    vague = await typed("resume", "agent", "bed90450", "--as", "admin")
    assert vague.status == 2 and f"  {first}  # admin: a pause since" in vague.err
    done = await typed("resume", "agent", first, "--as", "admin")
    assert done.status == 0 and "lifting a pause since" in done.err and first in done.err
    vague = await typed("resume", "agent", "bed90450", "--as", "admin")
    assert vague.status == 2 and f"  {first}  # admin: a pause that is over" in vague.err
    assert (await typed("resume", "agent", "bed90450", "--as", "admin", "--from", "human")).status == 0


async def test_an_invitation_and_a_kick(team: Any, mew: Any) -> None:
    invited = await mew("invite", "newcomer", "--kind", "chat", "--as", "admin", "--token-file", "new.token")
    file = mew.folder / "new.token"
    token = file.read_text().strip()
    assert (
        invited.status == 0 and token not in invited.out + invited.err and "MEW_TOKEN=$(cat new.token)" in invited.err
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    said = await mew("send", "here I am", "--space", "demo", "--url", team.url, MEW_TOKEN=token)
    assert said.status == 0
    again, taken, asking = await asyncio.gather(
        mew("invite", "newcomer", "--as", "admin"),
        mew("invite", "other", "--as", "admin", "--token-file", "new.token"),
        mew("kick", "newcomer", "--as", "admin"),
    )
    assert again.status == 6 and "already_exists" in again.err
    assert taken.status == 2 and "File exists" in taken.err and file.read_text().strip() == token
    assert asking.status == 2 and "say --yes" in asking.err
    assert (await mew("kick", "newcomer", "--yes", "--as", "admin")).status == 0
    gone = await mew("send", "still here?", "--space", "demo", "--url", team.url, MEW_TOKEN=token)
    assert gone.status == 1
    shown = await mew("invite", "newcomer", "--as", "admin", "--json")
    assert shown.json()["token"].startswith("mew_") and shown.json()["token"] != token


async def test_a_refusal_because_of_an_unknown_name_is_no_notice(team: Any, mew: Any) -> None:
    kicked, shown, granted, revoked = await asyncio.gather(
        mew("kick", "zzz", "--yes", "--as", "admin"),
        mew("kick", "zzz", "--yes", "--as", "admin", "--json"),
        mew("grant", "zzz", "--kind", "chat", "--as", "admin"),
        mew("revoke", "zzz", "--kind", "chat", "--as", "admin"),
    )
    for one in (kicked, granted, revoked):
        assert (one.status, one.err.count("participant_not_found")) == (6, 1), one.err
        assert "refused: participant_not_found" in one.err
        assert "did not answer" not in one.err
    assert (shown.status, shown.json()["failure"]["error"]) == (6, "participant_not_found")
