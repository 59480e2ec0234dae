"""`mew token`: show and rotate."""

from __future__ import annotations

import asyncio
from typing import Any


async def test_the_token_is_shown_as_it_is(site: Any, typed: Any) -> None:
    told, data = await asyncio.gather(typed("token", "show", "agent"), typed("token", "show", "agent", "--json"))
    assert (told.status, told.out, told.err) == (0, site.token("agent") + "\n", "")
    assert data.json() == {"space": "demo", "participant": "agent", "token": site.token("agent")}


async def test_a_rotated_token_takes_over(site: Any, typed: Any) -> None:
    old = site.token("agent")
    done = await typed("token", "rotate", "agent")
    new = site.token("agent")
    assert done.status == 0 and done.out == new + "\n" and new != old
    await site.pass_time(2_000)  # the gateway looks at the files once a second
    assert (await site.get("/spaces/demo/participants", token=new))[0] == 200
    assert (await site.get("/spaces/demo/participants", token=old))[0] == 401


async def test_what_cannot_be_shown_or_rotated_is_a_sentence(site: Any, typed: Any) -> None:
    unknown, fixed = await asyncio.gather(
        typed("token", "show", "agnet"),
        typed("token", "rotate", "agent", MEW_TOKEN_AGENT="a-token-of-some-length"),
    )
    assert unknown.status == 2
    assert unknown.err == "There is no participant 'agnet' in the space demo (did you mean `agent`?).\n"
    assert fixed.status == 1 and fixed.err == "The token of agent comes from $MEW_TOKEN_AGENT: change it there.\n"
