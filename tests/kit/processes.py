"""An agent in a process of its own, which a test can kill."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mew_gateway.child_process import inherited_environment

from .gateway import Site

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds for a process to begin or end


def environment_without_mew() -> dict[str, str]:
    """Return the environment of this process without its MEW_ variables and without the size of its terminal."""
    hidden = ("COLUMNS", "LINES")
    return {name: value for name, value in inherited_environment().items() if name not in hidden}


@asynccontextmanager
async def agent_process(
    site: Site, participant: str, agent: str, *, folder: Path, failpoint: str = "", **options: Any
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of the agent `module:Class`, which has joined as `participant`; it is killed after the block.

    Its state is in `folder/participant`, its output in `folder/participant.log`. `failpoint` is where it is to end.
    """
    variables = {
        **os.environ,
        "MEW_URL": site.url,
        "MEW_SPACE": site.space,
        "MEW_TOKEN": site.token(participant),
        "MEW_STATE": str(folder / participant),
        "MEW_OPTIONS": json.dumps(options),
        "MEW_FAILPOINT": failpoint,
    }
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{participant}.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mew_gateway.sdk.host", agent),
            cwd=ROOT,
            env=variables,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        await _joined(site, participant)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _joined(site: Site, participant: str) -> None:
    """Wait until a participant has joined, which takes long if several processes begin at once."""
    members = site.gateway.broker.engine[site.space].machine.members
    async with asyncio.timeout(PATIENCE):
        while participant not in members.present():
            await asyncio.sleep(0.05)
