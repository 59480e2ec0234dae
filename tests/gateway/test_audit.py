"""What was done to a space's members and capabilities is on record, with who did it, across restarts (§3.6.7)."""

from __future__ import annotations

from typing import Any

import pytest

SPACE = """
gateway: {listen: "127.0.0.1:0", state_dir: state, journal: {url: "sqlite:state/journal.db"}}
spaces:
  demo:
    participants:
      admin: {capabilities: [{kind: ["capability/*", "space/*", chat]}]}
      agent: {capabilities: [{kind: chat}]}
"""


@pytest.mark.requirement("mew/3.6.7:audit", "mew/3.6.7:grant-chains")
async def test_control_actions_are_on_record(start_gateway: Any) -> None:
    done = [
        ("space/invite", {"participant_id": "guest", "initial_capabilities": [{"kind": "chat"}]}),
        ("capability/grant", {"recipient": "agent", "capabilities": [{"kind": "space/invite"}], "reason": "helps"}),
        ("capability/grant", {"recipient": "agent", "capabilities": [{"kind": "capability/grant"}]}),
        ("capability/revoke", {"recipient": "agent", "capabilities": [{"kind": "capability/grant"}]}),
        ("space/kick", {"participant_id": "guest", "reason": "done"}),
    ]
    async with start_gateway(SPACE) as site:
        admin = await site.join("admin")
        await admin.send(*done[0])
        token = (await admin.until("space/invite-ack"))["payload"]["token"]
        for kind, payload in done[1:]:
            await admin.send(kind, payload)
        await admin.until("space/kick")
        status, _ = await site.post("agent", {"kind": "space/kick", "payload": {"participant_id": "admin"}})
        assert status == 403
    async with start_gateway(SPACE) as site:
        _, history = await site.get("/spaces/demo/history", participant="admin")
        found = [one["envelope"] for one in history["envelopes"]]
        managed = [one for one in found if one["kind"].partition("/")[0] in ("space", "capability")]
        told = [(one["kind"], one["payload"]) for one in managed if one["from"] == "admin"]
        assert told == done
        assert token not in str(history)
        _, grants = await site.get("/spaces/demo/grants", participant="admin")
        assert [(one["granter"], one["recipient"], one["capabilities"]) for one in grants["grants"]] == [
            ("admin", "agent", [{"kind": "space/invite"}])
        ]
        _, timeline = await site.get("/spaces/demo/timeline", participant="admin")
        events = [(one["kind"], one["from"]) for one in timeline["events"] if one["kind"] in dict(done)]
        assert events == [*((kind, "admin") for kind, _ in done), ("space/kick", "agent")]
        assert "capability_violation" in str(timeline["events"][-6:])  # what it tried, and may not
